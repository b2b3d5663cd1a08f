#include "apps/cli/symv_tuning.hpp"

#include <algorithm>
#include <cmath>

#include "hybrid/machine/device.hpp"

#ifdef EIGEN_G_HAVE_CUDA

#include <complex>
#include <limits>
#include <map>
#include <set>

#include "apps/support/stopwatch.hpp"
#include "apps/support/symv_operands.hpp"
#include "apps/support/text.hpp"
#include "apps/support/timing.hpp"
#include "blas2/symv/symv_truth.hpp"
#include "blas2/tune/tuner.hpp"
#include "hybrid/cuda_check.hpp"

#endif

namespace eigen_g::apps {

namespace {

constexpr double first_size = 64;
constexpr int an_octave = 4;

std::int64_t multiple_of_8(double n) {
  return std::max<std::int64_t>(8, std::llround(n / 8) * 8);
}

}  // namespace

std::vector<std::int64_t> first_sieve_sizes(std::int64_t n_max) {
  std::vector<std::int64_t> sizes;
  for (const double part : {128.0, 32.0, 8.0, 2.0}) {
    const std::int64_t n = multiple_of_8(static_cast<double>(n_max) / part * 0.95);
    if (sizes.empty() || n > sizes.back()) sizes.push_back(n);
  }
  return sizes;
}

SecondSieveSizes second_sieve_sizes(std::int64_t n_max) {
  const auto steps = static_cast<int>(
      std::floor(an_octave * std::log2(std::max(1.0, static_cast<double>(n_max) / first_size))));
  SecondSieveSizes sizes{{n_max}, 0};
  auto add = [&](int step) {  // half a step away from n_max 2^-k, which is a power of two if n_max is one
    const std::int64_t n =
        multiple_of_8(static_cast<double>(n_max) * std::exp2(-(step - 0.5) / static_cast<double>(an_octave)));
    if (std::find(sizes.n.begin(), sizes.n.end(), n) == sizes.n.end()) sizes.n.push_back(n);
  };
  for (const int offset : {0, 2, 1, 3}) {  // each pass halves the gaps
    for (int step = an_octave; step <= steps + an_octave; step += an_octave)
      if (step - offset <= steps) add(step - offset);
    if (sizes.least == 0) sizes.least = sizes.n.size();
  }
  return sizes;
}

#ifdef EIGEN_G_HAVE_CUDA

namespace {

using blas2::Measurement;
using blas2::SymvConfig;
using blas2::SymvType;

// Tunes one type and triangle: two sieves, then the rows of the table.
template <class T>
class Tuning {
 public:
  Tuning(const Queue& queue, const SymvTuningOptions& plan, const SymvOperands<T>& operands,
         blas2::SymvWorkspace& workspace, std::int64_t n_max, Uplo uplo)
      : queue_(queue), plan_(plan), operands_(operands), workspace_(workspace), n_max_(n_max), uplo_(uplo) {}

  SymvTuned run(double seconds, const std::function<void(double)>& progress) {
    const Stopwatch watch;
    result_.type = type_;
    result_.uplo = uplo_;
    result_.candidates = static_cast<int>(candidates_.size());

    std::vector<int> all(candidates_.size());
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<int>(k);
    const auto few_sizes = first_sieve_sizes(n_max_);
    std::vector<Measurement> measured;
    for (std::size_t i = 0; i < few_sizes.size(); ++i) {
      progress(0.5 * static_cast<double>(i) / static_cast<double>(few_sizes.size()));
      TimingRule rule;
      rule.rounds = 11;
      rule.round_seconds = 5e-4;
      rule.seconds = 0.5 * seconds / static_cast<double>(few_sizes.size());
      judge(few_sizes[i], all);
      measure(few_sizes[i], all, rule, measured);
    }

    std::vector<int> kept = blas2::first_sieve(measured);
    for (const std::int64_t n : few_sizes) {
      const int usual = default_at(n);
      if (usual >= 0 && std::find(kept.begin(), kept.end(), usual) == kept.end()) kept.push_back(usual);
    }
    result_.kept = static_cast<int>(kept.size());

    measured.clear();
    const SecondSieveSizes sizes = second_sieve_sizes(n_max_);
    for (std::size_t i = 0; i < sizes.n.size(); ++i) {
      const double left = seconds - watch.seconds();
      if (i >= sizes.least && left <= 0) break;
      progress(0.5 + 0.5 * static_cast<double>(i) / static_cast<double>(sizes.n.size()));
      TimingRule rule;
      rule.least_rounds = 5;
      rule.seconds = left / static_cast<double>(sizes.n.size() - i);
      measure(sizes.n[i], kept, rule, measured);
      ++result_.sizes;
    }
    make_rows(blas2::second_sieve(measured), measured);
    for (const auto& [candidate, why] : failed_)
      result_.failed.push_back(name(config(candidate)) + ": " + why);
    return std::move(result_);
  }

 private:
  const SymvConfig& config(int candidate) const { return candidates_[static_cast<std::size_t>(candidate)]; }

  int default_at(std::int64_t n) const {
    const auto usual = default_symv_config(type_, uplo_, n, queue_.multiprocessors());
    const auto found = std::find(candidates_.begin(), candidates_.end(), usual);
    return found == candidates_.end() ? -1 : static_cast<int>(found - candidates_.begin());
  }

  void call(int candidate, std::int64_t n, std::int64_t matrix) const {
    blas2::symv<T>(queue_.stream(), uplo_, n, T{1}, operands_.a(n, matrix), n, operands_.x(), 1, T{0},
                   operands_.y(), 1, workspace_, config(candidate));
  }

  // Runs each candidate once and excludes the candidates with a wrong result from all further measurements. All workspace is allocated
  // here, because a graph that is captured later keeps its address.
  void judge(std::int64_t n, const std::vector<int>& candidates) {
    const blas2::SymvTruth<T> truth(queue_, uplo_, n, operands_.a(n, 0), n, operands_.x());
    for (const int candidate : candidates) {
      if (wrong_.count(candidate)) continue;
      try {
        workspace_.reserve(type_, n, config(candidate));
        EIGEN_G_CUDA(
            cudaMemsetAsync(operands_.y(), 0xff, static_cast<std::size_t>(n) * sizeof(T), queue_.stream()));
        call(candidate, n, 0);
        const double error = truth.error(queue_, operands_.y());
        if (!(error <= symv_error_limit)) {
          wrong_.insert(candidate);
          failed_[candidate] = print("wrong result at n = %lld, error %g", static_cast<long long>(n), error);
        }
      } catch (const Error& e) {
        failed_.emplace(candidate, e.what());
      }
    }
  }

  void measure(std::int64_t n, const std::vector<int>& candidates, const TimingRule& rule,
               std::vector<Measurement>& measured) {
    const auto order = static_cast<double>(n);
    const double half = order * (order + 1) / 2 * sizeof(T);
    const std::int64_t rotation = plan_.one_matrix ? 1 : operands_.rotation(n, half);
    std::vector<int> who;
    std::vector<Call> calls;
    for (const int candidate : candidates) {
      if (wrong_.count(candidate)) continue;
      try {
        workspace_.reserve(type_, n, config(candidate));
      } catch (const Error& e) {
        failed_.emplace(candidate, e.what());
        continue;
      }
      who.push_back(candidate);
      calls.push_back({name(config(candidate)),
                       [this, candidate, n, rotation](std::int64_t k) { call(candidate, n, k % rotation); },
                       nullptr, rotation});
    }
    const auto timings = time_in_turns(queue_, calls, rule);
    for (std::size_t k = 0; k < who.size(); ++k) {
      if (timings[k].failure.empty())
        measured.push_back({who[k], n, half / timings[k].median});
      else
        failed_.emplace(who[k], timings[k].failure);
    }
  }

  void make_rows(const std::vector<blas2::Segment>& segments, const std::vector<Measurement>& measured) {
    for (std::size_t i = 0; i < segments.size(); ++i) {
      SymvTunedRow tuned;
      tuned.row.type = type_;
      tuned.row.uplo = uplo_;
      tuned.row.n_from = segments[i].n_from;
      tuned.row.n_to =
          i + 1 < segments.size() ? segments[i + 1].n_from : std::numeric_limits<std::int64_t>::max();
      tuned.row.config = config(segments[i].candidate);
      for (const Measurement& m : measured)
        if (m.n >= tuned.row.n_from && m.n < tuned.row.n_to)
          tuned.n_measured = std::max(tuned.n_measured, m.n);
      for (const Measurement& m : measured) {
        if (m.n != tuned.n_measured) continue;
        if (m.candidate == segments[i].candidate) tuned.rate = m.rate;
        if (m.candidate == default_at(m.n)) tuned.default_rate = m.rate;
      }
      result_.rows.push_back(tuned);
    }
  }

  static constexpr SymvType type_ = blas2::symv_type_of<T>;
  const Queue& queue_;
  const SymvTuningOptions& plan_;
  const SymvOperands<T>& operands_;
  blas2::SymvWorkspace& workspace_;
  std::int64_t n_max_;
  Uplo uplo_;
  std::span<const SymvConfig> candidates_ = blas2::symv_candidates(type_);
  std::set<int> wrong_;
  std::map<int, std::string> failed_;
  SymvTuned result_;
};

// Divides the remaining time equally among the remaining jobs.
struct Budget {
  double seconds;
  int jobs;
  int done = 0;
  Stopwatch watch;
  double next() const { return std::max(0.0, seconds - watch.seconds()) / std::max(1, jobs - done); }
};

template <class T>
void tune_type(const Queue& queue, const SymvTuningOptions& plan, Budget& budget,
               std::vector<SymvTuned>& tuned) {
  const Device gpu = gpu_device(current_gpu());
  std::int64_t n_max = plan.n_max;
  while (n_max > 64 && SymvOperands<T>::bytes(n_max, gpu.l2_bytes) > gpu.memory_free / 10 * 8)
    n_max = std::max<std::int64_t>(64, n_max * 9 / 10);
  const SymvOperands<T> operands(queue, n_max, gpu.l2_bytes);
  for (const Uplo uplo : plan.triangles) {
    blas2::SymvWorkspace workspace;
    auto progress = [&](double fraction) {
      if (plan.progress) plan.progress((budget.done + fraction) / budget.jobs);
    };
    tuned.push_back(Tuning<T>(queue, plan, operands, workspace, n_max, uplo).run(budget.next(), progress));
    ++budget.done;
  }
}

}  // namespace

std::vector<SymvTuned> measure_symv_configs(const SymvTuningOptions& plan) {
  if (gpu_count() == 0) throw DeviceError("tuning needs a GPU; none was found");
  const Queue queue;
  std::vector<SymvTuned> tuned;
  Budget budget{plan.seconds, static_cast<int>(plan.types.size() * plan.triangles.size()), 0, {}};
  for (const SymvType type : plan.types) {
    switch (type) {
      case SymvType::s:
        tune_type<float>(queue, plan, budget, tuned);
        break;
      case SymvType::d:
        tune_type<double>(queue, plan, budget, tuned);
        break;
      case SymvType::c:
        tune_type<std::complex<float>>(queue, plan, budget, tuned);
        break;
      case SymvType::z:
        tune_type<std::complex<double>>(queue, plan, budget, tuned);
        break;
      case SymvType::w:
        tune_type<blas2::DoubleDouble>(queue, plan, budget, tuned);
        break;
    }
  }
  return tuned;
}

#else

std::vector<SymvTuned> measure_symv_configs(const SymvTuningOptions&) {
  throw DeviceError("tuning needs a GPU; this program is built without CUDA");
}

#endif

}  // namespace eigen_g::apps
