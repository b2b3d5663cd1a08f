// Times the factorization of a panel of 64 columns on a GPU, in double: time_panels [ROWS...]. It prints microseconds for each number of
// rows, each the mean of many calls in a row: cholesky_panel() with panel_qr() and panel_times_factor() behind it, these two alone, and the
// three kernels of cholesky_panel() alone.
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/reduction/two_stage/cholesky_panel.hpp"
#include "solver/reduction/two_stage/cholesky_panel_launch.cuh"

using namespace eigen_g;
namespace kernels = eigen_g::panel_by_cholesky;

namespace {

constexpr std::int64_t b = 64;

template <class F>
double microseconds(const Queue& queue, const F& f) {
  constexpr int calls = 100;
  for (int k = 0; k < 10; ++k) f();
  cudaEvent_t first, last;
  EIGEN_G_CUDA(cudaEventCreate(&first));
  EIGEN_G_CUDA(cudaEventCreate(&last));
  EIGEN_G_CUDA(cudaEventRecord(first, queue.stream()));
  for (int k = 0; k < calls; ++k) f();
  EIGEN_G_CUDA(cudaEventRecord(last, queue.stream()));
  EIGEN_G_CUDA(cudaEventSynchronize(last));
  float ms = 0;
  EIGEN_G_CUDA(cudaEventElapsedTime(&ms, first, last));
  EIGEN_G_CUDA(cudaEventDestroy(first));
  EIGEN_G_CUDA(cudaEventDestroy(last));
  return 1e3 * ms / calls;
}

DeviceBuffer<std::byte> zeros(std::uint64_t bytes) {
  DeviceBuffer<std::byte> memory(static_cast<std::int64_t>(bytes));
  EIGEN_G_CUDA(cudaMemset(memory.data(), 0, memory.bytes()));
  return memory;
}

void time(std::int64_t rows) {
  const Queue queue;
  const std::int64_t ld = rows + rows % 2;
  std::vector<double> values(static_cast<std::size_t>(ld * b));
  std::mt19937_64 random(7);
  for (double& x : values) x = static_cast<double>(static_cast<std::int64_t>(random())) * 0x1p-63;
  DeviceBuffer<double> a(ld * b), v(ld * b), q(ld * b), w(ld * b), tau(b), gram(b * b), band((b + 1) * b);
  EIGEN_G_CUDA(cudaMemcpy(a.data(), values.data(), a.bytes(), cudaMemcpyHostToDevice));
  const DeviceBuffer<std::byte> scratch = zeros(cholesky_panel_bytes(rows)),
                                of_qr = zeros(panel_qr_bytes<double>(rows, b, queue.multiprocessors()));
  const auto arena = [](const DeviceBuffer<std::byte>& from) {
    return Arena(const_cast<std::byte*>(from.data()), static_cast<std::uint64_t>(from.bytes()));
  };
  EIGEN_G_CUDA(cudaDeviceSynchronize());
  PanelFactor<double> out;
  out.v[1] = {v.data(), rows, b, ld};
  out.tau = tau.data();
  out.gram = {gram.data(), b, b, b};
  out.band = band.data();
  out.band_ld = b + 1;
  unsigned step = 0;
  const MatrixView<const double> panel{a.data(), rows, b, ld};
  const auto qr = [&] {
    panel_qr<double>(queue, panel, out, step, arena(of_qr));
    step += b;
    panel_times_factor<double>(queue, {v.data(), rows, b, ld}, {gram.data(), b, b, b}, tau.data(),
                               {w.data(), rows, b, ld}, out.done);
  };
  const double alone = microseconds(queue, qr);
  std::printf("%6lld rows: panel_qr and W %7.1f", static_cast<long long>(rows), alone);
  if (cholesky_panel_runs(b)) {
    const double both = microseconds(queue, [&] {
      out.done =
          cholesky_panel(queue, panel, out, {q.data(), rows, b, ld}, {w.data(), rows, b, ld}, arena(scratch));
      qr();
    });
    unsigned done = 0;
    EIGEN_G_CUDA(cudaMemcpy(&done, out.done, sizeof done, cudaMemcpyDeviceToHost));
    std::printf("  cholesky_panel and these %7.1f (done: %u)  kernels alone", both, done);
    kernels::Panel p{};
    p.rows = static_cast<std::int32_t>(rows);
    p.p = a.data();
    p.q = q.data();
    p.v[1] = v.data();
    p.w = w.data();
    p.ldp = p.ldq = p.ldv[1] = p.ldw = ld;
    p.tau = tau.data();
    p.band = band.data();
    p.ldb = b + 1;
    Arena places = arena(scratch);
    p.at = kernels::memory_in(places, rows);
    kernels::queue_panel(
        [&](auto kernel, std::int64_t blocks, int of_cluster, int threads, int shared,
            const auto&... arguments) {
          std::printf(" %6.1f", microseconds(queue, [&] {
                        kernels::LaunchKernel{queue.stream()}(kernel, blocks, of_cluster, threads, shared,
                                                              arguments...);
                      }));
        },
        p);
  }
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::int64_t> rows{200, 1000, 2000, 3000, 4000, 8000, 10000, 20000};
  if (argc > 1) rows.clear();
  for (int k = 1; k < argc; ++k) rows.push_back(std::atoll(argv[k]));
  for (const std::int64_t r : rows) time(r);
}
