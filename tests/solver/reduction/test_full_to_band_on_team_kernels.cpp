// Runs the kernels of full_to_band_on_team.cu on the CPU. The products are loops here, and their places are the same as on a GPU.
#include "tests/support/emulation.hpp"
// The kernels follow the emulation.
#include "solver/reduction/two_stage/full_to_band_on_team_kernels.cuh"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tests/support/catch.hpp"

using namespace eigen_g;
using namespace eigen_g::to_band;

namespace {

using Index = std::int64_t;
using Values = std::vector<double>;
const double not_a_number = std::numeric_limits<double>::quiet_NaN();

double& at(Values& x, Index i) {
  return x[static_cast<std::size_t>(i)];
}
double at(const Values& x, Index i) {
  return x[static_cast<std::size_t>(i)];
}

// Runs a kernel on a grid of more than one dimension.
template <class Kernel, class... Arguments>
void launch(Kernel kernel, Index x, Index y, Index z, const Arguments&... arguments) {
  blockDim.x = 256;
  for (unsigned k = 0; k < z; ++k)
    for (unsigned j = 0; j < y; ++j) {
      blockIdx.y = j;
      blockIdx.z = k;
      emulation::launch(kernel, x, 256, 0, arguments...);
    }
  blockIdx.y = blockIdx.z = 0;
}

// The member's part of a symmetric matrix in memory. Padding and entries that are stored nowhere are not a number.
struct Stored {
  Values values;
  DealtPart<const double> part;
};
Stored part_of_matrix(const Values& a, const DealtColumns& deal, int part) {
  const Index ld = deal.packed ? deal.n + 3 : deal.n;
  Stored stored{Values(static_cast<std::size_t>(deal.most_values(ld)), not_a_number), {}};
  const DealtPart<double> to{deal, part, stored.values.data(), ld};
  for (Index l = 0; l < deal.columns(part); ++l) {
    const Index j = deal.global(part, l);
    for (Index i = j / deal.height * deal.height; i < deal.n; ++i) to.column(l)[i] = at(a, i + j * deal.n);
  }
  stored.part = to;
  return stored;
}

// C += op(A) B, column-major.
void multiply(bool adjoint, Index m, Index n, Index k, const double* a, Index lda, const double* b, Index ldb,
              double* c, Index ldc) {
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < m; ++i)
      for (Index l = 0; l < k; ++l)
        c[i + j * ldc] += (adjoint ? a[l + i * lda] : a[i + l * lda]) * b[l + j * ldb];
}

// Rows `below` ... of the member's part of A W.
Values product_of(const DealtColumns& deal, int part, Index below, Index b, const DealtPart<const double>& a,
                  const Values& w) {
  const Index n = deal.n, first = deal.before(below, part), count = deal.columns(part) - first,
              own_ld = deal.most_columns();
  Values own_w(static_cast<std::size_t>(own_ld * b), not_a_number), own_sums(own_w),
      product(static_cast<std::size_t>(n * b), not_a_number);
  if (count > 0)
    launch(own_rows_kernel<double>, (count + 255) / 256, b, 1, deal, part, first, count, 0,
           static_cast<const double*>(w.data()), n, &at(own_w, first), own_ld);
  Index columns = 0;
  const auto adjoint_product = [&](Index row, Index rows, ColumnRange of, bool over) {
    REQUIRE(of.count > 0);
    for (Index k = 0; over && k < b; ++k)
      for (Index i = 0; i < of.count; ++i) at(own_sums, of.first + i + k * own_ld) = 0;
    columns = std::max(columns, of.first + of.count - first);
    const MatrixView<const double> left = a.block(row, of.first, rows, of.count);
    multiply(true, of.count, b, rows, left.data, left.lda, &w[static_cast<std::size_t>(row)], n,
             &at(own_sums, of.first), own_ld);
  };
  if (deal.packed) {
    Index next = first;
    for_strips_above(deal, part, below, [&](Index row, ColumnRange of) {
      REQUIRE(of.first == next);
      next += of.count;
      adjoint_product(row, n - row, of, true);
    });
  } else {
    for_strips_of_rows(deal, part, below, [&](Index row, Index rows, ColumnRange of) {
      REQUIRE(of.first == first);
      REQUIRE((columns == 0 || of.count <= columns));
      adjoint_product(row, rows, of, columns == 0);
    });
  }
  for (Index k = 0; k < b; ++k)
    for (Index i = below; i < n; ++i) at(product, i + k * n) = 0;
  for_strips_of_columns(deal, part, below, [&](Index row, ColumnRange of) {
    const MatrixView<const double> left = a.block(row, of.first, n - row, of.count);
    multiply(false, n - row, b, of.count, left.data, left.lda, &own_w[static_cast<std::size_t>(of.first)],
             own_ld, &at(product, row), n);
  });
  if (columns > 0)
    launch(add_own_rows_kernel<double>, (columns + 255) / 256, b, 1, deal, part, first, columns,
           static_cast<const double*>(&at(own_sums, first)), own_ld, product.data(), n);
  return product;
}

}  // namespace

TEST_CASE("full to band on a team: the members' partial products add up to A W") {
  std::mt19937 random(7);
  std::normal_distribution<double> entry;
  constexpr Index b = 3;
  struct Row {
    Index n, width, parts, pieces;
  };
  const bool packed = GENERATE(false, true);
  for (const Row row :
       {Row{5, 8, 2, 1}, Row{16, 4, 2, 2}, Row{37, 4, 2, 1}, Row{41, 8, 3, 2}, Row{64, 8, 2, 3},
        Row{300, 32, 2, 2}, Row{301, 16, 4, 1}, Row{5, 8, 1, 1}, Row{40, 8, 1, 1}, Row{301, 64, 1, 1}}) {
    const DealtColumns deal{row.n, row.width, row.parts, row.pieces * row.width * row.parts, packed};
    const Index n = row.n;
    Values a(static_cast<std::size_t>(n * n));
    for (Index j = 0; j < n; ++j)
      for (Index i = j; i < n; ++i) at(a, i + j * n) = at(a, j + i * n) = entry(random);
    std::vector<Stored> parts;
    for (int p = 0; p < deal.parts; ++p) parts.push_back(part_of_matrix(a, deal, p));
    for (Index below = 1; below < n; below += std::max<Index>(1, n / 9)) {
      CAPTURE(n, row.width, row.parts, row.pieces, packed, below);
      Values w(static_cast<std::size_t>(n * b));  // rows before `below` are not read
      for (Index j = 0; j < b; ++j)
        for (Index i = 0; i < n; ++i) at(w, i + j * n) = i < below ? not_a_number : entry(random);
      std::vector<Values> products;
      for (int p = 0; p < deal.parts; ++p)
        products.push_back(product_of(deal, p, below, b, parts[static_cast<std::size_t>(p)].part, w));

      PartialSums<double> sums{};
      sums.members = static_cast<int>(deal.parts);
      sums.ld = n;
      for (int p = 0; p < deal.parts; ++p)
        sums.of[p] = &products[static_cast<std::size_t>(p)][static_cast<std::size_t>(below)];
      const Index rows = n - below, ldz = rows + 1;
      Values z(static_cast<std::size_t>(ldz * b), not_a_number);
      launch(add_sums_kernel<double>, (rows + 255) / 256, b, 1, rows, sums, z.data(), ldz);
      double worst = 0;
      for (Index j = 0; j < b; ++j)
        for (Index i = 0; i < rows; ++i) {
          double sum = 0;
          for (Index k = below; k < n; ++k) sum += at(a, below + i + k * n) * at(w, k + j * n);
          const double error = std::fabs(at(z, i + j * ldz) - sum);
          if (!(error <= worst)) worst = error;
        }
      CHECK(worst < 1e-12);
    }
  }
}

TEST_CASE("full to band on a team: accurate sums for a panel with few reflectors, else nothing") {
  constexpr int b = 37;
  std::mt19937 random(11);
  std::normal_distribution<double> entry;
  struct Row {
    Index n, width, parts, pieces, below;
  };
  const bool packed = GENERATE(false, true);
  for (const Row row :
       {Row{5, 8, 2, 1, 1}, Row{70, 8, 2, 2, 33}, Row{100, 16, 3, 1, 20}, Row{141, 8, 2, 3, 7},
        Row{141, 8, 2, 3, 140}, Row{141, 40, 1, 1, 7}, Row{160, 40, 1, 1, 41}})
    for (const std::vector<int>& reflectors :
         {std::vector<int>{}, {0}, {36}, {3, 33, 34}, {0, 1, 31, 36}, {0, 1, 2, 3, 4}}) {
      const DealtColumns deal{row.n, row.width, row.parts, row.pieces * row.width * row.parts, packed};
      const Index n = row.n, below = row.below, rows = n - below, ld = n, ldp = rows + 3;
      CAPTURE(n, row.width, row.parts, row.pieces, below, reflectors.size());
      Values a(static_cast<std::size_t>(n * n)), w(static_cast<std::size_t>(ld * b), not_a_number), tau(b, 0);
      for (Index j = 0; j < n; ++j)
        for (Index i = j; i < n; ++i) at(a, i + j * n) = at(a, j + i * n) = entry(random);
      for (Index k = 0; k < b; ++k)
        for (Index i = below; i < n; ++i) at(w, i + k * ld) = entry(random);
      for (const int k : reflectors) at(tau, k) = 1.5;
      const bool few = !reflectors.empty() && reflectors.size() <= few_reflectors;
      Values sum(static_cast<std::size_t>(rows * b), 0);
      for (int p = 0; p < deal.parts; ++p) {
        const Stored stored = part_of_matrix(a, deal, p);
        Values product(static_cast<std::size_t>(ldp * b), not_a_number);
        blockDim.x = rows_of_few * warps_of_few;
        emulation::launch(product_of_few_kernel<double>, (rows + rows_of_few - 1) / rows_of_few,
                          rows_of_few * warps_of_few, shared_of_few<double>, stored.part, below, b,
                          static_cast<const double*>(tau.data()), static_cast<const double*>(w.data()), ld,
                          product.data(), ldp);
        Index wrong = 0;
        for (Index k = 0; k < b; ++k)
          for (Index i = 0; i < ldp; ++i) {
            const double value = at(product, i + k * ldp);
            wrong += std::isnan(value) == (few && i < rows && at(tau, k) != 0);
            if (few && i < rows && at(tau, k) != 0) at(sum, i + k * rows) += value;
          }
        CHECK(wrong == 0);
      }
      if (!few) continue;
      double worst = 0;
      for (const int k : reflectors)
        for (Index i = 0; i < rows; ++i) {
          long double exact = 0;
          for (Index l = below; l < n; ++l)
            exact += static_cast<long double>(at(a, below + i + l * n)) *
                     static_cast<long double>(at(w, l + k * ld));
          const auto error = static_cast<double>(std::fabs(at(sum, i + k * rows) - exact));
          if (!(error <= worst)) worst = error;
        }
      CHECK(worst < 1e-13);
    }
}

TEST_CASE("full to band on a team: sums of equal terms keep their digits, unlike a chain of additions") {
  constexpr int b = 2;
  constexpr Index n = 4001, below = 30, rows = n - below;
  const DealtColumns deal{n, 32, 2, 128};
  // All columns of A are at the same place.
  const Values ones(n, 1), tau(b, 1);
  Values w(n * b), product(rows * b), sum(rows * b, 0);
  for (Index k = 0; k < b; ++k)
    for (Index i = 0; i < n; ++i) at(w, i + k * n) = k == 0 ? 0.1 : 0.7;
  blockDim.x = rows_of_few * warps_of_few;
  for (int p = 0; p < 2; ++p) {
    emulation::launch(product_of_few_kernel<double>, (rows + rows_of_few - 1) / rows_of_few,
                      rows_of_few * warps_of_few, shared_of_few<double>,
                      DealtPart<const double>{deal, p, ones.data(), 0}, below, b, tau.data(),
                      static_cast<const double*>(w.data()), n, product.data(), rows);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += product[i];
  }
  double worst = 0;
  for (Index k = 0; k < b; ++k)
    for (Index i = 0; i < rows; ++i)
      worst =
          std::max(worst, std::fabs(at(sum, i + k * rows) / (static_cast<double>(rows) * at(w, k * n)) - 1));
  CHECK(worst * 0x1p53 <= 10);
}

TEST_CASE(
    "full to band on a team: the member's rows of pending columns, with the blocks of each pair exchanged") {
  constexpr Index b = 3, pairs = 2, n = 301;
  const DealtColumns deal{n, 16, 2, 64};
  Values x(n * 2 * b * pairs);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i);
  for (int p = 0; p < 2; ++p) {
    const Index first = 20, count = deal.columns(p) - first, ld = count + 5;
    Values own(static_cast<std::size_t>(ld * 2 * b * pairs), -1);
    launch(own_rows_kernel<double>, (count + 255) / 256, 2 * b * pairs, 1, deal, p, first, count, int{b},
           static_cast<const double*>(x.data()), n, own.data(), ld);
    Index wrong = 0;
    for (Index k = 0; k < 2 * b * pairs; ++k)
      for (Index i = 0; i < ld; ++i) {
        const Index from = k / b % 2 == 0 ? k + b : k - b;
        wrong += at(own, i + k * ld) != (i < count ? at(x, deal.global(p, first + i) + from * n) : -1);
      }
    CHECK(wrong == 0);
  }
}

TEST_CASE("full to band on a team: a panel is copied from its owner") {
  constexpr Index b = 5, lds = 301, ld = 307;
  for (const Index rows : {1, 255, 256, 300}) {
    CAPTURE(rows);
    std::mt19937 random(3);
    std::normal_distribution<double> entry;
    Values from(static_cast<std::size_t>(lds * b)), from_tau(b);
    for (Values* const x : {&from, &from_tau})
      for (double& value : *x) value = entry(random);
    Values to(static_cast<std::size_t>(ld * b), -1), tau(b + 1, -1);
    const bool with_tau = rows != 255;
    launch(get_panel_kernel<double>, (rows + 255) / 256, b, 1, rows, static_cast<const double*>(from.data()),
           lds, to.data(), ld, static_cast<const double*>(from_tau.data()), with_tau ? tau.data() : nullptr);
    Index wrong = 0;
    for (Index j = 0; j < b; ++j) {
      wrong += at(tau, j) != (with_tau ? at(from_tau, j) : -1);
      for (Index i = 0; i < ld; ++i) wrong += at(to, i + j * ld) != (i < rows ? at(from, i + j * lds) : -1);
    }
    CHECK(wrong == 0);
    CHECK(tau.back() == -1);
  }
}
