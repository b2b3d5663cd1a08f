#include "blas2/tune/tuner.hpp"

#include <cmath>
#include <random>

#include "hybrid/error.hpp"
#include "tests/support/catch.hpp"

using namespace eigen_g::blas2;

namespace {

std::vector<std::int64_t> sizes_up_to(std::int64_t last) {  // 16, 19, 23, ...: four in an octave
  std::vector<std::int64_t> sizes;
  for (int i = 16; std::llround(std::exp2(i / 4.0)) <= last; ++i)
    sizes.push_back(std::llround(std::exp2(i / 4.0)));
  return sizes;
}

// A kernel with a fixed cost a call and a bandwidth: rate = bytes / (overhead + bytes / bandwidth).
struct Kernel {
  double overhead, bandwidth;
  double rate(double n) const {
    const double bytes = 4 * n * (n + 1);
    return bytes / (overhead + bytes / bandwidth);
  }
};

// The size at which the two kernels of the text take equal time.
double crossover(const Kernel& a, const Kernel& b) {
  const double bytes = (b.overhead - a.overhead) / (1 / a.bandwidth - 1 / b.bandwidth);
  return std::sqrt(bytes / 4);
}

std::vector<Measurement> measure(const std::vector<Kernel>& kernels, double noise, unsigned seed,
                                 std::int64_t last = 32768) {
  std::mt19937 random(seed);
  std::normal_distribution<double> spread(0, noise);
  std::vector<Measurement> measured;
  for (const auto n : sizes_up_to(last))
    for (std::size_t k = 0; k < kernels.size(); ++k)
      measured.push_back({static_cast<int>(k), n,
                          kernels[k].rate(static_cast<double>(n)) * (1 + (noise > 0 ? spread(random) : 0))});
  return measured;
}

int taken_at(const std::vector<Segment>& table, std::int64_t n) {
  int taken = -1;
  for (const Segment& s : table)
    if (s.n_from <= n) taken = s.candidate;
  return taken;
}

void check_cover(const std::vector<Segment>& table) {
  REQUIRE_FALSE(table.empty());
  CHECK(table.front().n_from == 0);
  for (std::size_t i = 1; i < table.size(); ++i) {
    CHECK(table[i].n_from > table[i - 1].n_from);
    CHECK(table[i].candidate != table[i - 1].candidate);
  }
}

}  // namespace

TEST_CASE("first sieve keeps the best of each size, then close seconds, up to the given number") {
  // 0 and 1 win one size each, 2 is a close second everywhere, 3 is poor, 4 near at one size only.
  const std::vector<Measurement> measured{{0, 100, 10},  {0, 1000, 50}, {1, 100, 5}, {1, 1000, 100},
                                          {2, 100, 9.5}, {2, 1000, 95}, {3, 100, 6}, {3, 1000, 60},
                                          {4, 100, 9.2}, {4, 1000, 1}};
  FirstSieve rule;
  rule.within = 0.1;
  rule.keep = 10;
  // 2 alone has the greatest sum; then 0 and 1 raise it by 0.05 each, and 4 does not raise it.
  const auto all = first_sieve(measured, rule);
  REQUIRE(all.size() == 4);
  CHECK(all[0] == 2);
  CHECK(std::vector<int>(all.begin() + 1, all.begin() + 3) == std::vector<int>{0, 1});
  CHECK(all[3] == 4);
  rule.keep = 2;
  CHECK(first_sieve(measured, rule).size() == 2);
  rule.keep = 10;
  rule.within = 0.01;  // winners only
  CHECK(first_sieve(measured, rule) == std::vector<int>{0, 1});
}

TEST_CASE("first sieve tolerates failures and repeats") {
  const double nan = std::nan("");
  CHECK(first_sieve({}).empty());
  CHECK(first_sieve({{0, 10, 0}, {1, 10, -1}, {2, 10, nan}, {3, 10, INFINITY}}).empty());
  // The failed one at 1000 still wins at 100; the mean of 1 and 3 is 2.
  const auto kept = first_sieve({{7, 100, 5}, {7, 1000, 0}, {8, 100, 1}, {8, 100, 3}, {8, 1000, 4}});
  CHECK(kept.size() == 2);
  CHECK_THROWS_AS(first_sieve({{0, 0, 1}}), eigen_g::InvalidArgument);
}

TEST_CASE("second sieve finds known crossovers") {
  const std::vector<Kernel> kernels{{2e-6, 1e12}, {5e-6, 3e12}, {20e-6, 4.5e12}};
  const double first = crossover(kernels[0], kernels[1]), second = crossover(kernels[1], kernels[2]);
  REQUIRE(first < second);
  SECTION("without noise") {
    const auto table = second_sieve(measure(kernels, 0, 0));
    check_cover(table);
    REQUIRE(table.size() == 3);
    CHECK(std::fabs(std::log2(static_cast<double>(table[1].n_from) / first)) < 0.03);
    CHECK(std::fabs(std::log2(static_cast<double>(table[2].n_from) / second)) < 0.03);
  }
  SECTION("with 2 % of noise the table has no more lines and costs next to nothing") {
    for (unsigned seed = 1; seed <= 20; ++seed) {
      CAPTURE(seed);
      const auto table = second_sieve(measure(kernels, 0.02, seed));
      check_cover(table);
      CHECK(table.size() == 3);
      for (std::int64_t n = 16; n < 40000; n += n / 16) {
        double best = 0;
        for (const Kernel& k : kernels) best = std::max(best, k.rate(static_cast<double>(n)));
        const double got = kernels[static_cast<std::size_t>(taken_at(table, n))].rate(static_cast<double>(n));
        CAPTURE(n);
        CHECK(got > 0.95 * best);
      }
    }
  }
}

TEST_CASE("second sieve does not flip between equals") {
  const std::vector<Kernel> twins{{3e-6, 4e12}, {3e-6, 4e12}, {3e-6, 4e12}};
  for (unsigned seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    CHECK(second_sieve(measure(twins, 0.005, seed)).size() == 1);
  }
  // Without a cost of changes the same noise changes the choice; the cost prevents it.
  SecondSieve free;
  free.change_cost = 0;
  free.noise_deviations = 0;
  free.alpha = 0.01;
  CHECK(second_sieve(measure(twins, 0.005, 1), free).size() > 3);
}

TEST_CASE("second sieve leaves out a candidate at sizes at which it failed") {
  const std::vector<Kernel> kernels{{3e-6, 3e12}, {3e-6, 4e12}};
  auto measured = measure(kernels, 0, 0);
  SECTION("beyond a size") {
    std::int64_t last_good = 0;
    for (Measurement& m : measured) {
      if (m.candidate == 1 && m.n > 5000) m.rate = 0;
      if (m.candidate == 1 && m.rate > 0) last_good = std::max(last_good, m.n);
    }
    const auto table = second_sieve(measured);
    check_cover(table);
    REQUIRE(table.size() == 2);
    CHECK(table[0].candidate == 1);
    CHECK(table[1].candidate == 0);
    CHECK(table[1].n_from <= last_good + 1);
    CHECK(static_cast<double>(table[1].n_from) > 0.9 * static_cast<double>(last_good));
  }
  SECTION("below a size") {
    std::int64_t first_good = 1 << 30;
    for (Measurement& m : measured) {
      if (m.candidate == 1 && m.n < 500) m.rate = std::nan("");
      if (m.candidate == 1 && m.rate > 0) first_good = std::min(first_good, m.n);
    }
    const auto table = second_sieve(measured);
    check_cover(table);
    REQUIRE(table.size() == 2);
    CHECK(table[0].candidate == 0);
    CHECK(table[1].n_from >= first_good);
    CHECK(static_cast<double>(table[1].n_from) < 1.1 * static_cast<double>(first_good));
  }
  SECTION("at one size in the middle") {
    std::int64_t hole = 0, before = 0, after = 0;
    for (Measurement& m : measured) {
      if (m.candidate != 1) continue;
      if (hole == 0 && m.n > 1000) {
        hole = m.n;
        m.rate = 0;
      } else if (hole == 0) {
        before = m.n;
      } else if (after == 0) {
        after = m.n;
      }
    }
    const auto table = second_sieve(measured);
    check_cover(table);
    CHECK(taken_at(table, before - 50) == 1);
    CHECK(taken_at(table, before + 1) == 0);
    CHECK(taken_at(table, hole) == 0);
    CHECK(taken_at(table, after - 1) == 0);
    CHECK(taken_at(table, after + after / 20) == 1);  // from the grid's next node on
  }
}

TEST_CASE("second sieve with very little to go by") {
  CHECK(second_sieve({}).empty());
  CHECK(second_sieve({{0, 100, 0}}).empty());
  const auto one = second_sieve({{4, 100, 2}, {5, 100, 3}});
  REQUIRE(one.size() == 1);
  CHECK(one[0].n_from == 0);
  CHECK(one[0].candidate == 5);
  // No common size: each has a part of its own.
  const auto apart = second_sieve({{1, 100, 2}, {1, 200, 2}, {2, 1000, 3}, {2, 2000, 3}});
  check_cover(apart);
  CHECK(taken_at(apart, 150) == 1);
  CHECK(taken_at(apart, 1500) == 2);
  CHECK(taken_at(apart, 1 << 30) == 2);
}

TEST_CASE("tiny sizes: several changes within one n leave one segment") {
  SecondSieve rule;
  rule.change_cost = 0;
  rule.noise_deviations = 0;
  const auto table = second_sieve(
      {{1, 1, 9}, {1, 2, 1}, {1, 3, 1}, {2, 1, 1}, {2, 2, 9}, {2, 3, 1}, {3, 1, 1}, {3, 2, 1}, {3, 3, 9}},
      rule);
  check_cover(table);
  CHECK(taken_at(table, 3) == 3);
}
