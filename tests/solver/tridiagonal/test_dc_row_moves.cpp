// Tests of the moves of rows between members that compute one merge together.
#include "solver/tridiagonal/dc_row_moves.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

#include "tests/support/catch.hpp"

using namespace eigen_g::dc;

namespace {

constexpr Index no_limit = std::numeric_limits<Index>::max();

// Ranges of rows for the members. All but the last have the same number of rows, a multiple of 8.
std::vector<Rows> equal_rows(Index n, int members) {
  const Index each = ((n + members - 1) / members + 7) / 8 * 8;
  std::vector<Rows> rows;
  for (int p = 0; p < members; ++p) rows.push_back({p * each, std::min(each, n - p * each)});
  return rows;
}

// Checks the limits of the moves, and that every row has one member. Returns the work of each member after the moves.
std::vector<double> check_moves(const std::vector<RowMove>& moves, const std::vector<Rows>& rows,
                                const Merge& last, const Shape<double>& shape, Index columns,
                                const std::vector<double>& before, Index least, Index most) {
  std::vector<int> owners(static_cast<std::size_t>(last.size));
  std::vector<double> work = before;
  const auto compute = [&](int p, Rows own) {
    for (Index r = own.first; r < own.first + own.count; ++r) {
      ++owners[static_cast<std::size_t>(r)];
      work[static_cast<std::size_t>(p)] +=
          static_cast<double>(r < last.upper ? shape.upper_end() : shape.k - shape.lower_begin()) * columns;
    }
  };
  std::vector<Index> received(rows.size());
  for (const RowMove& move : moves) {
    CHECK(move.from != move.to);
    CHECK(move.rows.count >= least);
    received[static_cast<std::size_t>(move.to)] += move.rows.count;
    compute(move.to, move.rows);
  }
  for (std::size_t p = 0; p < rows.size(); ++p) {
    const Rows kept = kept_rows(moves, rows, static_cast<int>(p));
    CHECK(kept.first == rows[p].first);
    CHECK(2 * kept.count > rows[p].count);
    if (kept.count < rows[p].count) CHECK(kept.count % 8 == 0);
    CHECK(received[p] <= most);
    compute(static_cast<int>(p), kept);
  }
  CHECK(std::all_of(owners.begin(), owners.end(), [](int count) { return count == 1; }));
  return work;
}

double largest_over_mean(const std::vector<double>& work) {
  return *std::max_element(work.begin(), work.end()) * static_cast<double>(work.size()) /
         std::accumulate(work.begin(), work.end(), 0.0);
}

}  // namespace

TEST_CASE("moved rows give all members the same work") {
  for (const int members : {2, 3, 4, 5, 8}) {
    const Index n = 20003;
    CAPTURE(members);
    const Merge last{0, n, n / 2};
    const Shape<double> shape{14000, 4000, 3000, 7000, 1};  // child 2 has more terms
    const std::vector<Rows> rows = equal_rows(n, members);
    std::vector<double> before(rows.size());
    add_work(Merge{0, n / 2, n / 4}, Shape<double>{5000, 2000, 1000, 2000, 1}, rows, 5000, before);
    const std::vector<RowMove> moves = row_moves(last, shape, rows, shape.k, before, 64, no_limit);
    CHECK(!moves.empty());
    std::vector<double> unmoved = before;
    add_work(last, shape, rows, shape.k, unmoved);
    CHECK(largest_over_mean(unmoved) > 1.1);
    CHECK(largest_over_mean(check_moves(moves, rows, last, shape, shape.k, before, 64, no_limit)) < 1.05);
  }
}

TEST_CASE("no rows move if the work is equal, or if no columns are wanted") {
  const Index n = 4096;
  const Merge last{0, n, n / 2};
  const std::vector<Rows> rows = equal_rows(n, 4);
  const std::vector<double> nothing(4);
  CHECK(row_moves(last, Shape<double>{4000, 1500, 1000, 1500, 1}, rows, 4000, nothing, 64, no_limit).empty());
  CHECK(row_moves(last, Shape<double>{4000, 500, 1000, 2500, 1}, rows, 0, nothing, 64, no_limit).empty());
  CHECK(row_moves(last, Shape<double>{0, 0, 0, 0, 1}, rows, 0, nothing, 64, no_limit).empty());
  CHECK(row_moves(last, Shape<double>{4000, 500, 1000, 2500, 1}, rows, 4000, nothing, 64, 0).empty());
}

TEST_CASE("moves keep their limits for any shape") {
  std::mt19937 random(1);
  const auto up_to = [&](Index most) { return std::uniform_int_distribution<Index>(0, most)(random); };
  for (int round = 0; round < 300; ++round) {
    const Index n = 200 + up_to(6000);
    const int members = 2 + up_to(6);
    CAPTURE(round, n, members);
    const Merge last{0, n, n / 3 + up_to(n / 3)};
    const Index upper = up_to(last.upper), lower = up_to(n - last.upper), dense = up_to(n - upper - lower);
    const Shape<double> shape{upper + dense + lower, upper, dense, lower, 1};
    const std::vector<Rows> rows = equal_rows(n, members);
    if (rows.back().count <= 0) continue;
    std::vector<double> before;
    for (int p = 0; p < members; ++p) before.push_back(1e3 * n * up_to(100));
    const Index columns = up_to(shape.k), least = 1 + up_to(100), most = up_to(n / members);
    const std::vector<RowMove> moves = row_moves(last, shape, rows, columns, before, least, most);
    std::vector<double> unmoved = before;
    add_work(last, shape, rows, columns, unmoved);
    const std::vector<double> work = check_moves(moves, rows, last, shape, columns, before, least, most);
    CHECK(*std::max_element(work.begin(), work.end()) <=
          *std::max_element(unmoved.begin(), unmoved.end()) * (1 + 1e-12));
  }
}
