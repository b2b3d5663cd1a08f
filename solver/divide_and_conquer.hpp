// T = Z diag(w) Z^T for a symmetric tridiagonal T with diagonal d and off-diagonal e.
#pragma once

#include <cstdint>

#include "hybrid/matrix_view.hpp"
#include "solver/eigen_g.hpp"

namespace eigen_g {

class Queue;

// A numerical outcome. `failed` is positive where it did not converge: LAPACK's info on the CPU, a row or a root of T,
// from 1, on a GPU.
struct Outcome {
  Status status = Status::converged;
  std::int64_t failed = 0;
};

// CPU. LAPACK: dstedc, or dsterf for values only.
//   d  n values, host, in; out: the eigenvalues, ascending     e  n-1 values, host, in, destroyed
//   z  n x n, ldz, host, out: the eigenvectors of T; data null: values only
// Blocks until done. Cost: at most 4/3 n^3 flops (less where eigenvalues deflate) and n^2 + O(n) doubles;
// values only: O(n^2) flops. Throws OutOfMemory, DeviceError, InvalidArgument where LAPACK's integers are too
// short for n.
Outcome divide_and_conquer(std::int64_t n, double* d, double* e, MatrixView<double> z);

// GPU: all of it there. T is scaled by a power of two, its small off-diagonals are dropped as dstedc does, and it is torn
// into leaves on the host, from copies of d and e; the leaves are solved and merged level by level (dc_*.hpp, one act a
// file).
//   d_dev, e_dev, z_dev: as above in device memory; ldz >= n
//   workspace_dev: divide_and_conquer_workspace(n, with_vectors) doubles: 1.2 n^2 + O(n) with vectors (up to 2 n^2
//   where n < 10000), O(n) without
// T may have any finite entries; a NaN or an infinity is a Status with its row, from 1. `failed` is else the index of the
// leaf's first row or of the root that did not converge.
// Ordered on `queue`; blocks until done. Two runs give the same bits. Cost: at most 4/3 n^3 flops; one host round trip at
// either end and one for each level with a merge of more than 1024 rows.
// Sources: Cuppen 1981; Gu and Eisenstat 1994, 1995; LAPACK dstedc, dlaed1 to dlaed4.
Outcome divide_and_conquer(const Queue& queue, std::int64_t n, double* d_dev, double* e_dev,
                           MatrixView<double> z_dev, double* workspace_dev);
std::int64_t divide_and_conquer_workspace(std::int64_t n, bool with_vectors);

}  // namespace eigen_g
