// Runs the reduction in a cluster on the CPU, with each thread as a fiber.
#include "tests/support/emulation.hpp"
// The kernel follows the emulation.
#include "solver/reduction/one_stage/tridiagonalize_in_cluster.cuh"

#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/reflector_columns.hpp"

using namespace eigen_g;
using namespace support::reduction;

namespace {

template <class S>
void kernel(const in_cluster::Problem<typename S::T>& p) {
  in_cluster::reduce(p, *reinterpret_cast<in_cluster::Shared<S>*>(DynamicShared<double2>::memory()));
}

template <class T>
constexpr real_t<T> negligible = std::is_same_v<real_t<T>, float> ? real_t<T>(0x1p-100f)
                                                                  : real_t<T>(0x1p-900);

template <class T, int groups, int blocks, int warps>
ReflectorColumns<T> run(const std::vector<Truth<T>>& a, std::int64_t n, bool clears, unsigned seed) {
  using D = device_t<T>;
  using S = in_cluster::Shape<D, groups, blocks, warps>;
  ReflectorColumns<T> r(a, n);
  emulation::seed(seed);
  emulation::launch(
      kernel<S>, emulation::InClusters{blocks, blocks}, S::threads,
      static_cast<int>(sizeof(in_cluster::Shared<S>)),
      in_cluster::Problem<D>{on_device(r.a.data()), r.lda, static_cast<int>(n), r.d.data(), r.e.data(),
                             on_device(r.tau.data()), negligible<T>, nullptr, clears});
  r.check_written(clears);
  return r;
}

template <class T, int groups, int blocks, int warps>
void check(const std::string& kind, std::int64_t n) {
  CAPTURE(kind, n);
  const std::vector<Truth<T>> a = family_of<Truth<T>>(kind, n);
  const ReflectorColumns<T> found = run<T, groups, blocks, warps>(a, n, true, 1);
  const ReflectorColumns<T> again = run<T, groups, blocks, warps>(a, n, false, 2);
  CHECK(again.d == found.d);
  CHECK(again.e == found.e);
  CHECK(again.tau == found.tau);
  CHECK(again.a == found.a);
  found.check_ratios(a);
}

}  // namespace

TEMPLATE_TEST_CASE("tridiagonalize in a cluster: Q T Q^H = A for many orders", "", double, float,
                   std::complex<double>, std::complex<float>) {
  const std::int64_t step = std::is_same_v<TestType, double> ? 1 : 7;
  for (std::int64_t n = 1; n <= 96; n += n < 8 ? 1 : step) check<TestType, 3, 4, 4>("random", n);
}

TEMPLATE_TEST_CASE("tridiagonalize in a cluster: families", "", double, float, std::complex<double>,
                   std::complex<float>) {
  const bool narrow = std::is_same_v<real_t<TestType>, float>;
  for (const std::string kind : families)
    if (!narrow || (kind != "tiny" && kind != "large")) check<TestType, 3, 4, 4>(kind, 71);
}

TEST_CASE("tridiagonalize in a cluster: the largest shapes") {
  for (const std::int64_t n : {33, 100}) check<double, 8, 8, 8>("random", n);
  check<std::complex<double>, 6, 16, 4>("random", 75);
  check<std::complex<float>, 8, 16, 4>("random", 50);
  check<double, 4, 8, 4>("random", 128);
  for (const std::int64_t n : {130, 190}) check<double, 8, 8, 8>("ones", n);
}
