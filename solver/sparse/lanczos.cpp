#include "solver/sparse/lanczos.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "hybrid/error.hpp"
#include "solver/sparse/restart.hpp"
#include "solver/sparse/small_matrices.hpp"
#include "solver/sparse/verify_few.hpp"

namespace eigen_g {

LanczosSizes lanczos_sizes(std::int64_t wanted) {
  LanczosSizes sizes;
  sizes.chain = wanted <= 16 ? 1 : 2;
  sizes.kept = (wanted + std::max<std::int64_t>(8, wanted / 3) + panel_width - 1) / panel_width;
  sizes.basis = 2 * sizes.kept + 4 + 2 * sizes.chain;
  return sizes;
}

namespace {

// What the restarts' small matrices and the measures need.
std::int64_t small_values(const LanczosSizes& sizes) {
  return std::max(sizes.basis * panel_width * sizes.kept * panel_width, 32 * sizes.kept);
}

}  // namespace

std::int64_t lanczos_values(std::int64_t n, std::int64_t wanted) {
  const LanczosSizes sizes = lanczos_sizes(wanted);
  return (sizes.basis + sizes.kept + 1) * n * panel_width + small_values(sizes) +
         basis_small_values(sizes.basis);
}

std::int64_t lanczos_least_order(std::int64_t wanted) {
  return lanczos_sizes(wanted).basis * panel_width * 3 / 2 + 1;
}

namespace {

// Products that the rest of a block step costs, about: two passes of Gram-Schmidt against half a basis, by bytes.
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
        panel_values_(on.order() * panel_width),
        kept_(on.take_panels(sizes_.kept)),
        work_(on.take_panels(1)),
        small_(on.take(small_values(sizes_))) {
    filter_.sign = options.highest ? -1 : 1;
    range_ = std::clamp(options.tolerance * 1e-2 / std::numeric_limits<double>::epsilon(), 1e1, 1e4);
  }

  LanczosResult<T> run(const T* start, std::int64_t start_panels);

 private:
  void begin(const T* start, std::int64_t start_panels);
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
  bool exhausted() const { return result_.products >= options_.max_products; }

  Executor<T>& on_;
  const LanczosOptions& options_;
  LanczosSizes sizes_;
  Basis<T> basis_;
  Projected<T> projected_;
  std::int64_t panel_values_;
  T *kept_, *work_, *small_;
  ChebyshevFilter filter_;
  double range_ = 1, asymmetry_ = 0;  // the largest of H in the first cycle
  std::array<T, 16> coupling_{};
  std::int64_t kept_panels_ = 0;
  std::vector<double> rho_, residual_;  // of the kept vectors, by their columns
  std::vector<std::int64_t> order_;     // of the kept vectors' columns, rho ascending
  double worst_ = 0, first_worst_ = 0;  // residual of the wanted: now, at the largest
  std::vector<T> theta_;                // Ritz values of p(A), descending
  struct Measured {
    std::vector<double> rho, residual;
    std::vector<std::int64_t> order;
    double worst = 0;
  };
  Measured before_probe_;
  double worst_before_ = 0;
  double gain_ = 0;  // nepers a step of the filter, as the last measures let expect
  int slow_cycles_ = 0;
  bool probing_ = false;
  std::int64_t max_steps_ = 1000;  // of the next cycle, which a full basis ends before
  LanczosResult<T> result_;
};

// A panel of p(A) V at a time, until the basis is full; never fewer than are wanted.
template <class T>
void Lanczos<T>::extend() {
  const std::int64_t least = options_.wanted / panel_width + 1;
  for (std::int64_t step = 0; basis_.panels() < basis_.max_panels(); ++step) {
    if (projected_.panels() >= least && (exhausted() || step >= max_steps_)) break;
    T* const x = basis_.panel(projected_.panels());
    apply_filter(on_, filter_, x, basis_.panel(basis_.panels()), work_);
    result_.products += filter_.degree * panel_width;
    const typename Basis<T>::Coefficients& coefficients = basis_.append();
    const double difference = projected_.add(coefficients.c);
    if (result_.restarts == 0) asymmetry_ = std::max(asymmetry_, difference * filter_.half);
    coupling_ = coefficients.r;
  }
}

// A of a norm that squares hold. Where none is told, that of A x for the columns of V's first panel.
template <class T>
void Lanczos<T>::scale() {
  double norm = std::isfinite(options_.scale) ? options_.scale : 0;
  result_.factor = scaling_of(norm);
  for (int attempt = 0; norm == 0 && attempt < 3; ++attempt) {
    on_.scale(result_.factor);
    on_.multiply(T(1), basis_.panel(0), T(0), T(0), work_);
    result_.products += panel_width;
    on_.gram(1, work_, work_, small_);
    std::array<T, 16> gram;
    on_.get(small_, 16, gram.data());
    const double square = *std::max_element(gram.begin(), gram.end());
    const double found = square > 0 && std::isfinite(square) ? std::sqrt(square) : 0;
    const double more = found > 0 ? scaling_of(found) : std::ldexp(1.0, square > 0 ? -500 : 500);
    if (found > 0 && more == 1) norm = found / result_.factor;
    result_.factor *= more;
  }
  if (norm == 0) result_.factor = 1;
  on_.scale(result_.factor);
  filter_.half = norm > 0 ? norm * result_.factor : 1;
}

// Start vectors may know a part of A alone: a random panel shows the ends of the others.
template <class T>
void Lanczos<T>::begin(const T* start, std::int64_t start_panels) {
  if (start_panels > 0) basis_.append_random();
  for (std::int64_t p = 0; p < std::min(start_panels, sizes_.kept); ++p) {
    on_.copy(start + p * panel_values_, panel_values_, basis_.panel(basis_.panels()));
    basis_.append();
  }
  while (basis_.panels() < sizes_.chain) basis_.append_random();
  scale();
}

// The kept vectors V Q_kept by the projected problem, with which V begins again.
template <class T>
void Lanczos<T>::restart() {
  const auto pairs = projected_.solve();
  const std::int64_t m = projected_.panels() * panel_width;
  if (result_.restarts++ == 0) {
    result_.bounds = spectrum_bounds(pairs.values, pairs.vectors, coupling_.data(), filter_.half);
    if (asymmetry_ > 1e-11 * result_.bounds.norm)
      throw InvalidArgument(Argument::a, "is not symmetric: x^T A y and y^T A x of random x, y differ");
  }
  kept_panels_ = std::min(sizes_.kept, projected_.panels());
  const std::int64_t kept = kept_panels_ * panel_width;
  std::vector<T> q(static_cast<std::size_t>(m * kept));
  for (std::int64_t j = 0; j < kept; ++j)
    for (std::int64_t i = 0; i < m; ++i) q[i * kept + j] = pairs.vectors[i + j * m];
  on_.put(q.data(), m * kept, small_);
  on_.combine(projected_.panels(), basis_.panel(0), small_, kept_panels_, kept_);
  theta_ = pairs.values;
  if (probing_) return;  // V holds what the probe is compared with
  adopt();
  projected_.restart(theta_.data(), kept_panels_);
}

// V := [kept vectors, the panels behind those that H knows]
template <class T>
void Lanczos<T>::adopt() {
  on_.copy(kept_, kept_panels_ * panel_values_, basis_.panel(0));
  const std::int64_t rest = std::min(basis_.panels() - projected_.panels(), sizes_.chain);
  for (std::int64_t p = 0; p < rest; ++p)
    on_.copy(basis_.panel(projected_.panels() + p), panel_values_, basis_.panel(kept_panels_ + p));
  basis_.resize(kept_panels_ + rest);
}

template <class T>
void Lanczos<T>::judge() {
  const FewMeasures<T> measures = measure(on_, filter_.sign, kept_panels_, kept_, work_, small_);
  result_.products += kept_panels_ * panel_width;
  rho_.assign(measures.values.begin(), measures.values.end());
  residual_.assign(measures.residuals.begin(), measures.residuals.end());
  order_.resize(rho_.size());
  std::iota(order_.begin(), order_.end(), 0);
  std::stable_sort(order_.begin(), order_.end(), [&](auto i, auto j) { return rho_[i] < rho_[j]; });
  for (const double rho : rho_) result_.bounds.norm = std::max(result_.bounds.norm, std::abs(rho));
  worst_ = 0;
  for (std::int64_t i = 0; i < options_.wanted; ++i) worst_ = std::max(worst_, residual_[order_[i]]);
  result_.converged = worst_ <= limit();
  if (options_.progress) {
    first_worst_ = std::max(first_worst_, worst_);
    options_.progress(worst_ > limit() ? 1 - std::log(worst_ / limit()) / std::log(first_worst_ / limit())
                                       : 1.0);
  }
}

// The filter of the next cycle, and how many steps that has. Another filter begins with few vectors again, so it must pay.
template <class T>
void Lanczos<T>::choose() {
  KnownSpectrum known;
  for (const std::int64_t i : order_) known.lowest.push_back(rho_[i]);
  known.wanted = options_.wanted;
  double& upper = result_.bounds.upper;
  const bool outside = known.lowest.back() > upper;  // a filter by that bound lifts the wrong end
  if (outside) upper = known.lowest.back() + 0.01 * (known.lowest.back() - known.lowest.front());
  known.upper = upper;

  const double overhead = overhead_of(sizes_), chain = static_cast<double>(sizes_.chain);
  const auto steps_of = [&](const ChebyshevFilter& filter, double residual) {
    return std::log(std::max(residual / limit(), 1.0)) / std::max(gain_of_step(filter, known), 1e-9);
  };
  const ChebyshevFilter other = choose_filter(known, filter_.sign, overhead, range_);
  const double other_steps =
      steps_of(other, upper - known.lowest.front()) + static_cast<double>(kept_panels_) / chain;
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
  // After a new filter the values are not known well enough for more than a look at what it finds.
  if (projected_.panels() == 0) steps = std::min(steps, static_cast<double>(kept_panels_) / chain + 1);
  max_steps_ = static_cast<std::int64_t>(std::clamp(std::ceil(0.9 * steps), 1.0, 1e3)) * sizes_.chain;
  // Where a multiple value goes on behind what is kept, the gain is unknown.
  const bool known_gain = known.lowest.back() - known.lowest[options_.wanted - 1] > limit();
  result_.predicted_products = static_cast<double>(result_.products) +
                               (known_gain ? all_steps * filter_.degree * panel_width * chain : 0.0) +
                               steps_of_probe() * filter_.degree * panel_width;
}

// V := a random combination of the kept vectors: H of another p is not known on them all.
template <class T>
void Lanczos<T>::begin_again() {
  const std::int64_t rows = kept_panels_ * panel_width, columns = sizes_.chain * panel_width;
  std::vector<T> q(static_cast<std::size_t>(rows * columns));
  const std::int64_t used = std::min(rows, options_.wanted + options_.wanted / 4 + 2);
  for (std::int64_t i = 0; i < used; ++i)
    for (std::int64_t j = 0; j < columns; ++j)
      q[order_[i] * columns + j] = random_value<T>(1, static_cast<std::uint64_t>(i * columns + j));
  on_.put(q.data(), rows * columns, small_);
  on_.combine(kept_panels_, kept_, small_, sizes_.chain, basis_.panel(0));
  slow_cycles_ = 0;
  projected_.clear();
  basis_.resize(0);
  for (std::int64_t p = 0; p < sizes_.chain; ++p) basis_.append();
}

// Three cycles in a row have not halved the residual.
template <class T>
bool Lanczos<T>::stalled() {
  slow_cycles_ = worst_ > 0.5 * worst_before_ ? slow_cycles_ + 1 : 0;
  worst_before_ = worst_;
  return slow_cycles_ >= 3;
}

// Every kept vector is multiplied again: where a probe has left the chain of panels that their residuals lie in, nothing else
// makes them better.
template <class T>
void Lanczos<T>::begin_polish() {
  slow_cycles_ = 0;
  projected_.clear();
  basis_.resize(kept_panels_);
  max_steps_ = 1000;
}

// Until what is missed stands out of the random panel, where it begins as one of sqrt n.
template <class T>
double Lanczos<T>::steps_of_probe() const {
  const double nepers = std::log(10 * std::sqrt(static_cast<double>(on_.order())));
  return std::clamp(std::ceil(nepers / std::max(gain_, 1e-9)), 3.0, 1e3);
}

// V := [kept vectors, a random panel]
template <class T>
void Lanczos<T>::begin_probe() {
  probing_ = true;
  ++result_.probe.runs;
  before_probe_ = {rho_, residual_, order_, worst_};
  max_steps_ = static_cast<std::int64_t>(steps_of_probe());
  basis_.resize(kept_panels_);
  basis_.append_random();
}

// Whether pairs were missed: then the search goes on with them. Else the vectors from before the probe stand, which has mixed them
// with its own unfinished ones.
template <class T>
bool Lanczos<T>::missed_something() {
  std::int64_t found = 0;
  for (std::int64_t i = 0; i < options_.wanted; ++i)
    found += before_probe_.rho[before_probe_.order[i]] - rho_[order_[i]] > limit();
  result_.probe.found += found;
  probing_ = false;
  if (found > 0) {
    adopt();
    projected_.restart(theta_.data(), kept_panels_);
    return true;
  }
  on_.copy(basis_.panel(0), kept_panels_ * panel_values_, kept_);
  rho_ = before_probe_.rho;
  residual_ = before_probe_.residual;
  order_ = before_probe_.order;
  worst_ = before_probe_.worst;
  return false;
}

template <class T>
LanczosResult<T> Lanczos<T>::run(const T* start, std::int64_t start_panels) {
  begin(start, start_panels);
  while (true) {
    extend();
    restart();
    judge();
    const bool bound_too_low = probing_ && rho_[order_.back()] > result_.bounds.upper;
    if (bound_too_low) {  // the probe shows what the filter has lifted beyond it
      probing_ = false;
      adopt();
      projected_.restart(theta_.data(), kept_panels_);
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
    const bool seen = projected_.panels() > 0;  // a cycle of the filter that the prediction is for
    if (seen && result_.restarts >= 4 &&
        result_.predicted_products > 2 * static_cast<double>(options_.max_products))
      break;
  }
  result_.converged = worst_ <= limit();
  result_.vectors = kept_;
  result_.filter = filter_;
  const std::int64_t count = std::min<std::int64_t>(options_.wanted, static_cast<std::int64_t>(rho_.size()));
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t j = order_[options_.highest ? count - 1 - i : i];
    result_.columns.push_back(j);
    result_.values.push_back(filter_.sign * rho_[j]);
    result_.residuals.push_back(residual_[j]);
  }
  result_.orthogonality = orthogonality(on_, kept_panels_, kept_, small_);
  return result_;
}

}  // namespace

template <class T>
LanczosResult<T> lanczos(Executor<T>& on, const LanczosOptions& options, const T* start,
                         std::int64_t start_panels) {
  return Lanczos<T>(on, options).run(start, start_panels);
}

template LanczosResult<double> lanczos(Executor<double>&, const LanczosOptions&, const double*, std::int64_t);

}  // namespace eigen_g
