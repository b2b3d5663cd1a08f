// SymvPartition: divides the stored triangle into equal shares for the blocks of a grid. Integer arithmetic only, the same on
// host and device.
//
// C columns are a group. H rows are a strip: strip s has the rows [s H, min((s + 1) H, n)). Its height in groups is h = H / C.
// The groups of a strip are
//
//   lower: from `begin` to the end of its diagonal block     upper: from its diagonal block to n
//
//        |\                                                       \----------|
//        |*\                                                        \********|   *: one strip
//        |***\                                                        \------|
//        |-----\                                                        \----|
//
// All pairs (strip, group) in lexicographic order form one sequence, and each group has the same cost. A group in the diagonal
// block has fewer stored rows, but it takes as long, because latency sets its pace and not its bytes. A strip is followed by
// `change` empty places in the sequence. They stand for the time that a block needs to go on to the next strip, where its loads
// start again. Block b of B has the places from total b / B to total (b + 1) / B. Every share has at least one group: B is at
// most the number of groups. If a share would not exceed `change`, `change` is set to 0.
//
// A piece is the part of one block in one strip. Its partial row sums have slot b + s - first_strip, for block b and strip s.
// No other piece has this slot: from each piece to the next, b or s or both grow by one.
#pragma once

#include <cstdint>

#include "hybrid/host_device.hpp"

namespace eigen_g::blas2 {

struct SymvCut {
  std::int32_t strip = 0;
  std::int32_t group = 0;  // from column 0: the group's first column is group * C
};

// Number of virtual rows and columns before row 0 of the lower triangle, a multiple of C. With them the last strip has H rows,
// or up to C - 1 fewer. The partition is then made for order n + shift, with begin = shift, and only the first strip has few
// rows. Without them a block could walk many columns of a low last strip. With few rows in each column, latency would set its
// pace instead of bandwidth.
EIGEN_G_HOST_DEVICE constexpr std::int32_t symv_shift(bool lower, std::int64_t n, int strip_rows,
                                                      int group_columns) {
  const auto last = static_cast<std::int32_t>(n % strip_rows);
  return lower && last > 0 ? (strip_rows - last) / group_columns * group_columns : 0;
}

class SymvPartition {
 public:
  static constexpr std::int64_t max_n = 240000;  // so that counts of groups fit into 32 bits

  SymvPartition() = default;

  // n              order, 1 to max_n
  // strip_rows     H, a multiple of C
  // group_columns  C >= 4
  // blocks         number of blocks wanted, >= 1; blocks() may be smaller
  // begin          the columns before it are not walked; lower triangle only, 0 <= begin < n
  // change         places between two strips, see above
  EIGEN_G_HOST_DEVICE SymvPartition(bool lower, std::int64_t n, int strip_rows, int group_columns, int blocks,
                                    std::int64_t begin = 0, int change = 0)
      : lower_(lower),
        n_(static_cast<std::int32_t>(n)),
        columns_(group_columns),
        height_(static_cast<std::uint32_t>(strip_rows / group_columns)) {
    groups_ = static_cast<std::uint32_t>((n + group_columns - 1) / group_columns);
    begin_ = static_cast<std::uint32_t>(begin / group_columns);
    strips_ = static_cast<std::int32_t>((n + strip_rows - 1) / strip_rows);
    first_strip_ = static_cast<std::int32_t>(begin / strip_rows);
    const std::uint32_t total = groups_before(strips_ - 1) + groups_in(strips_ - 1);
    blocks_ = total < static_cast<std::uint32_t>(blocks) ? static_cast<std::int32_t>(total) : blocks;
    const auto parts = static_cast<std::uint32_t>(blocks_), wanted = static_cast<std::uint32_t>(change);
    const auto changes = static_cast<std::uint32_t>(strips_ - 1 - first_strip_);
    change_ = (total + changes * wanted) / parts > wanted ? wanted : 0;
    const std::uint32_t places = total + changes * change_;
    share_ = places / parts;
    remainder_ = places % parts;
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

  // The groups of a strip: first_group <= group < last_group.
  EIGEN_G_HOST_DEVICE std::int32_t first_group(int strip) const {
    return static_cast<std::int32_t>(lower_ ? begin_ : top(strip));
  }
  EIGEN_G_HOST_DEVICE std::int32_t last_group(int strip) const {
    return static_cast<std::int32_t>(lower_ ? top(strip) + height_in(strip) : groups_);
  }

  // Block b walks from cut(b) to cut(b + 1), which is excluded. cut(blocks()) = (strips(), 0).
  EIGEN_G_HOST_DEVICE SymvCut cut(int block) const {
    if (block >= blocks_) return {strips_, 0};
    const auto b = static_cast<std::uint32_t>(block);
    const std::uint32_t position = share_ * b + (b < remainder_ ? b : remainder_);
    int low = first_strip_, high = strips_ - 1;  // the last strip that starts at or before the position
    while (low < high) {
      const int middle = (low + high + 1) / 2;
      if (place_of(middle) <= position)
        low = middle;
      else
        high = middle - 1;
    }
    const std::uint32_t group = position - place_of(low);
    if (group >= groups_in(low)) return {low + 1, first_group(low + 1)};
    return {low, first_group(low) + static_cast<std::int32_t>(group)};
  }

  // The blocks that have a piece of this strip: first_block to last_block, both included.
  EIGEN_G_HOST_DEVICE int first_block(int strip) const { return block_at(place_of(strip)); }
  EIGEN_G_HOST_DEVICE int last_block(int strip) const {
    return block_at(place_of(strip) + groups_in(strip) - 1);
  }

  // The strips with a partial column sum for the rows of `strip`: first_source to last_source, both included.
  EIGEN_G_HOST_DEVICE int first_source(int strip) const { return lower_ ? strip : 0; }
  EIGEN_G_HOST_DEVICE int last_source(int strip) const { return lower_ ? strips_ - 1 : strip; }

  // The final value of a strip's arrival counter (SymvArrival), in groups. The pieces of each source add the groups of columns that
  // the strip's rows span as columns. The pieces of the strip itself add its own groups.
  EIGEN_G_HOST_DEVICE std::uint32_t arrivals(int strip) const {
    const std::uint32_t from = top(strip) < begin_ && lower_ ? begin_ : top(strip);
    const std::uint32_t spanned = top(strip) + height_in(strip) - from;
    return spanned * static_cast<std::uint32_t>(last_source(strip) - first_source(strip) + 1) +
           groups_in(strip);
  }

  // Number of groups in all strips before this one, and in this one.
  EIGEN_G_HOST_DEVICE std::uint32_t groups_before(int strip) const {
    const auto s = static_cast<std::uint32_t>(strip), first = static_cast<std::uint32_t>(first_strip_);
    if (!lower_) return s * groups_ - height_ * (s * (s - 1) / 2);
    if (strip <= first_strip_) return 0;
    return height_ * (s * (s + 1) / 2 - first * (first + 1) / 2) - (s - first) * begin_;
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
  EIGEN_G_HOST_DEVICE std::uint32_t place_of(int strip) const {
    return groups_before(strip) + static_cast<std::uint32_t>(strip - first_strip_) * change_;
  }
  // The block that has this place of the sequence. The first `remainder_` shares are longer by one place.
  EIGEN_G_HOST_DEVICE int block_at(std::uint32_t position) const {
    const std::uint32_t longer = remainder_ * (share_ + 1);
    return static_cast<int>(position < longer ? position / (share_ + 1)
                                              : remainder_ + (position - longer) / share_);
  }

  bool lower_ = true;
  std::int32_t n_ = 0;
  std::int32_t columns_ = 1;
  std::int32_t strips_ = 0, first_strip_ = 0, blocks_ = 0;
  std::uint32_t height_ = 1;
  std::uint32_t groups_ = 0, begin_ = 0;
  std::uint32_t share_ = 1, remainder_ = 0, change_ = 0;
};

// Distance in elements between the partial column sums of two successive strips.
constexpr std::int64_t symv_column_stride(std::int64_t n) {
  return (n + 15) / 16 * 16;
}

}  // namespace eigen_g::blas2
