// Runs the reduction in a cluster on the CPU, with each thread as a fiber.
#include "tests/support/emulation.hpp"
// The kernel follows the emulation.
#include "solver/reduction/one_stage/tridiagonalize_in_cluster.cuh"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/reduction.hpp"

using namespace eigen_g;
using support::reduction::family_of;
using support::reduction::identity;

namespace {

// The type of the truth for the host's T.
template <class T>
using Wide = std::conditional_t<is_complex<T>, std::complex<double>, double>;

template <class S>
void kernel(const in_cluster::Problem<typename S::T>& p) {
  in_cluster::reduce(p, *reinterpret_cast<in_cluster::Shared<S>*>(DynamicShared<double2>::memory()));
}

template <class T>
struct Reduced {
  std::vector<real_t<T>> d, e;
  std::vector<T> tau, a;  // lda x n
  bool operator==(const Reduced&) const = default;
};

template <class T>
constexpr real_t<T> negligible = std::is_same_v<real_t<T>, float> ? real_t<T>(0x1p-100f) : real_t<T>(0x1p-900);

// The upper triangle is NaN before. If it is not cleared, it must be NaN afterwards.
template <class T, int groups, int blocks, int warps>
Reduced<T> run(const std::vector<Wide<T>>& a, std::int64_t n, bool clears, unsigned seed) {
  using D = device_t<T>;
  using S = in_cluster::Shape<D, groups, blocks, warps>;
  constexpr real_t<T> nan = std::numeric_limits<real_t<T>>::quiet_NaN();
  const std::int64_t lda = n + 3;
  const auto count = static_cast<std::size_t>(n);
  Reduced<T> r{std::vector<real_t<T>>(count, nan), std::vector<real_t<T>>(count, nan),
               std::vector<T>(count, T(nan)), std::vector<T>(static_cast<std::size_t>(lda * n), T(nan))};
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = j; i < n; ++i)
      r.a[static_cast<std::size_t>(i + j * lda)] = static_cast<T>(a[static_cast<std::size_t>(i + j * n)]);
  emulation::seed(seed);
  emulation::launch(kernel<S>, emulation::InClusters{blocks, blocks}, S::threads,
                    static_cast<int>(sizeof(in_cluster::Shared<S>)),
                    in_cluster::Problem<D>{on_device(r.a.data()), lda, static_cast<int>(n), r.d.data(), r.e.data(),
                                           on_device(r.tau.data()), negligible<T>, nullptr, clears});
  // The last e and tau are nobody's; what is not A's must be untouched, and with `clears` v is complete.
  CHECK(std::isnan(r.e.back()));
  CHECK(std::isnan(std::real(r.tau.back())));
  r.e.back() = 0, r.tau.back() = 0;
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < lda; ++i) {
      T& entry = r.a[static_cast<std::size_t>(i + j * lda)];
      if (i >= n || (!clears && i < j)) {
        REQUIRE(std::isnan(std::real(entry)));
        entry = 0;
      } else if (i <= j) {
        if (clears) REQUIRE(entry == T(0));
        entry = 0;
      }
    }
  return r;
}

template <class T>
void check_ratios(const std::vector<Wide<T>>& a, std::int64_t n, const Reduced<T>& found) {
  using W = Wide<T>;
  const std::int64_t lda = n + 3;
  // Q = H_1 H_2 ... H_{n - 1}
  support::reduction::ReductionOf<W> r{
      {found.d.begin(), found.d.end()}, {found.e.begin(), found.e.end() - 1}, identity<W>(n)};
  for (std::int64_t k = n - 2; k >= 0; --k) {
    const T* const v = &found.a[static_cast<std::size_t>(k * lda)];
    REQUIRE(v[k + 1] == T(1));
    const W tau = found.tau[static_cast<std::size_t>(k)];
    for (std::int64_t j = k + 1; j < n; ++j) {
      W* const z = &r.q[static_cast<std::size_t>(j * n)];
      W sum = 0;
      for (std::int64_t i = k + 1; i < n; ++i) sum += support::reduction::conjugate_of(W(v[i])) * z[i];
      for (std::int64_t i = k + 1; i < n; ++i) z[i] -= tau * sum * W(v[i]);
    }
  }
  const auto [backward, orthogonality] = support::reduction::ratios(a, n, r);
  CAPTURE(backward, orthogonality);
  const double limit = (n < 60 ? support::limits::reduction : support::limits::reduction_random) *
                       (std::numeric_limits<real_t<T>>::epsilon() / support::limits::ulp);
  CHECK(backward < limit);
  CHECK(orthogonality < limit);
}

template <class T, int groups, int blocks, int warps>
void check(const std::string& kind, std::int64_t n) {
  CAPTURE(kind, n);
  const std::vector<Wide<T>> a = family_of<Wide<T>>(kind, n);
  const Reduced<T> found = run<T, groups, blocks, warps>(a, n, true, 1);
  CHECK(run<T, groups, blocks, warps>(a, n, false, 2) == found);
  check_ratios(a, n, found);
}

}  // namespace

TEMPLATE_TEST_CASE("tridiagonalize in a cluster: Q^H T Q = A, small", "", double, float, std::complex<double>,
                   std::complex<float>) {
  for (std::int64_t n = 1; n <= 70; n += n < 12 ? 1 : 9) check<TestType, 3, 4, 2>("random", n);
}
