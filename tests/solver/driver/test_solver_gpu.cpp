// Tests of the GPU memory that a solver object takes, and when it takes it.
#include <map>
#include <mutex>
#include <optional>

#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/machine/tuning.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/memory/resources.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/api/eigen_g.hpp"
#include "solver/api/generalised.hpp"
#include "solver/path/choice.hpp"
#include "tests/support/device_copy.hpp"
#include "tests/support/solving.hpp"

using namespace eigen_g;
using support::random_matrix;
using support::Stored;

namespace {

// The caller's matrices on the GPU.
struct Matrices {
  DeviceBuffer<double> a, w, z;
  explicit Matrices(const Stored& s) : a(static_cast<std::int64_t>(s.a.size())), w(s.n), z(s.n * s.n) {
    support::upload(a.data(), s.a.data(), a.bytes());
    EIGEN_G_CUDA(cudaMemset(z.data(), 0xff, z.bytes()));
    EIGEN_G_CUDA(cudaDeviceSynchronize());
  }
  Report solve(Solver<double>& solver, const Stored& s, cudaStream_t stream) const {
    return solver.solve(device(a.data()), s.lda, device(w.data()), device(z.data()), s.n, stream);
  }
  Report enqueue(Solver<double>& solver, const Stored& s, cudaStream_t stream) const {
    return solver.enqueue(device(a.data()), s.lda, device(w.data()), device(z.data()), s.n, stream);
  }
  std::vector<double> vectors() const { return on_host(z); }
  std::vector<double> values() const { return on_host(w); }
  static std::vector<double> on_host(const DeviceBuffer<double>& x) {
    std::vector<double> host(static_cast<std::size_t>(x.size()));
    EIGEN_G_CUDA(cudaMemcpy(host.data(), x.data(), x.bytes(), cudaMemcpyDeviceToHost));
    return host;
  }
};

// A pool of the caller that counts its allocations.
struct Pool {
  std::map<void*, std::size_t> held;
  std::size_t bytes = 0, peak = 0, calls = 0, limit = ~std::size_t{0};

  static void* allocate(std::size_t size, CUstream_st*, void* context) {
    Pool& pool = *static_cast<Pool*>(context);
    ++pool.calls;
    void* memory = nullptr;
    if (pool.bytes + size > pool.limit || cudaMalloc(&memory, size) != cudaSuccess) return nullptr;
    pool.held[memory] = size;
    pool.bytes += size;
    pool.peak = std::max(pool.peak, pool.bytes);
    return memory;
  }
  static void free(void* memory, std::size_t size, CUstream_st*, void* context) {
    Pool& pool = *static_cast<Pool*>(context);
    const auto entry = pool.held.find(memory);
    if (entry == pool.held.end() || entry->second != size) std::abort();  // not the given memory
    pool.bytes -= size;
    pool.held.erase(entry);
    cudaDeviceSynchronize();
    cudaFree(memory);
  }
  Allocator allocator() { return {allocate, free, this}; }
};

Devices on_gpu() {
  Devices devices;
  devices.device = DeviceChoice::gpu;
  return devices;
}

}  // namespace

TEST_CASE("a second solve of a solver takes nothing and makes nothing", "[gpu]") {
  NEEDS_GPU();
  Context context(on_gpu());
  for (const std::int64_t n : {100, 700, 1500})
    for (const bool host : {true, false})
      for (const Engine engine : {Engine::native, Engine::df}) {
        CAPTURE(n, host, name(engine));
        const Stored s = random_matrix(n);
        Options options;
        options.engine = engine;
        Solver<double> solver(context, n, options, host ? Pointers::host : Pointers::device);
        Queue queue;
        std::vector<double> w(static_cast<std::size_t>(n)), z(static_cast<std::size_t>(n * n)), first;
        for (int round = 0; round < 3; ++round) {
          const Matrices m(s);
          const std::uint64_t made = Resources::made();
          const Report report =
              host ? solver.solve(s.a.data(), n, w.data(), z.data(), n) : m.solve(solver, s, queue.stream());
          CHECK(report.status == Status::converged);
          if (round > 0) CHECK(Resources::made() == made);
          const std::vector<double> found = host ? z : m.vectors();
          if (round == 0) first = found;
          CHECK(support::same_bits(found, first));
        }
      }
}

TEST_CASE("with another engine than native a solver takes the path that is faster with this engine",
          "[gpu]") {
  NEEDS_GPU();
  Context context(on_gpu());
  const std::int64_t n = 5000;
  for (const Engine engine : {Engine::df, Engine::emulated, Engine::ozaki}) {
    if (!engine_built(engine)) continue;
    CAPTURE(name(engine));
    Options options;
    options.engine = engine;
    CHECK(Solver<double>(context, n, options).path() == Path::one_stage);
    CHECK(GeneralisedSolver<double>(context, n, {}, options).path() == Path::one_stage);
    options.path = Path::two_stage;
    CHECK(Solver<double>(context, n, options).path() == Path::two_stage);
  }
  CHECK(Solver<double>(context, n).path() == path_on_gpu<double>({}, {}, n));
  if (!engine_built(Engine::ozaki) || !is_strong_in_double(current_capability())) return;
  Options options;
  options.engine = Engine::ozaki;
  CHECK(Solver<double>(context, 5400, options).path() == Path::two_stage);
  options.vectors = false;
  CHECK(Solver<double>(context, 2113, options).path() == Path::two_stage);
}

TEST_CASE("a solver works in memory of the caller's, which must suffice", "[gpu]") {
  NEEDS_GPU();
  const std::int64_t n = 1200;
  const Stored s = random_matrix(n);
  Context context(on_gpu());
  Solver<double> solver(context, n, {}, Pointers::device);
  const std::uint64_t bytes = solver.workspace().device;
  const DeviceBuffer<std::byte> memory(static_cast<std::int64_t>(bytes + 4096));
  EIGEN_G_CUDA(cudaMemset(memory.data(), 0xa5, memory.bytes()));
  CHECK_THROWS_AS(solver.set_workspace({memory.data(), bytes - 1}), InvalidArgument);
  const Matrices zeroth(s), first(s), second(s), third(s);
  const Queue queue;
  (void)zeroth.solve(solver, s, queue.stream());  // in memory of its own
  solver.set_workspace({memory.data(), bytes});
  (void)first.solve(solver, s, queue.stream());
  std::vector<std::byte> behind(4096);
  EIGEN_G_CUDA(cudaMemcpy(behind.data(), memory.data() + bytes, behind.size(), cudaMemcpyDeviceToHost));
  CHECK(std::all_of(behind.begin(), behind.end(), [](std::byte x) { return x == std::byte{0xa5}; }));
  solver.set_workspace({});  // its own
  (void)second.solve(solver, s, queue.stream());
  (void)third.solve(solver, s, queue.stream());
  for (const Matrices* other : {&zeroth, &second, &third})
    CHECK(support::same_bits(first.vectors(), other->vectors()));
}

TEST_CASE("with an allocator all device memory comes from it and goes back", "[gpu]") {
  NEEDS_GPU();
  Pool pool;
  const std::uint64_t blas = gpu_facts(current_gpu()).compute_major == 9 ? 32u << 20 : 4u << 20;
  {
    Context context(on_gpu(), pool.allocator());
    for (const std::int64_t n : {100, 1500})
      for (const bool host : {true, false})
        for (const Engine engine : {Engine::native, Engine::df}) {
          CAPTURE(n, host, name(engine));
          const Stored s = random_matrix(n);
          Options options;
          options.engine = engine;
          const support::Solved alone = [&] {
            support::OptionsAndDevices asked = support::options(DeviceChoice::gpu);
            asked.engine = engine;
            return support::solve_guarded(s, asked);
          }();
          const Matrices m(s);
          const Queue queue;
          std::vector<double> w(static_cast<std::size_t>(n)), z(static_cast<std::size_t>(n * n));
          const std::size_t before = pool.bytes;
          {
            Solver<double> solver(context, n, options, host ? Pointers::host : Pointers::device);
            pool.peak = pool.bytes;
            std::uint64_t made = 0;
            for (int round = 0; round < 2; ++round) {
              const std::size_t calls = pool.calls;
              const Matrices again(s);
              made = Resources::made();
              const Report report = host ? solver.solve(s.a.data(), n, w.data(), z.data(), n)
                                         : again.solve(solver, s, queue.stream());
              if (round > 0) CHECK(pool.calls == calls);
              if (round > 0) CHECK(Resources::made() == made);
              CHECK(report.bytes.device <= pool.peak);
              if (engine == Engine::native) CHECK(pool.peak <= before + solver.workspace().device + 3 * blas);
              CHECK(support::same_bits(host ? z : again.vectors(), alone.z));
            }
          }
          CHECK(pool.bytes <= before + 3 * blas);
        }
  }
  CHECK(pool.bytes == 0);
  CHECK(pool.held.empty());
  CHECK(pool.calls > 0);
}

TEST_CASE("an allocator that has no more is OutOfMemory, and nothing stays", "[gpu]") {
  NEEDS_GPU();
  Pool pool;
  {
    Context context(on_gpu(), pool.allocator());
    Solver<double> solver(context, 900, {}, Pointers::host);
    const Stored s = random_matrix(900);
    std::vector<double> w(900), z(810000);
    pool.limit = pool.bytes + (1 << 20);
    try {
      (void)solver.solve(s.a.data(), 900, w.data(), z.data(), 900);
      FAIL("there was no memory");
    } catch (const OutOfMemory& error) {
      CHECK(error.on_device());
      CHECK(error.needed() >= solver.workspace().device);
    }
    pool.limit = ~std::size_t{0};
    const Report report = solver.solve(s.a.data(), 900, w.data(), z.data(), 900);
    support::check_pairs(s, {w, z, 900, report});
  }
  CHECK(pool.bytes == 0);
}

TEST_CASE("a solver follows the streams that it is given", "[gpu]") {
  NEEDS_GPU();
  const std::int64_t n = 400;
  const Stored s = random_matrix(n);
  Context context(on_gpu());
  Solver<double> solver(context, n, {}, Pointers::device);
  std::vector<double> first;
  for (int round = 0; round < 4; ++round) {
    const Queue queue;
    const DeviceBuffer<double> a(n * n), w(n), z(n * n);
    EIGEN_G_CUDA(cudaMemset(a.data(), 0xff, a.bytes()));
    EIGEN_G_CUDA(cudaDeviceSynchronize());
    // The matrix arrives late on the stream, and only the solver waits for it.
    EIGEN_G_CUDA(cudaMemcpyAsync(a.data(), s.a.data(), a.bytes(), cudaMemcpyHostToDevice, queue.stream()));
    const Report report =
        solver.solve(device(a.data()), n, device(w.data()), device(z.data()), n, queue.stream());
    CHECK(report.status == Status::converged);
    std::vector<double> found(static_cast<std::size_t>(n * n));
    EIGEN_G_CUDA(cudaMemcpy(found.data(), z.data(), z.bytes(), cudaMemcpyDeviceToHost));
    if (round == 0) first = found;
    CHECK(support::same_bits(found, first));
  }
}

TEST_CASE("enqueue returns before its stream is done, and the next solve follows it on another stream",
          "[gpu]") {
  NEEDS_GPU();
  Context context(on_gpu());
  for (const std::int64_t n : {300, 4000}) {
    CAPTURE(n);
    const Stored s = random_matrix(n);
    Options options;
    options.path = Path::one_stage;
    Solver<double> solver(context, n, options, Pointers::device);
    const Matrices waited(s), first(s), second(s), third(s);
    const Queue one, other;
    const Report whole = waited.solve(solver, s, one.stream());

    const Report left = first.enqueue(solver, s, one.stream());
    const cudaError_t status = cudaStreamQuery(one.stream());
    const Report next = second.enqueue(solver, s, other.stream());
    if (n == 4000) CHECK(status == cudaErrorNotReady);  // the back-transformation alone takes milliseconds
    cudaGetLastError();                                 // a status and not an error
    one.wait();
    other.wait();
    for (const Report* report : {&left, &next}) {
      CHECK(report->status == Status::converged);
      CHECK(report->m == n);
      CHECK(report->first_index == 1);
      CHECK(report->stages.size() == whole.stages.size());
      for (const StageWork& stage : report->stages) CHECK(stage.seconds == 0);
    }
    const std::uint64_t made = Resources::made();
    (void)third.enqueue(solver, s, other.stream());
    CHECK(Resources::made() == made);
    other.wait();
    for (const Matrices* found : {&first, &second, &third}) {
      CHECK(support::same_bits(found->values(), waited.values()));
      CHECK(support::same_bits(found->vectors(), waited.vectors()));
    }
  }
}

TEST_CASE("what is queued ends before its memory does, and a NaN is told at once", "[gpu]") {
  NEEDS_GPU();
  const std::int64_t n = 1500;
  const Stored s = random_matrix(n);
  Stored bad = s;
  bad.at(n - 1, 3) = support::nan;
  Pool pool;
  {
    Context context(on_gpu(), pool.allocator());
    const Matrices waited(s), first(s), second(s), third(s), broken(bad);
    std::optional<Solver<double>> solver(std::in_place, context, n, Options{}, Pointers::device);
    const Queue queue;
    (void)waited.solve(*solver, s, queue.stream());
    (void)first.enqueue(*solver, s, queue.stream());
    CHECK_THROWS_AS(broken.enqueue(*solver, bad, queue.stream()), NonFiniteEntry);

    const std::uint64_t bytes = solver->workspace().device;
    std::optional<DeviceBuffer<std::byte>> memory(std::in_place, static_cast<std::int64_t>(bytes));
    solver->set_workspace({memory->data(), bytes});
    (void)second.enqueue(*solver, s, queue.stream());
    solver->set_workspace({});  // waits
    memory.reset();

    cudaStream_t stream = nullptr;
    EIGEN_G_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    (void)third.enqueue(*solver, s, stream);
    EIGEN_G_CUDA(cudaStreamDestroy(stream));  // before its work is complete, as CUDA allows
    solver.reset();
    queue.wait();
    for (const Matrices* found : {&first, &second, &third}) {
      CHECK(support::same_bits(found->values(), waited.values()));
      CHECK(support::same_bits(found->vectors(), waited.vectors()));
    }
  }
  CHECK(pool.bytes == 0);
}

TEST_CASE("a solver's workspace: of packed matrices and of any", "[gpu]") {
  NEEDS_GPU();
  const std::int64_t n = 1200;
  for (const bool vectors : {true, false}) {
    CAPTURE(vectors);
    Context context(on_gpu());
    Solver<double> solver(context, n, {.vectors = vectors, .path = Path::two_stage}, Pointers::device);
    const std::uint64_t packed = solver.workspace(MatrixLayout::contiguous).device,
                        any = solver.workspace().device;
    CHECK(packed ==
          workspace_bytes(n, {.vectors = vectors, .path = Path::two_stage}, true, Pointers::device).device);
    CHECK(packed < any);
    const DeviceBuffer<std::byte> memory(static_cast<std::int64_t>(any));
    CHECK_THROWS_AS(solver.set_workspace({memory.data(), packed - 1}), InvalidArgument);
    const Queue queue;
    for (const std::int64_t padding : {0, 3})
      for (const std::uint64_t bytes : {packed, any}) {
        CAPTURE(padding, bytes);
        const Stored s = random_matrix(n, Uplo::lower, padding);
        const Matrices m(s);
        solver.set_workspace({memory.data(), bytes});
        if (padding > 0 && bytes == packed) {
          CHECK_THROWS_AS(m.solve(solver, s, queue.stream()), InvalidArgument);
          continue;
        }
        const Report report = m.solve(solver, s, queue.stream());
        CHECK(report.bytes.device <= bytes);
        if (padding == 0) CHECK(report.bytes.device == packed);
        support::check_values(s, m.values());
      }
  }
}
