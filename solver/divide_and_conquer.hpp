// T = Z diag(w) Z^T for a symmetric tridiagonal T with diagonal d and off-diagonal e.
#pragma once

#include <cstdint>

#include "hybrid/matrix_view.hpp"
#include "solver/eigen_g.hpp"

namespace eigen_g {

class Queue;

// A numerical outcome: LAPACK's info where it did not converge.
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

// GPU. The same with d_dev, e_dev and z_dev in device memory; the tridiagonal problem goes to the CPU and its
// eigenvectors come back.
//   staging  n x n, host: where the vectors stay meanwhile (data null with values only)
Outcome divide_and_conquer(const Queue& queue, std::int64_t n, double* d_dev, double* e_dev,
                           MatrixView<double> z_dev, MatrixView<double> staging);

}  // namespace eigen_g
