// eigen_g bench himeno: paper 4's benchmark on the CPU, on one GPU, on several.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "apps/bench/bench.hpp"
#include "apps/cli/stopwatch.hpp"
#include "blas2/spmv/himeno.hpp"
#include "hybrid/machine/device.hpp"

#ifdef EIGEN_G_HAVE_CUDA
#include "blas2/spmv/himeno_device.hpp"
#endif

namespace eigen_g::apps::bench {

namespace {

using blas2::HimenoGrid;

// gosa of the small grid after the first sweeps and at the end by double arithmetic, found by running it; what float leaves of it.
constexpr double small_first = 3.295448e-3, small_last = 9.672885e-4, digits = 5e-4;

// The first few sweeps are checked, then all the others are timed, as in the paper's program.
template <class Grid>
void measure(Grid& himeno, const std::string& size, const HimenoGrid& grid, int rounds, Json& result) {
  const double first = himeno.sweep(blas2::himeno_first_sweeps);
  const int rest = blas2::himeno_sweeps - blas2::himeno_first_sweeps;
  std::vector<double> seconds;
  double last = 0;
  for (int round = 0; round < rounds; ++round) {
    const Stopwatch watch;
    const double gosa = himeno.sweep(rest);
    seconds.push_back(watch.seconds());
    if (round == 0) last = gosa;
  }
  const double typical = median(seconds), points = static_cast<double>(grid.points()) * rest;
  result.update({{"gosa_first", first},
                 {"gosa", last},
                 {"seconds", typical},
                 {"gflops", blas2::himeno_flops * points / typical * 1e-9},
                 {"gbytes_per_second", blas2::himeno_bytes * points / typical * 1e-9}});
  const auto off = [](double value, double exact) { return std::fabs(value / exact - 1); };
  result["digits"] =
      size == "S" ? Json(std::max(off(first, small_first), off(last, small_last)) / digits) : Json();
}

class HostHimenoCase final : public Case {
 public:
  HostHimenoCase(std::string size, int rounds) : size_(std::move(size)), rounds_(rounds) {}
  std::vector<Call> calls() override { return {}; }
  void check(Json& result) override {
    const HimenoGrid grid = blas2::himeno_grid(size_);
    blas2::HimenoOnHost himeno(grid);
    measure(himeno, size_, grid, rounds_, result);
    blas2::HimenoOnHost again(grid, 1);
    result["bit_for_bit"] = again.sweep(blas2::himeno_first_sweeps) == result["gosa_first"].get<double>();
  }

 private:
  std::string size_;
  int rounds_;
};

#ifdef EIGEN_G_HAVE_CUDA
class DeviceHimenoCase final : public Case {
 public:
  DeviceHimenoCase(std::string size, int gpus, int rounds)
      : size_(std::move(size)), gpus_(gpus), rounds_(rounds) {}
  std::vector<Call> calls() override { return {}; }
  void check(Json& result) override {
    const HimenoGrid grid = blas2::himeno_grid(size_);
    std::vector<int> gpus(static_cast<std::size_t>(gpus_));
    std::iota(gpus.begin(), gpus.end(), 0);
    {
      blas2::HimenoOnDevices himeno(grid, gpus);
      measure(himeno, size_, grid, rounds_, result);
    }
    blas2::HimenoOnDevices again(grid, {0});
    result["bit_for_bit"] = again.sweep(blas2::himeno_first_sweeps) == result["gosa_first"].get<double>();
  }

 private:
  std::string size_;
  int gpus_, rounds_;
};
#endif

class Himeno final : public Benchmark {
 public:
  Himeno()
      : Benchmark(
            {"himeno", "Paper 4's 19-point Jacobi sweeps in float: GFLOP/s, GB/s, the digits of gosa.", R"(
  eigen_g bench himeno                                all four grids on one GPU
  eigen_g bench himeno --size L --gpus 2              slabs with halo exchange, beside one GPU
  eigen_g bench himeno --size S --device cpu)"}) {}
  std::string title(const Json& c) const override {
    return std::string(c["size"]) + " on " + std::string(c["device"]);
  }
  void add_options(CLI::App& command) override {
    command.add_option("--size", sizes_, "Grids: S, M, L, XL (default: all)")
        ->delimiter(',')
        ->check(CLI::IsMember({"S", "M", "L", "XL"}))
        ->option_text("LIST");
    command.add_option("--gpus", gpus_, "So many GPUs, beside one (default: 1)")
        ->check(CLI::Range(1, 64))
        ->option_text("N");
    command.add_option("--device", device_, "gpu (default) or cpu")
        ->check(CLI::IsMember({"gpu", "cpu"}))
        ->option_text("gpu|cpu");
    add_rounds(command, "Runs of 500 sweeps, the median counts (default: 3)", 1);
    rounds = 3;
  }

  bool on_host() const override { return device_ == "cpu"; }
  std::vector<CasePlan> host_cases(Json&) override {
    std::vector<CasePlan> plans;
    for (const std::string& size : sizes_)
      plans.push_back({parameters(size, "cpu", 0), {}, [size, r = rounds] {
                         return std::make_unique<HostHimenoCase>(size, r);
                       }});
    return plans;
  }
#ifdef EIGEN_G_HAVE_CUDA
  std::vector<CasePlan> cases(const Session&, Json&) override {
    if (gpus_ > gpu_count())
      throw UsageError("--gpus " + std::to_string(gpus_) + ": there are " + std::to_string(gpu_count()));
    std::vector<CasePlan> plans;
    for (const std::string& size : sizes_)
      for (int gpus = 1; gpus <= gpus_; gpus = gpus == 1 && gpus_ > 1 ? gpus_ : gpus_ + 1) {
        const HimenoGrid grid = blas2::himeno_grid(size);
        const auto bytes =
            static_cast<std::uint64_t>(blas2::HimenoLayout(grid).elements(grid.mi)) * 14 * sizeof(float);
        plans.push_back({parameters(size, gpus == 1 ? "gpu" : std::to_string(gpus) + " gpus", gpus),
                         {},
                         [=, r = rounds] { return std::make_unique<DeviceHimenoCase>(size, gpus, r); },
                         too_large(bytes)});
      }
    return plans;
  }
#endif

  // Grids other than the small one have no published gosa: theirs is one GPU's or one thread's bits.
  std::vector<Limit> limits(const Json&) const override {
    return {{"digits", 1, true}, {"bit_for_bit"}};
  }

  std::vector<Table> tables(const Json&) const override {
    return {
        {R"(grid = size; points = points; device = device; 500 sweeps = seconds time; GFLOP/s = gflops %.1f;
      GB/s = gbytes_per_second %.0f; gosa after 3 = gosa_first %.6e; after 503 = gosa %.6e; digits = digits %.2f; bits = bit_for_bit bits)",
         R"(34 flops and 56 bytes a point and sweep. digits: gosa's distance from double's on the small grid, in units of what float leaves
(5e-4), limit 1. bits: against one GPU, one thread.
)"}};
  }

 private:
  static Json parameters(const std::string& size, const std::string& device, int gpus) {
    const HimenoGrid grid = blas2::himeno_grid(size);
    return {{"size", size},
            {"mi", grid.mi},
            {"mj", grid.mj},
            {"mk", grid.mk},
            {"points", grid.points()},
            {"device", device},
            {"gpus", gpus},
            {"n", std::sqrt(static_cast<double>(grid.points()))}};
  }
  std::vector<std::string> sizes_{"S", "M", "L", "XL"};
  int gpus_ = 1;
  std::string device_ = "gpu";
};

}  // namespace

std::shared_ptr<Benchmark> himeno_benchmark() {
  return std::make_shared<Himeno>();
}

}  // namespace eigen_g::apps::bench
