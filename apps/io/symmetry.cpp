#include "apps/io/symmetry.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <complex>
#include <limits>
#include <utility>
#include <vector>

#include "apps/io/text_chunks.hpp"
#include "hybrid/instantiate.hpp"

namespace eigen_g::io {

namespace {

// A tile and its mirror image fit in the first-level cache, so that the strided reads of the mirror image hit the cache.
constexpr std::int64_t tile = 32;

// Calls visit(i, j) for each pair i >= j with j in the block of columns from j0, tile by tile.
template <class Visit>
void for_pairs_of_block(std::int64_t n, std::int64_t j0, Visit visit) {
  const std::int64_t j1 = std::min(j0 + tile, n);
  for (std::int64_t i0 = j0; i0 < n; i0 += tile) {
    const std::int64_t i1 = std::min(i0 + tile, n);
    for (std::int64_t j = j0; j < j1; ++j)
      for (std::int64_t i = std::max(i0, j); i < i1; ++i) visit(i, j);
  }
}

bool earlier(const Asymmetry& x, const Asymmetry& y) {
  return std::pair(x.col, x.row) < std::pair(y.col, y.row);
}

void merge(Asymmetry& sum, const Asymmetry& part) {
  sum.largest_entry = std::max(sum.largest_entry, part.largest_entry);
  sum.lower_finite = sum.lower_finite && part.lower_finite;
  sum.upper_finite = sum.upper_finite && part.upper_finite;
  if (part.largest > sum.largest || (part.largest == sum.largest && part.largest > 0 && earlier(part, sum))) {
    sum.largest = part.largest;
    sum.row = part.row;
    sum.col = part.col;
  }
}

template <class T>
bool is_finite(T x) {
  return std::isfinite(std::real(x)) && std::isfinite(std::imag(x));
}

template <class T>
Asymmetry compare_block(const T* a, std::int64_t n, std::int64_t j0) {
  Asymmetry found;
  for_pairs_of_block(n, j0, [&](std::int64_t i, std::int64_t j) {
    const T lower = a[i + j * n], upper = mirrored(a[j + i * n]);
    // Halves are subtracted, because the difference of the entries themselves may overflow.
    constexpr real_t<T> part = real_t<T>(0.5);
    const double half = std::abs(part * lower - part * upper);
    if (!std::isfinite(half)) {
      found.lower_finite = found.lower_finite && is_finite(lower);
      found.upper_finite = found.upper_finite && (i == j || is_finite(upper));
      return;
    }
    const double larger = std::max(std::abs(lower), std::abs(upper));
    if (larger > found.largest_entry) found.largest_entry = larger;
    if (half > 0 && half >= found.largest) {
      const bool first = half > found.largest || std::pair(j, i) < std::pair(found.col, found.row);
      found.largest = half;
      if (first) {
        found.row = i;
        found.col = j;
      }
    }
  });
  return found;
}

template <class R>
std::string number(R value) {
  std::array<char, 32> digits;
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  return {digits.data(), end};
}
template <class R>
std::string number(std::complex<R> value) {
  return number(value.real()) + (std::signbit(value.imag()) ? "" : "+") + number(value.imag()) + "i";
}

}  // namespace

template <class T>
FileError not_symmetric(const std::filesystem::path& path, std::int64_t row, std::int64_t col, T below,
                        T above, double limit) {
  const std::string i = std::to_string(row + 1), j = std::to_string(col + 1);
  const std::string kind = is_complex<T> ? "Hermitian" : "symmetric", adjoint = is_complex<T> ? "A^H" : "A^T";
  if (row == col)
    return {path, 0, "is not " + kind + ": entry (" + i + ", " + i + ") on the diagonal is " + number(below)};
  return {path, 0,
          "is not " + kind + ": entry (" + i + ", " + j + ") is " + number(below) + ", entry (" + j + ", " +
              i + ") is " + number(above) + "; " +
              (is_complex<T> ? "one differs from the other's conjugate" : "they differ") +
              " by more than n eps max|a| = " + number(limit) + "; --symmetrize takes (A + " + adjoint +
              ")/2, --uplo L or U one triangle"};
}

template <class T>
Asymmetry compare_triangles(const T* a, std::int64_t n, int threads) {
  const std::int64_t blocks = (n + tile - 1) / tile;
  Asymmetry sum;
#pragma omp parallel num_threads(thread_count(threads)) if (blocks > 4)
  {
    Asymmetry own;
#pragma omp for schedule(dynamic, 4)
    for (std::int64_t b = 0; b < blocks; ++b) merge(own, compare_block(a, n, b * tile));
#pragma omp critical
    merge(sum, own);
  }
  sum.largest *= 2;
  return sum;
}

template <class T>
void symmetrize(const T* a, std::int64_t n, T* out, int threads) {
  const std::int64_t blocks = (n + tile - 1) / tile;
#pragma omp parallel for schedule(dynamic, 4) num_threads(thread_count(threads)) if (blocks > 4)
  for (std::int64_t b = 0; b < blocks; ++b)
    for_pairs_of_block(n, b * tile, [&](std::int64_t i, std::int64_t j) {
      constexpr real_t<T> half = real_t<T>(0.5);
      const T lower = a[i + j * n], upper = mirrored(a[j + i * n]);
      out[i + j * n] = lower == upper ? lower : half * lower + half * upper;
    });
}

template <class T>
HermitianMatrix<T> settle_triangle(const std::filesystem::path& path, Stored<T> stored, Triangle triangle,
                                   int threads) {
  HermitianMatrix<T> m;
  m.n = stored.n;
  m.lda = std::max<std::int64_t>(1, stored.n);
  m.transposed = stored.transposed;
  if (stored.full && triangle == Triangle::symmetrize) {
    m.asymmetry = compare_triangles(stored.data, m.n, threads).largest;
    if (!stored.writable) {
      stored.writable = allocate_matrix<T>(m.n, m.n);
      symmetrize(stored.data, m.n, stored.writable.get(), threads);
      stored.data = stored.writable.get();
      stored.owner = stored.writable;
    } else {
      symmetrize(stored.data, m.n, stored.writable.get(), threads);
    }
  } else if (stored.full && triangle == Triangle::automatic) {
    const Asymmetry found = compare_triangles(stored.data, m.n, threads);
    const double limit =
        static_cast<double>(m.n) * std::numeric_limits<real_t<T>>::epsilon() * found.largest_entry;
    if (found.largest > limit) {
      // The message names the entries as the file has them, the one below the diagonal first.
      const T below = stored.data[found.row + found.col * m.n],
              above = stored.data[found.col + found.row * m.n];
      throw not_symmetric(path, found.row, found.col, stored.transposed ? above : below,
                          stored.transposed ? below : above, limit);
    }
    m.asymmetry = found.largest;
    m.uplo = found.lower_finite && !found.upper_finite ? Uplo::upper : Uplo::lower;
  } else if (stored.full) {
    m.uplo = (triangle == Triangle::lower) != stored.transposed ? Uplo::lower : Uplo::upper;
  }
  m.data = stored.data;
  m.owner = std::move(stored.owner);
  m.format_name = std::move(stored.format_name);
  return m;
}

EIGEN_G_INSTANTIATE(all_types, not_symmetric, compare_triangles, symmetrize, settle_triangle);

}  // namespace eigen_g::io
