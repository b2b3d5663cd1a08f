// Tests of the choice of a format and of the row statistics, which need no GPU.
#include "blas2/spmv/choice.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "blas2/spmv/row_statistics.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sparse.hpp"

using namespace eigen_g;
using namespace eigen_g::blas2;

namespace {

RowStatistics regular(std::int64_t rows, std::int64_t length) {
  RowStatistics s{.rows = rows, .cols = rows, .nnz = rows * length, .longest = length};
  for (std::size_t c = 0; c < spmv_cuts.size(); ++c) {
    const bool is_long = length > spmv_cuts[c];
    s.long_rows[c] = is_long ? rows : 0;
    s.long_entries[c] = is_long ? s.nnz : 0;
    s.padded[c] = is_long ? 0 : s.nnz;
  }
  return s;
}

}  // namespace

TEST_CASE("the statistics of ragged rows, counted one by one") {
  const std::vector<std::int64_t> lengths = support::ragged_lengths(1003, 5000, 200, 3000, 1);
  const CrsMatrix<double> a = support::random_crs<double>(lengths, 5000, 2);
  const RowStatistics s = row_statistics(a.view());
  CHECK(s.rows == 1003);
  CHECK(s.longest == 3000);
  for (std::size_t c = 0; c < spmv_cuts.size(); ++c) {
    std::int64_t rows = 0, entries = 0, padded = 0;
    for (std::size_t first = 0; first < lengths.size(); first += 32) {
      std::int64_t deepest = 0;
      for (std::size_t i = first; i < std::min(lengths.size(), first + 32); ++i) {
        rows += lengths[i] > spmv_cuts[c];
        entries += lengths[i] > spmv_cuts[c] ? lengths[i] : 0;
        if (lengths[i] <= spmv_cuts[c]) deepest = std::max(deepest, lengths[i]);
      }
      padded += 32 * deepest;
    }
    CHECK(s.long_rows[c] == rows);
    CHECK(s.long_entries[c] == entries);
    CHECK(s.padded[c] == padded);
  }
}

TEST_CASE("every candidate has a finite prediction, the best first") {
  for (const RowStatistics& s : {regular(8000000, 7), regular(1029000, 81), regular(72000, 399),
                                 regular(1, 1), regular(1, 0), RowStatistics{}})
    for (const int bytes : {4, 8}) {
      const std::vector<SpmvCandidate> all = spmv_candidates(s, bytes);
      REQUIRE_FALSE(all.empty());
      for (std::size_t i = 0; i < all.size(); ++i) {
        CHECK(std::isfinite(all[i].seconds));
        CHECK((i == 0 || all[i - 1].seconds <= all[i].seconds));
      }
    }
}

TEST_CASE("regular rows take SELL in their order, a graph with a long row splits it off") {
  const SpmvCandidate stencil = spmv_candidates(regular(8000000, 7), 8).front();
  CHECK(stencil.format == SpmvFormat::sell);
  CHECK(stencil.sigma == 1);
  RowStatistics graph = regular(1048576, 16);
  graph.longest = 79862;
  graph.long_rows = {90000, 20000, 1500, 0};
  graph.long_entries = {9000000, 6000000, 3000000, 0};
  graph.padded = {20000000, 60000000, 90000000, 2000000000};
  const SpmvCandidate chosen = spmv_candidates(graph, 8).front();
  CHECK(chosen.format == SpmvFormat::sell);
  CHECK(chosen.cut == spmv_cuts[0]);
  CHECK(chosen.hot == spmv_hot);
  for (const SpmvCandidate& c : spmv_candidates(graph, 8, SpmvFormat::automatic, 4)) CHECK(c.hot == 0);
}

TEST_CASE("what stays in L2, and rows that a slice waits for, take CSR") {
  CHECK(spmv_candidates(regular(390000, 5), 8).front().format == SpmvFormat::crs);
  const SpmvCandidate long_rows = spmv_candidates(regular(72000, 399), 8).front();
  CHECK(long_rows.format == SpmvFormat::crs);
  CHECK(long_rows.group == 32);
}

TEST_CASE("a requested format is the only candidate") {
  for (const SpmvFormat format : {SpmvFormat::crs, SpmvFormat::sell})
    for (const SpmvCandidate& c : spmv_candidates(regular(1000, 10), 8, format)) CHECK(c.format == format);
}
