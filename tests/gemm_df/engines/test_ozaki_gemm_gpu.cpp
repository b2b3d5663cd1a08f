// Tests of the engines ozaki, ozaki-fast and ozaki-fp8 on a GPU: errors compared with the errors of native products, the edges of the number of terms, and
// results that do not depend on how the products are divided.
#include "tests/support/catch.hpp"

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "gemm_df/engines/ozaki/residues.hpp"
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
using Values = std::vector<double>;
__extension__ typedef __float128 Quad;

Values random_values(Index count, unsigned seed) {
  return support::random_rectangle(count, 1, seed);
}

DeviceBuffer<double> on_device(const Values& x) {
  DeviceBuffer<double> device(static_cast<Index>(x.size()));
  support::upload(device.data(), x.data(), device.bytes());
  EIGEN_G_CUDA(cudaDeviceSynchronize());
  return device;
}
Values on_host(const DeviceBuffer<double>& device) {
  EIGEN_G_CUDA(cudaDeviceSynchronize());
  Values host(static_cast<std::size_t>(device.size()));
  EIGEN_G_CUDA(cudaMemcpy(host.data(), device.data(), device.bytes(), cudaMemcpyDeviceToHost));
  return host;
}
bool same_bits(const Values& x, const Values& y) {
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0;
}

// A, m x k, and B, k x n, with leading dimensions m and k.
struct Problem {
  Index m, n, k;
  Values a, b;
  DeviceBuffer<double> a_dev = on_device(a), b_dev = on_device(b);

  // A B by `engine`, with C poisoned before.
  Values product(const Queue& queue, Engine engine, std::uint64_t max_scratch = df_scratch_bytes) const {
    const Products<double> products(queue, engine, {}, max_scratch);
    return product(products);
  }
  Values product(const Products<double>& products) const {
    const DeviceBuffer<double> c(m * n);
    EIGEN_G_CUDA(cudaMemset(c.data(), 0xff, c.bytes()));
    EIGEN_G_CUDA(cudaDeviceSynchronize());
    products.gemm(Op::none, Op::none, 1, {a_dev.data(), m, k, m}, {b_dev.data(), k, n, k}, 0,
                  {c.data(), m, n, m});
    return on_host(c);
  }
  // Largest |C - A B| / |A||B| of some entries.
  double error(const Values& c) const {
    double worst = 0;
    for (Index j = 0; j < n; j += n / 8)
      for (Index i = 0; i < m; i += m / 8) {
        Quad sum = 0, size = 0;
        for (Index l = 0; l < k; ++l) {
          const Quad x =
              Quad(a[static_cast<std::size_t>(i + l * m)]) * b[static_cast<std::size_t>(l + j * k)];
          sum += x;
          size += x < 0 ? -x : x;
        }
        Quad off = sum - c[static_cast<std::size_t>(i + j * m)];
        if (off < 0) off = -off;
        const auto ratio = static_cast<double>(off / size);
        worst = std::isnan(ratio) ? HUGE_VAL : std::max(worst, ratio);
      }
    return worst;
  }
};

using Scale = std::function<double(Index line, Index term)>;
Problem problem(Index m, Index n, Index k, const Scale& a = {}, const Scale& b = {}) {
  Values x = random_values(m * k, 1), y = random_values(k * n, 2);
  for (Index l = 0; l < k; ++l) {
    if (a)
      for (Index i = 0; i < m; ++i) x[static_cast<std::size_t>(i + l * m)] *= a(i, l);
    if (b)
      for (Index j = 0; j < n; ++j) y[static_cast<std::size_t>(l + j * k)] *= b(j, l);
  }
  return {m, n, k, std::move(x), std::move(y)};
}

// The engines by residues that the current GPU has.
std::vector<Engine> by_residues() {
  std::vector<Engine> all{Engine::ozaki, Engine::ozaki_fast};
  if (engine_runs(Engine::ozaki_fp8)) all.push_back(Engine::ozaki_fp8);
  return all;
}

}  // namespace

TEST_CASE("Errors of products by residues are like those of native products", "[gpu][large]") {
  NEEDS_GPU();
  const Queue queue;
  // Products of the last lines are far above the smallest numbers of double.
  const Scale graded = [](Index line, Index) { return std::pow(10.0, -static_cast<double>(line) / 2.5); };
  const Scale ill_scaled = [](Index, Index term) {
    return std::pow(10.0, static_cast<double>(term % 7) - 3);
  };
  struct Family {
    const char* name;
    Scale a, b;
  };
  for (const Family& family : {Family{"random", {}, {}},
                               {"graded rows", graded, graded},
                               {"ill-scaled columns", ill_scaled, {}},
                               {"ill-scaled, both", ill_scaled, ill_scaled}})
    for (const Index k : {64, 1000, 8192, 131072}) {
      // With 64 terms a smaller product would be native.
      const Problem p = problem(k == 64 ? 300 : 128, k == 64 ? 250 : 96, k, family.a, family.b);
      const double native = p.error(p.product(queue, Engine::native));
      const double ozaki = p.error(p.product(queue, Engine::ozaki)),
                   fast = p.error(p.product(queue, Engine::ozaki_fast)),
                   floats = engine_runs(Engine::ozaki_fp8) ? p.error(p.product(queue, Engine::ozaki_fp8)) : 0;
      CAPTURE(family.name, k, native, ozaki, fast, floats);
      std::printf("%s, k = %d: error / native's: ozaki %.2f, ozaki-fast %.2f, ozaki-fp8 %.2f (native %.2g)\n",
                  family.name, static_cast<int>(k), ozaki / native, fast / native, floats / native, native);
      CHECK(native <= 0x1p-46);
      CHECK(ozaki <= 2 * native);
      CHECK(fast <= 0x1p-44);
      CHECK(floats <= 2 * native);
    }
}

TEST_CASE("Any number of terms, also around the largest that one sum may have", "[gpu][large]") {
  NEEDS_GPU();
  const Queue queue;
  for (const Index k :
       {Index{32}, Index{33}, Index{1537}, ozaki::max_terms, ozaki::max_terms + 1, 2 * ozaki::max_terms + 5})
    for (const Engine engine : by_residues()) {
      CAPTURE(name(engine), k);
      const Problem p = problem(128, 72, k);
      const Values c = p.product(queue, engine);
      CHECK(p.error(c) <= 0x1p-45);
      CHECK(same_bits(c, p.product(queue, engine)));
    }
}

// All terms are +-N with an integer N whose residues modulo four of the wide moduli and modulo 32 have the largest digits. So the sums of
// these digits are as large as they can be, for the tensor cores and for the registers.
TEST_CASE("Products of floats of 8 bits: the largest digits, with the largest number of terms", "[gpu]") {
  NEEDS_GPU();
  if (!engine_runs(Engine::ozaki_fp8)) return;
  const Queue queue;
  for (const Index k : {Index{1000}, Index{4096}, ozaki::max_terms}) {
    // N is the largest such integer that becomes itself in a line of k of them.
    const double largest = std::sqrt(ozaki::largest_square(ozaki::moduli_of_floats) / static_cast<double>(k));
    Index step = 1, number = 0;
    for (const Index p : {Index{577}, Index{571}, Index{569}, Index{563}, Index{32}}) {
      const Index residue = p == 577 ? 288 : p == 32 ? 16 : (p - 1) / 2;
      while (number % p != residue) number += step;
      step *= p;
    }
    const auto top = std::min(static_cast<Index>(largest * (1 - 0x1p-7)), (Index{1} << 53) - 1);
    number += (top - number) / step * step;
    REQUIRE(static_cast<double>(number) > largest / 2);
    const Index m = 128, n = 72;
    // Columns of B: one sign; alternating signs; another integer at every 64th term; a sum next to zero.
    Problem p = problem(m, n, k);
    const auto value_of = [&](Index j, Index l) {
      if (j % 4 == 1) return l % 2 == 0 ? number : -number;
      if (j % 4 == 2) return l % 64 == 5 ? number - 1 : number;
      if (j % 4 == 3) return l == k - 1 ? -number / 3 : l % 2 == 0 ? -number : number;
      return number;
    };
    for (Index l = 0; l < k; ++l) {
      for (Index i = 0; i < m; ++i)
        p.a[static_cast<std::size_t>(i + l * m)] = static_cast<double>(i % 2 == 0 ? number : -number);
      for (Index j = 0; j < n; ++j)
        p.b[static_cast<std::size_t>(l + j * k)] = static_cast<double>(value_of(j, l));
    }
    const Problem filled{m, n, k, p.a, p.b};
    const Values c = filled.product(queue, Engine::ozaki_fp8);
    Index wrong = 0;
    for (Index j = 0; j < n; ++j) {
      Quad sum = 0;
      for (Index l = 0; l < k; ++l) sum += Quad(value_of(j, l)) * Quad(number);
      for (Index i = 0; i < m; ++i) {
        Quad off = (i % 2 == 0 ? sum : -sum) - Quad(c[static_cast<std::size_t>(i + j * m)]);
        if (off < 0) off = -off;
        wrong += !static_cast<bool>(off <= (sum < 0 ? -sum : sum) * Quad(0x1p-52));
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("Products by residues have the same bits however they are divided", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  const Index m = 1500, n = 1337, k = 701;
  const Problem p = problem(m, n, k);
  for (const Engine engine : by_residues()) {
    CAPTURE(name(engine));
    const Values whole = p.product(queue, engine);
    CHECK(p.error(whole) <= 0x1p-45);
    for (const std::uint64_t scratch :
         {std::uint64_t{100'000}, std::uint64_t{1} << 20, std::uint64_t{4} << 20})
      CHECK(same_bits(p.product(queue, engine, scratch), whole));
  }
}

TEST_CASE("Products of a held matrix: its parts are converted once", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  const Index order = 900, n = 70;
  const Values a = random_values(order * order, 1), b = random_values(order * n, 2);
  const DeviceBuffer<double> a_dev = on_device(a), b_dev = on_device(b);
  for (const Engine engine : engines()) {
    if (!engine_runs(engine)) continue;
    CAPTURE(name(engine));
    const Products<double> products(queue, engine);
    const MatrixView<const double> all{a_dev.data(), order, order, order};
    const auto held = products.hold(all.block(5, 4, order - 5, order - 4));
    for (const Index first : {4, 20, 36, 37}) {  // 37: not at a multiple of 16 columns
      const Index rows = order - 3 - first, terms = order - first - 1;
      const DeviceBuffer<double> c(rows * n), again(rows * n);
      products.gemm(Op::none, Op::none, 1, all.block(first + 3, first, rows, terms),
                    {b_dev.data(), terms, n, order}, 0, {c.data(), rows, n, rows});
      const Values found = on_host(c);
      double worst = 0;
      for (Index j = 0; j < n; ++j)
        for (Index i = 0; i < rows; ++i) {
          long double sum = 0;
          for (Index l = 0; l < terms; ++l)
            sum +=
                static_cast<long double>(a[static_cast<std::size_t>(first + 3 + i + (first + l) * order)]) *
                b[static_cast<std::size_t>(l + j * order)];
          worst = std::max(
              worst, static_cast<double>(std::abs(found[static_cast<std::size_t>(i + j * rows)] - sum)));
        }
      CAPTURE(first);
      CHECK(worst < 1e-11);
    }
  }
}

TEST_CASE("Rank-2k updates by residues: the lower triangle alone, however they are divided", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  const Index n = 701, k = 67;
  const Values a = random_values(n * k, 1), b = random_values(n * k, 2), before = random_values(n * n, 3);
  const DeviceBuffer<double> a_dev = on_device(a), b_dev = on_device(b);
  for (const Engine engine : by_residues()) {
    Values first;
    for (const std::uint64_t scratch : {df_scratch_bytes, std::uint64_t{60'000}, std::uint64_t{300'000}}) {
      CAPTURE(name(engine), scratch);
      const DeviceBuffer<double> c = on_device(before);
      const Products<double> products(queue, engine, {}, scratch);
      syr2k_lower(products, -1, {a_dev.data(), n, k, n}, {b_dev.data(), n, k, n}, 1, {c.data(), n, n, n});
      const Values found = on_host(c);
      if (first.empty()) first = found;
      CHECK(same_bits(found, first));
    }
    double worst = 0;
    bool untouched = true;
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < n; ++i) {
        const auto at = static_cast<std::size_t>(i + j * n);
        if (i < j) {
          untouched = untouched && first[at] == before[at];
          continue;
        }
        long double sum = before[at];
        for (Index l = 0; l < k; ++l) {
          const auto row = static_cast<std::size_t>(i + l * n), column = static_cast<std::size_t>(j + l * n);
          sum -= static_cast<long double>(a[row]) * b[column] + static_cast<long double>(b[row]) * a[column];
        }
        worst = std::max(worst, static_cast<double>(std::abs(first[at] - sum)));
      }
    CHECK(untouched);
    CHECK(worst < 1e-12);
  }
}

TEST_CASE("Infinities and NaNs pass through products by residues as through sums in double", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  const Index m = 150, n = 140, k = 90;
  for (const double bad : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    Values a = random_values(m * k, 1), b = random_values(k * n, 2);
    const Values clean = Problem{m, n, k, a, b}.product(queue, Engine::ozaki);
    a[static_cast<std::size_t>(3 + 7 * m)] = bad;
    b[static_cast<std::size_t>(80 + 11 * k)] = bad;
    const Values c = Problem{m, n, k, a, b}.product(queue, Engine::ozaki);
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < m; ++i) {
        const auto at = static_cast<std::size_t>(i + j * m);
        if (i != 3 && j != 11) {
          REQUIRE(c[at] == clean[at]);
          continue;
        }
        double sum = 0;
        for (Index l = 0; l < k; ++l)
          sum += a[static_cast<std::size_t>(i + l * m)] * b[static_cast<std::size_t>(l + j * k)];
        if (std::isnan(sum))
          REQUIRE(std::isnan(c[at]));
        else
          REQUIRE(c[at] == sum);
      }
  }
}

TEST_CASE("Complex products by residues: every op, also with factors that are not real", "[gpu]") {
  NEEDS_GPU();
  using Complex = std::complex<double>;
  const Queue queue;
  const Index m = 130, n = 121, k = 70, lead = 140;
  const auto complex_values = [](Index count, unsigned seed) {
    const Values parts = random_values(2 * count, seed);
    const auto* const pairs = reinterpret_cast<const Complex*>(parts.data());
    return std::vector<Complex>(pairs, pairs + count);
  };
  const auto upload = [](const std::vector<Complex>& x) {
    DeviceBuffer<Complex> device(static_cast<Index>(x.size()));
    support::upload(device.data(), x.data(), device.bytes());
    EIGEN_G_CUDA(cudaDeviceSynchronize());
    return device;
  };
  const auto a = complex_values(lead * lead, 1), b = complex_values(lead * lead, 2),
             before = complex_values(lead * n, 3);
  const DeviceBuffer<Complex> a_dev = upload(a), b_dev = upload(b);
  const auto entry = [&](const std::vector<Complex>& x, Op op, Index i, Index j) {
    const Complex value = x[static_cast<std::size_t>(op == Op::none ? i + j * lead : j + i * lead)];
    return op == Op::conjugate_transpose ? std::conj(value) : value;
  };
  const auto view = [&](const DeviceBuffer<Complex>& x, Op op, Index rows, Index columns) {
    return op == Op::none ? MatrixView<const Complex>{x.data(), rows, columns, lead}
                          : MatrixView<const Complex>{x.data(), columns, rows, lead};
  };
  for (const Engine engine : by_residues())
    for (const Op op_a : {Op::none, Op::transpose, Op::conjugate_transpose})
      for (const Op op_b : {Op::none, Op::transpose, Op::conjugate_transpose})
        for (const auto& [alpha, beta] :
             {std::pair<Complex, Complex>{1, 0}, {-2, 1}, {Complex(0, 1), Complex(1, 2)}}) {
          CAPTURE(name(engine), static_cast<char>(op_a), static_cast<char>(op_b), alpha, beta);
          const DeviceBuffer<Complex> c_dev = upload(before);
          const Products<Complex> products(queue, engine, {}, std::uint64_t{300'000});
          products.gemm(op_a, op_b, alpha, view(a_dev, op_a, m, k), view(b_dev, op_b, k, n), beta,
                        {c_dev.data(), m, n, lead});
          queue.wait();
          std::vector<Complex> c(before.size());
          EIGEN_G_CUDA(cudaMemcpy(c.data(), c_dev.data(), c_dev.bytes(), cudaMemcpyDeviceToHost));
          double worst = 0;
          for (Index j = 0; j < n; ++j)
            for (Index i = 0; i < lead; ++i) {
              const auto at = static_cast<std::size_t>(i + j * lead);
              Complex expected = before[at];
              if (i < m) {
                Complex sum = 0;
                for (Index l = 0; l < k; ++l) sum += entry(a, op_a, i, l) * entry(b, op_b, l, j);
                expected = alpha * sum + beta * before[at];
              }
              worst = std::max(worst, std::abs(c[at] - expected));
            }
          CHECK(worst < 1e-12);
        }
}
