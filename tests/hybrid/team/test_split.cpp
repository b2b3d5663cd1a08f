// Tests of the cut of columns over devices, and of the shares with which all devices finish together. No GPU is needed.
#include "hybrid/team/split.hpp"

#include <cmath>
#include <numeric>
#include <random>

#include "hybrid/error.hpp"
#include "tests/support/catch.hpp"

using namespace eigen_g;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<std::int64_t> counts(const std::vector<ColumnRange>& ranges) {
  std::vector<std::int64_t> list;
  for (const ColumnRange& range : ranges) list.push_back(range.count);
  return list;
}

using Counts = std::vector<std::int64_t>;

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace

TEST_CASE("columns are cut by the ratio") {
  CHECK(counts(split_columns(41, {27, 14})) == Counts{27, 14});
  CHECK(counts(split_columns(9000, {4, 4, 1})) == Counts{4000, 4000, 1000});
  CHECK(counts(split_columns(10, {1})) == Counts{10});
  CHECK(counts(split_columns(0, {27, 14})) == Counts{0, 0});
  CHECK(counts(split_columns(10, {0, 3, 0})) == Counts{0, 10, 0});
  CHECK(counts(split_columns(10, {1, 0, 1})) == Counts{5, 0, 5});
  CHECK(counts(split_columns(3, {1, 1, 1, 1, 1, 1})) ==
        Counts{1, 0, 1, 0, 1, 0});  // more devices than columns
  CHECK(counts(split_columns(1000, {1, 1e-9})) == Counts{1000, 0});
  CHECK(counts(split_columns(1000, {27, 14}, 64)) == Counts{640, 360});  // 658.5 is nearest to 640
  CHECK(counts(split_columns(100, {27, 14}, 64)) == Counts{64, 36});
  CHECK(counts(split_columns(30, {1, 1}, 64)) == Counts{0, 30});
  CHECK(counts(split_columns(30, {1, 1, 0}, 64)) == Counts{0, 30, 0});
}

TEST_CASE("any cut covers all columns once, in order, near its share, the same for scaled shares") {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    const std::int64_t columns = std::uniform_int_distribution<std::int64_t>(0, 300)(random);
    const std::int64_t granularity = std::uniform_int_distribution<std::int64_t>(1, 70)(random);
    std::vector<double> shares(std::uniform_int_distribution<std::size_t>(1, 9)(random));
    for (double& part : shares) part = std::max(0, std::uniform_int_distribution<int>(-3, 9)(random));
    if (sum(shares) == 0) shares.back() = 1;
    CAPTURE(round, columns, granularity, shares);
    const auto ranges = split_columns(columns, shares, granularity);
    REQUIRE(ranges.size() == shares.size());
    std::int64_t next = 0;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      CHECK(ranges[i].first == next);
      CHECK(ranges[i].count >= 0);
      if (shares[i] == 0) CHECK(ranges[i].count == 0);
      const double fair = static_cast<double>(columns) * shares[i] / sum(shares);
      CHECK(std::fabs(static_cast<double>(ranges[i].count) - fair) <=
            static_cast<double>(granularity) + 1e-9);
      next = ranges[i].end();
    }
    CHECK(next == columns);
    std::vector<double> scaled = shares;
    for (double& part : scaled) part *= 1024;
    CHECK(split_columns(columns, scaled, granularity) == ranges);
  }
}

TEST_CASE("an impossible cut is refused") {
  CHECK_THROWS_AS(split_columns(-1, {1}), InvalidArgument);
  CHECK_THROWS_AS(split_columns(1, {1}, 0), InvalidArgument);
  CHECK_THROWS_AS(split_columns(1, {}), InvalidArgument);
  CHECK_THROWS_AS(split_columns(1, {0, 0}), InvalidArgument);
  CHECK_THROWS_AS(split_columns(1, {1, -1}), InvalidArgument);
  CHECK_THROWS_AS(split_columns(1, {1, std::nan("")}), InvalidArgument);
  CHECK_THROWS_AS(split_columns(1, {1e308, 1e308}), InvalidArgument);
}

TEST_CASE("devices finish together in proportion to their rates") {
  const BalancedShares plan = finish_together(4100, {{0, 1.0 / 27}, {0, 1.0 / 14}});  // the paper's GTX 1080
  CHECK(plan.shares[0] == Approx(2700));
  CHECK(plan.shares[1] == Approx(1400));
  CHECK(plan.seconds[0] == Approx(100));
  CHECK(plan.seconds[1] == Approx(100));
  CHECK(plan.total == Approx(100));
}

TEST_CASE("time before a device's first column reduces its share") {
  // 1000 columns at 1 a second, and a second device of the same speed that starts after 200 seconds: 600 and 400.
  const BalancedShares plan = finish_together(1000, {{0, 1}, {200, 1}});
  CHECK(plan.shares[0] == Approx(600));
  CHECK(plan.shares[1] == Approx(400));
  CHECK(plan.total == Approx(600));
}

TEST_CASE("the cost of a device's column") {
  const DeviceCost here = cost_of(1e9, 1e12, 1e9, 1e6, 0);  // nothing is copied
  CHECK(here.fixed_seconds == 0);
  CHECK(here.column_seconds == Approx(1e-3));
  const DeviceCost there = cost_of(1e9, 1e12, 1e9, 1e6, 1e10);
  CHECK(there.fixed_seconds == Approx(0.1));
  CHECK(there.column_seconds == Approx(1e-3));
  CHECK(there.seconds(1000) == Approx(1.1));  // the copies of columns hide behind their products
  CHECK(cost_of(1e9, 1e12, 1e9, 1e8, 1e10).seconds(1000) ==
        Approx(10.1));  // the products hide behind the copies
  const DeviceCost in_steps = cost_of(1e9, 1e12, 1e9, 1e6, 1e10, 10);
  CHECK(in_steps.seconds(1000) == Approx(1.01));  // ten steps, the first of which is not hidden
  CHECK(in_steps.seconds(10) == Approx(0.101));   // all are copied, for any number of columns
  CHECK(std::isinf(cost_of(1e9, 0, 0, 0, 1e10).column_seconds));
}

TEST_CASE("the columns that a device completes in a time take it that time") {
  for (const DeviceCost& cost :
       {DeviceCost{0, 2}, DeviceCost{3, 2}, DeviceCost{1, 2, 5, 1}, DeviceCost{1, 2, 5, 4}})
    for (const double columns : {1.0, 10.0, 1000.0}) {
      CAPTURE(cost.fixed_seconds, cost.copies_seconds, columns);
      const double seconds = cost.seconds(columns);
      CHECK(cost.columns(seconds) >= columns * (1 - 1e-15));
      CHECK(cost.columns(seconds * 0.999) < columns);
    }
  CHECK(DeviceCost{1, 2}.columns(1) == 0);
  CHECK(DeviceCost{1, 2, 5, 1}.columns(4) == 0);
  CHECK(DeviceCost{0, 1, 7, 0}.columns(7) == 0);
  CHECK(DeviceCost{0, 1, 7, 0}.columns(8) == 8);
}

TEST_CASE("a device that waits for its copies gets the columns for which they leave time") {
  // 1000 columns at 1 a second, and a second device of the same speed that is busy with copies for 300 seconds in addition to its
  // products.
  const BalancedShares hidden = finish_together(1000, {{0, 1}, {0, 1, 300, 0.1}});
  CHECK(hidden.shares[1] == Approx(500));
  CHECK(hidden.total == Approx(500));
  CHECK(finish_together(1000, {{0, 1}, {0, 1, 1000, 0.1}}).shares == std::vector<double>{1000, 0});
  // The second device has copies for 700 seconds and finishes with them; the first one finishes before.
  const BalancedShares late = finish_together(1000, {{0, 1}, {0, 1, 700, 0}});
  CHECK(sum(late.shares) == Approx(1000));
  CHECK(late.total == Approx(700));
}

TEST_CASE("a device that saves no more time than its joining takes is left out") {
  const BalancedShares joined = finish_together(1000, {{0, 1}, {0, 4, 0, 0, 100}});
  CHECK(joined.shares[0] == Approx(800));
  CHECK(joined.shares[1] == Approx(200));
  CHECK(joined.seconds[1] == Approx(800));
  CHECK(joined.total == Approx(900));
  CHECK(finish_together(1000, {{0, 1}, {0, 4, 0, 0, 190}}).shares == std::vector<double>{1000, 0});
  CHECK(finish_together(1000, {{0, 1}, {0, 4, 0, 0, 190}}).total == Approx(1000));
  // It costs nothing in addition to a device that joins slowly anyway.
  const BalancedShares three = finish_together(1000, {{0, 1}, {0, 1, 0, 0, 190}, {0, 4, 0, 0, 190}});
  CHECK(three.shares[2] > 0);
  CHECK(three.total == Approx(1000.0 / 2.25 + 190));
  CHECK(finish_together(1000, {{0, 1, 0, 0, 5000}}).total == Approx(1000));  // alone: no device joins
}

TEST_CASE("a share that does not pay becomes zero") {
  CHECK(finish_together(1000, {{0, 1}, {1000, 1}}).shares ==
        std::vector<double>{1000, 0});  // starts too late
  CHECK(finish_together(1000, {{0, 1}, {0, 200}}).shares ==
        std::vector<double>{1000, 0});                                               // gains half a percent
  CHECK(finish_together(1000, {{0, 1}, {0, 40}}).shares[1] == Approx(1000.0 / 41));  // gains 2.5 percent
  CHECK(finish_together(1000, {{0, 1}, {0, infinity}}).shares == std::vector<double>{1000, 0});
  CHECK(finish_together(1000, {{infinity, 1}, {0, 2}}).shares == std::vector<double>{0, 1000});
  CHECK(finish_together(1000, {{0, 1}, {0, 9}}, 200).shares ==
        std::vector<double>{1000, 0});  // 100 columns are too few
  CHECK(finish_together(1000, {{0, 1}, {0, 1e-6}}).shares ==
        std::vector<double>{0, 1000});  // the first one too
  // Two helpers gain together but not each alone: one remains.
  const BalancedShares three = finish_together(1000, {{0, 1}, {0, 120}, {0, 120}});
  CHECK(sum(three.shares) == Approx(1000));
  CHECK(three.total <= 1000);
  CHECK_THROWS_AS(finish_together(1000, {}), InvalidArgument);
  CHECK_THROWS_AS(finish_together(1000, {{0, infinity}, {0, 0}}), InvalidArgument);
}

TEST_CASE("a plan is never slower than one device, and its shares are a ratio") {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> exponent(-3, 3);
  for (int round = 0; round < 1000; ++round) {
    std::vector<DeviceCost> costs(std::uniform_int_distribution<std::size_t>(1, 6)(random));
    for (DeviceCost& cost : costs) cost = {std::pow(10, exponent(random)), std::pow(10, exponent(random))};
    const std::int64_t columns = std::uniform_int_distribution<std::int64_t>(0, 1000)(random);
    const BalancedShares plan = finish_together(columns, costs);
    CAPTURE(round, columns, plan.shares);
    const auto ranges = split_columns(columns, plan.shares);
    CHECK(ranges.back().end() == columns);
    if (columns == 0) continue;
    CHECK(sum(plan.shares) == Approx(static_cast<double>(columns)));
    double alone = infinity;
    for (const DeviceCost& cost : costs)
      alone = std::min(alone, cost.fixed_seconds + static_cast<double>(columns) * cost.column_seconds);
    // Each device that is left out may cost this factor.
    CHECK(plan.total <= alone * std::pow(1 + min_gain_of_a_share, static_cast<double>(costs.size())));
    for (std::size_t i = 0; i < costs.size(); ++i)
      if (plan.shares[i] > 0) CHECK(plan.seconds[i] == Approx(plan.total));
  }
}
