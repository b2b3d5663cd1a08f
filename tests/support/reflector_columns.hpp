// The result of a reduction to tridiagonal form whose reflectors are in the columns of A, with poisoned memory before, and its checks.
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "hybrid/parts.hpp"
#include "tests/support/reduction.hpp"

namespace support::reduction {

// The type of the truth for the host's T.
template <class T>
using Truth = std::conditional_t<eigen_g::is_complex<T>, std::complex<double>, double>;

template <class T>
struct ReflectorColumns {
  std::int64_t n, lda;
  std::vector<eigen_g::real_t<T>> d, e;
  std::vector<T> tau, a;  // lda x n

  // A's lower triangle. Everything else is NaN.
  ReflectorColumns(const std::vector<Truth<T>>& lower, std::int64_t order)
      : n(order),
        lda(n + 3),
        d(static_cast<std::size_t>(n), nan),
        e(d),
        tau(static_cast<std::size_t>(n), T(nan)),
        a(static_cast<std::size_t>(lda * n), T(nan)) {
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = j; i < n; ++i)
        at(i, j) = static_cast<T>(lower[static_cast<std::size_t>(i + j * n)]);
  }
  bool operator==(const ReflectorColumns&) const = default;

  T& at(std::int64_t i, std::int64_t j) { return a[static_cast<std::size_t>(i + j * lda)]; }

  // After the reduction: requires that nothing but d, e, tau and the reflectors is written, and zeros above them if `cleared`. Then
  // replaces the other entries by zeros, so that results can be compared.
  void check_written(bool cleared) {
    const auto take = [](auto& x) {
      const bool untouched = std::isnan(std::real(x));
      x = 0;
      return untouched;
    };
    CHECK(take(e.back()));
    CHECK(take(tau.back()));
    bool zeros = true, untouched = true;
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < lda; ++i) {
        if (i >= n || (!cleared && i < j))
          untouched = take(at(i, j)) && untouched;
        else if (cleared && i <= j)
          zeros = zeros && at(i, j) == T(0);
        else if (i == j)
          at(i, j) = 0;
      }
    CHECK(zeros);
    CHECK(untouched);
  }

  // A = Q T Q^H and Q^H Q = I, with Q = H_1 H_2 ... H_{n - 1}. Q and the products are formed in long double: if all entries of A are
  // equal, the rounding errors of products in double are nearly equal, too, and their sum is larger than the errors of Q.
  void check_ratios(const std::vector<Truth<T>>& of_a) const {
    using W = std::conditional_t<eigen_g::is_complex<T>, std::complex<long double>, long double>;
    std::vector<W> q = identity<W>(n);
    for (std::int64_t k = n - 2; k >= 0; --k) {
      const T* const v = &a[static_cast<std::size_t>(k * lda)];
      CHECK(v[k + 1] == T(1));
      for (std::int64_t j = k + 1; j < n; ++j) {
        W* const z = &q[static_cast<std::size_t>(j * n)];
        W sum = 0;
        for (std::int64_t i = k + 1; i < n; ++i) sum += W(eigen_g::conjugate(v[i])) * z[i];
        sum *= W(tau[static_cast<std::size_t>(k)]);
        for (std::int64_t i = k + 1; i < n; ++i) z[i] -= sum * W(v[i]);
      }
    }
    const ReductionOf<W> r{{d.begin(), d.end()}, {e.begin(), e.end() - 1}, q};
    const auto [backward, orthogonality] = ratios(std::vector<W>(of_a.begin(), of_a.end()), n, r);
    CAPTURE(backward, orthogonality);
    const double of_order = n < 60 ? limits::reduction : limits::reduction_random;
    const double limit = of_order * (std::numeric_limits<eigen_g::real_t<T>>::epsilon() / limits::ulp);
    CHECK(backward < limit);
    CHECK(orthogonality < limit);
  }

 private:
  static constexpr eigen_g::real_t<T> nan = std::numeric_limits<eigen_g::real_t<T>>::quiet_NaN();
};

}  // namespace support::reduction
