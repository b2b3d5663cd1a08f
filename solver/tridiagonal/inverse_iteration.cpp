#include "solver/tridiagonal/inverse_iteration.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "hybrid/instantiate.hpp"
#include "hybrid/round_up.hpp"
#include "hybrid/team/loops.hpp"
#include "solver/tridiagonal/inverse_iteration_kernels.hpp"

namespace eigen_g {

namespace {

template <class R>
constexpr R eps = std::numeric_limits<R>::epsilon();

// Limits: of the residual in eps |T| sqrt n, and of an entry of E from which on Z (I - E / 2) is not tried.
constexpr int largest_residual = 8;
constexpr double largest_defect = 0.01;
constexpr int max_corrections = 3;

template <class R>
few::Kernels<R> kernels_of_width() {
  return EIGEN_G_OF_WIDTH(few_kernels<R>)();
}

// The pairs first ... first + count - 1 that are computed together.
struct Bundle {
  std::int64_t first;
  std::int32_t count;
};

// Empty if a group does not fit in a bundle.
template <class R>
std::vector<Bundle> bundles_of(const R* values, std::int64_t count) {
  const R close = std::sqrt(eps<R>);
  std::vector<Bundle> bundles;
  for (std::int64_t first = 0, end = 0; first < count; first = end) {
    for (end = first + 1; end < count && values[end] - values[end - 1] < close;) ++end;
    const auto size = static_cast<std::int32_t>(end - first);
    if (size > few::bundle<R>) return {};
    if (bundles.empty() || bundles.back().count + size > few::bundle<R>)
      bundles.push_back({first, size});
    else
      bundles.back().count += size;
  }
  return bundles;
}

template <class R>
void raise(std::atomic<R>& largest, R x) {
  R seen = largest;
  while (!std::isnan(seen) && !(x <= seen) && !largest.compare_exchange_weak(seen, x)) {
  }
}

template <class R>
std::int64_t bundle_size(std::int64_t n) {
  return n * few::bundle_memory<R>;
}
// Bundles that have memory at the same time. Their memory is then less than a matrix.
template <class R>
std::int64_t max_bundles(std::int64_t n) {
  return n / (few::bundle_memory<R> + 8) + 1;
}
template <class R>
std::int64_t scratch_size(std::int64_t n, std::int64_t count) {
  return std::max(max_bundles<R>(n) * bundle_size<R>(n), n * count);
}

}  // namespace

template <class R>
std::uint64_t inverse_iteration_bytes(std::int64_t n, std::int64_t count) {
  return bytes_taken([&](Arena& arena) { arena.take<R>(scratch_size<R>(n, count)); });
}

template <class R>
bool inverse_iteration(std::int64_t n, const R* d, const same_t<R>* e, const same_t<R>* values,
                       MatrixView<same_t<R>> z, Arena scratch, int threads) {
  const std::int64_t count = z.cols;
  const auto rows = static_cast<std::int32_t>(n);
  const few::Kernels<R> kernels = kernels_of_width<R>();
  const std::vector<Bundle> bundles = bundles_of(values, count);
  if (bundles.empty()) return count == 0;
  R* const memory = scratch.take<R>(scratch_size<R>(n, count));

  const auto solve = [&](const Bundle& b, R* own) {
    std::int32_t group[few::bundle<R>] = {};
    for (std::int32_t c = 1; c < b.count; ++c)
      group[c] = values[b.first + c] - values[b.first + c - 1] < std::sqrt(eps<R>) ? group[c - 1] : c;
    kernels.iterate(rows, d, e, b.count, values + b.first, group, own);
    for (std::int32_t c = 0; c < b.count; ++c)
      for (std::int64_t i = 0; i < n; ++i) z(i, b.first + c) = own[i * few::bundle<R> + c];
  };
  const auto all = static_cast<std::int64_t>(bundles.size());
  for (std::int64_t first = 0; first < all; first += max_bundles<R>(n))
    for_each(std::min(max_bundles<R>(n), all - first), threads, [&](std::int64_t k) {
      solve(bundles[static_cast<std::size_t>(first + k)], memory + k * bundle_size<R>(n));
    });

  // The values that are closer than `window` to value j and below it begin at first_of(j).
  const R window = 4 / static_cast<R>(n);
  const auto first_of = [&](std::int64_t j) {
    return std::lower_bound(values, values + j, values[j] - window) - values;
  };
  for (int correction = 0; correction < max_corrections; ++correction) {
    std::atomic<R> defect{0};
    // New columns in `memory`; the products of a pair are formed for both of its columns.
    for_each(count, threads, [&](std::int64_t j) {
      const std::int64_t end = std::upper_bound(values + j, values + count, values[j] + window) - values;
      R* const to = memory + j * n;
      std::copy_n(&z(0, j), n, to);
      for (std::int64_t i = first_of(j); i < end; ++i) {
        const R entry = kernels.dot(rows, &z(0, std::min(i, j)), &z(0, std::max(i, j))) - (i == j);
        raise(defect, std::fabs(entry));
        kernels.add(rows, entry / -2, &z(0, i), to);
      }
    });
    if (!(defect <= R(largest_defect))) return false;
    for_each(count, threads, [&](std::int64_t j) { std::copy_n(memory + j * n, n, &z(0, j)); });
    if (defect * defect < eps<R> / 8) break;
  }

  std::atomic<R> residual{0};
  for_each(count, threads, [&](std::int64_t j) {
    const R* const x = &z(0, j);
    R squares = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const R r = (d[i] - values[j]) * x[i] + (i > 0 ? e[i - 1] * x[i - 1] : R(0)) +
                  (i + 1 < n ? e[i] * x[i + 1] : R(0));
      squares += r * r;
    }
    raise(residual, squares);
  });
  return std::sqrt(residual) <= largest_residual * eps<R> * std::sqrt(static_cast<R>(n));
}

EIGEN_G_INSTANTIATE(real_types, inverse_iteration, inverse_iteration_bytes);

}  // namespace eigen_g
