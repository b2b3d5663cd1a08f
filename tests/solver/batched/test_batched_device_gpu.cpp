// BatchOnDevice on a GPU.
#include "solver/batched/batched_device.hpp"

#include <numeric>

#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/memory/resources.hpp"
#include "tests/support/batched_matrices.hpp"
#include "tests/support/device_copy.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/skip.hpp"

using namespace eigen_g;
using namespace eigen_g::batched;
using namespace support::batched;

namespace {

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
};

struct Stream {
  cudaStream_t stream = nullptr;
  Stream() { EIGEN_G_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)); }
  ~Stream() { cudaStreamDestroy(stream); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
};

// A batch on the GPU, its plan and its results.
template <class T>
struct Solve {
  const Batch<T>& batch;
  Pairs<T> pairs;
  OnGpu<T> a, z;
  OnGpu<real_t<T>> w;
  OnGpu<std::int32_t> lda, ldz, status;
  OnGpu<unsigned long long> failures;
  BatchOnDevice<T> plan;
  OnGpu<unsigned char> workspace;
  Chunk<T> chunk;

  Solve(const Batch<T>& of, bool vectors = true, int from = 0, int to = -1)
      : batch(of),
        pairs(of, vectors, from, to < 0 ? of.n : to, false),
        a(of.a),
        z(pairs.z),
        w(pairs.w),
        lda(of.lda),
        ldz(pairs.ldz),
        status(pairs.status),
        failures({0, ~0ull}),
        plan(Resources::of_this_thread(), of.n, of.count(), vectors),
        workspace(std::vector<unsigned char>(plan.workspace_bytes(), 0xff)) {
    chunk.count = of.count();
    chunk.n = of.n;
    chunk.upper = of.upper;
    chunk.from = pairs.from;
    chunk.to = pairs.to;
    chunk.a = {a.data(), of.stride, nullptr};
    chunk.w = {w.data(), of.n, nullptr};
    if (vectors) chunk.z = {z.data(), of.stride, nullptr};
    chunk.lda = {0, lda.data()};
    chunk.ldz = {0, ldz.data()};
    chunk.status = status.data();
    chunk.failures = failures.data();
  }
  void enqueue(cudaStream_t stream) { plan.enqueue(chunk, workspace.data(), stream); }
  const Pairs<T>& collect() {
    w.get(pairs.w);
    z.get(pairs.z);
    status.get(pairs.status);
    std::vector<unsigned long long> counts(2);
    failures.get(counts);
    std::copy(counts.begin(), counts.end(), pairs.failures);
    std::vector<T> after(batch.a.size());
    a.get(after);
    CHECK(same_bits(after, batch.a));
    CHECK(pairs.touched() == 0);
    CHECK(pairs.failures[0] == static_cast<unsigned long long>(std::count_if(
                                   pairs.status.begin(), pairs.status.end(), [](int s) { return s != 0; })));
    return pairs;
  }
  // Results as no solve has written them.
  void forget() {
    pairs = Pairs<T>(batch, chunk.z.given(), pairs.from, pairs.to, false);
    w.set(pairs.w);
    z.set(pairs.z);
    status.set(pairs.status);
    failures.set({0, ~0ull});
  }
};

template <class T>
Pairs<T> solve(const Batch<T>& batch, bool vectors = true, int from = 0, int to = -1) {
  Solve<T> run(batch, vectors, from, to);
  run.enqueue(nullptr);
  return run.collect();
}

std::vector<int> kinds(int count) {
  std::vector<int> all(static_cast<std::size_t>(count));
  for (int k = 0; k < count; ++k) all[static_cast<std::size_t>(k)] = k % static_cast<int>(families.size());
  return all;
}
// kinds() for order n, without kinds whose entries overflow. Large orders have no prescribed spectra, which take the host long.
template <class T>
std::vector<int> kinds_of_order(int n, int count) {
  std::vector<int> chosen = kinds(count);
  for (int& kind : chosen) {
    const std::string name = families[static_cast<std::size_t>(kind)];
    if ((sizeof(real_t<T>) == 4 && n > 180 && name == "T graded up") ||
        (n > 200 &&
         (name == "geometric" || name == "clusters" || name == "one small" || name == "arithmetic")))
      kind = 0;
  }
  return chosen;
}
int matrices(int usual) {
  return support::sanitized() ? 20 : usual;
}
// As matrices(usual), but few large matrices under a sanitizer.
int matrices_of_order(int n, int usual) {
  return support::sanitized() && n > 128 ? 3 : matrices(usual);
}

}  // namespace

#define ALL_TYPES float, double, std::complex<float>, std::complex<double>

TEMPLATE_TEST_CASE("BatchOnDevice: hard families, and values only", "[gpu][racecheck]", ALL_TYPES) {
  NEEDS_GPU();
  for (const std::int64_t order :
       support::sizes({1,  2,  3,  4,  5,  6,  7,  8,  9,   15,  16,  17,  31,  32,  33, 47,
                       48, 49, 63, 64, 65, 95, 96, 97, 127, 128, 129, 200, 256, 257, 512},
                      {3, 8, 16, 32, 48, 64, 96, 128, 130})) {
    const int n = static_cast<int>(order);
    if (!BatchOnDevice<TestType>::supports(n, true)) continue;
    const int count = matrices_of_order(n, n > 128 ? 19 : n > 64 ? 57 : 304);
    const Batch<TestType> batch = make_batch<TestType>(n, kinds_of_order<TestType>(n, count), n % 2 == 0);
    const Pairs<TestType> pairs = solve(batch), values = solve(batch, false);
    std::int64_t others = 0;
    for (std::int64_t k = 0; k < batch.count(); ++k) {
      CAPTURE(n, k);
      if (k < (n > 300 ? 2 : 2 * static_cast<std::int64_t>(families.size()))) check_pairs(batch, pairs, k);
      if (n > 32)
        others += !same_bits(values.values(k), pairs.values(k));
      else
        CHECK(value_distance(values.values(k), pairs.values(k)) <= support::limits::values_only);
    }
    CHECK(others == 0);
  }
}

// A race detector needs minutes for such an order, hence a case of its own.
TEMPLATE_TEST_CASE("BatchOnDevice: one matrix of order 258", "[gpu][racecheck]", ALL_TYPES) {
  NEEDS_GPU();
  const Batch<TestType> batch = make_batch<TestType>(258, {0}, true);
  const Pairs<TestType> pairs = solve(batch), values = solve(batch, false);
  check_pairs(batch, pairs, 0);
  CHECK(same_bits(values.values(0), pairs.values(0)));
}

TEMPLATE_TEST_CASE("BatchOnDevice: bits do not depend on the batch, its order or its chunks", "[gpu]",
                   ALL_TYPES) {
  NEEDS_GPU();
  // The large batch has several chunks on a GPU with 132 multiprocessors.
  for (const auto& [n, usual] : {std::pair{3, 1000},
                                 {7, 9000},
                                 {32, 9000},
                                 {48, 4500},
                                 {65, 1200},
                                 {128, 1200},
                                 {150, 540},
                                 {260, 140}}) {
    if (!BatchOnDevice<TestType>::supports(n, true)) continue;
    const int few = 40, many = matrices(usual);
    Batch<TestType> batch = make_batch<TestType>(n, kinds_of_order<TestType>(n, few), false, 0),
                    large = batch;
    const Pairs<TestType> pairs = solve(batch);
    // Matrix k of the large batch is matrix (7 k + 3) % few.
    large.orders.assign(static_cast<std::size_t>(many), n);
    large.lda.clear();
    large.a.clear();
    for (int k = 0; k < many; ++k) {
      const int from = (7 * k + 3) % few;
      large.lda.push_back(batch.lda[static_cast<std::size_t>(from)]);
      large.a.insert(large.a.end(), batch.a.begin() + from * batch.stride,
                     batch.a.begin() + (from + 1) * batch.stride);
    }
    const Pairs<TestType> found = solve(large);
    std::int64_t others = 0;
    for (int k = 0; k < many; ++k) others += !same_results(found, k, pairs, (7 * k + 3) % few);
    CAPTURE(n, many);
    CHECK(others == 0);
    for (int k = 0; k < few; k += 13) CHECK(same_results(solve(alone(batch, k)), 0, pairs, k));
  }
}

TEMPLATE_TEST_CASE("BatchOnDevice: a NaN or an infinity harms its own matrix only", "[gpu]", ALL_TYPES) {
  NEEDS_GPU();
  using R = real_t<TestType>;
  for (const int n : {1, 3, 4, 9, 32, 33, 64, 128, 150, 290}) {
    if (!BatchOnDevice<TestType>::supports(n, true)) continue;
    Batch<TestType> batch =
        make_batch<TestType>(n, kinds_of_order<TestType>(n, matrices(n > 128 ? 20 : 200)));
    const Pairs<TestType> clean = solve(batch);
    for (std::int64_t k = 1; k < batch.count(); k += 2) {
      const int j = static_cast<int>(k * 5 % n), i = j + static_cast<int>(k * 3 % (n - j));
      batch.at(k, i, j) =
          TestType(k % 4 == 1 ? std::numeric_limits<R>::quiet_NaN() : -std::numeric_limits<R>::infinity());
    }
    const Pairs<TestType> pairs = solve(batch);
    std::int64_t others = 0;
    for (std::int64_t k = 0; k < batch.count(); ++k)
      if (k % 2 == 0) {
        others += !same_results(pairs, k, clean, k);
      } else {
        others += pairs.status[static_cast<std::size_t>(k)] != -1;
        for (const R x : pairs.values(k)) others += !std::isnan(x);
        for (const TestType x : pairs.vectors(k)) others += !std::isnan(std::real(x));
      }
    CAPTURE(n);
    CHECK(others == 0);
    CHECK(pairs.failures[0] == static_cast<unsigned long long>(batch.count() / 2));
    CHECK(pairs.failures[1] == 1);
  }
}

TEMPLATE_TEST_CASE("BatchOnDevice: a graph replays a solve, and two streams solve at once", "[gpu]", float,
                   std::complex<double>) {
  NEEDS_GPU();
  for (const auto& [n, usual] : {std::pair{4, 500}, {16, 9000}, {64, 4300}, {128, 1100}, {140, 540}}) {
    if (!BatchOnDevice<TestType>::supports(n, true)) continue;
    const Batch<TestType> batch = make_batch<TestType>(
                              n, std::vector<int>(static_cast<std::size_t>(matrices(usual)), 0)),
                          other = make_batch<TestType>(
                              n, kinds_of_order<TestType>(n, matrices(n > 128 ? 20 : 300)), true);
    const Pairs<TestType> expected = solve(batch), expected_other = solve(other);
    CAPTURE(n);
    Solve<TestType> first(batch), second(other);
    Stream one, two;
    {
      cudaGraph_t graph = nullptr;
      cudaGraphExec_t ready = nullptr;
      EIGEN_G_CUDA(cudaStreamBeginCapture(one.stream, cudaStreamCaptureModeThreadLocal));
      first.enqueue(one.stream);
      EIGEN_G_CUDA(cudaStreamEndCapture(one.stream, &graph));
      EIGEN_G_CUDA(cudaGraphInstantiate(&ready, graph, 0));
      for (int replay = 0; replay < 2; ++replay) {
        first.forget();
        EIGEN_G_CUDA(cudaGraphLaunch(ready, one.stream));
        EIGEN_G_CUDA(cudaStreamSynchronize(one.stream));
        CHECK(same_results(first.collect(), expected));
      }
      EIGEN_G_CUDA(cudaGraphExecDestroy(ready));
      EIGEN_G_CUDA(cudaGraphDestroy(graph));
    }
    for (int repeat = 0; repeat < 3; ++repeat) {
      first.forget();
      second.forget();
      first.enqueue(one.stream);
      second.enqueue(two.stream);
      CHECK(same_results(first.collect(), expected));
      CHECK(same_results(second.collect(), expected_other));
    }
  }
}
