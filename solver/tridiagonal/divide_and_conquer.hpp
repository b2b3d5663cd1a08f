// divide_and_conquer(): T = Z diag(w) Z^T for a symmetric tridiagonal T with diagonal d and off-diagonal e, on the CPU and on a GPU.
#pragma once

#include <cstdint>
#include <functional>

#include "gemm_df/engines/products.hpp"
#include "hybrid/matrix_view.hpp"
#include "hybrid/memory/arena.hpp"
#include "hybrid/scalar.hpp"
#include "solver/api/types.hpp"
#include "solver/prepare/subset.hpp"

namespace eigen_g {

class DivideAndConquerEnd;  // dc_end.hpp
template <class T>
class SolveTeam;
template <class R>
struct RowMember;  // row_members.hpp

// Result of the divide and conquer. If it did not converge, `info` is positive: the row of a NaN or an infinity, the first row of a leaf, or
// the index of a root of T; all count from 1.
struct DivideAndConquerResult {
  Status status = Status::converged;
  std::int64_t info = 0;
  Selected found;  // the eigenpairs that were stored
};

// The eigenpairs of T to store, and the range of rows of their vectors: rows first_row ... first_row + z.rows - 1. No other entries of vectors
// are formed.
struct Selection {
  Subset subset;
  int scale = 0;               // a subset by value refers to 2^scale times the eigenvalues of T
  std::int64_t first_row = 0;  // row of the vectors that is row 0 of z
  // Called by the calling thread with the fraction of the work that is done; CPU only. Its exceptions pass through.
  std::function<void(double fraction)> progress = {};
};

// On the CPU's threads (dc_on_threads.hpp). The result is the same for any number of threads. The values of a solve without vectors, the
// values and vectors of a subset, and the rows of a range have the bits of the whole solution.
//   d        n values, host, in; out: the eigenvalues found, ascending
//   e        n - 1 values, host, in
//   z        (rows of the range, 1 ... n) x selection.subset.max_count(n), ldz, host, out: the eigenvectors found; data null: values only
//   scratch  divide_and_conquer_bytes_on_cpu<R>(n, z.rows or 0 without vectors, selection.subset.max_count(n)) bytes of host memory
// The last merge forms only the vectors of a subset. T may have any finite entries.
// Blocks until done. Throws std::bad_alloc, and InvalidArgument if n > 2^21 - 1.
// Cost for r rows: at most 4/3 r n^2 flops (fewer if eigenvalues deflate) and O(n^2), and r n + O(n) values of memory, for a subset by index
// 2 r n + O(n); values only: O(n^2) flops, O(n) values. A subset by value or of at most n/8 pairs needs n^2/8 values more if r < n.
template <class R>
DivideAndConquerResult divide_and_conquer_on_cpu(std::int64_t n, R* d, R* e, MatrixView<same_t<R>> z,
                                                 Arena scratch, const Selection& selection = {});
template <class R>
std::uint64_t divide_and_conquer_bytes_on_cpu(std::int64_t n, std::int64_t rows, std::int64_t most);

// n x n matrices in the caller's device memory for the merges: Q and the compressed Q. data null: none.
template <class R>
struct MergeBuffers {
  MatrixView<R> q, compressed;
};

// On a GPU, with all data in device memory. The GPU scales d and e by a power of two, drops small off-diagonal entries as dstedc does, tears T
// into leaves, solves the leaves and merges them level by level (dc_*.hpp, one phase a file). The tree depends on n alone.
//   d_dev, e_dev, z_dev  as above, in device memory. Without places.compressed z_dev needs n columns for any subset
//   scratch_dev          divide_and_conquer_bytes<R>(n, rows of z_dev, or 0 without vectors) bytes: O(n), and with vectors rows x n values
//                        for Q and, for U, n rows of 3/16 n columns, at least 1024 and at most 4096
//   places               q: used instead of scratch memory for Q (then divide_and_conquer_bytes() takes with_q = false)
//                        compressed: used instead of z_dev for the compressed Q; may be z_dev itself
//   team                 devices that take columns of the large merges' products; null: none. It takes no columns of a range of rows
//   member               null, or this GPU's part in a solve by several GPUs. Each GPU then computes a range of rows, and all compute at the same
//                        time. z_dev has the rows of this member. In the last merge rows can move between the GPUs, so that all have the same
//                        work (dc_row_moves.hpp)
//   end                  null: the function waits for its work. Not null: the last work is only queued, and end->finish() waits for it
// The values of a range of rows have the bits of the whole solution. Its vectors may differ from the whole's by the rounding of the products
// of merges of more than 512 rows, because cuBLAS may sum in another order for other shapes. A call for a range repeats the O(n^2) work of
// the values.
// The last merge forms only the vectors of a subset. This costs O(n^2) flops and a product in proportion to the number of vectors.
// T may have any finite entries. A NaN or an infinity gives Status::not_converged with its row, from 1, in `info`; d and z are then
// undefined. Otherwise `info` is the index of the first row of the leaf, or of the root, that did not converge.
// Ordered on the products' queue. Without `end` the host waits for the GPU at the end. With vectors it also waits once for each level with a merge
// of more than 512 rows. A subset can need up to three more waits. With `member` the host also waits for the other members in the last
// merge. Two runs give the same bits. Throws OutOfMemory, DeviceError.
// Cost: at most 4/3 n^3 flops.
// Sources: Cuppen 1981; Gu and Eisenstat 1994, 1995; LAPACK dstedc, dlaed1 to dlaed4.
template <class R>
DivideAndConquerResult divide_and_conquer(const Products<R>& products, std::int64_t n, same_t<R>* d_dev,
                                          same_t<R>* e_dev, MatrixView<same_t<R>> z_dev, Arena scratch_dev,
                                          const Selection& selection = {}, const MergeBuffers<R>& places = {},
                                          SolveTeam<R>* team = nullptr, DivideAndConquerEnd* end = nullptr,
                                          const RowMember<R>* member = nullptr);
template <class R>
std::uint64_t divide_and_conquer_bytes(std::int64_t n, std::int64_t rows, bool with_q = true);

}  // namespace eigen_g
