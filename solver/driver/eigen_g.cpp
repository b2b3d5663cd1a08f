#include "solver/api/eigen_g.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/nvtx.hpp"
#include "solver/driver/arguments.hpp"
#include "solver/driver/pipeline.hpp"
#include "solver/driver/subset.hpp"
#include "solver/prepare/scale.hpp"

#ifdef EIGEN_G_HAVE_CUDA
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/transfer/transfer.hpp"
#endif

namespace eigen_g {

namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Tells the caller where a solve is and adds up the time of each stage. Only who is told of a stage's end waits for it:
// otherwise the stages follow each other in the pipeline's own queue.
class StageClock {
 public:
  StageClock(Pipeline& pipeline, const Options& options, Report& report)
      : pipeline_(pipeline), options_(options), report_(report) {
    pipeline_.mark();
  }

  template <class Work>
  auto operator()(Stage stage, Work&& work) {
    const ProfilerRange range(name(stage));
    tell(stage, 0);
    const auto finish = [&] {
      pipeline_.mark();
      stages_.push_back(stage);
      if (options_.progress) pipeline_.wait();
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

  void finish() {
    pipeline_.wait();
    const std::vector<double> laps = pipeline_.laps();
    for (std::size_t i = 0; i < stages_.size(); ++i)
      report_.stage_seconds[static_cast<std::size_t>(stages_[i])] += laps[i];
  }

 private:
  void tell(Stage stage, double fraction) const {
    if (options_.progress) options_.progress(stage, fraction);
  }
  Pipeline& pipeline_;
  const Options& options_;
  Report& report_;
  std::vector<Stage> stages_;
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
  const Outcome outcome = stage(Stage::divide_and_conquer, [&] { return pipeline.divide_and_conquer(k); });
  stage(Stage::back_transform, [&] { pipeline.back_transform(); });
  stage(Stage::unscale, [&] { pipeline.unscale(k); });
  stage(Stage::transfer, [&] { pipeline.store(); });
  stage.finish();

  report.status = outcome.status;
  report.failed = outcome.failed;
  report.m = outcome.found.count;
  report.first = outcome.found.first + 1;
}

// As far as they tell without looking at the machine.
void check_devices(const Options& o) {
  require(o.gpus >= 1, "gpus", "is " + std::to_string(o.gpus) + ", must be at least 1");
  require(o.gpu_sms >= 0, "gpu_sms", "is " + std::to_string(o.gpu_sms) + ", must not be negative");
  if (!o.ratio.automatic()) {
    const std::size_t devices = static_cast<std::size_t>(o.gpus) + 1;
    require(o.ratio.parts.size() == devices, "ratio",
            to_text(o.ratio) + " has " + std::to_string(o.ratio.parts.size()) + " shares; there are " +
                std::to_string(devices) +
                " devices: " + (o.gpus == 1 ? "the GPU" : std::to_string(o.gpus) + " GPUs") + " and the CPU");
    split_columns(0, o.ratio.parts);  // throws where one is no share
  }
  if (o.device != DeviceChoice::cpu) return;
  require(o.ratio.automatic(), "ratio",
          to_text(o.ratio) + " is for a GPU and its helpers; the device is the CPU");
  require(o.gpus == 1, "gpus", "is " + std::to_string(o.gpus) + ", but the device is the CPU");
  require(o.gpu_sms == 0, "gpu_sms", "is " + std::to_string(o.gpu_sms) + ", but the device is the CPU");
}

void check_arguments(std::int64_t n, const void* a, std::int64_t lda, const void* w, const void* z,
                     std::int64_t ldz, const Options& options) {
  require_size(n, "n");
  require_pointer(a, n > 0, "a");
  require_leading_dimension(lda, n, "lda");
  check_subset(n, options.subset);
  check_devices(options);
  require_pointer(w, n > 0, "w");
  if (!options.vectors) return;
  require(z || n == 0, "z", "is null, but vectors are wanted");
  require_leading_dimension(ldz, n, "ldz");
}

Problem problem_of(std::int64_t n, const double* a, std::int64_t lda, double* w, double* z, std::int64_t ldz,
                   const Options& options) {
  Problem problem;
  problem.uplo = options.uplo;
  problem.n = n;
  problem.a = {a, n, n, lda};
  problem.w = w;
  problem.subset = options.subset;
  problem.engine = options.engine;
  problem.rates = options.engine_rates;
  problem.gpus = options.gpus;
  problem.gpu_sms = options.gpu_sms;
  problem.threads = options.threads;
  problem.ratio = options.ratio;
  problem.calibration = options.calibration;
  if (options.vectors) problem.z = {z, n, options.subset.most(n), ldz};
  return problem;
}

// Sets `gpu` to false where the choice is free and the GPU's memory does not suffice.
std::unique_ptr<Pipeline> open_pipeline(bool& gpu, const Problem& problem, [[maybe_unused]] Pointers pointers,
                                        [[maybe_unused]] CUstream_st* stream,
                                        [[maybe_unused]] DeviceChoice choice) {
#ifdef EIGEN_G_HAVE_CUDA
  if (gpu) {
    try {
      return device_pipeline(problem, pointers, stream);
    } catch (const OutOfMemory& trouble) {
      if (choice == DeviceChoice::gpu || !trouble.on_device()) throw;
    }
  }
#endif
  gpu = false;
  return host_pipeline(problem);
}

std::string ratio_text(const Ratio& wanted, const std::vector<DeviceWork>& work) {
  if (work.size() == 1) return "1";
  if (!wanted.automatic()) return to_text(wanted);
  Ratio percent;
  for (const DeviceWork& device : work) percent.parts.push_back(std::round(1000 * device.share) / 10);
  return to_text(percent);
}

Report solve_problem(bool gpu, const Problem& problem, Pointers pointers, CUstream_st* stream,
                     DeviceChoice choice, const Options& options) {
  const auto start = Clock::now();
  const ThreadLimit limit(options.threads);
  Report report;
  std::unique_ptr<Pipeline> pipeline;
  if (problem.n > 0) pipeline = open_pipeline(gpu, problem, pointers, stream, choice);
  report.devices = {gpu ? gpu_facts(current_gpu()).name : cpu_name()};
  if (pipeline) {
    run(*pipeline, options, report);
    report.host_bytes = pipeline->bytes().host;
    report.device_bytes = pipeline->bytes().device;
    report.engine = pipeline->engine();
    report.work = pipeline->work();
    report.devices.clear();
    for (const DeviceWork& work : report.work) report.devices.push_back(work.name);
    report.ratio = ratio_text(options.ratio, report.work);
  }
  report.seconds = seconds_since(start);
  return report;
}

}  // namespace

Report eigen_g(std::int64_t n, const double* a, std::int64_t lda, double* w, double* z, std::int64_t ldz,
               const Options& options) {
  check_arguments(n, a, lda, w, z, ldz, options);
  const bool gpu = take_gpu(options.device, n);
  if (gpu) require_on_host({{"a", a}, {"w", w}, {"z", options.vectors ? z : nullptr}});
  return solve_problem(gpu, problem_of(n, a, lda, w, z, ldz, options), Pointers::host, nullptr,
                       options.device, options);
}

Report eigen_g(std::int64_t n, double* a_dev, std::int64_t lda, double* w_dev, double* z_dev,
               std::int64_t ldz, CUstream_st* stream, const Options& options) {
  check_arguments(n, a_dev, lda, w_dev, z_dev, ldz, options);
  if (options.device == DeviceChoice::cpu)
    throw InvalidArgument("options.device", "is cpu, but the pointers are a GPU's");
  if (options.vectors && z_dev == a_dev && ldz != lda)
    throw InvalidArgument(Argument::ldz, "is " + std::to_string(ldz) + ", must be lda = " + std::to_string(lda) +
                                     " where z is a itself");
  require_on_gpu({{"a", a_dev}, {"w", w_dev}, {"z", options.vectors ? z_dev : nullptr}});
  Problem problem = problem_of(n, a_dev, lda, w_dev, z_dev, ldz, options);
  problem.spare = {a_dev, n, n, lda};
  return solve_problem(true, problem, Pointers::device, stream, DeviceChoice::gpu, options);
}

Solution solve(std::int64_t n, const double* a, std::int64_t lda, const Options& options) {
  check_arguments(n, a, lda, &lda, &lda, std::max<std::int64_t>(1, n), options);
  const std::int64_t most = options.subset.most(n);
  Solution solution;
  solution.values.resize(static_cast<std::size_t>(most));
  if (options.vectors) solution.vectors.resize(static_cast<std::size_t>(n) * static_cast<std::size_t>(most));
  solution.report = eigen_g(n, a, lda, solution.values.data(), solution.vectors.data(),
                            std::max<std::int64_t>(1, n), options);
  const std::int64_t m = solution.report.m;
  solution.values.resize(static_cast<std::size_t>(m));
  if (options.vectors) solution.vectors.resize(static_cast<std::size_t>(n) * static_cast<std::size_t>(m));
  return solution;
}

WorkspaceBytes workspace_bytes(std::int64_t n, bool vectors, bool on_gpu, [[maybe_unused]] Pointers pointers,
                               const Subset& subset) {
  check_subset(n, subset);
#ifdef EIGEN_G_HAVE_CUDA
  if (on_gpu) return device_pipeline_bytes(n, vectors, pointers, subset);
#else
  if (on_gpu) throw DeviceError("built without CUDA");
#endif
  return host_pipeline_bytes(n, vectors, subset);
}

void start_gpu() {
#ifdef EIGEN_G_HAVE_CUDA
  if (gpu_count() > 0) start_device();
#endif
}

void release_kept() {
#ifdef EIGEN_G_HAVE_CUDA
  release_kept_staging();
  release_kept_memory();
  release_kept_queues();
#endif
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
