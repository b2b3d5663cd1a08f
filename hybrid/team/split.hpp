// How a range of columns is cut over a list of devices by a ratio, and which ratio makes them finish together. Pure:
// needs no GPU. Source: Eigen-G (IPSJ SIG), which gives each GPU a fixed ratio GPU:CPU such as 27:14.
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

// Cuts columns 0 ... columns - 1 into one range a share, in order, without gap or overlap. Where a range ends is rounded
// to the nearest multiple of `granularity`, and the last device with a share takes the ragged end; a share that rounds
// to nothing, or is 0, has an empty range. Throws InvalidArgument for shares that a Ratio may not have, columns < 0,
// granularity < 1.
std::vector<ColumnRange> split_columns(std::int64_t columns, const std::vector<double>& parts,
                                       std::int64_t granularity = 1);

// Time that a device takes for c > 0 columns, in which it works and its copies travel side by side:
//
//   max(fixed + c * column, copies + c * column_copy)
//
// A device that cannot take part has an infinite one.
struct DeviceCost {
  double fixed_seconds = 0;   // before its first product
  double column_seconds = 0;  // > 0
  double copies_seconds = 0;  // of what travels whatever its share
  double column_copy_seconds = 0;
  double joining_seconds =
      0;  // by which all end later if it takes part beside others: threads wake up, events pass
  double seconds(double columns) const;
  double columns(double seconds) const;  // that it manages in this time
};

// A device that computes a column of `column_flops` at `flops` flop/s, and to which `common_bytes` go whatever its share and
// `column_bytes` for each column (there, and as many back at the same time) at `link` bytes/s. link = 0: nothing has to
// travel. flops = 0: it cannot take part. The common bytes come in so many steps, and no product hides the first of them.
DeviceCost cost_of(double column_flops, double flops, double common_bytes, double column_bytes, double link,
                   double steps = 1);

struct SharePlan {
  std::vector<double> parts;    // columns of each device, not rounded; they add up to the columns planned for
  std::vector<double> seconds;  // of each device; 0 without a share
  double total = 0;             // the last one is then finished
};

// The shares with which all devices that have one finish together; the last one to join adds to the total. A device is left
// out where it gets less than `min_columns`, or where the others alone are at most `min_gain` slower, so that a share too
// small to pay for its transfer becomes zero. The fastest device alone always remains. Throws InvalidArgument where no device can take part.
inline constexpr double min_gain_of_a_share = 0.02;
SharePlan finish_together(std::int64_t columns, const std::vector<DeviceCost>& costs, double min_columns = 1,
                          double min_gain = min_gain_of_a_share);

}  // namespace eigen_g
