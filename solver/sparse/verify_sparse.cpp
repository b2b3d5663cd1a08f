// verify() of pairs of a sparse matrix: the test ratios of a dense one, from products of A with blocks of Z.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "hybrid/instantiate.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/team/loops.hpp"
#include "solver/sparse/few_problem.hpp"
#include "solver/sparse/real_form.hpp"
#include "solver/verify/verify.hpp"
#include "solver/verify/verify_columns.hpp"

namespace eigen_g {
namespace {

// Rows whose residuals are added in one chain. The chains are then added in the order of the rows.
constexpr std::int64_t chain_rows = 4096;
// For each column of a block: the sum of |r|, then the sum of r^2.
using ChainSums = std::array<double, 2 * block_width>;

// Adds the residuals of the columns j ... j + 3 of Z. x and az are blocks for X = Z(:, j : j + 4) and A X.
template <class T>
void add_residuals(Executor<T>& on, const ScaledPairs<T>& p, std::int64_t j, T* x, T* az,
                   std::vector<ChainSums>& chains, ColumnSums& sums) {
  const std::int64_t n = p.z.rows, columns = std::min<std::int64_t>(block_width, p.z.cols - j);
  const int threads = threads_if(n >= smallest_parallel_order);
  for_each(n, threads, [&](std::int64_t i) {
    for (std::int64_t c = 0; c < block_width; ++c)
      x[block_width * i + c] = c < columns ? p.z(i, j + c) : T(0);
  });
  on.multiply(T(1), x, T(0), T(0), az);
  for_each(static_cast<std::int64_t>(chains.size()), threads, [&](std::int64_t chain) {
    ChainSums sum{};
    for (std::int64_t i = chain * chain_rows; i < std::min(n, (chain + 1) * chain_rows); ++i)
      for (std::int64_t c = 0; c < columns; ++c) {
        const double r = az[block_width * i + c] - x[block_width * i + c] * p.w[j + c];
        sum[c] += std::abs(r);
        sum[block_width + c] += r * r;
      }
    chains[chain] = sum;
  });
  for (const ChainSums& sum : chains)
    for (std::int64_t c = 0; c < columns; ++c) {
      sums.residual_abs[j + c] += sum[c];
      sums.residual_squares[j + c] += sum[block_width + c];
    }
}

// `sums` has the sums of the columns of 2^-e A.
template <class T>
Verification verify_products(const FewProblem<T>& problem, int e, ColumnSums sums, std::int64_t m, const T* w,
                             const T* z, std::int64_t ldz) {
  const std::int64_t n = problem.n;
  ScaledPairs<T> pairs{Uplo::lower, {}, std::ldexp(1.0, -e), {w, w + m}, {z, n, m, ldz}};
  Verification v = pairs_to_verify<T>(m, w, pairs.z);
  for (double& value : pairs.w) value = std::ldexp(value, -e);
  sums.residual_abs.resize(m);
  sums.residual_squares.resize(m);
  const std::unique_ptr<Executor<T>> on = problem.executor(1);
  on->scale(static_cast<T>(pairs.scale));
  T *const x = on->take_blocks(1), *const az = on->take_blocks(1);
  std::vector<ChainSums> chains((n + chain_rows - 1) / chain_rows);
  for (std::int64_t j = 0; j < m; j += block_width) add_residuals(*on, pairs, j, x, az, chains, sums);
  add_gram_sums<T>(pairs.z, sums);
  set_figures(sums, e, std::numeric_limits<T>::epsilon(), v);
  return v;
}

// Calls verify() and sets its seconds.
template <class Verify>
Verification with_its_seconds(Verify&& verify) {
  const auto start = std::chrono::steady_clock::now();
  Verification v = verify();
  v.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return v;
}

}  // namespace

template <class T>
Verification verify(const CsrMatrix<T>& a, std::int64_t m, const same_t<real_t<T>>* w, const same_t<T>* z,
                    std::int64_t ldz, int threads) {
  if (a.n < 0) throw InvalidArgument(Argument::n, "is " + std::to_string(a.n) + ", must not be negative");
  check_pairs(a.n, m, w, z, ldz);
  if constexpr (!std::is_same_v<T, double>) {
    const RealMatrix real = real_form(a, "a");
    return verify_by_real_form<T>(
        a.n, m, w, z, ldz,
        [&](std::int64_t twice, const double* values, const double* vectors, std::int64_t ld) {
          return verify(real.rows(), twice, values, vectors, ld, threads);
        });
  } else {
    const ThreadLimit limit(threads);
    return with_its_seconds([&] {
      const FewProblem<T> problem = few_problem(a, {});
      double largest = 0;
      for (std::int64_t p = 0; p < problem.nnz; ++p)
        largest = std::max<double>(largest, std::abs(a.values[a.row_offsets[0] + p]));
      const int e = scale_of_check(largest);
      ColumnSums sums;
      sums.matrix_abs.resize(a.n);
      sums.matrix_squares.resize(a.n);
      // A is symmetric, so the sums of its rows are the sums of its columns.
      for_each(a.n, threads_if(a.n >= smallest_parallel_order), [&](std::int64_t i) {
        for (std::int64_t p = a.row_offsets[i]; p < a.row_offsets[i + 1]; ++p) {
          const double entry = std::ldexp(a.values[p], -e);
          sums.matrix_abs[i] += std::abs(entry);
          sums.matrix_squares[i] += entry * entry;
        }
      });
      return verify_products(problem, e, std::move(sums), m, w, z, ldz);
    });
  }
}

Verification verify(const SparseGrid& a, std::int64_t m, const double* w, const double* z, std::int64_t ldz,
                    int threads) {
  check_grid(a);
  const std::int64_t n = a.nx * a.ny * a.nz;
  check_pairs(n, m, w, z, ldz);
  const ThreadLimit limit(threads);
  return with_its_seconds([&] {
    // Sizes of the entries: on the diagonal, for a neighbour along an axis, for a neighbour along the diagonal of a face.
    const double middle = a.points == 7 ? 6 : 24, axis = a.points == 7 ? 1 : 2, face = a.points == 7 ? 0 : 1;
    const int e = scale_of_check(middle);
    const double scale = std::ldexp(1.0, -e);
    ColumnSums sums;
    sums.matrix_abs.resize(n);
    sums.matrix_squares.resize(n);
    const auto inside = [](std::int64_t p, std::int64_t side) { return (p > 0) + (p < side - 1); };
    for_each(n, threads_if(n >= smallest_parallel_order), [&](std::int64_t i) {
      const int x = inside(i % a.nx, a.nx), y = inside(i / a.nx % a.ny, a.ny),
                z_count = inside(i / a.nx / a.ny, a.nz);
      const int axes = x + y + z_count, faces = x * y + y * z_count + z_count * x;
      sums.matrix_abs[i] = scale * (middle + axis * axes + face * faces);
      sums.matrix_squares[i] = scale * scale * (middle * middle + axis * axis * axes + face * face * faces);
    });
    return verify_products(few_problem(a, false), e, std::move(sums), m, w, z, ldz);
  });
}

EIGEN_G_INSTANTIATE_OVERLOAD(all_types, verify,
                             Verification(const CsrMatrix<T>&, std::int64_t, const real_t<T>*, const T*,
                                          std::int64_t, int));

}  // namespace eigen_g
