#include "solver/eigen_g.hpp"

#include <algorithm>
#include <chrono>
#include <string>

#include "hybrid/cpu.hpp"
#include "hybrid/device.hpp"
#include "solver/pipeline.hpp"
#include "solver/scale.hpp"

namespace eigen_g {

namespace {

// Below this order a GPU's start and round trips cost more than the whole solve does on a CPU.
constexpr std::int64_t smallest_for_gpu = 200;

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Tells the caller where a solve is and adds up the time of each stage.
class StageClock {
 public:
  StageClock(Pipeline& pipeline, const Options& options, Report& report)
      : pipeline_(pipeline), options_(options), report_(report) {}

  template <class Work>
  auto operator()(Stage stage, Work&& work) {
    tell(stage, 0);
    const auto start = Clock::now();
    const auto finish = [&] {
      pipeline_.wait();
      report_.stage_seconds[static_cast<std::size_t>(stage)] += seconds_since(start);
      tell(stage, 1);
    };
    if constexpr (std::is_void_v<decltype(work())>) {
      work();
      finish();
    } else {
      auto value = work();
      finish();
      return value;
    }
  }

 private:
  void tell(Stage stage, double fraction) const {
    if (options_.progress) options_.progress(stage, fraction);
  }
  Pipeline& pipeline_;
  const Options& options_;
  Report& report_;
};

void run(Pipeline& pipeline, const Options& options, Report& report) {
  StageClock stage(pipeline, options, report);
  std::function<void(double)> reduction_progress;
  if (options.progress)
    reduction_progress = [&](double fraction) { options.progress(Stage::tridiagonalize, fraction); };

  stage(Stage::transfer, [&] { pipeline.load(); });
  const int k = scale_exponent(stage(Stage::check, [&] { return pipeline.check(); }));
  stage(Stage::scale, [&] { pipeline.scale(k); });
  stage(Stage::tridiagonalize, [&] { pipeline.tridiagonalize(reduction_progress); });
  const Outcome outcome = stage(Stage::divide_and_conquer, [&] { return pipeline.divide_and_conquer(); });
  stage(Stage::back_transform, [&] { pipeline.back_transform(); });
  stage(Stage::unscale, [&] { pipeline.unscale(k); });
  stage(Stage::transfer, [&] { pipeline.store(); });

  report.status = outcome.status;
  report.failed = outcome.failed;
}

void check_arguments(std::int64_t n, const void* a, std::int64_t lda, const void* w, const void* z,
                     std::int64_t ldz, bool vectors) {
  const auto require = [](bool good, const char* argument, const std::string& what) {
    if (!good) throw InvalidArgument(argument, what);
  };
  const std::string at_least_n =
      ", must be at least max(1, n) = " + std::to_string(std::max<std::int64_t>(1, n));
  require(n >= 0, "n", "is " + std::to_string(n) + ", must not be negative");
  require(a || n == 0, "a", "is null");
  require(lda >= std::max<std::int64_t>(1, n), "lda", "is " + std::to_string(lda) + at_least_n);
  require(w || n == 0, "w", "is null");
  if (!vectors) return;
  require(z || n == 0, "z", "is null, but vectors are wanted");
  require(ldz >= std::max<std::int64_t>(1, n), "ldz", "is " + std::to_string(ldz) + at_least_n);
}

Problem problem_of(std::int64_t n, const double* a, std::int64_t lda, double* w, double* z, std::int64_t ldz,
                   const Options& options) {
  return {options.uplo, n, {a, n, n, lda}, w, {options.vectors ? z : nullptr, n, n, ldz}};
}

bool take_gpu(DeviceChoice choice, std::int64_t n, bool vectors) {
  if (choice == DeviceChoice::cpu) return false;
  const int gpus = gpu_count();
  if (choice == DeviceChoice::gpu) {
    if (gpus == 0)
      throw DeviceError(cuda_toolkit_version().empty()
                            ? "a GPU was asked for, but this is a build without CUDA"
                            : "a GPU was asked for, but there is none");
    return true;
  }
  if (gpus == 0 || n < smallest_for_gpu) return false;
  return workspace_bytes(n, vectors, true).device <= gpu_device(current_gpu()).memory_free;
}

std::unique_ptr<Pipeline> open_pipeline(bool gpu, const Problem& problem, [[maybe_unused]] Pointers pointers,
                                        [[maybe_unused]] CUstream_st* stream) {
#ifdef EIGEN_G_HAVE_CUDA
  if (gpu) return device_pipeline(problem, pointers, stream);
#else
  (void)gpu;
#endif
  return host_pipeline(problem);
}

Report solve_problem(bool gpu, const Problem& problem, Pointers pointers, CUstream_st* stream,
                     const Options& options) {
  const auto start = Clock::now();
  const ThreadLimit limit(options.threads);
  Report report;
  report.devices = {gpu ? gpu_device(current_gpu()).name : cpu_name()};
  if (problem.n > 0) {
    const auto pipeline = open_pipeline(gpu, problem, pointers, stream);
    run(*pipeline, options, report);
    report.host_bytes = pipeline->bytes().host;
    report.device_bytes = pipeline->bytes().device;
  }
  report.seconds = seconds_since(start);
  return report;
}

}  // namespace

Report eigen_g(std::int64_t n, const double* a, std::int64_t lda, double* w, double* z, std::int64_t ldz,
               const Options& options) {
  check_arguments(n, a, lda, w, z, ldz, options.vectors);
  return solve_problem(take_gpu(options.device, n, options.vectors),
                       problem_of(n, a, lda, w, z, ldz, options), Pointers::host, nullptr, options);
}

Report eigen_g(std::int64_t n, double* a_dev, std::int64_t lda, double* w_dev, double* z_dev,
               std::int64_t ldz, CUstream_st* stream, const Options& options) {
  check_arguments(n, a_dev, lda, w_dev, z_dev, ldz, options.vectors);
  if (options.device == DeviceChoice::cpu)
    throw InvalidArgument("options.device", "is cpu, but the pointers are a GPU's");
  take_gpu(DeviceChoice::gpu, n, options.vectors);
  return solve_problem(true, problem_of(n, a_dev, lda, w_dev, z_dev, ldz, options), Pointers::device, stream,
                       options);
}

Solution solve(std::int64_t n, const double* a, std::int64_t lda, const Options& options) {
  check_arguments(n, a, lda, &lda, &lda, std::max<std::int64_t>(1, n), options.vectors);
  Solution solution;
  solution.values.resize(static_cast<std::size_t>(n));
  if (options.vectors) solution.vectors.resize(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  solution.report = eigen_g(n, a, lda, solution.values.data(), solution.vectors.data(),
                            std::max<std::int64_t>(1, n), options);
  return solution;
}

WorkspaceBytes workspace_bytes(std::int64_t n, bool vectors, bool on_gpu,
                               [[maybe_unused]] Pointers pointers) {
#ifdef EIGEN_G_HAVE_CUDA
  if (on_gpu) return device_pipeline_bytes(n, vectors, pointers);
#else
  if (on_gpu) throw DeviceError("built without CUDA");
#endif
  return host_pipeline_bytes(n, vectors);
}

const char* name(Stage stage) {
  switch (stage) {
    case Stage::transfer:
      return "transfer";
    case Stage::check:
      return "check";
    case Stage::scale:
      return "scale";
    case Stage::tridiagonalize:
      return "tridiagonalize";
    case Stage::divide_and_conquer:
      return "divide_and_conquer";
    case Stage::back_transform:
      return "back_transform";
    case Stage::unscale:
      return "unscale";
  }
  return "";
}

const char* version() {
  return EIGEN_G_VERSION;
}

}  // namespace eigen_g
