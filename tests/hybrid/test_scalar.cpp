// Compile-time tests of the scalar types and their real companions.
#include "hybrid/scalar.hpp"

#include "tests/support/catch.hpp"

using namespace eigen_g;

TEST_CASE("the real companion of a scalar type") {
  STATIC_REQUIRE(std::is_same_v<real_t<float>, float>);
  STATIC_REQUIRE(std::is_same_v<real_t<double>, double>);
  STATIC_REQUIRE(std::is_same_v<real_t<const double>, double>);
  STATIC_REQUIRE(std::is_same_v<real_t<std::complex<float>>, float>);
  STATIC_REQUIRE(std::is_same_v<real_t<const std::complex<double>>, double>);
  STATIC_REQUIRE_FALSE(is_complex<const double>);
  STATIC_REQUIRE(is_complex<std::complex<double>>);
  STATIC_REQUIRE(is_complex<const std::complex<float>>);
}
