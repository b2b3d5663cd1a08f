// The products of the solver by every engine, behind one call.
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "gemm_df/engines/engine_rates.hpp"
#include "gemm_df/engines/native/halves.hpp"
#include "gemm_df/products.hpp"
#include "gemm_df/tuning.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "tests/support/matrices.hpp"

using namespace eigen_g;

namespace {

// The engines that ran since the last call.
std::string ran(const eigen_g::Products<double>& products) {
  const eigen_g::EngineFlops flops = products.take_flops();
  std::string names;
  for (const eigen_g::Engine engine : eigen_g::engines()) {
    if (flops[engine] == 0) continue;
    if (!names.empty()) names += '+';
    names += name(engine);
  }
  return names;
}

using Index = std::int64_t;

template <class T>
DeviceBuffer<T> on_device(const std::vector<T>& x) {
  DeviceBuffer<T> device(static_cast<Index>(x.size()));
  EIGEN_G_CUDA(cudaMemcpy(device.data(), x.data(), device.bytes(), cudaMemcpyHostToDevice));
  EIGEN_G_CUDA(cudaDeviceSynchronize());  // the queue's stream does not wait for the default one
  return device;
}

DeviceBuffer<double> random_values(Index count, unsigned seed) {
  return on_device(support::random_rectangle(count, 1, seed));
}

template <class T>
std::vector<T> on_host(const DeviceBuffer<T>& device) {
  std::vector<T> host(static_cast<std::size_t>(device.size()));
  EIGEN_G_CUDA(cudaMemcpy(host.data(), device.data(), device.bytes(), cudaMemcpyDeviceToHost));
  return host;
}

std::vector<Engine> built_engines() {
  std::vector<Engine> all;
  for (const Engine engine : engines())
    if (engine_built(engine)) all.push_back(engine);
  return all;
}

}  // namespace

TEST_CASE("Every engine computes the product", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  for (const Engine engine : built_engines())
    for (const Op op_a : {Op::none, Op::transpose})
      for (const Op op_b : {Op::none, Op::transpose}) {
        CAPTURE(name(engine), static_cast<char>(op_a), static_cast<char>(op_b));
        const Index m = 150, n = 97, k = 260, lead = 301;
        const DeviceBuffer<double> a = random_values(lead * lead, 1), b = random_values(lead * lead, 2);
        const DeviceBuffer<double> c = random_values(lead * n, 3);
        const std::vector<double> ha = on_host(a), hb = on_host(b), before = on_host(c);
        const auto at = [&](const std::vector<double>& x, Index i, Index j) {
          return x[static_cast<std::size_t>(i + j * lead)];
        };
        const Products<double> products(queue, engine);
        const bool na = op_a == Op::none, nb = op_b == Op::none;
        gemm(products, op_a, op_b, 2, {a.data(), na ? m : k, na ? k : m, lead},
             {b.data(), nb ? k : n, nb ? n : k, lead}, -1, {c.data(), m, n, lead});
        queue.wait();
        CHECK(ran(products) == name(engine));
        CHECK(ran(products).empty());
        const std::vector<double> after = on_host(c);
        for (Index j = 0; j < n; ++j)
          for (Index i = 0; i < lead; ++i) {
            if (i >= m) {
              REQUIRE(at(after, i, j) == at(before, i, j));
              continue;
            }
            long double sum = 0;
            for (Index l = 0; l < k; ++l)
              sum += static_cast<long double>(na ? at(ha, i, l) : at(ha, l, i)) *
                     (nb ? at(hb, l, j) : at(hb, j, l));
            REQUIRE(std::fabs(at(after, i, j) - (2 * sum - at(before, i, j))) <= 1e-11L);
          }
      }
}

TEST_CASE("A long product in slices: any number of terms, both ways to store the operands", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  const Index m = 20, n = 17, most = product_tuning().max_terms_of_a_sum;
  for (const Index k : {Index{0}, Index{1}, most, most + 1, Index{4000}})
    for (const bool na : {true, false})
      for (const bool nb : {true, false}) {
        CAPTURE(k, na, nb);
        const Index lda = na ? m : k + 1, ldb = nb ? k + 1 : n;
        const DeviceBuffer<double> a = random_values(lda * (na ? k + 1 : m), 1),
                                   b = random_values(ldb * (nb ? n : k + 1), 2), c = random_values(m * n, 3);
        const std::vector<double> ha = on_host(a), hb = on_host(b), before = on_host(c);
        gemm<double>(queue, na ? Op::none : Op::transpose, nb ? Op::none : Op::transpose, 3,
                     {a.data(), na ? m : k, na ? k : m, lda}, {b.data(), nb ? k : n, nb ? n : k, ldb}, -2,
                     {c.data(), m, n, m});
        queue.wait();
        const std::vector<double> after = on_host(c);
        const auto at = [](const std::vector<double>& x, Index i) { return x[static_cast<std::size_t>(i)]; };
        for (Index j = 0; j < n; ++j)
          for (Index i = 0; i < m; ++i) {
            long double sum = 0;
            for (Index l = 0; l < k; ++l)
              sum += static_cast<long double>(at(ha, na ? i + l * lda : l + i * lda)) *
                     at(hb, nb ? l + j * ldb : j + l * ldb);
            REQUIRE(std::fabs(at(after, i + j * m) - (3 * sum - 2 * at(before, i + j * m))) <= 1e-12L);
          }
      }
}

TEST_CASE("A large product of complex doubles, by three real ones", "[gpu]") {
  NEEDS_GPU();
  using Z = std::complex<double>;
  const Index m = 3001, n = 3500, k = 4001;
  REQUIRE(static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) >=
          product_tuning().min_products_of_three);
  const auto values = [](Index count, unsigned seed) {
    const std::vector<double> reals = support::random_rectangle(2 * count, 1, seed);
    const auto* const pairs = reinterpret_cast<const Z*>(reals.data());
    return std::vector<Z>(pairs, pairs + count);
  };
  const std::vector<Z> ha = values(k * m, 1), hb = values(k * n, 2);
  const DeviceBuffer<Z> a = on_device(ha), b = on_device(hb), c = on_device(values(m * n, 3));
  const Queue queue;
  gemm<Z>(queue, Op::conjugate_transpose, Op::none, Z(0, 2), {a.data(), k, m, k}, {b.data(), k, n, k}, 0,
          {c.data(), m, n, m});
  queue.wait();
  const std::vector<Z> product = on_host(c);
  for (Index i = 0; i < m; i += 97)
    for (Index j = i % 31; j < n; j += 97) {
      Z sum = 0;
      double size = 0;
      for (Index l = 0; l < k; ++l) {
        const Z term = std::conj(ha[i * k + l]) * hb[j * k + l];
        sum += term;
        size += std::norm(term);
      }
      CAPTURE(i, j);
      // Rounding of signs mixed: a few units of the terms' root mean square for each of sqrt(k) partial sums of that length.
      CHECK(std::abs(product[j * m + i] - Z(0, 2) * sum) <=
            8 * std::numeric_limits<double>::epsilon() * std::sqrt(static_cast<double>(k) * size));
    }
}

TEST_CASE("A product that does not fit the scratch memory is cut, to the same bits", "[gpu]") {
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
    const Products<double> roomy(queue, Engine::double_float),
        narrow(queue, Engine::double_float, {}, 300000);
    roomy.gemm(op, op, -1, left, right, 0.5, {whole.data(), m, n, m});
    narrow.gemm(op, op, -1, left, right, 0.5, {cut.data(), m, n, m});
    queue.wait();
    CHECK(narrow.scratch_bytes() < roomy.scratch_bytes());
    CHECK(on_host(cut) == on_host(whole));
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
  const Index n = 130, k = 40;
  const DeviceBuffer<double> a = random_values(n * k, 1), b = random_values(n * k, 2);
  const std::vector<double> ha = on_host(a), hb = on_host(b);
  for (const Engine engine : built_engines()) {
    CAPTURE(name(engine));
    const DeviceBuffer<double> c = random_values(n * n, 3);
    const std::vector<double> before = on_host(c);
    const Products<double> products(queue, engine);
    syr2k_lower(products, -1, {a.data(), n, k, n}, {b.data(), n, k, n}, 1, {c.data(), n, n, n});
    queue.wait();
    CHECK(ran(products) == (engine == Engine::emulated ? "native" : name(engine)));
    const std::vector<double> after = on_host(c);
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < n; ++i) {
        const auto at = [&](const std::vector<double>& x, Index row, Index col) {
          return x[static_cast<std::size_t>(row + col * n)];
        };
        if (i < j) {
          REQUIRE(at(after, i, j) == at(before, i, j));
          continue;
        }
        long double sum = at(before, i, j);
        for (Index l = 0; l < k; ++l)
          sum -= static_cast<long double>(at(ha, i, l)) * at(hb, j, l) +
                 static_cast<long double>(at(hb, i, l)) * at(ha, j, l);
        REQUIRE(std::fabs(at(after, i, j) - sum) <= 1e-11L);
      }
  }
}

TEST_CASE("A GPU's own figures choose as a measurement does", "[gpu]") {
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
  CHECK(rates[Engine::double_float].flops_per_second > 1e10);
  CHECK(rates[Engine::double_float].smallest_result > 0);
  const Engine best = choose_engine(Engine::automatic, rates, 4096, 4096, 4096);
  for (const Engine engine : built_engines())
    CHECK(predicted_seconds(best, rates, 4096, 4096, 4096) <=
          predicted_seconds(engine, rates, 4096, 4096, 4096));
  const Products<double> products(queue, Engine::automatic, rates);
  const DeviceBuffer<double> a = random_values(500 * 500, 1), c = random_values(500 * 500, 2);
  products.gemm(Op::none, Op::none, 1, {a.data(), 500, 500, 500}, {a.data(), 500, 500, 500}, 0,
                {c.data(), 500, 500, 500});
  queue.wait();
  CHECK(ran(products) == name(choose_engine(Engine::automatic, rates, 500, 500, 500)));
}

TEMPLATE_TEST_CASE("Products of floats by halves have float's accuracy and repeat", "[gpu]", float,
                   std::complex<float>) {
  NEEDS_GPU();
  using T = TestType;
  using Wide = std::conditional_t<is_complex<T>, std::complex<double>, double>;
  const Queue queue;
  const Index m = 301, n = 277, k = 700, lead = 707;
  const auto values = [&](Index count, unsigned seed) {  // of many sizes
    const std::vector<double> numbers = support::random_rectangle(3 * count, 1, seed);
    std::vector<T> all(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double size = std::exp2(std::floor(6 * numbers[3 * i + 2]));
      if constexpr (is_complex<T>)
        all[i] = T(static_cast<float>(size * numbers[3 * i]), static_cast<float>(size * numbers[3 * i + 1]));
      else
        all[i] = static_cast<float>(size * numbers[3 * i]);
    }
    return all;
  };
  const std::vector<T> ha = values(lead * lead, 1), hb = values(lead * lead, 2), before = values(lead * n, 3);
  const DeviceBuffer<T> a = on_device(ha), b = on_device(hb);
  const DeviceBuffer<std::byte> scratch(static_cast<Index>(halves_bytes<T>(m, n)));
  for (const Op op_a : {Op::none, Op::transpose, Op::conjugate_transpose})
    for (const Op op_b : {Op::none, Op::transpose, Op::conjugate_transpose}) {
      CAPTURE(static_cast<char>(op_a), static_cast<char>(op_b));
      const bool na = op_a == Op::none, nb = op_b == Op::none;
      const auto product = [&](auto&& multiply) {
        DeviceBuffer<T> c = on_device(before);
        multiply(MatrixView<const T>{a.data(), na ? m : k, na ? k : m, lead},
                 MatrixView<const T>{b.data(), nb ? k : n, nb ? n : k, lead},
                 MatrixView<T>{c.data(), m, n, lead});
        queue.wait();
        std::vector<T> host(before.size());
        EIGEN_G_CUDA(cudaMemcpy(host.data(), c.data(), c.bytes(), cudaMemcpyDeviceToHost));
        return host;
      };
      const auto by_halves = [&](auto left, auto right, auto c) {
        EIGEN_G_CUDA(cudaMemset(scratch.data(), 0xff, scratch.bytes()));
        EIGEN_G_CUDA(cudaDeviceSynchronize());
        REQUIRE(gemm_by_halves<T>(queue, op_a, op_b, 2, left, right, -1, c,
                                  {scratch.data(), static_cast<std::size_t>(scratch.bytes())}));
      };
      const std::vector<T> halves = product(by_halves);
      const std::vector<T> floats =
          product([&](auto left, auto right, auto c) { gemm<T>(queue, op_a, op_b, 2, left, right, -1, c); });
      CHECK(product(by_halves) == halves);
      double of_halves = 0, of_floats = 0;
      for (Index j = 0; j < n; j += 7)
        for (Index i = 0; i < lead; ++i) {
          const auto at = static_cast<std::size_t>(i + j * lead);
          if (i >= m) {
            REQUIRE(halves[at] == before[at]);
            continue;
          }
          const auto entry = [&](const std::vector<T>& x, Op op, Index row, Index col) {
            const Wide y(x[static_cast<std::size_t>(op == Op::none ? row + col * lead : col + row * lead)]);
            if constexpr (is_complex<T>)
              return op == Op::conjugate_transpose ? std::conj(y) : y;
            else
              return y;
          };
          Wide sum = -Wide(before[at]);
          double size = 0;
          for (Index l = 0; l < k; ++l) {
            const Wide term = 2.0 * entry(ha, op_a, i, l) * entry(hb, op_b, l, j);
            sum += term;
            size += std::norm(term);
          }
          of_halves = std::max(of_halves, std::abs(Wide(halves[at]) - sum) / std::sqrt(size));
          of_floats = std::max(of_floats, std::abs(Wide(floats[at]) - sum) / std::sqrt(size));
        }
      INFO("largest errors, of floats " << of_floats << ", of halves " << of_halves);
      CHECK(of_halves < 3e-6);
    }
}

TEMPLATE_TEST_CASE("Products of floats by halves with few columns: A is read as it is", "[gpu]", float,
                   std::complex<float>) {
  NEEDS_GPU();
  using T = TestType;
  using Wide = std::conditional_t<is_complex<T>, std::complex<double>, double>;
  const Queue queue;
  const Index lead = 1204, most = is_complex<T> ? 32 : 64, m = 1201;
  const auto values = [&](Index rows, Index cols, unsigned seed) {
    const std::vector<double> numbers = support::random_rectangle(2 * lead, cols, seed);
    std::vector<T> all(static_cast<std::size_t>(lead * cols), T(NAN));
    for (Index j = 0; j < cols; ++j)
      for (Index i = 0; i < rows; ++i) {
        const auto at = static_cast<std::size_t>(i + j * lead);
        // blocks of rows and terms of very different size
        const Index exponent = i / 100 - 5 * (j / 50 % 3);
        const float size = std::exp2(static_cast<float>(exponent));
        if constexpr (is_complex<T>)
          all[at] = size * T(static_cast<float>(numbers[2 * at]), static_cast<float>(numbers[2 * at + 1]));
        else
          all[at] = size * static_cast<float>(numbers[2 * at]);
      }
    return all;
  };
  const DeviceBuffer<std::byte> scratch(static_cast<Index>(halves_bytes<T>(m, m)));
  const std::span<std::byte> lent(scratch.data(), static_cast<std::size_t>(scratch.bytes()));
  struct Shape {
    Index terms, cols;
    Op op_b;
    float beta;
  };
  for (const Shape& s : {Shape{1100, most, Op::none, 0}, Shape{777, most, Op::conjugate_transpose, 1},
                         Shape{256, most - 7, Op::transpose, -1}, Shape{300, 1, Op::none, 0}}) {
    CAPTURE(s.terms, s.cols, static_cast<char>(s.op_b));
    const bool nb = s.op_b == Op::none;
    const std::vector<T> ha = values(m, s.terms, 1),
                         hb = nb ? values(s.terms, s.cols, 2) : values(s.cols, s.terms, 2);
    const std::vector<T> before =
        s.beta == 0 ? std::vector<T>(static_cast<std::size_t>(lead * s.cols), T(NAN)) : values(m, s.cols, 3);
    const DeviceBuffer<T> a = on_device(ha), b = on_device(hb);
    const auto product = [&] {
      DeviceBuffer<T> c = on_device(before);
      EIGEN_G_CUDA(cudaMemset(scratch.data(), 0xff, scratch.bytes()));
      EIGEN_G_CUDA(cudaDeviceSynchronize());
      REQUIRE(gemm_by_halves<T>(queue, Op::none, s.op_b, -2, {a.data(), m, s.terms, lead},
                                {b.data(), nb ? s.terms : s.cols, nb ? s.cols : s.terms, lead}, s.beta,
                                {c.data(), m, s.cols, lead}, lent));
      queue.wait();
      std::vector<T> host(before.size());
      EIGEN_G_CUDA(cudaMemcpy(host.data(), c.data(), c.bytes(), cudaMemcpyDeviceToHost));
      return host;
    };
    const std::vector<T> after = product(), again = product();
    const auto same = [](const std::vector<T>& x, const std::vector<T>& y, Index first, Index count) {
      const auto* const bits = reinterpret_cast<const std::uint32_t*>(x.data() + first);
      return std::equal(bits, bits + count * static_cast<Index>(sizeof(T) / 4),
                        reinterpret_cast<const std::uint32_t*>(y.data() + first));
    };
    CHECK(same(after, again, 0, lead * s.cols));
    double largest = 0;
    for (Index j = 0; j < s.cols; j += 5) {
      CHECK(same(after, before, m + j * lead, lead - m));
      for (Index i = 0; i < m; ++i) {
        Wide sum = s.beta == 0
                       ? Wide(0)
                       : static_cast<double>(s.beta) * Wide(before[static_cast<std::size_t>(i + j * lead)]);
        double size = 0;
        for (Index l = 0; l < s.terms; ++l) {
          Wide y(hb[static_cast<std::size_t>(nb ? l + j * lead : j + l * lead)]);
          if constexpr (is_complex<T>)
            if (s.op_b == Op::conjugate_transpose) y = std::conj(y);
          const Wide term = -2.0 * Wide(ha[static_cast<std::size_t>(i + l * lead)]) * y;
          sum += term;
          size += std::norm(term);
        }
        largest = std::max(largest, std::abs(Wide(after[static_cast<std::size_t>(i + j * lead)]) - sum) /
                                        (std::sqrt(size) + std::abs(sum)));
      }
    }
    INFO("largest error " << largest);
    CHECK(largest < 1e-6);
  }
}

TEST_CASE("Products of floats: halves where they are faster and memory is lent", "[gpu]") {
  NEEDS_GPU();
  const Index lines = product_tuning().halves_min_lines, many = 10000;
  const auto pay = [](Op op, Index rows, Index cols, Index inner, Index lda) {
    return halves_pay<float>(op, inner, {nullptr, rows, cols, lda});
  };
  CHECK(pay(Op::transpose, lines, many, many, many));
  CHECK_FALSE(pay(Op::transpose, lines - 1, many, many, many));
  CHECK_FALSE(pay(Op::none, many, lines - 1, many, many));
  CHECK_FALSE(pay(Op::none, lines, lines, lines, many));
  CHECK(pay(Op::none, 1000, 1000, 1000, many));
  CHECK_FALSE(pay(Op::none, 1000, 1000, 1000, many + 1));  // C's columns on 16 bytes
  CHECK(pay(Op::none, many, 64, many, many));
  CHECK_FALSE(pay(Op::transpose, many, 64, many, many));
  CHECK_FALSE(pay(Op::none, 1000, 64, 1000, many));

  const Queue queue;
  const Index n = 600;
  const DeviceBuffer<float> a(n * n), c(n * n);
  EIGEN_G_CUDA(cudaMemset(a.data(), 0, a.bytes()));
  EIGEN_G_CUDA(cudaDeviceSynchronize());
  const DeviceBuffer<std::byte> scratch(static_cast<Index>(halves_bytes<float>(n, n)));
  const std::span<std::byte> all(scratch.data(), static_cast<std::size_t>(scratch.bytes()));
  const auto takes = [&](std::span<std::byte> memory) {
    return gemm_by_halves<float>(queue, Op::none, Op::none, 1, {a.data(), n, n, n}, {a.data(), n, n, n}, 0,
                                 {c.data(), n, n, n}, memory);
  };
  CHECK_FALSE(takes({}));
  CHECK_FALSE(takes(all.first(n)));
  CHECK(takes(all.first(all.size() / 4)));  // shorter slices
  queue.wait();
}

TEST_CASE("Products of floats with memory lent: rows that do not go by eight", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  const Index m = 1005, n = 1016, k = 1000, lead = 1008;
  const DeviceBuffer<float> a(lead * n), b(lead * n), c(lead * n);
  unsigned seed = 1;
  for (const DeviceBuffer<float>* x : {&a, &b}) {
    const std::vector<double> numbers = support::random_rectangle(lead, n, seed++);
    const std::vector<float> values(numbers.begin(), numbers.end());
    EIGEN_G_CUDA(cudaMemcpy(x->data(), values.data(), x->bytes(), cudaMemcpyHostToDevice));
  }
  const DeviceBuffer<std::byte> scratch(static_cast<Index>(halves_bytes<float>(m, n)));
  const auto product = [&](bool lends, Op op_a) {
    EIGEN_G_CUDA(cudaMemset(c.data(), 0xff, c.bytes()));
    EIGEN_G_CUDA(cudaDeviceSynchronize());
    Products<float> products = queue;
    if (lends) products.lend({scratch.data(), static_cast<std::size_t>(scratch.bytes())});
    const Index rows = op_a == Op::none ? m : k - 3;  // of C
    products.gemm(op_a, Op::none, 1, {a.data(), op_a == Op::none ? m : k, op_a == Op::none ? k : rows, lead},
                  {b.data(), k, n, lead}, 0, {c.data(), rows, n, lead});
    queue.wait();
    std::vector<float> host(static_cast<std::size_t>(lead * n));
    EIGEN_G_CUDA(cudaMemcpy(host.data(), c.data(), c.bytes(), cudaMemcpyDeviceToHost));
    return host;
  };
  for (const Op op_a : {Op::none, Op::transpose}) {
    const std::vector<float> plain = product(false, op_a), halves = product(true, op_a);
    const Index rows = op_a == Op::none ? m : k - 3;
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
