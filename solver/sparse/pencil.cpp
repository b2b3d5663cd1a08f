// The checks, the scaling and the products of a sparse pencil.
#include "solver/sparse/pencil.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "blas2/spmv/crs.hpp"
#include "blas2/spmv/sparse_matrix.hpp"
#include "gemm_df/tall_product.hpp"
#include "hybrid/team/loops.hpp"
#include "solver/driver/arguments.hpp"
#include "solver/sparse/csr_check.hpp"
#include "solver/sparse/small_matrices.hpp"

namespace eigen_g {

namespace {

// Checks one matrix of the pencil. Errors name the argument `matrix`.
void check_matrix(const CsrMatrix<double>& a, std::int64_t n, const char* matrix) {
  require(a.n == n, matrix,
          "has the order " + std::to_string(a.n) + ", must have the order " + std::to_string(n));
  const blas2::CrsView<double> view{
      n, n, require_csr_arrays(a, matrix), a.row_offsets, a.column_indices, a.values};
  require_csr_rows(view, matrix);
  const blas2::CrsAsymmetry difference = blas2::asymmetry(view);
  require(difference.largest <= 1e-12 * difference.largest_entry, matrix,
          "is not symmetric: entry (" + std::to_string(difference.row + 1) + ", " +
              std::to_string(difference.col + 1) + ") is " + std::to_string(difference.below) + ", entry (" +
              std::to_string(difference.col + 1) + ", " + std::to_string(difference.row + 1) + ") is " +
              std::to_string(difference.above));
}

// An even power of two near `norm`; 0 for the zero matrix.
int even_exponent(double norm) {
  return norm > 0 && std::isfinite(norm) ? std::ilogb(norm) / 2 * 2 : norm > 0 ? 1024 : 0;
}

}  // namespace

Pencil::Pencil(const CsrMatrix<double>& k, const SparseMass<double>& m, bool indefinite)
    : n_(k.n), indefinite_(indefinite) {
  require(!m.matrix.row_offsets || !m.diagonal, "m",
          "has both a matrix and a diagonal, must have one of them");
  check_matrix(k, n_, "a");
  const auto copy = [&](const CsrMatrix<double>& a, Matrix& to) {
    const std::int64_t first = n_ > 0 ? a.row_offsets[0] : 0, last = n_ > 0 ? a.row_offsets[n_] : 0;
    to.offsets.resize(static_cast<std::size_t>(n_) + 1);
    for (std::int64_t i = 0; i < n_; ++i) to.offsets[i + 1] = a.row_offsets[i + 1] - first;
    to.column.assign(a.column_indices + first, a.column_indices + last);
    to.value.assign(a.values + first, a.values + last);
  };
  copy(k, k_);
  if (m.matrix.row_offsets) {
    check_matrix(m.matrix, n_, "m");
    m_kind_ = MassKind::matrix;
    copy(m.matrix, m_);
  } else if (m.diagonal) {
    require_on_host({{"m", m.diagonal}});
    m_kind_ = MassKind::diagonal;
    m_diagonal_.assign(m.diagonal, m.diagonal + n_);
    for (std::int64_t i = 0; i < n_; ++i)
      if (!std::isfinite(m_diagonal_[i])) throw NonFiniteEntry(i, i, m_diagonal_[i], "m");
  }
  // The union of both patterns and the diagonal. Column j of the lower triangle is row j of the upper one.
  pattern_.n = n_;
  pattern_.offsets.push_back(0);
  for (std::int64_t j = 0; j < n_; ++j) {
    const auto upper = [&](const Matrix& a) {
      const std::int32_t* const end = a.column.data() + a.offsets[j + 1];
      return std::pair(std::upper_bound(a.column.data() + a.offsets[j], end, static_cast<std::int32_t>(j)),
                       end);
    };
    pattern_.row.push_back(static_cast<std::int32_t>(j));
    auto [p, p_end] = upper(k_);
    if (m_kind_ == MassKind::matrix) {
      const auto [q, q_end] = upper(m_);
      std::set_union(p, p_end, q, q_end, std::back_inserter(pattern_.row));
    } else {
      pattern_.row.insert(pattern_.row.end(), p, p_end);
    }
    pattern_.offsets.push_back(pattern_.entries());
  }
  take_values();
}

Pencil::Pencil(const SparseOperator<double>& k, const SparseOperator<double>& m)
    : n_(k.n), m_kind_(MassKind::products), k_product_(k.multiply), m_product_(m.multiply) {
  require(!m.multiply || m.n == n_, "m",
          "has the order " + std::to_string(m.n) + ", must have the order " + std::to_string(n_));
  // Norms from below, from the products with one block of random vectors.
  const std::int64_t values = n_ * block_width;
  const HostArray<double> x = host_array<double>(values), y = host_array<double>(values);
  for (std::int64_t i = 0; i < values; ++i) x[i] = random_value<double>(1, static_cast<std::uint64_t>(i));
  const auto norm_of = [&](const std::function<void(const double*, double*)>& product) {
    product(x.get(), y.get());
    double squares = 0, length = 0;
    for (std::int64_t i = 0; i < values; ++i) {
      squares += y[i] * y[i];
      length += x[i] * x[i];
    }
    return length > 0 ? std::sqrt(squares / length) : 0.0;
  };
  if (m_product_) m_norm_ = norm_of(m_product_);
  if (k_product_) k_norm_ = norm_of(k_product_);
}

void Pencil::set_values(const double* k, const double* m) {
  if (k) {
    std::copy_n(k, k_.value.size(), k_.value.begin());
    check_matrix(k_.rows(n_), n_, "a");
  }
  require(!m || m_kind_ != MassKind::identity, "m", "must be null, because M is I");
  if (m && m_kind_ == MassKind::matrix) {
    std::copy_n(m, m_.value.size(), m_.value.begin());
    check_matrix(m_.rows(n_), n_, "m");
  }
  if (m && m_kind_ == MassKind::diagonal) std::copy_n(m, n_, m_diagonal_.begin());
  for (double& value : k_.value) value = k ? value : std::ldexp(value, k_exponent_);
  for (double& value : m_.value) value = m ? value : std::ldexp(value, m_exponent_);
  for (double& value : m_diagonal_) value = m ? value : std::ldexp(value, m_exponent_);
  take_values();
}

void Pencil::take_values() {
  // Scales the values and returns the exponent.
  const auto scale = [&](std::vector<double>& values) {
    double largest = 0;
    for (const double value : values) largest = std::max(largest, std::abs(value));
    const int exponent = even_exponent(largest);
    for (double& value : values) value = std::ldexp(value, -exponent);
    return exponent;
  };
  const auto norm_of = [&](const Matrix& a) {
    double norm = 0;
    for (std::int64_t i = 0; i < n_; ++i) {
      double sum = 0;
      for (std::int64_t p = a.offsets[i]; p < a.offsets[i + 1]; ++p) sum += std::abs(a.value[p]);
      norm = std::max(norm, sum);
    }
    return norm;
  };
  // Puts the upper triangle of A into the pattern.
  const auto in_pattern = [&](const Matrix& a, std::vector<double>& values) {
    values.assign(pattern_.row.size(), 0.0);
    for (std::int64_t j = 0; j < n_; ++j) {
      std::int64_t to = pattern_.offsets[j];
      for (std::int64_t p = a.offsets[j]; p < a.offsets[j + 1]; ++p) {
        if (a.column[p] < j) continue;
        while (pattern_.row[to] != a.column[p]) ++to;
        values[to] = a.value[p];
      }
    }
  };
  k_exponent_ = scale(k_.value);
  k_norm_ = norm_of(k_);
  in_pattern(k_, k_values_);
  if (m_kind_ == MassKind::matrix) {
    m_exponent_ = scale(m_.value);
    m_norm_ = norm_of(m_);
    in_pattern(m_, m_values_);
  } else {
    if (m_kind_ == MassKind::diagonal) m_exponent_ = scale(m_diagonal_);
    m_norm_ = m_kind_ == MassKind::identity ? 1 : 0;
    for (const double value : m_diagonal_) m_norm_ = std::max(m_norm_, std::abs(value));
    m_values_.assign(pattern_.row.size(), 0.0);
    for (std::int64_t j = 0; j < n_; ++j)
      m_values_[pattern_.offsets[j]] = m_kind_ == MassKind::identity ? 1 : m_diagonal_[j];
  }
  require(n_ == 0 || m_norm_ > 0, "m", "is zero");
  if (indefinite_) return;
  for (std::int64_t j = 0; j < n_; ++j)
    require(!(m_values_[pattern_.offsets[j]] < 0), "m",
            "is not positive semidefinite: entry (" + std::to_string(j + 1) + ", " + std::to_string(j + 1) +
                ") is negative");
}

double Pencil::k_frobenius() const {
  double squares = 0;
  for (const double value : k_.value) squares += value * value;
  return std::sqrt(squares);
}

void Pencil::negate() {
  for (double& value : k_.value) value = -value;
  for (double& value : k_values_) value = -value;
}

double Pencil::scaled(double w) const {
  return std::ldexp(w, m_exponent_ - k_exponent_);
}
double Pencil::unscaled(double w) const {
  return std::ldexp(w, k_exponent_ - m_exponent_);
}

void Pencil::shifted(double sigma, double* values) const {
  for (std::size_t e = 0; e < k_values_.size(); ++e) values[e] = k_values_[e] - sigma * m_values_[e];
}

void Pencil::multiply(const Matrix& a, std::int64_t blocks, const double* x, double* y) const {
  const blas2::CrsView<double> view{
      n_, n_, a.offsets.back(), a.offsets.data(), a.column.data(), a.value.data()};
  for (std::int64_t p = 0; p < blocks; ++p)
    blas2::crs_multiply(block_width, 1.0, view, x + p * n_ * block_width, 0.0, y + p * n_ * block_width, 0,
                        0.0);
}
void Pencil::multiply_k(std::int64_t blocks, const double* x, double* y) const {
  if (m_kind_ == MassKind::products) {
    for (std::int64_t p = 0; p < blocks; ++p) k_product_(x + p * n_ * block_width, y + p * n_ * block_width);
    return;
  }
  multiply(k_, blocks, x, y);
}
void Pencil::multiply_m(std::int64_t blocks, const double* x, double* y) const {
  if (m_kind_ == MassKind::matrix) return multiply(m_, blocks, x, y);
  if (m_product_) {
    for (std::int64_t p = 0; p < blocks; ++p) m_product_(x + p * n_ * block_width, y + p * n_ * block_width);
    return;
  }
  const bool identity = this->identity();
  for (std::int64_t p = 0; p < blocks; ++p)
    for_each(n_, threads_if(n_ >= smallest_parallel_order), [&](std::int64_t i) {
      for (int j = 0; j < block_width; ++j) {
        const std::int64_t at = (p * n_ + i) * block_width + j;
        y[at] = identity ? x[at] : m_diagonal_[i] * x[at];
      }
    });
}

}  // namespace eigen_g
