// Tests of the calls on device pointers.
#include "tests/support/catch.hpp"

#include <thread>

#include "gemm_df/engines/products.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/memory/resources.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/api/eigen_g.h"
#include "tests/support/solving.hpp"

using eigen_g::DeviceBuffer;
using eigen_g::Queue;
using eigen_g::Uplo;
using support::random_matrix;
using support::Stored;

namespace {

constexpr double guard = -7.25e77;

// Pageable host arrays are copied on the queue's stream. Only the solver waits for the copies.
struct OnDevice {
  DeviceBuffer<double> a, w, z;
  std::int64_t lda = 1, ldz = 1;

  OnDevice(const Stored& s, const Queue& queue, std::int64_t padding)
      : a(static_cast<std::int64_t>(s.a.size())),
        w(s.n + 1),
        z(s.n * (s.n + padding) + 1),
        lda(s.lda),
        ldz(s.n + padding) {
    upload(s.a, a, queue);
    upload(std::vector<double>(static_cast<std::size_t>(w.size()), guard), w, queue);
    upload(std::vector<double>(static_cast<std::size_t>(z.size()), guard), z, queue);
  }
  static void upload(const std::vector<double>& host, const DeviceBuffer<double>& device,
                     const Queue& queue) {
    EIGEN_G_CUDA(
        cudaMemcpyAsync(device.data(), host.data(), device.bytes(), cudaMemcpyHostToDevice, queue.stream()));
  }
  static std::vector<double> download(const DeviceBuffer<double>& device) {
    std::vector<double> host(static_cast<std::size_t>(device.size()));
    EIGEN_G_CUDA(cudaMemcpy(host.data(), device.data(), device.bytes(), cudaMemcpyDeviceToHost));
    return host;
  }
};

eigen_g::Report solve(std::int64_t n, const OnDevice& d, double* z, std::int64_t ldz, const Queue& queue,
                      const support::OptionsAndDevices& o) {
  return eigen_g::eigen_g(n, eigen_g::device(d.a.data()), d.lda, eigen_g::device(d.w.data()),
                          eigen_g::device(z), ldz, queue.stream(), o, o);
}

// Checks the guards after w, after z and between z's columns, and returns the results without them.
support::Solved take(const OnDevice& d, std::int64_t n, const eigen_g::Report& report) {
  support::Solved solved{OnDevice::download(d.w), OnDevice::download(d.z), d.ldz, report};
  CHECK(solved.w.back() == guard);
  CHECK(solved.z.back() == guard);
  std::int64_t touched = 0;
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = n; i < d.ldz; ++i)
      touched += solved.z[static_cast<std::size_t>(i + j * d.ldz)] != guard;
  CHECK(touched == 0);
  solved.w.pop_back();
  solved.z.pop_back();
  return solved;
}

}  // namespace

// Path, n and lda decide if the matrix is used in place, and which part of its memory becomes workspace if it is not.
TEST_CASE("device pointers: pairs and values, either triangle, any leading dimension, either path", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  const auto check = [&](std::int64_t n, std::int64_t padding, eigen_g::Path path) {
    for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
      CAPTURE(n, support::name(uplo), padding, static_cast<int>(path));
      const Stored s = random_matrix(n, uplo, padding);
      support::OptionsAndDevices o;
      o.uplo = uplo;
      o.path = path;
      const OnDevice pairs(s, queue, padding);
      const eigen_g::Report report = solve(n, pairs, pairs.z.data(), pairs.ldz, queue, o);
      const support::Solved solved = take(pairs, n, report);
      support::check_pairs(s, solved);

      o.vectors = false;
      const OnDevice values(s, queue, padding);
      (void)solve(n, values, nullptr, 1, queue, o);
      const std::vector<double> w = take(values, n, report).w;
      support::check_values(s, w);
      CHECK(support::same_bits(w, solved.w));
    }
  };
  for (const std::int64_t padding : {0, 5}) {
    for (const std::int64_t n : {1, 2, 3, 64, 65, 129, 257, 600}) check(n, padding, eigen_g::Path::automatic);
    for (const std::int64_t n : {1, 3, 64, 65, 66, 260, 603, 1088, 1124, 1200})
      check(n, padding, eigen_g::Path::two_stage);
  }
}

TEST_CASE("every engine solves, and the report says which ran", "[gpu]") {
  NEEDS_GPU();
  using eigen_g::Engine;
  std::vector<Engine> engines{Engine::native, Engine::df, Engine::ozaki, Engine::ozaki_fast};
  if (eigen_g::engine_built(Engine::emulated)) engines.push_back(Engine::emulated);
  if (eigen_g::engine_runs(Engine::ozaki_fp8)) engines.push_back(Engine::ozaki_fp8);
  const Stored s = random_matrix(1500);
  for (const Engine engine : engines) {
    CAPTURE(name(engine));
    support::OptionsAndDevices o = support::options(eigen_g::DeviceChoice::gpu);
    o.engine = engine;
    const support::Solved solved = support::solve_guarded(s, o);
    support::check_pairs(s, solved,
                         engine == Engine::native ? "random" : "random, " + std::string(name(engine)));
    const eigen_g::EngineFlops flops = support::flops(solved.report);
    CHECK(flops[engine] > 0);
    for (const Engine other : eigen_g::engines())  // small products are native
      if (other != engine && (engine == Engine::native || engine == Engine::df))
        CHECK(flops[other] <= (other == Engine::native ? 0.1 * flops[engine] : 0));
    CHECK(support::same_bits(solved.w, support::solve_guarded(s, o).w));
  }
  // By the first rates double-float is always the fastest engine, by the second never.
  support::OptionsAndDevices o = support::options(eigen_g::DeviceChoice::gpu);
  o.engine = Engine::automatic;
  o.engine_rates[Engine::native].flops_per_second = 1e9;
  o.engine_rates[Engine::df].flops_per_second = 1e15;
  const eigen_g::EngineFlops by_df = support::flops(support::solve_guarded(s, o).report);
  CHECK(by_df[Engine::native] <= 0.1 * by_df[Engine::df]);
  o.engine_rates[Engine::native].flops_per_second = 1e15;
  o.engine_rates[Engine::df].flops_per_second = 1e9;
  CHECK(support::flops(support::solve_guarded(s, o).report)[Engine::df] == 0);
}

TEST_CASE("every engine passes its own verification on the two-stage path for a small matrix", "[gpu]") {
  NEEDS_GPU();
  using eigen_g::Engine;
  for (const Engine engine : eigen_g::engines()) {
    if (!eigen_g::engine_runs(engine)) continue;
    support::OptionsAndDevices o = support::options(eigen_g::DeviceChoice::gpu);
    o.engine = engine;
    o.path = eigen_g::Path::two_stage;
    for (std::int64_t n = 20; n <= 150; n += 5) {
      CAPTURE(name(engine), n);
      const Stored s = random_matrix(n);
      const support::Solved solved = support::solve_guarded(s, o);
      const eigen_g::Verification v =
          eigen_g::verify(s.uplo, n, s.a.data(), s.lda, n, solved.w.data(), solved.z.data(), solved.ldz,
                          eigen_g::DeviceChoice::cpu);
      CHECK(eigen_g::passed(v));
    }
  }
}

TEST_CASE("device pointers: the default stream, and nothing to solve", "[gpu]") {
  NEEDS_GPU();
  const Stored s = random_matrix(100);
  const Queue queue;
  const OnDevice d(s, queue, 0);
  queue.wait();
  const eigen_g::Report report =
      eigen_g::eigen_g(100, eigen_g::device(d.a.data()), d.lda, eigen_g::device(d.w.data()),
                       eigen_g::device(d.z.data()), d.ldz, nullptr);
  support::check_pairs(s, take(d, 100, report));
  CHECK(eigen_g::eigen_g<double>(0, {}, 1, {}, {}, 1, nullptr).status == eigen_g::Status::converged);
}

TEST_CASE("device pointers: vectors over the matrix itself", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  for (const std::int64_t n : {1, 2, 64, 65, 128, 300})
    for (const Uplo uplo : {Uplo::lower, Uplo::upper})
      for (const bool subset : {false, true}) {
        CAPTURE(n, support::name(uplo), subset);
        const Stored s = random_matrix(n, uplo, 2);
        const OnDevice d(s, queue, 0);
        support::OptionsAndDevices o;
        o.uplo = uplo;
        const std::int64_t m = subset ? (n + 1) / 2 : n;
        if (subset) o.subset = eigen_g::Subset::by_index(1, m);
        support::Solved solved;
        solved.report = solve(n, d, d.a.data(), d.lda, queue, o);
        REQUIRE(solved.report.m == m);
        solved.w = OnDevice::download(d.w);
        solved.z = OnDevice::download(d.a);
        support::check_verified(eigen_g::verify(uplo, n, s.a.data(), s.lda, m, solved.w.data(),
                                                solved.z.data(), d.lda, eigen_g::DeviceChoice::cpu),
                                support::Machine::gpu);
      }
}

TEST_CASE("device memory: the process keeps a large block, and all threads use it", "[gpu][alone]") {
  NEEDS_GPU();
  const std::int64_t n = 3100;  // more than a thread keeps
  const Stored s = random_matrix(n);
  support::OptionsAndDevices o;
  o.device = eigen_g::DeviceChoice::gpu;
  std::vector<double> w(static_cast<std::size_t>(n)), z(s.a.size());
  const auto solve_it = [&] { (void)eigen_g::eigen_g(n, s.a.data(), s.lda, w.data(), z.data(), n, o, o); };
  const std::uint64_t bytes = eigen_g::workspace_bytes(n, o, true, eigen_g::Pointers::host).device;
  REQUIRE(bytes > eigen_g::WorkMemory::max_kept_bytes);
  if (bytes > eigen_g::gpu_facts(0).memory_total / eigen_g::WorkMemory::kept_part)
    SKIP_TEST("this GPU has too little memory to keep the block");
  solve_it();
  const std::vector<double> first = z;
  eigen_g::release_thread_cache();
  const std::uint64_t free = eigen_g::gpu_memory_free(0);
  solve_it();
  CHECK(eigen_g::gpu_memory_free(0) + bytes <= free);
  CHECK(eigen_g::device_memory_available() >= eigen_g::gpu_memory_free(0) + bytes);
  const std::uint64_t made = eigen_g::Resources::made();
  solve_it();
  CHECK(eigen_g::Resources::made() == made);
  // Another thread makes a stream, a handle, events and pinned memory of its own, but no block of the workspace's size.
  const std::uint64_t before = eigen_g::gpu_memory_free(0);
  std::thread(solve_it).join();
  CHECK(before - std::min(before, eigen_g::gpu_memory_free(0)) < bytes);
  CHECK(z == first);
  // An allocation that needs the block frees it.
  {
    const eigen_g::DeviceBuffer<std::byte> rest(
        static_cast<std::int64_t>(eigen_g::gpu_memory_free(0) + bytes / 2));
    CHECK(rest.data() != nullptr);
    CHECK(eigen_g::device_memory_available() == eigen_g::gpu_memory_free(0));
  }
  // Each path solves in a poisoned block.
  for (const eigen_g::Path path : {eigen_g::Path::one_stage, eigen_g::Path::two_stage}) {
    o.path = path;
    eigen_g::release_kept_memory();
    solve_it();
    const std::vector<double> expected = z;
    {
      const Queue queue;
      const eigen_g::WorkMemory memory(queue, bytes);
      EIGEN_G_CUDA(cudaMemset(memory.data(), 0xff, bytes));
    }
    solve_it();
    CHECK(z == expected);
  }
  // A block of more than twice the bytes is left alone, and so is a block above a limit of memory.
  {
    const Queue queue;
    const std::uint64_t held = eigen_g::device_memory_available() - eigen_g::gpu_memory_free(0);
    REQUIRE(held >= bytes);
    const eigen_g::WorkMemory small(queue, held / 2 - 1), limited(queue, held - 1, held - 1);
    CHECK(eigen_g::device_memory_available() - eigen_g::gpu_memory_free(0) == held);
  }
  eigen_g::release_thread_cache();
  CHECK(eigen_g::gpu_memory_free(0) + (std::uint64_t{8} << 20) >= free);
}

TEST_CASE("device memory: as much is taken as is told, and not more than 3.25 matrices in all",
          "[gpu][alone]") {
  NEEDS_GPU();
  const auto free_bytes = [] {
    std::size_t free = 0, total = 0;
    EIGEN_G_CUDA(cudaMemGetInfo(&free, &total));
    return static_cast<double>(free);
  };
  constexpr double granularity = 2 << 20;
  const std::int64_t n = 3100;  // more than a thread keeps
  eigen_g::release_thread_cache();
  const Stored s = random_matrix(n);
  for (const bool vectors : {true, false})
    for (const bool on_host : {true, false}) {
      CAPTURE(vectors, on_host);
      const auto told = static_cast<double>(
          eigen_g::workspace_bytes(n, {.vectors = vectors}, true,
                                   on_host ? eigen_g::Pointers::host : eigen_g::Pointers::device)
              .device);
      std::vector<double> w(static_cast<std::size_t>(n)), z(s.a.size());
      const Queue queue;
      const OnDevice d(s, queue, 0);
      queue.wait();
      double before = 0, taken = 0;
      support::OptionsAndDevices o;
      o.vectors = vectors;
      o.device = eigen_g::DeviceChoice::gpu;
      o.progress = [&](eigen_g::Stage, double) { taken = std::max(taken, before - free_bytes()); };
      for (int run = 0; run < 2; ++run) {  // the first one also loads code
        eigen_g::release_kept_memory();
        before = free_bytes();
        taken = 0;
        const eigen_g::Report report =
            on_host ? eigen_g::eigen_g(n, s.a.data(), s.lda, w.data(), z.data(), n, o, o)
                    : solve(n, d, d.z.data(), d.ldz, queue, o);
        CHECK(static_cast<double>(report.bytes.device) <= told);
        CHECK(static_cast<double>(report.bytes.device) >= 0.99 * told);
      }
      CHECK(taken <= told + granularity);
      // A smaller workspace is in the block that the thread keeps.
      if (told > static_cast<double>(eigen_g::WorkMemory::max_kept_bytes)) CHECK(taken >= told - granularity);
    }
  const auto in_all = [&](std::int64_t order, bool vectors, eigen_g::Pointers pointers,
                          eigen_g::Path path = eigen_g::Path::one_stage) {
    const double square = 8.0 * static_cast<double>(order) * static_cast<double>(order);
    const double own = static_cast<double>(
        eigen_g::workspace_bytes(order, {.vectors = vectors, .path = path}, true, pointers).device);
    const double callers = pointers == eigen_g::Pointers::host ? 0 : vectors ? 2 : 1;
    return own / square + callers;
  };
  for (const eigen_g::Pointers pointers : {eigen_g::Pointers::host, eigen_g::Pointers::device}) {
    for (const std::int64_t order : {6000, 10000, 20000, 50000}) CHECK(in_all(order, true, pointers) <= 3.2);
    for (const std::int64_t order : {1000, 2500, 5000})
      CHECK(in_all(order, true, pointers) <= 3 + 1200.0 / static_cast<double>(order));
    CHECK(in_all(10000, false, pointers) <= (pointers == eigen_g::Pointers::host ? 1.1 : 2.1));
    constexpr auto two_stage = eigen_g::Path::two_stage;
    CHECK(in_all(65000, true, pointers, two_stage) <= 3.08);
    CHECK(in_all(65000, false, pointers, two_stage) <= 1.04);
    for (const std::int64_t order : {6000, 10000, 20000, 50000}) {
      CHECK(in_all(order, true, pointers, two_stage) <= 3.22);
      CHECK(in_all(order, false, pointers, two_stage) <= (order < 10000 ? 1.2 : 1.13));
    }
    CHECK(in_all(9999, true, pointers, two_stage) <= (pointers == eigen_g::Pointers::host ? 3.22 : 4.22));
  }
}

TEST_CASE("what a thread keeps between solves changes no result, and can be released", "[gpu][alone]") {
  NEEDS_GPU();
  const Stored large = random_matrix(400), small = random_matrix(90);
  support::OptionsAndDevices o;
  o.device = eigen_g::DeviceChoice::gpu;
  const auto solve = [&](const Stored& s, const support::OptionsAndDevices& how) {
    return eigen_g::solve(s.n, s.a.data(), s.lda, how, how);
  };
  eigen_g::release_thread_cache();
  const eigen_g::Solution<double> first = solve(large, o), other = solve(small, o), second = solve(large, o);
  CHECK(support::same_bits(first.vectors, second.vectors));

  support::OptionsAndDevices nested = o;  // a nested solve has memory of its own
  eigen_g::Solution<double> inner;
  nested.progress = [&](eigen_g::Stage stage, double fraction) {
    if (stage == eigen_g::Stage::divide_and_conquer && fraction == 0) inner = solve(small, o);
  };
  CHECK(support::same_bits(solve(large, nested).vectors, first.vectors));
  CHECK(support::same_bits(inner.vectors, other.vectors));

  std::vector<eigen_g::Solution<double>> of_thread(2);
  std::vector<std::thread> threads;
  for (eigen_g::Solution<double>& solution : of_thread)
    threads.emplace_back([&] {
      for (int k = 0; k < 5; ++k) solution = solve(large, o);
    });
  for (std::thread& thread : threads) thread.join();
  for (const eigen_g::Solution<double>& solution : of_thread)
    CHECK(support::same_bits(solution.vectors, first.vectors));

  struct Enough {};
  support::OptionsAndDevices interrupted = o;
  interrupted.progress = [](eigen_g::Stage stage, double) {
    if (stage == eigen_g::Stage::back_transform) throw Enough();
  };
  CHECK_THROWS_AS(solve(large, interrupted), Enough);
  CHECK(support::same_bits(solve(large, o).vectors, first.vectors));

  const auto free_bytes = [] {
    std::size_t free = 0, total = 0;
    EIGEN_G_CUDA(cudaMemGetInfo(&free, &total));
    return free;
  };
  const std::size_t kept = free_bytes();
  eigen_g::release_thread_cache();
  CHECK(free_bytes() > kept);
  CHECK(support::same_bits(solve(large, o).vectors, first.vectors));
}

TEST_CASE("memory: what does not fit is told with both figures", "[gpu]") {
  NEEDS_GPU();
  const std::int64_t n = 1000000;  // 8 TB; the matrix itself is never touched
  double w = 0, z = 0;
  const double a = 0;
  support::OptionsAndDevices o;
  o.device = eigen_g::DeviceChoice::gpu;
  for (const bool vectors : {true, false}) {
    CAPTURE(vectors);
    o.vectors = vectors;
    try {
      (void)eigen_g::eigen_g(n, &a, n, &w, vectors ? &z : nullptr, n, o, o);
      FAIL("there is no such GPU");
    } catch (const eigen_g::OutOfMemory& error) {
      // With vectors the reflectors would go to host memory, and there are not 8 TB either.
      CHECK(error.on_device() == !vectors);
      CHECK(error.needed() >= 8 * static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(n));
      CHECK(error.available() > 0);
      CHECK(error.available() < error.needed());
    }
  }
}

TEST_CASE("device memory where host memory belongs is named", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  const Stored s = random_matrix(50);  // below the smallest order that takes the GPU
  const OnDevice d(s, queue, 0);
  std::vector<double> w(50), z(2500);
  support::OptionsAndDevices o;
  const auto refused = [&](const double* a, double* values, double* vectors) {
    try {
      (void)eigen_g::eigen_g(50, a, 50, values, vectors, 50, o, o);
    } catch (const eigen_g::InvalidArgument& error) {
      return std::string(name(error.argument()));
    }
    return std::string("none");
  };
  for (const eigen_g::DeviceChoice place :
       {eigen_g::DeviceChoice::automatic, eigen_g::DeviceChoice::cpu, eigen_g::DeviceChoice::gpu}) {
    CAPTURE(static_cast<int>(place));
    o.device = place;
    CHECK(refused(d.a.data(), w.data(), z.data()) == "a");
    CHECK(refused(s.a.data(), d.w.data(), z.data()) == "w");
    CHECK(refused(s.a.data(), w.data(), d.z.data()) == "z");
    CHECK(refused(s.a.data(), w.data(), z.data()) == "none");
  }
}

TEST_CASE("device pointers: what is wrong is named", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  Stored s = random_matrix(50);
  const auto refused = [&](const OnDevice& d, std::int64_t n, std::int64_t lda, double* z, std::int64_t ldz,
                           eigen_g::DeviceChoice place = eigen_g::DeviceChoice::automatic) {
    support::OptionsAndDevices o;
    o.device = place;
    try {
      (void)eigen_g::eigen_g(n, eigen_g::device(d.a.data()), lda, eigen_g::device(d.w.data()),
                             eigen_g::device(z), ldz, queue.stream(), o, o);
    } catch (const eigen_g::InvalidArgument& error) {
      return std::string(name(error.argument()));
    }
    return std::string("none");
  };
  const OnDevice d(s, queue, 0);
  CHECK(refused(d, -1, 50, d.z.data(), 50) == "n");
  CHECK(refused(d, 50, 49, d.z.data(), 50) == "lda");
  CHECK(refused(d, 50, 50, nullptr, 50) == "z");
  CHECK(refused(d, 50, 50, d.z.data(), 49) == "ldz");
  CHECK(refused(d, 50, 50, d.a.data(), 51) == "ldz");
  CHECK(refused(d, 50, 50, d.z.data(), 50, eigen_g::DeviceChoice::cpu) == "device");
  if (!eigen_g::gpu_reads_all_host_memory()) {
    std::vector<double> on_host(2500);
    CHECK(refused(d, 50, 50, on_host.data(), 50) == "z");
  }

  s.at(40, 7) = support::infinity;
  const OnDevice bad(s, queue, 0);
  std::int64_t row = -1, col = -1;
  try {
    (void)solve(50, bad, bad.z.data(), bad.ldz, queue, {});
  } catch (const eigen_g::NonFiniteEntry& error) {
    row = error.row();
    col = error.col();
  }
  CHECK(row == 40);
  CHECK(col == 7);
}

TEST_CASE("device pointers from C", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  const Stored s = random_matrix(120, Uplo::upper, 2);
  const OnDevice d(s, queue, 3);
  REQUIRE(eigen_g_dsyevd_device('V', 'U', 120, d.a.data(), d.lda, d.w.data(), d.z.data(), d.ldz,
                                queue.stream()) == 0);
  support::check_pairs(s, take(d, 120, {}));
  CHECK(eigen_g_dsyevd_device('V', 'U', 120, d.a.data(), 119, d.w.data(), d.z.data(), d.ldz,
                              queue.stream()) == -5);
}
