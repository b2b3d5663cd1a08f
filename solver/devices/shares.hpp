// The share that each device gets of a solve's large products, by the rates of a calibration. Needs no GPU. Two kinds of products are cut
// over devices, by columns of the result:
//
//   merge           Q := [C_upper U_upper; C_lower U_lower]   every device gets C; a column of U is copied there, a column of Q back
//   back-transform  Z := ... H_1 H_0 Z                        every device gets the reflectors; a column is copied there and back
#pragma once

#include <cstdint>
#include <vector>

#include "hybrid/team/split.hpp"
#include "solver/api/types.hpp"
#include "solver/devices/calibration.hpp"

namespace eigen_g {

// A cut is rounded to this number of columns, so that the tiles of the products are full.
inline constexpr std::int64_t column_granularity = 32;

// A set of products on columns, as far as the planning of shares needs it.
struct ColumnProducts {
  TeamWork work = TeamWork::product;
  std::int64_t columns = 0;
  double column_flops = 0;     // flops of one column
  double rows = 0, inner = 0;  // the shape for which a rate is looked up
  double common_bytes = 0;     // bytes that every helper gets, independent of its share
  double column_bytes = 0;     // bytes of one column that are copied to a helper, and back
  double steps = 1;            // steps in which the common bytes are sent
  double beside = 0;           // scratch values per column
  bool on_cpu = true;          // true: the CPU can take columns
};

// The devices of a solve: the first GPU, the helper GPUs, the CPU. If a helper GPU's memory_free is set, it gets a share that fits into it.
struct TeamRates {
  std::vector<DeviceRates> devices;
  int multiprocessors = 0;  // number in use on the first GPU
  double part() const {
    return static_cast<double>(multiprocessors) / devices.front().device.multiprocessors;
  }
};

// The rates of a solve's devices from a calibration.
//   first_gpu, gpus   CUDA's numbers of the first GPU and of the helper GPUs
//   multiprocessors   number in use on the first GPU
// Throws InvalidArgument(Argument::calibration) if the calibration lacks a device or the first GPU's product rate.
TeamRates team_rates(const Calibration& calibration, int first_gpu, const std::vector<int>& gpus,
                     int multiprocessors);

// The cost of a column on each device, with native products on all devices.
std::vector<DeviceCost> costs_of(const TeamRates& team, const ColumnProducts& products);

// The shares with which all devices finish together (split.hpp); the shares of `ratio` if it is not automatic.
BalancedShares plan_of(const std::vector<DeviceCost>& costs, std::int64_t columns, const Ratio& ratio);
BalancedShares plan_of(const TeamRates& team, const ColumnProducts& products, const Ratio& ratio = {});

// The largest number of columns for which a helper has room in `bytes` bytes: copies of the columns, scratch and common data.
double columns_that_fit(const ColumnProducts& products, std::uint64_t bytes);

// The rule by which a solve cuts its products: by a given ratio, by rates, or not at all.
class ShareRule {
 public:
  ShareRule() = default;  // the first device works alone
  explicit ShareRule(Ratio forced) : forced_(std::move(forced)) {}
  explicit ShareRule(TeamRates team) : team_(std::move(team)) {}
  // The share of each device; empty: the first device works alone.
  std::vector<double> of(const ColumnProducts& products) const;

 private:
  Ratio forced_;
  TeamRates team_;
};

}  // namespace eigen_g
