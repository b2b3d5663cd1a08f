// Each call of CUDA and cuBLAS fails in turn. The exception is a documented one, no memory is lost, and the next solve is right.
#include <algorithm>
#include <functional>
#include <set>

#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/api/batched.hpp"
#include "solver/api/generalised.hpp"
#include "solver/api/sparse.hpp"
#include "solver/devices/tuning.hpp"
#include "tests/support/closed_forms.hpp"
#include "tests/support/faults.hpp"
#include "tests/support/solving.hpp"

using namespace eigen_g;
using support::random_matrix;
using support::same_bits;
using support::Stored;
namespace faults = support::faults;

namespace {

using Bits = std::vector<double>;  // values, then vectors

Bits host_solve(const Stored& s, const support::OptionsAndDevices& o) {
  const auto solved = solve(s.n, s.a.data(), s.lda, o, o);
  Bits bits = solved.values;
  bits.insert(bits.end(), solved.vectors.begin(), solved.vectors.end());
  return bits;
}

// Solves on device pointers. The copies belong to the caller and are not counted.
Bits device_solve(const Stored& s, const support::OptionsAndDevices& o) {
  const Queue queue;
  const DeviceBuffer<double> a(s.n * s.n), both(s.n + s.n * s.n);
  cudaMemcpy(a.data(), s.a.data(), a.bytes(), cudaMemcpyHostToDevice);
  cudaDeviceSynchronize();  // the queue does not wait for the default stream
  (void)::eigen_g::eigen_g(s.n, device(a.data()), s.n, device(both.data()), device(both.data() + s.n), s.n,
                           queue.stream(), o, o);
  Bits bits(static_cast<std::size_t>(both.size()));
  cudaMemcpy(bits.data(), both.data(), both.bytes(), cudaMemcpyDeviceToHost);
  return bits;
}

// `fresh`: the thread cache is empty, so that its creation fails too. `short_of_memory`: the solve takes another path, with other
// bits, if memory is short.
void check_every_failure(const std::function<Bits()>& solve, bool fresh, bool short_of_memory = false) {
  const Bits truth = solve();
  release_thread_cache();
  const std::int64_t held = faults::held();
  if (!fresh) (void)solve();
  faults::arm(0);
  const Bits again = solve();
  const std::int64_t calls = faults::disarm();
  CHECK(same_bits(again, truth));
  REQUIRE(calls > 20);
  std::int64_t told = 0,
               made_to_fail = 0;  // solves that wait by polling have fewer calls at times than `calls`
  std::set<std::string> unwell, failed;
  const auto note = [&](const std::string& what, const std::string& error) {
    unwell.insert(what + faults::last() + ": " + error);
  };
  for (std::int64_t k = 1; k <= calls; ++k) {
    if (fresh) release_thread_cache();
    faults::arm(k);
    try {
      const Bits bits = solve();
      if (!same_bits(bits, truth) && !(short_of_memory && std::string(faults::last()) == "cudaMalloc"))
        note("", "other bits");
    } catch (const DeviceError&) {
      ++told;
    } catch (const OutOfMemory&) {
      ++told;
    } catch (const std::exception& error) {
      note("", error.what());
    }
    if (faults::disarm() >= k) ++made_to_fail;
    failed.insert(faults::last());
    if (k > 40 && k % 10 != 0) continue;  // the next solve is checked only from time to time
    try {
      if (!same_bits(solve(), truth)) note("after ", "other bits");
    } catch (const std::exception& error) {
      note("after ", error.what());
    }
  }
  for (const std::string& what : unwell) UNSCOPED_INFO(what);
  CHECK(unwell.empty());
  CHECK(made_to_fail > 20);
  CHECK(told > made_to_fail / 2);
  CHECK(failed.count("cublasSetStream_v2") == 1);
  CHECK((!fresh || failed.count("cublasCreate_v2") == 1));
  release_thread_cache();
  CHECK(faults::held() == held);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
}

}  // namespace

TEST_CASE("a failed call of a solve is reported, and the next solve is right", "[gpu]") {
  NEEDS_GPU();
  support::OptionsAndDevices o = support::options(DeviceChoice::gpu);
  const Path path = GENERATE(Path::one_stage, Path::two_stage);
  const std::int64_t n = GENERATE(100, 700);
  const bool vectors = GENERATE(true, false), fresh = GENERATE(false, true);
  CAPTURE(name(path), n, vectors, fresh);
  o.path = path;
  o.vectors = vectors;
  const Stored s = random_matrix(n);
  // With a memory of its own that fails, a solve of such an order takes another mode (MemoryMode).
  const bool may_park =
      fresh && (vectors || path == Path::two_stage) && n >= solver_tuning().min_order_out_of_core;
  check_every_failure([&] { return host_solve(s, o); }, fresh, may_park);
  if (vectors && !fresh) check_every_failure([&] { return device_solve(s, o); }, fresh);
}

TEST_CASE("a failed call of a solve out of core is reported, and the next solve is right", "[gpu]") {
  NEEDS_GPU();
  support::OptionsAndDevices o = support::options(DeviceChoice::gpu);
  const Path path = GENERATE(Path::one_stage, Path::two_stage);
  const MemoryMode mode = GENERATE(MemoryMode::parked, MemoryMode::slabs, MemoryMode::block_columns);
  const bool vectors = GENERATE(true, false);
  const std::int64_t n = mode == MemoryMode::block_columns ? 700 : 300;
  if (mode == MemoryMode::block_columns ? path == Path::one_stage : !vectors)
    return;  // there is no such solve
  CAPTURE(name(path), name(mode), vectors);
  o.path = path;
  o.vectors = vectors;
  o.memory_limit = workspace_bytes<double>(n, o, true, Pointers::host, mode).device;
  const Stored s = random_matrix(n);
  check_every_failure([&] { return host_solve(s, o); }, true, true);
}

TEST_CASE("a failed call of a solve by several GPUs is reported, and the next solve is right", "[gpu]") {
  NEEDS_GPU();
  if (gpu_count() < 2) SKIP_TEST("this machine has one GPU");
  support::OptionsAndDevices o = support::options(DeviceChoice::gpu);
  o.path = Path::two_stage;
  o.gpus = 2;
  o.vectors = GENERATE(true, false);
  const std::int64_t n = 200;
  CAPTURE(o.vectors);
  const Stored s = random_matrix(n);
  const auto solve = [&] {
    try {
      return host_solve(s, o);
    } catch (const InvalidArgument& error) {  // a failed count of the GPUs is a machine without GPUs
      if (std::string(faults::last()) != "cudaGetDeviceCount") throw;
      throw DeviceError(error.what());
    }
  };
  check_every_failure(solve, false, true);
}

// An allocation that fails before any work makes the solve smaller. Later ones end the solve with an exception.
TEST_CASE("a solve that a failed allocation makes smaller says so, and its pairs are right", "[gpu]") {
  NEEDS_GPU();
  struct Row {
    Precision precision;
    DeviceChoice device;
    Path path;
    Fallback step;
  };
  const Row row =
      GENERATE(Row{Precision::mixed, DeviceChoice::gpu, Path::automatic, Fallback::mixed_to_native},
               Row{Precision::native, DeviceChoice::gpu, Path::automatic, Fallback::in_core_to_parked},
               Row{Precision::native, DeviceChoice::automatic, Path::one_stage, Fallback::in_core_to_parked});
  const std::int64_t n = row.path == Path::automatic ? 3000 : 700;
  support::OptionsAndDevices o = support::options(row.device);
  o.precision = row.precision;
  o.path = row.path;
  const Stored s = random_matrix(n);
  const support::Solved whole = support::solve_guarded(s, o);
  if (whole.report.devices.front().gpu < 0) SKIP_TEST("this order is solved on the CPU");
  CHECK(whole.report.fallbacks.empty());
  std::int64_t made_smaller = 0;
  bool passed_all = false;
  for (std::int64_t k = 1; made_smaller < 2 && !passed_all; ++k) {
    release_thread_cache();
    support::Solved solved{whole.w, whole.z, n, {}};
    std::fill(solved.z.begin(), solved.z.end(), 0.0);
    try {
      faults::arm(k, "cudaMalloc");
      solved.report =
          ::eigen_g::eigen_g(n, s.a.data(), s.lda, solved.w.data(), solved.z.data(), solved.ldz, o, o);
      passed_all = faults::disarm() < k;
    } catch (const std::exception&) {
      faults::disarm();
      continue;
    }
    if (solved.report.fallbacks.empty()) continue;
    ++made_smaller;
    CAPTURE(k, faults::last());
    CHECK(solved.report.fallbacks == std::vector<Fallback>{row.step});
    CHECK(solved.report.devices.front().gpu >= 0);
    CHECK((solved.report.mode == MemoryMode::parked) == (row.step == Fallback::in_core_to_parked));
    support::check_pairs(s, solved);
  }
  CHECK(made_smaller > 0);
}

TEST_CASE("a failed call of a batch is reported, and the next batch is right", "[gpu]") {
  NEEDS_GPU();
  const bool on_host = GENERATE(true, false);
  const std::int64_t n = GENERATE(8, 150), count = n < 100 ? 20000 : 2;  // several chunks; one by one
  CAPTURE(on_host, n);
  const Stored s = random_matrix(n);
  std::vector<double> many;
  for (std::int64_t k = 0; k < count; ++k) many.insert(many.end(), s.a.begin(), s.a.end());
  const std::int64_t values = n * count;
  Devices gpu;
  gpu.device = DeviceChoice::gpu;
  check_every_failure(
      [&] {
        Bits bits(static_cast<std::size_t>(values) + many.size());
        if (on_host) {
          const BatchReport report = eigen_g_batched(n, count, many.data(), n, bits.data(),
                                                     bits.data() + values, n, nullptr, {}, {}, gpu);
          CHECK(report.failed == 0);
          return bits;
        }
        const Queue queue;
        const DeviceBuffer<double> a(static_cast<std::int64_t>(many.size())),
            both(static_cast<std::int64_t>(bits.size()));
        cudaMemcpy(a.data(), many.data(), a.bytes(), cudaMemcpyHostToDevice);
        cudaDeviceSynchronize();
        const BatchReport report = eigen_g_batched(n, count, device(a.data()), n, device(both.data()),
                                                   device(both.data() + values), n, {}, queue.stream());
        CHECK(report.failed == 0);
        cudaMemcpy(bits.data(), both.data(), both.bytes(), cudaMemcpyDeviceToHost);
        return bits;
      },
      false);
}

TEST_CASE("a batch that a failed allocation moves to the CPU is right", "[gpu]") {
  NEEDS_GPU();
  const std::int64_t n = 20, count = 1000;
  const Stored s = random_matrix(n);
  std::vector<double> many, w(static_cast<std::size_t>(n * count)), z;
  for (std::int64_t k = 0; k < count; ++k) many.insert(many.end(), s.a.begin(), s.a.end());
  z = many;
  const auto solve_it = [&](DeviceChoice choice) {
    Devices devices;
    devices.device = choice;
    return eigen_g_batched(n, count, many.data(), n, w.data(), z.data(), n, nullptr, {}, {}, devices);
  };
  CHECK(solve_it(DeviceChoice::cpu).failed == 0);
  const Bits expected = w;
  REQUIRE(solve_it(DeviceChoice::automatic).devices.front().gpu >= 0);
  bool moved = false, passed_all = false;
  for (std::int64_t k = 1; !moved && !passed_all; ++k) {
    release_thread_cache();
    faults::arm(k);
    try {
      const BatchReport report = solve_it(DeviceChoice::automatic);
      passed_all = faults::disarm() < k;
      // A failed count of the devices moves the batch, too.
      moved = report.devices.front().gpu < 0 && std::string(faults::last()) == "cudaMalloc";
    } catch (const std::exception&) {
      faults::disarm();
    }
  }
  CHECK(moved);
  CHECK(same_bits(w, expected));
}

// Vectors over A: a matrix that the GPU has solved must not be solved again.
TEST_CASE("a ragged batch that a failed allocation moves to the CPU halfway is right", "[gpu]") {
  NEEDS_GPU();
  std::vector<Stored> matrices;
  for (std::int64_t k = 0; k < 200; ++k)
    matrices.push_back(random_matrix(k % 2 ? 20 : 60, Uplo::lower, 0, static_cast<std::uint64_t>(k)));
  const auto solve_it = [&](DeviceChoice choice, std::vector<Bits>& z) {
    z.clear();
    std::vector<std::int64_t> orders;
    std::vector<Bits> w;
    for (const Stored& s : matrices) {
      orders.push_back(s.n);
      z.push_back(s.a);
      w.emplace_back(static_cast<std::size_t>(s.n));
    }
    std::vector<const double*> from;
    std::vector<double*> to, values;
    for (std::size_t k = 0; k < z.size(); ++k) {
      from.push_back(z[k].data());
      to.push_back(z[k].data());
      values.push_back(w[k].data());
    }
    Devices devices;
    devices.device = choice;
    return eigen_g_ragged(RaggedBatch<double>{static_cast<std::int64_t>(z.size()), orders.data(), from.data(),
                                              nullptr, values.data(), to.data(), nullptr},
                          nullptr, {}, devices);
  };
  std::vector<Bits> on_cpu, on_gpu, found;
  CHECK(solve_it(DeviceChoice::cpu, on_cpu).failed == 0);
  CHECK(solve_it(DeviceChoice::gpu, on_gpu).failed == 0);
  int moved = 0;
  bool passed_all = false;
  for (std::int64_t k = 1; !passed_all; ++k) {
    release_thread_cache();
    faults::arm(k);
    try {
      const BatchReport report = solve_it(DeviceChoice::automatic, found);
      passed_all = faults::disarm() < k;
      moved += report.devices.front().gpu < 0;
      CHECK(report.failed == 0);
    } catch (const std::exception&) {
      faults::disarm();
      continue;
    }
    std::int64_t others = 0;
    for (std::size_t i = 0; i < found.size(); ++i)
      others += !same_bits(found[i], on_cpu[i]) && !same_bits(found[i], on_gpu[i]);
    CAPTURE(k);
    CHECK(others == 0);
  }
  CHECK(moved >= 2);
}

TEST_CASE("a failed call of few pairs of a sparse matrix is reported", "[gpu]") {
  NEEDS_GPU();
  const support::SparseCase a = support::cube(9);
  FewOptions options;
  options.method = FewMethod::lanczos;
  options.count = 3;
  Devices gpu;
  gpu.device = DeviceChoice::gpu;
  check_every_failure(
      [&] {
        Bits bits(static_cast<std::size_t>(3 + 3 * a.n()));
        const FewReport report = solve_few(a.rows(), bits.data(), bits.data() + 3, a.n(), options, gpu);
        CHECK(report.status == Status::converged);
        return bits;
      },
      false, true);
}

TEST_CASE("a failed call of a generalised solve is reported", "[gpu]") {
  NEEDS_GPU();
  const std::int64_t n = 300;
  const Stored a = random_matrix(n);
  std::vector<double> b(static_cast<std::size_t>(n * n), 0.0);
  for (std::int64_t i = 0; i < n; ++i)
    b[static_cast<std::size_t>(i * (n + 1))] = 1 + 0.5 * static_cast<double>(i % 7);
  Devices gpu;
  gpu.device = DeviceChoice::gpu;
  check_every_failure(
      [&] {
        Bits bits(static_cast<std::size_t>(n + n * n));
        std::vector<double> factor = b;
        (void)sygvd({}, n, a.a.data(), a.lda, factor.data(), n, bits.data(), bits.data() + n, n, {}, gpu);
        return bits;
      },
      false);
}

TEST_CASE("a solve that is given up in any stage gives its memory back", "[gpu]") {
  NEEDS_GPU();
  support::OptionsAndDevices o = support::options(DeviceChoice::gpu);
  o.path = GENERATE(Path::one_stage, Path::two_stage);
  const Stored s = random_matrix(700);
  const Bits truth = host_solve(s, o);
  release_thread_cache();
  const std::int64_t held = faults::held();
  struct GivenUp {};
  std::int64_t told = 0;
  for (bool whole = false; !whole;) {
    std::int64_t calls = 0;
    support::OptionsAndDevices interrupted = o;
    interrupted.progress = [&](Stage, double) {
      if (calls++ == told) throw GivenUp();
    };
    try {
      const Bits bits = host_solve(s, interrupted);  // not within a CHECK, which would catch the exception
      CHECK(same_bits(bits, truth));
      whole = true;
    } catch (const GivenUp&) {
      ++told;
    }
  }
  CHECK(told >= 8);
  release_thread_cache();
  CHECK(faults::held() == held);
}
