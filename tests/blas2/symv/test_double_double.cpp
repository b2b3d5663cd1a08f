// Compares blas2/symv/double_double.hpp with 113-bit arithmetic.
#include "blas2/symv/double_double.hpp"

#include <cfloat>
#include <cmath>
#include <random>
#include <vector>

#include "tests/support/catch.hpp"

using namespace eigen_g::blas2;

namespace {

__extension__ typedef __float128 Quad;

Quad exact_value(const DoubleDouble& a) {
  return static_cast<Quad>(a.hi) + static_cast<Quad>(a.lo);
}
Quad magnitude(Quad a) {
  return a < 0 ? -a : a;
}

// |value - exact| / |exact| in units of 2^-106.
double error_in_units(Quad value, Quad exact) {
  if (exact == 0) return value == 0 ? 0 : HUGE_VAL;
  return static_cast<double>(magnitude((value - exact) / exact) * static_cast<Quad>(0x1p106));
}

class Numbers {
 public:
  double number(int exponents) {  // either sign, magnitudes over 2^-exponents ... 2^exponents
    const double mantissa = std::uniform_real_distribution<double>(0.5, 1)(engine_);
    const int exponent = std::uniform_int_distribution<int>(-exponents, exponents)(engine_);
    return std::ldexp(engine_() % 2 ? mantissa : -mantissa, exponent);
  }
  DoubleDouble pair(int exponents) {
    const double hi = number(exponents);
    return two_sum(hi, hi * number(0) * 0x1p-53);
  }

 private:
  std::mt19937_64 engine_{20140401};
};

constexpr int trials = 200000;

}  // namespace

TEST_CASE("two_sum recovers a known residual") {
  // 1 + 2^-60 rounds to 1: the residual is all of 2^-60. Reassociated or contracted code returns 0.
  volatile double one = 1, small = 0x1p-60;
  REQUIRE(two_sum(one, small).hi == 1);
  REQUIRE(two_sum(one, small).lo == 0x1p-60);
  REQUIRE(two_sum(small, one).lo == 0x1p-60);
  REQUIRE(fast_two_sum(one, small).lo == 0x1p-60);
  // (1 + 2^-30)^2 = 1 + 2^-29 + 2^-60
  volatile double a = 1 + 0x1p-30;
  REQUIRE(two_prod(a, a).hi == 1 + 0x1p-29);
  REQUIRE(two_prod(a, a).lo == 0x1p-60);
}

TEST_CASE("the transforms are free of error") {
  Numbers random;
  int wrong = 0;
  for (int i = 0; i < trials; ++i) {
    const double a = random.number(25), b = random.number(25);
    const DoubleDouble s = two_sum(a, b), p = two_prod(a, b);
    // Sums of such numbers fit in 113 bits, and so do all products.
    wrong += exact_value(s) != static_cast<Quad>(a) + static_cast<Quad>(b) || s.hi != a + b;
    wrong += exact_value(p) != static_cast<Quad>(a) * static_cast<Quad>(b) || p.hi != a * b;
  }
  REQUIRE(wrong == 0);
}

TEST_CASE("sums and products to 104 bits") {
  Numbers random;
  double worst_sum = 0, worst_difference = 0, worst_product = 0;
  int not_normal = 0;
  for (int i = 0; i < trials; ++i) {
    const DoubleDouble a = random.pair(20), b = random.pair(20);
    const DoubleDouble s = a + b, d = a - b, p = a * b;
    worst_sum = std::max(worst_sum, error_in_units(exact_value(s), exact_value(a) + exact_value(b)));
    worst_difference =
        std::max(worst_difference, error_in_units(exact_value(d), exact_value(a) - exact_value(b)));
    worst_product = std::max(worst_product, error_in_units(exact_value(p), exact_value(a) * exact_value(b)));
    for (const DoubleDouble& r : {s, d, p}) not_normal += r.hi + r.lo != r.hi;
  }
  CAPTURE(worst_sum, worst_difference, worst_product);
  // The bounds of Joldes, Muller and Popescu, and 2^-7 for the 113-bit arithmetic of the truth.
  CHECK(worst_sum <= 3.02);
  CHECK(worst_difference <= 3.02);
  CHECK(worst_product <= 5.02);
  // Worst cases near the bounds exist. If no result came near them, the comparison would be broken.
  CHECK(worst_product > 0.1);
  CHECK(not_normal == 0);
}

TEST_CASE("cancellation leaves the low part") {
  const DoubleDouble a{1.0, 0x1p-70}, b{1.0, 0};
  CHECK(a - b == DoubleDouble(0x1p-70));
  CHECK(a + (-a) == DoubleDouble(0));
  CHECK(DoubleDouble(3) * DoubleDouble(1.0 / 3) == two_prod(3, 1.0 / 3));
}

TEST_CASE("a sum of products stays within its bound") {
  Numbers random;
  for (const int n : {1, 2, 10, 1000, 20000}) {
    DoubleDoubleSum sums[2];
    Quad exact = 0, absolute = 0;
    for (int i = 0; i < n; ++i) {
      const DoubleDouble a = random.pair(3), b = random.pair(3);
      add_to(sums[0], product(a, b));
      add_product(sums[1], a, b);
      exact += exact_value(a) * exact_value(b);
      absolute += magnitude(exact_value(a) * exact_value(b));
    }
    for (const DoubleDoubleSum& sum : sums) {
      const Quad error = magnitude(exact_value(rounded(sum)) - exact);
      const double units = static_cast<double>(error / absolute * static_cast<Quad>(0x1p106));
      CAPTURE(n, &sum - sums, units);
      CHECK(units <= n + 4);
      CHECK(units <= 8 * std::sqrt(n));  // errors of random sign
    }
  }
}

TEST_CASE("a product that cancels a sum leaves the product's own error") {
  Numbers random;
  double worst = 0;
  for (int i = 0; i < trials; ++i) {
    const DoubleDouble a = random.pair(3), b = random.pair(3);
    const DoubleDouble before = i % 2 ? -(a * b) : DoubleDouble(-a.hi * b.hi * (1 + i % 64));
    DoubleDoubleSum sum{before.hi, before.lo};
    add_product(sum, a, b);
    const Quad product = exact_value(a) * exact_value(b), from = exact_value(before);
    const Quad error = magnitude(static_cast<Quad>(sum.hi) + static_cast<Quad>(sum.lo) - (from + product));
    worst = std::max(worst, static_cast<double>(error / (magnitude(from) + magnitude(product)) *
                                                static_cast<Quad>(0x1p106)));
  }
  CAPTURE(worst);
  CHECK(worst <= 5);
  CHECK(worst > 0.01);
}
