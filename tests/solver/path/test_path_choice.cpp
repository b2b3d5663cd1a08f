// The choice of the path as a table: n, type, vectors, GPU, engine -> path. No GPU is needed.
#include "solver/path/choice.hpp"

#include <complex>

#include "tests/support/catch.hpp"

using namespace eigen_g;

namespace {

constexpr PathTuning tuning{{2700, 2450}, {3600, 3200}, {3000, 2250}, {3900, 2900}};

struct Row {
  EntryType type;
  std::int64_t n, vectors;
  Engine engine;
  int capability;
  Path path;
};

constexpr EntryType d = entry_type<double>(), s = entry_type<float>(), z = entry_type<std::complex<double>>(),
                    c = entry_type<std::complex<float>>();
constexpr Path one = Path::one_stage, two = Path::two_stage;

Path chosen(const Row& row, Path asked = Path::automatic, const ProductRates& rates = {}) {
  return choose_path({row.n, row.type, row.vectors, asked, row.engine, rates, row.capability}, tuning);
}

// Rates with which Engine::automatic takes one engine for every product.
ProductRates fastest(Engine engine) {
  ProductRates rates;
  for (const Engine other : engines()) rates[other].flops_per_second = other == engine ? 1e15 : 1e12;
  return rates;
}

}  // namespace

TEST_CASE("the path by type, order, vectors and GPU, native products") {
  for (const Row& row : {
           Row{d, 2699, 2699, Engine::native, 90, one},    Row{d, 2700, 2700, Engine::native, 90, two},
           Row{d, 2700, 1, Engine::native, 90, two},       Row{d, 2449, 0, Engine::native, 90, one},
           Row{d, 2450, 0, Engine::native, 90, two},       Row{s, 3599, 3599, Engine::native, 90, one},
           Row{s, 3600, 3600, Engine::native, 90, two},    Row{s, 3200, 0, Engine::native, 90, two},
           Row{z, 2999, 2999, Engine::native, 90, one},    Row{z, 3000, 3000, Engine::native, 90, two},
           Row{z, 2250, 0, Engine::native, 90, two},       Row{c, 3899, 3899, Engine::native, 90, one},
           Row{c, 3900, 3900, Engine::native, 90, two},    Row{c, 2900, 0, Engine::native, 90, two},
           Row{d, 0, 0, Engine::native, 90, one},          Row{d, 1, 1, Engine::native, 90, one},
           Row{d, 20000, 20000, Engine::native, 60, two},  Row{d, 20000, 20000, Engine::native, 80, two},
           Row{d, 20000, 20000, Engine::native, 100, two}, Row{d, 20000, 20000, Engine::native, 86, one},
           Row{d, 20000, 20000, Engine::native, 89, one},  Row{d, 20000, 0, Engine::native, 120, one},
           Row{s, 20000, 20000, Engine::native, 86, one},  Row{d, 20000, 20000, Engine::native, 0, one},
       }) {
    CAPTURE(row.n, row.vectors, row.type.is_complex, row.type.is_single, row.capability);
    CHECK(chosen(row) == row.path);
  }
}

TEST_CASE("engines other than native take the two-stage path for large matrices only, or never") {
  for (const Engine engine : {Engine::df, Engine::emulated, Engine::ozaki, Engine::ozaki_fp8})
    for (const std::int64_t n : {1000, 2000, 3000, 4000, 5099, 5100, 6000, 10000, 100000})
      for (const std::int64_t vectors : {std::int64_t{0}, std::int64_t{1}, n})
        for (const int capability : {80, 86, 90, 100}) {
          CAPTURE(name(engine), n, vectors, capability);
          const std::int64_t never = PathTuning::never;
          const std::int64_t from = engine == Engine::df      ? (vectors == 0 ? 7000 : never)
                                    : engine == Engine::ozaki ? (vectors == 0 ? 2113 : 5100)
                                                              : never;
          const Path expected = n >= from && capability != 86 ? two : one;
          CHECK(chosen({d, n, vectors, engine, capability, expected}) == expected);
          CHECK(chosen({d, n, vectors, Engine::automatic, capability, expected}, Path::automatic,
                       fastest(engine)) == expected);
          CHECK(engine_of_path({.n = n, .type = d, .engine = Engine::automatic, .rates = fastest(engine)}) ==
                engine);
        }
}

TEST_CASE("the automatic engine takes the native path if native is fastest, not measured, or alone") {
  CHECK(chosen({d, 10000, 10000, Engine::automatic, 90, two}) == two);
  CHECK(chosen({d, 10000, 10000, Engine::automatic, 90, two}, Path::automatic, fastest(Engine::native)) ==
        two);
  for (const EntryType type : {s, z, c})
    CHECK(chosen({type, 10000, 10000, Engine::automatic, 90, two}, Path::automatic, fastest(Engine::df)) ==
          two);
}

TEST_CASE("float and complex matrices take the path of native products, whatever engine is asked for") {
  for (const EntryType type : {s, z, c})
    for (const Engine engine : {Engine::df, Engine::emulated, Engine::automatic})
      for (const std::int64_t n : {1000, 2250, 2900, 3000, 3200, 3600, 3900, 10000})
        for (const std::int64_t vectors : {std::int64_t{0}, n})
          for (const int capability : {86, 90}) {
            CAPTURE(name(engine), type.is_complex, type.is_single, n, vectors, capability);
            const ProductRates rates = engine == Engine::automatic ? fastest(Engine::df) : ProductRates{};
            CHECK(engine_of_path({.n = n, .type = type, .engine = engine, .rates = rates}) == Engine::native);
            CHECK(chosen({type, n, vectors, engine, capability, one}, Path::automatic, rates) ==
                  chosen({type, n, vectors, Engine::native, capability, one}));
          }
}

TEST_CASE("a path that is asked for is taken") {
  for (const Engine engine : {Engine::native, Engine::df, Engine::emulated, Engine::ozaki, Engine::automatic})
    for (const int capability : {0, 86, 90})
      for (const Path path : {one, two}) CHECK(chosen({d, 100, 100, engine, capability, path}, path) == path);
}

TEST_CASE("a measured crossover of an engine counts, and of that engine alone") {
  PathTuning measured = tuning;
  measured.emulated = {5000, 4000};
  const auto path = [&](Engine engine, std::int64_t n, std::int64_t vectors) {
    return choose_path({n, d, vectors, Path::automatic, engine, {}, 90}, measured);
  };
  CHECK(path(Engine::emulated, 4999, 1) == one);
  CHECK(path(Engine::emulated, 5000, 1) == two);
  CHECK(path(Engine::emulated, 4000, 0) == two);
  CHECK(path(Engine::df, 5000, 1) == one);
  measured.ozaki = {3000, 2000};
  for (const Engine engine : {Engine::ozaki, Engine::ozaki_fast}) {
    CHECK(path(engine, 3000, 1) == two);
    CHECK(path(engine, 2999, 1) == one);
    CHECK(path(engine, 2000, 0) == two);
  }
  CHECK(path(Engine::ozaki_fp8, 100000, 1) == one);
}
