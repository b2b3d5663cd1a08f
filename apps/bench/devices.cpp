// eigen_g bench devices: solves that share their large products among GPUs and CPU by several ratios, compared with the first GPU alone.
#include <CLI/CLI.hpp>

#include "apps/bench/benchmarks.hpp"
#include "apps/support/text.hpp"
#include "hybrid/machine/device.hpp"
#include "solver/verify/verify.hpp"

#ifdef EIGEN_G_HAVE_CUDA
#include "apps/bench/solve_case.hpp"
#endif

namespace eigen_g::apps::bench {

namespace {

class DevicesBenchmark final : public Benchmark {
 public:
  DevicesBenchmark()
      : Benchmark(
            {"devices",
             "Solves that share products over GPUs and CPU: seconds by ratio, compared with the GPU alone.",
             R"(
  eigen_g bench devices --multiprocessors 8                a GPU cut down to 8 multiprocessors, and the CPU
  eigen_g bench devices --quick --n 2000,5000,10000,20000
  eigen_g bench devices --gpus 2 --n 20000
  eigen_g bench devices --multiprocessors 16 --json devices.json)",
             "calls",
             5,
             {{"bit_for_bit"},
              {"automatic/residual", lapack_ratio_limit},
              {"automatic/orthogonality", lapack_ratio_limit},
              {"first_alone/seconds"}},
             {{R"(n = n; ratio = name; flops, % = shares %.3g 100; solve = seconds time; D&C + back = cut_seconds time;
      of the GPU's alone = cut_seconds:first_alone/cut_seconds %.3f; D&C = stages/divide_and_conquer time;
      back = stages/back_transform time; devices' seconds = device_seconds %.4f; bits = bit_for_bit bits)",
               R"(Medians. D&C + back: the stages that devices share. devices' seconds: each one's own at products that were cut, in
the last round. bits: two solves by the automatic ratio.
)",
               "", true}}}) {}

  std::vector<NamedFile> inputs() const override { return {{"--calibration", calibration_}}; }
  void add_options(CLI::App& command) override {
    add_sizes(command, "--n", "8000", "Orders: numbers and from:to:step (default: 8000)", 64, 100'000);
    command.add_flag("--quick", quick_, "Two rounds if --rounds is not given");
    command
        .add_option("--multiprocessors", multiprocessors_,
                    "Use only N multiprocessors of the first GPU (default: all)")
        ->check(CLI::Range(1, 1 << 16))
        ->option_text("N");
    command.add_option("--gpus", gpus_, "GPUs (default: 1)")->check(CLI::Range(1, 64))->option_text("N");
    command.add_option("--cpu-shares", cpu_shares_, "Shares of the CPU to measure (default: 0,1,2,5,10,20)")
        ->delimiter(',')
        ->check(CLI::Range(0.0, 100.0))
        ->option_text("LIST");
    add_rounds(command, "Timed rounds of each ratio; the median counts (default: 3)", 1, 1000);
    command
        .add_option("--calibration", calibration_, "Calibration of this machine (default: the cached one)")
        ->option_text("FILE");
    add_threads_option(command, run.threads);
  }

#ifdef EIGEN_G_HAVE_CUDA
  std::vector<CaseOptions> cases(const Session& session, Json& head) override {
    if (const int there = gpu_count(); gpus_ > there)
      throw UsageError(print("--gpus: is %d; this machine has %d", gpus_, there));
    const auto [calibration, source] = calibrated(calibration_, run.threads, session);
    head.update({{"multiprocessors", multiprocessors_}, {"gpus", gpus_}, {"calibration", source}});
    Solver solver{.name = "automatic", .checked = true, .repeated = true, .calibration = calibration};
    solver.gpus = gpus_, solver.multiprocessors = multiprocessors_, solver.threads = run.threads;
    std::vector<Solver> solvers{solver};
    solver.checked = solver.repeated = false;
    const auto add = [&](const std::string& name, const std::vector<double>& ratio) {
      solver.name = name;
      solver.ratio = ratio;
      solvers.push_back(solver);
    };
    add("first_alone", shares_of(0, 1));
    for (const double percent : cpu_shares_) add(print("cpu %g %%", percent), shares_of(percent, gpus_));
    TimingRule rule{.rounds = quick_ ? 2 : 3, .least_rounds = 1, .seconds = 60, .back_and_forth = true};
    if (rounds > 0) rule.rounds = rounds;
    return each_case([&](char, std::int64_t n) { return solve_case(session, {n, rule, solvers}, {}); });
  }
#endif

 private:
  // Shares: the CPU gets cpu_percent, the first `gpus` GPUs the rest, in proportion to the multiprocessors that they may use.
  std::vector<double> shares_of(double cpu_percent, int gpus) const {
    std::vector<double> shares;
    const int all = gpu_device(current_gpu()).multiprocessors,
              first = multiprocessors_ > 0 ? multiprocessors_ : all;
    const double each = (100 - cpu_percent) / (first + (gpus - 1) * all);
    for (int i = 0; i < gpus_; ++i) shares.push_back(i < gpus ? each * (i == 0 ? first : all) : 0);
    shares.push_back(cpu_percent);
    return shares;
  }

  bool quick_ = false;
  int multiprocessors_ = 0, gpus_ = 1;
  std::vector<double> cpu_shares_{0, 1, 2, 5, 10, 20};
  std::string calibration_;
};

}  // namespace

std::shared_ptr<Benchmark> devices_benchmark() {
  return std::make_shared<DevicesBenchmark>();
}

}  // namespace eigen_g::apps::bench
