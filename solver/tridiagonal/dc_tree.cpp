// Builds the tree of the divide and conquer and tears T at its cuts.
#include "solver/tridiagonal/dc_tree.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "hybrid/instantiate.hpp"
#include "hybrid/round_up.hpp"

namespace eigen_g::dc {

namespace {

// A cut without a zero of e is placed at a multiple of this from the range's first row: aligned rows make the products faster.
constexpr Index cut_multiple = 8;
static_assert(leaf_rows % cut_multiple == 0, "a rounded half of 2 leaves must not exceed a leaf");

class Builder {
 public:
  Builder(Index n, std::vector<Index> zeros) : zeros_(std::move(zeros)) { build(0, n); }
  Tree take() {
    for (const auto& level : tree_.levels)
      tree_.largest.push_back(
          std::max_element(level.begin(), level.end(), [](const Merge& a, const Merge& b) {
            return a.size < b.size;
          })->size);
    return std::move(tree_);
  }

 private:
  // Adds the range and its parts to the tree and returns the height of its root. The recursion has depth O(log n), because every cut is
  // the middle or the zero nearest to it.
  std::size_t build(Index first, Index size) {
    if (size <= leaf_rows) {
      tree_.leaves.push_back({first, size});
      return 0;
    }
    const Index upper = upper_rows(first, size);
    const std::size_t upper_height = build(first, upper);
    const std::size_t height = std::max(upper_height, build(first + upper, size - upper));
    if (tree_.levels.size() <= height) tree_.levels.resize(height + 1);
    tree_.levels[height].push_back({first, size, upper});
    return height + 1;
  }

  Index upper_rows(Index first, Index size) const {
    const Index middle = size / 2;
    const Index rounded = round_up(middle, cut_multiple);
    const auto after = std::lower_bound(zeros_.begin(), zeros_.end(), first + middle - 1);
    Index best = -1;
    const auto consider = [&](Index zero) {
      const Index upper = zero - first + 1;
      if (upper >= 1 && upper < size && (best < 0 || std::abs(upper - middle) < std::abs(best - middle)))
        best = upper;
    };
    if (after != zeros_.end()) consider(*after);
    if (after != zeros_.begin()) consider(*(after - 1));
    return best > 0 ? best : rounded;
  }

  Tree tree_;
  std::vector<Index> zeros_;
};

}  // namespace

template <class R>
Tree make_tree(Index n, const std::vector<R>& e) {
  std::vector<Index> zeros;
  for (Index i = 0; i + 1 < n; ++i)
    if (e[static_cast<std::size_t>(i)] == 0) zeros.push_back(i);
  return n > 0 ? Builder(n, std::move(zeros)).take() : Tree{};
}
Tree make_tree(Index n) {
  return n > 0 ? Builder(n, {}).take() : Tree{};
}

std::vector<Subtree> subtrees_of(const Tree& tree) {
  if (tree.levels.size() <= subtree_levels) return {};
  std::vector<Index> ends{tree.leaves.back().first + tree.leaves.back().size};
  for (std::size_t level = subtree_levels; level < tree.levels.size(); ++level)
    for (const Merge& merge : tree.levels[level]) ends.push_back(merge.first + merge.upper);
  std::sort(ends.begin(), ends.end());
  std::vector<Subtree> subtrees;
  Subtree next{};
  for (std::size_t level = 1; level < subtree_levels; ++level)
    next.merge[level] = next.merge[level - 1] + static_cast<Index>(tree.levels[level - 1].size());
  const auto count = [](const auto& items, Index from, Index end) {
    Index found = 0;
    for (auto at = static_cast<std::size_t>(from); at < items.size() && items[at].first < end; ++at) ++found;
    return found;
  };
  for (const Index end : ends) {
    next.leaf += next.leaves;
    next.leaves = count(tree.leaves, next.leaf, end);
    Index merges_before = 0;
    for (std::size_t level = 0; level < subtree_levels; ++level) {
      next.merge[level] += next.merges[level];
      next.merges[level] = count(tree.levels[level], next.merge[level] - merges_before, end);
      merges_before += static_cast<Index>(tree.levels[level].size());
    }
    subtrees.push_back(next);
  }
  return subtrees;
}

template <class R>
Division divide(std::vector<R>& d, std::vector<R>& e) {
  const auto n = static_cast<Index>(d.size());
  Division division;
  R largest = 0;
  const auto measure = [&](Index row, R x) {
    if (!std::isfinite(x) && division.not_finite < 0) division.not_finite = row;
    largest = std::max(largest, std::fabs(x));
  };
  for (Index i = 0; i < n; ++i) {
    measure(i, d[i]);
    if (i + 1 < n) measure(i, e[i]);
  }
  if (division.not_finite >= 0) return division;

  if (largest > 0) std::frexp(largest, &division.exponent);
  const int half = -division.exponent / 2;  // 2^-exponent itself may overflow or underflow
  const R factors[] = {std::ldexp(R(1), half), std::ldexp(R(1), -division.exponent - half)};
  const auto scale = [&](R& x) { x = x * factors[0] * factors[1]; };
  std::for_each(d.begin(), d.end(), scale);
  std::for_each(e.begin(), e.end(), scale);

  constexpr R eps = std::numeric_limits<R>::epsilon() / 2;
  for (Index i = 0; i + 1 < n; ++i)
    if (std::fabs(e[i]) <= eps * std::sqrt(std::fabs(d[i])) * std::sqrt(std::fabs(d[i + 1]))) e[i] = 0;

  division.tree = make_tree(n, e);
  for (std::size_t k = 1; k < division.tree.leaves.size(); ++k) {
    const Index row = division.tree.leaves[k].first;
    d[row - 1] -= std::fabs(e[row - 1]);
    d[row] -= std::fabs(e[row - 1]);
  }
  return division;
}

EIGEN_G_INSTANTIATE(real_types, make_tree, divide);

}  // namespace eigen_g::dc
