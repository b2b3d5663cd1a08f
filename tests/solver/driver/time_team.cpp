// No test: times solves by several GPUs, compared with one GPU. Prints seconds of the stages, of all GPUs and of each, and the ratios of
// LAPACK's tests.
//
//   time_team TYPE(d s z c) GPUS(1,2,4) rounds verify(0, 1) pointers(host, device) vectors(0, 1) n...
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/team/loops.hpp"
#include "solver/api/eigen_g.hpp"
#include "solver/verify/verify.hpp"

using namespace eigen_g;

namespace {

template <class T>
void time_order(std::int64_t n, const std::vector<int>& gpus, int rounds, bool verified, bool on_device,
                bool vectors) {
  std::vector<T> a(static_cast<std::size_t>(n * n)), z(vectors ? a.size() : 0);
  std::vector<real_t<T>> w(static_cast<std::size_t>(n));
  for_each(n, loop_threads(), [&](std::int64_t j) {
    std::minstd_rand random(static_cast<unsigned>(j + 1));
    std::uniform_real_distribution<real_t<T>> entry(-1, 1);
    random.discard(100);  // the first numbers of neighbouring seeds are alike
    for (std::int64_t i = j; i < n; ++i) {
      T& x = a[static_cast<std::size_t>(i + j * n)];
      x = entry(random);
      if constexpr (is_complex<T>)
        if (i > j) x = {std::real(x), entry(random)};
    }
  });
  double one = 0;
  for (const int count : gpus) {
    Options options;
    options.path = Path::two_stage;
    options.vectors = vectors;
    Devices devices;
    devices.device = DeviceChoice::gpu;
    devices.gpus = count;
    try {
      Context context(devices);
      Solver<T> solver(context, n, options, on_device ? Pointers::device : Pointers::host);
      Report best;
      const Queue queue;
      const DeviceBuffer<T> a_dev(on_device ? n * n : 0), z_dev(on_device && vectors ? n * n : 0);
      const DeviceBuffer<real_t<T>> w_dev(on_device ? n : 0);
      for (int round = 0; round < rounds; ++round) {
        Report report;
        if (on_device) {
          EIGEN_G_CUDA(cudaMemcpy(a_dev.data(), a.data(), a_dev.bytes(), cudaMemcpyHostToDevice));
          report = solver.solve(device(a_dev.data()), n, device(w_dev.data()), device(z_dev.data()), n,
                                queue.stream());
        } else {
          report = solver.solve(a.data(), n, w.data(), vectors ? z.data() : nullptr, n);
        }
        if (round == 0 || report.seconds < best.seconds) best = report;
      }
      if (count == gpus.front()) one = best.seconds;
      std::printf("n %ld gpus %d %s %s: %.4f s, %.3f of the first;", static_cast<long>(n), count,
                  on_device ? "device" : "host", vectors ? "vectors" : "values", best.seconds,
                  best.seconds / one);
      for (const StageWork& work : best.stages)
        if (work.seconds >= 5e-4) std::printf(" %s %.4f", name(work.stage), work.seconds);
      for (const DeviceWork& work : best.devices) {
        std::printf("\n  gpu%d %.4f:", work.gpu, work.seconds);
        for (const StageWork& stage : work.stages)
          if (stage.seconds >= 5e-4) std::printf(" %s %.4f", name(stage.stage), stage.seconds);
      }
      std::printf("\n  GB %.1f", static_cast<double>(best.bytes.device) * 1e-9);
      if (verified && vectors) {
        if (on_device) {
          EIGEN_G_CUDA(cudaMemcpy(w.data(), w_dev.data(), w_dev.bytes(), cudaMemcpyDeviceToHost));
          EIGEN_G_CUDA(cudaMemcpy(z.data(), z_dev.data(), z_dev.bytes(), cudaMemcpyDeviceToHost));
        }
        release_thread_cache();
        const Verification v =
            verify(Uplo::lower, n, a.data(), n, n, w.data(), z.data(), n, DeviceChoice::gpu);
        std::printf(" residual %.3f orthogonality %.3f", v.lapack_residual, v.lapack_orthogonality);
      }
      std::printf("\n");
    } catch (const std::exception& error) {
      std::printf("n %ld gpus %d: %s\n", static_cast<long>(n), count, error.what());
    }
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 8) return 2;
  std::vector<int> gpus;
  std::istringstream list(argv[2]);
  for (std::string item; std::getline(list, item, ',');) gpus.push_back(std::atoi(item.c_str()));
  const int rounds = std::atoi(argv[3]);
  const bool verified = argv[4][0] == '1', on_device = argv[5][0] == 'd', vectors = argv[6][0] == '1';
  for (int i = 7; i < argc; ++i) {
    const std::int64_t n = std::atol(argv[i]);
    switch (argv[1][0]) {
      case 'd':
        time_order<double>(n, gpus, rounds, verified, on_device, vectors);
        break;
      case 's':
        time_order<float>(n, gpus, rounds, verified, on_device, vectors);
        break;
      case 'z':
        time_order<std::complex<double>>(n, gpus, rounds, verified, on_device, vectors);
        break;
      default:
        time_order<std::complex<float>>(n, gpus, rounds, verified, on_device, vectors);
    }
  }
}
