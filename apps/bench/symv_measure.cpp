#include "apps/bench/symv_measure.hpp"

#include <algorithm>

#include "hybrid/machine/device.hpp"

#ifdef EIGEN_G_HAVE_CUDA

#include <complex>
#include <memory>
#include <tuple>

#include "apps/bench/cublas_peers.hpp"
#include "apps/bench/symv_operands.hpp"
#include "apps/bench/timing.hpp"
#include "apps/cli/text.hpp"
#include "hybrid/cuda_check.hpp"

namespace eigen_g::apps::bench {

namespace {

using blas2::DoubleDouble;
using blas2::SymvConfig;
using blas2::SymvType;

template <class T>
constexpr bool is_complex = blas2::symv_type_of<T> == SymvType::c || blas2::symv_type_of<T> == SymvType::z;
template <class T>
constexpr bool has_cublas = blas2::symv_type_of<T> != SymvType::w;

// Everything that the cases of one type share.
template <class T>
struct Bench {
  const Queue& queue;
  const SymvBenchPlan& plan;
  const SymvOperands<T>& operands;
  const SymvOperands<double>& doubles;
  blas2::SymvWorkspace& workspace;
};

struct Contender {
  SymvFigure figure;
  std::function<void(std::int64_t call)> once;  // on matrix number call % rotation
  std::int64_t rotation = 1;
  bool judged = true;   // its result is A x of the triangle
  bool capture = true;  // timed as a graph's replay
};

template <class T>
std::vector<Contender> contenders(const Bench<T>& b, const SymvCase& c, const SymvConfig& config) {
  const std::int64_t n = c.n;
  const auto order = static_cast<double>(n);
  const double half = order * (order + 1) / 2 * sizeof(T), whole = order * order * sizeof(T);
  const double flops = (is_complex<T> ? 8 : 2) * order * order;
  std::vector<Contender> list;
  auto add = [&](const char* name, double bytes, double operations, std::int64_t rotation, auto call,
                 bool judged) {
    Contender contender;
    contender.figure.name = name;
    contender.figure.bytes = bytes;
    contender.figure.flops = operations;
    contender.rotation = rotation;
    contender.judged = judged;
    contender.once = [call, rotation](std::int64_t k) { call(k % rotation); };
    list.push_back(std::move(contender));
  };

  const std::int64_t halves = b.operands.rotation(n, half), wholes = b.operands.rotation(n, whole);
  add(
      "eigen_g", half, flops, halves,
      [&b, n, uplo = c.uplo, config](std::int64_t k) {
        blas2::symv<T>(b.queue.stream(), uplo, n, T{1}, b.operands.a(n, k), n, b.operands.x(), 1, T{0},
                       b.operands.y(), 1, b.workspace, config);
      },
      true);
  if constexpr (has_cublas<T>) {
    // In a captured graph cuBLAS takes other kernels than on a stream.
    const std::tuple<const char*, bool, bool> peers[] = {{"cublas", true, false},
                                                         {"cublas_atomics", true, true},
                                                         {"cublas_stream", false, false},
                                                         {"cublas_stream_atomics", false, true}};
    for (const auto& [name, capture, atomics] : peers) {
      add(
          name, half, flops, halves,
          [&b, n, uplo = c.uplo, with_atomics = atomics](std::int64_t k) {
            allow_atomics(b.queue, with_atomics);
            cublas_symv<T>(b.queue, uplo, n, b.operands.a(n, k), n, b.operands.x(), b.operands.y());
          },
          true);
      list.back().capture = capture;
    }
    if constexpr (blas2::symv_type_of<T> != SymvType::d)
      add(
          "cublas_gemv", whole, flops, wholes,
          [&b, n](std::int64_t k) {
            cublas_gemv<T>(b.queue, n, b.operands.a(n, k), n, b.operands.x(), b.operands.y());
          },
          false);
  }
  const double whole_double = order * order * sizeof(double);
  add(
      "cublas_dgemv", whole_double, 2 * order * order, b.doubles.rotation(n, whole_double),
      [&b, n](std::int64_t k) {
        cublas_gemv<double>(b.queue, n, b.doubles.a(n, k), n, b.doubles.x(), b.doubles.y());
      },
      false);
  return list;
}

// Medians by turns, once with the inputs rotated and once on one matrix where that stays in the L2.
template <class T>
void time_all(const Bench<T>& b, std::vector<Contender>& list) {
  TimingRule rule;
  rule.rounds = b.plan.rounds;
  std::vector<Work> work;
  for (const Contender& c : list) work.push_back({c.once, c.rotation, c.capture});
  const auto timings = time_in_turns(b.queue, work, rule);

  std::vector<Work> again;
  std::vector<std::size_t> whose;
  for (std::size_t i = 0; i < list.size(); ++i) {
    SymvFigure& f = list[i].figure;
    const Timing& t = timings[i];
    f.seconds = t.median;
    f.low = t.low;
    f.high = t.high;
    f.calls = t.calls;
    f.rounds = t.rounds;
    f.graph = t.graph;
    f.failure = t.failure;
    if (t.failure.empty() && b.operands.fits_l2(f.bytes)) {
      again.push_back({[once = list[i].once](std::int64_t) { once(0); }, 1, list[i].capture});
      whose.push_back(i);
    }
  }
  const auto in_l2 = time_in_turns(b.queue, again, rule);
  for (std::size_t k = 0; k < whose.size(); ++k)
    if (in_l2[k].failure.empty()) list[whose[k]].figure.in_l2_seconds = in_l2[k].median;
}

// Each judged contender's error on the first matrix, from a poisoned y.
template <class T>
void judge(const Bench<T>& b, const SymvCase& c, std::vector<Contender>& list) {
  const blas2::SymvTruth<T> truth(b.queue, c.uplo, c.n, b.operands.a(c.n, 0), c.n, b.operands.x());
  for (Contender& contender : list) {
    if (!contender.judged || !contender.figure.failure.empty()) continue;
    EIGEN_G_CUDA(
        cudaMemsetAsync(b.operands.y(), 0xff, static_cast<std::size_t>(c.n) * sizeof(T), b.queue.stream()));
    contender.once(0);
    contender.figure.error = truth.error(b.queue, b.operands.y());
  }
}

template <class T>
std::vector<unsigned char> result_bits(const Bench<T>& b, const Contender& contender, std::int64_t n) {
  std::vector<unsigned char> bits(static_cast<std::size_t>(n) * sizeof(T));
  EIGEN_G_CUDA(cudaMemsetAsync(b.operands.y(), 0xff, bits.size(), b.queue.stream()));
  contender.once(0);
  EIGEN_G_CUDA(
      cudaMemcpyAsync(bits.data(), b.operands.y(), bits.size(), cudaMemcpyDeviceToHost, b.queue.stream()));
  b.queue.wait();
  return bits;
}

template <class T>
void measure_case(const Bench<T>& b, SymvCase& c) {
  const SymvConfig config =
      b.plan.table.find(c.type, c.uplo, c.n)
          .value_or(default_symv_config(c.type, c.uplo, c.n, b.queue.multiprocessors()));
  c.lda = c.n;
  c.config = name(config);
  b.workspace.reserve(c.type, c.n, config);
  auto list = contenders(b, c, config);
  c.rotation = list.front().rotation;
  c.past_l2 = b.operands.past_l2(c.rotation, list.front().figure.bytes);
  time_all(b, list);
  judge(b, c, list);
  if (list.front().figure.failure.empty()) {
    const auto first = result_bits(b, list.front(), c.n);
    c.repeats = b.plan.repeats;
    c.bit_for_bit = true;
    for (int k = 1; k < c.repeats; ++k)
      c.bit_for_bit = c.bit_for_bit && result_bits(b, list.front(), c.n) == first;
  }
  for (Contender& contender : list) c.figures.push_back(std::move(contender.figure));
}

// The cases of one type, sizes that fit first sharing one slab.
template <class T>
void measure_type(const Queue& queue, const SymvBenchPlan& plan, const Device& gpu,
                  std::vector<SymvCase>& cases, const std::function<void(const SymvCase&)>& begins) {
  const std::uint64_t free = gpu_device(gpu.index).memory_free;
  auto needed = [&](std::int64_t n) {
    return SymvOperands<T>::bytes(n, gpu.l2_bytes) + SymvOperands<double>::bytes(n, gpu.l2_bytes);
  };
  std::int64_t n_max = 0;
  for (const std::int64_t n : plan.sizes)
    if (needed(n) < free / 10 * 9) n_max = std::max(n_max, n);

  std::unique_ptr<SymvOperands<double>> doubles;
  std::unique_ptr<SymvOperands<T>> operands;
  if (n_max > 0) {
    doubles = std::make_unique<SymvOperands<double>>(queue, n_max, gpu.l2_bytes);
    operands = std::make_unique<SymvOperands<T>>(queue, n_max, gpu.l2_bytes);
  }
  blas2::SymvWorkspace workspace;
  for (const Uplo uplo : plan.triangles)
    for (const std::int64_t n : plan.sizes) {
      SymvCase c;
      c.type = blas2::symv_type_of<T>;
      c.uplo = uplo;
      c.n = n;
      begins(c);
      if (n <= n_max) {
        measure_case(Bench<T>{queue, plan, *operands, *doubles, workspace}, c);
      } else {
        c.skipped = bytes_text(needed(n)) + " of GPU memory needed, " + bytes_text(free) + " free";
      }
      cases.push_back(std::move(c));
    }
}

}  // namespace

std::vector<SymvCase> measure_symv(const SymvBenchPlan& plan) {
  if (gpu_count() == 0) throw DeviceError("this benchmark needs a GPU, and there is none");
  const Device gpu = gpu_device(current_gpu());
  const Queue queue;
  std::vector<SymvCase> cases;
  const std::size_t total = plan.types.size() * plan.triangles.size() * plan.sizes.size();
  auto begins = [&](const SymvCase& c) {
    if (plan.progress) plan.progress(c, static_cast<double>(cases.size()) / static_cast<double>(total));
  };
  for (const SymvType type : plan.types) {
    switch (type) {
      case SymvType::s:
        measure_type<float>(queue, plan, gpu, cases, begins);
        break;
      case SymvType::d:
        measure_type<double>(queue, plan, gpu, cases, begins);
        break;
      case SymvType::c:
        measure_type<std::complex<float>>(queue, plan, gpu, cases, begins);
        break;
      case SymvType::z:
        measure_type<std::complex<double>>(queue, plan, gpu, cases, begins);
        break;
      case SymvType::w:
        measure_type<DoubleDouble>(queue, plan, gpu, cases, begins);
        break;
    }
  }
  return cases;
}

}  // namespace eigen_g::apps::bench

#else

namespace eigen_g::apps::bench {

std::vector<SymvCase> measure_symv(const SymvBenchPlan&) {
  throw DeviceError("this benchmark needs a GPU, and this program is built without CUDA");
}

}  // namespace eigen_g::apps::bench

#endif
