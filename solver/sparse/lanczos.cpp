// Block Lanczos with thick restarts on a Chebyshev filter.
#include "solver/sparse/lanczos.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "hybrid/error.hpp"
#include "hybrid/instantiate.hpp"
#include "solver/api/argument.hpp"
#include "solver/sparse/restart.hpp"
#include "solver/sparse/small_matrices.hpp"
#include "solver/sparse/verify_few.hpp"

namespace eigen_g {

LanczosSizes lanczos_sizes(std::int64_t wanted) {
  LanczosSizes sizes;
  sizes.chain = wanted <= 16 ? 1 : 2;
  sizes.kept = (wanted + std::max<std::int64_t>(8, wanted / 3) + block_width - 1) / block_width;
  sizes.basis = 2 * sizes.kept + 4 + 2 * sizes.chain;
  return sizes;
}

namespace {

std::vector<double> ascending(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values;
}

// A smaller gap between two known values, relative to |A|, may be an error of the values.
constexpr double least_known_gap = 1e-9;

// Number of values for the small matrices of the restarts and the measurements.
std::int64_t small_values(const LanczosSizes& sizes) {
  return std::max(sizes.basis * block_width * sizes.kept * block_width, 32 * sizes.kept);
}

}  // namespace

std::int64_t lanczos_values(std::int64_t n, std::int64_t wanted) {
  const LanczosSizes sizes = lanczos_sizes(wanted);
  return (sizes.basis + sizes.kept + 1) * n * block_width + small_values(sizes) +
         basis_small_values(sizes.basis);
}

std::int64_t lanczos_least_order(std::int64_t wanted) {
  return lanczos_sizes(wanted).basis * block_width * 3 / 2 + 1;
}

namespace {

// Approximate cost, in products, of the rest of a block step: two Gram-Schmidt passes against half a basis, compared by bytes.
double overhead_of(const LanczosSizes& sizes) {
  return 0.15 * static_cast<double>(sizes.basis + sizes.kept) + 2;
}

template <class T>
class Lanczos {
 public:
  Lanczos(Executor<T>& on, const LanczosOptions& options)
      : on_(on),
        options_(options),
        sizes_(lanczos_sizes(options.wanted)),
        basis_(on, sizes_.basis),
        projected_(sizes_.basis),
        block_values_(on.order() * block_width),
        kept_(on.take_blocks(sizes_.kept)),
        work_(on.take_blocks(1)),
        small_(on.take(small_values(sizes_))) {
    filter_.sign = options.highest ? -1 : 1;
    range_ = std::clamp(options.tolerance * 0.03 / std::numeric_limits<double>::epsilon(), 4.0, 1e4);
  }

  LanczosResult<T> run(const T* start, std::int64_t start_blocks);

 private:
  void begin(const T* start, std::int64_t start_blocks);
  void scale();
  void extend();
  void restart();
  void adopt();
  void judge();
  bool missed_something();
  void choose();
  void begin_again();
  void begin_polish();
  bool stalled();
  void begin_probe();
  double steps_of_probe() const;
  double limit() const { return options_.tolerance * result_.bounds.norm; }
  // Number of blocks whose columns H must have, so that `wanted` pairs exist.
  std::int64_t least_blocks() const { return options_.wanted / block_width + 1; }
  // True if the products that must come next would exceed the limit.
  bool exhausted() const {
    const std::int64_t steps = std::max<std::int64_t>(1, least_blocks() - projected_.blocks());
    return result_.products + steps * filter_.degree * block_width > options_.max_products;
  }

  Executor<T>& on_;
  const LanczosOptions& options_;
  LanczosSizes sizes_;
  Basis<T> basis_;
  Projected<T> projected_;
  std::int64_t block_values_;
  T *kept_, *work_, *small_;
  ChebyshevFilter filter_;
  double range_ = 1, asymmetry_ = 0;  // asymmetry_: largest |H - H^T| in the first cycle
  std::array<T, 16> coupling_{};
  std::int64_t kept_blocks_ = 0;
  std::vector<double> rho_, residual_;  // measured values and residuals by column of the kept vectors
  std::vector<std::int64_t> order_;     // columns of the kept vectors, rho ascending
  double worst_ = 0, first_worst_ = 0;  // largest residual of the wanted pairs: now, and the largest so far
  std::vector<T> theta_;                // Ritz values of p(A) of the kept vectors, descending
  std::vector<char> locked_;            // by column of the kept vectors: Projected's locked vectors
  struct Measured {
    std::vector<double> rho, residual;
    std::vector<std::int64_t> order;
    double worst = 0;
  };
  Measured before_probe_;
  double worst_before_ = 0;
  double gain_ = 0;  // expected nepers a step of the filter, from the last measurement
  int slow_cycles_ = 0;
  bool probing_ = false;
  std::int64_t max_steps_ = 1000;  // limit for the next cycle; a full basis ends it earlier
  std::int64_t steps_ = 0;         // number of steps in the last cycle
  LanczosResult<T> result_;
};

// Forms p(A) V one block at a time, until the basis is full or the cycle's limits are reached. H gets at least `wanted` columns.
template <class T>
void Lanczos<T>::extend() {
  for (steps_ = 0; basis_.blocks() < basis_.max_blocks(); ++steps_) {
    if (projected_.blocks() >= least_blocks() && (exhausted() || steps_ >= max_steps_)) break;
    T* const x = basis_.block(projected_.blocks());
    apply_filter(on_, filter_, x, basis_.block(basis_.blocks()), work_);
    result_.products += filter_.degree * block_width;
    const typename Basis<T>::Coefficients& coefficients = basis_.append();
    const double difference = projected_.add(coefficients.c);
    if (result_.restarts == 0) asymmetry_ = std::max(asymmetry_, difference * filter_.half);
    coupling_ = coefficients.r;
  }
}

// Scales A so that squares are in range. If its norm is not known, it is estimated as |A x| for the columns x of V's first block.
template <class T>
void Lanczos<T>::scale() {
  // A sum of finite entries may be infinite.
  double norm = std::min(options_.scale, std::numeric_limits<double>::max());
  result_.scale = scaling_of(norm);
  for (int attempt = 0; norm == 0 && attempt < 3; ++attempt) {
    on_.scale(result_.scale);
    on_.multiply(T(1), basis_.block(0), T(0), T(0), work_);
    result_.products += block_width;
    on_.gram(1, work_, work_, small_);
    std::array<T, 16> gram;
    on_.get(small_, 16, gram.data());
    const double square = *std::max_element(gram.begin(), gram.end());
    const double found = square > 0 && std::isfinite(square) ? std::sqrt(square) : 0;
    const double more = found > 0 ? scaling_of(found) : std::ldexp(1.0, square == 0 ? 500 : -500);
    if (found > 0 && more == 1) norm = found / result_.scale;
    result_.scale = std::clamp(result_.scale * more, 0x1p-1000, 0x1p1000);
  }
  if (norm == 0) result_.scale = 1;
  on_.scale(result_.scale);
  filter_.half = norm > 0 ? norm * result_.scale : 1;
}

// Begins the basis. Start vectors may lie in an invariant subspace, so a random block comes first, which has components of all
// eigenvectors.
template <class T>
void Lanczos<T>::begin(const T* start, std::int64_t start_blocks) {
  if (start_blocks > 0) basis_.append_random();
  for (std::int64_t p = 0; p < std::min(start_blocks, sizes_.kept); ++p) {
    on_.copy(start + p * block_values_, block_values_, basis_.block(basis_.blocks()));
    basis_.append();
  }
  while (basis_.blocks() < sizes_.chain) basis_.append_random();
  scale();
}

// Solves the projected problem, forms the kept vectors V Q_kept, and begins V with them.
template <class T>
void Lanczos<T>::restart() {
  auto pairs = projected_.solve();
  // Each block that H does not know yet comes from the product with one of the last blocks that H knows.
  const std::int64_t unknown = basis_.blocks() - projected_.blocks();
  if (!probing_ && steps_ >= unknown) Projected<T>::separate_copies(pairs, unknown * block_width);
  const std::int64_t m = projected_.blocks() * block_width;
  if (result_.restarts++ == 0) {
    result_.bounds = spectrum_bounds(pairs.values, pairs.vectors, coupling_.data(), filter_.half);
    if (asymmetry_ > 1e-11 * result_.bounds.norm)
      throw InvalidArgument(Argument::a, "is not symmetric: x^T A y and y^T A x of random x, y differ");
  }
  kept_blocks_ = std::min(sizes_.kept, projected_.blocks());
  const std::int64_t kept = kept_blocks_ * block_width;
  // The locked vectors and the free ones of the largest values.
  std::int64_t free = kept - std::count(pairs.locked.begin(), pairs.locked.end(), char{1});
  std::vector<T> q(static_cast<std::size_t>(m * kept));
  theta_.clear();
  locked_.clear();
  for (std::int64_t j = 0; j < m; ++j) {
    if (!pairs.locked[j] && free-- <= 0) continue;
    const auto to = static_cast<std::int64_t>(theta_.size());
    for (std::int64_t i = 0; i < m; ++i) q[i * kept + to] = pairs.vectors[i + j * m];
    theta_.push_back(pairs.values[j]);
    locked_.push_back(pairs.locked[j]);
  }
  on_.put(q.data(), m * kept, small_);
  on_.combine(projected_.blocks(), basis_.block(0), small_, kept_blocks_, kept_);
  if (probing_) return;  // V still has the vectors from before the probe
  adopt();
  projected_.restart(theta_.data(), kept_blocks_);
  projected_.lock(locked_);
}

// V := [kept vectors, the blocks that H does not know yet]
template <class T>
void Lanczos<T>::adopt() {
  on_.copy(kept_, kept_blocks_ * block_values_, basis_.block(0));
  const std::int64_t rest = std::min(basis_.blocks() - projected_.blocks(), sizes_.chain);
  for (std::int64_t p = 0; p < rest; ++p)
    on_.copy(basis_.block(projected_.blocks() + p), block_values_, basis_.block(kept_blocks_ + p));
  basis_.resize(kept_blocks_ + rest);
}

template <class T>
void Lanczos<T>::judge() {
  const FewMeasures<T> measures = measure(on_, filter_.sign, kept_blocks_, kept_, work_, small_);
  result_.products += kept_blocks_ * block_width;
  rho_.assign(measures.values.begin(), measures.values.end());
  residual_.assign(measures.residuals.begin(), measures.residuals.end());
  order_.resize(rho_.size());
  std::iota(order_.begin(), order_.end(), 0);
  std::stable_sort(order_.begin(), order_.end(), [&](auto i, auto j) { return rho_[i] < rho_[j]; });
  // Copies of a multiple value differ by rounding errors. The converged ones come first.
  for (auto first = order_.begin(); first != order_.end();) {
    const auto last =
        std::find_if(first, order_.end(), [&](auto i) { return rho_[i] - rho_[*first] > limit(); });
    std::stable_sort(first, last, [&](auto i, auto j) { return residual_[i] < residual_[j]; });
    first = last;
  }
  for (const double rho : rho_) result_.bounds.norm = std::max(result_.bounds.norm, std::abs(rho));
  worst_ = 0;
  for (std::int64_t i = 0; i < options_.wanted; ++i) worst_ = std::max(worst_, residual_[order_[i]]);
  result_.converged = worst_ <= limit();
  std::fill(locked_.begin(), locked_.end(), char{0});
  for (std::int64_t i = 0; i < options_.wanted; ++i) locked_[order_[i]] = residual_[order_[i]] <= limit() / 2;
  if (!probing_) projected_.lock(locked_);
  if (options_.progress) {
    first_worst_ = std::max(first_worst_, worst_);
    options_.progress(worst_ > limit() ? 1 - std::log(worst_ / limit()) / std::log(first_worst_ / limit())
                                       : 1.0);
  }
}

// Chooses the filter of the next cycle and its number of steps. A new filter begins with few vectors again, so it must gain enough.
template <class T>
void Lanczos<T>::choose() {
  KnownSpectrum known;
  known.lowest = ascending(rho_);
  known.wanted = options_.wanted;
  double& upper = result_.bounds.upper;
  const bool outside = known.lowest.back() > upper;  // a filter with this bound would enlarge the wrong end
  if (outside) upper = known.lowest.back() + 0.01 * (known.lowest.back() - known.lowest.front());
  known.upper = upper;

  const double overhead = overhead_of(sizes_), chain = static_cast<double>(sizes_.chain);
  const auto steps_of = [&](const ChebyshevFilter& filter, double residual) {
    return std::log(std::max(residual / limit(), 1.0)) / std::max(gain_of_step(filter, known), 1e-9);
  };
  const ChebyshevFilter other = choose_filter(known, filter_.sign, overhead, range_);
  const double other_steps =
      steps_of(other, upper - known.lowest.front()) + static_cast<double>(kept_blocks_) / chain;
  double steps = steps_of(filter_, worst_);
  const bool near_end = worst_ <= 1e3 * limit(), slow = stalled();
  const bool faster = gain_of_product(other, known, overhead) > 2 * gain_of_product(filter_, known, overhead);
  if (outside || result_.restarts == 1 || (!near_end && (faster || slow))) {
    filter_ = other;
    steps = other_steps;
    begin_again();
  } else if (slow) {
    begin_polish();
    return;
  }
  gain_ = gain_of_step(filter_, known);
  const double all_steps = steps;
  // After a change of the filter the values are inaccurate. The next cycle is then only long enough to measure what the filter finds.
  if (projected_.blocks() == 0) steps = std::min(steps, static_cast<double>(kept_blocks_) / chain + 1);
  max_steps_ = static_cast<std::int64_t>(std::clamp(std::ceil(0.9 * steps), 1.0, 1e3)) * sizes_.chain;
  // The gain is unknown if the gap behind the wanted values may be an error of the values: they may end within a multiple value.
  const bool known_gain = known.lowest.back() - known.lowest[options_.wanted - 1] >
                          std::max({limit(), least_known_gap * result_.bounds.norm,
                                    *std::max_element(residual_.begin(), residual_.end())});
  result_.predicted_products = static_cast<double>(result_.products) +
                               (known_gain ? all_steps * filter_.degree * block_width * chain : 0.0) +
                               steps_of_probe() * filter_.degree * block_width;
}

// V := random combinations of the kept vectors, because H of the new p is not known for all kept vectors.
template <class T>
void Lanczos<T>::begin_again() {
  const std::int64_t rows = kept_blocks_ * block_width, columns = sizes_.chain * block_width;
  std::vector<T> q(static_cast<std::size_t>(rows * columns));
  const std::int64_t used = std::min(rows, options_.wanted + options_.wanted / 4 + 2);
  for (std::int64_t i = 0; i < used; ++i)
    for (std::int64_t j = 0; j < columns; ++j)
      q[order_[i] * columns + j] = random_value<T>(1, static_cast<std::uint64_t>(i * columns + j));
  on_.put(q.data(), rows * columns, small_);
  on_.combine(kept_blocks_, kept_, small_, sizes_.chain, basis_.block(0));
  slow_cycles_ = 0;
  projected_.clear();
  locked_.clear();
  basis_.resize(0);
  for (std::int64_t p = 0; p < sizes_.chain; ++p) basis_.append();
}

// True if the residual has not halved in three cycles in a row.
template <class T>
bool Lanczos<T>::stalled() {
  slow_cycles_ = worst_ > 0.5 * worst_before_ ? slow_cycles_ + 1 : 0;
  worst_before_ = worst_;
  return slow_cycles_ >= 3;
}

// Multiplies every kept vector again. After a probe the basis no longer has the blocks that contain the residuals of the kept vectors, and
// nothing else improves these vectors.
template <class T>
void Lanczos<T>::begin_polish() {
  slow_cycles_ = 0;
  projected_.clear();
  projected_.lock(locked_);
  basis_.resize(kept_blocks_);
  max_steps_ = 1000;
}

// Number of steps after which a missed eigenvector dominates the random block. At the beginning its part of a random vector is about
// 1 / sqrt n.
template <class T>
double Lanczos<T>::steps_of_probe() const {
  const double nepers = std::log(10 * std::sqrt(static_cast<double>(on_.order())));
  return std::clamp(std::ceil(nepers / std::max(gain_, 1e-9)), 3.0, 1e3);
}

// V := [kept vectors, a random block]
template <class T>
void Lanczos<T>::begin_probe() {
  probing_ = true;
  ++result_.probe.runs;
  before_probe_ = {rho_, residual_, order_, worst_};
  max_steps_ = static_cast<std::int64_t>(steps_of_probe());
  basis_.resize(kept_blocks_);
  basis_.append_random();
}

// Returns true if the probe found missed pairs; the search then continues with them. Otherwise it restores the vectors from before the
// probe, because the probe has mixed them with unfinished ones.
template <class T>
bool Lanczos<T>::missed_something() {
  std::int64_t found = 0;
  const std::vector<double> before = ascending(before_probe_.rho), after = ascending(rho_);
  for (std::int64_t i = 0; i < options_.wanted; ++i) found += before[i] - after[i] > limit();
  result_.probe.found += found;
  probing_ = false;
  if (found > 0) {
    adopt();
    projected_.restart(theta_.data(), kept_blocks_);
    projected_.lock(locked_);
    return true;
  }
  on_.copy(basis_.block(0), kept_blocks_ * block_values_, kept_);
  rho_ = before_probe_.rho;
  residual_ = before_probe_.residual;
  order_ = before_probe_.order;
  worst_ = before_probe_.worst;
  return false;
}

template <class T>
LanczosResult<T> Lanczos<T>::run(const T* start, std::int64_t start_blocks) {
  begin(start, start_blocks);
  while (true) {
    extend();
    restart();
    judge();
    const bool bound_too_low = probing_ && rho_[order_.back()] > result_.bounds.upper;
    if (bound_too_low) {  // the probe shows values that the filter has enlarged above its upper bound
      probing_ = false;
      adopt();
      projected_.restart(theta_.data(), kept_blocks_);
      projected_.lock(locked_);
    } else if (probing_) {
      result_.probe.done = true;
      result_.probe.passed = !missed_something();
      if (result_.probe.passed) break;
    }
    if (exhausted()) break;
    if (result_.converged && !bound_too_low) {
      begin_probe();
      continue;
    }
    choose();
    const bool seen = projected_.blocks() > 0;  // true: the predicted filter has run for a cycle
    if (exhausted()) break;
    if (seen && result_.restarts >= 4 &&
        result_.predicted_products > 2 * static_cast<double>(options_.max_products))
      break;
  }
  result_.converged = worst_ <= limit();
  result_.vectors = kept_;
  result_.filter = filter_;
  const std::int64_t count = std::min<std::int64_t>(options_.wanted, static_cast<std::int64_t>(rho_.size()));
  std::stable_sort(order_.begin(), order_.begin() + count, [&](auto i, auto j) { return rho_[i] < rho_[j]; });
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t j = order_[options_.highest ? count - 1 - i : i];
    result_.columns.push_back(j);
    result_.values.push_back(filter_.sign * rho_[j]);
    result_.residuals.push_back(residual_[j]);
  }
  result_.orthogonality = orthogonality(on_, kept_blocks_, kept_, small_);
  return result_;
}

}  // namespace

template <class T>
LanczosResult<T> lanczos(Executor<T>& on, const LanczosOptions& options, const T* start,
                         std::int64_t start_blocks) {
  return Lanczos<T>(on, options).run(start, start_blocks);
}

EIGEN_G_INSTANTIATE(double_type, lanczos);

}  // namespace eigen_g
