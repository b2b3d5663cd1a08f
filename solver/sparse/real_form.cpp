// The real form of a sparse problem, and the pairs of the problem from the pairs of its real form.
#include "solver/sparse/real_form.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>

#include "blas2/spmv/crs.hpp"
#include "blas2/spmv/sparse_matrix.hpp"
#include "gemm_df/cpu_gemm.hpp"
#include "hybrid/error.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/parts.hpp"
#include "solver/api/argument.hpp"
#include "solver/api/eigen_g.hpp"
#include "solver/driver/arguments.hpp"
#include "solver/sparse/csr_check.hpp"

namespace eigen_g {

namespace {

using Complex = std::complex<double>;

double real_part(const auto& value) {
  return static_cast<double>(std::real(value));
}
double imaginary_part(const auto& value) {
  return static_cast<double>(std::imag(value));
}

// Checks the arrays of a matrix, and that its entries are finite.
template <class T>
void check_rows(const CsrMatrix<T>& a, const char* name) {
  require(a.n >= 0 && a.n < std::numeric_limits<std::int32_t>::max() / rows_of_one<T>, name,
          "has the order " + std::to_string(a.n) + ", must be from 0 to 2^31 / " +
              std::to_string(rows_of_one<T>));
  const std::int64_t count = require_csr_arrays(a, name);
  if (a.n == 0) return;
  for (std::int64_t i = 0; i < a.n; ++i)
    require(a.row_offsets[i] <= a.row_offsets[i + 1], name,
            "row_offsets do not ascend in row " + std::to_string(i + 1));
  const std::int64_t first = a.row_offsets[0];
  // A NaN or an infinity in either part makes the sum of both not finite.
  std::vector<double> sums(static_cast<std::size_t>(first + count));
  for (std::int64_t p = first; p < first + count; ++p)
    sums[p] = real_part(a.values[p]) + imaginary_part(a.values[p]);
  require_csr_rows({a.n, a.n, count, a.row_offsets, a.column_indices, sums.data()}, name);
}

std::string text_of_entry(std::int64_t i, std::int64_t j) {
  return "entry (" + std::to_string(i + 1) + ", " + std::to_string(j + 1) + ")";
}

// The vectors of the problem from the real form's, as the header says. c: n x m; returns n x (m + 1) / 2, and their values.
std::vector<Complex> complex_vectors(std::int64_t n, const RealProduct& inner, bool buckling,
                                     const std::vector<double>& c, std::vector<double>& w) {
  const auto m = static_cast<std::int64_t>(w.size()), count = (m + 1) / 2;
  const auto* const vectors = reinterpret_cast<const Complex*>(c.data());
  std::vector<double> product;
  if (inner) {
    product.resize(c.size());
    std::vector<double> x(static_cast<std::size_t>(8 * n)), y(x.size());
    for (std::int64_t first = 0; first < m; first += 4) {
      const std::int64_t here = std::min<std::int64_t>(4, m - first);
      std::fill(x.begin(), x.end(), 0.0);
      for (std::int64_t j = 0; j < here; ++j)
        for (std::int64_t i = 0; i < 2 * n; ++i) x[4 * i + j] = c[i + 2 * n * (first + j)];
      inner(x.data(), y.data());
      for (std::int64_t j = 0; j < here; ++j)
        for (std::int64_t i = 0; i < 2 * n; ++i) product[i + 2 * n * (first + j)] = y[4 * i + j];
    }
  }
  const auto* const of_inner = inner ? reinterpret_cast<const Complex*>(product.data()) : vectors;
  const auto view = [](const Complex* at, std::int64_t rows, std::int64_t columns) {
    return MatrixView<const Complex>{at, rows, columns, std::max<std::int64_t>(1, rows)};
  };
  const auto multiply = [&](Op op, MatrixView<const Complex> a, MatrixView<const Complex> b,
                            std::int64_t rows, std::int64_t columns) {
    std::vector<Complex> to(static_cast<std::size_t>(rows * columns));
    gemm_on_cpu<Complex>(op, Op::none, 1, a, b, 0,
                         {to.data(), rows, columns, std::max<std::int64_t>(1, rows)});
    return to;
  };
  const auto eigenvectors = [](std::int64_t order, const std::vector<Complex>& a,
                               std::vector<double>& values) {
    std::vector<Complex> z(a.size());
    values.resize(static_cast<std::size_t>(order));
    Devices cpu;
    cpu.device = DeviceChoice::cpu;
    const Report report = eigen_g(order, a.data(), order, values.data(), z.data(), order, Options{}, cpu);
    if (report.status != Status::converged)
      throw DeviceError("a Hermitian problem of order " + std::to_string(order) + " did not converge");
    return z;
  };
  const std::vector<Complex> gram =
      multiply(Op::conjugate_transpose, view(vectors, n, m), view(of_inner, n, m), m, m);
  std::vector<double> squares;
  std::vector<Complex> turn = eigenvectors(m, gram, squares);
  turn.erase(turn.begin(), turn.begin() + (m - count) * m);
  for (std::int64_t j = 0; j < count; ++j)
    for (std::int64_t i = 0; i < m; ++i) turn[i + j * m] /= std::sqrt(squares[m - count + j]);
  // C^H A C = C^H B C diag(w); for buckling with 1 / w.
  std::vector<Complex> projected = gram;
  for (std::int64_t j = 0; j < m; ++j)
    for (std::int64_t i = 0; i < m; ++i) projected[i + j * m] *= buckling ? 1 / w[j] : w[j];
  const std::vector<Complex> half =
      multiply(Op::none, view(projected.data(), m, m), view(turn.data(), m, count), m, count);
  std::vector<Complex> small = multiply(Op::conjugate_transpose, view(turn.data(), m, count),
                                        view(half.data(), m, count), count, count);
  for (std::int64_t j = 0; j < count; ++j)
    for (std::int64_t i = 0; i <= j; ++i)
      small[i + j * count] = (small[i + j * count] + std::conj(small[j + i * count])) / 2.0,
                    small[j + i * count] = std::conj(small[i + j * count]);
  std::vector<double> values;
  const std::vector<Complex> second = eigenvectors(count, small, values);
  if (buckling)
    for (double& value : values) value = 1 / value;
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t i, std::int64_t j) { return values[i] < values[j]; });
  std::vector<Complex> sorted(second.size());
  w.clear();
  for (std::int64_t j = 0; j < count; ++j) {
    std::copy_n(second.begin() + order[j] * count, count, sorted.begin() + j * count);
    w.push_back(values[order[j]]);
  }
  const std::vector<Complex> q =
      multiply(Op::none, view(turn.data(), m, count), view(sorted.data(), count, count), m, count);
  return multiply(Op::none, view(vectors, n, m), view(q.data(), m, count), n, count);
}

// The larger one of each two values.
void halve(std::vector<double>& values) {
  std::vector<double> half;
  for (std::size_t j = 0; j < values.size(); j += 2)
    half.push_back(j + 1 < values.size() ? std::max(values[j], values[j + 1]) : values[j]);
  values.swap(half);
}

}  // namespace

template <class T>
RealMatrix real_form(const CsrMatrix<T>& a, const char* name) {
  check_rows(a, name);
  const std::int64_t n = a.n, wide = rows_of_one<T>;
  constexpr double limit =
      std::is_same_v<real_t<T>, float> ? 32.0 * std::numeric_limits<float>::epsilon() : 1e-12;
  double largest = 0;
  for (std::int64_t p = n > 0 ? a.row_offsets[0] : 0; n > 0 && p < a.row_offsets[n]; ++p)
    largest = std::max(largest, static_cast<double>(std::abs(a.values[p])));
  using Wide = std::conditional_t<is_complex<T>, Complex, double>;
  RealMatrix real;
  real.n = wide * n;
  real.offsets.push_back(0);
  std::vector<Wide> row;
  for (std::int64_t i = 0; i < n; ++i) {
    row.clear();
    for (std::int64_t p = a.row_offsets[i]; p < a.row_offsets[i + 1]; ++p) {
      const std::int32_t j = a.column_indices[p];
      const std::int32_t *const end = a.column_indices + a.row_offsets[j + 1],
                                *const q = std::lower_bound(a.column_indices + a.row_offsets[j], end,
                                                            static_cast<std::int32_t>(i));
      const bool found = q != end && *q == i;
      const Complex here = Wide(a.values[p]),
                    other = found ? conjugate(Wide(a.values[q - a.column_indices])) : Complex();
      require(std::abs(here - other) <= limit * largest, name,
              std::string(is_complex<T> ? "is not Hermitian: " : "is not symmetric: ") + text_of_entry(i, j) +
                  (is_complex<T> ? " is not the conjugate of " : " differs from ") + text_of_entry(j, i));
      const Complex mean = found ? (here + other) / 2.0 : here;
      if constexpr (is_complex<T>)
        row.push_back(mean);
      else
        row.push_back(mean.real());
    }
    for (std::int64_t part = 0; part < wide; ++part) {
      for (std::size_t e = 0; e < row.size(); ++e) {
        const auto j = static_cast<std::int32_t>(
            wide * a.column_indices[a.row_offsets[i] + static_cast<std::int64_t>(e)]);
        real.column.push_back(j);
        if constexpr (is_complex<T>) {
          real.value.push_back(part == 0 ? row[e].real() : row[e].imag());
          real.column.push_back(j + 1);
          real.value.push_back(part == 0 ? -row[e].imag() : row[e].real());
        } else {
          real.value.push_back(row[e]);
        }
      }
      real.offsets.push_back(static_cast<std::int64_t>(real.column.size()));
    }
  }
  return real;
}

SparseOperator<double> real_form(const SparseOperator<Complex>& a) {
  SparseOperator<double> real{2 * a.n, {}};
  if (!a.multiply) return real;
  real.multiply = [multiply = a.multiply, n = a.n](const double* x, double* y) {
    std::vector<Complex> from(static_cast<std::size_t>(4 * n)), to(from.size());
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < 4; ++j) from[4 * i + j] = {x[8 * i + j], x[8 * i + 4 + j]};
    multiply(from.data(), to.data());
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < 4; ++j) {
        y[8 * i + j] = to[4 * i + j].real();
        y[8 * i + 4 + j] = to[4 * i + j].imag();
      }
  };
  return real;
}

template <class T>
RealPencil<T>::RealPencil(const CsrMatrix<T>& of_k, const SparseMass<T>& of_m) : k(real_form(of_k, "a")) {
  require(!of_m.matrix.row_offsets || !of_m.diagonal, "m",
          "has both a matrix and a diagonal, must have one of them");
  if (of_m.matrix.row_offsets) m = real_form(of_m.matrix, "m");
  if (!of_m.diagonal) return;
  require_on_host({{"m", of_m.diagonal}});
  for (std::int64_t i = 0; i < of_k.n; ++i)
    diagonal.insert(diagonal.end(), rows_of_one<T>, static_cast<double>(of_m.diagonal[i]));
}
template <class T>
SparseMass<double> RealPencil<T>::mass() const {
  return {m.offsets.empty() ? CsrMatrix<double>() : m.rows(), diagonal.empty() ? nullptr : diagonal.data()};
}
template <class T>
RealProduct RealPencil<T>::inner(bool buckling) const {
  if (!buckling && m.offsets.empty() && diagonal.empty()) return {};
  return [this, buckling](const double* x, double* y) {
    if (!buckling && !diagonal.empty()) {
      for (std::int64_t i = 0; i < k.n; ++i)
        for (std::int64_t j = 0; j < 4; ++j) y[4 * i + j] = diagonal[i] * x[4 * i + j];
      return;
    }
    const RealMatrix& a = buckling ? k : m;
    blas2::crs_multiply(
        4, 1.0,
        blas2::CrsView<double>{a.n, a.n, a.offsets.back(), a.offsets.data(), a.column.data(), a.value.data()},
        x, 0.0, y, 0, 0.0);
  };
}

template <class T>
void pairs_of_real_form(std::int64_t n, const RealProduct& inner, bool buckling, FewReport& report,
                        std::vector<double>& w, std::vector<double>& z) {
  if constexpr (is_complex<T>) {
    const std::vector<Complex> vectors = complex_vectors(n, inner, buckling, z, w);
    z.resize(2 * vectors.size());
    std::copy_n(reinterpret_cast<const double*>(vectors.data()), z.size(), z.begin());
    report.m = static_cast<std::int64_t>(w.size());
    halve(report.residuals);
    halve(report.error_bounds);
    halve(report.backward_errors);
    for (std::int64_t* const number :
         {&report.count_low, &report.count_high, &report.found, &report.repaired, &report.probe_found})
      *number /= 2;
    if (!report.proof_reason.empty()) report.proof_reason += "; the real form has each pair twice";
  }
}

namespace {

// Makes the `count` columns of Z behind the first `before` ones orthogonal to these, because vectors of two solves are orthogonal only as far as
// their errors allow.
template <class T>
void orthogonalise_columns(std::int64_t n, const RealProduct& inner, std::int64_t before, std::int64_t count,
                           T* z, std::int64_t ldz) {
  if constexpr (is_complex<T>) {
    std::vector<double> x(static_cast<std::size_t>(8 * n)), y(x.size());
    for (std::int64_t j = before; j < before + count; ++j) {
      T* const to = z + j * ldz;
      for (std::int64_t i = 0; i < n; ++i) {
        x[8 * i] = static_cast<double>(to[i].real());
        x[8 * i + 4] = static_cast<double>(to[i].imag());
      }
      if (inner) inner(x.data(), y.data());
      const std::vector<double>& of_inner = inner ? y : x;
      for (std::int64_t k = 0; k < before; ++k) {
        const T* const from = z + k * ldz;
        Complex part;
        for (std::int64_t i = 0; i < n; ++i)
          part += std::conj(Complex(from[i])) * Complex(of_inner[8 * i], of_inner[8 * i + 4]);
        for (std::int64_t i = 0; i < n; ++i) to[i] = T(Complex(to[i]) - part * Complex(from[i]));
      }
    }
  }
}

}  // namespace

template <class T>
FewReport solve_by_real_form(std::int64_t n, const FewOptions& options, const RealProduct& inner,
                             real_t<T>* w, T* z, std::int64_t ldz, const RealSolve& solve) {
  FewOptions real = options;
  const std::int64_t order = rows_of_one<T> * n;
  if (std::is_same_v<real_t<T>, float> && options.tolerance == 0)
    real.tolerance = std::numeric_limits<float>::epsilon();
  real.count = rows_of_one<T> * options.count;
  if (is_complex<T> && options.end == End::both && options.count % 2 != 0) {
    // Each side has an even number of pairs of the real form.
    FewOptions side = options;
    side.end = End::below;
    side.count = options.count / 2;
    FewReport report;
    if (side.count > 0) report = solve_by_real_form<T>(n, side, inner, w, z, ldz, solve);
    side.end = End::above;
    side.count = options.count - options.count / 2;
    const std::int64_t below = report.m;
    FewReport above =
        solve_by_real_form<T>(n, side, inner, w + below, z ? z + below * ldz : nullptr, ldz, solve);
    if (below == 0) return above;
    if (z) orthogonalise_columns(n, inner, below, above.m, z, ldz);
    report.m += above.m;
    report.residuals.insert(report.residuals.end(), above.residuals.begin(), above.residuals.end());
    report.error_bounds.insert(report.error_bounds.end(), above.error_bounds.begin(),
                               above.error_bounds.end());
    report.backward_errors.insert(report.backward_errors.end(), above.backward_errors.begin(),
                                  above.backward_errors.end());
    if (report.status == Status::converged) report.status = above.status;
    report.orthogonality = std::max(report.orthogonality, above.orthogonality);
    report.proven = report.proven && above.proven;
    if (report.proof_reason.empty()) report.proof_reason = above.proof_reason;
    report.high = above.high;
    report.count_high = above.count_high;
    report.found += above.found;
    report.repaired += above.repaired;
    report.products += above.products;
    report.factorisations += above.factorisations;
    report.seconds += above.seconds;
    return report;
  }
  std::vector<double> values(static_cast<std::size_t>(real.count)),
      vectors(is_complex<T> || z ? static_cast<std::size_t>(real.count * order) : 0);
  FewReport report = solve(real, values.data(), vectors.empty() ? nullptr : vectors.data(),
                           std::max<std::int64_t>(1, order));
  values.resize(static_cast<std::size_t>(report.m));
  if (!vectors.empty()) vectors.resize(static_cast<std::size_t>(report.m * order));
  pairs_of_real_form<T>(n, inner, options.buckling, report, values, vectors);
  for (std::int64_t j = 0; j < report.m; ++j) {
    w[j] = static_cast<real_t<T>>(values[j]);
    for (std::int64_t i = 0; z && i < n; ++i) {
      if constexpr (is_complex<T>)
        z[i + j * ldz] = T(static_cast<real_t<T>>(vectors[2 * (i + j * n)]),
                           static_cast<real_t<T>>(vectors[2 * (i + j * n) + 1]));
      else
        z[i + j * ldz] = static_cast<T>(vectors[i + j * n]);
    }
  }
  return report;
}

template <class T>
Verification verify_by_real_form(std::int64_t n, std::int64_t count, const real_t<T>* w, const T* z,
                                 std::int64_t ldz, const RealVerify& verify) {
  const std::int64_t twice = rows_of_one<T>, order = twice * n;
  std::vector<double> values(static_cast<std::size_t>(twice * count)),
      vectors(static_cast<std::size_t>(twice * count * order));
  for (std::int64_t j = 0; j < count; ++j)
    for (std::int64_t copy = 0; copy < twice; ++copy) {
      values[twice * j + copy] = static_cast<double>(w[j]);
      double* const to = vectors.data() + (twice * j + copy) * order;
      for (std::int64_t i = 0; i < n; ++i) {
        const T value = z[i + j * ldz];
        to[twice * i] = copy == 0 ? real_part(value) : -imaginary_part(value);
        if constexpr (is_complex<T>) to[2 * i + 1] = copy == 0 ? imaginary_part(value) : real_part(value);
      }
    }
  Verification v = verify(twice * count, values.data(), vectors.data(), std::max<std::int64_t>(1, order));
  const double root = std::sqrt(static_cast<double>(twice)), eps = std::numeric_limits<real_t<T>>::epsilon();
  v.lapack_residual *= static_cast<double>(twice) * v.eps / eps;
  v.lapack_orthogonality *= static_cast<double>(twice) * v.eps / eps;
  v.eps = eps;
  v.n = n;
  v.m = count;
  v.norm_frobenius /= root;
  v.residual_frobenius /= root;
  v.orthogonality *= root;
  v.worst_index /= twice;
  return v;
}

#define EIGEN_G_REAL_FORM(T)                                                                                \
  template RealMatrix real_form(const CsrMatrix<T>&, const char*);                                          \
  template struct RealPencil<T>;                                                                            \
  template FewReport solve_by_real_form<T>(std::int64_t, const FewOptions&, const RealProduct&, real_t<T>*, \
                                           T*, std::int64_t, const RealSolve&);                             \
  template void pairs_of_real_form<T>(std::int64_t, const RealProduct&, bool, FewReport&,                   \
                                      std::vector<double>&, std::vector<double>&);                          \
  template Verification verify_by_real_form<T>(std::int64_t, std::int64_t, const real_t<T>*, const T*,      \
                                               std::int64_t, const RealVerify&);
EIGEN_G_REAL_FORM(float)
EIGEN_G_FOR_EACH(complex_types, EIGEN_G_REAL_FORM)

}  // namespace eigen_g
