// Z := Q Z with Q = H_1 H_2 ... H_{n-1} of the tridiagonalization.
#pragma once

#include <cstdint>
#include <functional>

#include "gemm_df/products.hpp"
#include "hybrid/matrix_view.hpp"
#include "hybrid/team/split.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g {

class SolveTeam;

// CPU. LAPACK: dormtr.
//   a    n x n, lda, host, in: the reflectors as tridiagonalize() leaves them     tau  n-1, host, in
//   z    n x m, ldz, host, in and out
// Cost: 2 n^2 m flops. Throws OutOfMemory, DeviceError.
void back_transform(Uplo uplo, MatrixView<const double> a, const double* tau, MatrixView<double> z);

// GPU: blocks of k reflectors as I - V T V^T (compact WY). Few rows, up to 1056: one kernel (back_transform_panel.hpp);
// else k = 256, from n = 9001 on 512 (from 4001 to 12000 384 where columns are cut over a team), T from V^T V, four matrix
// products a block: V T is formed where it is smaller than T (V^T Z).
//   a_dev, tau_dev, z_dev: as above in device memory, the reflectors in the GPU's layout
//   workspace_dev: back_transform_workspace(n, m) doubles
//   team: devices that take columns of Z, but not where it is one kernel; then it blocks until the CPU has done its share
//   queued: is told of columns when all work on them is queued. A large Z then goes in up to three groups of columns, so that
//           the first can travel while the GPU is at the next; all columns are told once, in order
// Ordered on the products' queue. Repeats bit for bit on the same GPU. Faster where the columns of Z are aligned to
// 16 bytes (ldz even). Cost: 2 n^2 m flops, up to 4 n m k more, and n^2 k for T. Source: Schreiber and Van Loan 1989;
// LAPACK dlarft, dlarfb.
void back_transform(const Products<double>& products, MatrixView<const double> a_dev, const double* tau_dev,
                    MatrixView<double> z_dev, double* workspace_dev, SolveTeam* team = nullptr,
                    const std::function<void(ColumnRange)>& queued = {});
std::int64_t back_transform_workspace(std::int64_t n, std::int64_t m);
std::int64_t back_transform_cut_width(
    std::int64_t n);  // k where columns may be cut over a team; 0: they may not

}  // namespace eigen_g
