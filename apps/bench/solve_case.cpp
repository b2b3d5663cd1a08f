#ifdef EIGEN_G_HAVE_CUDA

#include "apps/bench/solve_case.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <type_traits>
#include <utility>

#include "apps/bench/peers.hpp"
#include "apps/generate/matrices.hpp"
#include "apps/io/scalar_type.hpp"
#include "apps/support/solve_text.hpp"
#include "blas2/symv/symv_truth.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/transfer/transfer.hpp"
#include "solver/api/eigen_g.hpp"
#include "solver/calibrate/calibrate.hpp"
#include "solver/verify/verify.hpp"

namespace eigen_g::apps::bench {

namespace {

using By = Solver::By;

Options options_of(const Solver& s) {
  return {.vectors = s.vectors, .path = s.path, .engine = engine_of(s.engine).value()};
}
Devices devices_of(const Solver& s) {
  return {.device = DeviceChoice::gpu,
          .threads = s.threads,
          .gpus = s.gpus,
          .ratio = {s.ratio},
          .calibration = s.calibration,
          .multiprocessors = s.multiprocessors};
}

template <class T>
std::uint64_t workspace(std::int64_t n, const Solver& s) {
  const Pointers pointers = s.by == By::device_pointers ? Pointers::device : Pointers::host;
  return workspace_bytes<T>(n, options_of(s), true, pointers).device;
}
// The workspace of this solve with vectors and host pointers.
template <class T>
std::uint64_t largest_workspace(std::int64_t n, Solver s) {
  s.by = By::host_pointers;
  s.vectors = true;
  return workspace<T>(n, s);
}

// JSON from the timed reports of one call: medians over the reports. A report omits devices without a share.
Json told(const std::vector<Report>& reports, int gpus) {
  std::vector<double> parts(static_cast<std::size_t>(gpus) + 1), device_seconds(parts.size());
  Json call;
  const auto of_all = [&](auto seconds) {
    std::vector<double> all;
    for (const Report& report : reports) all.push_back(seconds(report));
    return median(all);
  };
  for (const StageWork& work : reports.back().stages)
    call["stages"][name(work.stage)] = of_all([&](const Report& r) { return r.seconds_of(work.stage); });
  call["cut_seconds"] = of_all([](const Report& r) {
    return r.seconds_of(Stage::divide_and_conquer) + r.seconds_of(Stage::back_transform) +
           r.seconds_of(Stage::back_transform_band);
  });
  std::size_t gpu = 0;
  for (const DeviceWork& work : reports.back().devices) {
    const std::size_t i = work.gpu < 0 ? parts.size() - 1 : gpu++;
    parts.at(i) = work.share, device_seconds[i] = work.seconds;
  }
  call.update({{"shares", parts},
               {"device_seconds", device_seconds},
               {"ran", engines_text(reports.back())},
               {"path", name(reports.back().path)}});
  return call;
}

template <class T>
class SolveCase {
  using R = real_t<T>;

 public:
  SolveCase(const Session& session, const SolveCaseOptions& plan)
      : queue_(session.queue), cusolver_(session.cusolver), plan_(plan) {
    make();
    download<T>(queue_, {a_dev_.data(), n_, n_, n_}, {a_.get(), n_, n_, n_});
    generate::Spec spec;
    spec.n = n_;
    spec.seed = plan.seed.value_or(0);
    if constexpr (std::is_same_v<T, double>)
      if (plan.seed) generate::fill(spec, a_.get(), n_);
  }

  std::vector<Call> calls() {
    std::vector<Call> calls;
    for (const Solver& s : plan_.solvers)
      if (s.by != By::cusolver || cusolver_)
        calls.push_back({s.name, [this, &s](std::int64_t) { solve(s); }, [this, &s] { prepare(s); }});
    return calls;
  }

  void check(Json& result) {
    result["values"] = result["bit_for_bit"] = nullptr;
    for (Json& call : result["calls"]) {
      const std::string name = call["name"];
      call["device_bytes"] = bytes_.count(name) ? Json(bytes_[name]) : Json();
      call["residual"] = call["orthogonality"] = nullptr;
      std::vector<Report>& all = reports_[name];
      if (plan_.rule.warm_up && !all.empty()) all.erase(all.begin());
      if (call["failure"].is_null() && !all.empty()) call.update(told(all, plan_.solvers.front().gpus));
    }
    for (const Solver& s : plan_.solvers)
      for (Json& call : result["calls"])
        if (s.checked && call["name"] == s.name && call["failure"].is_null()) check_vectors(s, call, result);
  }

 private:
  void make() const { blas2::fill_random(queue_, a_dev_.data(), a_dev_.size(), std::uint64_t{5}); }

  void prepare(const Solver& s) {
    if (s.by != By::cusolver) {
      bytes_[s.name] = workspace<T>(n_, s);
      if (cusolver_ && gpu_memory_free(current_gpu()) < largest_workspace<T>(n_, s)) cusolver_->release();
    } else {
      cusolver_->choose(s.deterministic);
      bytes_[s.name] = cusolver_->syevd_bytes(s.vectors, n_, a_dev_.data(), n_, w_dev_.data());
      cusolver_->reserve(bytes_[s.name]);
    }
    make();
  }

  void solve(const Solver& s) {
    if (s.by == By::cusolver) return cusolver_->syevd(s.vectors, n_, a_dev_.data(), n_, w_dev_.data());
    const Report report = s.by == By::device_pointers
                              ? eigen_g::eigen_g(n_, device(a_dev_.data()), n_, device(w_dev_.data()),
                                                 device(s.vectors ? z_dev_.data() : nullptr), n_,
                                                 queue_.stream(), options_of(s), devices_of(s))
                              : eigen_g::eigen_g(n_, a_.get(), n_, w_.data(), s.vectors ? z_.get() : nullptr,
                                                 n_, options_of(s), devices_of(s));
    if (report.status != Status::converged) throw Error("did not converge: " + std::to_string(report.info));
    reports_[s.name].push_back(report);
  }

  void solve_again(const Solver& s) {
    constexpr R nan = std::numeric_limits<R>::quiet_NaN();
    std::fill(z_.get(), z_.get() + n_ * n_, T(nan));
    std::fill(w_.begin(), w_.end(), nan);
    prepare(s);
    solve(s);
  }

  // Copies the results of a solve on the GPU to z_ and w_.
  void fetch(const Solver& s) {
    if (s.by == By::host_pointers) return;
    const DeviceBuffer<T>& vectors = s.by == By::cusolver ? a_dev_ : z_dev_;
    download<T>(queue_, {vectors.data(), n_, n_, n_}, {z_.get(), n_, n_, n_});
    download<R>(queue_, {w_dev_.data(), n_, 1, n_}, {w_.data(), n_, 1, n_});
  }

  void check_vectors(const Solver& s, Json& call, Json& result) {
    if (plan_.solve_again) solve_again(s);
    fetch(s);
    if (cusolver_) cusolver_->release();  // verify() needs device memory too
    if (s.repeated) result["bit_for_bit"] = repeats(s);
    const Verification v = verify<T>(Uplo::lower, n_, a_.get(), n_, n_, w_.data(), z_.get(), n_);
    const bool sound = v.finite && v.ascending;
    call.update({{"residual", sound ? v.lapack_residual : std::nan("")},
                 {"orthogonality", sound ? v.lapack_orthogonality : std::nan("")},
                 {"residual_frobenius", v.residual_frobenius},
                 {"reconstruction", v.reconstruction},
                 {"paper_orthogonality", v.orthogonality},
                 {"passed", passed(v)}});
    compare_values(s, result);
  }

  // True if a second solve gives the bits of z_ and w_.
  bool repeats(const Solver& s) {
    const HostArray<T> z = std::exchange(z_, host_array<T>(n_ * n_));
    const std::vector<R> w = w_;
    solve_again(s);
    fetch(s);
    return std::memcmp(z_.get(), z.get(), sizeof(T) * w.size() * w.size()) == 0 &&
           std::memcmp(w_.data(), w.data(), sizeof(R) * w.size()) == 0;
  }

  // max |w - w'| / (n ulp max |w|), w' from the same solve without vectors, if that one was timed.
  void compare_values(const Solver& s, Json& result) {
    const auto alone = std::find_if(plan_.solvers.begin(), plan_.solvers.end(),
                                    [&](const Solver& other) { return other.by == s.by && !other.vectors; });
    if (!s.repeated || alone == plan_.solvers.end() || at(result, alone->name).is_null()) return;
    const std::vector<R> w = w_;
    solve_again(*alone);
    fetch(*alone);
    result["values"] = distance(w, w_);
  }

  const Queue& queue_;
  Cusolver* const cusolver_;
  const SolveCaseOptions plan_;
  const std::int64_t n_ = plan_.n;
  const DeviceBuffer<T> a_dev_{n_ * n_}, z_dev_{n_ * n_};
  const DeviceBuffer<R> w_dev_{n_};
  HostArray<T> a_ = host_array<T>(n_ * n_), z_ = host_array<T>(n_ * n_);
  std::vector<R> w_ = std::vector<R>(static_cast<std::size_t>(n_));
  std::map<std::string, std::vector<Report>> reports_;  // key: the call's name
  std::map<std::string, std::uint64_t> bytes_;
};

}  // namespace

CaseOptions solve_case(const Session& session, const SolveCaseOptions& plan, Json parameters) {
  const std::int64_t n = plan.n;
  parameters["n"] = n;
  const auto plan_of = [&]<class T>(T) -> CaseOptions {
    std::uint64_t most = 0;
    for (const Solver& s : plan.solvers) most = std::max(most, largest_workspace<T>(n, s));
    const auto bytes = sizeof(T) * static_cast<std::uint64_t>(2 * n * n + n) + most;
    return {parameters, plan.rule, [=] { return case_of<SolveCase<T>>(session, plan); }, too_large(bytes)};
  };
  return io::with_type(io::ScalarType{plan.type}, plan_of);
}

std::pair<std::shared_ptr<const Calibration>, std::string> calibrated(const std::string& file, int threads,
                                                                      const Session& session) {
  ChosenCalibration chosen = choose_calibration(file, uncalibrated_machine());
  if (!chosen.refused.empty()) warn(chosen.refused);
  const auto tell = [&](const std::string& device, double part) { session.progress("tune " + device, part); };
  if (!chosen.calibration) chosen = {calibrate(Effort::quick, threads, tell), "measured now", ""};
  return {std::make_shared<const Calibration>(*std::move(chosen.calibration)), chosen.source};
}

}  // namespace eigen_g::apps::bench

#endif
