#include "apps/bench/solve_measure.hpp"

#include <algorithm>

#include "hybrid/machine/device.hpp"

#ifdef EIGEN_G_HAVE_CUDA

#include <cfloat>
#include <cmath>
#include <cstring>
#include <memory>

#include "apps/bench/cusolver_peers.hpp"
#include "apps/bench/over_sizes.hpp"
#include "apps/bench/statistics.hpp"
#include "apps/bench/timing.hpp"
#include "apps/cli/text.hpp"
#include "blas2/symv/symv_truth.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/transfer/transfer.hpp"
#include "solver/verify/verify.hpp"

namespace eigen_g::apps::bench {

namespace {

constexpr std::uint64_t seed = 5;

// Of one call of eigen_g, a warm-up first if there was one.
using Reports = std::vector<Report>;

// Median by stage, of all but the first `left_out`.
std::vector<double> median_stages(const Reports& reports, std::size_t left_out) {
  std::vector<double> medians;
  for (const Stage stage : all_stages) {
    std::vector<double> seconds;
    for (std::size_t i = left_out; i < reports.size(); ++i) seconds.push_back(reports[i].seconds_of(stage));
    medians.push_back(quantile(seconds, 0.5));
  }
  return medians;
}

std::size_t bytes_of(std::int64_t doubles) {
  return sizeof(double) * static_cast<std::size_t>(doubles);
}

class Size {
 public:
  Size(Queue& queue, Cusolver* cusolver, std::int64_t n)
      : queue_(queue),
        cusolver_(cusolver),
        n_(n),
        a_dev_(n * n),
        z_dev_(n * n),
        w_dev_(n),
        a_(host_array<double>(n * n)),
        z_(host_array<double>(n * n)),
        w_(static_cast<std::size_t>(n)) {
    make_matrix();
    to_host(a_dev_, a_.get());
  }

  // Of the bench's own arrays and of what a call on device or on host pointers takes beside them.
  static std::uint64_t bytes(const Queue&, std::int64_t n) {
    return 2 * bytes_of(n * n) + bytes_of(n) +
           std::max(workspace_bytes(n, true, true, Pointers::device).device,
                    workspace_bytes(n, true, true, Pointers::host).device);
  }

  void measure(const SolvePlan& plan, SolveCase& c) {
    std::vector<Work> work;
    std::map<std::string, Reports> reports;
    const auto add = [&](const std::string& name, std::optional<std::uint64_t> device_bytes,
                         std::function<void()> prepare, std::function<void()> call) {
      TimedCall timed;
      timed.name = name;
      timed.device_bytes = device_bytes;
      c.calls.push_back(timed);
      work.push_back({[call](std::int64_t) { call(); }, 1, false, std::move(prepare)});
    };
    const std::uint64_t own = std::max(workspace_bytes(n_, true, true, Pointers::device).device,
                                       workspace_bytes(n_, true, true, Pointers::host).device);
    const auto wanted = [&](Pointers pointers, bool vectors) {
      return !plan.brief || (pointers == Pointers::device && vectors);
    };
    c.brief = plan.brief;
    const auto add_own = [&] {
      for (const Pointers pointers : {Pointers::device, Pointers::host})
        for (const bool vectors : {true, false}) {
          if (!wanted(pointers, vectors)) continue;
          const std::string name =
              std::string(pointers == Pointers::device ? "device_" : "host_") + what(vectors);
          Reports& of_call = reports[name];
          add(
              name, workspace_bytes(n_, vectors, true, pointers).device,
              [this, own] {
                if (cusolver_ && gpu_device(current_gpu()).memory_free < own) cusolver_->release();
                make_matrix();
              },
              [this, pointers, vectors, &of_call] { of_call.push_back(solve(pointers, vectors)); });
        }
    };
    const auto add_peers = [&] {
      if (!cusolver_) return;
      for (const bool deterministic : {true, false})
        for (const bool vectors : {true, false}) {
          if (!wanted(Pointers::device, vectors) || (plan.brief && deterministic)) continue;
          add(
              std::string(deterministic ? "cusolver_" : "cusolver_nondeterministic_") + what(vectors),
              std::nullopt,
              [this, &c, call = c.calls.size(), deterministic, vectors] {
                if (!cusolver_->choose(deterministic)) throw DeviceError("this cuSOLVER has no such mode");
                const std::uint64_t needed =
                    cusolver_->syevd_bytes(vectors, n_, a_dev_.data(), n_, w_dev_.data());
                c.calls[call].device_bytes = needed;
                cusolver_->reserve(needed);
                make_matrix();
              },
              [this, vectors] { cusolver_->syevd(vectors, n_, a_dev_.data(), n_, w_dev_.data()); });
        }
    };
    if (plan.brief) add_peers();  // so that what is left in the end are our own results
    add_own();
    if (!plan.brief) add_peers();
    const TimingRule rule = rule_of(plan, n_);
    time_calls(queue_, work, rule, c.calls);
    for (const auto& [name, of_call] : reports)
      if (find(c.calls, name)) c.stages[name] = median_stages(of_call, rule.warm_up ? 1 : 0);
    if (plan.brief)
      check_brief(plan, c);
    else
      check(c);
  }

 private:
  static const char* what(bool vectors) { return vectors ? "vectors" : "values"; }

  void make_matrix() const { blas2::fill_random(queue_, a_dev_.data(), a_dev_.size(), seed); }

  Report solve(Pointers pointers, bool vectors) {
    eigen_g::Options options;
    options.vectors = vectors;
    options.device = DeviceChoice::gpu;
    const Report report =
        pointers == Pointers::device
            ? eigen_g::eigen_g(n_, a_dev_.data(), n_, w_dev_.data(), vectors ? z_dev_.data() : nullptr, n_,
                               queue_.stream(), options)
            : eigen_g::eigen_g(n_, a_.get(), n_, w_.data(), vectors ? z_.get() : nullptr, n_, options);
    if (report.status != Status::converged) throw Error("did not converge: " + std::to_string(report.failed));
    return report;
  }

  // All of a matrix of n rows, or of a vector of n.
  void to_host(const DeviceBuffer<double>& from, double* to) const {
    const std::int64_t columns = from.size() / n_;
    download(queue_, {from.data(), n_, columns, n_}, {to, n_, columns, n_});
  }

  // The pairs w_, z_ in host memory.
  SolveChecks ratios() const {
    const Verification v = verify(Uplo::lower, n_, a_.get(), n_, n_, w_.data(), z_.get(), n_);
    const double nan = std::nan("");
    return v.finite && v.ascending ? SolveChecks{v.lapack_residual, v.lapack_orthogonality}
                                   : SolveChecks{nan, nan};
  }

  // As device_vectors: a new matrix, its pairs to host memory.
  void solve_again(double* z, double* w) {
    make_matrix();
    solve(Pointers::device, true);
    to_host(z_dev_, z);
    to_host(w_dev_, w);
  }

  // Whether a second solve gives the bits of w_, z_.
  bool repeats() {
    const auto again = host_array<double>(n_ * n_);
    std::vector<double> w_again(static_cast<std::size_t>(n_));
    solve_again(again.get(), w_again.data());
    return std::memcmp(again.get(), z_.get(), bytes_of(n_ * n_)) == 0 &&
           std::memcmp(w_again.data(), w_.data(), bytes_of(n_)) == 0;
  }

  void check_brief(const SolvePlan& plan, SolveCase& c) {
    if (cusolver_) cusolver_->release();  // verify() wants device memory too
    if (!find(c.calls, "device_vectors")) return;
    to_host(z_dev_, z_.get());
    to_host(w_dev_, w_.data());
    if (plan.rounds > 1) c.bit_for_bit = repeats();
    c.checks["device_vectors"] = ratios();
  }

  void check(SolveCase& c) {
    const auto poison = [&] {
      std::fill(z_.get(), z_.get() + n_ * n_, std::nan(""));
      std::fill(w_.begin(), w_.end(), std::nan(""));
    };
    if (find(c.calls, "cusolver_vectors")) {
      poison();
      cusolver_->choose(true);
      make_matrix();
      cusolver_->syevd(true, n_, a_dev_.data(), n_, w_dev_.data());
      to_host(a_dev_, z_.get());
      to_host(w_dev_, w_.data());
    }
    if (cusolver_) cusolver_->release();  // verify() wants device memory too
    if (find(c.calls, "cusolver_vectors")) c.checks["cusolver_vectors"] = ratios();

    if (find(c.calls, "host_vectors")) {
      poison();
      solve(Pointers::host, true);
      c.checks["host_vectors"] = ratios();
    }
    if (!find(c.calls, "device_vectors") || !find(c.calls, "device_values")) return;
    make_matrix();
    solve(Pointers::device, false);
    std::vector<double> values_only(static_cast<std::size_t>(n_));
    to_host(w_dev_, values_only.data());

    solve_again(z_.get(), w_.data());
    c.bit_for_bit = repeats();
    c.checks["device_vectors"] = ratios();

    double distance = 0, largest = 0;
    for (std::size_t k = 0; k < w_.size(); ++k) {
      largest = std::max(largest, std::fabs(w_[k]));
      const double difference = std::fabs(w_[k] - values_only[k]);
      if (!(difference <= distance)) distance = difference;
    }
    c.values = distance / (static_cast<double>(n_) * DBL_EPSILON * largest);
  }

  Queue& queue_;
  Cusolver* cusolver_;
  std::int64_t n_;
  DeviceBuffer<double> a_dev_, z_dev_, w_dev_;
  HostArray<double> a_, z_;
  std::vector<double> w_;
};

}  // namespace

SolveBench measure_solve(const SolvePlan& plan) {
  return measure_over_sizes<Size, SolveBench>(plan);
}

}  // namespace eigen_g::apps::bench

#else

namespace eigen_g::apps::bench {

SolveBench measure_solve(const SolvePlan&) {
  throw DeviceError("this benchmark needs a GPU, and this program is built without CUDA");
}

}  // namespace eigen_g::apps::bench

#endif
