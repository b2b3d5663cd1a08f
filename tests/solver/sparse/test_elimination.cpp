// The symbolic factorisation against the elimination of a dense matrix of zeros and ones.
#include "solver/sparse/elimination.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

#include "tests/support/catch.hpp"

using namespace eigen_g;

namespace {

LowerPattern random_pattern(std::int64_t n, int entries_of_row, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<char> full(static_cast<std::size_t>(n * n));
  for (std::int64_t i = 0; i < n; ++i)
    for (int e = 0; e < entries_of_row; ++e)
      full[i * n + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n))] = 1;
  LowerPattern pattern{n, {0}, {}};
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = j; i < n; ++i)
      if (i == j || full[i * n + j] || full[j * n + i]) pattern.row.push_back(static_cast<std::int32_t>(i));
    pattern.offsets.push_back(pattern.entries());
  }
  return pattern;
}

}  // namespace

TEST_CASE("Fronts hold every entry of L, children come before parents, and each entry of S has its place") {
  for (const std::int64_t n : {0, 1, 2, 3, 7, 20, 61, 150})
    for (const int entries : {0, 1, 2, 3}) {
      CAPTURE(n, entries);
      const LowerPattern pattern = random_pattern(n, entries, static_cast<unsigned>(10 * n + entries));
      std::vector<std::int32_t> order(static_cast<std::size_t>(n));
      std::iota(order.begin(), order.end(), 0);
      std::shuffle(order.begin(), order.end(), std::mt19937(5));
      const Elimination e = eliminate(pattern, order);
      REQUIRE(static_cast<std::int64_t>(e.original.size()) == n);
      std::vector<std::int64_t> position(static_cast<std::size_t>(n), -1);
      for (std::int64_t i = 0; i < n; ++i) position[e.original[i]] = i;
      CHECK(std::find(position.begin(), position.end(), -1) == position.end());

      // L by elimination of P S P^T.
      std::vector<char> l(static_cast<std::size_t>(n * n)), seen(pattern.row.size());
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t p = pattern.offsets[j]; p < pattern.offsets[j + 1]; ++p) {
          const std::int64_t a = position[j], b = position[pattern.row[p]];
          l[std::max(a, b) + std::min(a, b) * n] = 1;
        }
      for (std::int64_t k = 0; k < n; ++k)
        for (std::int64_t j = k + 1; j < n; ++j)
          for (std::int64_t i = j; i < n; ++i)
            if (l[i + k * n] && l[j + k * n]) l[i + j * n] = 1;

      const std::int64_t fronts = e.fronts();
      REQUIRE(static_cast<std::int64_t>(e.first.size()) == fronts + 1);
      CHECK((n == 0 || (e.first.front() == 0 && e.first.back() == n)));
      std::int64_t stored = 0;
      std::vector<std::int64_t> waiting;  // the stack of the fronts whose parents have not come
      for (std::int64_t f = 0; f < fronts; ++f) {
        const std::int64_t columns = e.first[f + 1] - e.first[f];
        const std::vector<std::int32_t> rows(e.row.begin() + e.row_offsets[f],
                                             e.row.begin() + e.row_offsets[f + 1]);
        REQUIRE(columns > 0);
        CHECK(std::is_sorted(rows.begin(), rows.end(), std::less_equal<>()));
        CHECK((rows.empty() || rows.front() >= e.first[f + 1]));
        CHECK((e.parent[f] > f || (e.parent[f] == -1 && rows.empty())));
        while (!waiting.empty() && e.parent[waiting.back()] == f) waiting.pop_back();
        for (const std::int64_t other : waiting)
          CHECK(e.parent[other] != f);  // children are on top of the stack
        if (e.parent[f] >= 0) waiting.push_back(f);
        stored += columns * (columns + 1) / 2 + columns * static_cast<std::int64_t>(rows.size());
        for (std::int64_t j = e.first[f]; j < e.first[f + 1]; ++j) {
          for (std::int64_t i = e.first[f + 1]; i < n; ++i)
            if (l[i + j * n])
              CHECK(std::binary_search(rows.begin(), rows.end(), static_cast<std::int32_t>(i)));
          for (std::int64_t p = e.entry_offsets[j]; p < e.entry_offsets[j + 1]; ++p) {
            const std::int64_t entry = e.entry[p], i = e.entry_row[p];
            const auto column = std::upper_bound(pattern.offsets.begin(), pattern.offsets.end(), entry) -
                                pattern.offsets.begin() - 1;
            CHECK(std::minmax(position[column], position[pattern.row[entry]]) == std::minmax(i, j));
            CHECK(j <= i);
            ++seen[entry];
          }
        }
        // The parent holds the rows of its children.
        for (const std::int32_t i : rows) {
          const std::int64_t g = e.parent[f];
          CHECK((i < e.first[g + 1] || std::binary_search(e.row.begin() + e.row_offsets[g],
                                                          e.row.begin() + e.row_offsets[g + 1], i)));
        }
      }
      CHECK(std::all_of(seen.begin(), seen.end(), [](char times) { return times == 1; }));
      CHECK(stored == e.entries);
    }
}
