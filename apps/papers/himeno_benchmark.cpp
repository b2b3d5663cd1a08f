// himeno_benchmark: `eigen_g bench himeno`, paper 4's sweeps on the CPU, on one GPU and on several.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "apps/papers/benchmarks.hpp"
#include "apps/papers/himeno.hpp"
#include "apps/support/stopwatch.hpp"
#include "hybrid/machine/device.hpp"

#ifdef EIGEN_G_HAVE_CUDA
#include "apps/papers/himeno_device.hpp"
#endif

namespace eigen_g::apps::bench {

namespace {

using papers::HimenoGrid;

// gosa of the small grid after the first sweeps and at the end, by double arithmetic; `digits` is what float keeps of them. The other
// grids have no published gosa: their bits are compared with the bits of one GPU or one thread.
constexpr double small_first = 3.295448e-3, small_last = 9.672885e-4, digits = 5e-4;

// Checks gosa after the first sweeps, and then times all others, as the paper's program does.
template <class Grid>
void measure(Grid& himeno, const std::string& size, const HimenoGrid& grid, int rounds, Json& result) {
  const double first = himeno.sweep(papers::himeno_first_sweeps);
  const int rest = papers::himeno_sweeps - papers::himeno_first_sweeps;
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
                 {"gflops", papers::himeno_flops * points / typical * 1e-9},
                 {"gbytes_per_second", papers::himeno_bytes * points / typical * 1e-9}});
  const auto off = [](double value, double exact) { return std::fabs(value / exact - 1); };
  result["digits"] =
      size == "S" ? Json(std::max(off(first, small_first), off(last, small_last)) / digits) : Json();
}

// Measures the sweeps of make(grid). The first sweeps of again(grid) must give the same bits.
template <class Make, class Again>
Case himeno_case(const std::string& size, int rounds, Make make, Again again) {
  return {{}, [=](Json& result) {
            const HimenoGrid grid = papers::himeno_grid(size);
            {
              auto himeno = make(grid);
              measure(himeno, size, grid, rounds, result);
            }
            auto other = again(grid);
            result["bit_for_bit"] =
                other.sweep(papers::himeno_first_sweeps) == result["gosa_first"].get<double>();
          }};
}

class Himeno final : public Benchmark {
 public:
  Himeno()
      : Benchmark(
            {"himeno",
             "Paper 4's 19-point Jacobi sweeps in float: GFLOP/s, GB/s, the digits of gosa.",
             R"(
  eigen_g bench himeno                                all four grids on one GPU
  eigen_g bench himeno --size L --gpus 2              slabs with halo exchange, beside one GPU
  eigen_g bench himeno --size S --device cpu)",
             "calls",
             1,
             {{"digits", 1, true}, {"bit_for_bit"}},
             {{R"(grid = size; points = points; device = device; 500 sweeps = seconds time; GFLOP/s = gflops %.1f;
      GB/s = gbytes_per_second %.0f; gosa after 3 = gosa_first %.6e; after 503 = gosa %.6e; digits = digits %.2f; bits = bit_for_bit bits)",
               R"(34 flops and 56 bytes a point and sweep. digits: gosa's distance from double's on the small grid, in units of what float leaves
(5e-4), limit 1. bits: against one GPU, one thread.
)"}}}) {}
  std::string title(const Json& c) const override {
    return std::string(c["size"]) + " on " + std::string(c["device"]);
  }
  void add_options(CLI::App& command) override {
    command.add_option("--size", sizes_, "Grids: S, M, L, XL (default: all)")
        ->delimiter(',')
        ->check(CLI::IsMember({"S", "M", "L", "XL"}))
        ->option_text("LIST");
    command.add_option("--gpus", gpus_, "Number of GPUs, compared with one (default: 1)")
        ->check(CLI::Range(1, 64))
        ->option_text("N");
    command.add_option("--device", device_, "gpu (default) or cpu")
        ->check(CLI::IsMember({"gpu", "cpu"}))
        ->option_text("gpu|cpu");
    add_rounds(command, "Runs of 500 sweeps, the median counts (default: 3)", 1);
    rounds = 3;
  }

  bool on_host() const override { return device_ == "cpu"; }
  std::vector<CaseOptions> host_cases(Json&) override {
    std::vector<CaseOptions> plans;
    for (const std::string& size : sizes_)
      plans.push_back({parameters(size, "cpu", 0), {}, [size, r = rounds] {
                         return himeno_case(
                             size, r, [](const HimenoGrid& grid) { return papers::HimenoOnHost(grid); },
                             [](const HimenoGrid& grid) { return papers::HimenoOnHost(grid, 1); });
                       }});
    return plans;
  }
#ifdef EIGEN_G_HAVE_CUDA
  std::vector<CaseOptions> cases(const Session&, Json&) override {
    if (gpus_ > gpu_count())
      throw UsageError("--gpus " + std::to_string(gpus_) + ": there are " + std::to_string(gpu_count()));
    std::vector<CaseOptions> plans;
    for (const std::string& size : sizes_)
      for (int gpus = 1; gpus <= gpus_; gpus = gpus == 1 && gpus_ > 1 ? gpus_ : gpus_ + 1) {
        const HimenoGrid grid = papers::himeno_grid(size);
        const auto bytes =
            static_cast<std::uint64_t>(papers::HimenoLayout(grid).elements(grid.mi)) * 14 * sizeof(float);
        plans.push_back({parameters(size, gpus == 1 ? "gpu" : std::to_string(gpus) + " gpus", gpus),
                         {},
                         [=, r = rounds] {
                           std::vector<int> numbers(static_cast<std::size_t>(gpus));
                           std::iota(numbers.begin(), numbers.end(), 0);
                           return himeno_case(
                               size, r,
                               [numbers](const HimenoGrid& g) { return papers::HimenoOnDevices(g, numbers); },
                               [](const HimenoGrid& g) { return papers::HimenoOnDevices(g, {0}); });
                         },
                         too_large(bytes)});
      }
    return plans;
  }
#endif

 private:
  static Json parameters(const std::string& size, const std::string& device, int gpus) {
    const HimenoGrid grid = papers::himeno_grid(size);
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
