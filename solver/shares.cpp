#include "solver/shares.hpp"

#include <algorithm>

#include "hybrid/error.hpp"

namespace eigen_g {

namespace {

constexpr double element = sizeof(double);

// Whatever a device beside the first needs before its first product and after its last: a thread wakes up, the first block
// arrives, events pass.
constexpr double start_seconds = 1e-4;

double native_rate(const DeviceRates& rates, const ColumnProducts& p) {
  return product_rate(rates, "native", p.rows, static_cast<double>(p.columns), p.inner);
}

double link_of(const DeviceRates& device, const DeviceRates& first) {
  return device.device.kind == DeviceKind::gpu ? std::min(device.from_first, device.to_first)
                                               : std::min(first.to_device, first.from_device);
}

}  // namespace

ColumnProducts merge_products(std::int64_t upper, std::int64_t upper_inner, std::int64_t lower,
                              std::int64_t lower_inner, std::int64_t columns) {
  const double entries = static_cast<double>(upper) * static_cast<double>(upper_inner) +
                         static_cast<double>(lower) * static_cast<double>(lower_inner);
  ColumnProducts p;
  p.columns = columns;
  p.column_flops = 2 * entries;
  p.rows = static_cast<double>(std::max(upper, lower));
  p.inner = static_cast<double>(std::max(upper_inner, lower_inner));
  p.common_bytes = element * entries;
  p.column_bytes = element * static_cast<double>(std::max(upper + lower, upper_inner + lower_inner));
  return p;
}

ColumnProducts back_transform_products(std::int64_t n, std::int64_t width, std::int64_t m) {
  const auto order = static_cast<double>(n), block = static_cast<double>(width);
  const double entries = order * (order + block) / 2;  // of V, block after block
  ColumnProducts p;
  p.columns = m;
  p.column_flops = 4 * entries + 2 * order * block;
  p.rows = order;
  p.inner = block;
  p.common_bytes = element * (entries + order * block);
  p.column_bytes = element * order;
  return p;
}

TeamRates team_rates(const Calibration& calibration, int first_gpu, const std::vector<int>& gpus,
                     int multiprocessors) {
  const auto find = [&](DeviceKind kind, int index) -> const DeviceRates& {
    for (const DeviceRates& rates : calibration.devices)
      if (rates.device.kind == kind && (kind == DeviceKind::cpu || rates.device.index == index)) return rates;
    throw InvalidArgument("calibration", kind == DeviceKind::cpu ? std::string("has no CPU")
                                                                 : "has no GPU " + std::to_string(index));
  };
  TeamRates team;
  team.devices.push_back(find(DeviceKind::gpu, first_gpu));
  for (const int gpu : gpus) team.devices.push_back(find(DeviceKind::gpu, gpu));
  team.devices.push_back(find(DeviceKind::cpu, 0));
  const DeviceRates& first = team.devices.front();
  if (product_rate(first, "native", 1, 1, 1) <= 0 || first.device.cores < 1)
    throw InvalidArgument("calibration", "has no rate of products of GPU " + std::to_string(first_gpu));
  team.part = static_cast<double>(multiprocessors) / first.device.cores;
  return team;
}

std::vector<DeviceCost> costs_of(const TeamRates& team, const ColumnProducts& p) {
  const DeviceRates& first = team.devices.front();
  std::vector<DeviceCost> costs{cost_of(p.column_flops, team.part * native_rate(first, p), 0, 0, 0)};
  for (std::size_t i = 1; i < team.devices.size(); ++i) {
    const DeviceRates& device = team.devices[i];
    costs.push_back(cost_of(p.column_flops, native_rate(device, p), p.common_bytes, p.column_bytes,
                            link_of(device, first)));
    costs.back().fixed_seconds += start_seconds;
  }
  return costs;
}

SharePlan plan_of(const TeamRates& team, const ColumnProducts& products) {
  return finish_together(products.columns, costs_of(team, products));
}

std::vector<double> Shares::of(const ColumnProducts& products) const {
  if (products.columns == 0 || products.column_flops <= 0) return {};
  std::vector<double> parts = !forced_.automatic()     ? forced_.parts
                              : !team_.devices.empty() ? plan_of(team_, products).parts
                                                       : std::vector<double>{};
  const bool alone =
      parts.empty() || std::all_of(parts.begin() + 1, parts.end(), [](double part) { return part == 0; });
  return alone ? std::vector<double>{} : parts;
}

}  // namespace eigen_g
