// check_input() on the CPU.
#include "solver/prepare/check_input.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <mutex>
#include <numeric>

#include "hybrid/error.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/team/loops.hpp"
#include "hybrid/team/team.hpp"

namespace eigen_g {

namespace {

// The largest absolute value, and whether all values are finite: else a value of `poison` is NaN. There are several sums at a time, because
// each addition to a single sum would wait for the one before.
template <class R>
struct Extent {
  static constexpr int ways = 8;
  R largest[ways] = {}, poison[ways] = {};

  void add(const R* x, std::int64_t count) {
    std::int64_t i = 0;
    for (; i + ways <= count; i += ways)
      for (int k = 0; k < ways; ++k) take(k, x[i + k]);
    for (; i < count; ++i) take(0, x[i]);
  }
  R max() const { return *std::max_element(largest, largest + ways); }
  bool finite() const { return std::accumulate(poison, poison + ways, R(0)) == 0; }

 private:
  void take(int k, R x) {
    const R size = std::fabs(x);
    largest[k] = size > largest[k] ? size : largest[k];
    poison[k] += 0 * x;
  }
};

}  // namespace

template <class T>
real_t<T> check_input(Uplo uplo, MatrixView<const T> a, Argument name) {
  using R = real_t<T>;
  const std::int64_t n = a.rows;
  const auto first_row = [&](std::int64_t j) { return uplo == Uplo::lower ? j : 0; };
  const auto last_row = [&](std::int64_t j) { return uplo == Uplo::lower ? n : j + 1; };

  R largest = 0;
  std::int64_t bad_column = std::numeric_limits<std::int64_t>::max();
  std::mutex summing;
  for_ranges(n, team_threads(n), [&](std::int64_t begin, std::int64_t end) {
    R own_largest = 0;
    std::int64_t own_bad = std::numeric_limits<std::int64_t>::max();
    for (std::int64_t j = begin; j < end; ++j) {
      Extent<R> column;
      column.add(reinterpret_cast<const R*>(&a(first_row(j), j)),
                 (last_row(j) - first_row(j)) * (is_complex<T> ? 2 : 1));
      own_largest = std::max(own_largest, column.max());
      if (!column.finite()) own_bad = std::min(own_bad, j);
    }
    const std::lock_guard lock(summing);
    largest = std::max(largest, own_largest);
    bad_column = std::min(bad_column, own_bad);
  });
  if (bad_column < n)
    for (std::int64_t i = first_row(bad_column); i < last_row(bad_column); ++i)
      for (const R part : {std::real(a(i, bad_column)), std::imag(a(i, bad_column))})
        if (!std::isfinite(part)) throw NonFiniteEntry(i, bad_column, part, eigen_g::name(name));
  return largest;
}

EIGEN_G_INSTANTIATE_OVERLOAD(all_types, check_input, real_t<T>(Uplo, MatrixView<const T>, Argument));

}  // namespace eigen_g
