// Checks eigenpairs of a distributed matrix.
#include "solver/distributed/verify.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <utility>
#include <vector>

#include "solver/distributed/verify_parts.hpp"
#include "solver/verify/verify_columns.hpp"

namespace eigen_g::distributed {

namespace {

// The sums of verify_columns.hpp, for scaled A and w.
template <class W>
class Sums {
 public:
  Sums(const LocalView<W>& a, const std::vector<double>& w, const LocalView<W>& z)
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
    add_columns(a.layout, 0, &sums_.matrix_abs, &sums_.matrix_squares,
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
  // A Z(:, J) - Z(:, J) W and Z^H Z(:, J) - I.
  void add_pairs(std::int64_t j0) {
    const std::int64_t width = std::min(width_, m_ - j0), first = z_.layout.cols.below(j0);
    {
      const LocalMatrix<W> memory = panel_like(a_, n_, width);
      const LocalView<W> r = view(memory);
      multiply<W>("N", "N", n_, 1, {a_}, {z_, 0, j0}, 0, r);
      add_columns(
          r.layout, j0, &sums_.residual_abs, &sums_.residual_squares, [&](std::int64_t k, std::int64_t l) {
            return r(k, l) - z_(k, first + l) * w_[static_cast<std::size_t>(j0 + r.layout.cols.global(l))];
          });
    }
    const LocalMatrix<W> memory = panel_like(a_, m_, width);
    const LocalView<W> gram = view(memory);
    multiply<W>("C", "N", n_, 1, {z_}, {z_, 0, j0}, 0, gram);
    add_columns(gram.layout, j0, &sums_.gram_abs, &sums_.gram_squares, [&](std::int64_t k, std::int64_t l) {
      return gram(k, l) - (gram.layout.rows.global(k) == j0 + gram.layout.cols.global(l) ? 1.0 : 0.0);
    });
  }
  // A(:, J) - Z W Z(J, :)^H
  void add_reconstruction(std::int64_t j0) {
    const std::int64_t width = std::min(width_, n_ - j0);
    const LocalMatrix<W> scaled_memory = panel_like(a_, width, n_), memory = panel_like(a_, n_, width);
    const LocalView<W> zw = view(scaled_memory), r = view(memory);
    const std::int64_t first_row = z_.layout.rows.below(j0), first_col = a_.layout.cols.below(j0);
    for (std::int64_t l = 0; l < zw.layout.cols.count(); ++l)
      for (std::int64_t k = 0; k < zw.layout.rows.count(); ++k)
        zw(k, l) = z_(first_row + k, l) * w_[static_cast<std::size_t>(zw.layout.cols.global(l))];
    for (std::int64_t l = 0; l < r.layout.cols.count(); ++l)
      std::copy_n(&a_(0, first_col + l), r.layout.rows.count(), &r(0, l));
    multiply<W>("N", "C", n_, -1, {z_}, {zw}, 1, r);
    add_columns(r.layout, j0, nullptr, &sums_.reconstruction_squares,
                [&](std::int64_t k, std::int64_t l) { return r(k, l); });
  }

  const LocalView<W>&a_, &z_;
  const std::vector<double>& w_;
  std::int64_t n_, m_, width_;
  ColumnSums sums_;
};

}  // namespace

template <class W>
Verification verify(MPI_Comm comm, const LocalView<W>& a, std::span<const double> w, const LocalView<W>& z,
                    double ulp) {
  const auto start = std::chrono::steady_clock::now();
  Verification v;
  v.n = a.layout.rows.n;
  v.m = static_cast<std::int64_t>(w.size());
  v.eps = ulp / 2;
  v.ascending = ascending(w);
  v.finite = all_finite(comm, w, z);
  const int e = scale_of_check(largest_finite(comm, a));
  scale_all(a, -e);
  std::vector<double> scaled_values(w.begin(), w.end());
  for (double& value : scaled_values) value = std::ldexp(value, -e);
  set_figures(Sums<W>(a, scaled_values, z).over(comm), e, ulp, v);
  v.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return v;
}

template Verification verify(MPI_Comm, const LocalView<double>&, std::span<const double>,
                             const LocalView<double>&, double);
template Verification verify(MPI_Comm, const LocalView<std::complex<double>>&, std::span<const double>,
                             const LocalView<std::complex<double>>&, double);

}  // namespace eigen_g::distributed
