// Pairs of a sparse pencil next to a shift, and the counts that prove them complete.
#include "solver/sparse/pencil_solver.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "hybrid/error.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/team/loops.hpp"
#include "solver/api/argument.hpp"

namespace eigen_g {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Limit of delta / |theta| of a converged pair.
constexpr double inner_tolerance = 1e-12, buckling_tolerance = 1e-14;
// Smallest relative gap in which a count is made, and one with which no further pair has to converge.
constexpr double least_gap = 1e-7, good_gap = 1e-3;
// If the largest |theta| exceeds that of the last wanted pair by this factor, the shift all but hits an eigenvalue.
constexpr double hit = 1e5;
// If all wanted theta agree to this part, the shift is far from the eigenvalues.
constexpr double far = 1e-2;
// A smaller |theta|, relative to the largest one, is that of an infinite eigenvalue.
constexpr double infinite = 1e-13;
constexpr int max_moves = 6, max_repairs = 3, max_purifications = 2;
constexpr std::int64_t columns_at_once = 32;  // columns of one solve

std::string text_of(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds) {}
  ~Stopwatch() {
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::int64_t blocks_of(std::int64_t columns) {
  return (columns + block_width - 1) / block_width;
}

// Sizes of the basis for `count` pairs: vectors kept at a restart, and blocks in all.
struct BasisSizes {
  static constexpr std::int64_t few_more =
      96;  // a basis for few pairs may have this number of vectors more than are kept
  std::int64_t kept, most;
  explicit BasisSizes(std::int64_t count) {
    kept = blocks_of(count + std::max<std::int64_t>(block_width, count / 4)) * block_width;
    most = blocks_of(kept + std::max(2 * kept, std::min(3 * kept, few_more))) + 2;
  }
  // Called before each restart with the number of leading converged pairs. True: the basis has become larger, because there are more of them than a
  // restart keeps, or because several cycles brought no further one. Copies of a multiple eigenvalue that do not fit into the basis would never
  // converge together.
  bool grow(std::int64_t leading) {
    idle_cycles_ = leading > most_leading_ ? 0 : idle_cycles_ + 1;
    most_leading_ = std::max(most_leading_, leading);
    if (leading + block_width <= kept && idle_cycles_ < 5) return false;
    idle_cycles_ = 0;
    kept += kept / 2;
    most = BasisSizes(kept).most;
    return true;
  }

 private:
  std::int64_t most_leading_ = -1;
  int idle_cycles_ = 0;
};

// A cut behind `count` of the known distances, which ascend, in the widest gap. `next` is a lower bound of the first unknown
// distance. If there is none, the cut is a `unit` beyond the last one.
struct Cut {
  double at = 0, gap = 0;  // gap: relative
};
Cut widest_gap(const std::vector<double>& distances, double next, std::int64_t count, double unit) {
  Cut cut;
  for (std::size_t i = static_cast<std::size_t>(std::max<std::int64_t>(count - 1, 0)); i < distances.size();
       ++i) {
    const double upper = i + 1 < distances.size() ? distances[i + 1] : next;
    const double gap = upper == infinity ? 1 : (upper - distances[i]) / upper;
    if (!(gap > cut.gap)) continue;
    cut.gap = gap;
    cut.at = upper == infinity ? 2 * distances[i] + unit : distances[i] + (upper - distances[i]) / 2;
  }
  return cut;
}

// Pairs of the projected pencil (A, G) of order count, A q = u G q with q^T G q = 1: u ascends, q is count x u.size(). A vector that
// depends on the others is left out. a, g: column-major with leading dimension ld.
struct RayleighRitz {
  std::vector<double> u, q;
};
RayleighRitz rayleigh_ritz(std::int64_t count, std::int64_t ld, const std::vector<double>& a,
                           const std::vector<double>& g) {
  constexpr double least_gram_pivot = 1e-10;
  // G = R^T R with scaled columns; the inverse of R column by column.
  std::vector<double> scale(static_cast<std::size_t>(count)), r(static_cast<std::size_t>(count * count)),
      inverse(r.size());
  for (std::int64_t j = 0; j < count; ++j) scale[j] = g[j + j * ld] > 0 ? 1 / std::sqrt(g[j + j * ld]) : 0;
  std::vector<std::int64_t> kept;
  for (std::int64_t j = 0; j < count; ++j) {
    double pivot = scale[j] > 0 ? 1 : 0;
    double* const column = r.data() + j * count;
    for (const std::int64_t i : kept) {
      double sum = (g[i + j * ld] + g[j + i * ld]) / 2 * scale[i] * scale[j];
      for (const std::int64_t l : kept) {
        if (l >= i) break;
        sum -= r[l + i * count] * column[l];
      }
      column[i] = sum / r[i + i * count];
      pivot -= column[i] * column[i];
    }
    if (!(pivot > least_gram_pivot)) continue;
    column[j] = std::sqrt(pivot);
    double* const x = inverse.data() + j * count;  // column j of R^-1
    x[j] = 1 / column[j];
    for (auto i = kept.rbegin(); i != kept.rend(); ++i) {
      double sum = 0;
      for (std::int64_t l = *i + 1; l <= j; ++l) sum += r[*i + l * count] * x[l];
      x[*i] = -sum / r[*i + *i * count];
    }
    kept.push_back(j);
  }
  for (std::int64_t j = 0; j < count; ++j)
    for (std::int64_t i = 0; i <= j; ++i) inverse[i + j * count] *= scale[i];
  const auto m = static_cast<std::int64_t>(kept.size());
  std::vector<double> product(static_cast<std::size_t>(count * m)), b(static_cast<std::size_t>(m * m));
  for (std::int64_t j = 0; j < m; ++j)
    for (std::int64_t l = 0; l <= kept[j]; ++l)
      for (std::int64_t i = 0; i < count; ++i)
        product[i + j * count] += (a[i + l * ld] + a[l + i * ld]) / 2 * inverse[l + kept[j] * count];
  for (std::int64_t j = 0; j < m; ++j)
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t l = 0; l <= kept[i]; ++l)
        b[i + j * m] += inverse[l + kept[i] * count] * product[l + j * count];
  for (std::int64_t j = 0; j < m; ++j)
    for (std::int64_t i = 0; i < j; ++i) b[i + j * m] = b[j + i * m] = (b[i + j * m] + b[j + i * m]) / 2;
  RayleighRitz pairs;
  solve_small(m, b, pairs.u);
  pairs.q.resize(static_cast<std::size_t>(count * m));
  for (std::int64_t j = 0; j < m; ++j)
    for (std::int64_t l = 0; l < m; ++l)
      for (std::int64_t i = 0; i <= kept[l]; ++i)
        pairs.q[i + j * count] += inverse[i + kept[l] * count] * b[l + j * m];
  return pairs;
}

bool larger(double x, double y) {
  return std::abs(x) > std::abs(y);
}
std::function<bool(double, double)> order_of(End end) {
  if (end == End::above) return [](double x, double y) { return x > y; };
  if (end == End::below) return [](double x, double y) { return x < y; };
  return larger;
}

InvalidArgument too_many(std::int64_t count, std::int64_t existing, bool one_side) {
  return {"count", "is " + std::to_string(count) + ", but there are only " + std::to_string(existing) +
                       " finite eigenvalues" + (one_side ? " on this side of the target" : "")};
}

}  // namespace

PencilSolver::PencilSolver(Pencil pencil, const FewOptions& options)
    : pencil_(std::move(pencil)),
      buckling_(options.buckling),
      library_(require_library(options.library, "pairs of a pencil need a factorisation")) {
  const Stopwatch watch(analysis_seconds_);
  factorisation_ = analyse(library_, pencil_.pattern());
  values_.resize(pencil_.pattern().row.size());
}

PencilSolver::PencilSolver(Pencil pencil, const FewOptions& options, const SparseOperator<double>& op_inverse)
    : pencil_(std::move(pencil)), buckling_(options.buckling), op_inverse_(op_inverse) {}

void PencilSolver::set_values(const double* k, const double* m) {
  factored_.reset();
  pencil_.set_values(k, m);
}

// ---- The spectrum

double PencilSolver::value_of(double theta, double s) const {
  return buckling_ ? s * theta / (theta - 1) : s + 1 / theta;
}
double PencilSolver::theta_of(double w, double s) const {
  return buckling_ ? w / (w - s) : 1 / (w - s);
}

Pivots PencilSolver::factor(double s) {
  if (factored_ == s) return pivots_;
  const Stopwatch watch(factorisation_seconds_);
  factored_.reset();
  pencil_.shifted(s, values_.data());
  pivots_ = factorisation_->factor(values_.data());
  factored_ = s;
  ++factorisations_;
  return pivots_;
}

std::int64_t PencilSolver::number_of(double s, std::int64_t negative) const {
  return buckling_ && s < 0 ? -negative : negative;
}

// Counts at s. A point with null pivots is moved by multiples of `step`.
PencilSolver::Point PencilSolver::point(double s, double step) {
  for (int move = 0; move <= max_moves; ++move) {
    const double at = s + step * (std::ldexp(1.0, move) - 1);
    const Pivots pivots = factor(at);
    if (pivots.null == 0) return {at, number_of(at, pivots.negative)};
  }
  throw InvalidArgument(
      "m", "K - s M is singular for every s: K and M have a common null vector" +
               (pivots_.null_row >= 0 ? ", with an entry in row " + std::to_string(pivots_.null_row + 1)
                                      : std::string()));
}

// Factorises at a point without null pivots near `wished`.
PencilSolver::Point PencilSolver::shift_near(double wished, double direction, FewReport& report) {
  if (!factorisation_) return {wished, 0};
  const double step = wished == 0 ? 1e-10 * pencil_.k_norm() / pencil_.m_norm() : 1e-6 * std::abs(wished);
  const Pivots at_wish = factor(wished);
  if (at_wish.null == 0) return {wished, number_of(wished, at_wish.negative)};
  report.shift_reason =
      "K - " + text_of(pencil_.unscaled(wished)) + " M has " + std::to_string(at_wish.null) + " null pivots";
  return point(wished + direction * step, direction * step);
}

// Returns an interval with at least the `count` lowest pairs if K is indefinite. It returns nothing for other K, and the factor is then that of the
// point 0.
std::optional<PencilSolver::Range> PencilSolver::range_of_lowest(const Point& zero, std::int64_t count) {
  if (zero.number == 0) return std::nullopt;
  const double unit = pencil_.k_norm() / pencil_.m_norm();
  // If M is singular, N may be positive below all finite eigenvalues.
  const std::int64_t infinite_below = point(-std::ldexp(unit, 20), -unit).number;
  const auto number = [&](const Point& at) { return at.number - infinite_below; };
  if (number(zero) <= 0) {
    factor(zero.s);
    return std::nullopt;
  }
  Point first = point(-unit, -1e-3 * unit);
  for (int i = 1; number(first) > 0 && i <= 20; ++i) first = point(-std::ldexp(unit, i), -1e-3 * unit);
  Point low = first, high = zero;
  for (int i = -20; number(high) < count && i <= 20; ++i)
    high = point(std::ldexp(unit, i), 1e-3 * std::ldexp(unit, i));
  if (number(high) < count) throw too_many(count, number(high), false);
  for (int i = 0; i < 60 && number(high) > 2 * count + 20 && high.s - low.s > 1e-10 * std::abs(low.s); ++i) {
    const Point middle = point((low.s + high.s) / 2, 1e-4 * (high.s - low.s));
    (number(middle) < count ? low : high) = middle;
  }
  return Range{first.s, high.s};
}

InverseOperator PencilSolver::inverse() {
  InverseOperator op;
  op.solve = [this](std::int64_t blocks, const double* x, double* y) {
    const Stopwatch watch(solve_seconds_);
    const std::int64_t n = pencil_.n();
    if (!factorisation_) {
      for (std::int64_t p = 0; p < blocks; ++p)
        op_inverse_.multiply(x + p * n * block_width, y + p * n * block_width);
      solved_ += blocks * block_width;
      return;
    }
    for (std::int64_t first = 0; first < blocks; first += columns_at_once / block_width) {
      const std::int64_t here = std::min(blocks - first, columns_at_once / block_width);
      columns_.resize(static_cast<std::size_t>(here * block_width * n));
      for (std::int64_t p = 0; p < here; ++p)
        for_each(n, threads_if(n >= smallest_parallel_order), [&](std::int64_t i) {
          for (std::int64_t j = 0; j < block_width; ++j)
            columns_[(p * block_width + j) * n + i] = x[((first + p) * n + i) * block_width + j];
        });
      factorisation_->solve(here * block_width, columns_.data());
      for (std::int64_t p = 0; p < here; ++p)
        for_each(n, threads_if(n >= smallest_parallel_order), [&](std::int64_t i) {
          for (std::int64_t j = 0; j < block_width; ++j)
            y[((first + p) * n + i) * block_width + j] = columns_[(p * block_width + j) * n + i];
        });
      solved_ += here * block_width;
    }
  };
  if (buckling_) {
    op.inner = [this](std::int64_t blocks, const double* x, double* y) { pencil_.multiply_k(blocks, x, y); };
    op.inner_norm = pencil_.k_norm();
  } else if (!pencil_.identity()) {
    op.inner = [this](std::int64_t blocks, const double* x, double* y) { pencil_.multiply_m(blocks, x, y); };
    op.inner_norm = pencil_.m_norm();
  }
  return op;
}

// ---- Lanczos

// The state of a search by its Ritz pairs. With `done`, `pairs` are the numbers of the Ritz pairs between low and high.
struct PencilSolver::Judgement {
  bool done = false;
  bool few = false;  // V is complete, and there are fewer pairs than wanted
  std::int64_t leading = 0;
  double low = -infinity, high = infinity, gap = 0;
  std::vector<std::int64_t> pairs;
};

PencilSolver::Judgement PencilSolver::judge(const FewOptions& options, const RitzPairs& ritz,
                                            const Point& shift, std::int64_t extra, bool exhausted) const {
  const double s = shift.s, t = pencil_.scaled(options.target);
  const double unit = buckling_ ? 1 : pencil_.k_norm() / pencil_.m_norm();
  double largest = 0;
  for (const double theta : ritz.theta) largest = std::max(largest, std::abs(theta));
  Judgement found;
  const bool one_side = options.end == End::above || options.end == End::below;
  const double side = options.end == End::below ? -1 : 1;
  // The converged pairs in their order, and a bound of the distance from the shift to the next one.
  std::vector<std::int64_t> known;
  double next = infinity;
  for (std::int64_t i = 0; i < ritz.size(); ++i) {
    const double theta = ritz.theta[i];
    if (one_side && side * theta <= 0) break;
    if (exhausted ? std::abs(theta) <= infinite * largest : !ritz.converged[i]) {
      if (!exhausted) next = 1 / (std::abs(theta) + ritz.delta[i]);
      break;
    }
    known.push_back(i);
  }
  if (!exhausted && next == infinity && static_cast<std::int64_t>(known.size()) == ritz.size() &&
      !known.empty())
    next = 1 / std::abs(ritz.theta[known.back()]);
  found.leading = static_cast<std::int64_t>(known.size());
  found.few = exhausted && found.leading < options.count;
  if (found.few) return found;
  // Distances are 1 / |theta| for a shift at the target. With the target elsewhere they are measured from the target.
  const auto distance = [&](std::int64_t i) {
    const double theta = ritz.theta[i], w = value_of(theta, s);
    if (options.end == End::nearest && s != t && !buckling_) return std::abs(w - t);
    return 1 / std::abs(theta);
  };
  const bool enough = found.leading >= options.count + extra || exhausted;
  const auto accept = [&](const Cut& cut) { return cut.gap > (enough ? least_gap : good_gap); };
  const auto cut_at = [&](const std::vector<std::int64_t>& pairs, double bound, std::int64_t count) {
    std::vector<double> distances(pairs.size());
    std::transform(pairs.begin(), pairs.end(), distances.begin(), distance);
    std::sort(distances.begin(), distances.end());
    if (static_cast<std::int64_t>(distances.size()) < count) return Cut{};
    return widest_gap(distances, bound, count, unit);
  };
  if (options.end == End::both) {
    std::vector<std::int64_t> below, above;
    for (const std::int64_t i : known) (ritz.theta[i] < 0 ? below : above).push_back(i);
    const std::int64_t half = options.count / 2;
    const Cut low = cut_at(below, next, half), high = cut_at(above, next, options.count - half);
    if (!accept(low) || !accept(high)) return found;
    found.done = true;
    found.gap = std::min(low.gap, high.gap);
    found.low = s - low.at;
    found.high = s + high.at;
  } else if (options.end == End::lowest) {
    std::sort(known.begin(), known.end(), [&](std::int64_t i, std::int64_t j) {
      return value_of(ritz.theta[i], s) < value_of(ritz.theta[j], s);
    });
    if (known.empty()) return found;
    std::int64_t below = 0;
    for (const std::int64_t i : known) below += ritz.theta[i] < 0;
    if (below < shift.number && found.leading < shift.number + options.count + 8 && !exhausted) return found;
    // Distances from a point that is as far below the first value as the shift is from it, so that gaps are relative to the distance from the
    // shift.
    const double first = value_of(ritz.theta[known.front()], s), from = first - std::abs(first - s);
    std::vector<double> distances(known.size());
    std::transform(known.begin(), known.end(), distances.begin(),
                   [&](std::int64_t i) { return value_of(ritz.theta[i], s) - from; });
    if (static_cast<std::int64_t>(distances.size()) < options.count) return found;
    const Cut cut = widest_gap(distances, s + next - from, options.count, unit);
    if (!accept(cut)) return found;
    found.done = true;
    found.gap = cut.gap;
    found.high = from + cut.at;
  } else {
    double bound = next;
    if (options.end == End::nearest && s != t && !buckling_) bound = t <= s ? s + next - t : t - (s - next);
    const Cut cut = cut_at(known, bound, options.count);
    if (!accept(cut)) return found;
    found.done = true;
    found.gap = cut.gap;
    if (buckling_) {
      // Pairs with |w / (w - s)| >= 1 / at. The side of w = 0 is nearer.
      const double inner = s / (1 + cut.at),
                   outer = cut.at < 1 ? s / (1 - cut.at) : std::copysign(infinity, s);
      found.low = std::min(inner, outer);
      found.high = std::max(inner, outer);
      if (options.end != End::nearest) (side * s > 0 ? found.low : found.high) = s;
    } else {
      const double from = options.end == End::nearest ? t : s;
      found.low = options.end == End::above ? s : from - cut.at;
      found.high = options.end == End::below ? s : from + cut.at;
    }
  }
  for (const std::int64_t i : known) {
    const double w = value_of(ritz.theta[i], s);
    if (w >= found.low && w <= found.high) found.pairs.push_back(i);
  }
  return found;
}

// ---- Purification, bounds, Rayleigh-Ritz

// The pairs of the last ritz() of Lanczos. While a backward error exceeds the tolerance, a further step follows.
FoundPairs PencilSolver::finish(InverseLanczos& lanczos, const std::vector<std::int64_t>& pairs, double s) {
  if (pairs.empty()) return {};
  double* const z = on_->take_blocks(blocks_of(static_cast<std::int64_t>(pairs.size())));
  lanczos.vectors(pairs, z);
  std::vector<double> theta(pairs.size());
  std::transform(pairs.begin(), pairs.end(), theta.begin(),
                 [&](std::int64_t i) { return lanczos.last().theta[i]; });
  FoundPairs found = purify(z, theta, s);
  for (int step = 0; step < max_purifications && largest_backward(found) > goal_; ++step) {
    theta.clear();
    for (const double w : found.w) theta.push_back(theta_of(w, s));
    found = purify(found.vectors, theta, s);
  }
  return found;
}

double PencilSolver::backward(const FoundPairs& found, std::int64_t j) const {
  return found.residual[j] / ((pencil_.k_norm() + std::abs(found.w[j]) * pencil_.m_norm()) * found.length[j]);
}
double PencilSolver::largest_backward(const FoundPairs& found) const {
  double largest = 0;
  for (std::int64_t j = 0; j < found.size(); ++j) largest = std::max(largest, backward(found, j));
  return largest;
}

// Y = OP Z for pairs (theta, z), with z in blocks, which are overwritten; then Rayleigh-Ritz with Y.
FoundPairs PencilSolver::purify(double* z, const std::vector<double>& theta_of_pairs, double s) {
  CpuExecutor<double>& on = *on_;
  const std::int64_t count = static_cast<std::int64_t>(theta_of_pairs.size()), blocks = blocks_of(count),
                     block = pencil_.n() * block_width, width = blocks * block_width;
  FoundPairs found;
  const InverseOperator op = inverse();
  double *const y = on.take_blocks(blocks), *const ky = on.take_blocks(blocks),
                *const my = on.take_blocks(blocks), *const work = on.take_blocks(2),
                *const small = on.take(std::max<std::int64_t>(width * width, 4 * small_block));
  const auto multiply_b = [&](std::int64_t p, const double* x, double* bx) {
    if (op.inner) return op.inner(p, x, bx);
    on.copy(x, p * block, bx);
  };
  multiply_b(blocks, z, ky);  // B Z for now
  op.solve(blocks, ky, y);
  // D = Y - Z Theta and B D = B Y - B Z Theta.
  std::vector<double> delta;
  pencil_.multiply_m(blocks, y, my);
  double* const by = buckling_ ? on.take_blocks(blocks) : my;
  if (buckling_) pencil_.multiply_k(blocks, y, by);
  for (std::int64_t p = 0; p < blocks; ++p) {
    std::array<double, small_block> theta{}, gram;
    for (int j = 0; j < block_width; ++j)
      if (p * block_width + j < count) theta[5 * j] = theta_of_pairs[p * block_width + j];
    on.put(theta.data(), small_block, small);
    double *const d = work, *const bd = work + block;
    on.copy(y + p * block, block, d);
    on.copy(by + p * block, block, bd);
    on.subtract(1, z + p * block, small, d, small + small_block);
    on.subtract(1, ky + p * block, small, bd, small + small_block);
    on.gram(1, d, bd, small);
    on.get(small, small_block, gram.data());
    for (int j = 0; j < block_width && p * block_width + j < count; ++j)
      delta.push_back(std::sqrt(std::max(gram[5 * j], 0.0)));
  }
  if (pencil_.has_k()) {
    pencil_.multiply_k(blocks, y, ky);
  } else {  // K Y = S Y + s M Y = B Z + s M Y
    const std::array<double, small_block> minus{-s, 0, 0, 0, 0, -s, 0, 0, 0, 0, -s, 0, 0, 0, 0, -s};
    on.put(minus.data(), small_block, small);
    for (std::int64_t p = 0; p < blocks; ++p)
      on.subtract(1, my + p * block, small, ky + p * block, small + small_block);
  }
  // The projected pencil Y^T (K - s M) Y, Y^T B Y.
  const auto projected = [&](const double* left, const double* right) {
    std::vector<double> a(static_cast<std::size_t>(width * width)),
        column(static_cast<std::size_t>(width * block_width));
    for (std::int64_t p = 0; p < blocks; ++p) {
      on.gram(blocks, left, right + p * block, small);
      on.get(small, width * block_width, column.data());
      for (std::int64_t i = 0; i < width; ++i)
        for (int j = 0; j < block_width; ++j)
          a[i + (p * block_width + j) * width] = column[i * block_width + j];
    }
    return a;
  };
  std::vector<double> a = projected(y, ky);
  const std::vector<double> ymy = projected(y, my), gram = buckling_ ? a : ymy;
  for (std::size_t e = 0; e < a.size(); ++e) a[e] -= s * ymy[e];
  const RayleighRitz small_pairs = rayleigh_ritz(count, width, a, gram);
  const auto m = static_cast<std::int64_t>(small_pairs.u.size());
  // Values ascend.
  std::vector<std::int64_t> order(static_cast<std::size_t>(m));
  std::iota(order.begin(), order.end(), 0);
  const auto value = [&](std::int64_t j) {
    return buckling_ ? s / (1 - small_pairs.u[j]) : s + small_pairs.u[j];
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t i, std::int64_t j) { return value(i) < value(j); });
  std::vector<double> q(static_cast<std::size_t>(width * width));
  for (std::int64_t j = 0; j < m; ++j) {
    found.w.push_back(value(order[j]));
    for (std::int64_t i = 0; i < count; ++i) q[i * width + j] = small_pairs.q[i + order[j] * count];
  }
  on.put(q.data(), width * width, small);
  on.combine(blocks, y, small, blocks, z);
  found.vectors = z;
  // M Z, K Z
  double* const kz = on.take_blocks(blocks);
  if (factorisation_ && 4 * pencil_.pattern().entries() <= pencil_.n() * width) {
    pencil_.multiply_m(blocks, z, y);
    pencil_.multiply_k(blocks, z, kz);
  } else {
    on.combine(blocks, my, small, blocks, y);
    on.combine(blocks, ky, small, blocks, kz);
  }
  const std::vector<double> zbz = projected(z, buckling_ ? kz : y);
  for (std::int64_t j = 0; j < m; ++j)
    for (std::int64_t i = 0; i < m; ++i)
      found.orthogonality = std::max(found.orthogonality, std::abs(zbz[i + j * width] - (i == j)));
  for (std::int64_t p = 0; p < blocks; ++p) {
    std::array<double, small_block> w{}, square, length;
    for (int j = 0; j < block_width; ++j)
      if (p * block_width + j < m) w[5 * j] = found.w[p * block_width + j];
    on.put(w.data(), small_block, small);
    on.subtract(1, y + p * block, small, kz + p * block, small + small_block);
    on.gram(1, z + p * block, z + p * block, small);
    on.get(small + small_block, small_block, square.data());
    on.get(small, small_block, length.data());
    for (int j = 0; j < block_width && p * block_width + j < m; ++j) {
      found.residual.push_back(std::sqrt(std::max(square[5 * j], 0.0)));
      found.length.push_back(std::sqrt(length[5 * j]));
    }
  }
  // The bounds, by the order of the Ritz values.
  std::vector<std::int64_t> ritz_order(static_cast<std::size_t>(count));
  std::iota(ritz_order.begin(), ritz_order.end(), 0);
  std::stable_sort(ritz_order.begin(), ritz_order.end(), [&](std::int64_t i, std::int64_t j) {
    return value_of(theta_of_pairs[i], s) < value_of(theta_of_pairs[j], s);
  });
  for (std::int64_t j = 0; j < m; ++j) {
    const double d = m == count ? delta[ritz_order[j]] : *std::max_element(delta.begin(), delta.end());
    const double theta = std::abs(theta_of(found.w[j], s)), part = d / theta;
    // For buckling dw / dtheta = -(w - s)^2 / s.
    const double slope = buckling_ ? std::pow(found.w[j] - s, 2) / std::abs(s) : 1 / (theta * theta);
    found.bound.push_back(part < 1 ? d * slope / (1 - part) : infinity);
  }
  return found;
}

// ---- Completeness

// Searches pairs between low and high in addition to the found ones, until there are `expected`. Returns false if this number does not come. If
// expected is larger than any number, one cycle searches, and goes on while it finds pairs.
bool PencilSolver::repair(FoundPairs& found, double s, double low, double high, std::int64_t expected,
                          std::uint64_t seed) {
  const bool probing = expected > pencil_.n();
  if (factorisation_) factor(s);
  std::vector<double> theta;
  for (const double w : found.w) theta.push_back(theta_of(w, s));
  const BasisSizes sizes(probing ? found.size() : expected);
  const std::int64_t locked = blocks_of(found.size()), width = probing ? 1 : 2;
  InverseLanczos lanczos(*on_, inverse(), width, locked + (probing ? 12 : sizes.most), seed);
  lanczos.begin_beside(found.vectors, theta);
  constexpr int max_restarts = 40;
  for (int restarts = 0, steps = 1; restarts < max_restarts; ++steps) {
    const bool more = lanczos.step();
    if (more && !lanczos.full() && (probing || steps % 3 != 0)) continue;
    const RitzPairs& ritz = lanczos.ritz(larger, inner_tolerance);
    std::vector<std::int64_t> pairs;
    bool rising = false;  // a pair that has not converged is in the window
    for (std::int64_t i = 0; i < ritz.size(); ++i) {
      const double w = value_of(ritz.theta[i], s);
      if (w < low || w > high || std::abs(ritz.theta[i]) <= double_ulp * std::abs(ritz.theta[0])) continue;
      if (ritz.converged[i])
        pairs.push_back(i);
      else
        rising = true;
    }
    const auto converged = static_cast<std::int64_t>(pairs.size());
    if (converged >= expected || (probing && converged > found.size() && !rising)) {
      found = finish(lanczos, pairs, s);
      return found.size() >= expected;
    }
    if (!more || (probing && !rising)) return false;
    if (lanczos.full()) {
      ++restarts;
      lanczos.restart(
          std::min(locked * block_width + (probing ? 4 : sizes.kept), lanczos.columns() - 4 * block_width));
    }
  }
  return false;
}

// One cycle of random vectors in addition to the found pairs. It shows a missed pair with high probability.
void PencilSolver::probe(FoundPairs& found, const Point& shift, const Judgement& window, FewReport& report) {
  const std::int64_t at_first = found.size();
  for (int i = 0; i < max_repairs; ++i) {
    const std::int64_t before = found.size();
    repair(found, shift.s, window.low, window.high, std::numeric_limits<std::int64_t>::max(), 100 + i);
    if (found.size() == before) break;
  }
  report.probed = true;
  report.probe_found = found.size() - at_first;
  report.proof_reason = "the probe is no proof";
}

void PencilSolver::prove(FoundPairs& found, const Point& shift, const Judgement& window, FewReport& report) {
  Point low{window.low, 0}, high{window.high, 0};
  std::int64_t below = 0;
  for (const double w : found.w) below += w < shift.s;
  const std::int64_t on_side = buckling_ && shift.s < 0 ? below - found.size() : below;
  const bool complete_below = on_side == shift.number;  // all eigenvalues that N(s) counts have been found
  const double step = std::max(window.gap, least_gap) / 32;
  const auto count_at = [&](double s) {
    if (s == shift.s) return shift;
    return point(s, step * (s - shift.s));
  };
  if (buckling_ && !(std::isfinite(low.s) && std::isfinite(high.s))) {
    report.proof_reason = "the pairs reach beyond infinity";
    return;
  }
  if (buckling_) {
    if (complete_below) (shift.s > 0 ? low : high) = {0, 0};
    if (low.s != 0) low = count_at(low.s);
    if (high.s != 0) high = count_at(high.s);
  } else {
    if (complete_below) low.s = -infinity;
    if (low.s != -infinity) low = count_at(low.s);
    high = count_at(high.s);
    // Below all finite eigenvalues N may be positive, if M is singular and K is indefinite on its null space.
    if (low.s == -infinity && high.number > found.size() && !pencil_.identity()) {
      const double unit = pencil_.k_norm() / pencil_.m_norm();
      low.number = point(-std::ldexp(unit, 20), -unit).number;
    }
  }
  std::int64_t expected = high.number - low.number;
  const std::int64_t at_first = found.size();
  for (int i = 1; i <= max_repairs && expected > found.size(); ++i) {
    const std::int64_t before = found.size();
    if (!repair(found, shift.s, low.s, high.s, expected, 100 + i) && found.size() <= before) break;
  }
  report.low = low.s;
  report.high = high.s;
  report.count_low = low.number;
  report.count_high = high.number;
  report.found = found.size();
  report.repaired = found.size() - at_first;
  report.proven = expected == found.size();
  if (report.proven) report.proof_reason.clear();
  if (!report.proven)
    report.proof_reason = std::to_string(expected) + " eigenvalues are between " +
                          text_of(pencil_.unscaled(low.s)) + " and " + text_of(pencil_.unscaled(high.s)) +
                          ", " + std::to_string(found.size()) + " were found";
}

// ---- Calls

void PencilSolver::report_costs(FewReport& report) const {
  report.method = FewMethod::shift_invert;
  report.library = library_;
  report.norm = std::ldexp(pencil_.k_norm(), pencil_.k_exponent());
  report.mass_norm = std::ldexp(pencil_.m_norm(), pencil_.m_exponent());
  report.factorisations = factorisations_;
  if (factorisation_) {
    report.factor_entries = factorisation_->entries();
    report.factor_bytes = factorisation_->bytes();
  }
  report.products = solved_;
  report.analysis_seconds = analysis_seconds_;
  report.factorisation_seconds = factorisation_seconds_;
  report.solve_seconds = solve_seconds_;
  report.bytes.host = (on_ ? on_->bytes() : 0) + report.factor_bytes;
}

// Takes the vectors of the caller as the first ones of the basis.
const double* PencilSolver::start_blocks(const FewOptions& options, std::int64_t width) {
  const std::int64_t n = pencil_.n(), count = std::min(options.start_count, width * block_width);
  if (count == 0) return nullptr;
  double* const blocks = on_->take_blocks(width);
  std::fill_n(blocks, width * n * block_width, 0.0);
  for (std::int64_t j = 0; j < count; ++j) {
    const double* const x = options.start + j * options.start_ld;
    double largest = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      if (!std::isfinite(x[i])) throw InvalidArgument("start", "has a NaN or an infinity, must be finite");
      largest = std::max(largest, std::abs(x[i]));
    }
    for (std::int64_t i = 0; i < n && largest > 0; ++i)
      blocks[(j / block_width * n + i) * block_width + j % block_width] = x[i] / largest;
  }
  return blocks;
}

void PencilSolver::begin_call(double tolerance) {
  // By default what verify() accepts, as far as rounding errors of a solve allow it. For buckling these errors grow with |w / s|.
  const double n = static_cast<double>(pencil_.n());
  const double accepted = 10 * n * double_ulp;
  goal_ = tolerance > 0 ? tolerance
          : buckling_   ? std::min(accepted, 1e-12)
                        : std::clamp(4 * std::sqrt(n) * double_ulp, std::min(1e-13, accepted), 1e-12);
  on_ = std::make_unique<CpuExecutor<double>>(pencil_.n(), MatrixOperator<double>());
  factorisations_ = solved_ = 0;
  factorisation_seconds_ = solve_seconds_ = 0;
}

// The shift behind the cluster of eigenvalues that the present shift hits, or nearer to eigenvalues that are far away. Empty: the
// present one is good.
std::optional<double> PencilSolver::better_shift(const FewOptions& options, const RitzPairs& ritz, double s,
                                                 bool few, std::string& reason) const {
  const std::int64_t k = std::min(options.count, ritz.size());
  double largest = 0;
  for (const double theta : ritz.theta) largest = std::max(largest, std::abs(theta));
  const double last = std::abs(ritz.theta[k - 1]);
  if (buckling_ || !factorisation_) return std::nullopt;
  const double unit = pencil_.k_norm() / pencil_.m_norm(), size = std::max(std::abs(s), 1e-4 * unit);
  if (few && 1 / largest < 1e-10 * size) {  // the value that was hit hides all others
    reason = text_of(pencil_.unscaled(s)) + " is an eigenvalue to working accuracy";
    return s + (options.end == End::above ? -1e-6 : 1e-6) * size;
  }
  if (!(last > infinite * largest)) return std::nullopt;
  if (largest > hit * last) {
    // 0.3 of the way to the next value outside the cluster, which is behind the widest gap.
    const double side = options.end == End::above ? -1 : 1;
    const bool one_side = options.end == End::above || options.end == End::below || options.end == End::both;
    std::vector<double> distances;
    for (std::int64_t i = 0; i < ritz.size(); ++i)
      if (std::abs(ritz.theta[i]) > infinite * largest && ritz.delta[i] <= 1e-3 * std::abs(ritz.theta[i]) &&
          !(one_side && ritz.theta[i] * side <= 0 && std::abs(ritz.theta[i]) <= hit * last))
        distances.push_back(1 / std::abs(ritz.theta[i]));
    std::sort(distances.begin(), distances.end());
    double step = 1 / last, gap = 1;
    for (std::size_t i = 1; i < distances.size(); ++i)
      if (distances[i] > gap * distances[i - 1]) {
        gap = distances[i] / distances[i - 1];
        step = distances[i];
      }
    reason = text_of(pencil_.unscaled(s)) + " is an eigenvalue to working accuracy";
    return s + side * 0.3 * step;
  }
  if (options.end != End::lowest && options.end != End::nearest) return std::nullopt;
  for (std::int64_t i = 0; i < k; ++i)
    if (ritz.theta[i] * ritz.theta[0] <= 0) return std::nullopt;
  const double first = value_of(ritz.theta[0], s), spread = std::abs(value_of(ritz.theta[k - 1], s) - first);
  if (last < (1 - far) * largest || spread < 1e-6 * std::abs(first - s)) return std::nullopt;
  reason = text_of(pencil_.unscaled(s)) + " is far from the eigenvalues";
  return first - std::copysign(spread, ritz.theta[0]);
}

FewReport PencilSolver::solve(const FewOptions& options, double* w, double* z, std::int64_t ldz) {
  double seconds = 0;
  FewReport report;
  {
    const Stopwatch watch(seconds);
    begin_call(options.tolerance);
    const bool one_side = options.end == End::above || options.end == End::below;
    const double direction =
        options.end == End::below || (options.end == End::nearest && options.target > 0) ? 1 : -1;
    const double wished = pencil_.scaled(options.end == End::lowest ? 0 : options.target);
    if (buckling_ && (wished == 0 || options.end == End::lowest))
      throw InvalidArgument("target", "must not be 0 for buckling");
    Point shift = shift_near(wished, options.end == End::lowest ? -1 : direction, report);
    if (options.end == End::lowest)
      if (const auto range = range_of_lowest(shift, options.count))
        return solve_in(*range, options, w, z, ldz);
    report.shift_wished = pencil_.unscaled(wished);
    std::optional<InverseLanczos> lanczos;
    Judgement judgement;
    const RitzPairs* ritz = nullptr;
    bool exhausted = false;
    for (int moves = 0; !judgement.done; ++moves) {
      if (options.end == End::below && factorisation_ && !buckling_ && shift.number < options.count)
        throw too_many(options.count, shift.number, true);
      on_ = std::make_unique<CpuExecutor<double>>(pencil_.n(), MatrixOperator<double>());
      const double* const start = start_blocks(options, 1);
      BasisSizes sizes(options.count + 4);
      lanczos.emplace(*on_, inverse(), 1, sizes.most, 0);
      lanczos->begin(start, start ? options.start_count : 0);
      std::int64_t extra = 4;
      std::optional<double> moved;
      for (std::int64_t steps = 1; !judgement.done && !exhausted; ++steps) {
        exhausted = !lanczos->step();
        const bool stop = solved_ >= options.max_products;
        const bool ripe = lanczos->columns() >= options.count + options.count / 2 && steps % 2 == 0;
        if (!exhausted && !lanczos->full() && !ripe && !stop) continue;
        ritz = &lanczos->ritz(order_of(options.end), buckling_ ? buckling_tolerance : inner_tolerance);
        judgement = judge(options, *ritz, shift, extra, exhausted);
        if (options.progress)
          options.progress(
              std::min(1.0, static_cast<double>(judgement.leading) / static_cast<double>(options.count)));
        if (moves < max_moves && report.restarts == 0 &&
            (judgement.done || judgement.few || lanczos->full())) {
          std::string reason;
          moved = better_shift(options, *ritz, shift.s, judgement.few, reason);
          if (moved) {
            report.shift_reason += (report.shift_reason.empty() ? "" : "; ") + reason;
            judgement = {};
            exhausted = false;
            break;
          }
        }
        if (judgement.few) throw too_many(options.count, judgement.leading, one_side);
        if (judgement.done || stop) break;
        if (judgement.leading >= options.count + extra) extra = 2 * extra + 4;
        if (!lanczos->full()) continue;
        ++report.restarts;
        if (sizes.grow(judgement.leading)) lanczos->grow(sizes.most);
        lanczos->restart(sizes.kept);
      }
      if (!moved) break;
      shift = point(*moved, 1e-3 * (*moved - shift.s));
    }
    report.shift_used = pencil_.unscaled(shift.s);
    if (!judgement.done) {
      report.status = Status::not_converged;
      for (std::int64_t i = 0; i < std::min(options.count, ritz->size()); ++i) judgement.pairs.push_back(i);
    }
    FoundPairs found = finish(*lanczos, judgement.pairs, shift.s);
    if (!judgement.done)
      report.proof_reason = "the pairs have not converged";
    else if (options.proof == Proof::probe || (options.proof == Proof::automatic && !factorisation_))
      probe(found, shift, judgement, report);
    else if (options.proof != Proof::none)
      prove(found, shift, judgement, report);
    write(found, choose(found, options, shift.s), w, z, ldz, report);
    report_costs(report);
    report.tolerance = goal_;
    for (std::int64_t j = 0; j < report.m; ++j)
      if (!(backward_[j] <= report.tolerance)) report.status = Status::not_converged;
    if (report.m < options.count) report.status = Status::not_converged;
  }
  report.seconds = seconds;
  return report;
}

// Returns the lowest pairs. The range has at least options.count pairs.
FewReport PencilSolver::solve_in(const Range& range, const FewOptions& options, double* w, double* z,
                                 std::int64_t ldz) {
  std::vector<double> values, vectors;
  IntervalReport found = interval(pencil_.unscaled(range.low), pencil_.unscaled(range.high), 0, values,
                                  z ? &vectors : nullptr, options.tolerance);
  const std::int64_t n = pencil_.n(), m = std::min(options.count, static_cast<std::int64_t>(values.size()));
  std::copy_n(values.begin(), m, w);
  for (std::int64_t j = 0; z && j < m; ++j) std::copy_n(vectors.begin() + j * n, n, z + j * ldz);
  found.m = m;
  found.residuals.resize(static_cast<std::size_t>(m));
  found.error_bounds.resize(static_cast<std::size_t>(m));
  if (m < options.count) found.status = Status::not_converged;
  found.shift_wished = 0;
  found.shift_used = found.shifts.front();
  found.shift_reason = "K is not positive semidefinite";
  return found;
}

// The columns of the found pairs that the options ask for, values ascending.
std::vector<std::int64_t> PencilSolver::choose(const FoundPairs& found, const FewOptions& options,
                                               double s) const {
  const double t = pencil_.scaled(options.target);
  std::vector<std::int64_t> all(static_cast<std::size_t>(found.size())), chosen;
  std::iota(all.begin(), all.end(), 0);
  const auto distance = [&](std::int64_t j) {
    const double w = found.w[j];
    return buckling_                    ? std::abs((w - s) / w)
           : options.end == End::lowest ? w
                                        : std::abs(w - (options.end == End::nearest ? t : s));
  };
  std::stable_sort(all.begin(), all.end(),
                   [&](std::int64_t i, std::int64_t j) { return distance(i) < distance(j); });
  std::int64_t below = options.end == End::both ? options.count / 2 : options.count,
               above = options.count - (options.end == End::both ? below : 0);
  for (const std::int64_t j : all) {
    const bool is_below = theta_of(found.w[j], s) < 0;
    if (options.end == End::above && is_below) continue;
    if (options.end == End::below && !is_below) continue;
    if (options.end == End::both && --(is_below ? below : above) < 0) continue;
    if (static_cast<std::int64_t>(chosen.size()) < options.count) chosen.push_back(j);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

void PencilSolver::write(const FoundPairs& found, const std::vector<std::int64_t>& chosen, double* w,
                         double* z, std::int64_t ldz, FewReport& report) {
  const std::int64_t n = pencil_.n();
  const int vector_exponent = -(buckling_ ? pencil_.k_exponent() : pencil_.m_exponent()) / 2;
  backward_.clear();
  for (std::size_t c = 0; c < chosen.size(); ++c) {
    const std::int64_t j = chosen[c];
    w[c] = pencil_.unscaled(found.w[j]);
    report.residuals.push_back(std::ldexp(found.residual[j], pencil_.k_exponent() + vector_exponent));
    report.error_bounds.push_back(pencil_.unscaled(found.bound[j]));
    backward_.push_back(backward(found, j));
    if (!z) continue;
    double* const to = z + static_cast<std::int64_t>(c) * ldz;
    on_->column(found.vectors, j, to);
    for (std::int64_t i = 0; i < n && vector_exponent != 0; ++i) to[i] = std::ldexp(to[i], vector_exponent);
  }
  report.m += static_cast<std::int64_t>(chosen.size());
  report.orthogonality = std::max(report.orthogonality, found.orthogonality);
  report.low = pencil_.unscaled(report.low);
  report.high = pencil_.unscaled(report.high);
}

// The pairs between a point and a higher one, around a shift between them.
struct PencilSolver::Slice {
  Point low, shift, high;
  std::int64_t after = 0;                    // number of eigenvalues of the interval above the shift
  static constexpr std::int64_t usual = 40;  // eigenvalues on each side of the shift

  // True if the Ritz pairs show everything between low and a point above the shift. Then high.s is this point, and `pairs` are the pairs.
  bool covered(const RitzPairs& ritz, double end, bool exhausted, const PencilSolver& solver,
               std::vector<std::int64_t>& pairs, double& gap) {
    std::int64_t left = 0;
    std::vector<double> right;
    double reach = infinity;
    std::int64_t leading = 0;
    for (; leading < ritz.size(); ++leading) {
      const double theta = ritz.theta[leading], w = solver.value_of(theta, shift.s);
      if (!exhausted && !ritz.converged[leading]) {
        reach = 1 / (std::abs(theta) + ritz.delta[leading]);
        break;
      }
      if (theta < 0 && w >= low.s) ++left;
      if (theta > 0 && w <= end) right.push_back(w - shift.s);
    }
    if (left < shift.number - low.number && reach < shift.s - low.s) return false;
    const bool to_end = after <= usual + usual / 2;
    high.s = end;
    gap = 1;
    if (to_end) {
      if (static_cast<std::int64_t>(right.size()) < after && reach < end - shift.s) return false;
    } else {
      if (static_cast<std::int64_t>(right.size()) < usual) return false;
      const Cut cut = widest_gap(right, reach, usual, 0);
      if (cut.gap <= least_gap) return false;
      high.s = shift.s + cut.at;
      gap = cut.gap;
    }
    pairs.clear();
    for (std::int64_t i = 0; i < leading; ++i) {
      const double w = solver.value_of(ritz.theta[i], shift.s);
      if (w >= low.s && w <= high.s) pairs.push_back(i);
    }
    return true;
  }
};

// Makes the vectors M-orthogonal to the given blocks of slices before, because vectors of two slices are orthogonal only as far as their
// errors allow. Afterwards the blocks are the vectors, with keep_all in addition to the older ones.
void PencilSolver::orthogonalise(FoundPairs& found, std::vector<double>& blocks, bool keep_all) {
  const std::int64_t block = pencil_.n() * block_width, p = static_cast<std::int64_t>(blocks.size()) / block,
                     count = blocks_of(found.size());
  CpuExecutor<double>& on = *on_;
  double *const product = on.take_blocks(1), *const small = on.take((p + 1) * small_block);
  for (std::int64_t q = 0; q < count && p > 0; ++q) {
    pencil_.multiply_m(1, found.vectors + q * block, product);
    on.gram(p, blocks.data(), product, small);
    on.subtract(p, blocks.data(), small, found.vectors + q * block, small + p * small_block);
  }
  if (!keep_all) blocks.clear();
  blocks.insert(blocks.end(), found.vectors, found.vectors + count * block);
}

IntervalReport PencilSolver::interval(double a, double b, std::int64_t max_pairs, std::vector<double>& w,
                                      std::vector<double>* z, double tolerance) {
  if (!(std::isfinite(a) && std::isfinite(b) && a < b))
    throw InvalidArgument("interval", "must have finite ends a < b");
  if (buckling_) throw InvalidArgument("buckling", "has no intervals");
  double seconds = 0;
  IntervalReport report;
  {
    const Stopwatch watch(seconds);
    begin_call(tolerance);
    const std::int64_t n = pencil_.n();
    w.clear();
    if (z) z->clear();
    // Ends that are eigenvalues belong to the interval for now.
    const double from = pencil_.scaled(a), to = pencil_.scaled(b), length = to - from;
    const auto outwards = [&](double end) { return std::max(1e-8 * std::abs(end), 1e-12 * length); };
    const Point end = point(to + outwards(to), outwards(to));
    Point low = point(from - outwards(from), -outwards(from));
    report.expected = end.number - low.number;
    const std::uint64_t memory = host_memory_available() / 4;
    const std::int64_t room = max_pairs > 0 || memory == 0
                                  ? max_pairs
                                  : static_cast<std::int64_t>(memory / (8 * static_cast<std::uint64_t>(n)));
    if (room > 0 && report.expected > room)
      throw InvalidArgument("max_pairs", "is " + std::to_string(room) + ", but the interval has " +
                                             std::to_string(report.expected) + " pairs");
    report.low = a;
    report.high = b;
    report.count_low = low.number;
    report.count_high = end.number;
    report.proven = true;
    std::vector<double> neighbours;  // vectors of slices before
    double step = report.expected > 0 ? length * Slice::usual / static_cast<double>(report.expected) : length;
    while (low.number < end.number) {
      Slice slice;
      // Eigenvalues that are far from all others get a slice of their own, because a shift is accurate for the eigenvalues next to it.
      Point stop = end;
      while (stop.number - low.number > 1 && stop.number - low.number <= 2 * Slice::usual &&
             stop.s - low.s > std::max(std::abs(low.s), std::abs(stop.s)) / 4) {
        const double quarter = (stop.s - low.s) / 4;
        const auto number = [&](double at) { return point(at, 1e-6 * quarter).number; };
        const Point middle = point(low.s + 2 * quarter, 1e-6 * quarter);
        if (middle.number == low.number)
          low = middle;
        else if (middle.number == stop.number || number(low.s + quarter) == number(low.s + 3 * quarter))
          stop = middle;
        else
          break;
      }
      slice.low = low;
      // The shift has about the usual number of eigenvalues below it in this slice.
      const std::int64_t rest = stop.number - low.number;
      double s =
          rest <= 2 * Slice::usual ? (low.s + stop.s) / 2 : std::min(low.s + step, (low.s + stop.s) / 2);
      for (int attempt = 0;; ++attempt) {
        slice.shift = point(s, 1e-6 * (s - low.s));
        const std::int64_t left = slice.shift.number - low.number;
        if (attempt >= 12) break;
        if (left > 2 * Slice::usual) {
          s = low.s +
              (s - low.s) * std::max(0.1, static_cast<double>(Slice::usual) / static_cast<double>(left));
        } else if (left < Slice::usual / 3 && stop.number - slice.shift.number > 2 * Slice::usual) {
          s += std::min(s - low.s, (stop.s - s) / 2);
        } else {
          break;
        }
      }
      slice.after = stop.number - slice.shift.number;
      const std::int64_t left = slice.shift.number - low.number;
      const std::int64_t wanted = left + std::min(slice.after, std::max(left, Slice::usual));
      BasisSizes sizes(wanted + 4);
      on_ = std::make_unique<CpuExecutor<double>>(n, MatrixOperator<double>());
      InverseLanczos lanczos(*on_, inverse(), 1, sizes.most, 0);
      lanczos.begin();
      // After the purification the backward error of a pair at the distance d from the shift is at most about d |M| / (|K| + |s| |M|) of its delta.
      const double m_norm = pencil_.m_norm(), s_norm = pencil_.k_norm() + std::abs(slice.shift.s) * m_norm,
                   tolerance_here = std::clamp(goal_ / 2 * s_norm / ((slice.shift.s - low.s) * m_norm), 1e-14,
                                               inner_tolerance);
      std::vector<std::int64_t> pairs;
      double gap = 1;
      bool done = false;
      for (int restarts = 0, steps = 1; restarts <= 100 && !done; ++steps) {
        const bool exhausted = !lanczos.step();
        if (!exhausted && !lanczos.full() && (lanczos.columns() < wanted || steps % 2 != 0)) continue;
        const RitzPairs& ritz = lanczos.ritz(larger, tolerance_here);
        done = slice.covered(ritz, stop.s, exhausted, *this, pairs, gap);
        if (done || exhausted) break;
        if (!lanczos.full()) continue;
        ++restarts;
        ++report.restarts;
        if (sizes.grow(ritz.leading())) lanczos.grow(sizes.most);
        lanczos.restart(sizes.kept);
      }
      if (!done) {
        report.status = Status::not_converged;
        report.proven = false;
        report.proof_reason =
            "the pairs next to " + text_of(pencil_.unscaled(slice.shift.s)) + " have not converged";
        break;
      }
      FoundPairs found = finish(lanczos, pairs, slice.shift.s);
      const std::int64_t found_by_lanczos = found.size();
      const double cut_step = std::max(gap, least_gap) / 32 * (slice.high.s - slice.shift.s);
      slice.high = slice.high.s == stop.s ? stop : point(slice.high.s, cut_step);
      const std::int64_t expected = slice.high.number - low.number;
      for (int i = 1; i <= max_repairs && expected > found.size(); ++i)
        if (!repair(found, slice.shift.s, low.s, slice.high.s, expected, 100 + i)) break;
      report.found += found.size();
      report.repaired += found.size() - found_by_lanczos;
      orthogonalise(found, neighbours, n < 50 * report.expected);
      if (expected != found.size()) {
        report.proven = false;
        report.proof_reason = std::to_string(expected) + " eigenvalues are between " +
                              text_of(pencil_.unscaled(low.s)) + " and " +
                              text_of(pencil_.unscaled(slice.high.s)) + ", " + std::to_string(found.size()) +
                              " were found";
      }
      // Values of eigenvalues at the ends belong to [a, b) if they are not below a and not at b, up to their errors.
      std::vector<std::int64_t> chosen;
      for (std::int64_t j = 0; j < found.size(); ++j) {
        const double error = std::max(found.bound[j], 1e-13 * std::abs(found.w[j]));
        if (found.w[j] >= from - error && found.w[j] < to - error) chosen.push_back(j);
      }
      const std::size_t before = w.size();
      w.resize(before + chosen.size());
      if (z) z->resize(w.size() * static_cast<std::size_t>(n));
      write(found, chosen, w.data() + before, z ? z->data() + before * n : nullptr, n, report);
      for (const double ratio : backward_)
        if (!(ratio <= goal_)) report.status = Status::not_converged;
      report.expected -= found.size() - static_cast<std::int64_t>(chosen.size());
      report.shifts.push_back(pencil_.unscaled(slice.shift.s));
      step = std::max(slice.high.s - slice.shift.s, 1e-3 * step);
      low = slice.high;
    }
    report.tolerance = goal_;
    report_costs(report);
  }
  report.seconds = seconds;
  return report;
}

EigenvalueCount PencilSolver::count(double s) {
  const double at = pencil_.scaled(s);
  const Point found = point(at, at == 0 ? -1e-10 * pencil_.k_norm() / pencil_.m_norm() : 1e-8 * std::abs(at));
  return {std::abs(found.number), found.s == at ? s : pencil_.unscaled(found.s), found.s != at};
}

}  // namespace eigen_g
