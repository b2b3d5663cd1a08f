// Where each matrix of a solve is stored, as a table. No GPU is needed.
#include "solver/driver/places.hpp"

#include <complex>
#include <string>

#include "solver/reduction/two_stage/full_to_band.hpp"
#include "tests/support/catch.hpp"

using namespace eigen_g;

namespace {

constexpr std::uintptr_t a_at = 1 << 20, z_at = 1 << 24;

struct Case {
  std::int64_t n = 6400;
  bool vectors = true, part = false, on_gpu = true;
  Pointers pointers = Pointers::device;
  Path path = Path::two_stage;
  std::int64_t a_off = 0, z_off = 0, a_rows = 0, z_rows = 0;  // bytes, and rows of padding
  bool z_over_a = false, over_any_columns = false;
  MemoryMode mode = MemoryMode::in_core;
};

template <class T>
Places places(const Case& c) {
  Plan plan{c.n, {}, {}, c.pointers};
  plan.options.vectors = c.vectors;
  if (c.part) plan.options.subset = Subset::by_index(1, c.n / 2);
  plan.on_gpu = c.on_gpu;
  plan.path = c.path;
  plan.mode = c.mode;
  const auto array = [&](std::uintptr_t at, std::int64_t off, std::int64_t rows) {
    return MatrixView<T>{reinterpret_cast<T*>(at + static_cast<std::uintptr_t>(off)), c.n, c.n, c.n + rows};
  };
  const MatrixView<T> a = array(a_at, c.a_off, c.a_rows);
  return places_of<T>(plan, {a, nullptr, c.z_over_a ? a : array(z_at, c.z_off, c.z_rows)},
                      c.over_any_columns);
}

std::string text(const MatrixPlace& place) {
  static constexpr const char* names[] = {"a", "z", "c", "q", "u"};
  switch (place.where) {
    case Where::nowhere:
      return "-";
    case Where::callers:
      return "caller";
    case Where::own:
      return "own";
    case Where::shared:
      return names[static_cast<int>(place.with)];
  }
  return "";
}

// "A Z C Q U", and "back" if the back-transformation may work in the caller's A.
template <class T>
std::string row(const Case& c) {
  const Places p = places<T>(c);
  std::string all;
  for (const MatrixPlace& place : {p.a, p.z, p.c, p.q, p.u}) all += (all.empty() ? "" : " ") + text(place);
  return all + (p.back_in_a ? " back" : "");
}

}  // namespace

TEMPLATE_TEST_CASE("places on the CPU: A in the workspace, Z the caller's", "", float, double,
                   std::complex<float>, std::complex<double>) {
  const std::string with_vectors = is_complex<TestType> ? "own caller - - own" : "own caller - - z";
  for (const bool part : {false, true})
    for (const std::int64_t n : {1, 301, 6400}) {
      const Case c{
          .n = n, .part = part, .on_gpu = false, .pointers = Pointers::host, .path = Path::one_stage};
      CHECK(row<TestType>(c) == with_vectors);
    }
  CHECK(row<TestType>({.vectors = false, .on_gpu = false, .pointers = Pointers::host}) == "own - - - -");
}

TEMPLATE_TEST_CASE("places out of core: what follows the reduction is in A's memory", "", float, double,
                   std::complex<float>, std::complex<double>) {
  constexpr bool real = !is_complex<TestType>;
  const Case parked{.pointers = Pointers::host, .mode = MemoryMode::parked};
  CHECK(row<TestType>(parked) == (real ? "own own z a z" : "own own a z a"));
  CHECK(row<TestType>({.pointers = Pointers::host, .mode = MemoryMode::slabs}) == "own caller a a a");
  CHECK(row<TestType>({.pointers = Pointers::host, .mode = MemoryMode::block_columns}) == "own caller a a a");
  CHECK(row<TestType>({.vectors = false, .pointers = Pointers::host, .mode = MemoryMode::block_columns}) ==
        row<TestType>({.vectors = false, .pointers = Pointers::host}));
  CHECK(row<TestType>({.mode = MemoryMode::parked}) ==
        (real ? "caller caller z caller z back" : "caller caller a z a"));
  CHECK(row<TestType>({.z_over_a = true, .mode = MemoryMode::parked}) ==
        (real ? "own caller z a z" : "own caller a z a"));
  CHECK(row<TestType>({.vectors = false, .pointers = Pointers::host, .mode = MemoryMode::parked}) ==
        "own - - - -");
}

TEMPLATE_TEST_CASE("places of host pointers on a GPU: all in the workspace", "", float, double,
                   std::complex<float>, std::complex<double>) {
  const std::string with_vectors = is_complex<TestType> ? "own own u z own" : "own own z own z";
  for (const Path path : {Path::one_stage, Path::two_stage})
    for (const bool part : {false, true})
      for (const std::int64_t n : {1, 301, 6400}) {
        Case c{.n = n, .part = part, .pointers = Pointers::host, .path = path};
        CAPTURE(name(path), part, n);
        CHECK(row<TestType>(c) == with_vectors);
        c.a_off = c.z_off = 8;  // the caller's arrays do not matter
        c.a_rows = c.z_rows = 3;
        CHECK(row<TestType>(c) == with_vectors);
        c.vectors = false;
        CHECK(row<TestType>(c) == "own - - - -");
      }
}

TEMPLATE_TEST_CASE("places of device pointers: A where it is, if its columns fit the reduction", "", float,
                   double, std::complex<float>, std::complex<double>) {
  const auto is_own = [](const Case& c) { return places<TestType>(c).a.where == Where::own; };
  constexpr std::int64_t size = sizeof(TestType), in_32_bytes = 32 / std::min<std::int64_t>(32, size);
  for (const Path path : {Path::one_stage, Path::two_stage})
    for (const bool vectors : {true, false}) {
      CAPTURE(name(path), vectors);
      const auto of = [&](std::int64_t n) { return Case{.n = n, .vectors = vectors, .path = path}; };
      CHECK_FALSE(is_own(of(64)));  // columns of a multiple of 64 entries
      CHECK_FALSE(is_own(of(6400)));
      CHECK(is_own(of(6401)) == (path == Path::one_stage || in_32_bytes > 1));
      CHECK(is_own(of(6400 + in_32_bytes)) == (path == Path::one_stage));
      CHECK(is_own(of(1000)));  // few rows go back by panels
      const std::int64_t max_by_panels = 1056 + band_width<TestType>(0), more = max_by_panels + 4;
      CHECK(is_own(of(max_by_panels)) == (max_by_panels % 64 != 0));
      CHECK(is_own(of(more)) == (path == Path::one_stage || more % in_32_bytes != 0));
      Case c = of(6400);
      c.a_rows = 64;
      CHECK(is_own(c));
      c.a_rows = 0;
      c.a_off = 8;
      CHECK(is_own(c));
      c.a_off = 16;
      CHECK_FALSE(is_own(c));
      c.z_over_a = true;
      CHECK(is_own(c) == vectors);
    }
}

TEMPLATE_TEST_CASE("places of device pointers, real: Z, C, Q and U", "", float, double) {
  constexpr std::int64_t n = 6400;
  struct Row {
    Case given;
    const char *one_stage, *two_stage;
  };
  const Row rows[] = {
      {{}, "caller caller z own z", "caller caller z own z"},
      {{.part = true}, "caller caller own own z", "caller caller own own z"},
      {{.vectors = false}, "caller - - - -", "caller - - - -"},
      {{.vectors = false, .a_rows = 1}, "own - - - -", "own - - - -"},
      {{.a_rows = 1}, "own caller z caller z", "own caller z caller z"},
      {{.a_off = 8}, "own caller z caller z back", "own caller z caller z back"},
      {{.part = true, .a_off = 8}, "own caller own caller z back", "own caller own caller z back"},
      {{.z_over_a = true}, "own caller z own z", "own caller z own z"},
      {{.part = true, .z_over_a = true}, "own caller own own z", "own caller own own z"},
      {{.z_off = 8}, "caller caller z own z", "caller own z own z"},
      {{.z_rows = 1}, "caller caller z own z", "caller own z own z"},
      {{.z_rows = 2}, "caller caller z own z", "caller caller z own z"},
      {{.part = true, .z_rows = 1}, "caller caller own own z", "caller own z own z"},
      {{.z_rows = 1, .over_any_columns = true}, "caller caller z own z", "caller caller z own z"},
      {{.part = true, .z_rows = 1, .over_any_columns = true},
       "caller caller own own z",
       "caller caller own own z"},
      {{.n = n + 1}, "own caller z caller z back", "own own z caller z back"},  // odd n
      {{.n = n + 1, .z_rows = 1}, "own caller z caller z back", "own caller z caller z back"},
  };
  for (const Row& r : rows) {
    Case c = r.given;
    CAPTURE(&r - rows);
    c.path = Path::one_stage;
    CHECK(row<TestType>(c) == r.one_stage);
    c.path = Path::two_stage;
    CHECK(row<TestType>(c) == r.two_stage);
  }
}

TEMPLATE_TEST_CASE("places of device pointers, complex: U is real and own", "", std::complex<float>,
                   std::complex<double>) {
  struct Row {
    Case given;
    const char* places;
  };
  const Row rows[] = {
      {{}, "caller caller u z own"},
      {{.part = true}, "caller caller u own own"},
      {{.vectors = false}, "caller - - - -"},
      {{.a_rows = 1}, "own caller u z own"},
      {{.z_over_a = true}, "own caller u z own"},
      {{.part = true, .z_over_a = true}, "own caller u own own"},
      {{.z_off = 8}, "caller caller u z own"},
      {{.part = true, .z_rows = 1}, "caller caller u own own"},
  };
  for (const Row& r : rows)
    for (const Path path : {Path::one_stage, Path::two_stage}) {
      Case c = r.given;
      CAPTURE(&r - rows, name(path));
      c.path = path;
      CHECK(row<TestType>(c) == r.places);
    }
}

TEST_CASE("the arrays of a layout: packed ones may be worked in, any ones take A and a row more") {
  for (const std::int64_t n : {63, 64, 6400}) {
    const auto packed = arrays_of<double>(MatrixLayout::contiguous, n),
               any = arrays_of<double>(MatrixLayout::any, n);
    CHECK(packed.a.lda == n);
    CHECK(packed.z.lda == n);
    CHECK(packed.a.data != packed.z.data);
    CHECK(any.a.lda > n);
    CHECK(any.z.lda % 2 == 0);
    CHECK(any.a.data != any.z.data);
  }
}
