// Compares blas2/symv on a GPU with wider arithmetic on the CPU.
#include "blas2/symv/symv.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "blas2/symv/symv_c.h"
#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/symv_reference.hpp"
#include "tests/support/tolerances.hpp"

using namespace eigen_g;
using namespace eigen_g::blas2;

namespace {

constexpr double error_limit = support::limits::symv;
constexpr int guards = 8;  // elements before and after y

struct Layout {
  std::int64_t lda;
  std::int64_t incx = 1, incy = 1;
  bool misaligned = false;  // a begins one part of an element past a 16-byte boundary
};
Layout tight(std::int64_t n) {
  return {n > 0 ? n : 1};
}
template <class T>
Layout aligned(std::int64_t n) {
  constexpr std::int64_t vector = 16 / sizeof(T);
  return {(n + vector - 1) / vector * vector + (n == 0 ? vector : 0)};
}

template <class T>
T number(double re, double im = 0) {
  return support::SymvNumber<T>::make(re, im, 0);
}
template <class T>
T nan_of() {
  return number<T>(std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN());
}
template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

// Device copies of a problem's operands with guards around them, for many products.
template <class T>
class Bench {
 public:
  Queue queue;
  SymvWorkspace workspace;

  // y := alpha A x + beta y in the given layout; checks the guards around y and returns y.
  std::vector<T> multiply(const support::SymvProblem<T>& problem, const Layout& layout, const T& alpha,
                          const T& beta, const SymvConfig* config = nullptr) {
    return multiply(put_matrix(problem, layout), problem, layout, alpha, beta, config);
  }
  // As above for a matrix that is on the device already.
  std::vector<T> multiply(const T* a, const support::SymvProblem<T>& problem, const Layout& layout,
                          const T& alpha, const T& beta, const SymvConfig* config) {
    const std::int64_t n = problem.n;
    T* x = put_vector(x_, problem.x, n, layout.incx);
    const bool reads_y = !(beta == T(0));
    T* y =
        put_vector(y_, reads_y ? problem.y : std::vector<T>(problem.y.size(), nan_of<T>()), n, layout.incy);
    if (config)
      symv<T>(queue.stream(), problem.uplo, n, alpha, a, layout.lda, x, layout.incx, beta, y, layout.incy,
              workspace, *config);
    else
      symv<T>(queue.stream(), problem.uplo, n, alpha, a, layout.lda, x, layout.incx, beta, y, layout.incy,
              workspace);
    return get_vector(y_, n, layout.incy);
  }

  double error(const support::SymvProblem<T>& problem, const Layout& layout, const T& alpha, const T& beta,
               const SymvConfig* config = nullptr) {
    const std::vector<T> y = multiply(problem, layout, alpha, beta, config);
    return support::symv_error<T>(problem, alpha, beta, beta == T(0) ? nullptr : problem.y.data(), y.data());
  }

  T* put_matrix(const support::SymvProblem<T>& problem, const Layout& layout) {
    const std::int64_t n = problem.n;
    const std::int64_t shift = layout.misaligned ? static_cast<std::int64_t>(alignof(T)) : 0;
    const std::int64_t bytes = n > 0 ? (layout.lda * (n - 1) + n) * static_cast<std::int64_t>(sizeof(T)) : 1;
    host_.assign(static_cast<std::size_t>(n > 0 ? layout.lda * n : 1), nan_of<T>());
    for (std::int64_t j = 0; j < n; ++j)
      std::copy_n(problem.a.begin() + j * n, n, host_.begin() + j * layout.lda);
    if (bytes + shift > a_.size()) a_ = DeviceBuffer<char>(2 * (bytes + shift));
    EIGEN_G_CUDA(cudaMemcpyAsync(a_.data() + shift, host_.data(), static_cast<std::size_t>(bytes),
                                 cudaMemcpyHostToDevice, queue.stream()));
    queue.wait();
    return reinterpret_cast<T*>(a_.data() + shift);
  }

  // Element i at [i * step] from the pointer that BLAS takes; the gaps and guards hold NaN.
  T* put_vector(DeviceBuffer<T>& buffer, const std::vector<T>& v, std::int64_t n, std::int64_t step) {
    std::vector<T> spread(spread_size(n, step), nan_of<T>());
    for (std::int64_t i = 0; i < n; ++i) spread[place(i, n, step)] = v[static_cast<std::size_t>(i)];
    const auto count = static_cast<std::int64_t>(spread.size());
    if (count > buffer.size()) buffer = DeviceBuffer<T>(2 * count);
    EIGEN_G_CUDA(cudaMemcpyAsync(buffer.data(), spread.data(), spread.size() * sizeof(T),
                                 cudaMemcpyHostToDevice, queue.stream()));
    queue.wait();
    return buffer.data() + guards;
  }
  std::vector<T> get_vector(const DeviceBuffer<T>& buffer, std::int64_t n, std::int64_t step) {
    std::vector<T> spread(spread_size(n, step)), v(static_cast<std::size_t>(n));
    EIGEN_G_CUDA(cudaMemcpyAsync(spread.data(), buffer.data(), spread.size() * sizeof(T),
                                 cudaMemcpyDeviceToHost, queue.stream()));
    queue.wait();
    for (std::int64_t i = 0; i < n; ++i) {
      v[static_cast<std::size_t>(i)] = spread[place(i, n, step)];
      spread[place(i, n, step)] = nan_of<T>();
    }
    bool untouched = true;
    for (const T& guard : spread) untouched = untouched && same_bits(guard, nan_of<T>());
    CHECK(untouched);
    return v;
  }

  DeviceBuffer<T> x_, y_;

 private:
  static std::size_t spread_size(std::int64_t n, std::int64_t step) {
    return static_cast<std::size_t>(2 * guards + (n > 0 ? (n - 1) * std::abs(step) + 1 : 0));
  }
  static std::size_t place(std::int64_t i, std::int64_t n, std::int64_t step) {
    return static_cast<std::size_t>(guards + (step > 0 ? i * step : (i - (n - 1)) * step));
  }

  DeviceBuffer<char> a_;
  std::vector<T> host_;
};

constexpr Uplo both[] = {Uplo::lower, Uplo::upper};

template <class T>
const T some_alpha = number<T>(-0.75, 0.5);
template <class T>
const T some_beta = number<T>(1.25, -0.25);

}  // namespace

#define SYMV_TYPES float, double, std::complex<float>, std::complex<double>, DoubleDouble

TEMPLATE_TEST_CASE("sizes 0 to 300", "[gpu][large]", SYMV_TYPES) {
  NEEDS_GPU();
  Bench<TestType> bench;
  for (const Uplo uplo : both)
    for (std::int64_t n = 0; n <= 300; ++n) {
      const support::SymvProblem<TestType> problem(uplo, n, static_cast<unsigned>(n));
      Layout other = tight(n);  // one of the rarer ones, in turn
      if (n % 4 == 1) other = {n + 3, 2, -1};
      if (n % 4 == 2) other = {n + 1, -3, 2};
      if (n % 4 == 3) other = {aligned<TestType>(n).lda, 1, 1, true};
      const double first =
          bench.error(problem, aligned<TestType>(n), some_alpha<TestType>, some_beta<TestType>);
      const double second = bench.error(problem, other, some_alpha<TestType>, TestType(0));
      if (first <= error_limit && second <= error_limit) continue;
      CAPTURE(n, static_cast<char>(uplo), first, second);
      FAIL_CHECK("error above the limit");
    }
}

TEMPLATE_TEST_CASE("every configuration", "[gpu][large]", SYMV_TYPES) {
  NEEDS_GPU();
  Bench<TestType> bench;
  const SymvType type = symv_type_of<TestType>;
  // At these small sizes more blocks for each multiprocessor change only the shares.
  constexpr int max_blocks = 2;
  for (const Uplo uplo : both)
    for (const std::int64_t n : {77, 1090}) {
      const support::SymvProblem<TestType> problem(uplo, n, 1);
      for (const Layout& layout : {aligned<TestType>(n), Layout{n + 1, 1, 1, true}}) {
        const TestType* a = bench.put_matrix(problem, layout);
        for (const SymvConfig& config : symv_candidates(type)) {
          if (config.blocks_per_multiprocessor > max_blocks) continue;
          const std::vector<TestType> y =
              bench.multiply(a, problem, layout, some_alpha<TestType>, some_beta<TestType>, &config);
          CAPTURE(n, static_cast<char>(uplo), name(config), layout.misaligned);
          CHECK(support::symv_error<TestType>(problem, some_alpha<TestType>, some_beta<TestType>,
                                              problem.y.data(), y.data()) <= error_limit);
        }
      }
    }
}

TEMPLATE_TEST_CASE("around every tile edge", "[gpu][large]", SYMV_TYPES) {
  NEEDS_GPU();
  Bench<TestType> bench;
  const SymvType type = symv_type_of<TestType>;
  std::map<std::int64_t, SymvConfig> by_rows;  // one configuration for each strip height
  for (const SymvConfig& config : symv_candidates(type))
    by_rows.try_emplace(rows_per_strip(type, config), config);
  for (const auto& [rows, config] : by_rows)
    for (const std::int64_t n : {rows - 1, rows, rows + 1, 2 * rows + 3})
      for (const Uplo uplo : both) {
        const support::SymvProblem<TestType> problem(uplo, n, 2);
        CAPTURE(n, static_cast<char>(uplo), name(config));
        CHECK(bench.error(problem, aligned<TestType>(n), some_alpha<TestType>, some_beta<TestType>,
                          &config) <= error_limit);
        CHECK(bench.error(problem, tight(n), some_alpha<TestType>, TestType(0), &config) <= error_limit);
      }
}

TEMPLATE_TEST_CASE("thousands", "[gpu][large]", float, double, std::complex<float>, std::complex<double>) {
  NEEDS_GPU();
  Bench<TestType> bench;
  for (const Uplo uplo : both)
    for (const std::int64_t n : {2600, 4097}) {
      const support::SymvProblem<TestType> problem(uplo, n, 3);
      CAPTURE(n, static_cast<char>(uplo));
      CHECK(bench.error(problem, aligned<TestType>(n), some_alpha<TestType>, TestType(0)) <= error_limit);
      CHECK(bench.error(problem, tight(n), some_alpha<TestType>, some_beta<TestType>) <= error_limit);
    }
}

TEMPLATE_TEST_CASE("steps of x and y", "[gpu]", SYMV_TYPES) {
  NEEDS_GPU();
  Bench<TestType> bench;
  for (const Uplo uplo : both) {
    const support::SymvProblem<TestType> problem(uplo, 129, 4);
    for (const std::int64_t incx : {1, 2, -1, -3})
      for (const std::int64_t incy : {1, 2, -1, -3}) {
        CAPTURE(incx, incy);
        CHECK(bench.error(problem, {132, incx, incy}, some_alpha<TestType>, some_beta<TestType>) <=
              error_limit);
      }
  }
}

TEMPLATE_TEST_CASE("zeros and ones as alpha and beta", "[gpu]", SYMV_TYPES) {
  NEEDS_GPU();
  using T = TestType;
  Bench<T> bench;
  support::SymvProblem<T> problem(Uplo::lower, 131, 5);
  for (const T& alpha : {number<T>(1), some_alpha<T>})
    for (const T& beta : {T(0), number<T>(1), some_beta<T>})
      CHECK(bench.error(problem, tight(131), alpha, beta) <= error_limit);
  // alpha = 0: neither A nor x is read.
  problem.a.assign(problem.a.size(), nan_of<T>());
  problem.x.assign(problem.x.size(), nan_of<T>());
  for (const std::int64_t incy : {1, -3}) {
    const std::vector<T> zero = bench.multiply(problem, {131, 1, incy}, T(0), T(0));
    const std::vector<T> same = bench.multiply(problem, {131, 1, incy}, T(0), number<T>(1));
    const std::vector<T> twice = bench.multiply(problem, {131, 1, incy}, T(0), number<T>(2));
    for (std::size_t i = 0; i < zero.size(); ++i) {
      CHECK(zero[i] == T(0));
      CHECK(same[i] == problem.y[i]);
      CHECK(twice[i] == problem.y[i] + problem.y[i]);
    }
  }
}

TEMPLATE_TEST_CASE("graded, huge and tiny entries", "[gpu][large]", SYMV_TYPES) {
  NEEDS_GPU();
  Bench<TestType> bench;
  const bool single = symv_type_of<TestType> == SymvType::s || symv_type_of<TestType> == SymvType::c;
  const double huge = single ? 0x1p50 : 0x1p400, tiny = single ? 0x1p-50 : 0x1p-300;
  const std::int64_t n = 700;
  const double slope = (single ? 60.0 : 300.0) / static_cast<double>(n);
  for (const Uplo uplo : both) {
    const auto check = [&](auto scale) {
      const support::SymvProblem<TestType> problem(uplo, n, 6, scale);
      CHECK(bench.error(problem, aligned<TestType>(n), some_alpha<TestType>, TestType(0)) <= error_limit);
    };
    check([&](std::int64_t i) { return std::exp2(-slope * static_cast<double>(i)); });
    check([&](std::int64_t i) { return std::exp2(slope * static_cast<double>(i - n)); });
    check([&](std::int64_t) { return std::sqrt(huge); });
    check([&](std::int64_t) { return std::sqrt(tiny); });
  }
}

TEST_CASE("a NaN in the triangle reaches its row and its column, and no other", "[gpu]") {
  NEEDS_GPU();
  Bench<double> bench;
  for (const Uplo uplo : both) {
    support::SymvProblem<double> problem(uplo, 600, 7);
    const std::int64_t i = uplo == Uplo::lower ? 577 : 14, j = uplo == Uplo::lower ? 14 : 577;
    problem.a[static_cast<std::size_t>(i + j * 600)] = nan_of<double>();
    const std::vector<double> y = bench.multiply(problem, tight(600), 1.0, 0.0);
    for (std::int64_t k = 0; k < 600; ++k) {
      CAPTURE(k);
      CHECK((y[static_cast<std::size_t>(k)] != y[static_cast<std::size_t>(k)]) == (k == i || k == j));
    }
  }
}

TEMPLATE_TEST_CASE("a thousand repeats under load are the same bits", "[gpu][large]", SYMV_TYPES) {
  NEEDS_GPU();
  using T = TestType;
  Bench<T> bench, load;
  const std::int64_t n = 1500, load_n = 700;
  const support::SymvProblem<T> problem(Uplo::lower, n, 8), load_problem(Uplo::upper, load_n, 9);
  const Layout layout = aligned<T>(n), load_layout = aligned<T>(load_n);
  T* a = bench.put_matrix(problem, layout);
  T* x = bench.put_vector(bench.x_, problem.x, n, 1);
  T* load_a = load.put_matrix(load_problem, load_layout);
  T* load_x = load.put_vector(load.x_, load_problem.x, load_n, 1);
  T* load_y = load.put_vector(load.y_, load_problem.y, load_n, 1);
  for (const auto finish : {SymvFinish::last_arrival, SymvFinish::grid_barrier, SymvFinish::second_kernel}) {
    SymvConfig config{2, 4, 1, 8, 2, finish};
    std::vector<T> first;
    int different = 0;
    for (int repeat = 0; repeat < 1000; ++repeat) {
      for (int k = 0; k < repeat % 4; ++k)
        symv<T>(load.queue.stream(), Uplo::upper, load_n, T(1), load_a, load_layout.lda, load_x, 1, T(0),
                load_y, 1, load.workspace);
      T* y = repeat == 0 ? bench.put_vector(bench.y_, problem.y, n, 1) : bench.y_.data() + guards;
      symv<T>(bench.queue.stream(), Uplo::lower, n, T(1), a, layout.lda, x, 1, T(0), y, 1, bench.workspace,
              config);
      std::vector<T> result(static_cast<std::size_t>(n));
      EIGEN_G_CUDA(cudaMemcpyAsync(result.data(), y, result.size() * sizeof(T), cudaMemcpyDeviceToHost,
                                   bench.queue.stream()));
      bench.queue.wait();
      if (repeat == 0) {
        first = result;
        CHECK(support::symv_error<T>(problem, T(1), T(0), nullptr, result.data()) <= error_limit);
      }
      different += std::memcmp(first.data(), result.data(), result.size() * sizeof(T)) != 0;
    }
    CAPTURE(name(config));
    CHECK(different == 0);
    load.queue.wait();
  }
}

TEST_CASE("a captured product, replayed, is the same product", "[gpu]") {
  NEEDS_GPU();
  Bench<double> bench;
  const std::int64_t n = 900;
  const support::SymvProblem<double> problem(Uplo::lower, n, 10);
  const Layout layout = aligned<double>(n);
  double* a = bench.put_matrix(problem, layout);
  double* x = bench.put_vector(bench.x_, problem.x, n, 1);
  const cudaStream_t stream = bench.queue.stream();
  for (const auto finish : {SymvFinish::last_arrival, SymvFinish::grid_barrier, SymvFinish::second_kernel}) {
    const SymvConfig config{4, 2, 1, 8, 2, finish};
    const std::vector<double> expected = bench.multiply(problem, layout, 1.0, 0.0, &config);
    double* y = bench.put_vector(bench.y_, problem.y, n, 1);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    EIGEN_G_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int k = 0; k < 3; ++k)
      symv<double>(stream, Uplo::lower, n, 1.0, a, layout.lda, x, 1, 0.0, y, 1, bench.workspace, config);
    EIGEN_G_CUDA(cudaStreamEndCapture(stream, &graph));
    EIGEN_G_CUDA(cudaGraphInstantiate(&executable, graph, 0));
    for (int k = 0; k < 10; ++k) EIGEN_G_CUDA(cudaGraphLaunch(executable, stream));
    CAPTURE(name(config));
    CHECK(bench.get_vector(bench.y_, n, 1) == expected);
    EIGEN_G_CUDA(cudaGraphExecDestroy(executable));
    EIGEN_G_CUDA(cudaGraphDestroy(graph));
  }
}

TEST_CASE("bad arguments are named before any work", "[gpu]") {
  NEEDS_GPU();
  Queue queue;
  SymvWorkspace workspace;
  DeviceBuffer<double> a(4), x(2), y(2);
  const auto refused = [&](std::int64_t n, const double* a_dev, std::int64_t lda, const double* x_dev,
                           std::int64_t incx, double* y_dev, std::int64_t incy) -> std::string {
    try {
      symv<double>(queue.stream(), Uplo::lower, n, 1.0, a_dev, lda, x_dev, incx, 0.0, y_dev, incy, workspace);
    } catch (const InvalidArgument& error) {
      return name(error.argument());
    }
    return "";
  };
  CHECK(refused(-1, a.data(), 2, x.data(), 1, y.data(), 1) == "n");
  CHECK(refused(std::int64_t{1} << 33, a.data(), std::int64_t{1} << 33, x.data(), 1, y.data(), 1) == "n");
  CHECK(refused(2, a.data(), 1, x.data(), 1, y.data(), 1) == "lda");
  CHECK(refused(0, a.data(), 0, x.data(), 1, y.data(), 1) == "lda");
  CHECK(refused(2, a.data(), 2, x.data(), 0, y.data(), 1) == "incx");
  CHECK(refused(2, a.data(), 2, x.data(), 1, y.data(), 0) == "incy");
  CHECK(refused(2, nullptr, 2, x.data(), 1, y.data(), 1) == "a");
  CHECK(refused(2, a.data(), 2, nullptr, 1, y.data(), 1) == "x");
  CHECK(refused(2, a.data(), 2, x.data(), 1, nullptr, 1) == "y");
  CHECK(refused(0, nullptr, 1, nullptr, 1, nullptr, 1).empty());
  CHECK_THROWS_AS(symv<double>(queue.stream(), Uplo::lower, 2, 1.0, a.data(), 2, x.data(), 1, 0.0, y.data(),
                               1, workspace, SymvConfig{3, 1, 1, 8, 2, SymvFinish::last_arrival}),
                  InvalidArgument);
}

TEST_CASE("the C interface", "[gpu]") {
  NEEDS_GPU();
  Bench<double> bench;
  const support::SymvProblem<double> problem(Uplo::upper, 75, 11);
  const Layout layout{80};
  const std::vector<double> expected = bench.multiply(problem, layout, 2.0, 0.5);
  const double* a = bench.put_matrix(problem, layout);
  const double* x = bench.put_vector(bench.x_, problem.x, 75, 1);
  double* y = bench.put_vector(bench.y_, problem.y, 75, 1);
  const cudaStream_t stream = bench.queue.stream();
  eigen_g_symv_handle* handle = nullptr;
  REQUIRE(eigen_g_symv_create(&handle) == 0);
  CHECK(eigen_g_dsymv(handle, stream, 'U', 75, 2.0, a, 80, x, 1, 0.5, y, 1) == 0);
  CHECK(bench.get_vector(bench.y_, 75, 1) == expected);
  CHECK(eigen_g_dsymv(nullptr, stream, 'U', 75, 2.0, a, 80, x, 1, 0.5, y, 1) == -1);
  CHECK(eigen_g_dsymv(handle, stream, 'X', 75, 2.0, a, 80, x, 1, 0.5, y, 1) == -3);
  CHECK(eigen_g_dsymv(handle, stream, 'u', -1, 2.0, a, 80, x, 1, 0.5, y, 1) == -4);
  CHECK(eigen_g_dsymv(handle, stream, 'u', 75, 2.0, nullptr, 80, x, 1, 0.5, y, 1) == -6);
  CHECK(eigen_g_dsymv(handle, stream, 'u', 75, 2.0, a, 74, x, 1, 0.5, y, 1) == -7);
  CHECK(eigen_g_dsymv(handle, stream, 'u', 75, 2.0, a, 80, nullptr, 1, 0.5, y, 1) == -8);
  CHECK(eigen_g_dsymv(handle, stream, 'u', 75, 2.0, a, 80, x, 0, 0.5, y, 1) == -9);
  CHECK(eigen_g_dsymv(handle, stream, 'u', 75, 2.0, a, 80, x, 1, 0.5, nullptr, 1) == -11);
  CHECK(eigen_g_dsymv(handle, stream, 'u', 75, 2.0, a, 80, x, 1, 0.5, y, 0) == -12);
  eigen_g_symv_destroy(handle);
}

TEST_CASE("the C interface passes each type on", "[gpu]") {
  NEEDS_GPU();
  // A = 3 (and an imaginary part to be ignored), x = 2, y = 5: alpha A x + beta y = 1 * 6 + 2 * 5 = 16.
  Queue queue;
  eigen_g_symv_handle* handle = nullptr;
  REQUIRE(eigen_g_symv_create(&handle) == 0);
  const auto run = [&](auto call, auto a, auto x, auto y, auto one, auto two) {
    using C = decltype(a);
    DeviceBuffer<C> memory(3);
    const C values[3] = {a, x, y};
    C result = one;
    EIGEN_G_CUDA(
        cudaMemcpyAsync(memory.data(), values, sizeof values, cudaMemcpyHostToDevice, queue.stream()));
    CHECK(call(handle, queue.stream(), 'L', 1, one, memory.data(), 1, memory.data() + 1, 1, two,
               memory.data() + 2, 1) == 0);
    EIGEN_G_CUDA(
        cudaMemcpyAsync(&result, memory.data() + 2, sizeof result, cudaMemcpyDeviceToHost, queue.stream()));
    queue.wait();
    return result;
  };
  CHECK(run(eigen_g_ssymv, 3.0F, 2.0F, 5.0F, 1.0F, 2.0F) == 16.0F);
  CHECK(run(eigen_g_dsymv, 3.0, 2.0, 5.0, 1.0, 2.0) == 16.0);
  const auto complex_result = run(eigen_g_chemv, eigen_g_complex{3, 9}, eigen_g_complex{2, 1},
                                  eigen_g_complex{5, 0}, eigen_g_complex{1, 0}, eigen_g_complex{2, 0});
  CHECK((complex_result.re == 16 && complex_result.im == 3));
  const auto double_result =
      run(eigen_g_zhemv, eigen_g_double_complex{3, 9}, eigen_g_double_complex{2, 1},
          eigen_g_double_complex{5, 0}, eigen_g_double_complex{1, 0}, eigen_g_double_complex{2, 0});
  CHECK((double_result.re == 16 && double_result.im == 3));
  const auto pair_result =
      run(eigen_g_wsymv, eigen_g_double_double{3, 0x1p-60}, eigen_g_double_double{2, 0},
          eigen_g_double_double{5, 0}, eigen_g_double_double{1, 0}, eigen_g_double_double{2, 0});
  CHECK((pair_result.hi == 16 && pair_result.lo == 0x1p-59));
  eigen_g_symv_destroy(handle);
}
