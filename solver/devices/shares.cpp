#include "solver/devices/shares.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "gemm_df/engines/engine.hpp"
#include "gemm_df/tuning.hpp"
#include "hybrid/error.hpp"
#include "solver/devices/tuning.hpp"

namespace eigen_g {

namespace {

double link_of(const DeviceRates& device, const DeviceRates& first) {
  return device.device.kind == DeviceKind::gpu ? std::min(device.from_first, device.to_first)
                                               : std::min(first.to_device, first.from_device);
}

}  // namespace

TeamRates team_rates(const Calibration& calibration, int first_gpu, const std::vector<int>& gpus,
                     int multiprocessors) {
  const auto find = [&](DeviceKind kind, int index) -> const DeviceRates& {
    for (const DeviceRates& rates : calibration.devices)
      if (rates.device.kind == kind && (kind == DeviceKind::cpu || rates.device.index == index)) return rates;
    throw InvalidArgument(Argument::calibration, kind == DeviceKind::cpu
                                                     ? std::string("has no CPU")
                                                     : "has no GPU " + std::to_string(index));
  };
  TeamRates team;
  team.devices.push_back(find(DeviceKind::gpu, first_gpu));
  for (const int gpu : gpus) team.devices.push_back(find(DeviceKind::gpu, gpu));
  team.devices.push_back(find(DeviceKind::cpu, 0));
  const DeviceRates& first = team.devices.front();
  if (product_rate(first, name(Engine::native), 1, 1, 1) <= 0 || first.device.multiprocessors < 1)
    throw InvalidArgument(Argument::calibration,
                          "has no rate of products of GPU " + std::to_string(first_gpu));
  team.multiprocessors = multiprocessors;
  return team;
}

std::vector<DeviceCost> costs_of(const TeamRates& team, const ColumnProducts& p) {
  const DeviceRates& first = team.devices.front();
  const auto columns = static_cast<double>(p.columns);
  const auto flops = [&](const DeviceRates& device, int multiprocessors, double some) {
    return team_rate(device, p.work, multiprocessors, p.rows, some, p.inner);
  };
  std::vector<DeviceCost> costs{
      cost_of(p.column_flops, flops(first, team.multiprocessors, columns), 0, 0, 0)};
  for (std::size_t i = 1; i < team.devices.size(); ++i) {
    const DeviceRates& device = team.devices[i];
    const bool cpu = device.device.kind == DeviceKind::cpu;  // a CPU gets few columns
    const double rate = cpu ? cpu_tuning().planned_rate * flops(device, device.device.cores, columns / 8)
                            : flops(device, device.device.multiprocessors, columns);
    costs.push_back(
        cost_of(p.column_flops, rate, p.common_bytes, p.column_bytes, link_of(device, first), p.steps));
    costs.back().team_overhead_seconds = device.team_overhead_seconds;
  }
  return costs;
}

BalancedShares plan_of(const std::vector<DeviceCost>& costs, std::int64_t columns, const Ratio& ratio) {
  if (ratio.automatic()) return finish_together(columns, costs);
  const double all = std::accumulate(ratio.shares.begin(), ratio.shares.end(), 0.0);
  BalancedShares plan{ratio.shares, std::vector<double>(costs.size()), 0};
  for (std::size_t i = 0; i < costs.size(); ++i) {
    plan.shares[i] *= static_cast<double>(columns) / all;
    if (plan.shares[i] > 0) plan.seconds[i] = costs[i].seconds(plan.shares[i]);
    plan.total = std::max(plan.total, plan.seconds[i]);
  }
  return plan;
}

double columns_that_fit(const ColumnProducts& p, std::uint64_t bytes) {
  const double blocks = 2 * p.common_bytes / p.steps;
  constexpr double reserve = 0.1;  // for padding and other users of the memory
  return std::max(0.0, ((1 - reserve) * static_cast<double>(bytes) - blocks) /
                           (p.column_bytes + sizeof(double) * p.beside));
}

BalancedShares plan_of(const TeamRates& team, const ColumnProducts& products, const Ratio& ratio) {
  std::vector<DeviceCost> costs = costs_of(team, products);
  if (!products.on_cpu) costs.back().column_seconds = std::numeric_limits<double>::infinity();
  if (!ratio.automatic()) return plan_of(costs, products.columns, ratio);
  // full: the shares of the devices whose memory is full. rest: the columns that are left for the others.
  BalancedShares full{std::vector<double>(costs.size()), std::vector<double>(costs.size()), 0};
  std::int64_t rest = products.columns;
  for (;;) {
    BalancedShares plan = finish_together(rest, costs);
    std::size_t i = 1;
    std::int64_t fitting = 0;
    for (; i < costs.size(); ++i) {
      const Device& device = team.devices[i].device;
      if (device.kind == DeviceKind::cpu || device.memory_free == 0) continue;
      fitting = static_cast<std::int64_t>(columns_that_fit(products, device.memory_free));
      if (plan.shares[i] > static_cast<double>(fitting)) break;
    }
    if (i == costs.size()) {
      for (std::size_t j = 0; j < costs.size(); ++j) {
        plan.shares[j] += full.shares[j];
        plan.seconds[j] += full.seconds[j];
        plan.total = std::max(plan.total, full.seconds[j]);
      }
      return plan;
    }
    if (fitting >= column_granularity) {
      full.shares[i] = static_cast<double>(fitting);
      full.seconds[i] = costs[i].seconds(full.shares[i]);
      rest -= fitting;
    }
    costs[i].column_seconds = std::numeric_limits<double>::infinity();  // its memory is full
  }
}

std::vector<double> ShareRule::of(const ColumnProducts& products) const {
  if (products.columns == 0 || products.column_flops <= 0) return {};
  std::vector<double> shares = !forced_.automatic()     ? forced_.shares
                               : !team_.devices.empty() ? plan_of(team_, products).shares
                                                        : std::vector<double>{};
  if (!products.on_cpu && !shares.empty()) shares.back() = 0;
  const bool alone =
      shares.empty() || std::all_of(shares.begin() + 1, shares.end(), [](double part) { return part == 0; });
  return alone ? std::vector<double>{} : shares;
}

}  // namespace eigen_g
