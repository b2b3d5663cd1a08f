// Tests of threads that solve at the same time on one GPU, on host and on device pointers.
#include <algorithm>

#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "tests/support/stress.hpp"

namespace stress = support::stress;
using eigen_g::DeviceBuffer;

namespace {

// Only this function calls the library with device pointers.
stress::Result solve_on_device(const stress::Problem& p) {
  const std::int64_t n = p.matrix.n, most = p.options.subset.max_count(n);
  const eigen_g::Queue queue;
  const DeviceBuffer<double> a(static_cast<std::int64_t>(p.matrix.a.size())), w(n),
      z(p.options.vectors ? p.ldz * most : 0);
  EIGEN_G_CUDA(
      cudaMemcpyAsync(a.data(), p.matrix.a.data(), a.bytes(), cudaMemcpyHostToDevice, queue.stream()));
  std::int64_t m = 0;
  try {
    m = eigen_g::eigen_g(n, eigen_g::device(a.data()), p.matrix.lda, eigen_g::device(w.data()),
                         eigen_g::device(p.options.vectors ? z.data() : nullptr), p.ldz, queue.stream(),
                         p.options, p.options)
            .m;
  } catch (const eigen_g::NonFiniteEntry& error) {
    return {{}, {}, error.row(), error.col()};
  }
  stress::Result r;
  r.w.resize(static_cast<std::size_t>(m));
  r.z.resize(static_cast<std::size_t>(p.options.vectors ? n * m : 0));
  const auto row = static_cast<std::size_t>(n) * sizeof(double);
  if (m > 0)
    EIGEN_G_CUDA(cudaMemcpyAsync(r.w.data(), w.data(), r.w.size() * sizeof(double), cudaMemcpyDeviceToHost,
                                 queue.stream()));
  if (!r.z.empty())
    EIGEN_G_CUDA(cudaMemcpy2DAsync(r.z.data(), row, z.data(),
                                   static_cast<std::size_t>(p.ldz) * sizeof(double), row,
                                   static_cast<std::size_t>(m), cudaMemcpyDeviceToHost, queue.stream()));
  queue.wait();
  return r;
}

stress::Result solve(const stress::Problem& p) {
  return p.on_device ? solve_on_device(p) : stress::solve_on_host(p);
}

// The least of ten measurements, because other tests allocate and free device memory at the same time.
double device_mib() {
  eigen_g::release_thread_cache();
  double least = 1e300;
  for (int look = 0; look < 10; ++look) {
    std::size_t free = 0, total = 0;
    EIGEN_G_CUDA(cudaMemGetInfo(&free, &total));
    least = std::min(least, static_cast<double>(total - free) / (1 << 20));
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  return least;
}

}  // namespace

TEST_CASE("32 threads solve on a GPU as one does, on host and device pointers, without leaks",
          "[gpu][large]") {
  NEEDS_GPU();
  stress::check(stress::problems(2100, eigen_g::DeviceChoice::gpu, true), 32, 50, solve, device_mib);
}
