// The elimination tree, the counts of L's columns, and the fronts.
#include "solver/sparse/elimination.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace eigen_g {

namespace {

using Positions = std::vector<std::int32_t>;

// The entries of the strict lower triangle of P S P^T by columns, or by rows.
struct Lists {
  std::vector<std::int64_t> offsets;
  Positions other;  // the row of each entry of a column, or the column of each entry of a row
};
Lists lists_of(const LowerPattern& pattern, const Positions& position, bool by_rows) {
  Lists lists;
  lists.offsets.assign(static_cast<std::size_t>(pattern.n) + 1, 0);
  const auto for_entries = [&](const auto& use) {
    for (std::int64_t j = 0; j < pattern.n; ++j)
      for (std::int64_t p = pattern.offsets[j] + 1; p < pattern.offsets[j + 1]; ++p) {
        const auto [column, row] = std::minmax(position[j], position[pattern.row[p]]);
        by_rows ? use(row, column) : use(column, row);
      }
  };
  for_entries([&](std::int32_t of, std::int32_t) { ++lists.offsets[of + 1]; });
  std::partial_sum(lists.offsets.begin(), lists.offsets.end(), lists.offsets.begin());
  lists.other.resize(static_cast<std::size_t>(lists.offsets.back()));
  std::vector<std::int64_t> at(lists.offsets.begin(), lists.offsets.end() - 1);
  for_entries([&](std::int32_t of, std::int32_t other) { lists.other[at[of]++] = other; });
  return lists;
}

// The parent of each column: the first row below the diagonal of its column of L.
Positions tree_of(std::int64_t n, const Lists& rows) {
  Positions parent(static_cast<std::size_t>(n), -1), ancestor(parent);
  for (std::int32_t i = 0; i < n; ++i)
    for (std::int64_t p = rows.offsets[i]; p < rows.offsets[i + 1]; ++p)
      for (std::int32_t k = rows.other[p], next; k >= 0 && k < i; k = next) {
        next = ancestor[k];
        ancestor[k] = i;
        if (next < 0) parent[k] = i;
      }
  return parent;
}

// The nodes in a postorder. Children with smaller weights come first.
Positions postorder(const Positions& parent, const std::vector<std::int64_t>& weight) {
  const auto n = static_cast<std::int32_t>(parent.size());
  Positions by_weight(parent.size()), child(parent.size(), -1), next(parent.size(), -1), post, stack;
  std::iota(by_weight.begin(), by_weight.end(), 0);
  if (!weight.empty())
    std::stable_sort(by_weight.begin(), by_weight.end(),
                     [&](std::int32_t a, std::int32_t b) { return weight[a] < weight[b]; });
  for (auto j = by_weight.rbegin(); j != by_weight.rend(); ++j)
    if (parent[*j] >= 0) next[*j] = std::exchange(child[parent[*j]], *j);
  post.reserve(parent.size());
  for (std::int32_t root = 0; root < n; ++root) {
    if (parent[root] >= 0) continue;
    stack.push_back(root);
    while (!stack.empty()) {
      const std::int32_t j = stack.back(), c = child[j];
      if (c >= 0) {
        child[j] = next[c];
        stack.push_back(c);
      } else {
        post.push_back(j);
        stack.pop_back();
      }
    }
  }
  return post;
}

// Entries of each column of L.
std::vector<std::int64_t> counts_of(const Positions& parent, const Positions& post, const Lists& columns) {
  const std::size_t n = parent.size();
  std::vector<std::int64_t> count(n);
  Positions first(n, -1), max_first(n, -1), last_leaf(n, -1), ancestor(n);
  std::iota(ancestor.begin(), ancestor.end(), 0);
  for (std::size_t k = 0; k < n; ++k) {
    std::int32_t j = post[k];
    count[j] = first[j] < 0 ? 1 : 0;
    for (; j >= 0 && first[j] < 0; j = parent[j]) first[j] = static_cast<std::int32_t>(k);
  }
  for (const std::int32_t j : post) {
    if (parent[j] >= 0) --count[parent[j]];
    for (std::int64_t p = columns.offsets[j]; p < columns.offsets[j + 1]; ++p) {
      const std::int32_t i = columns.other[p];
      if (first[j] <= max_first[i]) continue;  // j is no leaf of the subtree of row i
      max_first[i] = first[j];
      const std::int32_t before = std::exchange(last_leaf[i], j);
      ++count[j];
      if (before < 0) continue;
      std::int32_t common = before;  // the least common ancestor of both leaves
      while (common != ancestor[common]) common = ancestor[common];
      for (std::int32_t s = before; s != common;) s = std::exchange(ancestor[s], common);
      --count[common];
    }
    if (parent[j] >= 0) ancestor[j] = parent[j];
  }
  for (const std::int32_t j : post)
    if (parent[j] >= 0) count[parent[j]] += count[j];
  return count;
}

// A front that may be merged with its parent.
struct Growing {
  std::int64_t columns = 0, rows = 0, zeros = 0;  // rows with the columns' own
  std::int64_t size() const { return columns * rows - columns * (columns - 1) / 2; }
};
// True if a front with this part of zeros is better than two fronts.
bool worth(const Growing& merged) {
  const double part = static_cast<double>(merged.zeros) / static_cast<double>(merged.size());
  return merged.columns <= 12 || (merged.columns <= 32 && part < 0.5) ||
         (merged.columns <= 64 && part < 0.2) || part < 0.08;
}

}  // namespace

Elimination eliminate(const LowerPattern& pattern, const std::vector<std::int32_t>& order) {
  Elimination e;
  const std::int64_t n = e.n = pattern.n;
  Positions position = order, parent = tree_of(n, lists_of(pattern, position, true));
  std::vector<std::int64_t> count =
      counts_of(parent, postorder(parent, {}), lists_of(pattern, position, false));
  {
    const Positions post = postorder(parent, count);
    Positions place(post.size() + 1, -1), new_parent(post.size());
    std::vector<std::int64_t> new_count(post.size());
    for (std::size_t k = 0; k < post.size(); ++k) place[post[k]] = static_cast<std::int32_t>(k);
    for (std::size_t k = 0; k < post.size(); ++k) {
      new_parent[k] = parent[post[k]] < 0 ? -1 : place[parent[post[k]]];
      new_count[k] = count[post[k]];
    }
    for (std::int32_t& p : position) p = place[p];
    parent.swap(new_parent);
    count.swap(new_count);
  }
  // Groups of columns with the same rows.
  Positions begin, group_of(static_cast<std::size_t>(n));
  for (std::int32_t j = 0; j < n; ++j) {
    if (j == 0 || parent[j - 1] != j || count[j - 1] != count[j] + 1) begin.push_back(j);
    group_of[j] = static_cast<std::int32_t>(begin.size()) - 1;
  }
  const auto groups = static_cast<std::int32_t>(begin.size());
  begin.push_back(static_cast<std::int32_t>(n));
  const auto parent_of = [&](std::int32_t g) {
    const std::int32_t above = parent[begin[g + 1] - 1];
    return above < 0 ? -1 : group_of[above];
  };
  // Each group takes the fronts of its children that are worth it, the largest first. A front is named by its last group.
  Positions front_of(static_cast<std::size_t>(groups)), last_child(front_of.size(), -1),
      child_before(front_of.size(), -1);
  std::iota(front_of.begin(), front_of.end(), 0);
  std::vector<Growing> front(static_cast<std::size_t>(groups));
  for (std::int32_t g = 0; g < groups; ++g) {
    Growing& here = front[g] = {begin[g + 1] - begin[g], count[begin[g]], 0};
    for (std::int32_t c = last_child[g]; c >= 0; c = child_before[c]) {
      const Growing &child = front[c], merged{here.columns + child.columns, here.rows + child.columns,
                                              here.zeros + child.zeros +
                                                  child.columns * (child.columns + here.rows - child.rows)};
      if (!worth(merged)) continue;
      here = merged;
      front_of[c] = g;
    }
    if (const std::int32_t above = parent_of(g); above >= 0)
      child_before[g] = std::exchange(last_child[above], g);
  }
  for (std::int32_t g = groups - 1; g >= 0; --g) front_of[g] = front_of[front_of[g]];
  // The fronts in the order of their last groups, which is a postorder, and the places of the columns.
  Positions number(static_cast<std::size_t>(groups), -1), place(static_cast<std::size_t>(n)), next_place;
  for (std::int32_t g = 0; g < groups; ++g)
    if (front_of[g] == g) {
      number[g] = static_cast<std::int32_t>(e.first.size());
      e.first.push_back(e.first.empty() ? 0 : next_place.back());
      next_place.push_back(e.first.back() + static_cast<std::int32_t>(front[g].columns));
    }
  next_place = e.first;
  for (std::int32_t j = 0; j < n; ++j) place[j] = next_place[number[front_of[group_of[j]]]]++;
  for (std::int32_t& p : position) p = place[p];
  for (std::int32_t g = 0; g < groups; ++g)
    if (front_of[g] == g) e.parent.push_back(parent_of(g) < 0 ? -1 : number[front_of[parent_of(g)]]);
  e.original.resize(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) e.original[position[i]] = static_cast<std::int32_t>(i);
  const auto fronts = static_cast<std::int32_t>(e.first.size());
  e.first.push_back(static_cast<std::int32_t>(n));
  Positions child(static_cast<std::size_t>(fronts), -1), next(child);
  for (std::int32_t f = 0; f < fronts; ++f)
    if (e.parent[f] >= 0) next[f] = std::exchange(child[e.parent[f]], f);
  // The entries of S by columns.
  e.entry_offsets.assign(static_cast<std::size_t>(n) + 1, 0);
  const auto for_entries = [&](const auto& use) {
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t p = pattern.offsets[j]; p < pattern.offsets[j + 1]; ++p) {
        const auto [column, row] = std::minmax(position[j], position[pattern.row[p]]);
        use(column, row, p);
      }
  };
  for_entries([&](std::int32_t column, std::int32_t, std::int64_t) { ++e.entry_offsets[column + 1]; });
  std::partial_sum(e.entry_offsets.begin(), e.entry_offsets.end(), e.entry_offsets.begin());
  e.entry.resize(pattern.row.size());
  e.entry_row.resize(pattern.row.size());
  {
    std::vector<std::int64_t> at(e.entry_offsets.begin(), e.entry_offsets.end() - 1);
    for_entries([&](std::int32_t column, std::int32_t row, std::int64_t p) {
      e.entry_row[at[column]] = row;
      e.entry[at[column]++] = p;
    });
  }
  // The rows of each front: the rows of its entries, and the rows of its children.
  e.row_offsets.push_back(0);
  std::vector<std::int32_t> seen(static_cast<std::size_t>(n), -1);
  std::int64_t pending = 0;
  for (std::int32_t f = 0; f < fronts; ++f) {
    const std::int32_t end = e.first[f + 1];
    const auto add = [&](std::int32_t i) {
      if (i < end || seen[i] == f) return;
      seen[i] = f;
      e.row.push_back(i);
    };
    for (std::int64_t p = e.entry_offsets[e.first[f]]; p < e.entry_offsets[end]; ++p) add(e.entry_row[p]);
    for (std::int32_t c = child[f]; c >= 0; c = next[c])
      for (std::int64_t p = e.row_offsets[c]; p < e.row_offsets[c + 1]; ++p) add(e.row[p]);
    std::sort(e.row.begin() + e.row_offsets.back(), e.row.end());
    const std::int64_t rows = static_cast<std::int64_t>(e.row.size()) - e.row_offsets.back(),
                       columns = end - e.first[f];
    e.row_offsets.push_back(static_cast<std::int64_t>(e.row.size()));
    e.entries += columns * (columns + 1) / 2 + columns * rows;
    e.largest_front = std::max(e.largest_front, columns + rows);
    for (std::int32_t c = child[f]; c >= 0; c = next[c]) {
      const std::int64_t of_child = e.row_offsets[c + 1] - e.row_offsets[c];
      pending -= of_child * (of_child + 1) / 2;
    }
    pending += rows * (rows + 1) / 2;
    e.max_pending = std::max(e.max_pending, pending);
  }
  return e;
}

}  // namespace eigen_g
