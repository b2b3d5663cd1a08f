// Runs the kernels of generalised problems on the CPU, with each thread as a fiber.
#include "tests/support/emulation.hpp"
// The kernels follow the emulation.
#include "solver/batched/run_pencil_chunk.cuh"

#include <bit>

#include "tests/support/batched_pencils.hpp"
#include "tests/support/catch.hpp"

using namespace eigen_g;
using namespace eigen_g::batched;
using namespace support::batched;

namespace {

struct How {
  bool vectors = true;
  int from = 0, to = -1;  // -1: the largest order
  bool in_place = false;  // X over A
  bool pointers = false;  // and the matrices in the reverse order
  unsigned seed = 1;
};

template <class X>
Arrays<X> arrays_of(std::vector<X*>& each, std::int64_t stride, bool pointers) {
  return pointers ? Arrays<X>{nullptr, 0, each.data()} : Arrays<X>{each[0], stride, nullptr};
}

template <class T>
Pairs<T> solve(const Batch<T>& given_a, const Batch<T>& given_b, const How& how = {}) {
  const int n = given_a.n, to = how.to < 0 ? n : how.to;
  const std::int64_t count = given_a.count();
  Pairs<T> pairs(given_a, how.vectors, how.from, to, how.in_place);
  std::vector<T> a = given_a.a, b = given_b.a;
  std::vector<T*> a_of, b_of, z_of;
  std::vector<real_t<T>*> w_of;
  std::vector<std::int64_t> members;
  for (std::int64_t k = 0; k < count; ++k) {
    a_of.push_back((how.in_place ? pairs.z : a).data() + k * given_a.stride);
    b_of.push_back(b.data() + k * given_b.stride);
    z_of.push_back(pairs.z.data() + k * given_a.stride);
    w_of.push_back(pairs.w.data() + k * n);
    members.push_back(count - 1 - k);
  }
  const bool ragged = std::count(given_a.orders.begin(), given_a.orders.end(), n) < count;
  Chunk<T> chunk;
  chunk.count = count;
  chunk.n = n;
  chunk.orders = ragged ? given_a.orders.data() : nullptr;
  chunk.upper = given_a.upper;
  chunk.from = how.from;
  chunk.to = to;
  chunk.members = how.pointers ? members.data() : nullptr;
  chunk.a = arrays_of(a_of, given_a.stride, how.pointers);
  chunk.b = arrays_of(b_of, given_b.stride, how.pointers);
  chunk.w = arrays_of(w_of, n, how.pointers);
  if (how.vectors) chunk.z = arrays_of(z_of, given_a.stride, how.pointers);
  chunk.lda = {0, given_a.lda.data()};
  chunk.ldb = {0, given_b.lda.data()};
  chunk.ldz = {0, pairs.ldz.data()};
  chunk.status = pairs.status.data();
  chunk.failures = pairs.failures;

  using D = device_t<T>;
  const Method method = method_of<T>(n, how.vectors, true);
  const auto place = [&](Arena& arena) {
    const PencilWork<D> pencil = place_pencil_work<D>(arena, n, how.vectors, count);
    return std::pair(place_work<D>(arena, method, n, how.vectors, count), pencil);
  };
  Arena counting;
  place(counting);
  std::vector<std::uint64_t> memory((counting.bytes() + Arena::alignment) / 8, ~std::uint64_t{0});  // NaN
  const auto start =
      (reinterpret_cast<std::uintptr_t>(memory.data()) + Arena::alignment - 1) / Arena::alignment;
  Arena arena(reinterpret_cast<void*>(start * Arena::alignment), counting.bytes());
  const auto [work, pencil] = place(arena);
  emulation::seed(how.seed);
  const auto launch = [](auto kernel, std::int64_t blocks, int threads, int shared,
                         const auto&... arguments) {
    emulation::launch(kernel, blocks, threads, shared, arguments...);
  };
  run_pencil_chunk<D>(
      launch,
      [&, &work = work](const Chunk<D>& standard) {
        run_chunk<D>(launch, method, standard, work, how.vectors, 4);
      },
      std::bit_cast<Chunk<D>>(chunk), pencil);
  CHECK(pairs.touched() == 0);
  CHECK(same_bits(a, given_a.a));
  CHECK(same_bits(b, given_b.a));
  CHECK(pairs.failures[0] ==
        static_cast<std::uint64_t>(count - std::count(pairs.status.begin(), pairs.status.end(), 0)));
  return pairs;
}

// Kinds of B in turn.
std::vector<int> kinds(std::size_t count, int first) {
  std::vector<int> list;
  for (std::size_t k = 0; k < count; ++k)
    list.push_back((first + static_cast<int>(k)) % static_cast<int>(kinds_of_b.size()));
  return list;
}

}  // namespace

#define ALL_TYPES float, double, std::complex<float>, std::complex<double>

TEMPLATE_TEST_CASE("pencil kernels: kinds of B, families of A, and values only", "", ALL_TYPES) {
  int turn = static_cast<int>(sizeof(TestType)) / 4;
  for (const int n :
       {1, 2, 3, 4, 5, 6, 7, 8, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65, 95, 96, 97, 127, 128}) {
    ++turn;
    std::vector<int> families_of_a{0, 0, 5, 7, 8, 3, 1, 0};
    if (n > 33) families_of_a.resize(n > 64 ? 2 : 3);
    const auto b_kinds = kinds(families_of_a.size(), n > 33 ? turn : 0);
    const Batch<TestType> a = make_batch<TestType>(n, families_of_a, turn % 2 == 0), b = make_b(a, b_kinds);
    How how;
    how.seed = static_cast<unsigned>(n);
    const Pairs<TestType> pairs = solve(a, b, how);
    how.vectors = false;
    const Pairs<TestType> values = solve(a, b, how);
    for (std::int64_t k = 0; k < a.count(); ++k) {
      CAPTURE(n, kinds_of_b[static_cast<std::size_t>(b_kinds[static_cast<std::size_t>(k)])]);
      check_pencil(a, b, pairs, k);
      CHECK(value_distance(values.values(k), pairs.values(k)) <= support::limits::values_only);
    }
  }
}

TEMPLATE_TEST_CASE(
    "pencil kernels: the bits of a problem do not depend on its batch, its place or its triangle", "",
    ALL_TYPES) {
  for (const int n : {1, 3, 4, 7, 20, 33, 65}) {
    const std::vector<int> families_of_a = n > 32 ? std::vector<int>{0, 8} : std::vector<int>{0, 8, 5, 7};
    const Batch<TestType> a = make_batch<TestType>(n, families_of_a),
                          b = make_b(a, kinds(families_of_a.size(), 2)),
                          blank = make_batch<TestType>(n, families_of_a, true, 4);
    const Pairs<TestType> whole = solve(a, b);
    CAPTURE(n);
    Batch<TestType> upper_a = blank, upper_b = make_b(blank, kinds(families_of_a.size(), 2));
    for (std::int64_t k = 0; k < a.count(); ++k)
      for (int j = 0; j < n; ++j)
        for (int i = j; i < n; ++i) {
          upper_a.at(k, j, i) = number_of<TestType>(a.entry(k, j, i));
          upper_b.at(k, j, i) = number_of<TestType>(b.entry(k, j, i));
        }
    How how;
    how.seed = 2;
    how.in_place = how.pointers = true;
    CHECK(same_results(solve(upper_a, upper_b, how), whole));
    how.in_place = false;
    CHECK(same_results(solve(alone(a, 1), alone(b, 1), how), 0, whole, 1));
    how.from = n / 3;
    how.to = n - n / 4;
    const Pairs<TestType> part = solve(a, b, how);
    for (std::int64_t k = 0; k < a.count(); ++k) {
      const std::vector<real_t<TestType>> w = whole.values(k);
      const std::vector<TestType> z = whole.vectors(k);
      CHECK(same_bits(part.values(k), {w.begin() + how.from, w.begin() + how.to}));
      CHECK(same_bits(part.vectors(k), {z.begin() + how.from * n, z.begin() + how.to * n}));
    }
  }
}

TEMPLATE_TEST_CASE("pencil kernels: matrices of several orders", "", ALL_TYPES) {
  for (const std::vector<int>& orders :
       {std::vector<int>{5, 8, 6}, {9, 16, 13}, {32, 17, 25}, {48, 33}, {50, 64}, {90, 65}, {97, 100}}) {
    const Batch<TestType> a = make_batch<TestType>(orders, std::vector<int>(orders.size(), 0),
                                                   orders.size() % 2 == 1),
                          b = make_b(a, kinds(orders.size(), 1));
    How how;
    how.pointers = true;
    const Pairs<TestType> whole = solve(a, b, how);
    for (std::int64_t k = 0; k < a.count(); ++k) {
      CAPTURE(k, a.n);
      check_pencil(a, b, whole, k);
      CHECK(same_results(solve(alone(a, k), alone(b, k)), 0, whole, k));
    }
  }
}

TEMPLATE_TEST_CASE("pencil kernels: a bad matrix harms its own problem only", "", ALL_TYPES) {
  using R = real_t<TestType>;
  const R nan = std::numeric_limits<R>::quiet_NaN(), infinity = std::numeric_limits<R>::infinity();
  for (const int n : {1, 2, 3, 4, 5, 9, 33, 70}) {
    Batch<TestType> a = make_batch<TestType>(n, std::vector<int>(7, 0), n % 2 == 0),
                    b = make_b(a, kinds(7, 0));
    const int row = n / 2;
    const auto entry = [&](Batch<TestType>& m, std::int64_t k, int i, int j) -> TestType& {
      return m.upper ? m.at(k, j, i) : m.at(k, i, j);
    };
    const Pairs<TestType> good = solve(a, b);
    entry(a, 1, n - 1, row) = TestType(nan);
    entry(b, 2, n - 1, 0) = TestType(-infinity);
    entry(b, 3, row, row) = TestType(R(-1));  // not positive definite
    entry(b, 4, 0, 0) = TestType(0);
    for (int j = 0; j < n; ++j)  // B = 2^-big I: w overflows
      for (int i = j; i < n; ++i) entry(b, 5, i, j) = TestType(i == j ? std::numeric_limits<R>::min() : 0);
    for (int j = 0; j < n; ++j)
      for (int i = j; i < n; ++i) entry(a, 5, i, j) = TestType(i == j ? R(4) : R(0));
    std::vector<std::int32_t> status{0, -1, -1, n + row + 1, n + 1, -1, 0};
    for (const bool vectors : {true, false}) {
      How how;
      how.vectors = vectors;
      const Pairs<TestType> pairs = solve(a, b, how);
      CAPTURE(n, vectors);
      CHECK(pairs.status == status);
      CHECK(pairs.failures[1] == 1);
      for (std::int64_t k = 0; k < 7; ++k) {
        CAPTURE(k);
        if (status[static_cast<std::size_t>(k)] == 0) {
          if (vectors) CHECK(same_results(pairs, k, good, k));
          continue;
        }
        std::int64_t others = 0;
        for (const R x : pairs.values(k)) others += !std::isnan(x);
        for (const TestType x : pairs.vectors(k))
          others += !std::isnan(std::real(x)) || (is_complex<TestType> && !std::isnan(std::imag(x)));
        CHECK(others == 0);
      }
    }
  }
}

TEMPLATE_TEST_CASE("pencil kernels: no kernel needs more shared memory than there is", "", ALL_TYPES) {
  for (int n = 5; n <= largest_pencil_order; ++n)
    CHECK(static_cast<std::size_t>(TeamMemory<device_t<TestType>, 32>::bytes(n)) <= emulation::shared_bytes);
}
