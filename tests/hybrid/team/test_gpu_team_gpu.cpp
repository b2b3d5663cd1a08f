#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/team/gpu_team.hpp"
#include "tests/support/catch.hpp"

using namespace eigen_g;

namespace {

// Members of one GPU, each with a queue.
struct SameGpu {
  GpuTeam team;
  std::vector<std::unique_ptr<Resources>> resources;
  std::vector<Queue> queues;
  explicit SameGpu(int members) : team(std::vector<int>(static_cast<std::size_t>(members), 0)) {
    for (int p = 0; p < members; ++p) {
      resources.push_back(std::make_unique<Resources>());
      queues.emplace_back(*resources.back(), Queue::CopiesOnly());
    }
  }
  std::vector<Resources*> all() const {
    std::vector<Resources*> list;
    for (const auto& of : resources) list.push_back(of.get());
    return list;
  }
};

}  // namespace

TEST_CASE("team of GPUs: every member runs in a thread of its own, and members meet", "[gpu]") {
  NEEDS_GPU();
  constexpr int members = 4;
  GpuTeam team(std::vector<int>(members, 0));
  CHECK(team.size() == members);
  std::vector<std::thread::id> threads(members);
  std::atomic<int> arrived = 0;
  std::atomic<bool> early = false;
  for (int round = 0; round < 50; ++round) {
    arrived = 0;
    team.run([&](int p) {
      threads[static_cast<std::size_t>(p)] = std::this_thread::get_id();
      for (int k = 1; k <= 3; ++k) {
        ++arrived;
        team.meet();
        if (arrived < k * members) early = true;
        team.meet();
      }
    });
    CHECK(arrived == 3 * members);
  }
  CHECK_FALSE(early);
  CHECK(threads[0] == std::this_thread::get_id());
  for (int p = 1; p < members; ++p)
    for (int q = 0; q < p; ++q)
      CHECK(threads[static_cast<std::size_t>(p)] != threads[static_cast<std::size_t>(q)]);
}

TEST_CASE("team of GPUs: the first exception ends the waits of all members", "[gpu]") {
  NEEDS_GPU();
  SameGpu same(3);
  TeamEvents events(same.team, same.all());
  for (int thrower = 0; thrower < 3; ++thrower)
    for (int wait = 0; wait < 3; ++wait) {
      CAPTURE(thrower, wait);
      events.begin();
      const auto work = [&](int p) {
        if (p == thrower) {
          std::this_thread::sleep_for(std::chrono::milliseconds(wait));
          throw std::runtime_error("a fault");
        }
        if (wait == 0) same.team.meet();
        if (wait == 1) events.hold(same.queues[static_cast<std::size_t>(p)], thrower, 0);
        if (wait == 2)
          for (;;) same.team.check();
      };
      CHECK_THROWS_WITH(same.team.run(work), "a fault");
    }
  int ran = 0;
  same.team.run([&](int p) { ran += p == 0; });  // the next work is not aborted
  CHECK(ran == 1);
}

TEST_CASE("team of GPUs: a wait for a member that has returned is an error, not a hang", "[gpu]") {
  NEEDS_GPU();
  SameGpu same(2);
  TeamEvents events(same.team, same.all());
  CHECK_THROWS_AS(same.team.run([&](int p) {
    if (p == 0) same.team.meet();
  }),
                  std::logic_error);
  CHECK_THROWS_AS(same.team.run([&](int p) {
    if (p == 1) events.hold(same.queues[1], 0, 0);
  }),
                  std::logic_error);
}

TEST_CASE("team of GPUs: a queue waits for a moment of another member's queue", "[gpu]") {
  NEEDS_GPU();
  SameGpu same(2);
  TeamEvents events(same.team, same.all());
  constexpr std::int64_t count = std::int64_t{1} << 22;
  const DeviceBuffer<unsigned char> a(count), b(count);
  for (int round = 0; round < 20; ++round) {
    events.begin();
    same.team.run([&](int p) {
      const Queue& queue = same.queues[static_cast<std::size_t>(p)];
      for (int k = 0; k < 8; ++k) {
        if (p == 0) {
          if (k > 0) events.hold(queue, 1, k - 1);
          EIGEN_G_CUDA(cudaMemsetAsync(a.data(), k + round, a.bytes(), queue.stream()));
          events.publish(0, queue, k);
        } else {
          events.hold(queue, 0, k);
          EIGEN_G_CUDA(cudaMemcpyAsync(b.data(), a.data(), a.bytes(), cudaMemcpyDefault, queue.stream()));
          events.publish(1, queue, k);
        }
      }
    });
    same.queues[1].wait();
    unsigned char last = 0;
    EIGEN_G_CUDA(cudaMemcpy(&last, b.data() + count - 1, 1, cudaMemcpyDeviceToHost));
    CHECK(static_cast<int>(last) == 7 + round);
  }
}
