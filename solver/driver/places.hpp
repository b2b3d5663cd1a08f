// places_of(): where each matrix of a solve is stored. The workspace's bytes and the placement both come from it.
#pragma once

#include <cstdint>

#include "solver/driver/plan.hpp"

namespace eigen_g {

// n x n matrices of a solve, in the terms of the recipe.
enum class MatrixName { a, z, c, q, u };

// Where a matrix is stored. (A recipe for matrices larger than a GPU adds: parked in host memory, a slab. One for several GPUs adds:
// spread over them.)
enum class Where {
  nowhere,  // the solve does not need it
  callers,  // the caller's array
  own,      // workspace of the solve
  shared    // the memory of another matrix of the solve
};
struct MatrixPlace {
  Where where = Where::nowhere;
  MatrixName with{};  // shared: that matrix
  friend bool operator==(const MatrixPlace&, const MatrixPlace&) = default;
};

struct Places {
  MatrixPlace a;  // the working matrix, padded for the reduction
  MatrixPlace z;  // the eigenvectors of A, as the back-transformation computes them
  MatrixPlace c;  // GPU: the merged vectors of the divide and conquer, without deflated rows
  MatrixPlace q;  // GPU: the divide and conquer's Q; the caller's array is that of A
  MatrixPlace u;  // the eigenvectors of T: real, so that they are Z itself if T is real
  bool back_in_a =
      false;  // the back-transformation's workspace may be the caller's array of A, which has been Q

  bool owns_z() const { return z.where == Where::own || c.where == Where::own; }
};

// The caller's arrays; not read.
struct GivenArrays {
  const void *a = nullptr, *z = nullptr;
  std::int64_t lda = 0, ldz = 0;
};
template <class T>
GivenArrays given_arrays(const CallerMatrices<T>& problem) {
  return {problem.a.data, problem.z.data, problem.a.lda, problem.z.lda};
}
// Arrays of the layout, in different memory; any: those that take most workspace.
GivenArrays arrays_of(MatrixLayout layout, std::int64_t n);

// The places of a standard solve. The arrays matter on device pointers only:
//
//            CPU               GPU, host pointers   GPU, device pointers
//        A   own               own                  caller's (1), else own
//        Z   caller's          own                  caller's, else own (2)
//        C   nowhere           shared with Z        shared with Z; own for a subset by number
//        Q   nowhere           own                  caller's A, else own (3)
//        U   shared with Z     shared with Z        shared with Z
//
// (1) if lda = n, a is on 16 bytes, z is other memory, and the reduction can work on columns of that length.
// (2) if the columns of z are not on 16 bytes and the path is two-stage. If there is no room for an own Z, `over_any_columns` makes it the
//     caller's all the same.
// (3) Q is in the caller's array of A if A is in the workspace and z is other memory.
//
// If T is complex, U is real and own; C is shared with U; Q is shared with Z, but own for a subset by number on device pointers; and Z is
// the caller's on device pointers. With values only, all but A are nowhere.
template <class T>
Places places_of(const Plan& plan, const GivenArrays& given, bool over_any_columns = false);

}  // namespace eigen_g
