// Z := Q Z with Q = H_1 H_2 ... H_{n-1} of the tridiagonalization.
#pragma once

#include <cstdint>
#include <functional>

#include "gemm_df/products.hpp"
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

// CPU: blocks of reflectors as I - V T V^H, by products in which Z's columns stay whole. LAPACK: dormtr, dlarft.
//   a    n x n, lda, host, in: the reflectors as tridiagonalize() leaves them     tau  n-1, host, in
//   z    n x m, ldz, host, in and out
//   scratch   back_transform_bytes_on_cpu<T>(n, m) of host memory: at most 96 (n + 2 m + 96) values
// Cost: 2 n^2 m flops. Throws InvalidArgument where LAPACK's integers are too short for n, DeviceError.
template <class T>
void back_transform(Uplo uplo, MatrixView<const same_t<T>> a, const T* tau, MatrixView<same_t<T>> z,
                    Arena scratch);
template <class T>
std::uint64_t back_transform_bytes_on_cpu(std::int64_t n, std::int64_t m);

// The same for Q of the reduction to a band of width kd (full_to_band.hpp), of n - kd reflectors; rows up to kd of Z stay.
template <class T>
void back_transform_from_band(Uplo uplo, std::int64_t kd, MatrixView<const same_t<T>> a, const T* tau,
                              MatrixView<same_t<T>> z, Arena scratch);
template <class T>
std::uint64_t back_transform_from_band_bytes_on_cpu(std::int64_t n, std::int64_t kd, std::int64_t m);

// GPU: blocks of k reflectors as I - V T V^T (compact WY). Few rows, up to 1056: one kernel (back_transform_panel.hpp);
// else k = 256, from n = 9001 on 512 (from 4001 to 12000 384 where columns are cut over a team), T from V^T V, four matrix
// products a block: V T is formed where it is smaller than T (V^T Z).
//   a_dev, tau_dev, z_dev: as above in device memory, the reflectors in the GPU's layout; for the one kernel zeros follow row n - 1
//           of a_dev, up to a multiple of 16 rows
//   scratch_dev: back_transform_bytes<T>(n, m)
//   team: devices that take columns of Z, but not where it is one kernel; then it blocks until the CPU has done its share
//   queued: is told of columns when all work on them is queued. A large Z then goes in up to three groups of columns, so that
//           the first can travel while the GPU is at the next; all columns are told once, in order
// Ordered on the products' queue. Repeats bit for bit on the same GPU. Faster where the columns of Z are aligned to
// 16 bytes (ldz even). Cost: 2 n^2 m flops, up to 4 n m k more, and n^2 k for T. Source: Schreiber and Van Loan 1989;
// LAPACK dlarft, dlarfb.
template <class T>
void back_transform(const Products<T>& products, MatrixView<const same_t<T>> a_dev, const same_t<T>* tau_dev,
                    MatrixView<same_t<T>> z_dev, Arena scratch_dev, SolveTeam<T>* team = nullptr,
                    const std::function<void(ColumnRange)>& queued = {});
template <class T>
std::uint64_t back_transform_bytes(std::int64_t n, std::int64_t m);

// What a team has to expect of back_transform() with these arguments; without columns where it will not cut them. Neither
// matrix is read or written.
template <class T>
CutWork<T> back_transform_cut(MatrixView<const same_t<T>> a_dev, MatrixView<T> z_dev);

}  // namespace eigen_g
