// Tests of the shares of a solve's products over its devices. No GPU is needed.
#include "solver/devices/shares.hpp"

#include "solver/back/reflector_blocks.hpp"
#include "solver/tridiagonal/dc_products.hpp"

#include <numeric>

#include "hybrid/error.hpp"
#include "tests/support/catch.hpp"

using namespace eigen_g;

namespace {

DeviceRates gpu(int index, double flops, double link) {
  DeviceRates rates;
  rates.device.kind = DeviceKind::gpu;
  rates.device.index = index;
  rates.device.multiprocessors = 100;
  rates.products = {{"native", 4096, 4096, 4096, flops}};
  rates.to_device = rates.from_device = link;
  rates.to_first = rates.from_first = link;
  return rates;
}

DeviceRates cpu(double flops) {
  DeviceRates rates;
  rates.device.cores = 16;
  rates.products = {{"native", 4096, 4096, 4096, flops}};
  return rates;
}

Calibration machine(double gpu_flops, double cpu_flops) {
  Calibration c;
  c.devices = {cpu(cpu_flops), gpu(0, gpu_flops, 50e9), gpu(1, gpu_flops, 300e9)};
  return c;
}

std::string refused(const Calibration& calibration, int first, const std::vector<int>& gpus) {
  try {
    team_rates(calibration, first, gpus, 100);
  } catch (const InvalidArgument& error) {
    return name(error.argument());
  }
  return "";
}

double sum(const std::vector<double>& shares) {
  return std::accumulate(shares.begin(), shares.end(), 0.0);
}

const ColumnProducts merge = merge_products(4000, 4000, 4000, 4000, 8000);

}  // namespace

TEST_CASE("a merge's two products: flops of a column, and copied bytes") {
  const ColumnProducts p = merge_products(30, 10, 20, 25, 7);
  CHECK(p.columns == 7);
  CHECK(p.column_flops == 2.0 * (30 * 10 + 20 * 25));
  CHECK(p.common_bytes == 8.0 * (30 * 10 + 20 * 25));
  CHECK(p.column_bytes == 8.0 * 50);
  CHECK(p.steps == 2);
  CHECK(merge_products(1, 1024, 1, 1025, 1).steps == 5);
}

TEST_CASE("the products of the back-transformation have the sizes of its blocks") {
  for (const std::int64_t n : {257, 1000, 8000})
    for (const std::int64_t width : {64, 256}) {
      CAPTURE(n, width);
      double flops = 0, bytes = 0, blocks = 0;
      for (std::int64_t first = 0; first < n - 1; first += width) {
        const auto rows = static_cast<double>(n - first),
                   columns = static_cast<double>(std::min(width, n - 1 - first));
        flops += 4 * rows * columns + 2 * columns * columns;
        bytes += 8 * (rows * columns + columns * columns);
        ++blocks;
      }
      const ColumnProducts p = back_transform_products(n, width, 50);
      CHECK(p.work == TeamWork::reflectors);
      CHECK(p.columns == 50);
      CHECK(p.column_bytes == 8.0 * static_cast<double>(n));
      CHECK(p.column_flops == Approx(flops));
      CHECK(p.common_bytes == Approx(bytes));
      CHECK(p.steps == blocks);
    }
}

TEST_CASE("a team has the requested devices, the CPU last") {
  const Calibration c = machine(1e12, 2e11);
  const TeamRates team = team_rates(c, 1, {0}, 25);
  REQUIRE(team.devices.size() == 3);
  CHECK(team.devices[0].device.index == 1);
  CHECK(team.devices[1].device.index == 0);
  CHECK(team.devices[2].device.kind == DeviceKind::cpu);
  CHECK(refused(c, 0, {2}) == "calibration");
  CHECK(refused(c, 2, {}) == "calibration");
  Calibration without = c;
  without.devices[1].products.clear();
  CHECK(refused(without, 0, {1}) == "calibration");
  without.devices.erase(without.devices.begin());
  CHECK(refused(without, 1, {}) == "calibration");
}

TEST_CASE("shares follow the rates, and a small one becomes 0") {
  // A CPU at about a fifth of the GPU gets a sixth.
  const BalancedShares weak = plan_of(team_rates(machine(3.4e12, 0.65e12), 0, {}, 100), merge);
  CHECK(sum(weak.shares) == Approx(8000));
  CHECK(weak.shares[1] > 0.12 * 8000);
  CHECK(weak.shares[1] < 0.65 / (3.4 + 0.65) * 8000);
  const double alone = merge.column_flops * 8000 / 3.4e12;
  CHECK(weak.total < alone / 1.12);
  // A CPU at a hundredth of it does not pay.
  CHECK(plan_of(team_rates(machine(65e12, 0.65e12), 0, {}, 100), merge).shares[1] == 0);
  // A part of the multiprocessors has the same part of the rate: a tenth of a GPU of 34 TFLOP/s equals the first case.
  const BalancedShares cut = plan_of(team_rates(machine(34e12, 0.65e12), 0, {}, 10), merge);
  CHECK(cut.shares[1] == Approx(weak.shares[1]));
  // Two equal GPUs get nearly equal shares.
  const BalancedShares two = plan_of(team_rates(machine(50e12, 0.65e12), 0, {1}, 100), merge);
  CHECK(two.shares[1] > 0.4 * 8000);
  CHECK(two.shares[1] <= 0.5 * 8000);
  CHECK(two.shares[2] == 0);
}

TEST_CASE("a helper GPU with little memory gets a share that fits, the others do the rest") {
  const auto shares = [](std::uint64_t free) {
    TeamRates team = team_rates(machine(50e12, 5e12), 0, {1}, 100);
    team.devices[1].device.memory_free = free;
    return plan_of(team, merge).shares;
  };
  const std::vector<double> unknown = shares(0), much = shares(std::uint64_t{40} << 30),
                            little = shares(std::uint64_t{100} << 20), none = shares(1 << 20);
  CHECK(much == unknown);
  CHECK(little[1] > 100);
  CHECK(little[1] <= columns_that_fit(merge, std::uint64_t{100} << 20));
  CHECK(little[1] * (8000 + 1024) * 8 < (100 << 20));
  CHECK(little[1] < unknown[1]);
  CHECK(little[0] > unknown[0]);
  CHECK(sum(little) == Approx(8000));
  CHECK(none[1] == 0);
  CHECK(sum(none) == Approx(8000));
  Calibration three = machine(50e12, 5e12);
  three.devices.push_back(gpu(2, 50e12, 300e9));
  TeamRates team = team_rates(three, 0, {1, 2}, 100);
  team.devices[1].device.memory_free = team.devices[2].device.memory_free = std::uint64_t{100} << 20;
  const std::vector<double> both = plan_of(team, merge).shares;
  CHECK(both[1] == little[1]);
  CHECK(both[2] == little[1]);
  CHECK(sum(both) == Approx(8000));

  const ColumnProducts back = back_transform_products(8000, 256, 8000);
  CHECK(columns_that_fit(back, 1 << 20) == 0);
  CHECK(columns_that_fit(back, std::uint64_t{1} << 30) * (8000 + 512) * 8 < std::uint64_t{1} << 30);
}

TEST_CASE("the shares and predicted seconds of a given ratio") {
  const std::vector<DeviceCost> costs{{0, 1e-3}, {0.5, 2e-3}};
  const BalancedShares plan = plan_of(costs, 1000, parse_ratio("3:1"));
  CHECK(plan.shares == std::vector<double>{750, 250});
  CHECK(plan.seconds[0] == Approx(0.75));
  CHECK(plan.seconds[1] == Approx(1));
  CHECK(plan.total == Approx(1));
  CHECK(plan_of(costs, 1000, parse_ratio("1:0")).seconds == std::vector<double>{1, 0});
  CHECK(plan_of(costs, 1000, {}).total < 1);
}

TEST_CASE("a solve cuts by a given ratio, by rates, or not at all") {
  CHECK(ShareRule().of(merge).empty());
  CHECK(ShareRule(parse_ratio("27:14")).of(merge) == std::vector<double>{27, 14});
  CHECK(ShareRule(parse_ratio("0:1")).of(merge) == std::vector<double>{0, 1});
  CHECK(ShareRule(parse_ratio("1:0")).of(merge).empty());
  CHECK(ShareRule(parse_ratio("auto")).of(merge).empty());
  const TeamRates weak = team_rates(machine(3.4e12, 0.65e12), 0, {}, 100);
  CHECK(ShareRule(weak).of(merge) == plan_of(weak, merge).shares);
  CHECK(ShareRule(team_rates(machine(65e12, 0.65e12), 0, {}, 100)).of(merge).empty());
  CHECK(ShareRule(parse_ratio("1:1")).of(merge_products(10, 10, 10, 10, 0)).empty());
  CHECK(ShareRule(weak).of(merge_products(10, 0, 10, 0, 5)).empty());
}
