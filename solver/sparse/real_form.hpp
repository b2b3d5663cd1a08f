// Sparse problems of float and complex type as real symmetric problems in double. A float matrix is widened. A Hermitian matrix of order n becomes the
// real symmetric matrix of order 2 n in which each entry x + i y is a block:
//
//   x + i y  ->  ( x  -y )
//                ( y   x )
//
// A complex vector, whose memory has real and imaginary parts in turns, is a vector of this matrix. Each eigenvalue appears twice, with the vectors z
// and i z. Counts of eigenvalues and numbers of pairs are therefore twice the numbers of the Hermitian problem.
//
// The m real vectors C of the wanted values, seen as complex ones, span the vectors of these values. Their number is twice the dimension, so half of the
// eigenvalues of C^H B C are 0 and the others 2 where B is the inner product (M, or K for buckling). The eigenvectors of the larger half combine the columns of C
// to vectors that are orthonormal, and a small Hermitian eigenproblem separates the values.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <vector>

#include "hybrid/scalar.hpp"
#include "solver/api/sparse.hpp"
#include "solver/verify/verify.hpp"

namespace eigen_g {

// Number of rows of the real form for one row.
template <class T>
inline constexpr std::int64_t rows_of_one = is_complex<T> ? 2 : 1;

struct RealMatrix {
  std::int64_t n = 0;
  std::vector<std::int64_t> offsets;
  std::vector<std::int32_t> column;
  std::vector<double> value;
  CsrMatrix<double> rows() const { return {n, offsets.data(), column.data(), value.data()}; }
};

// The real form. Entries of opposite triangles that agree to 32 ulp of T (complex double: 1e-12), relative to the largest entry, are replaced by their
// mean. Throws InvalidArgument (`name`) if other entries differ, or if the arrays are no matrix.
template <class T>
RealMatrix real_form(const CsrMatrix<T>& a, const char* name);
SparseOperator<double> real_form(const SparseOperator<std::complex<double>>& a);

// Y := B X for blocks of the real form, n x 4 and row-major; empty: B = I.
using RealProduct = std::function<void(const double* x, double* y)>;

template <class T>
struct RealPencil {
  RealMatrix k, m;               // m without offsets: not given
  std::vector<double> diagonal;  // empty: not given
  RealPencil() = default;
  RealPencil(const CsrMatrix<T>& k, const SparseMass<T>& m);
  SparseMass<double> mass() const;
  // The inner product of vectors. The result refers to this object.
  RealProduct inner(bool buckling) const;
};

// Solves a problem of order n and type T by a solve of its real form. `solve` gets the options for the real form, and w, z and ldz of its pairs.
using RealSolve = std::function<FewReport(const FewOptions& options, double* w, double* z, std::int64_t ldz)>;
template <class T>
FewReport solve_by_real_form(std::int64_t n, const FewOptions& options, const RealProduct& inner,
                             real_t<T>* w, T* z, std::int64_t ldz, const RealSolve& solve);

// Replaces the pairs (w, z) of the real form and their report by the pairs and the report of the problem; z is contiguous.
template <class T>
void pairs_of_real_form(std::int64_t n, const RealProduct& inner, bool buckling, FewReport& report,
                        std::vector<double>& w, std::vector<double>& z);

// Verifies pairs by the verification of their real form, in which each complex vector z is the two vectors z and i z. The ratios are in ulp of T.
using RealVerify =
    std::function<Verification(std::int64_t count, const double* w, const double* z, std::int64_t ldz)>;
template <class T>
Verification verify_by_real_form(std::int64_t n, std::int64_t count, const real_t<T>* w, const T* z,
                                 std::int64_t ldz, const RealVerify& verify);

}  // namespace eigen_g
