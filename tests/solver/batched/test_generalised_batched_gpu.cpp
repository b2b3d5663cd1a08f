// Batches of generalised problems on a GPU: device pointers, host pointers, ragged batches, GeneralisedBatchedSolver.
#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/memory/resources.hpp"
#include "hybrid/stream/queue.hpp"
#include "tests/support/device_copy.hpp"
#include "tests/support/generalised_batches.hpp"
#include "tests/support/skip.hpp"

using namespace eigen_g;
using support::batch_of_families;
using support::BatchPairs;
using support::positive_definite_batch;
using support::same_bits;
using support::StoredBatch;

namespace {

const std::vector<std::int64_t> sizes{1,  2,  3,  4,  5,  7,  8,  15, 16, 17,  31,  32, 33,
                                      47, 48, 49, 63, 64, 65, 95, 96, 97, 127, 128, 129};

// An array on the GPU.
template <class X>
struct OnGpu : DeviceBuffer<X> {
  explicit OnGpu(const std::vector<X>& from) : DeviceBuffer<X>(static_cast<std::int64_t>(from.size())) {
    set(from);
  }
  void set(const std::vector<X>& from) const {
    if (!from.empty()) support::upload(this->data(), from.data(), this->bytes());
    EIGEN_G_CUDA(cudaDeviceSynchronize());
  }
  void get(std::vector<X>& to) const {
    EIGEN_G_CUDA(cudaDeviceSynchronize());
    if (!to.empty()) EIGEN_G_CUDA(cudaMemcpy(to.data(), this->data(), this->bytes(), cudaMemcpyDeviceToHost));
  }
  DevicePointer<X> pointer() const { return device(this->data()); }
};

// The arrays of a batch on the GPU; results start as guards.
template <class T>
struct Problems {
  const StoredBatch<T>&a_of, &b_of;
  BatchPairs<T> pairs;
  OnGpu<T> a, b, z;
  OnGpu<real_t<T>> w;
  OnGpu<std::int32_t> status;
  Problems(const StoredBatch<T>& of_a, const StoredBatch<T>& of_b, const Options& options,
           std::int64_t padding = 0, std::int64_t gap = 0)
      : a_of(of_a),
        b_of(of_b),
        pairs(of_a.n, options.subset.max_count(of_a.n), of_a.count, options.vectors, padding, gap),
        a(of_a.a),
        b(of_b.a),
        z(pairs.z),
        w(pairs.w),
        status(pairs.status) {
    pairs.strides.a = of_a.stride;
    pairs.strides.b = of_b.stride;
  }
  void collect() {
    w.get(pairs.w);
    z.get(pairs.z);
    status.get(pairs.status);
    std::vector<T> after(a_of.a.size()), after_b(b_of.a.size());
    a.get(after);
    b.get(after_b);
    CHECK(same_bits(after, a_of.a));
    CHECK(same_bits(after_b, b_of.a));
  }
  void enqueue(GeneralisedBatchedSolver<T>& solver, cudaStream_t stream) const {
    solver.enqueue(a_of.count, a.pointer(), a_of.lda, b.pointer(), b_of.lda, w.pointer(), z.pointer(),
                   pairs.ldz, status.pointer(), stream, pairs.strides);
  }
};

template <class T>
BatchPairs<T> solve(const StoredBatch<T>& a, const StoredBatch<T>& b, Options options = {},
                    std::int64_t padding = 0, std::int64_t gap = 0, cudaStream_t stream = nullptr) {
  options.uplo = a.uplo;
  Problems<T> x(a, b, options, padding, gap);
  x.pairs.report =
      sygvd_batched(a.n, a.count, x.a.pointer(), a.lda, x.b.pointer(), b.lda, x.w.pointer(), x.z.pointer(),
                    x.pairs.ldz, x.status.pointer(), stream, x.pairs.strides, options);
  x.collect();
  return x.pairs;
}

template <class T>
BatchPairs<T> solve_from_host(const StoredBatch<T>& a, const StoredBatch<T>& b, Options options = {},
                              std::int64_t padding = 0, std::int64_t gap = 0) {
  options.uplo = a.uplo;
  Devices devices;
  devices.device = DeviceChoice::gpu;
  BatchPairs<T> p(a.n, options.subset.max_count(a.n), a.count, options.vectors, padding, gap);
  p.strides.a = a.stride;
  p.strides.b = b.stride;
  p.report = sygvd_batched(a.n, a.count, a.a.data(), a.lda, b.a.data(), b.lda, p.w.data(), p.z.data(), p.ldz,
                           p.status.data(), p.strides, options, devices);
  return p;
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
template <class T>
StoredBatch<T> alone(const StoredBatch<T>& batch, std::int64_t k) {
  StoredBatch<T> one{batch.uplo, batch.n, 1, batch.lda, batch.stride, {}};
  one.a.assign(batch.a.begin() + k * batch.stride, batch.a.begin() + (k + 1) * batch.stride);
  return one;
}

}  // namespace

#define ALL_TYPES float, double, std::complex<float>, std::complex<double>

TEMPLATE_TEST_CASE("generalised batch on a GPU: every size, either triangle, with gaps, from both memories",
                   "[gpu]", ALL_TYPES) {
  NEEDS_GPU();
  using T = TestType;
  for (const std::int64_t n : sizes)
    for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
      const std::int64_t padding = n % 2, gap = n % 3;
      const StoredBatch<T> a = batch_of_families<T>(n, 8, uplo, padding, gap),
                           b = positive_definite_batch(a, 2 * padding, gap + 1);
      const BatchPairs<T> pairs = solve(a, b, {}, 2 * padding, gap), packed = solve(a, b),
                          values = solve(a, b, {.vectors = false}),
                          from_host = solve_from_host(a, b, {}, 1, 2);
      CHECK(pairs.report.failed == 0);
      CHECK(pairs.report.devices.front().gpu >= 0);
      CHECK(values.report.failed == 0);
      CHECK(from_host.report.failed == 0);
      for (std::int64_t k = 0; k < a.count; ++k) {
        CAPTURE(n, k, uplo == Uplo::upper);
        CHECK(pairs.status[static_cast<std::size_t>(k)] == 0);
        support::check_generalised(a, b, k, pairs.values(k), pairs.vectors(k, n));
        support::check_generalised(a, b, k, from_host.values(k), from_host.vectors(k, n));
        CHECK(same_bits(packed.values(k), pairs.values(k)));
        CHECK(same_bits(packed.vectors(k, n), pairs.vectors(k, n)));
        if (n <= 128) CHECK(same_bits(from_host.vectors(k, n), pairs.vectors(k, n)));
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

TEMPLATE_TEST_CASE(
    "generalised batch on a GPU: bits do not depend on the batch, the place, the chunk or the "
    "stream",
    "[gpu]", ALL_TYPES) {
  NEEDS_GPU();
  using T = TestType;
  Queue one, two;
  for (const std::int64_t n : {1, 3, 4, 6, 16, 29, 33, 64, 90, 128}) {
    const StoredBatch<T> a = batch_of_families<T>(n, 6), b = positive_definite_batch(a);
    std::vector<BatchPairs<T>> expected;
    for (std::int64_t k = 0; k < a.count; ++k) expected.push_back(solve(alone(a, k), alone(b, k)));
    const std::int64_t count = n > 64 ? 2300 : n > 32 ? 9000 : 25000;  // several chunks
    const StoredBatch<T> many_a = repeated(a, count), many_b = repeated(b, count);
    for (const cudaStream_t stream : {one.stream(), two.stream()}) {
      const BatchPairs<T> found = solve(many_a, many_b, {}, 0, 0, stream);
      CHECK(found.report.failed == 0);
      std::int64_t others = 0;
      for (std::int64_t k = 0; k < count; ++k) {
        const BatchPairs<T>& of = expected[static_cast<std::size_t>(k % a.count)];
        others += std::memcmp(found.w.data() + k * n, of.w.data(), of.w.size() * sizeof of.w[0]) != 0 ||
                  std::memcmp(found.z.data() + k * n * n, of.z.data(), of.z.size() * sizeof of.z[0]) != 0;
      }
      CAPTURE(n);
      CHECK(others == 0);
    }
  }
}

TEMPLATE_TEST_CASE("generalised batch on a GPU: a part by index has the bits of the whole, also over a",
                   "[gpu]", ALL_TYPES) {
  NEEDS_GPU();
  using T = TestType;
  for (const std::int64_t n : {1, 2, 4, 5, 17, 40, 64, 100, 128}) {
    const StoredBatch<T> a = batch_of_families<T>(n, 6), b = positive_definite_batch(a);
    const BatchPairs<T> whole = solve(a, b);
    const std::int64_t first = (n + 2) / 3, last = (2 * n + 2) / 3;
    const BatchPairs<T> part = solve(a, b, {.subset = Subset::by_index(first, last)}, 1, 2);
    const OnGpu<T> over(a.a), of_b(b.a);
    const OnGpu<real_t<T>> w(whole.w);
    CHECK(sygvd_batched(n, a.count, over.pointer(), a.lda, of_b.pointer(), b.lda, w.pointer(), over.pointer(),
                        a.lda, {}, nullptr)
              .failed == 0);
    std::vector<T> z(whole.z.size());
    over.get(z);
    CHECK(same_bits(z, whole.z));
    for (std::int64_t k = 0; k < a.count; ++k) {
      CAPTURE(n, k);
      const std::vector<real_t<T>> all = whole.values(k);
      const std::vector<T> vectors = whole.vectors(k, n);
      CHECK(same_bits(part.values(k), {all.begin() + (first - 1), all.begin() + last}));
      CHECK(same_bits(part.vectors(k, n), {vectors.begin() + (first - 1) * n, vectors.begin() + last * n}));
    }
  }
}

TEMPLATE_TEST_CASE("generalised batch on a GPU: a bad matrix harms its own problem only", "[gpu]",
                   ALL_TYPES) {
  NEEDS_GPU();
  using T = TestType;
  using R = real_t<T>;
  for (const std::int64_t n : {1, 2, 3, 4, 5, 9, 20, 40, 100, 140})
    for (const bool from_host : {false, true}) {
      StoredBatch<T> a = batch_of_families<T>(n, 6, n % 2 ? Uplo::lower : Uplo::upper),
                     b = positive_definite_batch(a);
      const auto find = [&](bool vectors) {
        return from_host ? solve_from_host(a, b, {.vectors = vectors}) : solve(a, b, {.vectors = vectors});
      };
      const BatchPairs<T> good = find(true);
      a.at(1, n / 2, n / 2) = support::not_a_number<T>();
      b.at(2, 0, 0) = T(std::numeric_limits<R>::infinity());
      b.at(3, n / 2, n / 2) = T(R(-1));
      for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
          if (a.uplo == Uplo::lower ? i < j : i > j) continue;
          a.at(4, i, j) = T(R(i == j ? 4 : 0));  // w overflows
          b.at(4, i, j) = T(i == j ? std::numeric_limits<R>::min() : R(0));
        }
      for (const bool vectors : {true, false}) {
        CAPTURE(n, from_host, vectors);
        const BatchPairs<T> found = find(vectors);
        CHECK(found.report.failed == 4);
        CHECK(found.report.first_failed == 1);
        CHECK(found.status ==
              std::vector<std::int32_t>{0, -1, -1, static_cast<std::int32_t>(n + n / 2 + 1), -1, 0});
        for (const std::int64_t k : {0, 5})
          if (vectors) {
            CHECK(same_bits(found.values(k), good.values(k)));
            CHECK(same_bits(found.vectors(k, n), good.vectors(k, n)));
          }
        for (const std::int64_t k : {1, 2, 3, 4}) {
          for (const R x : found.values(k)) CHECK(std::isnan(x));
          for (const T x : found.vectors(k, n)) CHECK(std::isnan(std::real(x)));
        }
      }
    }
}

TEMPLATE_TEST_CASE("generalised batch on a GPU: ragged problems have the bits of strided ones", "[gpu]",
                   ALL_TYPES) {
  NEEDS_GPU();
  using T = TestType;
  std::vector<StoredBatch<T>> as, bs;
  for (const std::int64_t n : {3, 0, 65, 1, 8, 130, 17, 3, 2, 48, 33, 128, 4, 5, 70, 16, 97})
    as.push_back(batch_of_families<T>(n, 1, Uplo::upper, n % 3));
  for (const StoredBatch<T>& a : as) bs.push_back(positive_definite_batch(a, a.n % 2));
  bs[4].at(0, 2, 2) = T(-1);
  for (const Pointers pointers : {Pointers::device, Pointers::host}) {
    const bool on_host = pointers == Pointers::host;
    std::vector<std::int64_t> orders, lda, ldb;
    std::vector<std::vector<real_t<T>>> values;
    std::vector<std::vector<T>> vectors;
    std::vector<OnGpu<T>> a_dev, b_dev, z_dev;
    std::vector<OnGpu<real_t<T>>> w_dev;
    std::vector<const T*> a, b;
    std::vector<real_t<T>*> w;
    std::vector<T*> z;
    for (std::size_t k = 0; k < as.size(); ++k) {
      orders.push_back(as[k].n);
      lda.push_back(as[k].lda);
      ldb.push_back(bs[k].lda);
      values.emplace_back(static_cast<std::size_t>(as[k].n));
      vectors.emplace_back(static_cast<std::size_t>(as[k].n * as[k].n));
      a_dev.emplace_back(as[k].a);
      b_dev.emplace_back(bs[k].a);
      w_dev.emplace_back(values.back());
      z_dev.emplace_back(vectors.back());
    }
    for (std::size_t k = 0; k < as.size(); ++k) {
      a.push_back(on_host ? as[k].a.data() : a_dev[k].data());
      b.push_back(on_host ? bs[k].a.data() : b_dev[k].data());
      w.push_back(on_host ? values[k].data() : w_dev[k].data());
      z.push_back(on_host ? vectors[k].data() : z_dev[k].data());
    }
    std::vector<std::int32_t> status(as.size(), 77);
    RaggedBatch<T> ragged{static_cast<std::int64_t>(as.size()),
                          orders.data(),
                          a.data(),
                          lda.data(),
                          w.data(),
                          z.data(),
                          nullptr};
    ragged.b = b.data();
    ragged.ldb = ldb.data();
    Devices devices;
    devices.device = DeviceChoice::gpu;
    const BatchReport report =
        eigen_g_ragged(ragged, pointers, nullptr, status.data(), {.uplo = Uplo::upper}, devices);
    CHECK(report.failed == 1);
    CHECK(report.first_failed == 4);
    for (std::size_t k = 0; k < as.size(); ++k) {
      CAPTURE(k, on_host);
      CHECK(status[k] == (k == 4 ? 8 + 3 : 0));
      if (as[k].n == 0 || k == 4) continue;
      if (!on_host) {
        w_dev[k].get(values[k]);
        z_dev[k].get(vectors[k]);
      }
      const BatchPairs<T> one = on_host ? solve_from_host(as[k], bs[k]) : solve(as[k], bs[k]);
      CHECK(same_bits(values[k], one.w));
      CHECK(same_bits(vectors[k], one.z));
    }
  }
}

TEST_CASE("generalised batch on a GPU: host pointers in several chunks", "[gpu]") {
  NEEDS_GPU();
  const std::int64_t n = 128, count = 1300;  // 512 matrices are 64 MiB
  const StoredBatch<double> a = batch_of_families<double>(n, 6), b = positive_definite_batch(a);
  const BatchPairs<double> expected = solve(a, b);
  const StoredBatch<double> many_a = repeated(a, count), many_b = repeated(b, count);
  for (const std::int64_t gap : {0, 5}) {
    const BatchPairs<double> found = solve_from_host(many_a, many_b, {}, 0, gap);
    std::int64_t others = 0;
    for (std::int64_t k = 0; k < count; ++k)
      others += !same_bits(found.values(k), expected.values(k % a.count)) ||
                !same_bits(found.vectors(k, n), expected.vectors(k % a.count, n));
    CHECK(others == 0);
    CHECK(found.report.bytes.device <=
          batched_workspace_bytes(n, count, {}, true, Pointers::host, true).device);
  }
}

TEMPLATE_TEST_CASE(
    "generalised batch on a GPU: a solver takes nothing at its second solve, and a graph "
    "replays it",
    "[gpu]", ALL_TYPES) {
  NEEDS_GPU();
  using T = TestType;
  Context context;
  cudaStream_t stream = nullptr;
  EIGEN_G_CUDA(cudaStreamCreate(&stream));
  for (const std::int64_t n : {3, 20, 64, 128}) {
    CAPTURE(n);
    const std::int64_t most = n < 5 ? 100 : n < 33 ? 20000 : n < 65 ? 9000 : 2300;  // several chunks
    const StoredBatch<T> few = batch_of_families<T>(n, 6), a = repeated(few, most);
    StoredBatch<T> b = repeated(positive_definite_batch(few), most);
    const BatchPairs<T> expected = solve(a, b);
    GeneralisedBatchedSolver<T> solver(context, n, most);
    Problems<T> x(a, b, {});
    const BatchReport report = solver.solve(most, x.a.pointer(), n, x.b.pointer(), n, x.w.pointer(),
                                            x.z.pointer(), n, x.status.pointer(), stream);
    CHECK(report.failed == 0);
    CHECK(report.bytes.device == solver.workspace().device);
    x.collect();
    CHECK(same_bits(x.pairs.z, expected.z));

    const std::uint64_t made = Resources::made();
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t replay = nullptr;
    EIGEN_G_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    x.enqueue(solver, stream);
    EIGEN_G_CUDA(cudaStreamEndCapture(stream, &graph));
    EIGEN_G_CUDA(cudaGraphInstantiate(&replay, graph, 0));
    CHECK(Resources::made() == made);
    for (int turn = 0; turn < 2; ++turn) {
      x.z.set(std::vector<T>(expected.z.size(), T(BatchPairs<T>::guard)));
      x.w.set(std::vector<real_t<T>>(expected.w.size(), BatchPairs<T>::guard));
      EIGEN_G_CUDA(cudaGraphLaunch(replay, stream));
      x.collect();
      CHECK(same_bits(x.pairs.z, expected.z));
      CHECK(same_bits(x.pairs.w, expected.w));
    }
    // The graph reads the arrays again, so that other matrices have other results.
    b.at(0, 0, 0) = T(-1);
    x.b.set(b.a);
    EIGEN_G_CUDA(cudaGraphLaunch(replay, stream));
    x.collect();
    CHECK(x.pairs.status[0] == n + 1);
    CHECK(x.pairs.status[1] == 0);
    EIGEN_G_CUDA(cudaGraphExecDestroy(replay));
    EIGEN_G_CUDA(cudaGraphDestroy(graph));
  }
  EIGEN_G_CUDA(cudaStreamDestroy(stream));
}
