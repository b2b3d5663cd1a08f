// Parts that both checks of distributed eigenpairs use. W is double or std::complex<double>. This header is internal to the checks.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "hybrid/team/loops.hpp"
#include "solver/distributed/grid.hpp"
#include "solver/distributed/panels.hpp"
#include "solver/distributed/scalapack_calls.hpp"

namespace eigen_g::distributed {

// c := alpha op(a) op(b) + beta c. a and b begin at row and column (row, col) of their matrices, counted from 0.
template <class W>
struct Corner {
  const LocalView<W>& matrix;
  std::int64_t row = 0, col = 0;
};
template <class W>
void multiply(const char* op_a, const char* op_b, std::int64_t inner, same_t<W> alpha, const Corner<W>& a,
              const Corner<W>& b, same_t<W> beta, const LocalView<W>& c) {
  const int m = static_cast<int>(c.layout.rows.n), n = static_cast<int>(c.layout.cols.n);
  const int k = static_cast<int>(inner);
  const int ia = static_cast<int>(a.row) + 1, ja = static_cast<int>(a.col) + 1;
  const int ib = static_cast<int>(b.row) + 1, jb = static_cast<int>(b.col) + 1;
  pgemm<W>(op_a, op_b, &m, &n, &k, &alpha, a.matrix.data, &ia, &ja, a.matrix.descriptor.data(), b.matrix.data,
           &ib, &jb, b.matrix.descriptor.data(), &beta, c.data, &one, &one, c.descriptor.data());
}

// rows x cols, distributed as a, not initialised.
template <class W>
LocalMatrix<W> panel_like(const LocalView<W>& a, std::int64_t rows, std::int64_t cols) {
  BlockCyclic layout = a.layout;
  layout.rows.n = rows;
  layout.cols.n = cols;
  return {a.descriptor[1], layout};
}

// abs[j] += |x|, squares[j] += |x|^2 over the local entries x(i, j) of a panel; j0 is the number of the panel's first column. Either sum
// may be null.
template <class Entry>
void add_columns(const BlockCyclic& panel, std::int64_t j0, std::vector<double>* abs,
                 std::vector<double>* squares, const Entry& entry) {
  const std::int64_t rows = panel.rows.count(), cols = panel.cols.count();
  for_each(cols, threads_if(rows > 256), [&](std::int64_t l) {
    double sum = 0, sum_squares = 0;
    for (std::int64_t k = 0; k < rows; ++k) {
      const auto x = entry(k, l);
      sum += std::abs(x);
      sum_squares += std::norm(x);
    }
    const auto j = static_cast<std::size_t>(j0 + panel.cols.global(l));
    if (abs) (*abs)[j] += sum;
    if (squares) (*squares)[j] += sum_squares;
  });
}

inline void sum_over(MPI_Comm comm, std::vector<double>& x) {
  MPI_Allreduce(MPI_IN_PLACE, x.data(), static_cast<int>(x.size()), MPI_DOUBLE, MPI_SUM, comm);
}

inline bool is_finite(std::complex<double> x) {
  return std::isfinite(x.real()) && std::isfinite(x.imag());
}

// Largest |a_ij|; for complex entries the larger of |Re| and |Im|. Entries that are not finite do not count.
template <class W>
double largest_finite(MPI_Comm comm, const LocalView<W>& a) {
  double largest = 0;
  const std::int64_t rows = a.layout.rows.count(), cols = a.layout.cols.count();
  for (std::int64_t l = 0; l < cols; ++l)
    for (std::int64_t k = 0; k < rows; ++k)
      for (const double x : {std::real(a(k, l)), std::imag(a(k, l))})
        if (std::isfinite(x)) largest = std::max(largest, std::fabs(x));
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, comm);
  return largest;
}

// True if w and the first w.size() columns of z are finite.
template <class W>
bool all_finite(MPI_Comm comm, std::span<const double> w, const LocalView<W>& z) {
  int finite = std::all_of(w.begin(), w.end(), [](double x) { return std::isfinite(x); });
  const std::int64_t rows = z.layout.rows.count(),
                     cols = z.layout.cols.below(static_cast<std::int64_t>(w.size()));
  for (std::int64_t l = 0; l < cols && finite; ++l)
    finite = std::all_of(&z(0, l), &z(0, l) + rows, [](W x) { return is_finite(x); });
  MPI_Allreduce(MPI_IN_PLACE, &finite, 1, MPI_INT, MPI_LAND, comm);
  return finite != 0;
}

inline bool ascending(std::span<const double> w) {
  return std::adjacent_find(w.begin(), w.end(), [](double x, double y) { return !(x <= y); }) == w.end();
}

inline double scaled(double x, int k) {
  return std::ldexp(x, k);
}
inline std::complex<double> scaled(std::complex<double> x, int k) {
  return {std::ldexp(x.real(), k), std::ldexp(x.imag(), k)};
}

// a := 2^k a
template <class W>
void scale_all(const LocalView<W>& a, int k) {
  for (std::int64_t l = 0; l < a.layout.cols.count(); ++l)
    for (std::int64_t i = 0; i < a.layout.rows.count(); ++i) a(i, l) = scaled(a(i, l), k);
}

}  // namespace eigen_g::distributed
