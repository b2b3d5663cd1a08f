// No test: times solves of real double matrices in host memory, in several memory modes (MemoryMode) and by several
// GPUs, in turns. Prints seconds of the stages, bytes, and checks.
//
//   time_memory MODES VECTORS(0, 1) ROUNDS SAMPLES KIND N...
//
//   MODES    names of modes, limits in GB, or gpus=P for a solve by P GPUs, separated by commas
//   SAMPLES  number of pairs of the last solve of each mode that are verified; 0: none
//   KIND     matrix of `eigen_g generate`. If its spectrum is known, the values are compared with it
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "apps/generate/matrices.hpp"
#include "hybrid/machine/cpu.hpp"
#include "solver/api/eigen_g.hpp"
#include "solver/verify/verify.hpp"

using namespace eigen_g;

namespace {

void check_sample(std::int64_t n, std::int64_t samples, const double* a, const std::vector<double>& w,
                  const double* z) {
  std::vector<double> some, values;
  for (std::int64_t k = 0; k < samples; ++k) {
    const std::int64_t at = k * (n - 1) / std::max<std::int64_t>(1, samples - 1);
    values.push_back(w[static_cast<std::size_t>(at)]);
    some.insert(some.end(), z + at * n, z + (at + 1) * n);
  }
  release_thread_cache();
  const Verification v =
      verify(Uplo::lower, n, a, n, samples, values.data(), some.data(), n, DeviceChoice::gpu);
  std::printf("  %ld pairs: residual ratio %.4f, orthogonality ratio %.4f, %s\n", static_cast<long>(v.m),
              v.lapack_residual, v.lapack_orthogonality,
              v.finite && v.ascending ? "finite and ascending" : "WRONG");
}

// The devices for an item of MODES.
Devices devices_of(const std::string& mode, std::int64_t n, const Options& options) {
  const std::string gpus = "gpus=";
  Devices devices;
  devices.device = DeviceChoice::gpu;
  if (mode == name(MemoryMode::in_core)) return devices;
  if (mode.rfind(gpus, 0) == 0) {
    devices.gpus = std::atoi(mode.c_str() + gpus.size());
    return devices;
  }
  devices.memory_limit = static_cast<std::uint64_t>(std::atof(mode.c_str()) * 1e9);
  for (const MemoryMode each : {MemoryMode::parked, MemoryMode::slabs, MemoryMode::block_columns})
    if (mode == name(each))
      devices.memory_limit = workspace_bytes<double>(n, options, true, Pointers::host, each).device;
  return devices;
}

void time_order(std::int64_t n, const std::vector<std::string>& modes, bool vectors, int rounds,
                std::int64_t samples, const std::string& kind) {
  const auto a = host_array<double>(n * n), z = host_array<double>(vectors ? n * n : 0);
  std::vector<double> w(static_cast<std::size_t>(n));
  generate::Spec spec;
  spec.kind = kind;
  spec.n = n;
  generate::fill(spec, a.get(), n);
  const std::optional<std::vector<double>> exact = generate::exact(spec);
  Options options;
  options.vectors = vectors;
  for (int round = 0; round < rounds; ++round)
    for (const std::string& mode : modes) {
      const Report r = ::eigen_g::eigen_g<double>(n, a.get(), n, w.data(), vectors ? z.get() : nullptr, n,
                                                  options, devices_of(mode, n, options));
      std::printf("n %ld %s, %s: %.4f s, GPU %.2f GB, host %.2f GB, slabs %ld and %ld;", static_cast<long>(n),
                  mode.c_str(), name(r.mode), r.seconds, static_cast<double>(r.bytes.device) * 1e-9,
                  static_cast<double>(r.bytes.host) * 1e-9, static_cast<long>(r.slabs_of_rows),
                  static_cast<long>(r.slabs_of_columns));
      for (const StageWork& work : r.stages)
        if (work.seconds >= 5e-4) std::printf(" %s %.4f", name(work.stage), work.seconds);
      if (exact) {
        double error = 0, norm = 0;
        for (std::size_t k = 0; k < w.size(); ++k) {
          error = std::max(error, std::fabs(w[k] - (*exact)[k]));
          norm = std::max(norm, std::fabs((*exact)[k]));
        }
        std::printf("; largest error of a value %.1f eps |A|", error / (0x1p-52 * norm));
      }
      std::printf("\n");
      if (vectors && samples > 0 && round == rounds - 1) check_sample(n, samples, a.get(), w, z.get());
      std::fflush(stdout);
    }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 7) return 2;
  std::vector<std::string> modes;
  std::istringstream list(argv[1]);
  for (std::string item; std::getline(list, item, ',');) modes.push_back(item);
  try {
    for (int i = 6; i < argc; ++i)
      time_order(std::atol(argv[i]), modes, argv[2][0] == '1', std::atoi(argv[3]), std::atol(argv[4]),
                 argv[5]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
