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

// One leading dimension for all matrices, or one for each.
struct LeadingDimension {
  std::int32_t all = 0;  // 32 bits: the reduction has no register to spare
  const std::int32_t* each = nullptr;

  EIGEN_G_HOST_DEVICE std::int32_t of(std::int64_t k) const { return each ? each[k] : all; }
};

// A chunk of a batch. All pointers are to device memory.
template <class T>
struct Chunk {
  std::int64_t count = 0;                 // matrices in the chunk
  std::int64_t first = 0;                 // place of the first of them in the batch, or in `members`
  const std::int64_t* members = nullptr;  // null: the batch itself
  int n = 0;                              // order; with `orders` the largest order
  const std::int32_t* orders = nullptr;   // by id; null: n
  bool upper = false;                     // the triangle of A that is read
  // The stored pairs have the numbers from..to-1 in ascending order; to is at most the order.
  int from = 0, to = 0;
  Arrays<T> a, z;
  LeadingDimension lda, ldz;
  Arrays<T> b;  // the matrices B of pencil.cuh; other kernels do not read them
  LeadingDimension ldb;
  Arrays<real_t<T>> w;
  std::int32_t* status = nullptr;  // by id; may be null. 0; -1: NaN or infinity; > 0: not converged
  unsigned long long* failures =
      nullptr;  // number of matrices with another status than 0, and the smallest id of them; may be null

  EIGEN_G_HOST_DEVICE std::int64_t id(std::int64_t k) const {
    return members ? members[first + k] : first + k;
  }
  EIGEN_G_HOST_DEVICE int order(std::int64_t id) const { return orders ? orders[id] : n; }
};

// Work arrays of one chunk. A row of d, e, tau, phase and w has `ld` values; ld is at least n.
template <class T>
struct Work {
  using Real = real_t<T>;
  int ld = 0;
  Real *d = nullptr, *e = nullptr;  // the tridiagonal matrix T, scaled
  Real* tau = nullptr;              // H_k = I - tau_k v_k v_k^H
  T* phase = nullptr;               // complex only: A = (Q D) T (Q D)^H with D = diag(phase)
  Real* w = nullptr;                // eigenvalues of T or of its leaves, in the order in which QL found them
  Real* u =
      nullptr;  // ld x ld values for each matrix: the eigenvectors of T (complex, up to order 128), or U of the merges
  // Orders from 129 on: ld x ld values for each matrix, the vectors of the leaves or merges of a level and of the next level.
  Real *q = nullptr, *q_next = nullptr;
  Real* inverse_norms = nullptr;  // a factor for each column of U
  int* column = nullptr;          // the column of q for each column of Z
  T* factors = nullptr;           // triangular factors of 64 reflectors each, 64 x 64 values
  int* exponent = nullptr;        // A was scaled by 2^-exponent
  int* info = nullptr;            // as Chunk::status
  T* v = nullptr;                 // ld x ld values for each matrix: v_k in column k, below the diagonal
  // The rotations of QL. A problem is a matrix or one of its leaves. Its sweep s has the rotations of the columns (i, i + 1) for
  // i = last - 1, ..., first, where sweeps[s].x = first | last << 16; they begin at rotations[sweeps[s].y].
  pair_t<Real>* rotations = nullptr;
  int room = 0;  // rotations of a problem
  int2* sweeps = nullptr;
  int most_sweeps = 0;  // sweeps of a problem
  int* sweep_count = nullptr;
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
