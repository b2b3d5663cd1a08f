// Tests of Products, which calls every engine, and of the float products by fp16 pairs, against sums in higher precision.
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "gemm_df/engines/engine_rates.hpp"
#include "gemm_df/engines/native/halves.hpp"
#include "gemm_df/engines/products.hpp"
#include "gemm_df/tuning.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "tests/support/device_copy.hpp"
#include "tests/support/matrices.hpp"

using namespace eigen_g;

namespace {

using Index = std::int64_t;

// The engines that ran since the last call, as "native+df".
std::string ran(const Products<double>& products) {
  const EngineFlops flops = products.take_flops();
  std::string names;
  for (const Engine engine : engines()) {
    if (flops[engine] == 0) continue;
    if (!names.empty()) names += '+';
    names += name(engine);
  }
  return names;
}

std::vector<Engine> built_engines() {
  std::vector<Engine> all;
  for (const Engine engine : engines())
    if (engine_runs(engine)) all.push_back(engine);
  return all;
}

template <class T>
DeviceBuffer<T> on_device(const std::vector<T>& x) {
  DeviceBuffer<T> device(static_cast<Index>(x.size()));
  support::upload(device.data(), x.data(), device.bytes());
  EIGEN_G_CUDA(cudaDeviceSynchronize());  // the queue's stream does not wait for the default one
  return device;
}

template <class T>
std::vector<T> on_host(const DeviceBuffer<T>& device) {
  std::vector<T> host(static_cast<std::size_t>(device.size()));
  EIGEN_G_CUDA(cudaMemcpy(host.data(), device.data(), device.bytes(), cudaMemcpyDeviceToHost));
  return host;
}

// Fills with bytes that are NaN in every type.
template <class T>
void poison(const DeviceBuffer<T>& device) {
  EIGEN_G_CUDA(cudaMemset(device.data(), 0xff, device.bytes()));
  EIGEN_G_CUDA(cudaDeviceSynchronize());
}

std::span<std::byte> bytes_of(const DeviceBuffer<std::byte>& device) {
  return {device.data(), static_cast<std::size_t>(device.size())};
}

// Uniform in (-1, 1).
std::vector<double> host_values(Index count, unsigned seed) {
  return support::random_rectangle(count, 1, seed);
}
DeviceBuffer<double> random_values(Index count, unsigned seed) {
  return on_device(host_values(count, seed));
}

// size (re + i im) as a T, whose imaginary part is left out if T is real.
template <class T>
T number(double size, double re, double im) {
  if constexpr (is_complex<T>)
    return T(static_cast<real_t<T>>(size * re), static_cast<real_t<T>>(size * im));
  else
    return static_cast<T>(size * re);
}

// The type of the truth. Sums of double are in long double, all others in double.
template <class T>
using Wide = std::conditional_t<std::is_same_v<T, double>, long double,
                                std::conditional_t<is_complex<T>, std::complex<double>, double>>;

// X in both memories with leading dimension `lead`. op(X) is rows x cols.
template <class T>
struct Operand {
  Op op;
  Index rows, cols, lead;
  std::vector<T> host;
  DeviceBuffer<T> device = on_device(host);

  MatrixView<const T> view() const {
    return op == Op::none ? MatrixView<const T>{device.data(), rows, cols, lead}
                          : MatrixView<const T>{device.data(), cols, rows, lead};
  }
  // Element (i, j) of op(X).
  Wide<T> operator()(Index i, Index j) const {
    const Wide<T> x(host[static_cast<std::size_t>(op == Op::none ? i + j * lead : j + i * lead)]);
    if constexpr (is_complex<T>)
      return op == Op::conjugate_transpose ? std::conj(x) : x;
    else
      return x;
  }
};

// An element of alpha op(A) op(B) + beta C, and the root of the sum of |a_il b_lj|^2.
template <class T>
struct Truth {
  Wide<T> value;
  double size;
};

// C := alpha op(A) op(B) + beta C. `before` is C with leading dimension `lead`; the rows below op(A)'s are guards.
template <class T>
struct Product {
  Operand<T> a, b;
  T alpha, beta;
  Index lead;
  std::vector<T> before;

  // C after multiply(c), which queues the product.
  template <class Multiply>
  std::vector<T> run(const Queue& queue, Multiply&& multiply) const {
    const DeviceBuffer<T> c = on_device(before);
    multiply(MatrixView<T>{c.data(), a.rows, b.cols, lead});
    queue.wait();
    return on_host(c);
  }

  Truth<T> truth(Index i, Index j) const {
    Wide<T> sum = 0;
    double size = 0;
    for (Index l = 0; l < a.cols; ++l) {
      const Wide<T> term = a(i, l) * b(l, j);
      sum += term;
      size += static_cast<double>(std::norm(term));
    }
    sum *= Wide<T>(alpha);
    if (beta != T(0)) sum += Wide<T>(beta) * Wide<T>(before[static_cast<std::size_t>(i + j * lead)]);
    return {sum, std::sqrt(size)};
  }

  // Largest |c_ij - truth| / unit(truth) in every `stride`-th column; infinity if an element is NaN.
  template <class Unit>
  double error(const std::vector<T>& after, Unit&& unit, Index stride = 1) const {
    double worst = 0;
    for (Index j = 0; j < b.cols; j += stride)
      for (Index i = 0; i < a.rows; ++i) {
        const Truth<T> t = truth(i, j);
        const auto off =
            static_cast<double>(std::abs(Wide<T>(after[static_cast<std::size_t>(i + j * lead)]) - t.value));
        worst = std::max(worst, std::isnan(off) ? INFINITY : off / unit(t));
      }
    return worst;
  }
  double error(const std::vector<T>& after) const {
    return error(after, [](const Truth<T>&) { return 1.0; });
  }

  // Guards whose bits have changed.
  Index changed_guards(const std::vector<T>& after) const {
    Index changed = 0;
    for (Index j = 0; j < b.cols; ++j)
      for (Index i = a.rows; i < lead; ++i) {
        const auto at = static_cast<std::size_t>(i + j * lead);
        changed += std::memcmp(&after[at], &before[at], sizeof(T)) != 0;
      }
    return changed;
  }
};

template <class T>
bool same_bits(const std::vector<T>& x, const std::vector<T>& y) {
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0;
}

}  // namespace

TEST_CASE("Every engine computes the product", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  const Index m = 150, n = 151, k = 260, lead = 301;  // large enough for every engine
  for (const Engine engine : built_engines())
    for (const Op op_a : {Op::none, Op::transpose})
      for (const Op op_b : {Op::none, Op::transpose}) {
        CAPTURE(name(engine), static_cast<char>(op_a), static_cast<char>(op_b));
        const Product<double> p{{op_a, m, k, lead, host_values(lead * lead, 1)},
                                {op_b, k, n, lead, host_values(lead * lead, 2)},
                                2,
                                -1,
                                lead,
                                host_values(lead * n, 3)};
        const Products<double> products(queue, engine);
        const std::vector<double> after = p.run(queue, [&](MatrixView<double> c) {
          gemm(products, op_a, op_b, p.alpha, p.a.view(), p.b.view(), p.beta, c);
        });
        CHECK(ran(products) == name(engine));
        CHECK(ran(products).empty());
        CHECK(p.changed_guards(after) == 0);
        CHECK(p.error(after) <= 1e-11);
      }
}

TEST_CASE("A long product in slices: any number of terms, both ways to store the operands", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  const Index m = 20, n = 17, max_terms = product_tuning().max_terms_of_a_sum;
  for (const Index k : {Index{0}, Index{1}, max_terms, max_terms + 1, Index{4000}})
    for (const Op op_a : {Op::none, Op::transpose})
      for (const Op op_b : {Op::none, Op::transpose}) {
        CAPTURE(k, static_cast<char>(op_a), static_cast<char>(op_b));
        const Index lda = op_a == Op::none ? m : k + 1, ldb = op_b == Op::none ? k + 1 : n;
        const Product<double> p{{op_a, m, k, lda, host_values(m * (k + 1), 1)},
                                {op_b, k, n, ldb, host_values(n * (k + 1), 2)},
                                3,
                                -2,
                                m,
                                host_values(m * n, 3)};
        const std::vector<double> after = p.run(queue, [&](MatrixView<double> c) {
          gemm<double>(queue, op_a, op_b, p.alpha, p.a.view(), p.b.view(), p.beta, c);
        });
        CHECK(p.error(after) <= 1e-12);
      }
}

TEST_CASE("A large product of complex doubles, by three real ones", "[gpu]") {
  NEEDS_GPU();
  using Z = std::complex<double>;
  const Index m = 3001, n = 3500, k = 4001;
  REQUIRE(static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) >=
          product_tuning().min_products_of_three);
  const auto values = [](Index count, unsigned seed) {
    const std::vector<double> reals = host_values(2 * count, seed);
    const auto* const pairs = reinterpret_cast<const Z*>(reals.data());
    return std::vector<Z>(pairs, pairs + count);
  };
  const Product<Z> p{{Op::conjugate_transpose, m, k, k, values(k * m, 1)},
                     {Op::none, k, n, k, values(k * n, 2)},
                     Z(0, 2),
                     0,
                     m,
                     values(m * n, 3)};
  const Queue queue;
  const std::vector<Z> product = p.run(queue, [&](MatrixView<Z> c) {
    gemm<Z>(queue, p.a.op, p.b.op, p.alpha, p.a.view(), p.b.view(), p.beta, c);
  });
  for (Index i = 0; i < m; i += 97)
    for (Index j = i % 31; j < n; j += 97) {
      CAPTURE(i, j);
      // Rounding errors of mixed sign: a few units of the terms' root mean square for each of sqrt(k) partial sums of that length.
      const Truth<Z> truth = p.truth(i, j);
      CHECK(std::abs(product[static_cast<std::size_t>(j * m + i)] - truth.value) <=
            8 * std::numeric_limits<double>::epsilon() * std::sqrt(static_cast<double>(k)) * truth.size);
    }
}

TEST_CASE("A product that is too large for the scratch memory is cut and has the same bits", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  const Index m = 333, n = 270, k = 150;
  const DeviceBuffer<double> a = random_values(m * k, 1), b = random_values(n * k, 2);
  for (const Op op : {Op::none, Op::transpose}) {
    const DeviceBuffer<double> whole = random_values(m * n, 3), cut = random_values(m * n, 3);
    const MatrixView<const double> left{a.data(), op == Op::none ? m : k, op == Op::none ? k : m,
                                        op == Op::none ? m : k};
    const MatrixView<const double> right{b.data(), op == Op::none ? k : n, op == Op::none ? n : k,
                                         op == Op::none ? k : n};
    const Products<double> roomy(queue, Engine::df), narrow(queue, Engine::df, {}, 300000);
    roomy.gemm(op, op, -1, left, right, 0.5, {whole.data(), m, n, m});
    narrow.gemm(op, op, -1, left, right, 0.5, {cut.data(), m, n, m});
    queue.wait();
    CHECK(narrow.scratch_bytes() < roomy.scratch_bytes());
    CHECK(on_host(cut) == on_host(whole));
  }
}

TEST_CASE("A small product is native with every engine", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  const DeviceBuffer<double> a = random_values(150 * 150, 1), c = random_values(150 * 150, 2);
  const MatrixView<double> view{a.data(), 150, 150, 150}, result{c.data(), 150, 150, 150};
  for (const Engine engine : built_engines()) {
    const Products<double> products(queue, engine);
    products.gemm(Op::none, Op::none, 1, view, view, 0, result);
    products.syr2k_lower(1, view, view, 1, result);
    queue.wait();
    CHECK(ran(products) == "native");
  }
}

TEST_CASE("A Queue is a Products of the native engine", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  const DeviceBuffer<double> a = random_values(100, 1), c = random_values(100, 2);
  const Products<double> products = queue;
  products.gemm(Op::none, Op::none, 1, {a.data(), 10, 10, 10}, {a.data(), 10, 10, 10}, 0,
                {c.data(), 10, 10, 10});
  queue.wait();
  CHECK(ran(products) == "native");
  CHECK(products.scratch_bytes() == 0);
}

TEST_CASE("Every engine updates the lower triangle by rank 2k", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  const Index n = 300, k = 50;  // large enough for every engine
  const Operand<double> a{Op::none, n, k, n, host_values(n * k, 1)},
      b{Op::none, n, k, n, host_values(n * k, 2)};
  const std::vector<double> before = host_values(n * n, 3);
  for (const Engine engine : built_engines()) {
    CAPTURE(name(engine));
    const DeviceBuffer<double> c = on_device(before);
    const Products<double> products(queue, engine);
    syr2k_lower(products, -1, a.view(), b.view(), 1, {c.data(), n, n, n});
    queue.wait();
    CHECK(ran(products) == (engine == Engine::emulated ? "native" : name(engine)));
    const std::vector<double> after = on_host(c);
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < n; ++i) {
        const auto at = static_cast<std::size_t>(i + j * n);
        if (i < j) {
          REQUIRE(after[at] == before[at]);
          continue;
        }
        long double sum = before[at];
        for (Index l = 0; l < k; ++l) sum -= a(i, l) * b(j, l) + b(i, l) * a(j, l);
        REQUIRE(std::fabs(after[at] - sum) <= 1e-11L);
      }
  }
}

TEST_CASE("Rates that are estimated from a GPU's properties choose as measured ones do", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  const ProductRates estimated = estimated_engine_rates(queue);
  ProductRates measured = measure_engine_rates(queue);
  measured[Engine::emulated] = {};
  CHECK(choose_engine(Engine::automatic, estimated, 8000, 8000, 8000) ==
        choose_engine(Engine::automatic, measured, 8000, 8000, 8000));
}

TEST_CASE("The engines' rates are measured in under a second, and choose", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  Event start, stop;
  start.record(queue);
  const ProductRates rates = measure_engine_rates(queue);
  stop.record(queue);
  stop.wait();
  CHECK(stop.seconds_since(start) < 1);
  CHECK(rates[Engine::native].flops_per_second > 1e10);
  CHECK(rates[Engine::df].flops_per_second > 1e10);
  CHECK(rates[Engine::df].smallest_result > 0);
  const Engine best = choose_engine(Engine::automatic, rates, 4096, 4096, 4096);
  for (const Engine engine : built_engines())
    if (engine != Engine::ozaki_fast)  // on request only
      CHECK(predicted_seconds(best, rates, 4096, 4096, 4096) <=
            predicted_seconds(engine, rates, 4096, 4096, 4096));
  const Products<double> products(queue, Engine::automatic, rates);
  const DeviceBuffer<double> a = random_values(500 * 500, 1), c = random_values(500 * 500, 2);
  products.gemm(Op::none, Op::none, 1, {a.data(), 500, 500, 500}, {a.data(), 500, 500, 500}, 0,
                {c.data(), 500, 500, 500});
  queue.wait();
  CHECK(ran(products) == name(choose_engine(Engine::automatic, rates, 500, 500, 500)));
}

TEMPLATE_TEST_CASE("Products of floats by fp16 pairs have float's accuracy and repeat", "[gpu]", float,
                   std::complex<float>) {
  NEEDS_GPU();
  using T = TestType;
  const Queue queue;
  const Index m = 301, n = 277, k = 700, lead = 707;
  const auto values = [](Index count, unsigned seed) {  // a number in (-1, 1) times 2^-6 ... 2^5
    const std::vector<double> x = host_values(3 * count, seed);
    std::vector<T> all(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = number<T>(std::exp2(std::floor(6 * x[3 * i + 2])), x[3 * i], x[3 * i + 1]);
    return all;
  };
  const DeviceBuffer<std::byte> scratch(static_cast<Index>(halves_bytes<T>(m, n)));
  const auto unit = [](const Truth<T>& truth) { return 2 * truth.size; };  // alpha = 2
  for (const Op op_a : {Op::none, Op::transpose, Op::conjugate_transpose})
    for (const Op op_b : {Op::none, Op::transpose, Op::conjugate_transpose}) {
      CAPTURE(static_cast<char>(op_a), static_cast<char>(op_b));
      const Product<T> p{{op_a, m, k, lead, values(lead * lead, 1)},
                         {op_b, k, n, lead, values(lead * lead, 2)},
                         2,
                         -1,
                         lead,
                         values(lead * n, 3)};
      const auto by_halves = [&](MatrixView<T> c) {
        poison(scratch);
        REQUIRE(gemm_by_halves<T>(queue, op_a, op_b, p.alpha, p.a.view(), p.b.view(), p.beta, c,
                                  bytes_of(scratch)));
      };
      const auto in_float = [&](MatrixView<T> c) {
        gemm<T>(queue, op_a, op_b, p.alpha, p.a.view(), p.b.view(), p.beta, c);
      };
      const std::vector<T> halves = p.run(queue, by_halves), floats = p.run(queue, in_float);
      CHECK(same_bits(p.run(queue, by_halves), halves));
      CHECK(p.changed_guards(halves) == 0);
      const double of_halves = p.error(halves, unit, 7);
      INFO("largest errors: in float " << p.error(floats, unit, 7) << ", by halves " << of_halves);
      CHECK(of_halves < 3e-6);
    }
}

TEMPLATE_TEST_CASE("Products of floats by fp16 pairs with few columns: A is read in place", "[gpu]", float,
                   std::complex<float>) {
  NEEDS_GPU();
  using T = TestType;
  const Queue queue;
  const Index m = 1201, lead = 1204, max_cols = is_complex<T> ? 32 : 64;
  // rows x cols, NaN below. Blocks of 100 rows differ in size by factors of 2, blocks of 50 columns by factors of 32.
  const auto graded = [](Index rows, Index cols, unsigned seed) {
    const std::vector<double> x = support::random_rectangle(2 * lead, cols, seed);
    std::vector<T> all(static_cast<std::size_t>(lead * cols), T(NAN));
    for (Index j = 0; j < cols; ++j)
      for (Index i = 0; i < rows; ++i) {
        const auto at = static_cast<std::size_t>(i + j * lead);
        all[at] =
            number<T>(std::exp2(static_cast<double>(i / 100 - 5 * (j / 50 % 3))), x[2 * at], x[2 * at + 1]);
      }
    return all;
  };
  const DeviceBuffer<std::byte> scratch(static_cast<Index>(halves_bytes<T>(m, m)));
  struct Shape {
    Index terms, cols;
    Op op_b;
    float beta;
  };
  for (const auto& [k, n, op_b, beta] :
       {Shape{1100, max_cols, Op::none, 0}, Shape{777, max_cols, Op::conjugate_transpose, 1},
        Shape{256, max_cols - 7, Op::transpose, -1}, Shape{300, 1, Op::none, 0}}) {
    CAPTURE(k, n, static_cast<char>(op_b));
    const Product<T> p{{Op::none, m, k, lead, graded(m, k, 1)},
                       {op_b, k, n, lead, op_b == Op::none ? graded(k, n, 2) : graded(n, k, 2)},
                       -2,
                       beta,
                       lead,
                       graded(beta == 0 ? 0 : m, n, 3)};
    const auto by_halves = [&](MatrixView<T> c) {
      poison(scratch);
      REQUIRE(gemm_by_halves<T>(queue, Op::none, p.b.op, p.alpha, p.a.view(), p.b.view(), p.beta, c,
                                bytes_of(scratch)));
    };
    const std::vector<T> after = p.run(queue, by_halves), again = p.run(queue, by_halves);
    CHECK(same_bits(after, again));
    CHECK(p.changed_guards(after) == 0);
    const double largest = p.error(
        after, [](const Truth<T>& truth) { return 2 * truth.size + std::abs(truth.value); }, 5);
    INFO("largest error " << largest);
    CHECK(largest < 1e-6);
  }
}

TEST_CASE("Products of floats: by fp16 pairs if that is faster and memory is lent", "[gpu]") {
  NEEDS_GPU();
  const Index lines = product_tuning().halves_min_lines, many = 10000;
  struct Shape {
    Op op_a;
    Index rows, cols, terms, lead;  // rows, cols and lead of C; terms: columns of op(A)
    bool pay;
  };
  for (const auto& [op_a, rows, cols, terms, lead, pay] :
       {Shape{Op::transpose, lines, many, many, many, true},
        Shape{Op::transpose, lines - 1, many, many, many, false},
        Shape{Op::none, many, lines - 1, many, many, false},
        Shape{Op::none, lines, lines, lines, many, false}, Shape{Op::none, 1000, 1000, 1000, many, true},
        Shape{Op::none, 1000, 1000, 1000, many + 1, false},  // C's columns are not 16-byte aligned
        Shape{Op::none, many, 64, many, many, true}, Shape{Op::transpose, many, 64, many, many, false},
        Shape{Op::none, 1000, 64, 1000, many, false}}) {
    CAPTURE(static_cast<char>(op_a), rows, cols, terms, lead);
    CHECK(halves_pay<float>(op_a, terms, {nullptr, rows, cols, lead}) == pay);
  }

  const Queue queue;
  const Index n = 600;
  const DeviceBuffer<float> a = on_device(std::vector<float>(n * n)), c(n * n);
  const DeviceBuffer<std::byte> scratch(static_cast<Index>(halves_bytes<float>(n, n)));
  const std::span<std::byte> all = bytes_of(scratch);
  const auto takes = [&](std::span<std::byte> memory) {
    return gemm_by_halves<float>(queue, Op::none, Op::none, 1, {a.data(), n, n, n}, {a.data(), n, n, n}, 0,
                                 {c.data(), n, n, n}, memory);
  };
  CHECK_FALSE(takes({}));
  CHECK_FALSE(takes(all.first(n)));
  CHECK(takes(all.first(all.size() / 4)));  // in shorter slices
  queue.wait();
}

// Products<float> with memory takes a multiple of rows_of_halves rows by halves and the rest in float.
TEST_CASE("Products of floats with memory lent: a number of rows that is no multiple of eight", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  const Index m = 1005, n = 1016, k = 1000, lead = 1008;
  const auto values = [](unsigned seed) {
    const std::vector<double> numbers = support::random_rectangle(lead, n, seed);
    return on_device(std::vector<float>(numbers.begin(), numbers.end()));
  };
  const DeviceBuffer<float> a = values(1), b = values(2), c(lead * n);
  const DeviceBuffer<std::byte> scratch(static_cast<Index>(halves_bytes<float>(m, n)));
  for (const Op op_a : {Op::none, Op::transpose}) {
    const Index rows = op_a == Op::none ? m : k - 3;  // rows of C
    const auto product = [&](bool lends) {
      poison(c);
      Products<float> products = queue;
      if (lends) products.lend(bytes_of(scratch));
      products.gemm(op_a, Op::none, 1,
                    {a.data(), op_a == Op::none ? m : k, op_a == Op::none ? k : rows, lead},
                    {b.data(), k, n, lead}, 0, {c.data(), rows, n, lead});
      queue.wait();
      return on_host(c);
    };
    const std::vector<float> plain = product(false), halves = product(true);
    double largest = 0;
    bool differ = false;
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < lead; ++i) {
        const auto at = static_cast<std::size_t>(i + j * lead);
        REQUIRE(std::isnan(halves[at]) == (i >= rows));
        if (i >= rows) continue;
        largest = std::max(largest, static_cast<double>(std::fabs(halves[at] - plain[at])));
        differ = differ || halves[at] != plain[at];
      }
    CHECK(differ);
    CHECK(largest < 1e-4);
  }
}
