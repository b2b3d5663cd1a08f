// Tests of a maximum that keeps a NaN.
#include "hybrid/max_or_nan.hpp"

#include <limits>

#include "tests/support/catch.hpp"

using namespace eigen_g;

TEST_CASE("max_or_nan keeps a NaN, before and after other numbers") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  STATIC_REQUIRE(max_or_nan(1, 2) == 2);
  STATIC_REQUIRE(max_or_nan(2, 1) == 2);
  CHECK(max_or_nan(1, nan) != max_or_nan(1, nan));
  CHECK(max_or_nan(nan, 1) != max_or_nan(nan, 1));
}
