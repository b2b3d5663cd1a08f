// check_input() on the CPU.
#include "solver/prepare/check_input.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <mutex>

#include "hybrid/error.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/team/loops.hpp"

namespace eigen_g {

namespace {

template <class T>
real_t<T> largest_part(T x) {
  if constexpr (is_complex<T>)
    return std::max(std::fabs(x.real()), std::fabs(x.imag()));
  else
    return std::fabs(x);
}
// NaN if x or a part of x is not finite, else 0.
template <class T>
real_t<T> poison_of(T x) {
  if constexpr (is_complex<T>)
    return 0 * x.real() + 0 * x.imag();
  else
    return 0 * x;
}

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
  for_ranges(n, threads_if(n >= smallest_parallel_order), [&](std::int64_t begin, std::int64_t end) {
    R own_largest = 0;
    std::int64_t own_bad = std::numeric_limits<std::int64_t>::max();
    for (std::int64_t j = begin; j < end; ++j) {
      const T* column = &a(0, j);
      R column_largest = 0;
      R poison = 0;
      for (std::int64_t i = first_row(j); i < last_row(j); ++i) {
        column_largest = std::max(column_largest, largest_part(column[i]));
        poison += poison_of(column[i]);
      }
      own_largest = std::max(own_largest, column_largest);
      if (poison != 0) own_bad = std::min(own_bad, j);
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
