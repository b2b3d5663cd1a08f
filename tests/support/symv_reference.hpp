// The truth of y := alpha A x + beta y on the CPU, in wider arithmetic than the type's.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "blas2/symv/double_double.hpp"
#include "hybrid/uplo.hpp"

namespace support {

__extension__ typedef __float128 Quad;

// u: unit roundoff of the type (W: as claimed, 104 bits); a complex multiply-add counts 2 sqrt(2) of them.
template <class T>
struct SymvNumber {
  using Wide = long double;
  static constexpr double u = sizeof(T) == 4 ? 0x1p-24 : 0x1p-53;
  static constexpr bool hermitian = false;
  static Wide real(const T& v) { return v; }
  static Wide imag(const T&) { return 0; }
  static T make(double re, double, double) { return static_cast<T>(re); }
};
template <class R>
struct SymvNumber<std::complex<R>> {
  using Wide = long double;
  static constexpr double u = 2.83 * SymvNumber<R>::u;
  static constexpr bool hermitian = true;
  static Wide real(const std::complex<R>& v) { return v.real(); }
  static Wide imag(const std::complex<R>& v) { return v.imag(); }
  static std::complex<R> make(double re, double im, double) {
    return {static_cast<R>(re), static_cast<R>(im)};
  }
};
template <>
struct SymvNumber<eigen_g::blas2::DoubleDouble> {
  using Wide = Quad;
  static constexpr double u = 0x1p-104;
  static constexpr bool hermitian = false;
  static Wide real(const eigen_g::blas2::DoubleDouble& v) { return static_cast<Wide>(v.hi) + v.lo; }
  static Wide imag(const eigen_g::blas2::DoubleDouble&) { return 0; }
  static eigen_g::blas2::DoubleDouble make(double re, double, double low) {
    return eigen_g::blas2::two_sum(re, re * low * 0x1p-53);
  }
};

template <class Wide>
double symv_size(Wide re, Wide im) {
  const auto r = static_cast<double>(re), i = static_cast<double>(im);
  return i == 0 ? std::abs(r) : std::hypot(r, i);
}

// A, x, y of order n with contiguous columns. The other triangle of A and the imaginary parts of a Hermitian diagonal are NaN. t
// = A x and s = |A| |x|.
template <class T>
struct SymvProblem {
  using Number = SymvNumber<T>;
  using Wide = typename Number::Wide;
  eigen_g::Uplo uplo;
  std::int64_t n;
  std::vector<T> a, x, y;
  std::vector<Wide> t_real, t_imag;
  std::vector<double> s;

  // Entries are random in (-1, 1); the entries of A are multiplied by scale(i) scale(j).
  template <class Scale>
  SymvProblem(eigen_g::Uplo triangle, std::int64_t order, unsigned seed, Scale&& scale)
      : uplo(triangle),
        n(order),
        a(index(order * order)),
        x(index(order)),
        y(index(order)),
        t_real(index(order)),
        t_imag(index(order)),
        s(index(order)) {
    std::mt19937_64 engine(seed);
    const auto uniform = [&] { return static_cast<double>(engine() >> 11) * 0x1p-52 - 1; };
    const auto number = [&](double factor) {
      const double re = uniform(), im = uniform(), low = uniform();
      return Number::make(re * factor, im * factor, low);
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < n; ++i) {
        T& entry = a[index(i + j * n)];
        entry = stored(i, j) ? number(scale(i) * scale(j)) : Number::make(nan, nan, 0);
        if (i == j && Number::hermitian)
          entry = Number::make(static_cast<double>(Number::real(entry)), nan, 0);
      }
    for (T& v : x) v = number(1);
    for (T& v : y) v = number(1);
    multiply();
  }
  SymvProblem(eigen_g::Uplo triangle, std::int64_t order, unsigned seed)
      : SymvProblem(triangle, order, seed, [](std::int64_t) { return 1.0; }) {}

  bool stored(std::int64_t i, std::int64_t j) const { return uplo == eigen_g::Uplo::lower ? i >= j : i <= j; }

 private:
  static std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

  void multiply() {
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = uplo == eigen_g::Uplo::lower ? j : 0;
           i < (uplo == eigen_g::Uplo::lower ? n : j + 1); ++i) {
        const T& entry = a[index(i + j * n)];
        const Wide im = i == j ? Wide(0) : Number::imag(entry);
        add(i, j, Number::real(entry), im);
        if (i != j) add(j, i, Number::real(entry), -im);
      }
  }
  void add(std::int64_t i, std::int64_t j, Wide re, Wide im) {
    const Wide xr = Number::real(x[index(j)]), xi = Number::imag(x[index(j)]);
    t_real[index(i)] += re * xr;
    if constexpr (Number::hermitian) {
      t_real[index(i)] -= im * xi;
      t_imag[index(i)] += re * xi + im * xr;
    }
    s[index(i)] += symv_size(re, im) * symv_size(xr, xi);
  }
};

//   max_i |y_i - (alpha t_i + beta y0_i)| / (u sqrt(n + 2) (|alpha| s_i + |beta| |y0_i|)),
// the norm bound of BLAS++'s check_gemm for each row; infinite if y has a NaN. y0 = null: beta = 0.
template <class T>
double symv_error(const SymvProblem<T>& problem, const T& alpha, const T& beta, const T* y0, const T* y) {
  using Number = SymvNumber<T>;
  using Wide = typename Number::Wide;
  const Wide ar = Number::real(alpha), ai = Number::imag(alpha), br = Number::real(beta),
             bi = Number::imag(beta);
  double worst = 0;
  for (std::int64_t i = 0; i < problem.n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Wide zr = y0 ? Number::real(y0[k]) : Wide(0), zi = y0 ? Number::imag(y0[k]) : Wide(0);
    const Wide tr = problem.t_real[k], ti = problem.t_imag[k];
    const Wide re = ar * tr - ai * ti + br * zr - bi * zi, im = ar * ti + ai * tr + br * zi + bi * zr;
    const double error = symv_size(Number::real(y[k]) - re, Number::imag(y[k]) - im);
    const double bound =
        Number::u * std::sqrt(static_cast<double>(problem.n) + 2) *
        (symv_size(ar, ai) * problem.s[k] + (y0 ? symv_size(br, bi) * symv_size(zr, zi) : 0));
    const double ratio = error == 0 ? 0 : error / bound;
    worst = ratio <= worst ? worst : ratio == ratio ? ratio : std::numeric_limits<double>::infinity();
  }
  return worst;
}

}  // namespace support
