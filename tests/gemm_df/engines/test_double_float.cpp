// Tests of the double-float arithmetic on the host, by the functions that the GPU runs.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "gemm_df/engines/double_float/double_float.hpp"
#include "tests/support/catch.hpp"

using namespace eigen_g::df;

namespace {

struct Sums {
  double two_sum = 0, anchored = 0;
};

// Both sums of products as the kernel computes them, from lines whose largest entry is in [2^45, 2^46). Other lines of the panels
// are longer by the factor `longer`.
Sums sums(const std::vector<double>& a, const std::vector<double>& b, float longer = 1) {
  Sums found;
  for (std::size_t first = 0; first < a.size(); first += sum_terms) {
    std::vector<DoubleFloat> x, y;
    for (std::size_t i = first; i < std::min(first + sum_terms, a.size()); ++i) {
      x.push_back(split(a[i]));
      y.push_back(split(b[i]));
    }
    const auto terms = (x.size() + block_length - 1) / block_length * block_length;
    x.resize(terms);
    y.resize(terms);
    float xx = 0, yy = 0;
    for (std::size_t i = 0; i < terms; ++i) {
      xx = exact::fma(x[i].hi, x[i].hi, xx);
      yy = exact::fma(y[i].hi, y[i].hi, yy);
    }
    const float reach = exact::mul(longer, exact::mul(reach_of(xx), reach_of(yy)));

    const auto anchors = AnchoredSumOfProducts::anchors(reach);
    AnchoredSumOfProducts anchored;
    TwoSumOfProducts plain;
    anchored.begin(anchors);
    double rest = 0;
    for (std::size_t i = 0; i < terms; ++i) {
      const float before = anchored.rest;
      anchored.add(anchors, x[i], y[i], i % AnchoredSumOfProducts::run_length == 0);
      plain.add({}, x[i], y[i], i % TwoSumOfProducts::run_length == 0);
      REQUIRE(AnchoredSumOfProducts::anchors(anchored.anchored).sum == anchors.sum);  // it keeps its exponent
      const float added = exact::sub(anchored.rest, before);
      rest += added;
      REQUIRE(rest == anchored.rest);
      REQUIRE(std::fmod(added, std::ldexp(anchors.products / 1.5, -24)) == 0);
      if ((i + 1) % AnchoredSumOfProducts::run_length == 0) anchored.end_run();
      if ((i + 1) % TwoSumOfProducts::run_length == 0) plain.end_run();
      if ((i + 1) % block_length == 0) {
        anchored.end_block();
        plain.end_block();
      }
    }
    const DoubleFloat of_anchored = anchored.sum(anchors), of_plain = plain.sum({});
    found.anchored += static_cast<double>(of_anchored.hi) + of_anchored.lo;
    found.two_sum += static_cast<double>(of_plain.hi) + of_plain.lo;
  }
  return found;
}

// In a converted line's units.
std::vector<double> scaled(std::vector<double> line) {
  double most = 0;
  for (const double x : line) most = std::max(most, std::fabs(x));
  const int exponent = most > 0 ? 45 - std::ilogb(most) : 0;
  for (double& x : line) x = std::ldexp(x, exponent);
  return line;
}

struct Exact {
  long double sum = 0, absolute = 0, norms = 0, largest = 0;
  Exact(const std::vector<double>& a, const std::vector<double>& b) {
    long double aa = 0, bb = 0, max_a = 0, max_b = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const long double x = a[i], y = b[i];
      sum += x * y;
      absolute += std::fabs(x * y);
      aa += x * x;
      bb += y * y;
      max_a = std::max(max_a, std::fabs(x));
      max_b = std::max(max_b, std::fabs(y));
    }
    norms = std::sqrt(aa) * std::sqrt(bb);
    largest = max_a * max_b;
  }
};

void check(const std::vector<double>& a_in_any_units, const std::vector<double>& b_in_any_units) {
  const std::vector<double> a = scaled(a_in_any_units), b = scaled(b_in_any_units);
  const Exact exact(a, b);
  const auto k = static_cast<std::int64_t>(a.size());
  const auto terms = static_cast<long double>(k);
  const long double rest =
      terms * 0x1p-194L * exact.largest + (1 + terms / sum_terms) * 0x1p-53L * exact.absolute;
  const AnchoredBound bound = anchored_bound(k);
  CAPTURE(k, static_cast<double>(exact.sum), static_cast<double>(exact.absolute),
          static_cast<double>(exact.norms));
  for (const float longer : {1.0f, 16.0f, 1024.0f}) {
    // A line has at most the length of terms that are all 2^46; this line has one term of 2^45.
    if (longer > 1 && longer > 4 * terms * exact.largest / exact.norms) continue;
    const Sums found = sums(a, b, longer);
    CAPTURE(longer);
    CHECK(std::fabs(found.two_sum - exact.sum) <= terms * 0x1p-45L * exact.absolute + rest);
    CHECK(std::fabs(found.anchored - exact.sum) <=
          0x1p-45L * (bound.of_terms * exact.absolute + bound.of_norms * exact.norms) + rest);
  }
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

TEST_CASE("A double splits into two floats up to a relative error of 2^-48") {
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

TEST_CASE("The anchored sum's errors correspond to 48 bits of each term") {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(-1, 1);
  enum Kind { normal_entries, uniform_entries, peak, eigenvectors };
  for (const std::size_t k : {32, 64, 128, 256, 1000, 4000})
    for (const Kind kind : {normal_entries, uniform_entries, peak, eigenvectors}) {
      CAPTURE(k, kind);
      const std::size_t trials = 100000 / k;
      long double squares = 0;
      for (std::size_t trial = 0; trial < trials; ++trial) {
        std::vector<double> a(k), b(k);
        const std::size_t top = random() % k;
        for (std::size_t i = 0; i < k; ++i) {
          a[i] = kind == uniform_entries ? uniform(random) : normal(random);
          b[i] = kind == uniform_entries ? uniform(random) : normal(random);
          if (kind == peak && i == 0) a[i] = 100;  // as in a reflector
          // As in a merge: about 1 / (d_i - lambda_j), with some small z_i.
          if (kind == eigenvectors)
            b[i] *= std::ldexp(1 / (std::fabs(static_cast<double>(i) - static_cast<double>(top)) + 0.6),
                               random() % 2 ? -static_cast<int>(random() % 40) : 0);
        }
        a = scaled(a);
        b = scaled(b);
        const Exact exact(a, b);
        const long double error = (sums(a, b, 4).anchored - exact.sum) / exact.norms;
        squares += error * error;
      }
      CHECK(std::sqrt(squares / static_cast<long double>(trials) * static_cast<long double>(k)) <= 0x1p-47L);
    }
}

TEST_CASE("The anchor is right if a line has one entry, if all are equal, and if products vanish") {
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
    const auto anchors =
        AnchoredSumOfProducts::anchors(exact::mul(reach_of(block_length), reach_of(block_length)));
    TwoSumOfProducts plain;
    AnchoredSumOfProducts anchored;
    anchored.begin(anchors);
    for (int i = 0; i < block_length; ++i) {
      const DoubleFloat x = split(i == 3 ? bad : 1), y{0.5f, 0};
      plain.add({}, x, y, i % TwoSumOfProducts::run_length == 0);
      anchored.add(anchors, x, y, i % AnchoredSumOfProducts::run_length == 0);
    }
    CHECK(std::isnan(plain.sum({}).hi + plain.sum({}).lo));
    CHECK(std::isnan(anchored.sum(anchors).hi + anchored.sum(anchors).lo));
  }
}
