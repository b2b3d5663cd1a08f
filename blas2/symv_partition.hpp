// How the stored triangle is cut into equal shares for the blocks of a grid. Integer arithmetic only, the
// same on the host and on the device.
//
// The unit is C columns (a group), and in cost C rows. Strip s has the rows [s H, min((s + 1) H, n)),
// anchored at row 0; h = H / C is its height in units. Its groups:
//
//   lower: from `begin` to the end of its diagonal block     upper: from its diagonal block to n
//
//        |\                                                       \----------|
//        |*\                                                        \********|   *: one strip
//        |***\                                                        \------|
//        |-----\                                                        \----|
//
// All (strip, group) in lexicographic order form one sequence. A group costs the stored rows of its strip (in
// the diagonal block fewer and fewer, or more and more) plus `overhead`, which stands for its latency. Block
// b of G takes what lies between the costs b / G and (b + 1) / G of the total. A share never is empty: G is
// lowered until the average share is a whole group at least.
//
// A piece is what one block does in one strip; its partial row sums have slot b + s - first_strip, which no
// other piece has, because from each piece to the next b or s or both grow by one.
#pragma once

#include <cstdint>

#include "blas2/host_device.hpp"

namespace eigen_g::blas2 {

struct SymvCut {
  std::int32_t strip = 0;
  std::int32_t group = 0;  // absolute: its first column is group * C
};

// Virtual rows and columns before the first that make the lower triangle's last strip a full one (up to C - 1 rows).
// Every strip but the first then has H rows: in a low last strip a block would walk many columns with few rows each,
// and latency, not bytes, would count. The partition is made for order n + shift and begin = shift.
EIGEN_G_HOST_DEVICE constexpr std::int32_t symv_shift(bool lower, std::int64_t n, int strip_rows, int group_columns) {
  const auto last = static_cast<std::int32_t>(n % strip_rows);
  return lower && last > 0 ? (strip_rows - last) / group_columns * group_columns : 0;
}

class SymvPartition {
 public:
  // Costs are 32-bit: (n / C)^2 / 2 units and the overhead, C >= 4.
  static constexpr std::int64_t largest_n = 240000;

  SymvPartition() = default;

  // n: order; rows per strip H and columns per group C, H a multiple of C; blocks wanted >= 1; begin: the
  // columns before it need not be walked (lower only, 0 <= begin < n); overhead in units of C rows. n >= 1, n
  // / C < 90000.
  EIGEN_G_HOST_DEVICE SymvPartition(bool lower, std::int64_t n, int strip_rows, int group_columns, int blocks,
                                    std::int64_t begin = 0, int overhead = 1)
      : lower_(lower),
        n_(static_cast<std::int32_t>(n)),
        columns_(group_columns),
        height_(static_cast<std::uint32_t>(strip_rows / group_columns)),
        overhead_(static_cast<std::uint32_t>(overhead)) {
    groups_ = static_cast<std::uint32_t>((n + group_columns - 1) / group_columns);
    begin_ = static_cast<std::uint32_t>(begin / group_columns);
    strips_ = static_cast<std::int32_t>((n + strip_rows - 1) / strip_rows);
    first_strip_ = static_cast<std::int32_t>(begin / strip_rows);
    const std::uint32_t total = cost_before(strips_ - 1) + cost_in(strips_ - 1, groups_in(strips_ - 1));
    const std::uint32_t most = total / (height_ + overhead_);
    blocks_ = most < 1                                    ? 1
              : most < static_cast<std::uint32_t>(blocks) ? static_cast<std::int32_t>(most)
                                                          : blocks;
    share_ = total / static_cast<std::uint32_t>(blocks_);
    remainder_ = total % static_cast<std::uint32_t>(blocks_);
  }

  EIGEN_G_HOST_DEVICE bool lower() const { return lower_; }
  EIGEN_G_HOST_DEVICE std::int32_t n() const { return n_; }
  EIGEN_G_HOST_DEVICE int blocks() const { return blocks_; }
  EIGEN_G_HOST_DEVICE int strips() const { return strips_; }
  EIGEN_G_HOST_DEVICE int first_strip() const { return first_strip_; }
  EIGEN_G_HOST_DEVICE int strip_rows() const { return static_cast<int>(height_) * columns_; }
  EIGEN_G_HOST_DEVICE int group_columns() const { return columns_; }
  EIGEN_G_HOST_DEVICE int slots() const { return blocks_ + strips_ - 1 - first_strip_; }
  EIGEN_G_HOST_DEVICE int slot(int block, int strip) const { return block + strip - first_strip_; }

  // The groups of a strip are [first_group, last_group).
  EIGEN_G_HOST_DEVICE std::int32_t first_group(int strip) const {
    return static_cast<std::int32_t>(lower_ ? begin_ : top(strip));
  }
  EIGEN_G_HOST_DEVICE std::int32_t last_group(int strip) const {
    return static_cast<std::int32_t>(lower_ ? top(strip) + height_in(strip) : groups_);
  }

  // Block b walks from cut(b) up to, not including, cut(b + 1); cut(blocks()) = (strips(), first group).
  EIGEN_G_HOST_DEVICE SymvCut cut(int block) const {
    if (block >= blocks_) return {strips_, 0};
    const std::uint32_t goal = start_cost(block);
    const int strip = strip_at(goal);
    const std::uint32_t rest = goal - cost_before(strip);
    // The first group before which at least `rest` was spent.
    std::uint32_t low = 0, high = groups_in(strip);
    while (low < high) {
      const std::uint32_t middle = (low + high) / 2;
      if (cost_in(strip, middle) >= rest)
        high = middle;
      else
        low = middle + 1;
    }
    if (low == groups_in(strip)) return {strip + 1, strip + 1 < strips_ ? first_group(strip + 1) : 0};
    return {strip, first_group(strip) + static_cast<std::int32_t>(low)};
  }

  // The blocks with a piece of a strip: first_block to last_block, both included.
  EIGEN_G_HOST_DEVICE int first_block(int strip) const { return block_at(cost_before(strip)); }
  EIGEN_G_HOST_DEVICE int last_block(int strip) const {
    return block_at(cost_before(strip) + cost_in(strip, groups_in(strip) - 1));
  }

  // The strips that hold a partial column sum for the rows of `strip`: first_source to last_source, both
  // included.
  EIGEN_G_HOST_DEVICE int first_source(int strip) const { return lower_ ? strip : 0; }
  EIGEN_G_HOST_DEVICE int last_source(int strip) const { return lower_ ? strips_ - 1 : strip; }

  // Groups of columns that a strip's rows, taken as columns, span: what a block reports as it has walked
  // them.
  EIGEN_G_HOST_DEVICE std::uint32_t arrivals(int strip) const {
    const std::uint32_t from = top(strip) < begin_ && lower_ ? begin_ : top(strip);
    const std::uint32_t spanned = top(strip) + height_in(strip) - from;
    return spanned * static_cast<std::uint32_t>(last_source(strip) - first_source(strip) + 1) +
           groups_in(strip);
  }

  // Cost of everything before a strip, and of a strip's first g groups.
  EIGEN_G_HOST_DEVICE std::uint32_t cost_before(int strip) const {
    const std::uint32_t h = height_, full = h + overhead_, diagonal = h * (h + 1) / 2 + h * overhead_;
    if (!lower_) {
      const auto s = static_cast<std::uint32_t>(strip);
      return s * diagonal + full * (s * groups_ - h * (s * (s + 1) / 2));
    }
    if (strip <= first_strip_) return 0;
    const auto first = static_cast<std::uint32_t>(first_strip_);
    const std::uint32_t k = (first + 1) * h - begin_;  // groups of the first strip, all in its diagonal block
    const std::uint32_t between = static_cast<std::uint32_t>(strip) - first - 1;
    const std::uint32_t tops = h * (between * (first + static_cast<std::uint32_t>(strip)) / 2);
    return k * (k + 1) / 2 + k * overhead_ + full * (tops - between * begin_) + between * diagonal;
  }
  EIGEN_G_HOST_DEVICE std::uint32_t cost_in(int strip, std::uint32_t g) const {
    const std::uint32_t k = height_in(strip);
    if (lower_) {
      const std::uint32_t beside =
          top(strip) > begin_ ? top(strip) - begin_ : 0;  // groups left of the diagonal block
      const std::uint32_t rows = top(strip) > begin_ ? k : top(strip) + k - begin_;
      if (g <= beside) return g * (rows + overhead_);
      const std::uint32_t d = g - beside;
      return g * (rows + overhead_) - d * (d - 1) / 2;
    }
    if (g <= k) return g * (g + 1) / 2 + g * overhead_;
    return k * (k + 1) / 2 + k * overhead_ + (g - k) * (k + overhead_);
  }
  EIGEN_G_HOST_DEVICE std::uint32_t groups_in(int strip) const {
    return static_cast<std::uint32_t>(last_group(strip) - first_group(strip));
  }

 private:
  EIGEN_G_HOST_DEVICE std::uint32_t top(int strip) const {
    return static_cast<std::uint32_t>(strip) * height_;
  }
  EIGEN_G_HOST_DEVICE std::uint32_t height_in(int strip) const {
    const std::uint32_t left = groups_ - top(strip);
    return left < height_ ? left : height_;
  }
  // Shares differ by one: the first `remainder_` blocks have share_ + 1.
  EIGEN_G_HOST_DEVICE std::uint32_t start_cost(int block) const {
    const auto b = static_cast<std::uint32_t>(block);
    return share_ * b + (b < remainder_ ? b : remainder_);
  }
  EIGEN_G_HOST_DEVICE int block_at(
      std::uint32_t cost) const {  // the last one that starts at or before this cost
    const std::uint32_t longer = remainder_ * (share_ + 1);
    const std::uint32_t b = cost < longer ? cost / (share_ + 1) : remainder_ + (cost - longer) / share_;
    const auto last = static_cast<std::uint32_t>(blocks_ - 1);
    return static_cast<int>(b < last ? b : last);
  }
  EIGEN_G_HOST_DEVICE int strip_at(std::uint32_t cost) const {  // the last one with cost_before <= cost
    int low = first_strip_, high = strips_ - 1;
    while (low < high) {
      const int middle = (low + high + 1) / 2;
      if (cost_before(middle) <= cost)
        low = middle;
      else
        high = middle - 1;
    }
    return low;
  }

  bool lower_ = true;
  std::int32_t n_ = 0;
  std::int32_t columns_ = 1;
  std::int32_t strips_ = 0, first_strip_ = 0, blocks_ = 0;
  std::uint32_t height_ = 1, overhead_ = 0;
  std::uint32_t groups_ = 0, begin_ = 0;
  std::uint32_t share_ = 1, remainder_ = 0;
};

// Partial column sums of a strip lie this far from those of the next.
constexpr std::int64_t symv_column_stride(std::int64_t n) {
  return (n + 15) / 16 * 16;
}

}  // namespace eigen_g::blas2
