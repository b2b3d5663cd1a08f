// Runs the kernels of full_to_band_on_team.cu on the CPU. The products of the tiles are loops here, and their places are the same as on a GPU.
#include "tests/support/emulation.hpp"
// The kernels follow the emulation.
#include "solver/reduction/two_stage/full_to_band_on_team_kernels.cuh"

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

// C := op(A) B, column-major.
void multiply(bool adjoint, Index m, Index n, Index k, const double* a, Index lda, const double* b, Index ldb,
              double* c, Index ldc) {
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < m; ++i) {
      double sum = 0;
      for (Index l = 0; l < k; ++l) sum += (adjoint ? a[l + i * lda] : a[i + l * lda]) * b[l + j * ldb];
      c[i + j * ldc] = sum;
    }
}

// The member's part of a symmetric matrix, as it is stored.
Values part_of_matrix(const Values& a, const DealtColumns& deal, int part) {
  Values stored(static_cast<std::size_t>(deal.rows() * deal.stored_columns()), 0);
  for (Index l = 0; l < deal.columns(part); ++l) {
    const Index j = deal.global(part, l);
    for (Index i = j / deal.strip() * deal.strip(); i < deal.n; ++i)
      at(stored, i + l * deal.rows()) = at(a, i + j * deal.n);
  }
  return stored;
}

// Rows `below` ... of the member's part of A W.
Values product_of(const DealtColumns& deal, int part, Index below, Index b, const Values& stored,
                  const Values& w) {
  const Index strips = deal.strips(), height = deal.strip(), width = deal.width, ld = deal.rows();
  Values slots(static_cast<std::size_t>(tiles_from(deal, 0) * height * b), not_a_number),
      adjoint_slots(static_cast<std::size_t>(tiles_below(deal, 0) * width * b + 1), not_a_number),
      product(static_cast<std::size_t>(deal.n * b), not_a_number);
  const PanelTiles tiles(deal, part, below);
  const auto one = [&](Index s, Index r, Index l, Index first, Index columns) {
    const double* const a = &stored[static_cast<std::size_t>(deal.first_row(r) + l * ld)];
    const Index i = tiles_from(deal, s + 1) + r - s, k = tiles_below(deal, s + 1) + r - s - 1;
    multiply(false, height, b, columns, a, ld, &w[static_cast<std::size_t>(first)], ld,
             &slots[static_cast<std::size_t>(i * height * b)], height);
    if (r > s)
      multiply(true, columns, b, height, a, ld, &w[static_cast<std::size_t>(deal.first_row(r))], ld,
               &adjoint_slots[static_cast<std::size_t>(k * width * b + width - columns)], width);
  };
  Index whole = 0, whole_below = 0;
  for (Index s = strips - 1; s > tiles.strip; --s)
    for (Index r = s; r < strips; ++r) {
      one(s, r, s * width, deal.first(s, part), width);
      ++whole;
      whole_below += r > s;
    }
  REQUIRE(whole == tiles.after);
  REQUIRE(whole_below == tiles.after_below);
  if (tiles.columns > 0)
    for (Index r = tiles.strip; r < strips; ++r) one(tiles.strip, r, tiles.local, tiles.first, tiles.columns);
  launch(add_slots_kernel<double>, (deal.n - below + 255) / 256, b, 1, deal, part, below, tiles.from(), b,
         static_cast<const double*>(slots.data()), static_cast<const double*>(adjoint_slots.data()),
         product.data(), deal.n);
  return product;
}

}  // namespace

TEST_CASE("full to band on a team: the members' partial products add up to A W") {
  std::mt19937 random(7);
  std::normal_distribution<double> entry;
  constexpr Index b = 3;
  struct Row {
    Index n, width, parts;
  };
  for (const Row row : {Row{5, 8, 2}, Row{16, 4, 2}, Row{37, 4, 2}, Row{41, 8, 3}, Row{64, 8, 2},
                        Row{300, 32, 2}, Row{301, 16, 4}}) {
    const DealtColumns deal{row.n, row.width, row.parts};
    const Index n = row.n, ld = deal.rows();
    Values a(static_cast<std::size_t>(n * n));
    for (Index j = 0; j < n; ++j)
      for (Index i = j; i < n; ++i) at(a, i + j * n) = at(a, j + i * n) = entry(random);
    std::vector<Values> parts;
    for (int p = 0; p < deal.parts; ++p) parts.push_back(part_of_matrix(a, deal, p));
    for (Index below = 1; below < n; below += std::max<Index>(1, n / 9)) {
      CAPTURE(n, row.width, row.parts, below);
      Values w(static_cast<std::size_t>(ld * b),
               0);  // rows before `below` are not read, rows beyond the matrix are zero
      for (Index j = 0; j < b; ++j)
        for (Index i = 0; i < n; ++i) at(w, i + j * ld) = i < below ? not_a_number : entry(random);
      std::vector<Values> products;
      for (int p = 0; p < deal.parts; ++p)
        products.push_back(product_of(deal, p, below, b, parts[static_cast<std::size_t>(p)], w));

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
          for (Index k = below; k < n; ++k) sum += at(a, below + i + k * n) * at(w, k + j * ld);
          const double error = std::fabs(at(z, i + j * ldz) - sum);
          if (!(error <= worst)) worst = error;
        }
      CHECK(worst < 1e-12);
    }
  }
}

TEST_CASE("full to band on a team: a panel is copied from its owner") {
  constexpr Index b = 5, lds = 301, ld = 307;
  for (const Index rows : {1, 255, 256, 300}) {
    CAPTURE(rows);
    std::mt19937 random(3);
    std::normal_distribution<double> entry;
    Values from_v(static_cast<std::size_t>(lds * b)), from_w(from_v.size()), from_tau(b);
    for (Values* const x : {&from_v, &from_w, &from_tau})
      for (double& value : *x) value = entry(random);
    Values v(static_cast<std::size_t>(ld * b), -1), w(v), tau(b + 1, -1);
    const FactoredPanel<double> from{from_v.data(), from_w.data(), from_tau.data(), lds, lds};
    launch(get_panel_kernel<double>, (rows + 255) / 256, b, 2, rows, from, v.data(), ld, w.data(), ld,
           tau.data());
    Index wrong = 0;
    for (Index j = 0; j < b; ++j) {
      wrong += at(tau, j) != at(from_tau, j);
      for (Index i = 0; i < ld; ++i) {
        wrong += at(v, i + j * ld) != (i < rows ? at(from_v, i + j * lds) : -1);
        wrong += at(w, i + j * ld) != (i < rows ? at(from_w, i + j * lds) : -1);
      }
    }
    CHECK(wrong == 0);
    CHECK(tau.back() == -1);
  }
}
