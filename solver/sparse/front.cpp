// The choice of pivots in a front, and the updates by panels.
#include "solver/sparse/front.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gemm_df/cpu_gemm.hpp"
#include "solver/sparse/front_kernels.hpp"

namespace eigen_g {

// Exchanges rows and columns p < q of the front. Both columns have the same pivots applied.
void FrontFactor::swap(std::int64_t p, std::int64_t q) {
  if (p == q) return;
  for (std::int64_t j = 0; j < p; ++j) std::swap(at(p, j), at(q, j));
  for (std::int64_t i = p + 1; i < q; ++i) std::swap(at(i, p), at(q, i));
  for (std::int64_t i = q + 1; i < m_; ++i) std::swap(at(i, p), at(i, q));
  std::swap(at(p, p), at(q, q));
  for (std::int64_t j = begin_; j < std::min(p, begin_ + width_); ++j)
    std::swap(before_[p + (j - begin_) * m_], before_[q + (j - begin_) * m_]);
  std::swap(index_[p], index_[q]);
}

// Applies the pivots of the panel up to column k to a column of the panel.
void FrontFactor::bring_up(std::int64_t column, std::int64_t k) {
  std::int64_t& done = applied_[column - begin_];
  if (done < k) EIGEN_G_OF_WIDTH(subtract_columns)
  (m_ - column, k - done, &at(column, done), m_, before_.data() + column + (done - begin_) * m_, m_,
   &at(column, column));
  done = k;
}

FrontFactor::Size FrontFactor::size_of(std::int64_t column, std::int64_t k, std::int64_t end,
                                       std::int64_t except) const {
  Size size;
  const auto see = [&](std::int64_t i, double value) {
    value = std::abs(value);
    if (i == except) return;
    if (i < end && value > size.in_panel) {
      size.in_panel = value;
      size.partner = i;
    }
    size.others = std::max(size.others, value);
  };
  for (std::int64_t j = k; j < column; ++j) see(j, a_[column + j * m_]);
  const double* const below = a_ + column * m_;
  const std::int64_t panel_end = std::max(end, column + 1);
  for (std::int64_t i = column + 1; i < panel_end; ++i) see(i, below[i]);
  double most[4] = {};
  std::int64_t i = panel_end;
  for (; i + 4 <= m_; i += 4)
    for (int c = 0; c < 4; ++c) most[c] = std::max(most[c], std::abs(below[i + c]));
  for (; i < m_; ++i) most[0] = std::max(most[0], std::abs(below[i]));
  for (const double value : most) size.others = std::max(size.others, value);
  return size;
}

// Finds a pivot among the columns k ... end - 1 and moves it to k. `any`: without a good one, the largest entry decides.
bool FrontFactor::choose(std::int64_t k, std::int64_t end, bool any, int& order) {
  const auto take = [&](std::int64_t p, std::int64_t q) {
    order = q < 0 ? 1 : 2;
    if (q >= 0 && q < p) std::swap(p, q);
    swap(k, p);
    if (q >= 0) swap(k + 1, q);
    return true;
  };
  for (std::int64_t c = k; c < end; ++c) {
    if (c == k)
      bring_up(k, k);
    else if (c == k + 1)  // the first column did not serve: all of the panel are compared
      for (std::int64_t j = k + 1; j < end; ++j) bring_up(j, k);
    const Size size = size_of(c, k, end, -1);
    const double pivot = at(c, c);
    if (!(std::max(size.others, std::abs(pivot)) > least_)) {
      if (pivots_.null++ == 0) pivots_.null_column = index_[c];
      take(c, -1);
      std::fill(&at(k, k) + 1, &at(k, k) + (m_ - k), 0.0);
      at(k, k) = 1;
      return true;
    }
    if (std::abs(pivot) >= threshold * size.others) return take(c, -1);
    if (size.partner < 0) continue;
    for (std::int64_t j = k + 1; j < end; ++j) bring_up(j, k);
    const std::int64_t r = size.partner;
    const double other = at(r, r), off = entry(c, r),
                 by = 1 / std::max({std::abs(pivot), std::abs(other), std::abs(off)}),
                 product = pivot * by * other, square = off * by * off, det = product - square;
    if (!(std::abs(det) >= std::max(std::abs(product), std::abs(square)) / 2)) continue;
    const double max_c = size_of(c, k, end, r).others * by, max_r = size_of(r, k, end, c).others * by;
    if (std::abs(other) * max_c + std::abs(off) * max_r <= std::abs(det) / threshold &&
        std::abs(off) * max_c + std::abs(pivot) * max_r <= std::abs(det) / threshold)
      return take(c, r);
  }
  if (!any) return false;
  // All complete columns are here, and the front has no others: the largest entry, on the diagonal if that one is not much smaller.
  for (std::int64_t j = k; j < end; ++j) bring_up(j, k);
  std::int64_t p = k, q = k, diagonal = k;
  for (std::int64_t j = k; j < end; ++j)
    for (std::int64_t i = j; i < end; ++i) {
      if (i == j && std::abs(at(i, i)) > std::abs(at(diagonal, diagonal))) diagonal = i;
      if (std::abs(at(i, j)) > std::abs(at(p, q))) p = i, q = j;
    }
  return p == q || std::abs(at(diagonal, diagonal)) >= 0.64 * std::abs(at(p, q)) ? take(diagonal, -1)
                                                                                 : take(q, p);
}

// Eliminates columns of begin ... end - 1 as far as there are pivots. Returns the number of the first column that is left.
std::int64_t FrontFactor::eliminate(std::int64_t begin, std::int64_t end, bool any, double* d) {
  begin_ = begin;
  width_ = end - begin;
  before_.resize(static_cast<std::size_t>(m_ * (end - begin)));
  applied_.assign(static_cast<std::size_t>(end - begin), begin);
  std::int64_t k = begin;
  for (int order; k < end && choose(k, end, any, order); k += order) {
    for (int c = 0; c < order; ++c)
      std::copy_n(&at(k + order - 1, k + c), m_ - k - order + 1,
                  before_.data() + (k + order - 1) + (k + c - begin) * m_);
    double* const x = &at(0, k);
    if (order == 1) {
      const double pivot = at(k, k), inverse = 1 / pivot;
      d[2 * k] = pivot;
      d[2 * k + 1] = 0;
      pivots_.negative += pivot < 0;
      if (std::isfinite(inverse))
        for (std::int64_t i = k + 1; i < m_; ++i) x[i] *= inverse;
      else
        for (std::int64_t i = k + 1; i < m_; ++i) x[i] /= pivot;
    } else {
      const double p = at(k, k), off = at(k + 1, k), r = at(k + 1, k + 1), ratio_p = p / off,
                   ratio_r = r / off,
                   det = ratio_p * ratio_r - 1;  // the determinant of D / off
      d[2 * k] = p;
      d[2 * k + 1] = off;
      d[2 * k + 2] = r;
      d[2 * k + 3] = 0;
      pivots_.negative += det < 0 ? 1 : p < 0 ? 2 : 0;
      double* const y = x + m_;
      const double by = 1 / (off * det);
      for (std::int64_t i = k + 2; i < m_; ++i) {
        const double u = x[i], v = y[i];
        x[i] = (ratio_r * u - v) * by;
        y[i] = (ratio_p * v - u) * by;
      }
      at(k + 1, k) = 0;
    }
  }
  for (std::int64_t j = k; j < end; ++j) bring_up(j, k);
  return k;
}

// Columns from `first`: A := A - L D L^T of the pivots begin ... end - 1.
void FrontFactor::update(std::int64_t begin, std::int64_t end, std::int64_t first) {
  constexpr std::int64_t columns_together = 96, least_product = 30000;
  const std::int64_t pivots = end - begin;
  if (pivots == 0) return;
  for (std::int64_t j = first; j < m_; j += columns_together) {
    const std::int64_t columns = std::min(columns_together, m_ - j), rows = m_ - j;
    if (rows * columns * pivots < least_product) {
      for (std::int64_t c = j; c < j + columns; ++c) EIGEN_G_OF_WIDTH(subtract_columns)
      (m_ - c, pivots, &at(c, begin), m_, before_.data() + c + (begin - begin_) * m_, m_, &at(c, c));
    } else {
      gemm_on_cpu<double>(Op::none, Op::transpose, -1, {&at(j, begin), rows, pivots, m_},
                          {before_.data() + j + (begin - begin_) * m_, columns, pivots, m_}, 1,
                          {&at(j, j), rows, columns, m_});
    }
  }
}

FrontPivots FrontFactor::factor(std::int64_t m, std::int64_t complete, double* a, std::int32_t* index,
                                double* d, double least) {
  m_ = m;
  a_ = a;
  index_ = index;
  least_ = least;
  pivots_ = {};
  std::int64_t k = 0;
  for (std::int64_t before = -1; k < complete && k != before;) {
    before = k;
    for (std::int64_t active = complete; k < active;) {
      const std::int64_t end = std::min(active, k + panel_columns), begin = k;
      k = eliminate(begin, end, false, d);
      update(begin, k, end);
      // Columns without a pivot move behind the others, and are tried again after them.
      for (std::int64_t c = end - 1; c >= k; --c) {
        --active;
        if (c < active) {
          width_ = 0;  // `before_` is not needed any more
          swap(c, active);
        }
      }
    }
  }
  if (k < complete && complete == m) {  // nothing can be delayed
    eliminate(k, m, true, d);
    k = m;
  }
  pivots_.eliminated = k;
  return pivots_;
}

}  // namespace eigen_g
