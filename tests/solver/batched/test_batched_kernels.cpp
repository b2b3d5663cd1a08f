// Runs the kernels of solver/batched on the CPU, with each thread as a fiber.
#include "tests/support/emulation.hpp"
// The kernels follow the emulation.
#include "solver/batched/run_chunk.cuh"

#include <bit>
#include <optional>

#include "tests/support/batched_matrices.hpp"
#include "tests/support/catch.hpp"

using namespace eigen_g;
using namespace eigen_g::batched;
using namespace support::batched;

namespace {

struct How {
  bool vectors = true;
  bool tensor_cores = true;
  int from = 0, to = -1;  // -1: the largest order
  bool in_place = false;  // Z over A
  bool pointers = false;  // and the matrices in the reverse order
  int multiprocessors = 4;
  unsigned seed = 1;
  int rotations = -1, sweeps = -1;  // room of QL; -1: as much as it needs
};

template <class T>
Pairs<T> solve(const Batch<T>& batch, const How& how = {}) {
  const int n = batch.n, to = how.to < 0 ? n : how.to;
  const std::int64_t count = batch.count();
  Pairs<T> pairs(batch, how.vectors, how.from, to, how.in_place);
  std::vector<T> a = batch.a;
  std::vector<T*> a_of, z_of;
  std::vector<real_t<T>*> w_of;
  std::vector<std::int64_t> members;
  for (std::int64_t k = 0; k < count; ++k) {
    a_of.push_back((how.in_place ? pairs.z : a).data() + k * batch.stride);
    z_of.push_back(pairs.z.data() + k * batch.stride);
    w_of.push_back(pairs.w.data() + k * n);
    members.push_back(count - 1 - k);
  }
  const bool ragged = std::count(batch.orders.begin(), batch.orders.end(), n) < count;
  Chunk<T> chunk;
  chunk.count = count;
  chunk.n = n;
  chunk.orders = ragged ? batch.orders.data() : nullptr;
  chunk.upper = batch.upper;
  chunk.from = how.from;
  chunk.to = to;
  chunk.a = {a_of[0], batch.stride, nullptr};
  chunk.w = {w_of[0], n, nullptr};
  if (how.vectors) chunk.z = {z_of[0], batch.stride, nullptr};
  if (how.pointers) {
    chunk.members = members.data();
    chunk.a = {nullptr, 0, a_of.data()};
    chunk.w = {nullptr, 0, w_of.data()};
    if (how.vectors) chunk.z = {nullptr, 0, z_of.data()};
  }
  chunk.lda = {0, batch.lda.data()};
  chunk.ldz = {0, pairs.ldz.data()};
  chunk.status = pairs.status.data();
  chunk.failures = pairs.failures;

  using D = device_t<T>;
  const Method method = method_of<T>(n, how.vectors, how.tensor_cores);
  Arena counting;
  place_work<D>(counting, method, n, how.vectors, count);
  const std::uint64_t bytes = counting.bytes();
  std::vector<std::uint64_t> memory((bytes + Arena::alignment) / 8, ~std::uint64_t{0});  // NaN
  const auto start =
      (reinterpret_cast<std::uintptr_t>(memory.data()) + Arena::alignment - 1) / Arena::alignment;
  Arena arena(reinterpret_cast<void*>(start * Arena::alignment), bytes);
  Work<D> work = place_work<D>(arena, method, n, how.vectors, count);
  if (how.rotations >= 0) work.room = how.rotations;
  if (how.sweeps >= 0) work.most_sweeps = how.sweeps;
  emulation::seed(how.seed);
  run_chunk<D>(
      [](auto kernel, auto blocks, int threads, int shared, const auto&... arguments) {
        if constexpr (std::is_same_v<decltype(blocks), InClusters>)
          emulation::launch(kernel, emulation::InClusters{blocks.blocks, blocks.cluster}, threads, shared,
                            arguments...);
        else
          emulation::launch(kernel, blocks, threads, shared, arguments...);
      },
      method, std::bit_cast<Chunk<D>>(chunk), work, how.vectors, how.multiprocessors);
  CHECK(pairs.touched() == 0);
  CHECK(same_bits(a, batch.a));
  const auto failed = pairs.failures[0];
  CHECK(failed ==
        static_cast<std::uint64_t>(count - std::count(pairs.status.begin(), pairs.status.end(), 0)));
  return pairs;
}

// Every family whose number has this remainder.
std::vector<int> some_families(int step = 1, int remainder = 0) {
  std::vector<int> chosen;
  for (int f = 0; f < static_cast<int>(families.size()); ++f)
    if (f % step == remainder % step) chosen.push_back(f);
  return chosen;
}

}  // namespace

#define ALL_TYPES float, double, std::complex<float>, std::complex<double>

TEMPLATE_TEST_CASE("batched kernels: hard families, and values only", "", ALL_TYPES) {
  int turn = static_cast<int>(sizeof(TestType)) / 4;
  for (const int n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 32, 33, 48, 64, 65, 96, 128}) {
    ++turn;
    const std::vector<int> kinds = some_families(n <= 32 ? 1 : n <= 65 ? 2 : 4, turn);
    const Batch<TestType> batch = make_batch<TestType>(n, kinds, turn % 2 == 0);
    How how;
    how.seed = static_cast<unsigned>(n);
    how.tensor_cores = turn % 3 != 0;
    const Pairs<TestType> pairs = solve(batch, how);
    how.vectors = false;
    const Pairs<TestType> values = solve(batch, how);
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      const auto at = static_cast<std::int64_t>(k);
      CAPTURE(n, families[static_cast<std::size_t>(kinds[k])]);
      check_pairs(batch, pairs, at);
      if (n > 32)
        CHECK(same_bits(values.values(at), pairs.values(at)));
      else
        CHECK(value_distance(values.values(at), pairs.values(at)) <= support::limits::values_only);
    }
  }
}

TEMPLATE_TEST_CASE("batched kernels: hard families of orders above 128, and values only", "", ALL_TYPES) {
  const bool doubles = std::is_same_v<TestType, double>;
  int turn = static_cast<int>(sizeof(TestType)) / 4 + is_complex<TestType>;
  for (const int n :
       doubles ? std::vector<int>{129, 130, 160, 200, 255, 256, 257, 512} : std::vector<int>{130, 255, 257}) {
    ++turn;
    std::vector<int> kinds = some_families(n < 257 ? 9 : 19, 4 * turn);
    if (sizeof(real_t<TestType>) == 4 && n > 180)  // their largest entries overflow
      std::erase_if(
          kinds, [](int f) { return std::string(families[static_cast<std::size_t>(f)]) == "T graded up"; });
    const Batch<TestType> batch = make_batch<TestType>(n, kinds, turn % 2 == 0);
    How how;
    how.seed = static_cast<unsigned>(n);
    const Pairs<TestType> pairs = solve(batch, how);
    how.vectors = false;
    std::optional<Pairs<TestType>> values;
    if (n < 258) values = solve(batch, how);
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      const auto at = static_cast<std::int64_t>(k);
      CAPTURE(n, families[static_cast<std::size_t>(kinds[k])]);
      check_pairs(batch, pairs, at);
      if (values) CHECK(same_bits(values->values(at), pairs.values(at)));
    }
  }
}

TEST_CASE("batched kernels: clusters of different sizes have the same bits") {
  const Batch<float> batch = make_batch<float>(257, {0});
  How how;
  const Pairs<float> expected = solve(batch, how);
  how.multiprocessors = 8;  // enough for a larger cluster
  how.seed = 2;
  CHECK(same_results(solve(batch, how), expected));
}

TEMPLATE_TEST_CASE(
    "batched kernels: the bits of a matrix do not depend on its batch, its place or its triangle", "",
    ALL_TYPES) {
  for (const int n : {1, 3, 4, 7, 16, 20, 33, 65, 130}) {
    const std::vector<int> kinds = n > 32 ? std::vector<int>{0, 12} : std::vector<int>{0, 12, 6, 1, 8};
    const Batch<TestType> lower = make_batch<TestType>(n, kinds),
                          upper = make_batch<TestType>(n, kinds, true, 4);
    How how;
    const Pairs<TestType> whole = solve(lower);
    how.seed = 2;
    how.in_place = how.pointers = true;
    how.multiprocessors = 1000;
    CAPTURE(n);
    Batch<TestType> conjugated = upper;  // its triangle is the transpose of that of `lower`
    for (std::int64_t k = 0; k < lower.count(); ++k)
      for (int j = 0; j < n; ++j)
        for (int i = j; i < n; ++i) conjugated.at(k, j, i) = number_of<TestType>(lower.entry(k, j, i));
    CHECK(same_results(solve(conjugated, how), whole));
    how.in_place = false;
    CHECK(same_results(solve(alone(lower, 1), how), 0, whole, 1));
  }
}

TEMPLATE_TEST_CASE("batched kernels: a part by index has the bits of the whole", "", ALL_TYPES) {
  for (const int n : {1, 3, 8, 17, 33, 65, 130}) {
    const Batch<TestType> batch = make_batch<TestType>(n, {0, 5});
    const Pairs<TestType> whole = solve(batch);
    for (const auto& [from, to] : {std::pair{0, 0}, {n, n}, {0, 1}, {n / 3, n - n / 4}})
      for (const bool vectors : {true, false}) {
        if (n > 32 && !vectors) continue;
        How how;
        how.vectors = vectors;
        how.from = from;
        how.to = to;
        const Pairs<TestType> part = solve(batch, how);
        CAPTURE(n, from, to, vectors);
        for (std::int64_t k = 0; k < batch.count(); ++k) {
          const std::vector<real_t<TestType>> all = whole.values(k);
          const std::vector<TestType> z = whole.vectors(k);
          const std::vector<real_t<TestType>> expected(all.begin() + from, all.begin() + to);
          if (vectors) {
            CHECK(same_bits(part.values(k), expected));
            CHECK(
                same_bits(part.vectors(k), std::vector<TestType>(z.begin() + from * n, z.begin() + to * n)));
          } else {
            CHECK(value_distance(part.values(k), expected) <= support::limits::values_only * n);
          }
        }
      }
  }
}

TEMPLATE_TEST_CASE("batched kernels: matrices of several orders", "", ALL_TYPES) {
  for (const std::vector<int>& orders : {std::vector<int>{5, 8, 6},
                                         {1, 9, 16, 13, 2},
                                         {32, 17, 3},
                                         {48, 33},
                                         {50, 64},
                                         {90, 65},
                                         {200, 130},
                                         {257, 270}}) {
    // Above order 256 a reduction of doubles has the same threads and panels as one of floats. These have whole matrices of order 257 above.
    if (orders[0] > 256 && sizeof(real_t<TestType>) == 4) continue;
    std::vector<int> kinds(orders.size(), 0);
    kinds[1] = 4;
    const Batch<TestType> batch = make_batch<TestType>(orders, kinds, orders.size() % 2 == 1);
    How how;
    how.pointers = true;
    const Pairs<TestType> whole = solve(batch, how);
    how.vectors = false;
    const Pairs<TestType> values = solve(batch, how);
    for (std::int64_t k = 0; k < batch.count(); ++k) {
      const int n = orders[static_cast<std::size_t>(k)];
      CAPTURE(n, batch.n);
      check_pairs(batch, whole, k);
      CHECK(value_distance(values.values(k), whole.values(k)) <= support::limits::values_only);
    }
    const auto last = batch.count() - 1;
    if (padded_order(orders.back()) == padded_order(batch.n))
      CHECK(same_results(solve(alone(batch, last)), 0, whole, last));
  }
}

TEMPLATE_TEST_CASE("batched kernels: a NaN or an infinity harms its own matrix only", "", ALL_TYPES) {
  using R = real_t<TestType>;
  const R nan = std::numeric_limits<R>::quiet_NaN(), infinity = std::numeric_limits<R>::infinity();
  const std::vector<R> bad{nan, infinity, -infinity};
  for (const int n : {1, 2, 3, 4, 5, 9, 33, 70, 140}) {
    std::vector<std::pair<int, int>> places;
    for (int j = 0; j < n; ++j)
      for (int i = j; i < n; ++i)
        if (n < 10 || (n < 100 && i % 23 == 9 && j % 31 == 1) || i + 1 == n + j ||
            (n > 100 && i == 90 && j == 65))
          places.emplace_back(i, j);
    const bool upper = n % 2 == 0;
    Batch<TestType> batch = make_batch<TestType>(n, std::vector<int>(places.size() + 2, 0), upper);
    How how;
    how.to = (n + 1) / 2;
    const Pairs<TestType> clean = solve(alone(batch, 0), how),
                          end = solve(alone(batch, batch.count() - 1), how);
    for (std::size_t q = 0; q < places.size(); ++q) {
      auto [i, j] = places[q];
      if (upper) std::swap(i, j);
      TestType& x = batch.at(static_cast<std::int64_t>(q) + 1, i, j);
      if constexpr (is_complex<TestType>)
        x = i != j && q % 2 == 0 ? TestType(x.real(), bad[q % 3]) : TestType(bad[q % 3], x.imag());
      else
        x = bad[q % 3];
    }
    for (const bool vectors : {true, false}) {
      how.vectors = vectors;
      const Pairs<TestType> pairs = solve(batch, how);
      CAPTURE(n, vectors);
      CHECK(pairs.failures[0] == places.size());
      CHECK(pairs.failures[1] == 1);
      if (vectors) CHECK(same_results(pairs, 0, clean, 0));
      if (vectors) CHECK(same_results(pairs, batch.count() - 1, end, 0));
      std::int64_t others = 0;
      for (std::int64_t k = 1; k + 1 < batch.count(); ++k) {
        others += pairs.status[static_cast<std::size_t>(k)] != -1;
        for (const R x : pairs.values(k)) others += !std::isnan(x);
        for (const TestType x : pairs.vectors(k)) {
          others += !std::isnan(std::real(x));
          if constexpr (is_complex<TestType>) others += !std::isnan(x.imag());
        }
      }
      CHECK(others == 0);
    }
  }
}

TEMPLATE_TEST_CASE("batched kernels: a matrix that does not converge has its own status", "", ALL_TYPES) {
  for (const int n : {6, 30, 40, 129}) {
    const Batch<TestType> batch =
        make_batch<TestType>(n, {2, 0, 1, 8});  // identity and zero need no rotation
    for (const bool vectors : {true, false}) {
      How how;
      how.vectors = vectors;
      how.rotations = 8;
      how.sweeps = vectors ? -1 : 2;
      const Pairs<TestType> pairs = solve(batch, how);
      CAPTURE(n, vectors);
      CHECK(pairs.status[1] > 0);
      CHECK(pairs.status[3] > 0);
      CHECK(pairs.failures[1] == 1);
      if (!vectors) continue;
      check_pairs(batch, pairs, 0);
      check_pairs(batch, pairs, 2);
    }
  }
}

TEMPLATE_TEST_CASE("batched kernels: no kernel needs more shared memory than there is", "", ALL_TYPES) {
  using D = device_t<TestType>;
  for (int n = 1; n <= largest_order; ++n)
    for (const bool vectors : {true, false})
      for (const bool tensor_cores : {true, false}) {
        const Method method = method_of<TestType>(n, vectors, tensor_cores);
        Arena counting;
        Chunk<D> chunk;
        chunk.count = 1;
        chunk.n = chunk.to = n;
        int most = 0;
        run_chunk<D>(
            [&](auto, std::int64_t, int, int shared, const auto&...) { most = std::max(most, shared); },
            method, chunk, place_work<D>(counting, method, n, vectors, 1), vectors, 1);
        CAPTURE(n, vectors, tensor_cores, most);
        CHECK(static_cast<std::size_t>(most) <= emulation::shared_bytes);
      }
}

TEMPLATE_TEST_CASE("batched kernels: the phase of a reflector has modulus one", "", float, double) {
  using R = TestType;
  const R least = std::numeric_limits<R>::denorm_min(), normal = std::numeric_limits<R>::min();
  for (const R re : {R(0), least, 3 * least, normal, R(1e-20), R(1)})
    for (const R im : {R(0), least, 2 * least, normal, R(1e-20), R(1)})
      for (const R tail : {R(0), normal, R(1e-12), R(1)}) {
        CAPTURE(re, im, tail);
        const auto h = make_reflector(DeviceComplex<R>(re, im), tail);
        CHECK(std::abs(std::hypot(h.phase.re, h.phase.im) - 1) < 8 * std::numeric_limits<R>::epsilon());
        CHECK(h.e >= 0);
      }
}

TEST_CASE("emulation: faults of a kernel are found") {
  const auto barrier_of_some = [](int threads) {
    if (static_cast<int>(threadIdx.x) < threads) __syncthreads();
  };
  CHECK_NOTHROW(emulation::launch(barrier_of_some, 2, 64, 0, 64));
  CHECK_THROWS_WITH(emulation::launch(barrier_of_some, 2, 64, 0, 63), ContainsSubstring("__syncthreads()"));
  const auto two_barriers = [](int threads) {
    if (static_cast<int>(threadIdx.x) < threads)
      __syncwarp();
    else
      __shfl_sync(~0U, 1, 0);
  };
  CHECK_NOTHROW(emulation::launch(two_barriers, 1, 32, 0, 32));
  CHECK_THROWS_WITH(emulation::launch(two_barriers, 1, 32, 0, 16), ContainsSubstring("__shfl_sync()"));

  // Thread t hands its number to thread t + 1.
  std::vector<int> found(64);
  const auto hand_on = [&](bool waits) {
    int* const memory = reinterpret_cast<int*>(emulation::shared);
    const int t = static_cast<int>(threadIdx.x);
    found[static_cast<std::size_t>(t)] = memory[t];  // not yet written
    memory[t] = t;
    if (waits) __syncthreads();
    found[static_cast<std::size_t>(t)] =
        std::min(found[static_cast<std::size_t>(t)], 0) + memory[(t + 63) % 64];
  };
  const auto wrong = [&](bool waits) {
    emulation::launch(hand_on, 2, 64, 64 * 4, waits);
    int count = 0;
    for (int t = 0; t < 64; ++t) count += found[static_cast<std::size_t>(t)] != (t + 63) % 64 - 1;
    return count;
  };
  CHECK(wrong(true) == 0);
  CHECK(wrong(false) > 0);

  // Thread 0 of each block of a cluster hands its number to the other block.
  const auto hand_across = [&](bool waits) {
    int* const memory = DynamicShared<int>::memory();
    const int rank = static_cast<int>(blockIdx.x) % 2;
    if (threadIdx.x == 0) memory[0] = rank;
    if (waits) cluster_barrier();
    if (threadIdx.x == 0) found[static_cast<std::size_t>(rank)] = *in_block_of_cluster(memory, 1 - rank);
    cluster_barrier();
  };
  const auto wrong_in_cluster = [&](bool waits) {
    int count = 0;
    for (unsigned seed = 0; seed < 8; ++seed) {
      emulation::seed(seed);
      emulation::launch(hand_across, emulation::InClusters{4, 2}, 32, 4, waits);
      count += found[0] != 1 || found[1] != 0;
    }
    return count;
  };
  CHECK(wrong_in_cluster(true) == 0);
  CHECK(wrong_in_cluster(false) > 0);
  const auto barrier_of_one_block = [] {
    if (blockIdx.x % 2 == 0) cluster_barrier();
  };
  CHECK_THROWS_WITH(emulation::launch(barrier_of_one_block, emulation::InClusters{2, 2}, 32, 0),
                    ContainsSubstring("cluster"));

  const auto writes = [](std::size_t at) { emulation::shared[at] = 1; };
  CHECK_THROWS_WITH(emulation::launch(writes, 1, 1, 1 << 20, std::size_t{0}),
                    ContainsSubstring("shared memory"));
#ifndef EIGEN_G_ADDRESS_SANITIZER  // the sanitizer would stop the program
  CHECK_NOTHROW(emulation::launch(writes, 1, 1, 8, std::size_t{7}));
  CHECK_THROWS_WITH(emulation::launch(writes, 1, 1, 8, std::size_t{8}), ContainsSubstring("behind"));
#endif
}
