// Tests blas2/symv/symv_partition.hpp: the shares cover every group of every strip once, are about equal, and have different
// slots.
#include <algorithm>
#include <set>
#include <vector>

#include "blas2/symv/symv_partition.hpp"
#include "tests/support/catch.hpp"

using eigen_g::blas2::SymvCut;
using eigen_g::blas2::SymvPartition;

namespace {

bool before(const SymvCut& a, const SymvCut& b) {
  return a.strip != b.strip ? a.strip < b.strip : a.group < b.group;
}

// The first error, or an empty text.
std::string fault(bool lower, std::int64_t n, int H, int C, int blocks, std::int64_t begin, int change) {
  const SymvPartition p(lower, n, H, C, blocks, begin, change);
  if (p.blocks() < 1 || p.blocks() > blocks) return "number of blocks";
  if (p.strips() != (n + H - 1) / H || p.first_strip() != begin / H) return "strips";

  std::int64_t total = 0;
  for (int s = p.first_strip(); s < p.strips(); ++s) total += p.last_group(s) - p.first_group(s);
  const std::int64_t changes = p.strips() - 1 - p.first_strip();
  if ((total + changes * change) / p.blocks() <= change) change = 0;
  const std::int64_t places = total + changes * change;

  std::vector<std::int64_t> arrived(static_cast<std::size_t>(p.strips()), 0);
  std::set<int> slots;
  SymvCut at = p.cut(0);
  if (at.strip != p.first_strip() || at.group != p.first_group(at.strip)) return "start";
  for (int b = 0; b < p.blocks(); ++b) {
    const SymvCut end = p.cut(b + 1);
    if (!before(at, end)) return "empty share";
    std::int64_t share = 0, left = 0;  // groups; strips left behind within the share
    while (before(at, end)) {
      const int s = at.strip;
      if (b < p.first_block(s) || b > p.last_block(s)) return "first and last block";
      const int slot = p.slot(b, s);
      if (slot < 0 || slot >= p.slots() || !slots.insert(slot).second) return "slot";
      const int stop = end.strip == s ? end.group : p.last_group(s);
      if (stop > p.last_group(s)) return "cut outside the strip";
      for (int g = at.group; g < stop; ++g) {
        ++share;
        const int target = g * C / H;
        if (s < p.first_source(target) || s > p.last_source(target)) return "sources";
        ++arrived[static_cast<std::size_t>(target)];
      }
      arrived[static_cast<std::size_t>(s)] += stop - at.group;
      if (stop == p.last_group(s) && s + 1 < p.strips()) ++left;
      at = stop == p.last_group(s) ? SymvCut{s + 1, s + 1 < p.strips() ? p.first_group(s + 1) : 0}
                                   : SymvCut{s, stop};
    }
    if (at.strip != end.strip || at.group != end.group) return "gap";
    // The changes at both ends may partly belong to the neighbours.
    const std::int64_t least = places / p.blocks() - (left + 1) * change, most = places / p.blocks() + 1;
    if (share < least || share > most - std::max<std::int64_t>(0, left - 1) * change) return "balance";
    if (share == 0) return "no group";
  }
  if (at.strip != p.strips()) return "end";
  for (int s = p.first_strip(); s < p.strips(); ++s) {
    if (arrived[static_cast<std::size_t>(s)] != p.arrivals(s)) return "arrivals";
    for (int b = p.first_block(s); b <= p.last_block(s); ++b)
      if (!slots.count(p.slot(b, s))) return "slot that nobody writes";
  }
  return "";
}

void check(bool lower, std::int64_t n, int H, int C, int blocks, std::int64_t begin) {
  for (const int change : {0, 1, 3, 8}) {
    const std::string what = fault(lower, n, H, C, blocks, begin, change);
    if (what.empty()) continue;
    INFO((lower ? "lower" : "upper") << " n " << n << " H " << H << " C " << C << " blocks " << blocks
                                     << " begin " << begin << " change " << change);
    FAIL(what);
  }
}

}  // namespace

TEST_CASE("every group of every strip is walked once, all n to 600") {
  for (const bool lower : {true, false})
    for (std::int64_t n = 1; n <= 600; ++n)
      for (const auto& [H, C] : {std::pair{32, 8}, {64, 8}, {128, 4}, {128, 16}, {512, 8}})
        for (const int blocks : {1, 3, 132, 528}) check(lower, n, H, C, blocks, 0);
}

TEST_CASE("large orders") {
  for (const bool lower : {true, false})
    for (const std::int64_t n : {1023, 2000, 4096, 4097, 20000, 46341})
      for (const auto& [H, C] : {std::pair{128, 8}, {256, 4}, {512, 8}, {1024, 8}})
        for (const int blocks : {1, 132, 264, 1056}) check(lower, n, H, C, blocks, 0);
}

TEST_CASE("columns left out at the beginning") {
  for (const std::int64_t n : {1, 7, 64, 300, 512, 1500})
    for (std::int64_t begin = 0; begin < n; begin += n < 100 ? 1 : 37)
      for (const auto& [H, C] : {std::pair{64, 8}, {128, 4}, {512, 8}})
        for (const int blocks : {1, 5, 132}) check(true, n, H, C, blocks, begin);
}

TEST_CASE("shifted, the lower triangle's last strip lacks less than a group") {
  for (const std::int64_t n : {1, 7, 8, 63, 64, 65, 511, 512, 513, 1000, 4096, 10007, 20000})
    for (const auto& [H, C] : {std::pair{64, 8}, {128, 4}, {512, 8}}) {
      const std::int64_t shift = eigen_g::blas2::symv_shift(true, n, H, C);
      CAPTURE(n, H, C, shift);
      REQUIRE(shift % C == 0);
      REQUIRE((n + shift + H - 1) / H == (n + H - 1) / H);
      REQUIRE((n + shift + H - 1) % H + 1 > H - C);
      REQUIRE(eigen_g::blas2::symv_shift(false, n, H, C) == 0);
      for (const int blocks : {1, 5, 132}) check(true, n + shift, H, C, blocks, shift);
    }
}

TEST_CASE("the counts stay in 32 bits at the largest order") {
  const std::int64_t n = SymvPartition::max_n;
  for (const bool lower : {true, false}) {
    const SymvPartition p(lower, n, 32, 4, 264);
    const double groups = static_cast<double>(n) / 4, strips = static_cast<double>(n) / 32;
    const double total = static_cast<double>(p.groups_before(p.strips() - 1)) +
                         static_cast<double>(p.groups_in(p.strips() - 1));
    REQUIRE(total == Approx(groups * (strips + 1) / 2).epsilon(1e-6));
  }
}
