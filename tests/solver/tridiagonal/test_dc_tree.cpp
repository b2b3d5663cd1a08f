#include "solver/tridiagonal/dc_tree.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "tests/support/catch.hpp"
#include "tests/support/tridiagonal.hpp"

using namespace eigen_g::dc;

namespace {

// Checks that the leaves tile 0 ... n - 1, and that every merge joins two existing neighbours that are not joined yet.
void check_tree(Index n, const Tree& tree) {
  std::map<Index, Index> pieces;  // first -> size
  Index next = 0;
  for (const Leaf& leaf : tree.leaves) {
    CHECK(leaf.first == next);
    CHECK(leaf.size >= 1);
    CHECK(leaf.size <= leaf_rows);
    pieces[leaf.first] = leaf.size;
    next += leaf.size;
  }
  CHECK(next == n);
  REQUIRE(tree.largest.size() == tree.levels.size());
  for (std::size_t level = 0; level < tree.levels.size(); ++level) {
    REQUIRE(!tree.levels[level].empty());
    const auto before = pieces;
    Index largest = 0;
    for (const Merge& merge : tree.levels[level]) {
      REQUIRE(before.count(merge.first) == 1);
      CHECK(before.at(merge.first) == merge.upper);
      REQUIRE(before.count(merge.first + merge.upper) == 1);
      CHECK(before.at(merge.first + merge.upper) == merge.size - merge.upper);
      CHECK(merge.size > leaf_rows);
      pieces.erase(merge.first + merge.upper);
      pieces[merge.first] = merge.size;
      largest = std::max(largest, merge.size);
    }
    CHECK(tree.largest[level] == largest);
  }
  if (n > 0) {
    CHECK(pieces.size() == 1);
    CHECK(pieces.begin()->second == n);
  }
}

std::size_t halvings(Index n) {
  std::size_t levels = 0;
  for (Index size = leaf_rows; size < n; size *= 2) ++levels;
  return levels;
}

}  // namespace

TEST_CASE("The tree of a matrix without zeros is as flat as halving allows") {
  for (const Index n :
       {0, 1, 2, 31, 32, 33, 63, 64, 65, 96, 97, 127, 128, 129, 200, 1000, 1024, 1025, 10000, 32769}) {
    CAPTURE(n);
    const Tree tree =
        make_tree(n, std::vector<double>(static_cast<std::size_t>(std::max<Index>(n - 1, 0)), 1.0));
    check_tree(n, tree);
    CHECK(tree.levels.size() == halvings(n));
  }
}

TEST_CASE("Every size up to 300 makes a tree") {
  for (Index n = 1; n <= 300; ++n)
    check_tree(n, make_tree(n, std::vector<double>(static_cast<std::size_t>(n - 1), 1.0)));
}

TEST_CASE("A tree is cut at zeros first") {
  const Index n = 500;
  std::vector<double> e(static_cast<std::size_t>(n - 1), 1.0);
  e[99] = e[309] = 0;
  const Tree tree = make_tree(n, e);
  check_tree(n, tree);
  const Merge& top = tree.levels.back().front();
  CHECK(top.size == n);
  CHECK(top.upper == 310);  // the zero nearest to the middle
  bool second = false;
  for (const auto& level : tree.levels)
    for (const Merge& merge : level)
      second = second || (merge.first == 0 && merge.size == 310 && merge.upper == 100);
  CHECK(second);
}

TEST_CASE("Trees with many zeros stay flat") {
  const Index n = 5000;
  std::vector<double> all_zero(static_cast<std::size_t>(n - 1), 0.0), at_the_end = all_zero,
                                                                      powers = all_zero;
  std::fill_n(at_the_end.begin(), n - 1 - 40, 1.0);
  std::fill(powers.begin(), powers.end(), 1.0);
  for (Index i = 1; i < n - 1; i *= 2) powers[static_cast<std::size_t>(i)] = 0;
  for (const auto* e : {&all_zero, &at_the_end, &powers}) {
    const Tree tree = make_tree(n, *e);
    check_tree(n, tree);
    CHECK(tree.levels.size() <= 2 * halvings(n) + 2);
  }
}

TEST_CASE("Division scales by a power of two, drops negligible couplings and tears what it cuts") {
  for (const double scale : {1.0, 1.7e308, 1e-310}) {
    CAPTURE(scale);
    const auto t = support::random_tridiagonal(100, 3, scale);
    auto d = t.d, e = t.e;
    const Division division = divide(d, e);
    CHECK(division.not_finite == -1);
    std::vector<double> whole = d;  // tearing undone
    for (const auto& level : division.tree.levels)
      for (const Merge& merge : level) {
        const auto cut = static_cast<std::size_t>(merge.cut());
        whole[cut] += std::fabs(e[cut]);
        whole[cut + 1] += std::fabs(e[cut]);
      }
    double largest = 0;
    for (std::size_t i = 0; i < t.d.size(); ++i) {
      CHECK(whole[i] == Approx(std::ldexp(t.d[i], -division.exponent)).margin(1e-15));
      largest = std::max(largest, std::fabs(whole[i]));
      if (i < e.size()) {
        CHECK(e[i] == std::ldexp(t.e[i], -division.exponent));
        largest = std::max(largest, std::fabs(e[i]));
      }
    }
    CHECK(largest < 1.001);
    CHECK(largest >= 0.499);
  }
  std::vector<double> d(50, 1.0), e(49, 1e-17);
  divide(d, e);
  CHECK(std::count(e.begin(), e.end(), 0.0) == 49);
}

TEST_CASE("Division names the first row that is not finite and does nothing") {
  std::vector<double> d(40, 1.0), e(39, 1.0);
  e[20] = std::numeric_limits<double>::quiet_NaN();
  d[30] = std::numeric_limits<double>::infinity();
  CHECK(divide(d, e).not_finite == 20);
  CHECK(d[0] == 1);
  e[20] = 1;
  CHECK(divide(d, e).not_finite == 30);
}

TEST_CASE("subtrees have all leaves and all merges of the lowest levels") {
  for (Index n = 1; n < 700; ++n) {
    CAPTURE(n);
    const Tree tree = make_tree(n);
    const std::vector<Subtree> subtrees = subtrees_of(tree);
    if (tree.levels.size() <= subtree_levels) {
      REQUIRE(subtrees.empty());
      continue;
    }
    Index leaf = 0, row = 0, first_of_level[subtree_levels + 1] = {};
    for (std::size_t level = 0; level < subtree_levels; ++level)
      first_of_level[level + 1] = first_of_level[level] + static_cast<Index>(tree.levels[level].size());
    Index merge[subtree_levels] = {first_of_level[0], first_of_level[1], first_of_level[2]};
    for (const Subtree& s : subtrees) {
      REQUIRE(s.leaf == leaf);
      REQUIRE(s.leaves >= 1);
      REQUIRE(s.leaves <= subtree_rows / leaf_rows);
      leaf += s.leaves;
      const Index end = leaf < static_cast<Index>(tree.leaves.size())
                            ? tree.leaves[static_cast<std::size_t>(leaf)].first
                            : n;
      for (std::size_t level = 0; level < subtree_levels; ++level) {
        REQUIRE(s.merge[level] == merge[level]);
        REQUIRE(s.merges[level] <= subtree_rows / leaf_rows >> (level + 1));
        for (Index k = 0; k < s.merges[level]; ++k) {
          const Merge& m =
              tree.levels[level][static_cast<std::size_t>(s.merge[level] - first_of_level[level] + k)];
          REQUIRE(m.first >= row);
          REQUIRE(m.first + m.size <= end);
          REQUIRE(m.size <= 2 * leaf_rows << level);
        }
        merge[level] += s.merges[level];
      }
      row = end;
    }
    REQUIRE(leaf == static_cast<Index>(tree.leaves.size()));
    for (std::size_t level = 0; level < subtree_levels; ++level)
      REQUIRE(merge[level] == first_of_level[level + 1]);
  }
}
