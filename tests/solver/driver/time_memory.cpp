// No test: times solves of real double matrices in host memory, in several memory modes (MemoryMode) in turns. Prints seconds of the stages,
// bytes, and checks.
//
//   time_memory MODES(in_core,parked,slabs,block_columns or a limit in GB) VECTORS(0, 1) ROUNDS SAMPLES KIND(random, minij) N...
//
// SAMPLES pairs of the last solve of each mode are verified. minij, a_ij = min(i, j), has known eigenvalues.
#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numbers>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "hybrid/team/loops.hpp"
#include "solver/api/eigen_g.hpp"
#include "solver/verify/verify.hpp"

using namespace eigen_g;

namespace {

// Large pages, none of which is touched yet.
struct Matrix {
  explicit Matrix(std::int64_t n) : bytes(sizeof(double) * static_cast<std::size_t>(n * n)) {
    if (bytes == 0) return;
    void* const p =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) throw std::bad_alloc();
    madvise(p, bytes, MADV_HUGEPAGE);
    data = static_cast<double*>(p);
  }
  Matrix(const Matrix&) = delete;
  ~Matrix() {
    if (data) munmap(data, bytes);
  }
  std::size_t bytes;
  double* data = nullptr;
};

void fill(const std::string& kind, std::int64_t n, double* a, double* z) {
  for_each(n, loop_threads(), [&](std::int64_t j) {
    std::minstd_rand random(static_cast<unsigned>(j + 1));
    std::uniform_real_distribution<double> entry(-1, 1);
    random.discard(100);  // the first numbers of neighbouring seeds are alike
    for (std::int64_t i = j; i < n; ++i)
      a[i + j * n] = kind == "minij" ? static_cast<double>(j + 1) : entry(random);
    if (z)
      for (std::int64_t i = 0; i < n; i += 512) z[i + j * n] = -1;  // touches the pages
  });
}

// Largest |w_k - lambda_k| / (eps max lambda) of min(i, j): lambda_k = 1 / (4 sin^2((2 k - 1) pi / (4 n + 2))), k = 1 for the largest.
double error_of_minij(const std::vector<double>& w) {
  const auto n = static_cast<long double>(w.size());
  long double error = 0;
  for (std::size_t k = 0; k < w.size(); ++k) {
    const long double s =
        std::sin((2 * (n - static_cast<long double>(k)) - 1) * std::numbers::pi_v<long double> / (4 * n + 2));
    error = std::max(error, std::fabs(0.25L / (s * s) - static_cast<long double>(w[k])));
  }
  return static_cast<double>(error / (static_cast<long double>(w.back()) * 0x1p-52L));
}

void check_sample(std::int64_t n, std::int64_t samples, double* a, const std::vector<double>& w,
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

// The limit of memory for a mode by its name, or a limit in GB.
std::uint64_t limit_of(const std::string& mode, std::int64_t n, const Options& options) {
  for (const MemoryMode each :
       {MemoryMode::in_core, MemoryMode::parked, MemoryMode::slabs, MemoryMode::block_columns})
    if (mode == name(each))
      return each == MemoryMode::in_core
                 ? 0
                 : workspace_bytes<double>(n, options, true, Pointers::host, each).device;
  return static_cast<std::uint64_t>(std::atof(mode.c_str()) * 1e9);
}

void time_order(std::int64_t n, const std::vector<std::string>& modes, bool vectors, int rounds,
                std::int64_t samples, const std::string& kind) {
  const Matrix a(n), z(vectors ? n : 0);
  std::vector<double> w(static_cast<std::size_t>(n));
  fill(kind, n, a.data, z.data);
  Options options;
  options.vectors = vectors;
  for (int round = 0; round < rounds; ++round)
    for (const std::string& mode : modes) {
      Devices devices;
      devices.device = DeviceChoice::gpu;
      devices.memory_limit = limit_of(mode, n, options);
      const Report r = ::eigen_g::eigen_g<double>(n, a.data, n, w.data(), z.data, n, options, devices);
      std::printf("n %ld %s, %s: %.4f s, GPU %.2f GB, host %.2f GB, slabs %ld and %ld;", static_cast<long>(n),
                  mode.c_str(), name(r.mode), r.seconds, static_cast<double>(r.bytes.device) * 1e-9,
                  static_cast<double>(r.bytes.host) * 1e-9, static_cast<long>(r.slabs_of_rows),
                  static_cast<long>(r.slabs_of_columns));
      for (const StageWork& work : r.stages)
        if (work.seconds >= 5e-4) std::printf(" %s %.4f", name(work.stage), work.seconds);
      if (kind == "minij") std::printf("; error of a value %.1f ulp of the norm", error_of_minij(w));
      std::printf("\n");
      if (vectors && samples > 0 && round == rounds - 1) check_sample(n, samples, a.data, w, z.data);
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
