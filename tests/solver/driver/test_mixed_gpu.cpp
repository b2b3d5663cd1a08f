// Tests of mixed precision on a GPU: its kernels against the CPU's, and solves of every family within double's limits.
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/api/eigen_g.h"
#include "solver/api/solver.hpp"
#include "solver/refine/columns.hpp"
#include "solver/refine/correction.hpp"
#include "tests/support/device_copy.hpp"
#include "tests/support/reduction.hpp"
#include "tests/support/solving.hpp"

using namespace eigen_g;
using support::Stored;
using Result = Refinement::Result;

namespace {

template <class T>
DeviceBuffer<T> on_device(const std::vector<T>& host) {
  DeviceBuffer<T> memory(static_cast<std::int64_t>(host.size()));
  support::upload(memory.data(), host.data(), memory.bytes());
  EIGEN_G_CUDA(cudaDeviceSynchronize());  // a copy from pageable memory may return before the data arrives
  return memory;
}
template <class T>
std::vector<T> on_host(const DeviceBuffer<T>& memory) {
  std::vector<T> host(static_cast<std::size_t>(memory.size()));
  EIGEN_G_CUDA(cudaMemcpy(host.data(), memory.data(), memory.bytes(), cudaMemcpyDeviceToHost));
  return host;
}

support::OptionsAndDevices mixed(Engine engine = Engine::native) {
  support::OptionsAndDevices o = support::options(DeviceChoice::gpu);
  o.precision = Precision::mixed;
  o.engine = engine;
  return o;
}

Refinement check_mixed(const Stored& s, const std::string& family,
                       const support::OptionsAndDevices& o = mixed(), std::int64_t padding = 0) {
  CAPTURE(family, s.n, support::name(s.uplo));
  const support::Solved solved = support::solve_guarded(s, o, padding);
  support::check_pairs(s, solved, family);
  const Refinement& r = solved.report.refinement;
  CAPTURE(name(r.result), r.steps, r.clusters, r.largest_cluster, r.correction);
  CHECK(r.result != Result::native);
  CHECK(r.result != Result::out_of_scope);
  const bool refined = r.result == Result::refined;
  CHECK((solved.report.seconds_of(Stage::refine) > 0) == (r.steps > 0 || r.result == Result::large_clusters));
  CHECK(r.native() == !refined);
  return r;
}

Stored of_values(std::vector<double> values, std::uint64_t seed = 1) {
  generate::Spec spec;
  spec.kind = "values";
  spec.n = static_cast<std::int64_t>(values.size());
  spec.values = std::move(values);
  spec.seed = seed;
  return support::stored(spec);
}

}  // namespace

TEST_CASE("the kernels of a step are those of the CPU", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  constexpr CorrectionLimits limits{1e-9, 1e-11, 1e-9, 1e-7, 1e-3};
  for (const std::int64_t n : {1, 2, 31, 32, 33, 65, 257, 300})
    for (const bool solved : {false, true}) {
      CAPTURE(n, solved);
      const std::int64_t lds = n + 3, ldg = n + 1, lde = n + 5;
      std::mt19937_64 random(static_cast<std::uint64_t>(n));
      std::uniform_real_distribution<double> small(-1e-6, 1e-6);
      std::vector<double> s(static_cast<std::size_t>(lds * n), support::nan),
          g(static_cast<std::size_t>(ldg * n), support::nan), lambda(static_cast<std::size_t>(n));
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = j; i < n; ++i) {  // neighbours in groups of ten, two of them equal
          s[i + j * lds] = i == j
                               ? 1e-2 * static_cast<double>(i / 10) + 1e-7 * static_cast<double>(i % 10 / 2)
                               : small(random);
          g[i + j * ldg] = (i == j ? 1 : 0) + small(random);
        }
      std::vector<std::int64_t> cluster(lambda.size(), -1);
      for (std::int64_t i = 0; i < n; ++i)
        if (i % 10 < 4) cluster[i] = i / 10;
      const MatrixView<const double> s_view{s.data(), n, n, lds}, g_view{g.data(), n, n, ldg};
      std::vector<double> s_first = s, g_first = g, scales(lambda.size());
      normalise({s.data(), n, n, lds}, {g.data(), n, n, ldg}, lambda.data(), scales.data());
      std::vector<std::int64_t> fine(lambda.size()), coarse(lambda.size());
      find_reach(s_view, g_view, lambda.data(), limits, fine.data(), coarse.data());
      std::vector<float> e(static_cast<std::size_t>(lde * n), -7.0F);
      std::vector<double> squares(lambda.size());
      correction(s_view, g_view, lambda.data(), cluster.data(), solved, limits, {e.data(), n, n, lde},
                 squares.data());

      const auto s_dev = on_device(s_first), g_dev = on_device(g_first);
      const MatrixView<double> sd{s_dev.data(), n, n, lds}, gd{g_dev.data(), n, n, ldg};
      const DeviceBuffer<double> lambda_dev(n), squares_dev(n), scales_dev(n);
      const DeviceBuffer<std::int64_t> fine_dev(n), coarse_dev(n);
      const auto cluster_dev = on_device(cluster);
      const auto e_dev = on_device(std::vector<float>(e.size(), -7.0F));
      normalise(queue, sd, gd, lambda_dev.data(), scales_dev.data());
      find_reach(queue, sd, gd, lambda_dev.data(), limits, fine_dev.data(), coarse_dev.data());
      correction(queue, sd, gd, lambda_dev.data(), cluster_dev.data(), solved, limits,
                 {e_dev.data(), n, n, lde}, squares_dev.data());
      queue.wait();
      CHECK(support::same_bits(on_host(lambda_dev), lambda));
      CHECK(support::same_bits(on_host(scales_dev), scales));
      CHECK(support::same_bits(on_host(s_dev), s));
      CHECK(support::same_bits(on_host(g_dev), g));
      CHECK(on_host(fine_dev) == fine);
      CHECK(on_host(coarse_dev) == coarse);
      CHECK((n < 3 || fine != coarse));
      const std::vector<float> found = on_host(e_dev);
      const std::vector<double> sums = on_host(squares_dev);
      double worst = 0, worst_sum = 0;
      std::int64_t touched = 0;
      for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t i = 0; i < n; ++i) {
          const double at = e[i + j * lde], difference = std::fabs(found[i + j * lde] - at);
          worst = std::max(worst, difference / (1e-6 * std::fabs(at) + 1e-14));
        }
        for (std::int64_t i = n; i < lde; ++i) touched += found[i + j * lde] != -7.0F;
        worst_sum = std::max(worst_sum, std::fabs(sums[j] - squares[j]) / (1e-5 * squares[j] + 1e-30));
      }
      CHECK(worst <= 1);
      CHECK(worst_sum <= 1);
      CHECK(touched == 0);
    }
}

TEST_CASE("what A X and X W leave, and S of it, have the CPU's bits", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  for (const std::int64_t n : {1, 33, 257, 300}) {
    CAPTURE(n);
    const std::int64_t ld = n + 1, ldr = n + 2;
    std::vector<double> y = support::random_rectangle(ld, n, 7), x = support::random_rectangle(n, n, 8),
                        w = support::random_rectangle(n, 1, 9), s(y.size(), support::nan);
    std::vector<float> r(static_cast<std::size_t>(ldr * n), -7.0F);
    const auto y_dev = on_device(y), x_dev = on_device(x), w_dev = on_device(w), s_dev = on_device(s);
    const auto r_dev = on_device(r);
    residual({y.data(), n, n, ld}, {x.data(), n, n, n}, w.data(), {r.data(), n, n, ldr});
    rayleigh_matrix({r.data(), n, n, ldr}, {x.data(), n, n, n}, w.data(), {s.data(), n, n, ld});
    residual(queue, {y_dev.data(), n, n, ld}, {x_dev.data(), n, n, n}, w_dev.data(),
             {r_dev.data(), n, n, ldr});
    rayleigh_matrix(queue, {r_dev.data(), n, n, ldr}, {x_dev.data(), n, n, n}, w_dev.data(),
                    {s_dev.data(), n, n, ld});
    queue.wait();
    CHECK(on_host(r_dev) == r);
    const std::vector<double> found = on_host(s_dev);
    CHECK(std::memcmp(found.data(), s.data(), s.size() * sizeof(double)) == 0);
  }
}

TEST_CASE("columns: converted, added, gathered; blocks packed", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  for (const std::int64_t n : {1, 33, 300}) {
    CAPTURE(n);
    const std::int64_t ld = n + 2;
    const std::vector<double> x = support::random_rectangle(ld, n);
    const auto x_dev = on_device(x);
    const DeviceBuffer<float> f_dev(n * n);
    const DeviceBuffer<double> y_dev(n * n);
    const MatrixView<double> xd{x_dev.data(), n, n, ld}, yd{y_dev.data(), n, n, n};
    const MatrixView<float> fd{f_dev.data(), n, n, n};
    convert(queue, xd, fd);
    convert(queue, fd, yd);
    const std::vector<double> d(static_cast<std::size_t>(n), 0.5);
    const auto d_dev = on_device(d);
    scale_columns(queue, d_dev.data(), xd);
    add(queue, fd, xd);
    std::vector<std::int64_t> order(static_cast<std::size_t>(n));
    std::iota(order.rbegin(), order.rend(), 0);
    const auto order_dev = on_device(order);
    const DeviceBuffer<double> turned_dev(n * n);
    gather_columns(queue, order_dev.data(), yd, {turned_dev.data(), n, n, n});
    queue.wait();
    const std::vector<double> y = on_host(y_dev), sum = on_host(x_dev), turned = on_host(turned_dev);
    std::int64_t wrong = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i < n; ++i) {
        const double rounded = static_cast<float>(x[i + j * ld]);
        wrong += y[i + j * n] != rounded || sum[i + j * ld] != 0.5 * x[i + j * ld] + rounded ||
                 turned[i + (n - 1 - j) * n] != rounded;
      }
      for (std::int64_t i = n; i < ld; ++i) wrong += sum[i + j * ld] != x[i + j * ld];
    }
    CHECK(wrong == 0);
    if (n < 30) continue;
    const std::vector<std::int64_t> first{1, 10}, size{4, 20}, at{0, 16};
    const auto first_dev = on_device(first), size_dev = on_device(size), at_dev = on_device(at);
    const DeviceBuffer<double> packed_dev(16 + 400);
    pack_diagonal_blocks(queue, 2, first_dev.data(), size_dev.data(), at_dev.data(), yd, packed_dev.data());
    queue.wait();
    const std::vector<double> packed = on_host(packed_dev);
    for (std::size_t k = 0; k < 2; ++k)
      for (std::int64_t j = 0; j < size[k]; ++j)
        for (std::int64_t i = 0; i < size[k]; ++i)
          wrong += packed[at[k] + i + j * size[k]] !=
                   y[first[k] + std::max(i, j) + (first[k] + std::min(i, j)) * n];
    CHECK(wrong == 0);
  }
}

TEST_CASE("mixed precision: random matrices of any order, either triangle, by every engine", "[gpu]") {
  NEEDS_GPU();
  for (const std::int64_t n : {1, 2, 3, 31, 64, 65, 130, 257, 600, 1111})
    for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
      const Stored s = support::random_matrix(n, uplo, n % 3);
      const Refinement r = check_mixed(s, "random", mixed(), n % 4);
      CHECK(r.result == Result::refined);
      CHECK(r.steps <= 3);
    }
  for (const Engine engine : {Engine::df, Engine::emulated, Engine::ozaki, Engine::ozaki_fast}) {
    if (!engine_built(engine)) continue;
    const Stored s = support::random_matrix(1500);
    const Refinement r = check_mixed(s, "random, " + std::string(name(engine)), mixed(engine));
    CHECK(r.result == Result::refined);
    const support::Solved solved = support::solve_guarded(s, mixed(engine));
    const EngineFlops flops = support::flops(solved.report);
    CHECK(flops[engine] > 1e10);
  }
}

TEST_CASE("mixed precision: families, LAPACK's types and scales within double's limits", "[gpu]") {
  NEEDS_GPU();
  for (const char* kind : {"1-2-1", "arithmetic", "clement", "clustered", "geometric", "identity", "kms",
                           "minij", "uniform", "wilkinson", "zero"})
    for (const std::int64_t n : {130, 501}) {
      if (std::string(kind) == "wilkinson" && n % 2 == 0) continue;
      generate::Spec spec;
      spec.kind = kind;
      spec.n = n;
      check_mixed(support::stored(spec), kind);
    }
  generate::Spec diagonal;
  diagonal.kind = "arithmetic";
  diagonal.rotate = false;
  diagonal.n = 300;
  check_mixed(support::stored(diagonal), "diagonal");
  CHECK(check_mixed(support::stored(support::reduction::family("ones", 600), 600), "ones").result ==
        Result::refined);
  for (int type = 8; type <= support::lapack_types; ++type)
    check_mixed(support::stored(support::lapack_matrix(type, 200, 3), 200), "lapack " + std::to_string(type));
  for (const double scale : {1e-300, 1e-60, 1e60, 1e300}) {
    const Refinement r = check_mixed(support::random_matrix(300, Uplo::lower, 0, 1, scale), "random");
    CHECK(r.result == Result::refined);
  }
}

TEST_CASE("mixed precision: low rank and clusters, refined or by the plain solver", "[gpu]") {
  NEEDS_GPU();
  const std::int64_t n = 700;
  std::vector<double> values(static_cast<std::size_t>(n));
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> within(-1, 1);
  const auto fill = [&](const auto& value) {
    for (std::int64_t k = 0; k < n; ++k) values[static_cast<std::size_t>(k)] = value(k);
    return of_values(values);
  };
  const auto way = [&](const Stored& s) { return check_mixed(s, "values").result; };
  CHECK(way(fill([&](std::int64_t k) { return k < n - 9 ? 0.0 : within(random); })) == Result::refined);
  CHECK(way(fill([&](std::int64_t k) { return k < n / 2 ? -1.0 : 2.0; })) == Result::refined);
  // Eigenvalues that float cannot separate: pairs, a cluster of 20, a cluster of half the order.
  CHECK(way(fill([&](std::int64_t k) {
          return static_cast<double>(k / 2) / static_cast<double>(n) + 1e-10 * static_cast<double>(k % 2);
        })) == Result::refined);
  const Refinement twenty = check_mixed(
      fill([&](std::int64_t k) { return k < 20 ? 2 + 1e-9 * within(random) : within(random); }), "values");
  CHECK(twenty.result == Result::refined);
  const Refinement of_half = check_mixed(
      fill([&](std::int64_t k) { return k < n / 2 ? 2 + 1e-9 * within(random) : within(random); }), "values");
  CHECK(of_half.result == Result::large_clusters);
  CHECK(of_half.largest_cluster >= n / 2);
}

TEST_CASE("mixed precision: the same bits twice, and on device pointers", "[gpu]") {
  NEEDS_GPU();
  for (const std::int64_t n : {65, 512, 777}) {
    CAPTURE(n);
    const Stored s = support::random_matrix(n, Uplo::upper, 1);
    const support::Solved first = support::solve_guarded(s, mixed()),
                          again = support::solve_guarded(s, mixed());
    CHECK(support::same_bits(first.w, again.w));
    CHECK(support::same_bits(first.z, again.z));
    for (const bool over_a : {false, true}) {
      const auto a_dev = on_device(s.a);
      const std::int64_t ldz = over_a ? s.lda : n + 3;
      const auto w_dev = on_device(std::vector<double>(static_cast<std::size_t>(n), support::nan)),
                 z_dev = on_device(std::vector<double>(static_cast<std::size_t>(ldz * n), support::nan));
      const Queue queue;
      support::OptionsAndDevices o = mixed();
      o.uplo = s.uplo;
      support::Solved solved;
      const DeviceBuffer<double>& out = over_a ? a_dev : z_dev;
      solved.report = eigen_g::eigen_g(n, device(a_dev.data()), s.lda, device(w_dev.data()),
                                       device(out.data()), ldz, queue.stream(), o, o);
      solved.w = on_host(w_dev);
      solved.z = on_host(out);
      solved.ldz = ldz;
      CHECK(solved.report.refinement.result == Result::refined);
      CHECK(solved.report.bytes.device <= workspace_bytes(n, o, true, Pointers::device).device +
                                              static_cast<std::uint64_t>(n * n) * sizeof(double) + 256);
      support::check_pairs(s, solved);
    }
  }
}

TEST_CASE(
    "mixed precision: a solver's workspace, the caller's pool, and nothing new from the second solve on",
    "[gpu]") {
  NEEDS_GPU();
  struct Pool {
    std::int64_t pieces = 0;
    std::uint64_t bytes = 0, most = 0;
  } pool;
  const Allocator allocator{[](std::size_t bytes, CUstream_st*, void* context) -> void* {
                              auto& p = *static_cast<Pool*>(context);
                              ++p.pieces;
                              p.most = std::max(p.most, p.bytes += bytes);
                              void* memory = nullptr;
                              return cudaMalloc(&memory, bytes) == cudaSuccess ? memory : nullptr;
                            },
                            [](void* memory, std::size_t bytes, CUstream_st*, void* context) {
                              static_cast<Pool*>(context)->bytes -= bytes;
                              cudaFree(memory);
                            },
                            &pool};
  const std::int64_t n = 400;
  const Stored s = support::random_matrix(n);
  std::vector<double> values(static_cast<std::size_t>(n));
  for (std::int64_t k = 0; k < n; ++k)
    values[static_cast<std::size_t>(k)] =
        k < 300 ? 1 + 1e-12 * static_cast<double>(k * k) : -1 - static_cast<double>(k);
  const Stored plain = of_values(values);
  {
    Devices devices;
    devices.device = DeviceChoice::gpu;
    Context context(devices, allocator);
    support::OptionsAndDevices o = mixed();
    Solver<double> solver(context, n, o);
    const std::uint64_t bytes = solver.workspace().device;
    CHECK(bytes == workspace_bytes(n, o, true).device);
    std::vector<double> w(values.size()), z(static_cast<std::size_t>(n * n)), first;
    std::int64_t pieces = 0;
    for (int round = 0; round < 3; ++round) {
      const Report report = solver.solve(s.a.data(), n, w.data(), z.data(), n);
      CHECK(report.refinement.result == Result::refined);
      CHECK(report.bytes.device == bytes);
      if (round == 0) first = z;
      CHECK(support::same_bits(first, z));
      const Report other = solver.solve(plain.a.data(), n, w.data(), z.data(), n);
      CHECK(other.refinement.result == Result::large_clusters);
      support::check_pairs(plain, {w, z, n, other}, "values");
      if (round == 0) pieces = pool.pieces;
      CHECK(pool.pieces == pieces);
    }
    CHECK(pool.most >= bytes);
  }
  CHECK(pool.bytes == 0);
}

TEST_CASE("mixed precision: told and abandoned, refused for several devices, native for a part", "[gpu]") {
  NEEDS_GPU();
  const std::int64_t n = 300;
  const Stored s = support::random_matrix(n);
  std::vector<double> w(static_cast<std::size_t>(n)), z(static_cast<std::size_t>(n * n));
  support::OptionsAndDevices o = mixed();
  bool refining = false;
  o.progress = [&](Stage stage, double fraction) {
    refining = refining || stage == Stage::refine;
    if (stage == Stage::refine && fraction > 0) throw std::runtime_error("enough");
  };
  CHECK_THROWS_WITH(eigen_g::eigen_g(n, s.a.data(), n, w.data(), z.data(), n, o, o), "enough");
  CHECK(refining);
  o = mixed();
  CHECK(eigen_g::eigen_g(n, s.a.data(), n, w.data(), z.data(), n, o, o).refinement.result == Result::refined);

  o.ratio = parse_ratio("1:1");
  CHECK_THROWS_AS(eigen_g::eigen_g(n, s.a.data(), n, w.data(), z.data(), n, o, o), InvalidArgument);
  o = mixed();
  o.multiprocessors = 8;
  CHECK_THROWS_AS(eigen_g::eigen_g(n, s.a.data(), n, w.data(), z.data(), n, o, o), InvalidArgument);
  o = mixed();
  o.subset = Subset::by_index(1, 5);
  CHECK(eigen_g::eigen_g(n, s.a.data(), n, w.data(), z.data(), n, o, o).refinement.result ==
        Result::out_of_scope);
  o = mixed();
  o.vectors = false;
  CHECK(eigen_g::eigen_g(n, s.a.data(), n, w.data(), z.data(), n, o, o).refinement.result ==
        Result::out_of_scope);
  std::vector<double> broken = s.a;
  broken[7] = support::nan;
  CHECK_THROWS_AS(eigen_g::eigen_g(n, broken.data(), n, w.data(), z.data(), n, mixed(), mixed()),
                  NonFiniteEntry);

  eigen_g_options options;
  eigen_g_default_options(&options);
  options.precision = "mixed";
  options.device = 'G';
  std::vector<double> a = s.a;
  CHECK(eigen_g_dsolve(n, a.data(), n, w.data(), z.data(), n, 0, nullptr, &options, nullptr) == 0);
  options.precision = "half";
  CHECK(eigen_g_dsolve(n, a.data(), n, w.data(), z.data(), n, 0, nullptr, &options, nullptr) < 0);
}
