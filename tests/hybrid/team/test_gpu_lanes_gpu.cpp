// Lanes of one GPU: their multiprocessors, the order of their work, failures, and what a thread keeps.
#include "hybrid/team/gpu_lanes.hpp"

#include <atomic>
#include <memory>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device_copy.hpp"

using namespace eigen_g;
using Division = GpuLanes::Division;

namespace {

// The divisions that this GPU and its driver allow.
std::vector<Division> divisions() {
  std::vector<Division> list{Division::streams};
  if (Partition::size_of(4) > 0) list.push_back(Division::parts);
  return list;
}

}  // namespace

TEST_CASE("lanes of a GPU: parts have equal numbers of multiprocessors, streams have all", "[gpu]") {
  NEEDS_GPU();
  const int all = gpu_facts(current_gpu()).multiprocessors;
  for (const Division division : divisions()) {
    const GpuLanes lanes(4, division);
    CHECK(lanes.size() == 4);
    const int size = division == Division::parts ? Partition::size_of(4) : all;
    for (int lane = 0; lane < 4; ++lane) CHECK(multiprocessors_of(lanes.stream(lane)) == size);
  }
  CHECK(4 * Partition::size_of(4) <= all);
  CHECK(Partition::size_of(all + 1) == 0);
  if (Partition::size_of(1) > 0) CHECK_THROWS_AS(Partition(0, all + 1), InvalidArgument);
}

TEST_CASE("lanes of a GPU: each problem once, in threads of their own, after the caller's stream", "[gpu]") {
  NEEDS_GPU();
  for (const Division division : divisions()) {
    GpuLanes lanes(4, division);
    const Queue caller;
    constexpr std::int64_t count = 64, values = std::int64_t{1} << 24;
    const DeviceBuffer<float> source(values), results(count);
    for (int used = 1; used <= 4; ++used) {
      EIGEN_G_CUDA(cudaMemsetAsync(source.data(), 0, source.bytes(), caller.stream()));
      caller.wait();
      // A long memset, whose last bytes every problem reads.
      for (int turn = 0; turn < 20; ++turn)
        EIGEN_G_CUDA(cudaMemsetAsync(source.data(), turn + 1, source.bytes(), caller.stream()));
      std::vector<std::atomic<int>> times(count);
      std::vector<std::thread::id> threads(4);
      std::atomic<int> wrong{0};
      lanes.run(used, count, caller.stream(), [&](int lane, std::int64_t k) {
        ++times[static_cast<std::size_t>(k)];
        threads[static_cast<std::size_t>(lane)] = std::this_thread::get_id();
        if (lane >= used) ++wrong;
        EIGEN_G_CUDA(cudaMemcpyAsync(results.data() + k, source.data() + values - 1, sizeof(float),
                                     cudaMemcpyDeviceToDevice, lanes.stream(lane)));
        EIGEN_G_CUDA(cudaStreamSynchronize(lanes.stream(lane)));
      });
      CHECK(wrong == 0);
      for (const std::atomic<int>& of_k : times) CHECK(of_k == 1);
      CHECK(threads[0] == std::this_thread::get_id());
      std::vector<std::uint32_t> found(count);
      EIGEN_G_CUDA(cudaMemcpy(found.data(), results.data(), results.bytes(), cudaMemcpyDeviceToHost));
      CHECK(std::set<std::uint32_t>(found.begin(), found.end()) == std::set<std::uint32_t>{0x14141414U});
    }
  }
}

TEST_CASE("lanes of a GPU: the first exception ends the work of all lanes", "[gpu]") {
  NEEDS_GPU();
  GpuLanes lanes(4, Division::streams);
  for (const std::int64_t bad : {0, 5, 99}) {
    std::atomic<std::int64_t> taken{0};
    CHECK_THROWS_AS(lanes.run(4, 1000000, lanes.stream(0),
                              [&](int, std::int64_t k) {
                                ++taken;
                                if (k == bad) throw std::runtime_error("bad");
                              }),
                    std::runtime_error);
    CHECK(taken < 1000000);
    taken = 0;
    lanes.run(4, 100, lanes.stream(0), [&](int, std::int64_t) { ++taken; });
    CHECK(taken == 100);
  }
}

TEST_CASE("lanes of a GPU: a thread keeps lanes that are not in use", "[gpu]") {
  NEEDS_GPU();
  GpuLanes::release();
  std::shared_ptr<GpuLanes> first = GpuLanes::of_this_thread(2, Division::streams);
  const std::shared_ptr<GpuLanes> second = GpuLanes::of_this_thread(2, Division::streams);
  CHECK(first != second);
  const GpuLanes* const address = first.get();
  first.reset();
  CHECK(GpuLanes::of_this_thread(2, Division::streams).get() == address);
  CHECK(GpuLanes::of_this_thread(3, Division::streams).get() != address);
  const std::weak_ptr<GpuLanes> watched = GpuLanes::of_this_thread(2, Division::streams), in_use = second;
  GpuLanes::release();
  CHECK(watched.expired());
  CHECK_FALSE(in_use.expired());
  std::thread([&] { CHECK(GpuLanes::of_this_thread(2, Division::streams) != second); }).join();
}
