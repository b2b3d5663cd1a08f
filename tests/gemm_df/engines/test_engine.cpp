// Tests of the choice of an engine, a function of rates and shape.
#include <cmath>

#include "gemm_df/engines/double_float/double_float.hpp"
#include "gemm_df/engines/engine.hpp"
#include "tests/support/catch.hpp"

using namespace eigen_g;

namespace {

// A GPU with 1/64 of float's rate in double; the emulation is fast but slow to begin.
ProductRates weak_double() {
  ProductRates rates;
  rates[Engine::native] = {0.5e12, 1e-11, 0};
  rates[Engine::df] = {4e12, 2e-11, 100 * 64 * 64};
  rates[Engine::emulated] = {12e12, 2e-10, 0};
  return rates;
}
// A data-centre GPU.
ProductRates strong_double() {
  ProductRates rates;
  rates[Engine::native] = {55e12, 4e-12, 0};
  rates[Engine::df] = {8e12, 4e-12, 400 * 64 * 64};
  rates[Engine::emulated] = {20e12, 4e-11, 0};
  return rates;
}

}  // namespace

TEST_CASE("Engines have names, and names engines") {
  for (const Engine engine : engines()) {
    CHECK(engine_of(name(engine)) == engine);
    CHECK_FALSE(std::string(description(engine)).empty());
  }
  CHECK(engine_of("auto") == Engine::automatic);
  CHECK(name(Engine::automatic) == std::string("auto"));
  CHECK(name(Engine::native) == std::string("native"));
  CHECK(name(Engine::df) == std::string("df"));
  CHECK(name(Engine::emulated) == std::string("emulated"));
  CHECK(name(Engine::ozaki) == std::string("ozaki"));
  CHECK(name(Engine::ozaki_fast) == std::string("ozaki-fast"));
  CHECK(name(Engine::ozaki_fp8) == std::string("ozaki-fp8"));
  CHECK_FALSE(engine_of("").has_value());
  CHECK_FALSE(engine_of("double").has_value());
}

TEST_CASE("A requested engine is taken") {
  for (const Engine engine : engines()) {
    CHECK(choose_engine(engine, {}, 200, 200, 200) == engine);
    CHECK(choose_engine(engine, weak_double(), 10000, 10000, 10000) == engine);
  }
}

TEST_CASE("Products too small to matter are native with every engine: all products of a solve of order 150") {
  ProductRates fast = weak_double();
  fast[Engine::df].flops_per_second = fast[Engine::emulated].flops_per_second = 1e20;
  for (const Engine engine : {Engine::df, Engine::emulated, Engine::automatic})
    for (const ProductRates& rates : {ProductRates{}, weak_double(), fast}) {
      CAPTURE(name(engine));
      CHECK(choose_engine(engine, rates, 150, 150, 150) == Engine::native);
      CHECK(choose_engine(engine, rates, 1, 1, 1) == Engine::native);
      CHECK(choose_engine(engine, rates, 128, 64, 511) == Engine::native);
      CHECK(choose_rank_2k_engine(engine, rates, 150, 150) == Engine::native);
    }
  CHECK(choose_engine(Engine::df, {}, 128, 64, 512) == Engine::df);
  CHECK(choose_rank_2k_engine(Engine::df, {}, 256, 64) == Engine::df);
  CHECK(choose_engine(Engine::automatic, fast, 200, 200, 200) != Engine::native);
}

TEST_CASE("Without measurements the automatic engine is native") {
  CHECK(choose_engine(Engine::automatic, {}, 1000, 1000, 1000) == Engine::native);
  ProductRates one;
  one[Engine::native].flops_per_second = 1;
  CHECK(choose_engine(Engine::automatic, one, 1000, 1000, 1000) == Engine::native);
}

TEST_CASE("Weak double: double-float for few terms, emulation for many") {
  const ProductRates rates = weak_double();
  CHECK(choose_engine(Engine::automatic, rates, 10000, 10000, 64) == Engine::df);
  CHECK(choose_engine(Engine::automatic, rates, 10000, 10000, 128) == Engine::df);
  CHECK(choose_engine(Engine::automatic, rates, 10000, 10000, 10000) == Engine::emulated);
  ProductRates no_emulation = rates;
  no_emulation[Engine::emulated] = {};
  CHECK(choose_engine(Engine::automatic, no_emulation, 10000, 10000, 10000) == Engine::df);
  // A result of one tile leaves most of the GPU idle unless several blocks share its terms.
  CHECK(choose_engine(Engine::automatic, no_emulation, 64, 64, 250) == Engine::native);
  CHECK(choose_engine(Engine::automatic, no_emulation, 64, 64, 20000) == Engine::df);
}

TEST_CASE("Engine ozaki is taken where it is the fastest, ozaki-fast on request only") {
  ProductRates rates = weak_double();
  rates[Engine::ozaki_fast] = {1e15, 0, 0};
  CHECK(choose_engine(Engine::automatic, rates, 10000, 10000, 10000) == Engine::emulated);
  CHECK(choose_rank_2k_engine(Engine::automatic, rates, 10000, 64) == Engine::df);
  rates[Engine::ozaki] = rates[Engine::ozaki_fast];
  CHECK(choose_engine(Engine::automatic, rates, 10000, 10000, 10000) == Engine::ozaki);
  CHECK(choose_rank_2k_engine(Engine::automatic, rates, 10000, 64) == Engine::ozaki);
  rates[Engine::ozaki_fp8] = rates[Engine::ozaki];
  for (const Engine engine : {Engine::ozaki, Engine::ozaki_fast, Engine::ozaki_fp8}) {
    CHECK(choose_engine(engine, rates, 10000, 10000, 10000) == engine);
    CHECK(choose_rank_2k_engine(engine, rates, 10000, 64) == engine);
    CHECK(predicted_seconds(engine, rates, 1000, 1000, 500) == Approx(2e-5 + 1e9 / 1e15));
  }
}

TEST_CASE("Conversions decide against engine ozaki: few columns, few terms, small products") {
  ProductRates rates = strong_double();
  rates[Engine::ozaki] = {100e12, 15e-12, 300000, 15e-12};
  const double seconds = predicted_seconds(Engine::ozaki, rates, 5000, 10000, 4000);
  CHECK(seconds == Approx(2e-5 + 4e11 / 100e12 + 5e7 * 15e-12 + 15000 * 4000 * 15e-12));
  CHECK(choose_engine(Engine::automatic, rates, 10000, 10000, 10000) == Engine::ozaki);
  CHECK(choose_engine(Engine::automatic, rates, 4096, 4096, 4096) == Engine::ozaki);
  CHECK(choose_engine(Engine::automatic, rates, 10000, 64, 10000) == Engine::native);
  CHECK(choose_engine(Engine::automatic, rates, 10000, 10000, 256) == Engine::native);
  CHECK(choose_engine(Engine::automatic, rates, 500, 500, 500) == Engine::native);
}

// data/perf/DECISIONS.md, "Products by cuBLAS", has the measured rates.
TEST_CASE(
    "The estimated rates of an H100 never choose an engine that is slower than native by more than 2 %") {
  ProductRates h100;
  h100[Engine::native] = {66.9e12, 0, 0};
  h100[Engine::df] = {5e12, 4e-12, 400 * 64 * 64};
  h100[Engine::ozaki] = {102.8e12, 13.7e-12, 288358, 12.9e-12};
  struct Measured {
    std::int64_t m, n, k;
    double native, ozaki;  // TFLOP/s
  };
  int chosen = 0;
  for (const Measured& p : {Measured{4096, 4096, 4096, 57.3, 76.0},
                            {8192, 8192, 8192, 51.1, 83.9},
                            {16384, 16384, 16384, 51.7, 89.5},
                            {16384, 16384, 1024, 58.8, 58.2},
                            {16384, 16384, 512, 56.5, 41.7},
                            {16384, 16384, 256, 50.9, 25.7},
                            {5000, 10000, 5000, 56.6, 61.5},
                            {1024, 10000, 1024, 54.1, 41.5},
                            {512, 10000, 10000, 51.8, 40.8},
                            {10000, 10000, 512, 56.5, 38.1},
                            {2048, 2048, 2048, 52.2, 45.0},
                            {10000, 64, 10000, 39.1, 4.8}}) {
    CAPTURE(p.m, p.n, p.k);
    const Engine engine = choose_engine(Engine::automatic, h100, p.m, p.n, p.k);
    if (engine == Engine::native) continue;
    CHECK(engine == Engine::ozaki);
    CHECK(p.ozaki >= 0.98 * p.native);
    ++chosen;
  }
  CHECK(chosen == 4);
}

TEST_CASE("Strong double: native") {
  const ProductRates rates = strong_double();
  for (const std::int64_t k : {32, 128, 1000, 10000})
    CHECK(choose_engine(Engine::automatic, rates, 10000, 10000, k) == Engine::native);
}

TEST_CASE("Predicted seconds: in proportion to flops, plus entries, infinite without the engine") {
  const ProductRates rates = weak_double();
  CHECK(predicted_seconds(Engine::native, rates, 1000, 2000, 500) == Approx(2e9 / 0.5e12 + 2e6 * 1e-11));
  CHECK(predicted_seconds(Engine::df, rates, 1000, 2000, 500) == Approx(2e9 / 4e12 + 2e6 * 2e-11));
  const double slower = df::operations_per_term(31) / df::operations_per_term(500);
  CHECK(slower > 1.3);
  CHECK(predicted_seconds(Engine::df, rates, 1000, 2000, 31) == Approx(slower * 1.24e8 / 4e12 + 2e6 * 2e-11));
  CHECK(predicted_seconds(Engine::df, rates, 64, 64, 200) ==
        Approx(2.0 * 100 * 64 * 64 * 200 / 4e12 + 64 * 64 * 2e-11));
  CHECK(predicted_seconds(Engine::df, rates, 64, 64, 1280) ==
        Approx(2.0 * 10 * 64 * 64 * 1280 / 4e12 + 64 * 64 * 2e-11));
  CHECK(std::isinf(predicted_seconds(Engine::emulated, {}, 10, 10, 10)));
}

TEST_CASE("Rank-2k updates are never emulated, and count as 2 k terms") {
  const ProductRates weak = weak_double(), strong = strong_double();
  CHECK(choose_rank_2k_engine(Engine::emulated, weak, 10000, 64) == Engine::native);
  CHECK(choose_rank_2k_engine(Engine::df, strong, 10000, 64) == Engine::df);
  CHECK(choose_rank_2k_engine(Engine::automatic, weak, 10000, 64) == Engine::df);
  CHECK(choose_rank_2k_engine(Engine::automatic, weak, 10000, 10000) == Engine::df);
  CHECK(choose_rank_2k_engine(Engine::automatic, strong, 10000, 64) == Engine::native);
  CHECK(choose_rank_2k_engine(Engine::automatic, {}, 10000, 64) == Engine::native);
}
