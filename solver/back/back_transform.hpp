// back_transform(), Z := Q Z: the back-transformation with Q = H_1 H_2 ... H_{n-1} of the reduction to tridiagonal form.
#pragma once

#include <cstdint>
#include <functional>

#include "gemm_df/engines/products.hpp"
#include "hybrid/matrix_view.hpp"
#include "hybrid/memory/arena.hpp"
#include "hybrid/scalar.hpp"
#include "hybrid/team/split.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g {

template <class T>
struct CutWork;
template <class T>
class SolveTeam;

// CPU. Applies blocks of reflectors as I - V T V^H. A thread copies some columns of Z into a buffer and applies all blocks to them. It takes the
// rows in chunks: V Y of one block is subtracted from a chunk, which is then multiplied by the V^H of the next block.
//   uplo     the triangle of `a` that holds the reflectors
//   a        n x n, lda, host, in: the reflectors in the layout of dsytrd
//   tau      n - 1 values, host, in
//   z        n x m, ldz, host, in and out
//   scratch  back_transform_bytes_on_cpu<T>(n, m) bytes of host memory: about 8 n^2 (double) for V and its transpose, and for the
//            buffers at most about 8 n (m + 8 max_team_threads(n)), for n > 3000 also at most about 5 n^2
//   progress called with the fraction of the columns that is done; its exceptions pass through
// Takes up to team_threads(n) threads. A column's bits depend neither on their number nor on the other columns. Cost: 2 n^2 m flops.
// Source: LAPACK dormtr, dlarft.
template <class T>
void back_transform_on_cpu(Uplo uplo, MatrixView<const same_t<T>> a, const T* tau, MatrixView<same_t<T>> z,
                           Arena scratch, const std::function<void(double fraction)>& progress = {});
template <class T>
std::uint64_t back_transform_bytes_on_cpu(std::int64_t n, std::int64_t m);

// CPU. Z := Q Z, Q^H Z, Z Q or Z Q^H. Q Z is back_transform_on_cpu(), with the same bits. The arguments are as above, except that with
// Side::right Z is m x n. A column's bits, with Side::right a row's, depend neither on the others nor on the number of threads.
template <class T>
void multiply_by_q_on_cpu(Side side, Uplo uplo, Trans trans, MatrixView<const same_t<T>> a, const T* tau,
                          MatrixView<same_t<T>> z, Arena scratch,
                          const std::function<void(double fraction)>& progress = {});

// CPU. Z := Q Z with Q = H_0 H_1 ... H_{n-kd-1} of the reduction to a band of width kd (full_to_band.hpp). H_j = I - tau_j v_j v_j^H. Rows
// 0 ... kd - 1 of Z stay as they are. Cost, threads and bits as above.
//   kd       at least 1
//   a        n x n, lda, host, in. The 1 of v_j in row j + kd is implied. Lower: the rows below are in column j. Upper: their conjugates are in
//            row j, as sytrd_sy2sb and hetrd_he2hb of LAPACK leave them
//   tau      n - kd values, host, in
//   z        n x m, ldz, host, in and out
//   scratch  back_transform_from_band_bytes_on_cpu<T>(n, kd, m) bytes of host memory
//   progress called with the fraction of the columns that is done; its exceptions pass through
template <class T>
void back_transform_from_band(Uplo uplo, std::int64_t kd, MatrixView<const same_t<T>> a, const T* tau,
                              MatrixView<same_t<T>> z, Arena scratch,
                              const std::function<void(double fraction)>& progress = {});
template <class T>
std::uint64_t back_transform_from_band_bytes_on_cpu(std::int64_t n, std::int64_t kd, std::int64_t m);

// GPU. Everything is in device memory.
//   a_dev          n x n, in: the reflectors in the GPU's layout (tridiagonalize()). For n <= 1056 the rows from n up to a multiple of 16
//                  must be zero
//   tau_dev        n - 1 values, in
//   z_dev          n x m, in and out. Faster if its columns are 16-byte aligned (ldz even)
//   scratch_dev    back_transform_bytes<T>(n, m) bytes
//   team           devices that take columns of Z; real T and n > 1056 only. The call then blocks until the CPU has done its share
//   columns_ready  called with a range of columns when all work on them is queued. For a large Z there are up to three ranges, so that
//                  the first columns can be copied while the GPU computes the next. Every column is in exactly one range, in order
// Ordered on the products' queue. Repeated runs on the same GPU give the same bits.
// Blocking: real matrices with n <= 1056 take one kernel (back_transform_panel.hpp) if it fits into shared memory. Otherwise the
// reflectors are applied in blocks of k (compact WY), T is computed from V^T V, and a block takes four products. V T is formed if
// it is smaller than T (V^T Z). k is 64 for n <= 1056, 256 for n <= 9000, else 512. With a team k is 256 for n <= 4000, 384 for
// n <= 12000, else 512 (solver/devices/tuning.hpp).
// Cost: 2 n^2 m flops, up to 4 n m k more, and n^2 k for T. Source: Schreiber and Van Loan 1989; LAPACK dlarft, dlarfb.
template <class T>
void back_transform(const Products<T>& products, MatrixView<const same_t<T>> a_dev, const same_t<T>* tau_dev,
                    MatrixView<same_t<T>> z_dev, Arena scratch_dev, SolveTeam<T>* team = nullptr,
                    const std::function<void(ColumnRange)>& columns_ready = {});
template <class T>
std::uint64_t back_transform_bytes(std::int64_t n, std::int64_t m);

// GPU. back_transform() with the reflectors in host memory. Blocks of reflectors are copied to one of two slots on the GPU while it applies
// the block before.
//   a            n x n, host memory of any kind, in: the lower triangle as tridiagonalize() leaves it. Other entries have no meaning
//   of_band      true: full_to_band() made the reflectors, with the 1 of v_j in row j (a block of its matrix)
//   scratch_dev  back_transform_from_host_bytes<T>(n, m) bytes of device memory: two slots of n x k, T, and 2 k m
// tau_dev, z_dev and columns_ready are as in back_transform(). Every n takes blocks of reflectors, and there is no team. The host is busy with
// the copies until the last block has been sent. Z may differ from the Z of back_transform() by the rounding of T.
// Cost: as back_transform(). Copies: n^2 / 2 elements, and the first quarter of the columns again for each further range of columns that
// columns_ready is called with.
template <class T>
void back_transform_from_host(const Products<T>& products, MatrixView<const same_t<T>> a, bool of_band,
                              const same_t<T>* tau_dev, MatrixView<same_t<T>> z_dev, Arena scratch_dev,
                              const std::function<void(ColumnRange)>& columns_ready = {});
template <class T>
std::uint64_t back_transform_from_host_bytes(std::int64_t n, std::int64_t m);

// GPU. back_transform_from_host() with the reflectors in pieces, each in host memory or in the memory of any GPU.
//   n        number of rows of the matrix that the pieces make up
//   pieces   pieces.give(first, count, take) calls take(piece, column) for pieces that make up columns first ... first + count - 1 of the matrix, in rows
//            first ... n - 1. Column 0 of the piece is column first + column of the matrix
// If all pieces are on GPUs, the call does not block the host.
template <class T>
struct ReflectorPieces {
  std::function<void(std::int64_t first, std::int64_t count,
                     const std::function<void(MatrixView<const T> piece, std::int64_t column)>& take)>
      give;
  // true: all pieces are in GPU memory that the current GPU can read. Copies of reflectors then take little time, so that Z is divided into groups of
  // columns from SolverTuning::back_min_columns_of_groups columns on. false: it is divided from back_min_order_of_two_groups columns on.
  bool on_gpus = false;
};
template <class T>
void back_transform_from_pieces(const Products<T>& products, std::int64_t n,
                                const ReflectorPieces<same_t<T>>& pieces, bool of_band,
                                const same_t<T>* tau_dev, MatrixView<same_t<T>> z_dev, Arena scratch_dev,
                                const std::function<void(ColumnRange)>& columns_ready = {});

// GPU. Z := Q Z, Q^H Z, Z Q or Z Q^H. Q Z is back_transform(). For the other products a_dev, tau_dev and scratch_dev are as there, and every n
// takes blocks of reflectors. With Side::right z_dev is m x n.
template <class T>
void multiply_by_q(const Products<T>& products, Side side, Trans trans, MatrixView<const same_t<T>> a_dev,
                   const same_t<T>* tau_dev, MatrixView<same_t<T>> z_dev, Arena scratch_dev);

// The work that back_transform() will cut over a team for these arguments; empty if it will not cut any. Neither matrix is read or
// written.
template <class T>
CutWork<T> back_transform_cut(MatrixView<const same_t<T>> a_dev, MatrixView<T> z_dev);

}  // namespace eigen_g
