// Z := Q Z with Q = H_1 H_2 ... H_{n-1} of the tridiagonalization.
#pragma once

#include <cstdint>

#include "gemm_df/products.hpp"
#include "hybrid/matrix_view.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g {

// CPU. LAPACK: dormtr.
//   a    n x n, lda, host, in: the reflectors as tridiagonalize() leaves them     tau  n-1, host, in
//   z    n x m, ldz, host, in and out
// Cost: 2 n^2 m flops. Throws OutOfMemory, DeviceError.
void back_transform(Uplo uplo, MatrixView<const double> a, const double* tau, MatrixView<double> z);

// GPU: blocks of k reflectors as I - V T V^T (compact WY), T from V^T V, four matrix products a block.
//   a_dev, tau_dev, z_dev: as above in device memory, the reflectors in the GPU's layout
//   workspace_dev: back_transform_workspace(n, m) doubles
// Ordered on the products' queue. Cost: 2 n^2 m flops and n^2 k for T. Source: Schreiber and Van Loan 1989; LAPACK
// dlarft, dlarfb.
void back_transform(const Products& products, MatrixView<const double> a_dev, const double* tau_dev,
                    MatrixView<double> z_dev, double* workspace_dev);
std::int64_t back_transform_workspace(std::int64_t n, std::int64_t m);

}  // namespace eigen_g
