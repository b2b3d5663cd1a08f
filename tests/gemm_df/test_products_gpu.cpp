// The products of the solver by every engine, behind one call.
#include "tests/support/catch.hpp"

#include <cmath>
#include <vector>

#include "gemm_df/engines/engine_rates.hpp"
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

DeviceBuffer<double> random_values(Index count, unsigned seed) {
  const std::vector<double> host = support::random_rectangle(count, 1, seed);
  DeviceBuffer<double> device(count);
  EIGEN_G_CUDA(cudaMemcpy(device.data(), host.data(), device.bytes(), cudaMemcpyHostToDevice));
  EIGEN_G_CUDA(cudaDeviceSynchronize());  // the queue's stream does not wait for the default one
  return device;
}

std::vector<double> on_host(const DeviceBuffer<double>& device) {
  std::vector<double> host(static_cast<std::size_t>(device.size()));
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
