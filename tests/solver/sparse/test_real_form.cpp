// Sparse problems of float and complex type, which are solved in their real form.
#include <algorithm>
#include <complex>
#include <limits>
#include <numbers>
#include <random>

#include "solver/api/eigen_g.hpp"
#include "solver/api/sparse.h"
#include "solver/api/sparse.hpp"
#include "solver/verify/verify.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/pencils.hpp"

using namespace eigen_g;
using Catch::Matchers::WithinRel;

namespace {

#define SKIP_WITHOUT_FACTORS() \
  if (!available(FactorLibrary::automatic)) SKIP_TEST("no library factorises sparse matrices")

// A pencil D^H K D, D^H M D of a box with unitary diagonal D: it has the eigenvalues of the box.
template <class T>
struct Turned {
  support::PencilCase box = support::box(9, 8, 0, 1.0, std::numbers::sqrt2);
  std::vector<T> k, m, phase;
  Turned() {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> angle(0, 2 * std::numbers::pi);
    for (std::int64_t i = 0; i < box.n(); ++i) {
      if constexpr (is_complex<T>)
        phase.push_back(T(std::polar(1.0, angle(random))));
      else
        phase.push_back(random() % 2 ? T(1) : T(-1));
    }
    k = turned(box.k);
    m = turned(box.m);
  }
  std::vector<T> turned(const support::Csr& a) const {
    std::vector<T> values;
    for (std::int64_t i = 0; i < a.n; ++i)
      for (std::int64_t p = a.offsets[i]; p < a.offsets[i + 1]; ++p)
        values.push_back(conjugate(phase[i]) * static_cast<T>(static_cast<real_t<T>>(a.value[p])) *
                         phase[a.column[p]]);
    return values;
  }
  static T conjugate(T x) {
    if constexpr (is_complex<T>)
      return std::conj(x);
    else
      return x;
  }
  std::int64_t n() const { return box.n(); }
  CsrMatrix<T> k_rows() const { return {n(), box.k.offsets.data(), box.k.column.data(), k.data()}; }
  SparseMass<T> mass() const { return {{n(), box.m.offsets.data(), box.m.column.data(), m.data()}, nullptr}; }
};

template <class T>
constexpr double accuracy = std::is_same_v<real_t<T>, float> ? 2e-5 : 1e-10;

}  // namespace

TEMPLATE_TEST_CASE("Pencils of every type: the lowest pairs, pairs next to a target, counts and an interval",
                   "", float, std::complex<float>, std::complex<double>) {
  SKIP_WITHOUT_FACTORS();
  using T = TestType;
  const Turned<T> a;
  const std::int64_t n = a.n(), ldz = n + 3;
  const std::vector<double>& exact = a.box.values;
  SparseSolver<T> solver(a.k_rows(), a.mass());
  CHECK(solver.order() == n);
  for (const End end : {End::lowest, End::highest, End::above, End::below, End::both}) {
    for (const std::int64_t count : {1, 4, 7}) {
      CAPTURE(static_cast<int>(end), count);
      FewOptions options;
      options.count = count;
      options.end = end;
      options.target = exact[30] + 0.4 * (exact[31] - exact[30]);
      const auto first = static_cast<std::size_t>(end == End::lowest    ? 0
                                                  : end == End::highest ? n - count
                                                  : end == End::above   ? 31
                                                  : end == End::below   ? 31 - count
                                                                        : 31 - count / 2);
      const real_t<T> nan = std::numeric_limits<real_t<T>>::quiet_NaN();
      std::vector<real_t<T>> w(static_cast<std::size_t>(count), nan);
      std::vector<T> z(static_cast<std::size_t>(count * ldz), T(nan));
      const FewReport report = solver.solve(options, w.data(), z.data(), ldz);
      CHECK(report.status == Status::converged);
      CHECK(report.proven);
      REQUIRE(report.m == count);
      CHECK(report.residuals.size() == static_cast<std::size_t>(count));
      for (std::size_t j = 0; j < w.size(); ++j)
        CHECK_THAT(static_cast<double>(w[j]), WithinRel(exact[first + j], accuracy<T>));
      const Verification v = verify(a.k_rows(), a.mass(), count, w.data(), z.data(), ldz);
      CAPTURE(v.lapack_residual, v.lapack_orthogonality);
      CHECK(passed(v));
      z[1] = -z[1] + T(1);
      CHECK_FALSE(passed(verify(a.k_rows(), a.mass(), count, w.data(), z.data(), ldz)));
    }
  }
  CHECK(solver.count((exact[4] + exact[5]) / 2).below == 5);
  std::vector<real_t<T>> w;
  std::vector<T> z;
  const double low = (exact[3] + exact[4]) / 2, high = (exact[40] + exact[41]) / 2;
  const IntervalReport report = solver.interval(low, high, 0, w, &z);
  CHECK(report.proven);
  CHECK(report.expected == 37);
  REQUIRE(w.size() == 37);
  for (std::size_t j = 0; j < w.size(); ++j)
    CHECK_THAT(static_cast<double>(w[j]), WithinRel(exact[4 + j], accuracy<T>));
  CHECK(passed(verify(a.k_rows(), a.mass(), 37, w.data(), z.data(), n)));
}

TEMPLATE_TEST_CASE("One matrix of every type by the filter", "", float, std::complex<float>,
                   std::complex<double>) {
  using T = TestType;
  const Turned<T> a;
  FewOptions options;
  options.count = 3;
  options.method = FewMethod::lanczos;
  std::vector<real_t<T>> w(3);
  std::vector<T> z(static_cast<std::size_t>(3 * a.n()));
  CHECK(solve_few(a.k_rows(), w.data(), z.data(), a.n(), options).status == Status::converged);
  CHECK(passed(verify(a.k_rows(), 3, w.data(), z.data(), a.n())));
}

TEST_CASE("A Hermitian matrix by its products, and a pencil by the inverse") {
  using T = std::complex<double>;
  const Turned<T> a;
  FewOptions options;
  options.count = 3;
  options.method = FewMethod::lanczos;
  std::vector<double> w(3), second(3);
  std::vector<T> z(static_cast<std::size_t>(3 * a.n()));
  const auto product = [&](const support::Csr& rows, const std::vector<T>& values) {
    return [&](const T* x, T* y) {
      for (std::int64_t i = 0; i < rows.n; ++i)
        for (int j = 0; j < 4; ++j) {
          T sum{};
          for (std::int64_t p = rows.offsets[i]; p < rows.offsets[i + 1]; ++p)
            sum += values[p] * x[4 * rows.column[p] + j];
          y[4 * i + j] = sum;
        }
    };
  };
  const SparseOperator<T> k{a.n(), product(a.box.k, a.k)}, m{a.n(), product(a.box.m, a.m)};
  CHECK(solve_few(a.k_rows(), w.data(), z.data(), a.n(), options).status == Status::converged);
  CHECK(solve_few(k, second.data(), z.data(), a.n(), options).status == Status::converged);
  for (std::size_t j = 0; j < 3; ++j) CHECK_THAT(second[j], WithinRel(w[j], 1e-10));
  CHECK(passed(verify(a.k_rows(), 3, second.data(), z.data(), a.n())));

  // K^-1 from the dense spectrum of K.
  const std::int64_t n = a.n();
  std::vector<T> dense(static_cast<std::size_t>(n * n));
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t p = a.box.k.offsets[i]; p < a.box.k.offsets[i + 1]; ++p)
      dense[i + n * a.box.k.column[p]] = a.k[p];
  const auto all = eigen_g::solve(n, dense.data(), n);
  const SparseOperator<T> inverse{n, [&](const T* x, T* y) {
                                    std::fill_n(y, 4 * n, T());
                                    for (std::int64_t e = 0; e < n; ++e)
                                      for (int j = 0; j < 4; ++j) {
                                        T part{};
                                        for (std::int64_t i = 0; i < n; ++i)
                                          part += std::conj(all.vectors[i + e * n]) * x[4 * i + j];
                                        for (std::int64_t i = 0; i < n; ++i)
                                          y[4 * i + j] += all.vectors[i + e * n] * part / all.values[e];
                                      }
                                  }};
  options.end = End::nearest;
  options.method = FewMethod::automatic;
  CHECK(solve_few(k, m, inverse, second.data(), z.data(), n, options).status == Status::converged);
  for (std::size_t j = 0; j < 3; ++j) CHECK_THAT(second[j], WithinRel(a.box.values[j], 1e-10));
  CHECK(passed(verify(a.k_rows(), a.mass(), 3, second.data(), z.data(), n)));
}

TEST_CASE("A matrix that is not Hermitian is refused by its entry") {
  SKIP_WITHOUT_FACTORS();
  using T = std::complex<double>;
  Turned<T> a;
  a.k[1] += T(0, 1e-9 * std::abs(a.k[0]));
  std::vector<double> w(1);
  std::vector<T> z(static_cast<std::size_t>(a.n()));
  CHECK_THROWS_WITH(solve_few(a.k_rows(), a.mass(), w.data(), z.data(), a.n(), FewOptions{}),
                    ContainsSubstring("is not Hermitian: entry (1, 2)"));
  a = {};
  a.m[0] += T(0, 1e-3 * std::abs(a.m[0]));
  CHECK_THROWS_WITH(solve_few(a.k_rows(), a.mass(), w.data(), z.data(), a.n(), FewOptions{}),
                    ContainsSubstring("entry (1, 1)"));
}

TEST_CASE("Values of a multiplicity that the number of pairs cuts: the vectors are orthonormal") {
  SKIP_WITHOUT_FACTORS();
  using T = std::complex<double>;
  const support::PencilCase box = support::five_point(9);  // 4 is a ninefold eigenvalue
  const std::vector<T> k(box.k.value.begin(), box.k.value.end());
  const std::vector<double> ones(static_cast<std::size_t>(box.n()), 1.0);
  for (const std::int64_t count : {1, 2, 5, 9}) {
    CAPTURE(count);
    FewOptions options;
    options.count = count;
    options.end = End::nearest;
    options.target = 4.001;
    std::vector<double> w(static_cast<std::size_t>(count));
    std::vector<T> z(static_cast<std::size_t>(count * box.n()));
    const CsrMatrix<T> rows{box.n(), box.k.offsets.data(), box.k.column.data(), k.data()};
    const SparseMass<T> mass{{}, ones.data()};
    const FewReport report = solve_few(rows, mass, w.data(), z.data(), box.n(), options);
    CHECK(report.proven);
    for (const double value : w) CHECK_THAT(value, WithinRel(4.0, 1e-12));
    CHECK(passed(verify(rows, mass, count, w.data(), z.data(), box.n())));
  }
}

TEST_CASE("Other values of the same pattern, and M as a diagonal") {
  SKIP_WITHOUT_FACTORS();
  using T = std::complex<float>;
  const Turned<T> a;
  const std::vector<float> diagonal(static_cast<std::size_t>(a.n()), 0.5f);
  SparseSolver<T> solver(a.k_rows(), {{}, diagonal.data()});
  std::vector<float> w(2), third(2);
  std::vector<T> z(static_cast<std::size_t>(2 * a.n())), twice(a.k);
  FewOptions options;
  options.count = 2;
  CHECK(solver.solve(options, w.data(), z.data(), a.n()).status == Status::converged);
  for (T& value : twice) value *= 2.0f;
  solver.set_values(twice.data(), nullptr);
  CHECK(solver.solve(options, third.data(), nullptr, a.n()).status == Status::converged);
  for (std::size_t j = 0; j < 2; ++j) CHECK_THAT(third[j], WithinRel(2 * w[j], 1e-5f));
}

TEST_CASE("eigen_g_zhgfew, eigen_g_chginterval and eigen_g_ssgcount") {
  SKIP_WITHOUT_FACTORS();
  const Turned<std::complex<double>> z;
  const Turned<std::complex<float>> c;
  const Turned<float> s;
  const std::vector<double>& exact = z.box.values;
  const support::Csr &k = z.box.k, &m = z.box.m;
  const std::int64_t n = z.n();
  std::vector<double> w(4), bound(4);
  std::vector<std::complex<double>> vectors(static_cast<std::size_t>(4 * n));
  eigen_g_few_report report{};
  const auto of_z = [](const std::vector<std::complex<double>>& a) {
    return reinterpret_cast<const eigen_g_double_complex*>(a.data());
  };
  CHECK(eigen_g_zhgfew('L', n, 4, k.offsets.data(), k.column.data(), of_z(z.k), m.offsets.data(),
                       m.column.data(), of_z(z.m), nullptr, 0, 0, w.data(),
                       reinterpret_cast<eigen_g_double_complex*>(vectors.data()), n, bound.data(),
                       &report) == 0);
  for (std::size_t j = 0; j < 4; ++j) CHECK_THAT(w[j], WithinRel(exact[j], 1e-11));
  CHECK(report.found == report.count_high - report.count_low);
  std::vector<float> values(9);
  std::int64_t found = 0, below = 0;
  const auto of_c = [](const std::vector<std::complex<float>>& a) {
    return reinterpret_cast<const eigen_g_complex*>(a.data());
  };
  const double low = (exact[2] + exact[3]) / 2, high = (exact[11] + exact[12]) / 2;
  CHECK(eigen_g_chginterval(n, k.offsets.data(), k.column.data(), of_c(c.k), m.offsets.data(),
                            m.column.data(), of_c(c.m), nullptr, low, high, 8, &found, values.data(), nullptr,
                            n, nullptr, nullptr) == -11);
  CHECK(found == 9);
  CHECK(eigen_g_chginterval(n, k.offsets.data(), k.column.data(), of_c(c.k), m.offsets.data(),
                            m.column.data(), of_c(c.m), nullptr, low, high, 9, &found, values.data(), nullptr,
                            n, nullptr, nullptr) == 0);
  CHECK_THAT(values[8], WithinRel(static_cast<float>(exact[11]), 1e-5f));
  CHECK(eigen_g_ssgcount(n, k.offsets.data(), k.column.data(), s.k.data(), m.offsets.data(), m.column.data(),
                         s.m.data(), nullptr, high, nullptr, &below) == 0);
  CHECK(below == 12);
}

namespace {

// eigen_g_<name>few, <name>interval and <name>count for one type.
template <class T, class C, class Few, class Interval, class Count>
void check_c_functions(const Few& few, const Interval& interval, const Count& count) {
  using R = real_t<T>;
  const Turned<T> a;
  const std::vector<double>& exact = a.box.values;
  const support::Csr &k = a.box.k, &m = a.box.m;
  const auto values = [](const std::vector<T>& x) { return reinterpret_cast<const C*>(x.data()); };
  const std::int64_t n = a.n();
  const double low = (exact[2] + exact[3]) / 2, high = (exact[11] + exact[12]) / 2, limit = accuracy<T>;
  const auto nan = std::numeric_limits<R>::quiet_NaN();
  std::vector<R> w(9, nan);
  std::vector<T> z(static_cast<std::size_t>(9 * n), T(nan));
  std::vector<double> bound(9);
  eigen_g_few_report report{};
  const auto of_wanted = [&](std::size_t j, std::size_t of) {
    CHECK(std::abs(static_cast<double>(w[j]) - exact[of]) <= limit * exact[of]);
  };
  CHECK(few('L', n, 4, k.offsets.data(), k.column.data(), values(a.k), m.offsets.data(), m.column.data(),
            values(a.m), nullptr, 0, 0, w.data(), reinterpret_cast<C*>(z.data()), n, bound.data(),
            &report) == 0);
  for (std::size_t j = 0; j < 4; ++j) of_wanted(j, j);
  CHECK(report.proven);
  CHECK(passed(verify(a.k_rows(), a.mass(), 4, w.data(), z.data(), n)));
  CHECK(few('A', n, 3, k.offsets.data(), k.column.data(), values(a.k), m.offsets.data(), m.column.data(),
            values(a.m), nullptr, low, 0, w.data(), nullptr, n, nullptr, nullptr) == 0);
  for (std::size_t j = 0; j < 3; ++j) of_wanted(j, j + 3);
  std::int64_t found = 0, below = 0;
  CHECK(interval(n, k.offsets.data(), k.column.data(), values(a.k), m.offsets.data(), m.column.data(),
                 values(a.m), nullptr, low, high, 8, &found, w.data(), nullptr, n, nullptr, nullptr) == -11);
  CHECK(found == 9);
  CHECK(interval(n, k.offsets.data(), k.column.data(), values(a.k), m.offsets.data(), m.column.data(),
                 values(a.m), nullptr, low, high, 9, &found, w.data(), reinterpret_cast<C*>(z.data()), n,
                 bound.data(), &report) == 0);
  for (std::size_t j = 0; j < 9; ++j) of_wanted(j, j + 3);
  CHECK(passed(verify(a.k_rows(), a.mass(), 9, w.data(), z.data(), n)));
  CHECK(count(n, k.offsets.data(), k.column.data(), values(a.k), m.offsets.data(), m.column.data(),
              values(a.m), nullptr, high, nullptr, &below) == 0);
  CHECK(below == 12);
}

}  // namespace

TEST_CASE("The C functions of float and complex pencils") {
  SKIP_WITHOUT_FACTORS();
  check_c_functions<float, float>(eigen_g_ssgfew, eigen_g_ssginterval, eigen_g_ssgcount);
  check_c_functions<std::complex<double>, eigen_g_double_complex>(eigen_g_zhgfew, eigen_g_zhginterval,
                                                                  eigen_g_zhgcount);
  check_c_functions<std::complex<float>, eigen_g_complex>(eigen_g_chgfew, eigen_g_chginterval,
                                                          eigen_g_chgcount);
}

TEMPLATE_TEST_CASE("Pencils with a lumped M by the filter: the ends without a factorisation", "", double,
                   float, std::complex<double>) {
  using T = TestType;
  const Turned<T> a;
  const std::int64_t n = a.n(), ldz = n + 2;
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> mass(0.5, 2);
  std::vector<real_t<T>> diagonal;
  for (std::int64_t i = 0; i < n; ++i) diagonal.push_back(static_cast<real_t<T>>(mass(random)));
  const SparseMass<T> lumped{{}, diagonal.data()};
  for (const End end : {End::lowest, End::highest}) {
    FewOptions options;
    options.count = 5;
    options.end = end;
    options.method = FewMethod::lanczos;
    const real_t<T> nan = std::numeric_limits<real_t<T>>::quiet_NaN();
    std::vector<real_t<T>> w(5, nan), by_factors(5);
    std::vector<T> z(static_cast<std::size_t>(5 * ldz), T(nan));
    const FewReport report = solve_few(a.k_rows(), lumped, w.data(), z.data(), ldz, options);
    CHECK(report.status == Status::converged);
    CHECK(report.method != FewMethod::shift_invert);
    CHECK(passed(verify(a.k_rows(), lumped, 5, w.data(), z.data(), ldz)));
    options.method = FewMethod::automatic;
    options.library = FactorLibrary::none;
    CHECK(solve_few(a.k_rows(), lumped, by_factors.data(), nullptr, ldz, options).method !=
          FewMethod::shift_invert);
    for (std::size_t j = 0; j < 5; ++j)
      CHECK_THAT(static_cast<double>(by_factors[j]), WithinRel(static_cast<double>(w[j]), accuracy<T>));
    if (!available(FactorLibrary::automatic)) continue;
    options.library = FactorLibrary::automatic;
    CHECK(solve_few(a.k_rows(), lumped, by_factors.data(), nullptr, ldz, options).method ==
          FewMethod::shift_invert);
    for (std::size_t j = 0; j < 5; ++j)
      CHECK_THAT(static_cast<double>(by_factors[j]), WithinRel(static_cast<double>(w[j]), accuracy<T>));
  }
  FewOptions options;
  options.method = FewMethod::lanczos;
  real_t<T> w;
  CHECK_THROWS_WITH(solve_few(a.k_rows(), a.mass(), &w, nullptr, n, options),
                    ContainsSubstring("needs an M that is given as a diagonal"));
  diagonal[7] = 0;
  CHECK_THROWS_WITH(solve_few(a.k_rows(), lumped, &w, nullptr, n, options),
                    ContainsSubstring("entry (8, 8)"));
}
