// Which share of a solve's large products each of its devices gets, by the rates that a calibration holds. Pure: needs no
// GPU. Two kinds of products are cut over devices, by columns of the result:
//
//   merge           Q := [C_upper U_upper; C_lower U_lower]   C goes to every device, a column of U there, of Q back
//   back-transform  Z := ... H_1 H_0 Z                        the reflectors go to every device, a column there and back
#pragma once

#include <cstdint>
#include <vector>

#include "hybrid/team/split.hpp"
#include "solver/api/types.hpp"
#include "solver/devices/calibration.hpp"

namespace eigen_g {

// Columns of a product's result to which a cut is rounded: tiles of the products are full.
inline constexpr std::int64_t column_granularity = 32;

// Products on columns, as planning sees them.
struct ColumnProducts {
  TeamWork work = TeamWork::product;
  std::int64_t columns = 0;
  double column_flops = 0;     // of one column
  double rows = 0, inner = 0;  // the shape by which a rate is looked up
  double common_bytes = 0;     // to every device beside the first, whatever its share
  double column_bytes = 0;     // of a column, there, and as many back
  double steps = 1;            // in which the common bytes come
  double beside = 0;           // values of scratch memory a column
  bool on_cpu = true;          // the CPU can take columns
};

// The devices of a solve: the GPU that holds the matrices, further GPUs, the CPU. Where a further GPU's memory_free is set, it
// gets a share that fits.
struct TeamRates {
  std::vector<DeviceRates> devices;
  int multiprocessors = 0;  // of the first GPU, in use
  double part() const { return static_cast<double>(multiprocessors) / devices.front().device.cores; }
};

// first_gpu, gpus: CUDA's numbers. multiprocessors: of the first GPU, in use. Throws InvalidArgument(Argument::calibration) where it
// lacks a device or the rate of its products.
TeamRates team_rates(const Calibration& calibration, int first_gpu, const std::vector<int>& gpus,
                     int multiprocessors);

// What a column takes on each device, native products everywhere.
std::vector<DeviceCost> costs_of(const TeamRates& team, const ColumnProducts& products);

// The shares with which all finish together (split.hpp), or those of a ratio that is not automatic.
SharePlan plan_of(const std::vector<DeviceCost>& costs, std::int64_t columns, const Ratio& ratio);
SharePlan plan_of(const TeamRates& team, const ColumnProducts& products, const Ratio& ratio = {});

// Columns of which a device beside the first can keep its copies, and what works on them, in so many bytes.
double columns_that_fit(const ColumnProducts& products, std::uint64_t bytes);

// How a solve cuts its products: by a ratio as it stands, by rates, or not at all.
class Shares {
 public:
  Shares() = default;  // the first device alone
  explicit Shares(Ratio forced) : forced_(std::move(forced)) {}
  explicit Shares(TeamRates team) : team_(std::move(team)) {}
  // A share a device; empty: the first one does it alone.
  std::vector<double> of(const ColumnProducts& products) const;

 private:
  Ratio forced_;
  TeamRates team_;
};

}  // namespace eigen_g
