// The phases of the divide and conquer on the CPU, as loops over leaves and merges.
#include "solver/tridiagonal/dc_host.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gemm_df/cpu_gemm.hpp"
#include "hybrid/instantiate.hpp"
#include "solver/tridiagonal/dc_crew.hpp"
#include "solver/tridiagonal/dc_deflate.hpp"
#include "solver/tridiagonal/dc_merge.hpp"
#include "solver/tridiagonal/dc_rank_one.hpp"
#include "solver/tridiagonal/dc_secular.hpp"
#include "solver/tridiagonal/dc_z_vector.hpp"

namespace eigen_g::dc {

namespace {

constexpr OneThread one_thread;

template <class R>
std::vector<R> not_written(std::int64_t count) {
  return std::vector<R>(static_cast<std::size_t>(count), std::numeric_limits<R>::quiet_NaN());
}

template <class R, class Act>
void each_merge(const Batch<R>& batch, Act&& act) {
  for (Index m = 0; m < batch.count; ++m)
    act(batch.merges[m], batch.shapes[m], batch.arrays.at(batch.merges[m].first));
}

// Calls row(r, true) for the rows r of child 1 that are kept, and row(r, false) for the rows of child 2.
template <class Row>
void each_row(const Merge& merge, Rows rows, Row&& row) {
  for (Index i = 0; i < rows.upper_count(merge); ++i) row(rows.upper_first(merge) + i, true);
  for (Index i = 0; i < rows.lower_count(merge); ++i) row(rows.lower_first(merge) + i, false);
}

}  // namespace

template <class R>
void OnHost<R>::Matrices::take(std::int64_t height, Index n) {
  storage = not_written<R>(2 * height * n);
  q = {storage.data(), height, n, height};
  c = {storage.data() + height * n, height, n, height};
}

template <class R>
OnHost<R>::OnHost(const Division& division, const std::vector<R>& d, const std::vector<R>& e, R* values,
                  Rows rows, MatrixView<R> z, Index panel_columns)
    : n_(static_cast<Index>(d.size())),
      exponent_(division.exponent),
      rows_(rows),
      panel_columns_(std::min(panel_columns, n_)),
      values_(values),
      z_(z) {
  std::size_t most = 0;
  for (const auto& level : division.tree.levels) {
    merges_.insert(merges_.end(), level.begin(), level.end());
    most = std::max(most, level.size());
  }
  shapes_.resize(most);
  storage_ = not_written<R>(arrays_size<R>(n_));
  if (!rows_.ends_only()) kept_.take(rows_.count, n_);
  if (rows_.for_values(n_).ends_only()) ends_.take(2, n_);
  panel_storage_ = not_written<R>(rows_.ends_only() ? 0 : std::int64_t{n_} * panel_columns_);
  x_ = place_arrays(n_, storage_.data());
  u_ = {panel_storage_.data(), n_, panel_columns_, n_};
  std::copy(d.begin(), d.end(), x_.d);
  std::copy(e.begin(), e.end(), x_.e);
}

template <class R>
void OnHost<R>::note_failure(Index index) {
  failed_ = std::min(failed_, static_cast<unsigned>(index));
}

template <class R>
void OnHost<R>::solve_leaf(const Leaf& leaf) {
  const Index m = leaf.size;
  R *const d = x_.d + leaf.first, z[leaf_rows * leaf_rows] = {}, scratch[leaf_rows * leaf_rows];
  R values[leaf_rows], e[leaf_rows];
  std::copy_n(d, m, values);
  std::copy_n(x_.e + leaf.first, m - 1, e);
  for (Index i = 0; i < m; ++i) z[i * (m + 1)] = 1;
  if (!implicit_ql(m, values, e, PlainVectors<R>{z, m, m})) note_failure(leaf.first + 1);
  orthogonalize(one_thread, m, m, z, scratch);
  for (Index i = 0; i < m; ++i) {
    Index place = 0;
    for (Index k = 0; k < m; ++k) place += values[k] < values[i] || (values[k] == values[i] && k < i);
    d[place] = values[i];
    x_.column[leaf.first + place] = leaf.first + i;
    const Index first = rows_.above(leaf.first), count = rows_.above(leaf.first + m) - first;
    if (count > 0)
      std::copy_n(z + i * m + rows_.first + first - leaf.first, count, &kept_.q(first, leaf.first + i));
    if (ends_.q.data) {
      ends_.q(0, leaf.first + i) = z[i * m];
      ends_.q(1, leaf.first + i) = z[i * m + m - 1];
    }
  }
}

template <class R>
void OnHost<R>::solve_leaves(const std::vector<Leaf>& leaves) {
  for (const Leaf& leaf : leaves) solve_leaf(leaf);
}

template <class R>
void OnHost<R>::deflate(const Batch<R>& batch) {
  each_merge(batch, [&](const Merge& merge, Shape<R>& shape, const Arrays<R>& x) {
    const R e = x_.e[merge.cut()];
    for (Index i = 0; i < merge.size; ++i) form_z(merge, batch.rows, of(batch.rows).q, x, e, i);
    dc::deflate(one_thread, merge, x, e, &shape);
  });
}

template <class R>
void OnHost<R>::solve_secular(const Batch<R>& batch) {
  each_merge(batch, [&](const Merge& merge, const Shape<R>& shape, const Arrays<R>& x) {
    for (Index j = 0; j < shape.k; ++j)
      if (!dc::solve_secular(one_thread, shape, x, j)) note_failure(merge.first + j + 1);
  });
}

template <class R>
void OnHost<R>::order_values(const Batch<R>& batch, bool with_vectors) {
  each_merge(batch, [&](const Merge& merge, const Shape<R>& shape, const Arrays<R>& x) {
    for (Index t = 0; t < merge.size; ++t) {
      if (with_vectors && t < shape.k) correct_weight(one_thread, shape, x, t);
      order_value(one_thread, merge, shape, x, t);
    }
  });
}

template <class R>
void OnHost<R>::compress(const Batch<R>& batch) {
  const MatrixView<R> q = of(batch.rows).q, c = of(batch.rows).c;
  each_merge(batch, [&](const Merge& merge, const Shape<R>& shape, const Arrays<R>& x) {
    for (Index s = 0; s < merge.size; ++s) {
      if (x.linked[s]) continue;
      each_row(merge, batch.rows, [&](Index row, bool upper_row) {
        if (!compress_skips(shape, x, upper_row, s))
          compress_row(
              merge, shape, x, q, c, row, upper_row,
              batch.forms_ends() ? batch.rows.of_end_row(merge, row, x.first_of_c, x.last_of_c) : nullptr, s,
              entry_of_row(merge, x, q, row, upper_row, s));
      });
    }
  });
}

template <class R>
void OnHost<R>::form_end_rows(const Batch<R>& batch) {
  each_merge(batch, [&](const Merge&, const Shape<R>& shape, const Arrays<R>& x) {
    for (Index j = 0; j < shape.k; ++j) dc::form_end_rows(one_thread, shape, x, j);
  });
}

template <class R>
void OnHost<R>::keep(const Batch<R>& batch) {
  const MatrixView<R> q = of(batch.rows).q, c = of(batch.rows).c;
  each_merge(batch, [&](const Merge& merge, const Shape<R>& shape, const Arrays<R>& x) {
    for (Index t = shape.k; t < merge.size; ++t)
      each_row(merge, batch.rows,
               [&](Index row, bool) { q(row, merge.first + t) = c(row, merge.first + t); });
    each_row(merge, batch.rows, [&](Index row, bool) {
      const R* const ends =
          batch.end_rows ? batch.rows.of_end_row(merge, row, x.first_of_q, x.last_of_q) : nullptr;
      for (Index t = 0; ends && t < shape.k; ++t) q(row, merge.first + t) = ends[t];
    });
  });
}

template <class R>
void OnHost<R>::multiply_apart(const std::vector<Merge>&, const Batch<R>& batch, Roots roots) {
  each_merge(batch, [&](const Merge& merge, const Shape<R>& shape, const Arrays<R>& x) {
    if (rows_.count_of(merge) == 0) return;
    const Index end = std::min(roots.end, shape.k);
    for (Index first = roots.begin; first < end; first += panel_columns_) {
      const Index columns = std::min(panel_columns_, end - first);
      for (Index j = 0; j < columns; ++j) {
        R* const u = &u_(merge.first, j);
        form_vector(one_thread, shape, x, first + j, batch.forms_ends(),
                    [&](Index g, R value) { u[g] = value; });
      }
      const auto product = [&](Index row, Index count, Index inner, Index inner_end) {
        if (count == 0) return;
        const MatrixView<R> to = kept_.q.block(row, merge.first + first, count, columns);
        if (inner_end > inner)
          gemm_on_cpu<R>(Op::none, Op::none, 1,
                         kept_.c.block(row, merge.first + inner, count, inner_end - inner),
                         u_.block(merge.first + inner, 0, inner_end - inner, columns), 0, to);
        else
          for (Index j = 0; j < columns; ++j) std::fill_n(&to(0, j), count, R(0));
      };
      product(rows_.upper_first(merge), rows_.upper_count(merge), 0, shape.upper_end());
      product(rows_.lower_first(merge), rows_.lower_count(merge), shape.lower_begin(), shape.k);
    }
  });
}

template <class R>
LastMerge OnHost<R>::last_merge(const Batch<R>& batch, const Selected& found) const {
  const Index* const column = x_.column + found.first;
  return {batch.shapes[0].k, {column, column + found.count}};
}

template <class R>
void OnHost<R>::store(const Selected& found) {
  for (Index i = 0; i < found.count; ++i) {
    const auto t = static_cast<Index>(found.first) + i;
    values_[i] = std::ldexp(x_.d[t], exponent_);
    if (!rows_.ends_only()) std::copy_n(&kept_.q(0, x_.column[t]), rows_.count, &z_(0, i));
  }
}

template <class R>
DivideAndConquerResult divide_and_conquer_on_host(std::int64_t n, R* d, const same_t<R>* e,
                                                  MatrixView<same_t<R>> z, const Selection& selection,
                                                  Index panel_columns) {
  if (n == 0) return {};
  std::vector<R> torn_d(d, d + n), torn_e(e, e + n - 1);
  const Division division = divide(torn_d, torn_e);
  if (division.not_finite >= 0) return {Status::not_converged, division.not_finite + 1, {}};
  const Rows rows = rows_of(z, selection);
  OnHost<R> on(division, torn_d, torn_e, d, rows, z, panel_columns);
  return solve_levels(on, division.tree, static_cast<Index>(n), rows, selection);
}

EIGEN_G_INSTANTIATE_CLASS(real_types, OnHost);
EIGEN_G_INSTANTIATE(real_types, divide_and_conquer_on_host);

}  // namespace eigen_g::dc
