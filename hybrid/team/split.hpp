// Division of columns among devices: split_columns() cuts them by given shares, finish_together() computes the shares with
// which all devices finish at the same time. Pure functions; no GPU is needed.
// Source: Eigen-G (IPSJ SIG), which gives each GPU a fixed ratio GPU:CPU, for example 27:14.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace eigen_g {

struct ColumnRange {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t end() const { return first + count; }
  friend bool operator==(const ColumnRange&, const ColumnRange&) = default;
};

// Cuts columns 0 ... columns - 1 into one range for each device, in order, without gap or overlap. `shares` are the proportions
// of the devices. Range ends are rounded to the nearest multiple of `granularity`; the last device with a positive share also
// has the remaining columns. A range is empty if its share is 0 or is rounded to nothing.
// Throws InvalidArgument if a share is negative or not finite, if all are 0 or their sum overflows, if columns < 0 or
// granularity < 1.
std::vector<ColumnRange> split_columns(std::int64_t columns, const std::vector<double>& shares,
                                       std::int64_t granularity = 1);

// The time that a device needs for c > 0 columns. Computation and copies overlap, so the time is that of the slower one:
//
//   max(fixed_seconds + c column_seconds, copies_seconds + c column_copy_seconds)
//
// A device that cannot take part has an infinite value in one of them.
struct DeviceCost {
  double fixed_seconds = 0;   // time before its first product
  double column_seconds = 0;  // > 0
  double copies_seconds = 0;  // copies that are needed for every share
  double column_copy_seconds = 0;
  // Time by which every device finishes later if this one takes part next to others: threads wake up, events pass.
  double team_overhead_seconds = 0;
  double seconds(double columns) const;
  double columns(double seconds) const;  // number of columns that it finishes in this time
};

// The cost of a device that computes at `flops` flop/s and has a link of `link` bytes/s. A column takes `column_flops`;
// `column_bytes` are copied to the device for each column, and the same number back at the same time. `common_bytes` are copied
// for any share, in `steps` equal parts; no product overlaps the first part. link = 0: nothing is copied. flops = 0: the device
// cannot take part.
DeviceCost cost_of(double column_flops, double flops, double common_bytes, double column_bytes, double link,
                   double steps = 1);

struct BalancedShares {
  std::vector<double> shares;   // columns of each device, not rounded; their sum is `columns`
  std::vector<double> seconds;  // time of each device; 0 without a share
  double total = 0;             // time at which the last device finishes
};

// The shares with which all devices that have one finish at the same time. Devices are left out one by one, the least useful
// first. This goes on while that device would get fewer than `min_columns`, or while the others alone would need at most a
// fraction `min_gain` more time. A share that does not pay for its copies thus becomes 0. The largest team_overhead_seconds of the
// devices with a share is added to the total. The fastest device always keeps a share.
// Throws InvalidArgument if no device can take part.
inline constexpr double min_gain_of_a_share = 0.02;
BalancedShares finish_together(std::int64_t columns, const std::vector<DeviceCost>& costs,
                               double min_columns = 1, double min_gain = min_gain_of_a_share);

}  // namespace eigen_g
