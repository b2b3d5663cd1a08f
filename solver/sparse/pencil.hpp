// Pencil: a checked copy of the sparse pencil K - w M on the CPU, scaled by powers of two, with the pattern that its factorisations have.
//
// K = 2^k_exponent K' and M = 2^m_exponent M', so that |K'|_1 and |M'|_1 are near 1. The functions work with K' and M', whose eigenvalues
// are w' = w 2^(m_exponent - k_exponent). Vectors with z'^T M' z' = 1 become z = z' 2^(-m_exponent / 2). m_exponent and k_exponent are even.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "solver/api/sparse.hpp"
#include "solver/sparse/factorisation.hpp"

namespace eigen_g {

class Pencil {
 public:
  // Copies and checks K and M. M without a matrix and a diagonal is I. Throws InvalidArgument (a, m). The diagonal of M is checked to be
  // not negative unless `indefinite`.
  Pencil(const CsrMatrix<double>& k, const SparseMass<double>& m, bool indefinite);

  // A pencil by its products. k.multiply may be empty; then has_k() is false and multiply_k() must not be called. Nothing is scaled.
  Pencil(const SparseOperator<double>& k, const SparseOperator<double>& m);

  std::int64_t n() const { return n_; }
  bool has_k() const { return m_kind_ != MassKind::products || k_product_; }
  bool identity() const {
    return m_kind_ == MassKind::identity || (m_kind_ == MassKind::products && !m_product_);
  }
  double k_norm() const { return k_norm_; }  // |K'|_1
  double m_norm() const { return m_norm_; }
  double k_frobenius() const;  // |K'|_F
  int k_exponent() const { return k_exponent_; }
  int m_exponent() const { return m_exponent_; }
  double scaled(double w) const;    // w -> w'
  double unscaled(double w) const;  // w' -> w
  const LowerPattern& pattern() const { return pattern_; }
  // The values of K' - sigma M' in the pattern.
  void shifted(double sigma, double* values) const;
  // Y := K' X, Y := M' X for `blocks` blocks, n x 4 and row-major (gemm_df/tall_product.hpp).
  void multiply_k(std::int64_t blocks, const double* x, double* y) const;
  void multiply_m(std::int64_t blocks, const double* x, double* y) const;
  // Other values with the same patterns. k has the entries of all rows; m has the entries of SparseMass::matrix or diagonal. Null: unchanged.
  void set_values(const double* k, const double* m);
  void negate();  // K := -K

 private:
  struct Matrix {
    std::vector<std::int64_t> offsets;
    std::vector<std::int32_t> column;
    std::vector<double> value;
    CsrMatrix<double> rows(std::int64_t n) const { return {n, offsets.data(), column.data(), value.data()}; }
  };
  enum class MassKind { identity, diagonal, matrix, products };
  void multiply(const Matrix& a, std::int64_t blocks, const double* x, double* y) const;
  void take_values();  // scales, and fills k_values_ and m_values_

  std::int64_t n_ = 0;
  bool indefinite_ = false;
  MassKind m_kind_ = MassKind::identity;
  Matrix k_, m_;
  std::vector<double> m_diagonal_;
  std::function<void(const double*x, double*y)> k_product_, m_product_;
  double k_norm_ = 0, m_norm_ = 1;
  int k_exponent_ = 0, m_exponent_ = 0;
  LowerPattern pattern_;
  std::vector<double> k_values_, m_values_;  // in the pattern
};

}  // namespace eigen_g
