// places_of(): where each matrix of a solve is stored. The bytes of the workspace and the addresses of the matrices follow from it.
#pragma once

#include <cstdint>

#include "solver/driver/plan.hpp"

namespace eigen_g {

// The n x n matrices of a solve. `Places` below explains the letters.
enum class MatrixName { a, z, c, q, u };

// The memory in which a matrix is stored.
enum class Where {
  nowhere,  // the solve has no such matrix
  callers,  // the caller's array with the same letter; for Q the caller's array of A
  own,      // workspace of the solve
  shared    // the memory of another matrix of the solve
};
struct MatrixPlace {
  Where where = Where::nowhere;
  MatrixName with{};  // shared: the matrix whose memory this one uses
  friend bool operator==(const MatrixPlace&, const MatrixPlace&) = default;
};

struct Places {
  MatrixPlace a;  // the working matrix, padded for the reduction
  MatrixPlace z;  // the eigenvectors of A, as the back-transformation computes them
  // GPU: the two matrices of the divide and conquer's merges. Q = diag(Q1, Q2) has the eigenvectors of the two parts that a merge joins. It is not
  // the Q of the reduction. C is the compressed Q: the columns of Q after the rotations of the deflation, sorted by the rows in
  // which they are nonzero (dc_arrays.hpp).
  MatrixPlace c;
  MatrixPlace q;
  MatrixPlace u;  // the eigenvectors of the tridiagonal matrix; real even for a complex matrix A
  // True if the back-transformation may use the caller's array of A as workspace. The merges' Q was stored there, and is not needed any more.
  bool back_in_a = false;

  // Returns true if the workspace has an n x n matrix for Z or for C.
  bool owns_z() const { return z.where == Where::own || c.where == Where::own; }
};

// Returns example arrays with this layout, from which the bounds of the workspace are computed. Their a and z differ. With MatrixLayout::any
// lda = n + 1, so that A needs a copy.
template <class T>
CallerMatrices<T> arrays_of(MatrixLayout layout, std::int64_t n);

// Returns the places of a standard solve. Only addresses and leading dimensions of the arrays `given` are used, and only for device pointers.
// With vectors and a real type:
//
//            CPU               GPU, host pointers   GPU, device pointers
//        A   own               own                  caller's (1), else own
//        Z   caller's          own                  own (2), else caller's
//        C   nowhere           shared with Z        own (3), else shared with Z
//        Q   nowhere           own                  caller's A (4), else own
//        U   shared with Z     shared with Z        shared with Z
//
// (1) if lda = n, a is 16-byte aligned, z and a are different arrays, and the reduction needs no padding of the columns
// (2) if the path is two-stage, over_any_columns is false, and z is not 16-byte aligned or ldz is odd. With over_any_columns = true the
//     back-transformation works in such a z, but is slower
// (3) if Z is the caller's and the subset by index has fewer than n pairs
// (4) if A is own, and z and a are different arrays
//
// With vectors and a complex type A is as above, and the others are:
//
//            CPU               GPU, host pointers   GPU, device pointers
//        Z   caller's          own                  caller's
//        C   nowhere           shared with U        shared with U
//        Q   nowhere           shared with Z        own (5), else shared with Z
//        U   own               own                  own
//
// (5) if the subset by index has fewer than n pairs
//
// Values only: the solve has A and no other matrix.
//
// Other memory modes have these differences from the tables:
//
//   parked                 the reflectors are copied to host memory, so that A's memory is free after the reduction.
//                          Real type: Q is shared with A. Complex type: U and C are shared with A
//   slabs, block_columns   host pointers only. The whole Z is only in the caller's array. Slabs of Q, C, U and Z use the memory of A
template <class T>
Places places_of(const Plan& plan, const CallerMatrices<T>& given, bool over_any_columns = false);

}  // namespace eigen_g
