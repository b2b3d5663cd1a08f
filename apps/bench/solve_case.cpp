#ifdef EIGEN_G_HAVE_CUDA

#include "apps/bench/solve_case.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <type_traits>
#include <utility>

#include "apps/bench/energy.hpp"
#include "apps/bench/peers.hpp"
#include "apps/generate/matrices.hpp"
#include "apps/io/scalar_type.hpp"
#include "apps/support/solve_text.hpp"
#include "blas2/symv/symv_truth.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/transfer/transfer.hpp"
#include "solver/api/eigen_g.hpp"
#include "solver/api/generalised.hpp"
#include "solver/calibrate/calibrate.hpp"
#include "solver/verify/verify.hpp"
#include "solver/verify/verify_generalised.hpp"

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
std::uint64_t workspace(const SolveCaseOptions& plan, const Solver& s) {
  const Pointers pointers = s.by == By::device_pointers ? Pointers::device : Pointers::host;
  return plan.generalised ? generalised_workspace_bytes<T>(plan.n, {}, options_of(s), true, pointers).device
                          : workspace_bytes<T>(plan.n, options_of(s), true, pointers).device;
}
// The workspace of this solve with vectors and, if a case can have them, host pointers.
template <class T>
std::uint64_t largest_workspace(const SolveCaseOptions& plan, Solver s) {
  s.by = plan.generalised ? By::device_pointers : By::host_pointers;
  s.vectors = true;
  return workspace<T>(plan, s);
}

// JSON from the timed reports of one call: medians over the reports. A report omits devices without a share.
Json json_of_reports(const std::vector<Report>& reports, int gpus, bool generalised) {
  std::vector<double> parts(static_cast<std::size_t>(gpus) + 1), device_seconds(parts.size());
  Json call = Json::object();
  const auto of_all = [&](auto seconds) {
    std::vector<double> all;
    for (const Report& report : reports) all.push_back(seconds(report));
    return median(all);
  };
  for (const StageWork& work : reports.back().stages)
    call["stages"][name(work.stage)] = of_all([&](const Report& r) { return r.seconds_of(work.stage); });
  if (generalised) return call;
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
    make_a();
    download<T>(queue_, square(a_dev_), host(a_));
    if (plan.generalised) make_b();
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
    result["bit_for_bit"] = nullptr;
    if (!plan_.generalised) result["values"] = nullptr;
    for (Json& call : result["calls"]) {
      const std::string name = call["name"];
      if (!plan_.generalised) call["device_bytes"] = bytes_.count(name) ? Json(bytes_[name]) : Json();
      call["residual"] = call["orthogonality"] = nullptr;
      std::vector<Report>& all = reports_[name];
      if (plan_.rule.warm_up && !all.empty()) all.erase(all.begin());
      const Solver& s = *std::ranges::find(plan_.solvers, name, &Solver::name);
      if (call["failure"].is_null() && !all.empty() && (s.checked || !plan_.generalised))
        call.update(json_of_reports(all, plan_.solvers.front().gpus, plan_.generalised));
    }
    if (plan_.energy) measure_energy(result);
    for (const Solver& s : plan_.solvers)
      for (Json& call : result["calls"])
        if (s.checked && call["name"] == s.name && call["failure"].is_null()) check_vectors(s, call, result);
  }

 private:
  using Memory = DeviceBuffer<T>;
  MatrixView<T> square(const Memory& memory) const { return {memory.data(), n_, n_, n_}; }
  MatrixView<T> host(const HostArray<T>& memory) const { return {memory.get(), n_, n_, n_}; }

  void make_a() const { blas2::fill_random(queue_, a_dev_.data(), a_dev_.size(), std::uint64_t{5}); }
  // B = I + R / (2 sqrt n) with R random. A random complex entry is larger by sqrt 2.
  void make_b() {
    blas2::fill_random(queue_, b_start_.data(), b_start_.size(), std::uint64_t{7});
    download<T>(queue_, square(b_start_), host(b_));
    const R scale = (is_complex<T> ? R(0.35) : R(0.5)) / std::sqrt(static_cast<R>(n_));
    for (std::int64_t j = 0; j < n_; ++j)
      for (std::int64_t i = 0; i < n_; ++i) b_[i + j * n_] = scale * b_[i + j * n_] + T(i == j ? 1 : 0);
    upload<T>(queue_, Part::all, host(b_), square(b_start_));
    queue_.wait();
  }
  bool has_b(const Solver& s) const { return plan_.generalised && !s.without_b; }

  void prepare(const Solver& s) {
    T *const a = a_dev_.data(), *const b = b_dev_.data();
    if (s.by != By::cusolver) {
      bytes_[s.name] = workspace<T>(plan_, s);
      if (cusolver_ && gpu_memory_free(current_gpu()) < largest_workspace<T>(plan_, s)) cusolver_->release();
    } else {
      cusolver_->choose(s.deterministic);
      bytes_[s.name] = has_b(s) ? cusolver_->sygvd_bytes(n_, a, n_, b, n_, w_dev_.data())
                                : cusolver_->syevd_bytes(s.vectors, n_, a, n_, w_dev_.data());
      cusolver_->reserve(bytes_[s.name]);
    }
    make_a();
    if (plan_.generalised)
      EIGEN_G_CUDA(
          cudaMemcpyAsync(b, b_start_.data(), b_start_.bytes(), cudaMemcpyDeviceToDevice, queue_.stream()));
  }

  void solve(const Solver& s) {
    T *const a = a_dev_.data(), *const b = b_dev_.data();
    R* const w = w_dev_.data();
    const auto z = device(s.vectors ? z_dev_.data() : nullptr);
    if (s.by == By::cusolver)
      return has_b(s) ? cusolver_->sygvd(n_, a, n_, b, n_, w) : cusolver_->syevd(s.vectors, n_, a, n_, w);
    const auto solved = [&]() -> Report {
      const Options options = options_of(s);
      const Devices devices = devices_of(s);
      if (s.by == By::host_pointers)
        return eigen_g::eigen_g(n_, a_.get(), n_, w_.data(), s.vectors ? z_.get() : nullptr, n_, options,
                                devices);
      if (!has_b(s))
        return eigen_g::eigen_g(n_, device(a), n_, device(w), z, n_, queue_.stream(), options, devices);
      return sygvd({}, n_, device(a), n_, device(b), n_, device(w), z, n_, queue_.stream(), options, devices);
    };
    const Report report = solved();
    if (report.status != Status::converged) throw Error("did not converge: " + std::to_string(report.info));
    reports_[s.name].push_back(report);
  }

  // The making of the matrix is in the energy; it takes little time.
  void measure_energy(Json& result) {
    constexpr double seconds = 2;
    for (const Solver& s : plan_.solvers)
      for (Json& call : result["calls"]) {
        if (call["name"] != s.name || !call["failure"].is_null()) continue;
        call["joules"] = joules_of(
            [&] {
              prepare(s);
              solve(s);
            },
            seconds);
      }
  }

  void solve_again(const Solver& s) {
    constexpr R nan = std::numeric_limits<R>::quiet_NaN();
    std::fill(z_.get(), z_.get() + n_ * n_, T(nan));
    std::fill(w_.begin(), w_.end(), nan);
    prepare(s);
    EIGEN_G_CUDA(cudaMemsetAsync(z_dev_.data(), 0xff, z_dev_.bytes(), queue_.stream()));
    EIGEN_G_CUDA(cudaMemsetAsync(w_dev_.data(), 0xff, w_dev_.bytes(), queue_.stream()));
    solve(s);
  }

  // Copies the results of a solve on the GPU to z_ and w_.
  void fetch(const Solver& s) {
    if (s.by == By::host_pointers) return;
    download<T>(queue_, square(s.by == By::cusolver ? a_dev_ : z_dev_), host(z_));
    download<R>(queue_, {w_dev_.data(), n_, 1, n_}, {w_.data(), n_, 1, n_});
  }

  void check_vectors(const Solver& s, Json& call, Json& result) {
    if (plan_.solve_again) solve_again(s);
    fetch(s);
    if (cusolver_) cusolver_->release();  // verify() needs device memory too
    if (s.repeated) result["bit_for_bit"] = repeats(s);
    if (plan_.generalised) {
      const GeneralisedVerification v =
          verify_generalised<T>(1, Uplo::lower, n_, a_.get(), n_, b_.get(), n_, n_, w_.data(), z_.get(), n_);
      call.update({{"residual", v.residual},
                   {"orthogonality", v.orthogonality},
                   {"condition", v.condition},
                   {"passed", passed(v)}});
      return;
    }
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
  const std::int64_t of_b_ = plan_.generalised ? n_ * n_ : 0;
  const Memory a_dev_{n_ * n_}, z_dev_{n_ * n_}, b_dev_{of_b_}, b_start_{of_b_};
  const DeviceBuffer<R> w_dev_{n_};
  HostArray<T> a_ = host_array<T>(n_ * n_), b_ = host_array<T>(of_b_), z_ = host_array<T>(n_ * n_);
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
    for (const Solver& s : plan.solvers) most = std::max(most, largest_workspace<T>(plan, s));
    const auto bytes = sizeof(T) * static_cast<std::uint64_t>((plan.generalised ? 4 : 2) * n * n + n) + most;
    return {parameters, plan.rule, [=] { return case_of<SolveCase<T>>(session, plan); }, too_large(bytes)};
  };
  return io::with_type(io::ScalarType{plan.type}, plan_of);
}

std::pair<std::shared_ptr<const Calibration>, std::string> calibrated(const std::string& file, int threads,
                                                                      const Session& session) {
  ChosenCalibration chosen = choose_calibration(file, uncalibrated_machine());
  if (!chosen.refused.empty()) warn(chosen.refused);
  const auto on_step = [&](const std::string& device, double part) {
    session.progress("tune " + device, part);
  };
  if (!chosen.calibration) chosen = {calibrate(Effort::quick, threads, on_step), "measured now", ""};
  return {std::make_shared<const Calibration>(*std::move(chosen.calibration)), chosen.source};
}

}  // namespace eigen_g::apps::bench

#endif
