// Arrays of a batch of matrices of order up to 512, for the kernels of this folder.
//
// A batch is solved in chunks. A kernel works on one chunk: matrix k of the chunk is matrix id(k) of the batch. The caller's arrays are
// addressed by id(k), and the work arrays by k.
#pragma once

#include <cstdint>

#include <vector_types.h>

#include "hybrid/host_device.hpp"
#include "hybrid/pair.hpp"
#include "hybrid/scalar.hpp"

namespace eigen_g::batched {

// One array for each matrix of a batch: array k begins at pointers[k] or, if pointers is null, at first + k stride.
template <class T>
struct Arrays {
  T* first = nullptr;
  std::int64_t stride = 0;  // in values
  T* const* pointers = nullptr;

  EIGEN_G_HOST_DEVICE T* of(std::int64_t k) const { return pointers ? pointers[k] : first + k * stride; }
  EIGEN_G_HOST_DEVICE bool given() const { return first || pointers; }
};

// One leading dimension for all matrices, or one for each matrix.
struct LeadingDimension {
  std::int32_t all = 0;  // 32 bits: the reduction has no register to spare
  const std::int32_t* each = nullptr;

  EIGEN_G_HOST_DEVICE std::int32_t of(std::int64_t k) const { return each ? each[k] : all; }
};

// A chunk of a batch. All pointers are to device memory.
template <class T>
struct Chunk {
  std::int64_t count = 0;                 // matrices in the chunk
  std::int64_t first = 0;                 // index of its first matrix in the batch, or in `members`
  const std::int64_t* members = nullptr;  // ids of the matrices to solve; null: 0, 1, ...
  int n = 0;                              // order; with `orders` the largest order
  const std::int32_t* orders = nullptr;   // orders[id]: order of matrix id; null: n for all
  bool upper = false;                     // the triangle of A that is read
  // The pairs from ... to - 1 are stored, counted from 0 in ascending order of the eigenvalues. A matrix whose order is below `to` has its pairs
  // from `from` on stored.
  int from = 0, to = 0;
  Arrays<T> a, z;
  LeadingDimension lda, ldz;
  Arrays<T> b;  // the matrices B of generalised problems (pencil.cuh); other kernels do not read them
  LeadingDimension ldb;
  Arrays<real_t<T>> w;
  // status[id] is 0: solved; -1: NaN or infinity; > 0: not converged. May be null.
  std::int32_t* status = nullptr;
  unsigned long long* failures =
      nullptr;  // two numbers: matrices whose status is not 0, and the smallest id of one; may be null

  EIGEN_G_HOST_DEVICE std::int64_t id(std::int64_t k) const {
    return members ? members[first + k] : first + k;
  }
  EIGEN_G_HOST_DEVICE int order(std::int64_t id) const { return orders ? orders[id] : n; }
};

// Work arrays of one chunk. Matrix k of the chunk has row k of d, e, tau, phase, w, inverse_norms and column. A row has `ld` values, and ld is
// at least n. The leaves of T are the parts that the divide and conquer begins with (ql.cuh). U has the eigenvectors of the small problem of
// each merge (conquer.cuh).
template <class T>
struct Work {
  using Real = real_t<T>;
  int ld = 0;
  Real *d = nullptr, *e = nullptr;  // the tridiagonal matrix T, scaled
  Real* tau = nullptr;              // H_k = I - tau_k v_k v_k^H
  T* phase = nullptr;               // complex only: A = (Q D) T (Q D)^H, D = diag(phase), Q = H_1 H_2 ...
  Real* w = nullptr;                // eigenvalues of T or of its leaves, in QL's order; later of the merges
  Real* u =
      nullptr;  // ld x ld values for each matrix. Complex, up to order 128: the eigenvectors of T; orders from 129 on: U
  // Orders from 129 on: ld x ld values for each matrix. q has the eigenvectors of the leaves, and later of the merges of a level. q_next gets
  // the eigenvectors of the merges of the next level.
  Real *q = nullptr, *q_next = nullptr;
  Real* inverse_norms = nullptr;  // the columns of U are multiplied by these values
  int* column = nullptr;          // eigenvector c of the stored ones is in column column[c] of q
  T* factors = nullptr;           // triangular factors of 64 reflectors each, 64 x 64 values a factor
  int* exponent = nullptr;        // A was scaled by 2^-exponent
  int* info = nullptr;            // as Chunk::status
  T* v = nullptr;                 // ld x ld values for each matrix: v_k in column k, below the diagonal
  // The rotations of QL. A problem is a whole T or one leaf of it. Sweep s of a problem has the rotations of the columns (i, i + 1) for
  // i = last - 1, ..., first, where sweeps[s].x = first | last << 16. These rotations begin at rotations[sweeps[s].y].
  pair_t<Real>* rotations = nullptr;
  int room = 0;  // largest number of rotations of a problem
  int2* sweeps = nullptr;
  int most_sweeps = 0;         // largest number of sweeps of a problem
  int* sweep_count = nullptr;  // number of sweeps of each problem
};

// The reflectors of matrix k of a chunk.
template <class T>
struct Reflectors {
  T* data;
  int ld;
  EIGEN_G_HOST_DEVICE Reflectors(const Work<T>& work, std::int64_t k)
      : data(work.v + k * work.ld * work.ld), ld(work.ld) {}
  EIGEN_G_HOST_DEVICE T& operator()(int row, int k) const { return data[k * ld + row]; }
};

}  // namespace eigen_g::batched
