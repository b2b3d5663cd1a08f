#include "solver/distributed/verify.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <vector>

#include "solver/distributed/panels.hpp"
#include "solver/distributed/scalapack_calls.hpp"
#include "solver/verify/verify_columns.hpp"

namespace eigen_g::distributed {

namespace {

constexpr int one = 1;

// c := alpha op(a) op(b) + beta c, with a and b from row and column (1 + ia, 1 + ja), (1 + ib, 1 + jb) on.
struct Corner {
  const LocalView& matrix;
  std::int64_t row = 0, col = 0;
};
void multiply(const char* op_a, const char* op_b, std::int64_t inner, double alpha, const Corner& a,
              const Corner& b, double beta, const LocalView& c) {
  const int m = static_cast<int>(c.layout.rows.n), n = static_cast<int>(c.layout.cols.n);
  const int k = static_cast<int>(inner);
  const int ia = static_cast<int>(a.row) + 1, ja = static_cast<int>(a.col) + 1;
  const int ib = static_cast<int>(b.row) + 1, jb = static_cast<int>(b.col) + 1;
  pdgemm_(op_a, op_b, &m, &n, &k, &alpha, a.matrix.data, &ia, &ja, a.matrix.descriptor.data(), b.matrix.data,
          &ib, &jb, b.matrix.descriptor.data(), &beta, c.data, &one, &one, c.descriptor.data());
}

// abs[j] += |x|, squares[j] += x^2 over the local entries x(i, j) of a panel whose first column is number j0.
template <class Entry>
void add_columns(const BlockCyclic& panel, std::int64_t j0, std::vector<double>* abs,
                 std::vector<double>& squares, const Entry& entry) {
  const std::int64_t rows = panel.rows.count(), cols = panel.cols.count();
#pragma omp parallel for
  for (std::int64_t l = 0; l < cols; ++l) {
    double sum = 0, sum_squares = 0;
    for (std::int64_t k = 0; k < rows; ++k) {
      const double x = entry(k, l);
      sum += std::fabs(x);
      sum_squares += x * x;
    }
    const auto j = static_cast<std::size_t>(j0 + panel.cols.global(l));
    if (abs) (*abs)[j] += sum;
    squares[j] += sum_squares;
  }
}

void sum_over(MPI_Comm comm, std::vector<double>& x) {
  MPI_Allreduce(MPI_IN_PLACE, x.data(), static_cast<int>(x.size()), MPI_DOUBLE, MPI_SUM, comm);
}

double largest_finite(MPI_Comm comm, const LocalView& a) {
  double largest = 0;
  const std::int64_t rows = a.layout.rows.count(), cols = a.layout.cols.count();
  for (std::int64_t l = 0; l < cols; ++l)
    for (std::int64_t k = 0; k < rows; ++k)
      if (std::isfinite(a(k, l))) largest = std::max(largest, std::fabs(a(k, l)));
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, comm);
  return largest;
}

bool all_finite(MPI_Comm comm, std::span<const double> w, const LocalView& z) {
  int finite = std::all_of(w.begin(), w.end(), [](double x) { return std::isfinite(x); });
  const std::int64_t rows = z.layout.rows.count(),
                     cols = z.layout.cols.below(static_cast<std::int64_t>(w.size()));
  for (std::int64_t l = 0; l < cols && finite; ++l)
    finite = std::all_of(&z(0, l), &z(0, l) + rows, [](double x) { return std::isfinite(x); });
  MPI_Allreduce(MPI_IN_PLACE, &finite, 1, MPI_INT, MPI_LAND, comm);
  return finite != 0;
}

// The sums of verify_columns.hpp, A and w scaled.
class Sums {
 public:
  Sums(const LocalView& a, const std::vector<double>& w, const LocalView& z)
      : a_(a),
        z_(z),
        w_(w),
        n_(a.layout.rows.n),
        m_(static_cast<std::int64_t>(w.size())),
        width_(panel_columns(a.layout)) {
    for (auto* column : {&sums_.matrix_abs, &sums_.matrix_squares}) column->resize(n_);
    for (auto* column : {&sums_.residual_abs, &sums_.residual_squares, &sums_.gram_abs, &sums_.gram_squares})
      column->resize(m_);
    if (m_ == n_) sums_.reconstruction_squares.resize(n_);
    add_columns(a.layout, 0, &sums_.matrix_abs, sums_.matrix_squares,
                [&](std::int64_t k, std::int64_t l) { return a(k, l); });
    for (std::int64_t j0 = 0; j0 < m_; j0 += width_) add_pairs(j0);
    if (m_ == n_)
      for (std::int64_t j0 = 0; j0 < n_; j0 += width_) add_reconstruction(j0);
  }
  ColumnSums over(MPI_Comm comm) && {
    for (auto* column :
         {&sums_.matrix_abs, &sums_.matrix_squares, &sums_.residual_abs, &sums_.residual_squares,
          &sums_.gram_abs, &sums_.gram_squares, &sums_.reconstruction_squares})
      sum_over(comm, *column);
    return std::move(sums_);
  }

 private:
  // rows x cols, dealt out like A, not initialised.
  LocalMatrix panel(std::int64_t rows, std::int64_t cols) const {
    BlockCyclic layout = a_.layout;
    layout.rows.n = rows;
    layout.cols.n = cols;
    return {a_.descriptor[1], layout};
  }
  // A Z(:, J) - Z(:, J) W and Z^T Z(:, J) - I.
  void add_pairs(std::int64_t j0) {
    const std::int64_t width = std::min(width_, m_ - j0), first = z_.layout.cols.below(j0);
    {
      const LocalMatrix memory = panel(n_, width);
      const LocalView r = view(memory);
      multiply("N", "N", n_, 1, {a_}, {z_, 0, j0}, 0, r);
      add_columns(
          r.layout, j0, &sums_.residual_abs, sums_.residual_squares, [&](std::int64_t k, std::int64_t l) {
            return r(k, l) - z_(k, first + l) * w_[static_cast<std::size_t>(j0 + r.layout.cols.global(l))];
          });
    }
    const LocalMatrix memory = panel(m_, width);
    const LocalView gram = view(memory);
    multiply("T", "N", n_, 1, {z_}, {z_, 0, j0}, 0, gram);
    add_columns(gram.layout, j0, &sums_.gram_abs, sums_.gram_squares, [&](std::int64_t k, std::int64_t l) {
      return gram(k, l) - (gram.layout.rows.global(k) == j0 + gram.layout.cols.global(l) ? 1.0 : 0.0);
    });
  }
  // A(:, J) - Z W Z(J, :)^T
  void add_reconstruction(std::int64_t j0) {
    const std::int64_t width = std::min(width_, n_ - j0);
    const LocalMatrix scaled_memory = panel(width, n_), memory = panel(n_, width);
    const LocalView zw = view(scaled_memory), r = view(memory);
    const std::int64_t first_row = z_.layout.rows.below(j0), first_col = a_.layout.cols.below(j0);
    for (std::int64_t l = 0; l < zw.layout.cols.count(); ++l)
      for (std::int64_t k = 0; k < zw.layout.rows.count(); ++k)
        zw(k, l) = z_(first_row + k, l) * w_[static_cast<std::size_t>(zw.layout.cols.global(l))];
    for (std::int64_t l = 0; l < r.layout.cols.count(); ++l)
      std::copy_n(&a_(0, first_col + l), r.layout.rows.count(), &r(0, l));
    multiply("N", "T", n_, -1, {z_}, {zw}, 1, r);
    add_columns(r.layout, j0, nullptr, sums_.reconstruction_squares,
                [&](std::int64_t k, std::int64_t l) { return r(k, l); });
  }

  const LocalView &a_, &z_;
  const std::vector<double>& w_;
  std::int64_t n_, m_, width_;
  ColumnSums sums_;
};

}  // namespace

Verification verify(MPI_Comm comm, const LocalView& a, std::span<const double> w, const LocalView& z) {
  const auto start = std::chrono::steady_clock::now();
  constexpr double ulp = std::numeric_limits<double>::epsilon();
  Verification v;
  v.n = a.layout.rows.n;
  v.m = static_cast<std::int64_t>(w.size());
  v.eps = ulp / 2;
  v.ascending =
      std::adjacent_find(w.begin(), w.end(), [](double x, double y) { return !(x <= y); }) == w.end();
  v.finite = all_finite(comm, w, z);
  const int e = scale_of_check(largest_finite(comm, a));
  for (std::int64_t l = 0; l < a.layout.cols.count(); ++l)
    for (std::int64_t k = 0; k < a.layout.rows.count(); ++k) a(k, l) = std::ldexp(a(k, l), -e);
  std::vector<double> scaled(w.begin(), w.end());
  for (double& value : scaled) value = std::ldexp(value, -e);
  set_figures(Sums(a, scaled, z).over(comm), e, ulp, v);
  v.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return v;
}

}  // namespace eigen_g::distributed
