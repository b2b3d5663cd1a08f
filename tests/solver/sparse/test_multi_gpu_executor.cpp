// Tests of solver/sparse/multi_gpu_executor and blas2/spmv/row_parts. The members are on the CPU; the cut, the halo and the sums are
// the same as on GPUs.
#include "solver/sparse/multi_gpu_executor.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "blas2/spmv/crs.hpp"
#include "blas2/spmv/row_parts.hpp"
#include "solver/sparse/cpu_executor.hpp"
#include "solver/sparse/lanczos.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/closed_forms.hpp"
#include "tests/support/sparse.hpp"
#include "tests/support/team.hpp"

using namespace eigen_g;
using namespace eigen_g::blas2;

namespace {

struct Parts {
  std::vector<RowPart<double>> parts;
  std::vector<HaloMessage> messages;
  Parts(const CrsView<double>& a, int count) {
    const std::vector<std::int64_t> cuts = row_cuts(a, count);
    for (std::size_t m = 0; m + 1 < cuts.size(); ++m)
      parts.push_back(row_part(a, cuts[m], cuts[m + 1] - cuts[m]));
    messages = halo_messages(parts);
  }
  void multiply(double alpha, const std::vector<const double*>& x, double gamma, double beta,
                const std::vector<double*>& y) const {
    std::vector<std::vector<double>> halo;
    for (const RowPart<double>& part : parts)
      halo.emplace_back(part.far_columns.size() * 4, std::numeric_limits<double>::quiet_NaN());
    for (const HaloMessage& m : messages)
      for (std::size_t r = 0; r < m.rows.size(); ++r)
        for (std::size_t c = 0; c < 4; ++c)
          halo[static_cast<std::size_t>(m.to)][4 * (static_cast<std::size_t>(m.at) + r) + c] =
              x[static_cast<std::size_t>(m.from)][4 * m.rows[r] + static_cast<std::int64_t>(c)];
    for (std::size_t m = 0; m < parts.size(); ++m) {
      const RowPart<double>& part = parts[m];
      crs_multiply(4, alpha, part.own.view(), x[m], beta, y[m], 0, gamma);
      std::vector<double> far(part.far_rows.size() * 4);
      crs_multiply(4, alpha, part.far.view(), halo[m].data(), 0.0, far.data());
      for (std::size_t r = 0; r < part.far_rows.size(); ++r)
        for (std::size_t c = 0; c < 4; ++c)
          y[m][4 * part.far_rows[r] + static_cast<std::int64_t>(c)] += far[4 * r + c];
    }
  }
};

std::unique_ptr<MultiGpuExecutor<double>> team_of(const std::shared_ptr<const Parts>& parts) {
  std::vector<MultiGpuExecutor<double>::Member> members;
  for (const RowPart<double>& part : parts->parts)
    members.push_back({std::make_unique<CpuExecutor<double>>(part.rows, MatrixOperator<double>(), part.first),
                       [](const std::function<void()>& work) { work(); }});
  return std::make_unique<MultiGpuExecutor<double>>(
      std::move(members), [parts](double alpha, const auto& x, double gamma, double beta, const auto& y) {
        parts->multiply(alpha, x, gamma, beta, y);
      });
}

}  // namespace

TEST_CASE("a matrix cut by rows multiplies as the whole one, for any cut") {
  const CrsMatrix<double> a =
      support::random_crs<double>(support::ragged_lengths(701, 701, 20, 300, 3), 701, 4);
  const int count = GENERATE(1, 2, 3, 8);
  const auto parts = std::make_shared<const Parts>(a.view(), count);
  std::int64_t entries = 0, rows = 0;
  for (const RowPart<double>& part : parts->parts) {
    entries += part.own.nnz + part.far.nnz;
    rows += part.rows;
    check_crs(part.own.view());
    check_crs(part.far.view());
  }
  CHECK(entries == a.nnz);
  CHECK(rows == a.rows);
  const auto team = team_of(parts);
  const std::vector<double> x = support::random_block<double>(4 * a.rows, 1),
                            y0 = support::random_block<double>(4 * a.rows, 2);
  double *const x_team = team->take_blocks(1), *const y_team = team->take_blocks(1);
  std::vector<double> y = y0, got(y.size(), std::numeric_limits<double>::quiet_NaN());
  crs_multiply(4, -0.75, a.view(), x.data(), 1.5, y.data(), 0, 0.25);
  team->put(x.data(), 4 * a.rows, x_team);
  team->put(y0.data(), 4 * a.rows, y_team);
  team->multiply(-0.75, x_team, 0.25, 1.5, y_team);
  team->get(y_team, 4 * a.rows, got.data());
  double worst = 0;
  for (std::size_t i = 0; i < y.size(); ++i) worst = std::max(worst, std::abs(y[i] - got[i]));
  CHECK(worst <= 1e-12);
}

TEST_CASE("a part is the same by any number of threads") {
  const std::int64_t n = 9001;
  const CrsMatrix<double> a = support::random_crs<double>(support::ragged_lengths(n, n, 12, 400, 3), n, 4);
  std::vector<RowPart<double>> parts;
  for (const int threads : {1, 5}) {
    const support::Threads limited(threads);
    parts.push_back(row_part(a.view(), 2500, 4001));
  }
  CHECK(parts[0].far_rows == parts[1].far_rows);
  CHECK(parts[0].far_columns == parts[1].far_columns);
  for (const auto& of : {&RowPart<double>::own, &RowPart<double>::far}) {
    const CrsMatrix<double>&one = parts[0].*of, &five = parts[1].*of;
    REQUIRE(one.nnz == five.nnz);
    CHECK(one.nnz > 0);
    CHECK(std::equal(one.row_offsets.get(), one.row_offsets.get() + one.rows + 1, five.row_offsets.get()));
    CHECK(std::equal(one.col.get(), one.col.get() + one.nnz, five.col.get()));
    CHECK(std::equal(one.value.get(), one.value.get() + one.nnz, five.value.get()));
  }
}

TEST_CASE("an empty part and an empty matrix can be cut") {
  const CrsMatrix<double> a = support::random_crs<double>({0, 0, 5}, 5, 1);
  CHECK(row_cuts(slice(a.view(), 0, 0), 3) == std::vector<std::int64_t>{0, 0, 0, 0});
  const RowPart<double> part = row_part(a.view(), 1, 0);
  CHECK(part.own.nnz + part.far.nnz == 0);
}

TEST_CASE("a team's blocks and small matrices equal one executor's, its random ones bit for bit") {
  constexpr std::int64_t n = 500;
  CrsMatrix<double> a = support::random_crs<double>(std::vector<std::int64_t>(n, 3), n, 4);
  const auto team = team_of(std::make_shared<const Parts>(a.view(), 3));
  CpuExecutor<double> one(n, {});
  double *const v = team->take_blocks(3), *const w = one.take_blocks(3);
  double *const c = team->take(64), *const d = one.take(64);
  std::vector<double> got(3 * 4 * n), expected(got.size()), small(48), small_expected(48);
  for (int p = 0; p < 3; ++p) {
    team->randomise(0xf, static_cast<std::uint64_t>(p), v + p * 4 * n);
    one.randomise(0xf, static_cast<std::uint64_t>(p), w + p * 4 * n);
  }
  team->get(v, 12 * n, got.data());
  one.get(w, 12 * n, expected.data());
  CHECK(got == expected);
  team->copy(v + 4 * n, 8 * n, v);
  one.copy(w + 4 * n, 8 * n, w);
  team->gram(2, v, v + 8 * n, c + 16);
  one.gram(2, w, w + 8 * n, d + 16);
  team->get(c + 16, 32, small.data());
  one.get(d + 16, 32, small_expected.data());
  for (std::size_t i = 0; i < 32; ++i) CHECK(small[i] == Approx(small_expected[i]).margin(1e-11));
  std::vector<double> column(n), column_expected(n);
  team->column(v, 6, column.data());
  one.column(w, 6, column_expected.data());
  CHECK(column == column_expected);
}

TEST_CASE("few pairs by a team: closed forms, the same bits twice") {
  const support::SparseCase a = support::grid({12, 11, 10});
  const CrsView<double> view{a.n(),           a.n(),         a.row_offsets.back(), a.row_offsets.data(),
                             a.column.data(), a.value.data()};
  const auto parts = std::make_shared<const Parts>(view, GENERATE(2, 3));
  LanczosOptions options;
  options.wanted = 8;
  options.max_products = 100000;
  options.scale = 12;
  const auto first = team_of(parts), second = team_of(parts);
  const LanczosResult<double> result = lanczos<double>(*first, options, nullptr, 0),
                              again = lanczos<double>(*second, options, nullptr, 0);
  CHECK(result.converged);
  CHECK(result.probe.passed);
  CHECK(result.orthogonality <= 1e-12);
  REQUIRE(result.values.size() == 8);
  for (std::size_t i = 0; i < 8; ++i) CHECK(std::abs(result.values[i] - a.values[i]) <= 1e-9 * 12);
  CHECK(result.values == again.values);
}
