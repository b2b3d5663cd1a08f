// Batches on a GPU: device pointers, host pointers, ragged batches, BatchedSolver.
#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/memory/resources.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/api/argument.hpp"
#include "solver/api/eigen_g.hpp"
#include "solver/verify/verify.hpp"
#include "tests/support/batches.hpp"
#include "tests/support/device_copy.hpp"
#include "tests/support/skip.hpp"

using namespace eigen_g;
using support::batch_families;
using support::batch_of_families;
using support::BatchPairs;
using support::same_bits;
using support::StoredBatch;

namespace {

const std::vector<std::int64_t> sizes{1,  2,  3,  4,  5,  7,  8,  9,  15,  16,  17,  31, 32,
                                      33, 47, 48, 49, 64, 65, 96, 97, 127, 128, 129, 150};

// An array on the GPU.
template <class X>
struct OnGpu {
  DeviceBuffer<X> memory;
  explicit OnGpu(const std::vector<X>& from) : memory(static_cast<std::int64_t>(from.size())) { set(from); }
  void set(const std::vector<X>& from) const {
    if (!from.empty()) support::upload(memory.data(), from.data(), memory.bytes());
    EIGEN_G_CUDA(cudaDeviceSynchronize());
  }
  void get(std::vector<X>& to) const {
    EIGEN_G_CUDA(cudaDeviceSynchronize());
    if (!to.empty())
      EIGEN_G_CUDA(cudaMemcpy(to.data(), memory.data(), memory.bytes(), cudaMemcpyDeviceToHost));
  }
  DevicePointer<X> pointer() const { return device(memory.data()); }
};

// The arrays of a batch on the GPU; results start as guards.
template <class T>
struct BatchOnDevicePointers {
  const StoredBatch<T>& batch;
  BatchPairs<T> pairs;
  OnGpu<T> a, z;
  OnGpu<real_t<T>> w;
  OnGpu<std::int32_t> status;
  BatchOnDevicePointers(const StoredBatch<T>& of, const Options& options, std::int64_t padding = 0,
                        std::int64_t gap = 0)
      : batch(of),
        pairs(of.n, options.subset.max_count(of.n), of.count, options.vectors, padding, gap),
        a(of.a),
        z(pairs.z),
        w(pairs.w),
        status(pairs.status) {
    pairs.strides.a = of.stride;
  }
  void collect() {
    w.get(pairs.w);
    z.get(pairs.z);
    status.get(pairs.status);
    std::vector<T> after(batch.a.size());
    a.get(after);
    CHECK(same_bits(after, batch.a));
  }
  void enqueue(BatchedSolver<T>& solver, cudaStream_t stream) const {
    solver.enqueue(batch.count, a.pointer(), batch.lda, w.pointer(), z.pointer(), pairs.ldz, status.pointer(),
                   stream, pairs.strides);
  }
  BatchReport solve(BatchedSolver<T>& solver, cudaStream_t stream) const {
    return solver.solve(batch.count, a.pointer(), batch.lda, w.pointer(), z.pointer(), pairs.ldz,
                        status.pointer(), stream, pairs.strides);
  }
};

template <class T>
BatchPairs<T> solve(const StoredBatch<T>& batch, Options options = {}, std::int64_t padding = 0,
                    std::int64_t gap = 0, cudaStream_t stream = nullptr) {
  options.uplo = batch.uplo;
  BatchOnDevicePointers<T> x(batch, options, padding, gap);
  x.pairs.report =
      eigen_g_batched(batch.n, batch.count, x.a.pointer(), batch.lda, x.w.pointer(), x.z.pointer(),
                      x.pairs.ldz, x.status.pointer(), stream, x.pairs.strides, options);
  x.collect();
  return x.pairs;
}

template <class T>
BatchPairs<T> solve_from_host(const StoredBatch<T>& batch, Options options = {}, std::int64_t padding = 0,
                              std::int64_t gap = 0) {
  options.uplo = batch.uplo;
  Devices devices;
  devices.device = DeviceChoice::gpu;
  BatchPairs<T> p(batch.n, options.subset.max_count(batch.n), batch.count, options.vectors, padding, gap);
  p.strides.a = batch.stride;
  const std::vector<T> a = batch.a;
  p.report = eigen_g_batched(batch.n, batch.count, a.data(), batch.lda, p.w.data(), p.z.data(), p.ldz,
                             p.status.data(), p.strides, options, devices);
  CHECK(same_bits(a, batch.a));
  return p;
}

template <class T>
StoredBatch<T> alone(const StoredBatch<T>& batch, std::int64_t k) {
  StoredBatch<T> one{batch.uplo, batch.n, 1, batch.lda, batch.stride, {}};
  one.a.assign(batch.a.begin() + k * batch.stride, batch.a.begin() + (k + 1) * batch.stride);
  return one;
}

template <class T>
void check_guards(const BatchPairs<T>& pairs, std::int64_t n) {
  for (std::size_t i = 0; i < pairs.w.size(); ++i)
    if (static_cast<std::int64_t>(i) % pairs.strides.w >= pairs.m) REQUIRE(pairs.w[i] == pairs.guard);
  for (std::size_t i = 0; i < pairs.z.size(); ++i) {
    const std::int64_t within = static_cast<std::int64_t>(i) % pairs.strides.z;
    if (within >= pairs.ldz * pairs.m || within % pairs.ldz >= n) REQUIRE(pairs.z[i] == T(pairs.guard));
  }
}

// `count` matrices that repeat `few`.
template <class T>
StoredBatch<T> repeated(const StoredBatch<T>& few, std::int64_t count) {
  StoredBatch<T> many{few.uplo, few.n, count, few.lda, few.stride, {}};
  for (std::int64_t k = 0; k < count; ++k)
    many.a.insert(many.a.end(), few.a.begin() + k % few.count * few.stride,
                  few.a.begin() + (k % few.count + 1) * few.stride);
  return many;
}

}  // namespace

#define ALL_TYPES float, double, std::complex<float>, std::complex<double>

TEMPLATE_TEST_CASE("batch on a GPU: every family and size, either triangle, with gaps, from both memories",
                   "[gpu]", ALL_TYPES) {
  NEEDS_GPU();
  using T = TestType;
  for (const std::int64_t n : sizes)
    for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
      const std::int64_t padding = n % 2, gap = n % 3;
      const StoredBatch<T> batch = batch_of_families<T>(n, batch_families, uplo, padding, gap);
      const BatchPairs<T> pairs = solve(batch, {}, 2 * padding, gap);
      const BatchPairs<T> values = solve(batch, {.vectors = false}), packed = solve(batch);
      const BatchPairs<T> from_host = solve_from_host(batch, {}, 1, 2);
      CHECK(pairs.report.failed == 0);
      CHECK(pairs.report.first_failed == -1);
      CHECK(pairs.report.devices.front().gpu >= 0);
      CHECK(from_host.report.failed == 0);
      check_guards(pairs, n);
      check_guards(values, n);
      check_guards(from_host, n);
      for (std::int64_t k = 0; k < batch.count; ++k) {
        CAPTURE(n, k, uplo == Uplo::upper);
        const support::BatchQuality q = support::quality(batch, k, pairs.values(k), pairs.vectors(k, n));
        CHECK(pairs.status[static_cast<std::size_t>(k)] == 0);
        CHECK(q.ascending);
        CHECK(q.residual <= support::limits::batch(n));
        CHECK(q.orthogonality <= support::limits::batch(n));
        if (n > 512) {  // one by one: host pointers have a workspace of another layout
          const support::BatchQuality of_host =
              support::quality(batch, k, from_host.values(k), from_host.vectors(k, n));
          CHECK(of_host.residual <= support::limits::batch(n));
          CHECK(of_host.orthogonality <= support::limits::batch(n));
        }
        for (const BatchPairs<T>* p : {&packed, &from_host}) {
          if (n > 512 && p == &from_host) continue;
          CHECK(same_bits(p->values(k), pairs.values(k)));
          CHECK(same_bits(p->vectors(k, n), pairs.vectors(k, n)));
        }
        const std::vector<real_t<T>> w = pairs.values(k), only = values.values(k);
        double largest = 0, distance = 0;
        for (std::size_t i = 0; i < w.size(); ++i) {
          largest = std::max(largest, std::fabs(static_cast<double>(w[i])));
          distance = std::max(distance, std::fabs(static_cast<double>(w[i]) - static_cast<double>(only[i])));
        }
        CHECK(distance <= 3 * static_cast<double>(n) * std::numeric_limits<real_t<T>>::epsilon() * largest);
      }
    }
}

TEMPLATE_TEST_CASE("batch on a GPU: bits do not depend on the batch, the place, the chunk or the stream",
                   "[gpu]", ALL_TYPES) {
  NEEDS_GPU();
  using T = TestType;
  Queue one, two;
  for (const std::int64_t n : {1, 3, 4, 6, 16, 29, 33, 64, 90, 128, 140, 260, 513}) {
    const StoredBatch<T> few = batch_of_families<T>(n, batch_families);
    std::vector<BatchPairs<T>> expected;
    for (std::int64_t k = 0; k < few.count; ++k) expected.push_back(solve(alone(few, k)));
    const std::int64_t count = n > 512   ? 30
                               : n > 256 ? 140
                               : n > 128 ? 540
                               : n > 64  ? 2300
                               : n > 32  ? 9000
                                         : 25000;  // several chunks
    const StoredBatch<T> many = repeated(few, count);
    for (const cudaStream_t stream : {one.stream(), two.stream()}) {
      const BatchPairs<T> found = solve(many, {}, 0, 0, stream);
      CHECK(found.report.failed == 0);
      std::int64_t others = 0;
      for (std::int64_t k = 0; k < count; ++k) {
        const BatchPairs<T>& of = expected[static_cast<std::size_t>(k % few.count)];
        others += std::memcmp(found.w.data() + k * n, of.w.data(), of.w.size() * sizeof of.w[0]) != 0 ||
                  std::memcmp(found.z.data() + k * n * n, of.z.data(), of.z.size() * sizeof of.z[0]) != 0;
      }
      CAPTURE(n);
      CHECK(others == 0);
    }
  }
}

TEMPLATE_TEST_CASE("batch on a GPU: a part by index has the bits of the whole, also over a", "[gpu]",
                   ALL_TYPES) {
  NEEDS_GPU();
  using T = TestType;
  for (const std::int64_t n : {1, 2, 4, 5, 17, 40, 64, 100, 128, 131, 270, 514}) {
    const StoredBatch<T> batch = batch_of_families<T>(n, batch_families);
    const BatchPairs<T> whole = solve(batch);
    const std::int64_t first = (n + 2) / 3, last = (2 * n + 2) / 3;
    const Options options{.subset = Subset::by_index(first, last)};
    const BatchPairs<T> part = solve(batch, options, 1, 2), from_host = solve_from_host(batch, options, 1, 2);
    check_guards(part, n);
    check_guards(from_host, n);
    const OnGpu<T> over(batch.a);
    const OnGpu<real_t<T>> w(whole.w);
    CHECK(eigen_g_batched(n, batch.count, over.pointer(), batch.lda, w.pointer(), over.pointer(), batch.lda,
                          {}, nullptr)
              .failed == 0);
    std::vector<T> z(whole.z.size());
    over.get(z);
    for (std::int64_t k = 0; k < batch.count; ++k) {
      CAPTURE(n, k);
      const std::vector<real_t<T>> all = whole.values(k);
      const std::vector<T> vectors = whole.vectors(k, n);
      for (const BatchPairs<T>* p : {&part, &from_host}) {
        if (n > 512 && p == &from_host) continue;
        CHECK(same_bits(p->values(k), {all.begin() + (first - 1), all.begin() + last}));
        if (n <= 512)  // larger orders: the values alone have the bits of the whole
          CHECK(same_bits(p->vectors(k, n), {vectors.begin() + (first - 1) * n, vectors.begin() + last * n}));
      }
      if (n <= 512) CHECK(same_bits(vectors, {z.begin() + k * n * n, z.begin() + (k + 1) * n * n}));
    }
  }
}

TEMPLATE_TEST_CASE("batch on a GPU: a NaN or an infinity harms its own matrix only", "[gpu]", ALL_TYPES) {
  NEEDS_GPU();
  using T = TestType;
  const real_t<T> infinity = std::numeric_limits<real_t<T>>::infinity();
  for (const std::int64_t n : {1, 2, 3, 4, 5, 9, 20, 40, 100, 140, 520})
    for (const bool from_host : {false, true}) {
      const StoredBatch<T> good = batch_of_families<T>(n, 3, n % 2 ? Uplo::lower : Uplo::upper);
      const auto find = [&](const StoredBatch<T>& batch) {
        return from_host ? solve_from_host(batch) : solve(batch);
      };
      const BatchPairs<T> expected = find(good);
      const std::int64_t step = n < 10 ? 1 : n / 3;
      for (std::int64_t j = 0; j < n; j += step)
        for (std::int64_t i = 0; i < n; i += step) {
          if (good.uplo == Uplo::lower ? i < j : i > j) continue;
          for (const T bad : {support::not_a_number<T>(), T(infinity), T(-infinity)}) {
            CAPTURE(n, i, j, bad, from_host);
            StoredBatch<T> batch = good;
            batch.at(1, i, j) = bad;
            const BatchPairs<T> found = find(batch);
            CHECK(found.report.failed == 1);
            CHECK(found.report.first_failed == 1);
            CHECK(found.status == std::vector<std::int32_t>{0, -1, 0});
            for (const std::int64_t k : {0, 2}) {
              CHECK(same_bits(found.values(k), expected.values(k)));
              CHECK(same_bits(found.vectors(k, n), expected.vectors(k, n)));
            }
            for (const real_t<T> x : found.values(1)) CHECK(std::isnan(x));
            for (const T x : found.vectors(1, n)) CHECK(std::isnan(std::real(x)));
          }
        }
    }
}

TEMPLATE_TEST_CASE("batch on a GPU: ragged matrices have the bits of strided ones", "[gpu]", ALL_TYPES) {
  NEEDS_GPU();
  using T = TestType;
  std::vector<StoredBatch<T>> matrices;
  for (const std::int64_t n :
       {3, 0, 65, 1, 8, 130, 17, 3, 2, 48, 33, 128, 4, 5, 70, 16, 130, 97, 150, 256, 300, 290, 515})
    matrices.push_back(batch_of_families<T>(n, 1, Uplo::upper, n % 3));
  matrices[4].at(0, 1, 2) = support::not_a_number<T>();
  for (const Pointers pointers : {Pointers::device, Pointers::host}) {
    const bool on_host = pointers == Pointers::host;
    std::vector<std::int64_t> orders, lda;
    std::vector<std::vector<real_t<T>>> values;
    std::vector<std::vector<T>> vectors;
    std::vector<OnGpu<T>> a_dev, z_dev;
    std::vector<OnGpu<real_t<T>>> w_dev;
    std::vector<const T*> a;
    std::vector<real_t<T>*> w;
    std::vector<T*> z;
    for (const StoredBatch<T>& m : matrices) {
      orders.push_back(m.n);
      lda.push_back(m.lda);
      values.emplace_back(static_cast<std::size_t>(m.n));
      vectors.emplace_back(static_cast<std::size_t>(m.n * m.n));
      a_dev.emplace_back(m.a);
      w_dev.emplace_back(values.back());
      z_dev.emplace_back(vectors.back());
    }
    for (std::size_t k = 0; k < matrices.size(); ++k) {
      a.push_back(on_host ? matrices[k].a.data() : a_dev[k].memory.data());
      w.push_back(on_host ? values[k].data() : w_dev[k].memory.data());
      z.push_back(on_host ? vectors[k].data() : z_dev[k].memory.data());
    }
    std::vector<std::int32_t> status(matrices.size(), 77);
    const RaggedBatch<T> ragged{static_cast<std::int64_t>(matrices.size()),
                                orders.data(),
                                a.data(),
                                lda.data(),
                                w.data(),
                                z.data(),
                                nullptr};
    Devices devices;
    devices.device = DeviceChoice::gpu;
    const BatchReport report =
        eigen_g_ragged(ragged, pointers, nullptr, status.data(), {.uplo = Uplo::upper}, devices);
    CHECK(report.m == 515);
    CHECK(report.failed == 1);
    CHECK(report.first_failed == 4);
    for (std::size_t k = 0; k < matrices.size(); ++k) {
      CAPTURE(k, on_host);
      CHECK(status[k] == (k == 4 ? -1 : 0));
      if (matrices[k].n == 0 || k == 4) continue;
      if (!on_host) {
        w_dev[k].get(values[k]);
        z_dev[k].get(vectors[k]);
      }
      const BatchPairs<T> one = on_host ? solve_from_host(matrices[k]) : solve(matrices[k]);
      CHECK(same_bits(values[k], one.w));
      CHECK(same_bits(vectors[k], one.z));
    }
  }
}

// These orders are solved on four parts of a GPU with 132 multiprocessors, on two parts, and on four streams; the division depends on the type.
TEMPLATE_TEST_CASE("batch on a GPU: large orders, several at the same time", "[gpu]", ALL_TYPES) {
  NEEDS_GPU();
  using T = TestType;
  std::vector<StoredBatch<T>> batches;
  std::vector<BatchPairs<T>> expected;
  for (const std::int64_t n : {600, 1030, 1400, 2200}) {
    CAPTURE(n);
    const StoredBatch<T> few = batch_of_families<T>(n, 4), batch = repeated(few, 7);
    const BatchPairs<T> pairs = solve(batch), values = solve(batch, {.vectors = false}),
                        from_host = solve_from_host(batch);
    CHECK(pairs.report.failed == 0);
    for (std::int64_t k = 0; k < batch.count; ++k) {
      CAPTURE(k);
      if (n < 2000)
        CHECK(same_bits(values.values(k), pairs.values(k)));  // beyond, they can take another path
      CHECK(same_bits(from_host.values(k), from_host.values(k % few.count)));
      CHECK(same_bits(from_host.vectors(k, n), from_host.vectors(k % few.count, n)));
      CHECK(same_bits(pairs.values(k), pairs.values(k % few.count)));
      CHECK(same_bits(pairs.vectors(k, n), pairs.vectors(k % few.count, n)));
      if (k >= few.count) continue;
      for (const BatchPairs<T>* found : {&pairs, &from_host})
        CHECK(passed(verify(batch.uplo, n, batch.a.data() + k * batch.stride, batch.lda, n,
                            found->values(k).data(), found->vectors(k, n).data(), n)));
      const BatchPairs<T> one = solve(alone(batch, k));
      CHECK(same_bits(one.values(0), pairs.values(k)));
      CHECK(same_bits(one.vectors(0, n), pairs.vectors(k, n)));
    }
    batches.push_back(batch);
    expected.push_back(pairs);
  }
  // A ragged batch of all orders, the small ones first.
  std::vector<std::int64_t> orders;
  std::vector<OnGpu<T>> a_dev, z_dev;
  std::vector<OnGpu<real_t<T>>> w_dev;
  std::vector<const T*> a;
  std::vector<T*> z;
  std::vector<real_t<T>*> w;
  for (std::int64_t k = 0; k < 2; ++k)
    for (std::size_t i = 0; i < batches.size(); ++i) {
      orders.push_back(batches[i].n);
      a_dev.emplace_back(alone(batches[i], k).a);
      z_dev.emplace_back(std::vector<T>(static_cast<std::size_t>(orders.back() * orders.back())));
      w_dev.emplace_back(std::vector<real_t<T>>(static_cast<std::size_t>(orders.back())));
    }
  for (std::size_t j = 0; j < orders.size(); ++j) {
    a.push_back(a_dev[j].memory.data());
    z.push_back(z_dev[j].memory.data());
    w.push_back(w_dev[j].memory.data());
  }
  std::vector<std::int32_t> status(orders.size(), 77);
  const auto count = static_cast<std::int64_t>(orders.size());
  const RaggedBatch<T> ragged{count, orders.data(), a.data(), nullptr, w.data(), z.data(), nullptr};
  CHECK(eigen_g_ragged(ragged, Pointers::device, nullptr, status.data()).failed == 0);
  for (std::size_t j = 0; j < orders.size(); ++j) {
    CAPTURE(j);
    const std::size_t i = j % batches.size();
    const auto k = static_cast<std::int64_t>(j / batches.size());
    std::vector<T> vectors(static_cast<std::size_t>(orders[j] * orders[j]));
    std::vector<real_t<T>> values(static_cast<std::size_t>(orders[j]));
    w_dev[j].get(values);
    z_dev[j].get(vectors);
    CHECK(status[j] == 0);
    CHECK(same_bits(values, expected[i].values(k)));
    CHECK(same_bits(vectors, expected[i].vectors(k, orders[j])));
  }
}

TEST_CASE("batch on a GPU: host pointers in several chunks", "[gpu]") {
  NEEDS_GPU();
  const std::int64_t n = 128, count = 1300;  // 512 matrices are 64 MiB
  const StoredBatch<double> few = batch_of_families<double>(n, batch_families), many = repeated(few, count);
  const BatchPairs<double> expected = solve(few);
  for (const std::int64_t gap : {0, 5}) {  // without and with packing
    const BatchPairs<double> found = solve_from_host(many, {}, 0, gap);
    std::int64_t others = 0;
    for (std::int64_t k = 0; k < count; ++k)
      others += !same_bits(found.values(k), expected.values(k % few.count)) ||
                !same_bits(found.vectors(k, n), expected.vectors(k % few.count, n));
    CHECK(others == 0);
    CHECK(found.report.bytes.device <= batched_workspace_bytes(n, count, {}, true).device);
  }
}

TEMPLATE_TEST_CASE("batch on a GPU: a solver takes nothing at its second solve, and a graph replays it",
                   "[gpu]", ALL_TYPES) {
  NEEDS_GPU();
  using T = TestType;
  Context context;
  cudaStream_t stream = nullptr;
  EIGEN_G_CUDA(cudaStreamCreate(&stream));
  for (const std::int64_t n : {3, 20, 64, 128, 150, 257}) {
    CAPTURE(n);
    const std::int64_t most = n < 5     ? 100
                              : n < 33  ? 20000
                              : n < 65  ? 9000
                              : n < 129 ? 2300
                              : n < 257 ? 540
                                        : 150;  // several chunks
    StoredBatch<T> batch = repeated(batch_of_families<T>(n, batch_families), most);
    const BatchPairs<T> expected = solve(batch);
    BatchedSolver<T> solver(context, n, most);
    BatchOnDevicePointers<T> x(batch, {});
    const BatchReport report = x.solve(solver, stream);
    CHECK(report.failed == 0);
    CHECK(report.bytes.device == solver.workspace().device);
    x.collect();
    CHECK(same_bits(x.pairs.z, expected.z));

    const std::uint64_t made = Resources::made();
    x.z.set(std::vector<T>(expected.z.size(), T(BatchPairs<T>::guard)));
    x.enqueue(solver, stream);
    CHECK(Resources::made() == made);
    x.collect();
    CHECK(same_bits(x.pairs.z, expected.z));
    CHECK(same_bits(x.pairs.w, expected.w));

    cudaGraph_t graph = nullptr;
    cudaGraphExec_t replay = nullptr;
    EIGEN_G_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    x.enqueue(solver, stream);
    EIGEN_G_CUDA(cudaStreamEndCapture(stream, &graph));
    EIGEN_G_CUDA(cudaGraphInstantiate(&replay, graph, 0));
    for (int turn = 0; turn < 2; ++turn) {
      x.z.set(std::vector<T>(expected.z.size(), T(BatchPairs<T>::guard)));
      x.w.set(std::vector<real_t<T>>(expected.w.size(), BatchPairs<T>::guard));
      EIGEN_G_CUDA(cudaGraphLaunch(replay, stream));
      x.collect();
      CHECK(same_bits(x.pairs.z, expected.z));
      CHECK(same_bits(x.pairs.w, expected.w));
    }
    // The graph reads the array again, so that other matrices have other results.
    batch.at(0, 0, 0) = support::not_a_number<T>();
    x.a.set(batch.a);
    EIGEN_G_CUDA(cudaGraphLaunch(replay, stream));
    x.collect();
    CHECK(x.pairs.status[0] == -1);
    CHECK(x.pairs.status[1] == 0);
    EIGEN_G_CUDA(cudaGraphExecDestroy(replay));
    EIGEN_G_CUDA(cudaGraphDestroy(graph));
  }
  EIGEN_G_CUDA(cudaStreamDestroy(stream));
}

TEST_CASE("batch on a GPU: a solver works in the caller's workspace", "[gpu]") {
  NEEDS_GPU();
  Context context;
  for (const std::int64_t n : {40, 150, 513}) {
    CAPTURE(n);
    const StoredBatch<double> batch = batch_of_families<double>(n, batch_families);
    BatchedSolver<double> solver(context, n, batch.count);
    const auto bytes = static_cast<std::int64_t>(solver.workspace().device);
    const DeviceBuffer<std::byte> memory(bytes);
    CHECK_THROWS_AS(solver.set_workspace({memory.data(), static_cast<std::uint64_t>(bytes - 1)}),
                    InvalidArgument);
    solver.set_workspace({memory.data(), static_cast<std::uint64_t>(bytes)});
    BatchOnDevicePointers<double> x(batch, {});
    CHECK(x.solve(solver, nullptr).failed == 0);
    x.collect();
    const BatchPairs<double> expected = solve(batch);
    CHECK(same_bits(x.pairs.z, expected.z));
    CHECK_THROWS_AS(
        solver.solve(batch.count + 1, x.a.pointer(), n, x.w.pointer(), x.z.pointer(), n, {}, nullptr),
        InvalidArgument);
  }
}

TEST_CASE("batch on a GPU: the wrong kind of memory is named", "[gpu]") {
  NEEDS_GPU();
  const StoredBatch<double> batch = batch_of_families<double>(8, 2);
  BatchOnDevicePointers<double> x(batch, {});
  std::vector<double> w(16), z(128);
  std::vector<std::int32_t> status(2);
  CHECK_THROWS_AS(eigen_g_batched(8, 2, x.a.memory.data(), 8, w.data(), z.data(), 8), InvalidArgument);
  if (!gpu_reads_all_host_memory()) {
    CHECK_THROWS_AS(eigen_g_batched(8, 2, x.a.pointer(), 8, device(w.data()), x.z.pointer(), 8, {}, nullptr),
                    InvalidArgument);
    CHECK_THROWS_AS(eigen_g_batched(8, 2, x.a.pointer(), 8, x.w.pointer(), x.z.pointer(), 8,
                                    device(status.data()), nullptr),
                    InvalidArgument);
  }
}
