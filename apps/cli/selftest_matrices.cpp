#include "apps/cli/selftest_matrices.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

#include "apps/generate/hermitian.hpp"
#include "apps/generate/matrices.hpp"
#include "hybrid/error.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/scalar.hpp"

namespace eigen_g::apps {

namespace {

using Complex = std::complex<double>;
template <class T>
using Wide = std::conditional_t<is_complex<T>, Complex, double>;
template <class T>
using Unit = std::numeric_limits<real_t<T>>;

template <class T>
constexpr double ulp = Unit<T>::epsilon();

// The entries in double, as generate::fill() computes them.
template <class T>
std::vector<Wide<T>> entries(const generate::Spec& spec) {
  std::vector<Wide<T>> a(static_cast<std::size_t>(spec.n * spec.n));
  generate::fill(spec, a.data(), std::max<std::int64_t>(1, spec.n));
  return a;
}

template <class T>
SelftestMatrix<T> rounded(const std::vector<Wide<T>>& a, std::optional<std::vector<double>> exact) {
  SelftestMatrix<T> m{std::vector<T>(a.size()), std::move(exact)};
  std::transform(a.begin(), a.end(), m.a.begin(), [](Wide<T> x) { return static_cast<T>(x); });
  return m;
}

template <class T>
SelftestMatrix<T> generated(const generate::Spec& spec) {
  return rounded<T>(entries<T>(spec), generate::exact(spec));
}

enum class Scaling { none, huge, tiny };

// LAPACK's scalings: sqrt(overflow) ulp / n and sqrt(underflow) n / ulp.
template <class T>
double factor(Scaling scaling, std::int64_t n) {
  const double order = static_cast<double>(std::max<std::int64_t>(1, n));
  return scaling == Scaling::huge   ? std::sqrt(double{Unit<T>::max()}) * ulp<T> / order
         : scaling == Scaling::tiny ? std::sqrt(double{Unit<T>::min()}) * order / ulp<T>
                                    : 1;
}

// A family of ddrvst, by LAPACK's type number.
template <class T>
SelftestFamily<T> lapack_type(int type, const char* kind, bool rotate, Scaling scaling) {
  return {"lapack " + std::to_string(type) + " " + kind + (rotate ? "" : " diagonal"),
          [=](std::int64_t n) -> std::optional<SelftestMatrix<T>> {
            generate::Spec spec;
            spec.kind = kind;
            spec.n = n;
            spec.seed = static_cast<std::uint64_t>(1000 * type + n);
            spec.cond = 1 / ulp<T>;
            spec.random_signs = true;
            spec.rotate = rotate;
            spec.scale = factor<T>(scaling, n);
            return generated<T>(spec);
          }};
}

// A band of a uniform random matrix; the bandwidth depends on n.
template <class T>
SelftestFamily<T> band(int type, Scaling scaling) {
  return {"lapack " + std::to_string(type) + " band",
          [=](std::int64_t n) -> std::optional<SelftestMatrix<T>> {
            generate::Spec spec;
            spec.kind = "uniform";
            spec.n = n;
            spec.scale = factor<T>(scaling, n);
            SelftestMatrix<T> m = generated<T>(spec);
            for (std::int64_t j = 0; j < n; ++j)
              for (std::int64_t i = 0; i < n; ++i)
                if (std::abs(i - j) > n % 7 + n / 10) m.a[static_cast<std::size_t>(i + j * n)] = 0;
            return m;
          }};
}

// A spectrum rotated by a random orthogonal or unitary matrix. value(i, n, ulp) is the i-th eigenvalue, i from 1.
template <class T>
SelftestFamily<T> spectrum(const char* name, double (*value)(double i, double n, double ulp)) {
  return {name, [=](std::int64_t n) -> std::optional<SelftestMatrix<T>> {
            generate::Spec spec;
            spec.kind = "values";
            spec.n = n;
            for (std::int64_t i = 1; i <= n; ++i)
              spec.values.push_back(value(static_cast<double>(i), static_cast<double>(n), ulp<T>));
            return generated<T>(spec);
          }};
}

template <class T>
SelftestFamily<T> closed_form(const char* kind) {
  return {kind, [=](std::int64_t n) -> std::optional<SelftestMatrix<T>> {
            generate::Spec spec;
            spec.kind = kind;
            spec.n = n;
            try {
              generate::check_spec(spec);
            } catch (const InvalidArgument&) {
              return std::nullopt;  // the kind has no matrix of this order
            }
            std::vector<Wide<T>> a = entries<T>(spec);
            if constexpr (is_complex<T>)
              for (std::int64_t j = 0; j < n; ++j)
                for (std::int64_t i = 0; i < n; ++i)
                  a[static_cast<std::size_t>(i + j * n)] *=
                      std::polar(1.0, static_cast<double>(i * i - j * j));
            return rounded<T>(a, generate::exact(spec));
          }};
}

// A matrix with few different entries, from a formula for the lower triangle. Real T takes the real part.
template <class T>
SelftestFamily<T> equal_entries(const char* name,
                                Complex (*entry)(std::int64_t, std::int64_t, std::int64_t)) {
  return {name, [=](std::int64_t n) -> std::optional<SelftestMatrix<T>> {
            SelftestMatrix<T> m{std::vector<T>(static_cast<std::size_t>(n * n)), std::nullopt};
            for (std::int64_t j = 0; j < n; ++j)
              for (std::int64_t i = j; i < n; ++i) {
                const Complex x = entry(i, j, n);
                T &below = m.a[static_cast<std::size_t>(i + j * n)],
                  &above = m.a[static_cast<std::size_t>(j + i * n)];
                if constexpr (is_complex<T>) {
                  below = static_cast<T>(x);
                  above = std::conj(below);
                } else {
                  below = above = static_cast<T>(x.real());
                }
              }
            return m;
          }};
}

}  // namespace

template <class T>
std::vector<SelftestFamily<T>> selftest_families() {
  std::vector<SelftestFamily<T>> list{
      lapack_type<T>(1, "zero", true, Scaling::none),
      lapack_type<T>(2, "identity", true, Scaling::none),
      lapack_type<T>(3, "arithmetic", false, Scaling::none),
      lapack_type<T>(4, "geometric", false, Scaling::none),
      lapack_type<T>(5, "clustered", false, Scaling::none),
      lapack_type<T>(6, "geometric", false, Scaling::huge),
      lapack_type<T>(7, "geometric", false, Scaling::tiny),
      lapack_type<T>(8, "arithmetic", true, Scaling::none),
      lapack_type<T>(9, "geometric", true, Scaling::none),
      lapack_type<T>(10, "clustered", true, Scaling::none),
      lapack_type<T>(11, "arithmetic", true, Scaling::huge),
      lapack_type<T>(12, "arithmetic", true, Scaling::tiny),
      lapack_type<T>(13, "uniform", true, Scaling::none),
      lapack_type<T>(14, "uniform", true, Scaling::huge),
      lapack_type<T>(15, "uniform", true, Scaling::tiny),
      band<T>(16, Scaling::none),
      band<T>(17, Scaling::huge),
      band<T>(18, Scaling::tiny),
      spectrum<T>("stetester 7: ulp i, 1",
                  [](double i, double n, double ulp) { return i < n ? ulp * i : 1; }),
      spectrum<T>("stetester 8: 1 + sqrt(ulp) i",
                  [](double i, double n, double ulp) {
                    return i == 1 ? ulp : i == n ? 2 : 1 + std::sqrt(ulp) * (i - 1);
                  }),
      spectrum<T>("stetester 9: 1 + 100 ulp i",
                  [](double i, double, double ulp) { return 1 + 100 * ulp * (i - 1); })};
  for (const char* kind : {"random", "minij", "1-2-1", "clement", "wilkinson", "glued-wilkinson", "kms",
                           "poisson2d", "hueckel-ring"})
    list.push_back(closed_form<T>(kind));
  if constexpr (is_complex<T>)
    for (const generate::Kind& kind : generate::hermitian_kinds())
      list.push_back(closed_form<T>(kind.name.data()));
  list.push_back(
      equal_entries<T>("ones", [](std::int64_t, std::int64_t, std::int64_t) { return Complex(1); }));
  list.push_back(equal_entries<T>("two blocks", [](std::int64_t i, std::int64_t j, std::int64_t n) {
    return Complex((2 * i < n) == (2 * j < n) ? 3.0 : 0.1);
  }));
  list.push_back(
      equal_entries<T>("constant, other diagonal", [](std::int64_t i, std::int64_t j, std::int64_t) {
        return i == j ? Complex(0.7) : Complex(0.1, 0.05);
      }));
  return list;
}

EIGEN_G_INSTANTIATE(all_types, selftest_families);

}  // namespace eigen_g::apps
