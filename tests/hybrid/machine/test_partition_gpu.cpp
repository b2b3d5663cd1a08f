// Tests of a partition, which has only some of a GPU's multiprocessors.
#include "tests/support/catch.hpp"

#include <optional>

#include "gemm_df/gemm.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/error.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/machine/partition.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "tests/support/device_copy.hpp"
#include "tests/support/solving.hpp"

using namespace eigen_g;

namespace {

// Seconds of a product that is large enough for any GPU.
double product_seconds(const Queue& queue) {
  constexpr std::int64_t n = 2048;
  const DeviceBuffer<double> memory(3 * n * n);
  EIGEN_G_CUDA(cudaMemset(memory.data(), 0, memory.bytes()));
  EIGEN_G_CUDA(cudaDeviceSynchronize());  // a queue does not wait for the default stream
  const auto matrix = [&](int i) { return MatrixView<double>{memory.data() + i * n * n, n, n, n}; };
  Event begin, end;
  for (int round = 0; round < 2; ++round) {  // the first one loads the kernel
    begin.record(queue);
    gemm(queue, Op::none, Op::none, 1, matrix(0), matrix(1), 0, matrix(2));
    end.record(queue);
    end.wait();
  }
  return end.seconds_since(begin);
}

// Empty if toolkit or driver are too old; the test is then skipped.
std::optional<Partition> partition_of(int multiprocessors) {
  try {
    return Partition(multiprocessors);
  } catch (const DeviceError& error) {
    support::note_skip(error.what());
    return std::nullopt;
  }
}

}  // namespace

TEST_CASE("a partition's queue has its multiprocessors and runs on no more", "[gpu]") {
  NEEDS_GPU();
  const Device gpu = gpu_device(current_gpu());
  const std::optional<Partition> part = partition_of(8);
  if (!part) return;
  CHECK(part->multiprocessors() >= 8);
  CHECK(part->multiprocessors() <= gpu.multiprocessors);
  const Queue small(*part), whole;
  CHECK(small.multiprocessors() == part->multiprocessors());
  CHECK(whole.multiprocessors() == gpu.multiprocessors);
  CHECK(Queue(small.stream()).multiprocessors() == part->multiprocessors());  // on a stream of the caller too
  CHECK(multiprocessors_of(nullptr) == gpu.multiprocessors);
  if (part->multiprocessors() * 4 > gpu.multiprocessors)
    SKIP_TEST("too small a GPU to see a part of it in the time of a product");
  CHECK(product_seconds(small) > 2 * product_seconds(whole));
}

TEST_CASE("a solve on a partition's stream", "[gpu]") {
  NEEDS_GPU();
  const std::optional<Partition> part = partition_of(8);
  if (!part) return;
  const Queue queue(*part);
  constexpr std::int64_t n = 700;
  const support::Stored s = support::random_matrix(n);
  const DeviceBuffer<double> a(n * n), w(n), z(n * n);
  support::upload(a.data(), s.a.data(), a.bytes());
  EIGEN_G_CUDA(cudaDeviceSynchronize());  // a queue does not wait for the default stream
  support::Solved solved{std::vector<double>(n), std::vector<double>(n * n), n, {}};
  solved.report = eigen_g::eigen_g(n, eigen_g::device(a.data()), n, eigen_g::device(w.data()),
                                   eigen_g::device(z.data()), n, queue.stream());
  EIGEN_G_CUDA(cudaMemcpy(solved.w.data(), w.data(), w.bytes(), cudaMemcpyDeviceToHost));
  EIGEN_G_CUDA(cudaMemcpy(solved.z.data(), z.data(), z.bytes(), cudaMemcpyDeviceToHost));
  support::check_pairs(s, solved);
}

TEST_CASE("an impossible partition is refused", "[gpu]") {
  NEEDS_GPU();
  CHECK_THROWS_AS(Partition(0), InvalidArgument);
  CHECK_THROWS_AS(Partition(-8), InvalidArgument);
  CHECK_THROWS_AS(Partition(gpu_device(current_gpu()).multiprocessors + 1), InvalidArgument);
}
