// The inner loops of the divide and conquer on the CPU, which are compiled once for each vector width (hybrid/vector/width.hpp).
#pragma once

#include <cstdint>

#include "hybrid/vector/width.hpp"

namespace eigen_g {

namespace dc {

// The k x k problem D + rho z z^T of a merge, with its roots and its corrected weights (dc_arrays.hpp).
template <class R>
struct RankOne {
  std::int32_t k, upper, upper_end;
  const R *pole, *base, *tau;          // k values each
  const R *group_pole, *group_weight;  // in group order
  const R *first_of_c, *last_of_c;     // end rows of the compressed Q; read only if end rows are asked for
  R *first_of_q, *last_of_q;           // end rows of the merge's Q, out
};

// Solves leaves of at most 8 rows by Jacobi's method, one lane for each leaf. The arrays have `leaves` lanes; unused rows and lanes are zero.
//   d  [row][lane], in; out: the eigenvalues, unsorted
//   e  [row][lane], the off-diagonal
//   z  [column][row][lane], out: the eigenvectors
// Returns false if it has not converged.
template <class R>
using SolveLeaves = bool (*)(R* d, const R* e, R* z);
//   psi, its derivative, phi, its derivative at origin + tau, as secular_sums()
template <class R>
using SecularSums = void (*)(const R* pole, const R* weight, std::int32_t k, R origin, R tau,
                             std::int32_t psi_end, std::int32_t phi_begin, R* sums);
// Roots begin ... end - 1 as secular_root(), one lane for each root. Stores base, tau and root. It takes the ordinary steps only: root is NaN if
// these do not converge.
template <class R>
using SolveRoots = void (*)(const R* pole, const R* weight, std::int32_t k, R rho, std::int32_t begin,
                            std::int32_t end, R* base, R* tau, R* root);
// weight[i - first] := the corrected weight of pole i without its sign, i = first ... first + count - 1, as correct_weight()
template <class R>
using CorrectWeights = void (*)(const RankOne<R>&, std::int32_t first, std::int32_t count, R* weight);
// Column j + c of U, c = 0 ... group - 1, to u[g * group + c]; beyond column `end` - 1 values that are not read. u null: no column.
// With end_rows also the end rows of columns j ... end - 1 of the merge's Q.
template <class R>
using FormColumns = void (*)(const RankOne<R>&, std::int32_t j, std::int32_t end, bool end_rows, R* u);
// c := A B for `rows` rows, a multiple of tile_rows, and `groups` groups of columns. Column j of c begins at c + j * rows.
//   a  [rows / tile_rows][a_inner][tile_rows], `inner` of the a_inner columns are used from a on
//   b  [groups][b_inner][group], `inner` of the b_inner rows are used from b on
template <class R>
using MultiplyBlock = void (*)(std::int32_t rows, std::int32_t groups, std::int32_t inner, const R* a,
                               std::int64_t a_inner, const R* b, std::int64_t b_inner, R* c);

template <class R>
struct Kernels {
  std::int32_t tile_rows;  // rows of a tile of the products; divides block_rows
  std::int32_t group;      // columns of U that are formed and stored together; divides block_columns
  std::int32_t leaves;     // leaves that solve_leaves takes; 1: it is not faster than the QL method
  SolveLeaves<R> solve_leaves;
  SecularSums<R> secular_sums;
  SolveRoots<R> solve_roots;
  CorrectWeights<R> correct_weights;
  FormColumns<R> form_columns;
  MultiplyBlock<R> multiply_block;
};

// Most rows and columns of a block of a product.
inline constexpr std::int32_t block_rows = 192, block_columns = 128;

}  // namespace dc

EIGEN_G_BY_WIDTH(template <class R> dc::Kernels<R> dc_kernels(););

}  // namespace eigen_g
