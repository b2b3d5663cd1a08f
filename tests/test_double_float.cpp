// Double-float arithmetic on the host: the same functions that the GPU runs.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "gemm_df/double_float.hpp"
#include "tests/support/catch.hpp"

using namespace eigen_g::df;

namespace {

struct Sums {
  double two_sum = 0, anchored = 0;
};

// Both sums of products as the kernel forms them, from lines in units of which the largest entry is below 2^46.
Sums sums(const std::vector<double>& a, const std::vector<double>& b) {
  TwoSumOfProducts plain;
  AnchoredSumOfProducts anchored;
  Sums found;
  const auto end_sum = [&] {
    found.two_sum += static_cast<double>(plain.hi) + plain.lo;
    found.anchored += static_cast<double>(anchored.hi) + anchored.lo;
    plain = {};
    anchored = {};
  };
  for (std::size_t first = 0; first < a.size(); first += block_length) {
    DoubleFloat x[block_length] = {}, y[block_length] = {};
    for (std::size_t i = 0; i < block_length && first + i < a.size(); ++i) {
      x[i] = split(a[first + i]);
      y[i] = split(b[first + i]);
    }
    const float reach =
        exact::mul(reach_of([&](int i) { return x[i].hi; }), reach_of([&](int i) { return y[i].hi; }));
    plain.begin_block(reach);
    anchored.begin_block(reach);
    const float anchor = anchored.anchored;
    for (int i = 0; i < block_length; ++i) {
      plain.add(x[i], y[i], i % TwoSumOfProducts::run_length == 0);
      anchored.add(x[i], y[i], i % AnchoredSumOfProducts::run_length == 0);
      REQUIRE(AnchoredSumOfProducts::anchor(anchored.anchored) == anchor);  // it keeps its exponent
      if ((i + 1) % TwoSumOfProducts::run_length == 0) plain.end_run();
      if ((i + 1) % AnchoredSumOfProducts::run_length == 0) anchored.end_run();
    }
    plain.end_block();
    anchored.end_block();
    if ((first / block_length + 1) % blocks_a_sum == 0) end_sum();
  }
  end_sum();
  return found;
}

void check(const std::vector<double>& a, const std::vector<double>& b) {
  long double sum = 0, absolute = 0, aa = 0, bb = 0, most_a = 0, most_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const long double x = a[i], y = b[i];
    sum += x * y;
    absolute += std::fabs(x * y);
    aa += x * x;
    bb += y * y;
    most_a = std::max(most_a, std::fabs(x));
    most_b = std::max(most_b, std::fabs(y));
  }
  const Sums found = sums(a, b);
  const auto k = static_cast<long double>(a.size());
  const auto terms = static_cast<std::int64_t>(a.size());
  const long double norms = std::sqrt(aa) * std::sqrt(bb);
  const long double floor = k * 0x1p-149L * (most_a + most_b + 1);
  const long double in_double = (1 + k / (block_length * blocks_a_sum)) * 0x1p-53L * absolute;
  CAPTURE(a.size(), static_cast<double>(sum), static_cast<double>(absolute), static_cast<double>(norms));
  CHECK(std::fabs(found.two_sum - sum) <= two_sum_bound(terms) * 0x1p-45L * absolute + in_double + floor);
  CHECK(std::fabs(found.anchored - sum) <= anchored_bound(terms) * 0x1p-45L * norms + in_double + floor);
}

}  // namespace

TEST_CASE("A two-sum gives the residual that is known") {
  const DoubleFloat s = two_sum(1.0f, 0x1p-30f);
  CHECK(s.hi == 1.0f);
  CHECK(s.lo == 0x1p-30f);
  const DoubleFloat t = two_sum(0x1p-30f, 16777215.0f);
  CHECK(t.hi == 16777215.0f);
  CHECK(t.lo == 0x1p-30f);
  const DoubleFloat fast = fast_two_sum(-3.0f, 0x1.8p-25f);
  CHECK(fast.hi == -3.0f);
  CHECK(fast.lo == 0x1.8p-25f);
}

TEST_CASE("A double splits into two floats but for 2^-48 of it") {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> mantissa(-2, 2);
  for (int i = 0; i < 100000; ++i) {
    const double x = std::ldexp(mantissa(random), static_cast<int>(random() % 120) - 60);
    const DoubleFloat f = split(x);
    REQUIRE(std::fabs(x - f.hi - f.lo) <= 0x1p-48 * std::fabs(x));
    REQUIRE(std::fabs(static_cast<double>(f.lo)) <= 0x1p-24 * std::fabs(x));
  }
}

TEST_CASE("Sums of products stay within their bounds") {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  for (const std::size_t k : {1, 2, 7, 15, 16, 17, 64, 100, 128, 129, 300, 3000})
    for (int kind = 0; kind < 7; ++kind)
      for (int trial = 0; trial < (k < 200 ? 300 : 10); ++trial) {
        CAPTURE(kind);
        std::vector<double> a(k), b(k);
        for (std::size_t i = 0; i < k; ++i) {
          const double at = static_cast<double>(i) / static_cast<double>(k);
          a[i] = normal(random);
          b[i] = normal(random);
          if (kind == 1) a[i] = std::fabs(a[i]), b[i] = std::fabs(b[i]);
          if (kind == 2 && i % 2) a[i] = a[i - 1], b[i] = -b[i - 1] * (1 + 1e-9 * b[i]);
          if (kind == 3) a[i] *= std::exp2(-60 * at), b[i] *= std::exp2(60 * at - 60);
          if (kind == 4) a[i] = std::ldexp(a[i], static_cast<int>(random() % 80) - 40);
          if (kind == 5)
            a[i] = (i % 2 ? 1 : -1) * std::ldexp(1.0, 40), b[i] = (i % 3 ? 1 : -1) * (1 - 0x1p-50);
          if (kind == 6) {  // large entries that meet small ones: products of about the anchor's ulp
            a[i] = i % 16 == 0 ? 0x1p45 : std::fabs(a[i]) * 0x1p35;
            b[i] = i % 16 == 1 ? 0x1p45 : std::fabs(b[i]) * 0x1p35;
          }
        }
        check(a, b);
      }
}

TEST_CASE("The anchored sum's errors are those of 48 bits of each block's sum") {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (const std::size_t k : {64, 128, 256, 1000, 4000})
    for (const bool is_normal : {false, true}) {
      CAPTURE(k, is_normal);
      const std::size_t trials = 200000 / k;
      long double squares = 0;
      for (std::size_t trial = 0; trial < trials; ++trial) {
        std::vector<double> a(k), b(k);
        long double sum = 0, aa = 0, bb = 0;
        for (std::size_t i = 0; i < k; ++i) {
          a[i] = 0x1p42 * (is_normal ? normal(random) : uniform(random));
          b[i] = 0x1p42 * (is_normal ? normal(random) : uniform(random));
          const long double x = a[i], y = b[i];
          sum += x * y;
          aa += x * x;
          bb += y * y;
        }
        const long double error = (sums(a, b).anchored - sum) / (std::sqrt(aa) * std::sqrt(bb));
        squares += error * error;
      }
      CHECK(std::sqrt(squares / static_cast<long double>(trials * k)) * static_cast<long double>(k) <=
            0x1p-47L);
    }
}

TEST_CASE("The anchor holds where a line has one entry, where all are equal, and where products vanish") {
  for (const double size : {0x1p45, 1.0, 0x1p-30, 0x1p-70, 0x1p-100, 0x1p-126, 0x1p-149}) {
    check(std::vector<double>(16, size), std::vector<double>(16, 0x1.fffffep45));
    check(std::vector<double>(16, size), std::vector<double>(16, size));
    std::vector<double> one(16, 0.0);
    one[15] = size;
    check(one, std::vector<double>(16, -1.0));
    check(one, one);
  }
  check(std::vector<double>(40, 0.0), std::vector<double>(40, 1.0));
}

TEST_CASE("A NaN or an infinity in a line makes its sums NaNs") {
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    TwoSumOfProducts plain;
    AnchoredSumOfProducts anchored;
    const auto hi = [&](int i) { return i == 3 ? static_cast<float>(bad) : 1.0f; };
    const float reach = reach_of(hi);
    anchored.begin_block(exact::mul(reach, reach_of([](int) { return 0.5f; })));
    for (int i = 0; i < block_length; ++i) {
      plain.add(split(i == 3 ? bad : 1), {0.5f, 0}, i % TwoSumOfProducts::run_length == 0);
      anchored.add(split(i == 3 ? bad : 1), {0.5f, 0}, i % AnchoredSumOfProducts::run_length == 0);
    }
    plain.end_block();
    anchored.end_block();
    CHECK(std::isnan(plain.hi + plain.lo));
    CHECK(std::isnan(anchored.hi + anchored.lo));
  }
}
