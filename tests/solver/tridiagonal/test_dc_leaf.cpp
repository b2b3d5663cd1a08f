#include "solver/tridiagonal/dc_leaf.hpp"

#include "apps/generate/sturm.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/dc_on_cpu.hpp"
#include "tests/support/tridiagonal.hpp"

using namespace eigen_g::dc;
using support::Tridiagonal;

namespace {

// max |Z^T Z - I|, in units of roundoff.
double defect_of(const std::vector<double>& z, Index n) {
  long double worst = 0;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j) {
      long double dot = i == j ? -1 : 0;
      for (Index k = 0; k < n; ++k)
        dot += static_cast<long double>(z[static_cast<std::size_t>(k + i * n)]) *
               z[static_cast<std::size_t>(k + j * n)];
      worst = std::max(worst, std::fabs(dot));
    }
  return static_cast<double>(worst) / unit_roundoff<double>;
}

void check_leaf(Tridiagonal t) {
  const auto n = static_cast<Index>(t.n());
  double largest = 0;
  for (const double x : t.d) largest = std::max(largest, std::fabs(x));
  for (const double x : t.e) largest = std::max(largest, std::fabs(x));
  int exponent = 0;
  if (largest > 0) std::frexp(largest, &exponent);
  for (double& x : t.d) x = std::ldexp(x, -exponent);
  for (double& x : t.e) x = std::ldexp(x, -exponent);

  std::vector<double> d = t.d, e = t.e, z(static_cast<std::size_t>(n * n));
  e.push_back(support::nan);  // padding that is not read
  for (Index i = 0; i < n; ++i) z[static_cast<std::size_t>(i + i * n)] = 1;
  REQUIRE(implicit_ql(n, d.data(), e.data(), PlainVectors<double>{z.data(), n, n}));
  std::vector<double> scratch(z.size(), support::nan);
  orthogonalize(OneThread{}, n, n, z.data(), scratch.data());
  CHECK(defect_of(z, n) <= support::limits::leaf_defect);
  std::vector<Index> order(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = i;
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return d[a] < d[b]; });
  std::vector<double> w, vectors;
  for (const Index i : order) {
    w.push_back(d[i]);
    vectors.insert(vectors.end(), z.begin() + i * n, z.begin() + (i + 1) * n);
  }
  support::check_decomposition(t, w, vectors, n, "T: leaf", support::Machine::cpu);
  const std::vector<double> truth = eigen_g::generate::sturm_eigenvalues(t.d, t.e);
  CHECK(support::value_distance(t, w, truth) <= support::limits::eigenvalue);
}

}  // namespace

TEST_CASE("A leaf's QL against Sturm bisection in long double, random of every size") {
  for (Index n = 1; n <= 32; ++n)  // a warp could hold up to 32 rows
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      CAPTURE(n, seed);
      check_leaf(support::random_tridiagonal(n, seed));
    }
}

TEST_CASE("A leaf's QL on matrices of every kind") {
  for (const std::string& kind : support::tridiagonal_kinds)
    for (const Index n : {2, 3, 17, 21, 31, 32}) {
      CAPTURE(kind, n);
      check_leaf(support::tridiagonal(kind, n));
    }
}

TEST_CASE("Orthogonalizing reduces a defect d to the order of d squared, and does not write the padding") {
  const Index n = 20, stride = 23;
  std::vector<double> z(static_cast<std::size_t>(n * stride), 7), y(z.size(), support::nan);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i)
      z[static_cast<std::size_t>(i + j * stride)] =
          (i == j) + 1e-5 * std::sin(static_cast<double>(3 * i + 7 * j));  // not orthogonal by about 1e-5
  orthogonalize(OneThread{}, n, stride, z.data(), y.data());
  std::vector<double> packed;
  for (Index j = 0; j < n; ++j) {
    packed.insert(packed.end(), z.begin() + j * stride, z.begin() + j * stride + n);
    for (Index i = n; i < stride; ++i) CHECK(z[static_cast<std::size_t>(i + j * stride)] == 7);
  }
  CHECK(defect_of(packed, n) * unit_roundoff<double> < 1e-7);
}

TEST_CASE("A leaf far below the rest of its matrix is split, not ground to subnormals") {
  Tridiagonal t = support::random_tridiagonal(30, 9, 0x1p-500);
  std::vector<double> d = t.d, e = t.e, z(900);
  e.push_back(0);
  for (Index i = 0; i < 30; ++i) z[static_cast<std::size_t>(i * 31)] = 1;
  REQUIRE(implicit_ql(30, d.data(), e.data(), PlainVectors<double>{z.data(), 30, 30}));
  CHECK(d == t.d);
}

TEST_CASE("QL ends without convergence for a NaN") {
  std::vector<double> d(5, support::nan), e(5, 1), z(25);
  CHECK(implicit_ql(5, d.data(), e.data(), PlainVectors<double>{z.data(), 5, 5}) == false);
}
