// Solves of matrices in pieces on several GPUs. With EIGEN_G_SHOWN_GPUS one GPU is shown as several.
#include "solver/api/shards.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <memory>

#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/api/eigen_g.h"
#include "solver/api/eigen_g.hpp"
#include "tests/support/solving.hpp"

using namespace eigen_g;
using support::random_matrix;
using support::Stored;

namespace {

// A matrix of n rows in pieces: sizes[k] columns on GPU gpus[k], with poisoned rows below the matrix.
template <class T>
class InPieces {
 public:
  InPieces(std::int64_t n, const std::vector<std::int64_t>& sizes, const std::vector<int>& gpus,
           std::int64_t padding)
      : n_(n), ld_(n + padding) {
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      const CurrentGpu on(gpus[k]);
      memory_.push_back(std::make_unique<DeviceBuffer<T>>(std::max<std::int64_t>(1, ld_ * sizes[k])));
      EIGEN_G_CUDA(cudaMemset(memory_.back()->data(), 0xff, memory_.back()->bytes()));
      EIGEN_G_CUDA(cudaDeviceSynchronize());  // cudaMemset may return early, and queues do not wait for it
      shards.push_back({sizes[k] > 0 ? memory_.back()->data() : nullptr, ld_, sizes[k]});
    }
  }
  void set(const std::vector<T>& a) {
    each([&](T* piece, std::int64_t first, std::int64_t columns) {
      copy(piece, ld_, a.data() + first * n_, n_, columns, cudaMemcpyHostToDevice);
    });
  }
  std::vector<T> get() {
    std::vector<T> a;
    each([&](T* piece, std::int64_t first, std::int64_t columns) {
      a.resize(static_cast<std::size_t>((first + columns) * n_));
      copy(a.data() + first * n_, n_, piece, ld_, columns, cudaMemcpyDeviceToHost);
    });
    return a;
  }
  std::vector<Shard<T>> shards;

 private:
  template <class Work>
  void each(const Work& work) {
    std::int64_t first = 0;
    for (const Shard<T>& shard : shards) {
      if (shard.columns > 0) work(shard.data, first, shard.columns);
      first += shard.columns;
    }
  }
  void copy(T* to, std::int64_t to_ld, const T* from, std::int64_t from_ld, std::int64_t columns,
            cudaMemcpyKind kind) {
    const auto bytes = [](std::int64_t count) { return sizeof(T) * static_cast<std::size_t>(count); };
    EIGEN_G_CUDA(cudaMemcpy2D(to, bytes(to_ld), from, bytes(from_ld), bytes(n_),
                              static_cast<std::size_t>(columns), kind));
  }
  std::int64_t n_, ld_;
  std::vector<std::unique_ptr<DeviceBuffer<T>>> memory_;
};

// n columns in `count` pieces: equal ones, or ragged ones with one that is empty.
std::vector<std::int64_t> cut(std::int64_t n, int count, bool ragged) {
  std::vector<std::int64_t> sizes;
  std::int64_t left = n;
  for (int k = 0; k + 1 < count; ++k) {
    const std::int64_t equal = left / (count - k);
    sizes.push_back(!ragged      ? equal
                    : k % 2 == 0 ? std::max<std::int64_t>(1, equal / 3)
                                 : std::min(left, equal + equal / 2));
    left -= sizes.back();
  }
  sizes.push_back(left);
  if (ragged) sizes.insert(sizes.begin() + 1, 0);
  return sizes;
}
std::vector<int> places(std::size_t pieces, int gpus) {
  std::vector<int> all;
  for (std::size_t k = 0; k < pieces; ++k) all.push_back(static_cast<int>(k) % gpus);
  return all;
}

template <class T>
std::vector<T> hermitian(std::int64_t n) {
  const Stored s = random_matrix(n), imaginary = random_matrix(n, Uplo::lower, 0, 5);
  std::vector<T> a(static_cast<std::size_t>(n * n));
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = j; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i + j * n), mirrored = static_cast<std::size_t>(j + i * n);
      if constexpr (is_complex<T>) {
        a[k] = {static_cast<real_t<T>>(s.a[k]), i == j ? 0 : static_cast<real_t<T>>(imaginary.a[k])};
        a[mirrored] = std::conj(a[k]);
      } else {
        a[k] = a[mirrored] = static_cast<T>(s.a[k]);
      }
    }
  return a;
}

}  // namespace

#define NEEDS_GPUS(count) \
  NEEDS_GPU();            \
  if (gpu_count() < (count)) SKIP_TEST("this machine has too few GPUs")

TEMPLATE_TEST_CASE("pieces: the bits of a solve of the whole matrix by the same GPUs", "[gpu]", double, float,
                   std::complex<double>, std::complex<float>) {
  using T = TestType;
  using R = real_t<T>;
  const int gpus = GENERATE(1, 2, 3);
  NEEDS_GPUS(gpus);
  const bool ragged = GENERATE(false, true);
  const std::int64_t n = GENERATE(7, 20, 130, 333, 1027);
  const Uplo uplo = n % 2 == 1 ? Uplo::upper : Uplo::lower;
  CAPTURE(gpus, ragged, n);
  const std::vector<T> a = hermitian<T>(n);
  Options options;
  options.uplo = uplo;
  const auto sizes = cut(n, ragged ? gpus + 1 : gpus, ragged);
  InPieces<T> a_dev(n, sizes, places(sizes.size(), gpus), ragged ? 3 : 0);
  std::vector<std::int64_t> of_z = sizes;
  std::reverse(of_z.begin(), of_z.end());
  InPieces<T> z_dev(n, of_z, places(of_z.size(), gpus), ragged ? 1 : 0);
  a_dev.set(a);
  std::vector<R> w(static_cast<std::size_t>(n), R(-7.25e7)), whole_w(w.size());
  const Report report = ::eigen_g::eigen_g(n, a_dev.shards, w.data(), z_dev.shards, options);
  CHECK(report.status == Status::converged);
  CHECK(report.m == n);
  CHECK(report.path == Path::two_stage);
  std::size_t used = 0;  // GPUs with columns
  for (int gpu = 0; gpu < gpus; ++gpu)
    for (std::size_t k = 0; k < sizes.size(); ++k)
      if (static_cast<int>(k) % gpus == gpu && sizes[k] > 0) {
        ++used;
        break;
      }
  CHECK(report.devices.size() == used);
  CHECK(a_dev.get() == a);
  const std::vector<T> z = z_dev.get();
  const Verification v = verify(Uplo::lower, n, a.data(), n, n, w.data(), z.data(), n, DeviceChoice::cpu);
  CHECK(passed(v));
  CHECK(v.lapack_residual < 1);
  if (used < 2 || used != static_cast<std::size_t>(gpus)) return;
  support::OptionsAndDevices o = support::options(DeviceChoice::gpu);
  o.path = Path::two_stage;
  o.gpus = gpus;
  o.uplo = uplo;
  std::vector<T> whole_z(a.size());
  (void)::eigen_g::eigen_g(n, a.data(), n, whole_w.data(), whole_z.data(), n, o, o);
  CHECK(w == whole_w);
  CHECK(z == whole_z);
}

TEST_CASE("pieces: z in the memory of a, w on the first GPU, values only, a subset, streams", "[gpu]") {
  const int gpus = GENERATE(1, 2);
  NEEDS_GPUS(gpus);
  const std::int64_t n = 700;
  CAPTURE(gpus);
  const std::vector<double> a = hermitian<double>(n);
  const auto sizes = cut(n, gpus, false);
  InPieces<double> a_dev(n, sizes, places(sizes.size(), gpus), 0);
  InPieces<double> z_dev(n, sizes, places(sizes.size(), gpus), 0);
  a_dev.set(a);
  std::vector<double> w(static_cast<std::size_t>(n)), again(w.size());
  (void)::eigen_g::eigen_g(n, a_dev.shards, w.data(), z_dev.shards);
  const std::vector<double> z = z_dev.get();
  SECTION("z over a") {
    (void)::eigen_g::eigen_g(n, a_dev.shards, again.data(), a_dev.shards);
    CHECK(again == w);
    CHECK(a_dev.get() == z);
  }
  SECTION("w on the first GPU, after the work of the streams") {
    const DeviceBuffer<double> w_dev(n);
    std::vector<Queue> queues;
    for (std::size_t k = 0; k < a_dev.shards.size(); ++k) {
      const CurrentGpu on(static_cast<int>(k) % gpus);
      queues.emplace_back();
      a_dev.shards[k].stream = queues.back().stream();
    }
    InPieces<double> late(n, sizes, places(sizes.size(), gpus), 0);
    for (std::size_t k = 0; k < late.shards.size(); ++k) {
      late.shards[k].stream = a_dev.shards[k].stream;
      EIGEN_G_CUDA(cudaMemcpyAsync(late.shards[k].data, a_dev.shards[k].data,
                                   sizeof(double) * static_cast<std::size_t>(n * late.shards[k].columns),
                                   cudaMemcpyDefault, late.shards[k].stream));
    }
    (void)::eigen_g::eigen_g(n, late.shards, w_dev.data(), z_dev.shards);
    EIGEN_G_CUDA(cudaMemcpy(again.data(), w_dev.data(), w_dev.bytes(), cudaMemcpyDeviceToHost));
    CHECK(again == w);
    CHECK(z_dev.get() == z);
  }
  SECTION("values only") {
    Options options;
    options.vectors = false;
    const Report report = ::eigen_g::eigen_g(n, a_dev.shards, again.data(), {}, options);
    CHECK(again == w);
    for (const DeviceWork& device : report.devices) CHECK(device.seconds > 0);
  }
  SECTION("a subset") {
    Options options;
    options.subset = Subset::by_index(101, 240);
    InPieces<double> some(n, cut(140, gpus, false), places(sizes.size(), gpus), 0);
    const Report report = ::eigen_g::eigen_g(n, a_dev.shards, again.data(), some.shards, options);
    REQUIRE(report.m == 140);
    CHECK(std::equal(again.begin(), again.begin() + 140, w.begin() + 100));
    const std::vector<double> part = some.get();
    double worst = 0;
    for (std::int64_t k = 0; k < 140; ++k) {
      double with = 0;
      for (std::int64_t i = 0; i < n; ++i)
        with += part[static_cast<std::size_t>(i + k * n)] * z[static_cast<std::size_t>(i + (100 + k) * n)];
      worst = std::max(worst, std::fabs(std::fabs(with) - 1));
    }
    CHECK(worst < 1e-11);
  }
  SECTION("from C") {
    std::vector<eigen_g_shard> in, out;
    for (const Shard<double>& s : a_dev.shards) in.push_back({s.data, s.lda, s.columns, nullptr});
    for (const Shard<double>& s : z_dev.shards) out.push_back({s.data, s.lda, s.columns, nullptr});
    const auto count = static_cast<std::int64_t>(in.size());
    eigen_g_result result{};
    CHECK(eigen_g_dsolve_shards(n, count, in.data(), again.data(), count, out.data(), nullptr, &result) == 0);
    CHECK(result.m == n);
    CHECK(again == w);
    CHECK(z_dev.get() == z);
    const auto info = [&](std::int64_t order, std::int64_t of_z) {
      return eigen_g_dsolve_shards(order, count, in.data(), again.data(), of_z, out.data(), nullptr, nullptr);
    };
    CHECK(info(n, count - 1) == -6);
    CHECK(info(n - 1, count) == -3);
    CHECK(info(n + 1, count) == -3);
    CHECK(info(-1, count) == -1);
  }
}

TEST_CASE("pieces: the seconds, bytes and flops of each GPU", "[gpu]") {
  NEEDS_GPUS(2);
  const std::int64_t n = 2000;
  const auto sizes = cut(n, 2, false);
  InPieces<double> a_dev(n, sizes, {0, 1}, 0), z_dev(n, sizes, {0, 1}, 0);
  a_dev.set(hermitian<double>(n));
  std::vector<double> w(static_cast<std::size_t>(n));
  const Report report = ::eigen_g::eigen_g(n, a_dev.shards, w.data(), z_dev.shards);
  REQUIRE(report.devices.size() == 2);
  double flops = 0;
  std::uint64_t bytes = 0;
  for (const DeviceWork& device : report.devices) {
    REQUIRE(device.stages.size() == report.stages.size());
    double seconds = 0;
    for (std::size_t k = 0; k < device.stages.size(); ++k) {
      CHECK(device.stages[k].stage == report.stages[k].stage);
      // The stage lasts until the last GPU ends.
      CHECK(device.stages[k].seconds <= report.stages[k].seconds + 1e-3);
      seconds += device.stages[k].seconds;
    }
    CHECK(device.seconds == Approx(seconds));
    CHECK(device.seconds > 0);
    CHECK(device.flops > 0);
    flops += device.flops;
    bytes += device.bytes;
  }
  double all = 0;
  for (const StageWork& work : report.stages)
    for (const double of_engine : work.flops.values) all += of_engine;
  CHECK(flops == Approx(all));
  CHECK(bytes == report.bytes.device);
}

TEST_CASE("pieces: entries that are not finite, and wrong arguments", "[gpu]") {
  NEEDS_GPU();
  const std::int64_t n = 300;
  std::vector<double> a = hermitian<double>(n), w(static_cast<std::size_t>(n));
  InPieces<double> a_dev(n, {100, 200}, {0, 0}, 0), z_dev(n, {300}, {0}, 0);
  const auto refused = [&](Argument argument, const auto& solve) {
    try {
      solve();
      FAIL("no exception");
    } catch (const InvalidArgument& error) {
      CHECK(error.argument() == argument);
    }
  };
  a_dev.set(a);
  const auto solve = [&](const Options& options = {}, const Devices& devices = {}) {
    (void)::eigen_g::eigen_g(n, a_dev.shards, w.data(), z_dev.shards, options, devices);
  };
  solve();
  Options options;
  options.path = Path::one_stage;
  refused(Argument::path, [&] { solve(options); });
  options = {};
  options.engine = Engine::df;
  refused(Argument::engine, [&] { solve(options); });
  Devices devices;
  devices.ratio = parse_ratio("1:1");
  refused(Argument::ratio, [&] { solve({}, devices); });
  a[250 + 120 * 300] = std::numeric_limits<double>::quiet_NaN();
  a_dev.set(a);
  try {
    solve();
    FAIL("no exception");
  } catch (const NonFiniteEntry& error) {
    CHECK(error.row() == 250);
    CHECK(error.col() == 120);
  }
  z_dev.shards[0].lda = n - 1;
  refused(Argument::ldz, [&] { solve(); });
  z_dev.shards[0] = {w.data(), n, n};
  refused(Argument::z, [&] { solve(); });
  z_dev.shards.clear();
  refused(Argument::z, [&] { solve(); });
  a_dev.shards[1].columns = 199;
  refused(Argument::a, [&] { solve(); });
  a_dev.shards[1].columns = -1;
  refused(Argument::a, [&] { solve(); });
  a_dev.shards.clear();
  refused(Argument::a, [&] { solve(); });
  CHECK(::eigen_g::eigen_g(0, std::vector<Shard<double>>(), w.data()).m == 0);
}

TEST_CASE("gpus = 0 takes one GPU for a small matrix and several for a large one", "[gpu]") {
  NEEDS_GPUS(2);
  const std::int64_t n = GENERATE(300, 6000);
  const Stored s = random_matrix(n);
  support::OptionsAndDevices o = support::options(DeviceChoice::gpu);
  o.gpus = 0;
  const support::Solved solved = support::solve_guarded(s, o);
  CHECK((solved.report.devices.size() > 1) == (n == 6000));
}
