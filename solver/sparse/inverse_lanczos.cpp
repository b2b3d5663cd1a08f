// Block Lanczos for S^-1 B in the inner product of B.
#include "solver/sparse/inverse_lanczos.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "hybrid/error.hpp"
#include "solver/api/eigen_g.hpp"

namespace eigen_g {

namespace {

// A pass that changes no column by more than this part leaves W orthogonal to working accuracy.
constexpr double small_change = 0.1;
// A pass that changes no column by more than this part leaves B W as accurate as convergence needs it.
constexpr double negligible_change = 2e-13;
// A smaller relative pivot of the Cholesky factor loses digits, which a further pass restores.
constexpr double least_good_pivot = 1e-4;
// A column with a smaller relative pivot gets no digits from the Cholesky factor. Its rest stays as it is, for the next pass.
constexpr double least_block_pivot = 1e-10;
// A column whose rest is at most this part of it was a rounding error.
constexpr double noise = 4 * double_ulp;
// M is taken as indefinite if x^T M x is negative by more than this part of |M| x^T x.
constexpr double negative_square = 1e-10;
constexpr int max_passes = 5;
// Smallest tolerance of a Ritz pair.
constexpr double least_ritz_tolerance = 1e-14;

// The Cholesky factor R of G = R^T R and its inverse; G 4 x 4, row-major. For a pivot of at most `least` g_jj the diagonal entry of R is 1.
// Returns the bits of these columns.
unsigned factor_block(const double* g, double least, double* r, double* inverse) {
  unsigned open = 0;
  std::fill_n(r, small_block, 0.0);
  std::fill_n(inverse, small_block, 0.0);
  for (int j = 0; j < block_width; ++j) {
    double pivot = g[5 * j];
    for (int i = 0; i < j; ++i) {
      if (open >> i & 1u) continue;
      double sum = g[4 * i + j];
      for (int k = 0; k < i; ++k) sum -= r[4 * k + i] * r[4 * k + j];
      r[4 * i + j] = sum / r[5 * i];
      pivot -= r[4 * i + j] * r[4 * i + j];
    }
    const bool good = pivot > least * g[5 * j] && pivot > 0;
    r[5 * j] = good ? std::sqrt(pivot) : 1;
    if (!good) open |= 1u << j;
  }
  for (int j = 0; j < block_width; ++j) {
    inverse[5 * j] = 1 / r[5 * j];
    for (int i = j - 1; i >= 0; --i) {
      double sum = 0;
      for (int k = i + 1; k <= j; ++k) sum += r[4 * i + k] * inverse[4 * k + j];
      inverse[4 * i + j] = -sum / r[5 * i];
    }
  }
  return open;
}

// Small row-major 4 x 4 matrices, upper triangular: A := B A.
void multiply_from_left(const double* b, double* a) {
  double product[small_block] = {};
  for (int i = 0; i < block_width; ++i)
    for (int k = i; k < block_width; ++k)
      for (int j = k; j < block_width; ++j) product[4 * i + j] += b[4 * i + k] * a[4 * k + j];
  std::copy_n(product, small_block, a);
}

}  // namespace

void solve_small(std::int64_t m, std::vector<double>& a, std::vector<double>& values) {
  std::vector<double> vectors(a.size());
  values.resize(static_cast<std::size_t>(m));
  Devices cpu;
  cpu.device = DeviceChoice::cpu;
  const Report report = eigen_g(m, a.data(), m, values.data(), vectors.data(), m, Options{}, cpu);
  if (report.status != Status::converged)
    throw DeviceError("the projected problem of order " + std::to_string(m) + " did not converge");
  a.swap(vectors);
}

std::int64_t RitzPairs::leading() const {
  return std::find(converged.begin(), converged.end(), char{0}) - converged.begin();
}

InverseLanczos::InverseLanczos(Executor<double>& on, InverseOperator op, std::int64_t width,
                               std::int64_t most, std::uint64_t seed)
    : on_(on), op_(std::move(op)), block_values_(on.order() * block_width), width_(width), seed_(seed) {
  bx_ = on_.take_blocks(width_);
  bw_ = on_.take_blocks(width_);
  random_ = on_.take_blocks(1);
  fresh_ = on_.take_blocks(1);
  resize(most);
}

// Takes memory for `most` blocks, and moves V and C there.
void InverseLanczos::resize(std::int64_t most) {
  double* const v = on_.take_blocks(most);
  if (blocks_ > 0) on_.copy(v_, blocks_ * block_values_, v);
  v_ = v;
  const std::int64_t order = most * block_width;
  std::vector<double> c(static_cast<std::size_t>(order * order));
  for (std::int64_t j = 0; j < order_; ++j) std::copy_n(c_.data() + j * order_, order_, c.data() + j * order);
  c_.swap(c);
  small_ = on_.take(std::max(order * order, (most + 4) * small_block));
  max_blocks_ = most;
  order_ = order;
}
void InverseLanczos::grow(std::int64_t most) {
  if (most > max_blocks_) resize(most);
}

void InverseLanczos::begin(const double* start, std::int64_t start_count) {
  for (std::int64_t slot = 0; slot < width_; ++slot) {
    unsigned random = 0;
    for (int j = 0; j < block_width; ++j)
      if (slot * block_width + j >= start_count) random |= 1u << j;
    double* const x = bx_ + slot * block_values_;
    if (random != 0xf) on_.copy(start + slot * block_values_, block_values_, x);
    on_.randomise(random, ++seed_, x);
  }
  if (op_.inner) op_.inner(width_, bx_, bw_);
  op_.solve(width_, op_.inner ? bw_ : bx_, block(blocks_));
  solved_ += width_ * block_width;
  for (std::int64_t slot = 0; slot < width_; ++slot) orthonormalise(slot, false, nullptr);
  std::swap(bx_, bw_);
}

// Adds OP times random vectors to these columns of the block at block(blocks_), which are 0.
void InverseLanczos::append_random(unsigned columns, double* bw) {
  on_.randomise(0xf, ++seed_, random_);
  const double* x = random_;
  if (op_.inner) {
    op_.inner(1, random_, bw);
    x = bw;
  }
  op_.solve(1, x, fresh_);
  solved_ += block_width;
  std::array<double, small_block> minus{};
  for (int j = 0; j < block_width; ++j) minus[5 * j] = columns >> j & 1u ? -1 : 0;
  on_.put(minus.data(), small_block, small_);
  on_.subtract(1, fresh_, small_, block(blocks_), small_ + small_block);
}

void InverseLanczos::begin_beside(const double* vectors, const std::vector<double>& theta) {
  const auto count = static_cast<std::int64_t>(theta.size());
  known_ = blocks_ = (count + block_width - 1) / block_width;
  on_.copy(vectors, known_ * block_values_, v_);
  for (std::int64_t i = 0; i < count; ++i) c(i, i) = theta[i];
  coupled_ = known_;
  begin();
}

bool InverseLanczos::step() {
  const std::int64_t unknown = blocks_ - known_, first = coupled_ * block_width, first_new = blocks_;
  if (unknown == 0) return false;
  grow(blocks_ + unknown);
  const double* const x = op_.inner ? bx_ : block(known_);
  op_.solve(unknown, x, block(blocks_));
  solved_ += unknown * block_width;
  zero_columns_ = 0;
  for (std::int64_t q = 0; q < unknown; ++q) {
    // The part of W = OP X_q that is known or cheap: for the older blocks V_j it is (X_q^T B OP V_j)^T, for the others (B V_j)^T W.
    double* const w = block(blocks_);
    const std::int64_t column = (known_ + q) * block_width, p = blocks_ - coupled_;
    std::vector<double> part(static_cast<std::size_t>(p * small_block));
    for (std::int64_t i = first; i < known_ * block_width; ++i)
      for (int j = 0; j < block_width; ++j) part[(i - first) * block_width + j] = c(column + j, i);
    double* const rest = part.data() + (known_ - coupled_) * small_block;
    on_.gram(unknown, x, w, small_);
    if (q > 0) on_.gram(q, op_.inner ? bw_ : block(first_new), w, small_ + unknown * small_block);
    on_.get(small_, (unknown + q) * small_block, rest);
    on_.put(part.data(), p * small_block, small_);
    on_.subtract(p, block(coupled_), small_, w, small_ + p * small_block);
    // orthonormalise() leaves its coefficients in the columns of the new block.
    const std::int64_t row = blocks_ * block_width;
    std::array<double, block_width> squares{};
    for (std::int64_t i = 0; i < p * block_width; ++i)
      for (int j = 0; j < block_width; ++j)
        squares[j] += part[i * block_width + j] * part[i * block_width + j];
    orthonormalise(q, true, squares.data());
    for (std::int64_t j = 0; j < block_width; ++j) {
      std::copy_n(&c(0, row + j), order_, &c(0, column + j));
      std::fill_n(&c(0, row + j), order_, 0.0);
      for (std::int64_t i = 0; i < p * block_width; ++i)
        c(first + i, column + j) += part[i * block_width + j];
    }
  }
  coupled_ = known_;
  known_ = first_new;
  std::swap(bx_, bw_);
  if (zero_columns_ < unknown * block_width) return true;
  blocks_ = known_;  // V is invariant
  return false;
}

// Makes the block at block(blocks_) orthonormal to all blocks before it, and increases blocks_. B times the new block is then at this slot of
// bw_. With `record`, W = V C + Q R is written to the columns of C that belong to the new block. part_squares: what has been subtracted from W
// already, as the square of the norm of each column; null: nothing.
void InverseLanczos::orthonormalise(std::int64_t slot, bool record, const double* part_squares) {
  double *const w = block(blocks_), *const bw = op_.inner ? bw_ + slot * block_values_ : w;
  const std::int64_t row = blocks_ * block_width, rows = blocks_ * block_width;
  double *const gram = small_ + rows * block_width, *const squares = gram + small_block,
                *const factor = squares + small_block;
  std::array<double, small_block> total{};  // R
  for (int j = 0; j < block_width; ++j) total[5 * j] = 1;
  if (record)
    for (int j = 0; j < block_width; ++j) std::fill_n(&c(0, row + j), order_, 0.0);
  std::vector<double> host(static_cast<std::size_t>((blocks_ + 2) * small_block));
  double *const g = host.data() + rows * block_width, *const square = g + small_block;
  unsigned zero = 0, fresh = 0;
  int replaced = 0;
  std::array<double, block_width> size{};  // |W|_B^2 of the columns at first
  for (int pass = 0;; ++pass) {
    if (op_.inner) op_.inner(1, w, bw);
    if (blocks_ > 0) on_.gram(blocks_, v_, bw, small_);
    on_.gram(1, w, bw, gram);
    on_.subtract(blocks_, v_, small_, w, squares);
    on_.get(small_, static_cast<std::int64_t>(host.size()), host.data());
    if (!std::all_of(host.begin(), host.end(), [](double value) { return std::isfinite(value); }))
      throw InvalidArgument("a", "has a solution with a finite vector that is NaN or infinite");
    // The squares of the columns before the subtraction, and of the part that was subtracted. G := W^T B W - C^T C is that of the
    // new W.
    std::array<double, block_width> before, change{};
    for (int j = 0; j < block_width; ++j) {
      before[j] = g[5 * j];
      if (before[j] < -negative_square * op_.inner_norm * square[5 * j])
        throw InvalidArgument("m", "is not positive semidefinite: x^T M x is negative for a vector x");
    }
    for (std::int64_t i = 0; i < rows; ++i)
      for (int j = 0; j < block_width; ++j) {
        change[j] += host[4 * i + j] * host[4 * i + j];
        for (int l = 0; l < block_width; ++l) g[4 * j + l] -= host[4 * i + j] * host[4 * i + l];
      }
    if (record)
      for (std::int64_t i = 0; i < rows; ++i)
        for (int j = 0; j < block_width; ++j)
          for (int l = 0; l <= j; ++l) c(i, row + j) += host[4 * i + l] * total[4 * l + j];
    // If most of a column was subtracted, G has too few digits. The next pass measures the column again. The rest of a column may be a
    // rounding error of its first size.
    const bool last = pass >= max_passes;
    unsigned cancelled = 0;
    for (int j = 0; j < block_width; ++j) {
      if (pass == 0 || (fresh >> j & 1u))
        size[j] = before[j] + (pass == 0 && part_squares ? part_squares[j] : 0);
      if (before[j] <= noise * noise * size[j])
        zero |= 1u << j;
      else if (change[j] > 0.5 * before[j])
        (last ? zero : cancelled) |= 1u << j;
    }
    fresh = 0;
    if (cancelled && !zero) continue;
    std::array<double, 2 * small_block> r;
    for (int i = 0; i < block_width; ++i)
      for (int j = 0; j < block_width; ++j)
        square[4 * i + j] = (zero >> i & 1u) || (zero >> j & 1u) ? 0 : (g[4 * i + j] + g[4 * j + i]) / 2;
    const unsigned open = factor_block(square, least_block_pivot, r.data(), r.data() + small_block);
    bool good = true, changed = false;
    for (int j = 0; j < block_width; ++j) {
      if ((open >> j & 1u) && last) zero |= 1u << j;
      if (zero >> j & 1u) {
        // The column becomes 0. In W = V C + Q R its part of the other columns stays in R.
        r[5 * j] = 0;
        for (int i = 0; i <= j; ++i) r[small_block + 4 * i + j] = 0;
        continue;
      }
      const double pivot = r[5 * j] * r[5 * j];
      good = good && !(open >> j & 1u) && pivot >= least_good_pivot * square[5 * j] &&
             change[j] <= small_change * small_change * pivot;
      changed = changed || change[j] > negligible_change * negligible_change * pivot;
    }
    on_.put(r.data() + small_block, small_block, factor);
    on_.times(w, factor);
    const bool done = ((good && !cancelled) || last) && !(zero != 0 && replaced < 2);
    if (op_.inner && done && changed)
      op_.inner(1, w, bw);
    else if (op_.inner)
      on_.times(bw, factor);
    multiply_from_left(r.data(), total.data());
    if (zero != 0 && replaced < 2) {
      ++replaced;
      append_random(zero, bw);
      fresh = zero;
      zero = 0;
      pass = 0;
    } else if (done) {
      break;
    }
  }
  zero_columns_ += std::popcount(zero);
  if (record)
    for (int i = 0; i < block_width; ++i)
      for (int j = i; j < block_width; ++j) c(row + i, row + j) = total[4 * i + j];
  ++blocks_;
}

// Rotates `count` of the eigenvectors in y_, beginning with the one at `begin` of the caller's order, so that the coupling of most of them
// is 0. Columns of C before `first` have no coupling.
void InverseLanczos::separate(std::int64_t begin, std::int64_t count, std::int64_t first,
                              std::vector<double>& theta) {
  const std::int64_t m = known_ * block_width, rows = (blocks_ - known_) * block_width;
  std::vector<double> e(static_cast<std::size_t>(rows * count)), q(static_cast<std::size_t>(count * count)),
      squares;
  for (std::int64_t j = 0; j < count; ++j)
    for (std::int64_t l = first; l < m; ++l)
      for (std::int64_t i = 0; i < rows; ++i)
        e[i + j * rows] += c(m + i, l) * y_[l + order_of_[begin + j] * m];
  for (std::int64_t j = 0; j < count; ++j)
    for (std::int64_t l = 0; l < count; ++l)
      for (std::int64_t i = 0; i < rows; ++i) q[l + j * count] += e[i + l * rows] * e[i + j * rows];
  solve_small(count, q, squares);
  std::vector<double> old(static_cast<std::size_t>(count)), rotated(old.size());
  for (std::int64_t i = 0; i <= m; ++i) {  // the rows of y, then the values
    for (std::int64_t l = 0; l < count; ++l) {
      const std::int64_t column = order_of_[begin + l];
      old[l] = i < m ? y_[i + column * m] : theta[column];
    }
    std::fill(rotated.begin(), rotated.end(), 0.0);
    for (std::int64_t j = 0; j < count; ++j)
      for (std::int64_t l = 0; l < count; ++l) {
        const double part = q[l + j * count];
        rotated[j] += (i < m ? part : part * part) * old[l];
      }
    for (std::int64_t j = 0; j < count; ++j) {
      const std::int64_t column = order_of_[begin + j];
      (i < m ? y_[i + column * m] : theta[column]) = rotated[j];
    }
  }
}

const RitzPairs& InverseLanczos::ritz(const std::function<bool(double, double)>& less, double tolerance,
                                      double slope) {
  const std::int64_t m = known_ * block_width, rows = (blocks_ - known_) * block_width;
  y_.resize(static_cast<std::size_t>(m * m));
  for (std::int64_t j = 0; j < m; ++j)
    for (std::int64_t i = 0; i < m; ++i) y_[i + j * m] = (c(i, j) + c(j, i)) / 2;
  std::vector<double> theta;
  solve_small(m, y_, theta);
  order_of_.resize(static_cast<std::size_t>(m));
  std::iota(order_of_.begin(), order_of_.end(), 0);
  std::stable_sort(order_of_.begin(), order_of_.end(),
                   [&](std::int64_t i, std::int64_t j) { return less(theta[i], theta[j]); });
  // The columns of C that have entries in the rows of the unknown blocks.
  std::int64_t first = m;
  for (std::int64_t j = 0; j < m && first == m; ++j)
    for (std::int64_t i = m; i < m + rows; ++i)
      if (c(i, j) != 0) first = j;
  // Several copies of a multiple value: y may mix converged vectors with others. The rows of C y have a rank of at most `rows`, so that a
  // rotation of the copies leaves a coupling only to this number of them.
  const auto same = [&](std::int64_t i, std::int64_t j) {
    return std::abs(theta[i] - theta[j]) <= tolerance / 4 * std::abs(theta[i]) && theta[i] != 0;
  };
  for (std::int64_t begin = 0, end; begin < m; begin = end) {
    end = begin + 1;
    while (end < m && same(order_of_[begin], order_of_[end])) ++end;
    if (end - begin > 1) separate(begin, end - begin, first, theta);
  }
  double largest = 0;
  for (const double value : theta) largest = std::max(largest, std::abs(value));
  pairs_ = {};
  std::vector<double> coupling(static_cast<std::size_t>(rows));
  for (const std::int64_t j : order_of_) {
    std::fill(coupling.begin(), coupling.end(), 0.0);
    for (std::int64_t l = first; l < m; ++l)
      for (std::int64_t i = 0; i < rows; ++i) coupling[i] += c(m + i, l) * y_[l + j * m];
    double square = 0;
    for (const double value : coupling) square += value * value;
    pairs_.theta.push_back(theta[j]);
    pairs_.delta.push_back(std::sqrt(square));
    const bool converged =
        pairs_.delta.back() <= std::max(std::clamp(slope * std::abs(theta[j]), least_ritz_tolerance,
                                                   std::max(tolerance, least_ritz_tolerance)) *
                                            std::abs(theta[j]),
                                        4 * double_ulp * largest);
    pairs_.converged.push_back(converged ? 1 : 0);
  }
  return pairs_;
}

void InverseLanczos::vectors(const std::vector<std::int64_t>& pairs, double* z) {
  const std::int64_t m = known_ * block_width, columns = static_cast<std::int64_t>(pairs.size()),
                     width = (columns + block_width - 1) / block_width * block_width;
  std::vector<double> q(static_cast<std::size_t>(m * width));
  for (std::int64_t j = 0; j < columns; ++j)
    for (std::int64_t i = 0; i < m; ++i) q[i * width + j] = y_[i + order_of_[pairs[j]] * m];
  on_.put(q.data(), m * width, small_);
  on_.combine(known_, v_, small_, width / block_width, z);
}

void InverseLanczos::restart(std::int64_t count) {
  const std::int64_t m = known_ * block_width, unknown = blocks_ - known_;
  const std::int64_t kept = std::min((count + block_width - 1) / block_width, known_);
  if (kept > kept_blocks_) {
    kept_ = on_.take_blocks(kept);
    kept_blocks_ = kept;
  }
  std::vector<std::int64_t> first(static_cast<std::size_t>(kept * block_width));
  std::iota(first.begin(), first.end(), 0);
  vectors(first, kept_);
  on_.copy(kept_, kept * block_values_, v_);
  for (std::int64_t p = 0; p < unknown && kept < known_; ++p)
    on_.copy(block(known_ + p), block_values_, block(kept + p));
  std::vector<double> coupling(first.size() * static_cast<std::size_t>(unknown * block_width));
  for (std::size_t j = 0; j < first.size(); ++j)
    for (std::int64_t l = 0; l < m; ++l)
      for (std::int64_t i = 0; i < unknown * block_width; ++i)
        coupling[j * unknown * block_width + i] += c(m + i, l) * y_[l + order_of_[j] * m];
  std::fill(c_.begin(), c_.end(), 0.0);
  for (std::int64_t j = 0; j < kept * block_width; ++j) {
    c(j, j) = pairs_.theta[j];
    for (std::int64_t i = 0; i < unknown * block_width; ++i)
      c(kept * block_width + i, j) = coupling[j * unknown * block_width + i];
  }
  known_ = kept;
  blocks_ = kept + unknown;
  coupled_ = 0;
}

}  // namespace eigen_g
