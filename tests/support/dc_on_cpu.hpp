// The divide and conquer of the GPU on one CPU thread: the same acts in the same order on the same layout, loops instead
// of launches, dgemm instead of cuBLAS. Everything not yet written is NaN.
#pragma once

#include <cblas.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "solver/tridiagonal/dc_deflate.hpp"
#include "solver/tridiagonal/dc_leaf.hpp"
#include "solver/tridiagonal/dc_merge.hpp"
#include "solver/tridiagonal/dc_rank_one.hpp"
#include "solver/tridiagonal/dc_secular.hpp"
#include "solver/tridiagonal/dc_team.hpp"
#include "solver/tridiagonal/dc_tree.hpp"
#include "solver/tridiagonal/dc_z_vector.hpp"
#include "tests/support/matrices.hpp"

namespace support {

namespace dc = eigen_g::dc;
using eigen_g::MatrixView;

// Columns of Z for implicit_ql: `rows` of them, leading dimension ldz.
struct PlainVectors {
  double* z;
  std::int64_t rows, ldz;
  void begin_sweep(dc::Index) const {}
  void end_sweep(dc::Index) const {}
  void sync() const {}
  void keep(double* array, dc::Index i, double x, bool yes) const {
    if (yes) array[i] = x;
  }
  dc::Index end_of_block(const double* e, dc::Index l, dc::Index size, double negligible) const {
    return dc::block_end(e, l, size, negligible);
  }
  void rotate(dc::Index i, double c, double s) const {
    for (std::int64_t r = 0; r < rows; ++r) {
      const double low = z[r + i * ldz], high = z[r + (i + 1) * ldz];
      z[r + (i + 1) * ldz] = s * low + c * high;
      z[r + i * ldz] = c * low - s * high;
    }
  }
};

struct OnCpuResult {
  std::vector<double> w, z;  // z: n x n, or empty
  dc::Index failed = 0;      // 0: converged
  int most_steps = 0;        // of a secular root
  double mean_steps = 0;
  std::int64_t roots = 0;
};

class DcOnCpu {
 public:
  DcOnCpu(std::vector<double> d, std::vector<double> e, bool vectors, dc::Index panel_columns)
      : n_(static_cast<dc::Index>(d.size())),
        rows_{vectors},
        panel_columns_(panel_columns),
        d_(std::move(d)),
        e_(std::move(e)) {
    const std::int64_t height = vectors ? n_ : 2;
    const auto poisoned = [](std::int64_t count) {
      return std::vector<double>(static_cast<std::size_t>(count), nan);
    };
    storage_ = poisoned(dc::arrays_doubles(n_));
    q_storage_ = poisoned(height * n_);
    compressed_storage_ = poisoned(height * n_);
    panel_storage_ = poisoned(vectors ? n_ * panel_columns : 0);
    x_ = dc::place_arrays(n_, storage_.data());
    q_ = {q_storage_.data(), height, n_, height};
    compressed_ = {compressed_storage_.data(), height, n_, height};
    panel_ = {panel_storage_.data(), n_, panel_columns, n_};
  }

  OnCpuResult solve() {
    const dc::Division division = dc::divide(d_, e_);
    if (division.not_finite >= 0) return failed(division.not_finite + 1);
    std::copy(d_.begin(), d_.end(), x_.d);
    std::copy(e_.begin(), e_.end(), x_.e);
    for (const dc::Leaf& leaf : division.tree.leaves) solve_leaf(leaf);
    for (const auto& level : division.tree.levels)
      for (const dc::Merge& merge : level) join(merge);
    if (result_.roots > 0) result_.mean_steps /= static_cast<double>(result_.roots);
    for (dc::Index i = 0; i < n_; ++i) {
      result_.w.push_back(std::ldexp(x_.d[i], division.exponent));
      if (rows_.all) {
        const double* column = &q_(0, x_.column[i]);
        result_.z.insert(result_.z.end(), column, column + n_);
      }
    }
    return result_;
  }

 private:
  OnCpuResult failed(dc::Index index) {
    result_.failed = index;
    return result_;
  }

  void solve_leaf(const dc::Leaf& leaf) {
    const dc::Index m = leaf.size;
    std::vector<double> d(x_.d + leaf.first, x_.d + leaf.first + m),
        e(x_.e + leaf.first, x_.e + leaf.first + m);
    std::vector<double> z(static_cast<std::size_t>(m * m));
    for (dc::Index i = 0; i < m; ++i) z[static_cast<std::size_t>(i + i * m)] = 1;
    if (!dc::implicit_ql(m, d.data(), e.data(), PlainVectors{z.data(), m, m}))
      result_.failed = leaf.first + 1;
    std::vector<double> scratch(z.size());
    dc::orthogonalize(dc::OneThread{}, m, m, z.data(), scratch.data());
    for (dc::Index i = 0; i < m; ++i) {
      dc::Index place = 0;
      for (dc::Index k = 0; k < m; ++k) place += d[k] < d[i] || (d[k] == d[i] && k < i);
      x_.d[leaf.first + place] = d[i];
      x_.column[leaf.first + place] = leaf.first + i;
      const double* column = &z[static_cast<std::size_t>(i * m)];
      if (rows_.all) {
        std::copy(column, column + m, &q_(leaf.first, leaf.first + i));
      } else {
        q_(0, leaf.first + i) = column[0];
        q_(1, leaf.first + i) = column[m - 1];
      }
    }
  }

  void join(const dc::Merge& merge) {
    const dc::OneThread team;
    const dc::Arrays x = x_.at(merge.first);
    dc::Shape shape{};
    for (dc::Index i = 0; i < merge.size; ++i) dc::form_z(merge, rows_, q_, x, x_.e[merge.cut()], i);
    dc::deflate(team, merge, x, x_.e[merge.cut()], &shape);
    for (dc::Index j = 0; j < shape.k; ++j) {
      const dc::Root root = dc::secular_root(team, {x.pole, x.weight, shape.k, shape.rho}, j);
      result_.most_steps = std::max(result_.most_steps, root.steps);
      result_.mean_steps += root.steps;
      ++result_.roots;
      if (!dc::solve_secular(team, shape, x, j)) result_.failed = merge.first + j + 1;
    }
    for (dc::Index i = 0; i < shape.k; ++i) dc::correct_weight(team, shape, x, i);
    for (dc::Index s = 0; s < merge.size; ++s) {
      if (x.linked[s]) continue;
      const auto part = [&](dc::Index first, dc::Index count, bool upper_row) {
        if (dc::compress_skips(shape, x, upper_row, s)) return;
        for (dc::Index row = first; row < first + count; ++row)
          dc::compress_row(merge, shape, x, q_, compressed_, row, upper_row, s,
                           dc::entry_of_row(merge, x, q_, row, upper_row, s));
      };
      part(rows_.upper_first(merge), rows_.upper_count(merge), true);
      part(rows_.lower_first(merge), rows_.lower_count(merge), false);
    }
    for (dc::Index t = shape.k; t < merge.size; ++t)
      for (const auto& [first, count] : {std::pair{rows_.upper_first(merge), rows_.upper_count(merge)},
                                         std::pair{rows_.lower_first(merge), rows_.lower_count(merge)}})
        for (dc::Index row = first; row < first + count; ++row)
          q_(row, merge.first + t) = compressed_(row, merge.first + t);
    if (rows_.all)
      multiply(merge, shape, x);
    else
      for (dc::Index j = 0; j < shape.k; ++j)
        dc::form_end_rows(team, shape, x, &compressed_(0, merge.first), j, &q_(0, merge.first + j));
    for (dc::Index t = 0; t < merge.size; ++t) dc::order_value(team, merge, shape, x, t);
  }

  void multiply(const dc::Merge& merge, const dc::Shape& shape, const dc::Arrays& x) {
    for (dc::Index first = 0; first < shape.k; first += panel_columns_) {
      const dc::Index columns = std::min(panel_columns_, shape.k - first);
      for (dc::Index j = 0; j < columns; ++j)
        dc::form_vector(dc::OneThread{}, shape, x, first + j,
                        [&](dc::Index g, double value) { panel_(merge.first + g, j) = value; });
      const auto product = [&](dc::Index row, dc::Index rows, dc::Index inner_first, dc::Index inner_end) {
        if (rows > 0 && inner_end > inner_first)
          cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, rows, columns, inner_end - inner_first, 1,
                      &compressed_(row, merge.first + inner_first), n_, &panel_(merge.first + inner_first, 0),
                      n_, 0, &q_(row, merge.first + first), n_);
        else
          for (dc::Index j = 0; j < columns; ++j) std::fill_n(&q_(row, merge.first + first + j), rows, 0.0);
      };
      product(merge.first, merge.upper, 0, shape.upper_end());
      product(merge.first + merge.upper, merge.size - merge.upper, shape.lower_begin(), shape.k);
    }
  }

  dc::Index n_;
  dc::Rows rows_;
  dc::Index panel_columns_;
  std::vector<double> d_, e_, storage_, q_storage_, compressed_storage_, panel_storage_;
  dc::Arrays x_{};
  MatrixView<double> q_, compressed_, panel_;
  OnCpuResult result_;
};

inline OnCpuResult dc_on_cpu(const std::vector<double>& d, const std::vector<double>& e, bool vectors = true,
                             dc::Index panel_columns = 100) {
  return DcOnCpu(d, e, vectors, panel_columns).solve();
}

}  // namespace support
