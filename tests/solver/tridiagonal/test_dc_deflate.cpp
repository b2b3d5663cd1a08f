#include "solver/tridiagonal/dc_deflate.hpp"

#include <algorithm>
#include <barrier>
#include <numeric>
#include <random>
#include <thread>

#include "solver/tridiagonal/dc_merge.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/dc_on_cpu.hpp"

using namespace eigen_g::dc;

namespace {

// A crew of threads, in the place of a thread block on the device.
class Threads {
 public:
  struct Shared {
    explicit Shared(Index members)
        : barrier(members), values(static_cast<std::size_t>(members)), counts(values.size()) {}
    std::barrier<> barrier;
    std::vector<double> values;
    std::vector<std::int64_t> counts;
  };
  Threads(Shared& shared, Index rank) : shared_(shared), rank_(rank) {}
  Index rank() const { return rank_; }
  Index size() const { return static_cast<Index>(shared_.values.size()); }
  void sync() const { shared_.barrier.arrive_and_wait(); }
  double largest(double x) const {
    shared_.values[static_cast<std::size_t>(rank_)] = x;
    sync();
    const double result = *std::max_element(shared_.values.begin(), shared_.values.end());
    sync();
    return result;
  }
  std::int64_t scan(std::int64_t x, std::int64_t& total) const {
    shared_.counts[static_cast<std::size_t>(rank_)] = x;
    sync();
    const auto& counts = shared_.counts;
    total = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    const std::int64_t before = std::accumulate(counts.begin(), counts.begin() + rank_, std::int64_t{0});
    sync();
    return before;
  }

 private:
  Shared& shared_;
  Index rank_;
};

struct Deflated {
  std::vector<double> storage;
  Arrays<double> x;
  Merge merge;
  Shape<double> shape;

  // Entries with upper[s] belong to child 1; their columns are numbered in order.
  Deflated(const std::vector<double>& d, const std::vector<double>& z, const std::vector<bool>& upper,
           double e, Index members = 1)
      : storage(static_cast<std::size_t>(arrays_size<double>(static_cast<Index>(d.size()))), support::nan),
        x(place_arrays(static_cast<Index>(d.size()), storage.data())),
        merge{0, static_cast<Index>(d.size()),
              static_cast<Index>(std::count(upper.begin(), upper.end(), true))} {
    Index next_upper = 0, next_lower = merge.upper;
    for (Index s = 0; s < merge.size; ++s) {
      x.merged_d[s] = d[s];
      x.merged_z[s] = z[s];
      x.source[s] = upper[s] ? next_upper++ : next_lower++;
    }
    if (members == 1) {
      deflate(OneThread{}, merge, x, e, &shape);
      return;
    }
    Threads::Shared shared(members);
    std::vector<std::thread> threads;
    for (Index rank = 0; rank < members; ++rank)
      threads.emplace_back([&, rank] { deflate(Threads(shared, rank), merge, x, e, &shape); });
    for (std::thread& thread : threads) thread.join();
  }
};

// LAPACK's scan, one entry after the other.
struct Reference {
  std::vector<double> pole, weight, deflated;
};
Reference scan(std::vector<double> d, std::vector<double> z, double e) {
  Reference r;
  const double rho = 2 * std::fabs(e);
  double largest = 0;
  for (std::size_t s = 0; s < d.size(); ++s) largest = std::max({largest, std::fabs(d[s]), std::fabs(z[s])});
  const double tolerance = 8 * unit_roundoff<double> * largest;
  std::ptrdiff_t previous = -1;
  const auto accept = [&](std::ptrdiff_t s) {
    r.pole.push_back(d[s]);
    r.weight.push_back(z[s]);
  };
  for (std::ptrdiff_t t = 0; t < static_cast<std::ptrdiff_t>(d.size()); ++t) {
    if (rho * std::fabs(z[t]) <= tolerance) {
      r.deflated.push_back(d[t]);
      continue;
    }
    if (previous >= 0) {
      const double length = std::sqrt(z[previous] * z[previous] + z[t] * z[t]), c = z[t] / length,
                   s = -z[previous] / length;
      if (std::fabs((d[t] - d[previous]) * c * s) <= tolerance) {
        const double d_s = d[previous], d_t = d[t];
        r.deflated.push_back(d_s * (c * c) + d_t * (s * s));
        d[t] = d_s * (s * s) + d_t * (c * c);
        z[t] = length;
      } else {
        accept(previous);
      }
    }
    previous = t;
  }
  if (previous >= 0) accept(previous);
  std::sort(r.deflated.begin(), r.deflated.end());
  return r;
}

void check_against_scan(const std::vector<double>& d, const std::vector<double>& z,
                        const std::vector<bool>& upper, double e, Index members = 1) {
  const Deflated result(d, z, upper, e, members);
  const Reference reference = scan(d, z, e);
  const Shape<double>& shape = result.shape;
  REQUIRE(shape.k == static_cast<Index>(reference.pole.size()));
  CHECK(shape.upper + shape.dense + shape.lower == shape.k);
  CHECK(shape.rho == 2 * std::fabs(e));
  CHECK(std::equal(reference.pole.begin(), reference.pole.end(), result.x.pole));
  CHECK(std::equal(reference.weight.begin(), reference.weight.end(), result.x.weight));
  std::vector<double> deflated(result.x.deflated, result.x.deflated + (result.merge.size - shape.k));
  std::sort(deflated.begin(), deflated.end());
  CHECK(deflated == reference.deflated);

  // The targets are a permutation, and each group is where its kind belongs.
  std::vector<int> seen(d.size(), 0);
  for (Index s = 0; s < result.merge.size; ++s) {
    const Index target = result.x.target[s];
    REQUIRE(target >= 0);
    REQUIRE(target < result.merge.size);
    ++seen[static_cast<std::size_t>(target)];
    const Index kind = target < shape.upper         ? upper_kind
                       : target < shape.upper_end() ? dense_kind
                       : target < shape.k           ? lower_kind
                                                    : deflated_kind;
    CHECK(result.x.kind[s] == kind);
  }
  CHECK(std::count(seen.begin(), seen.end(), 1) == static_cast<std::ptrdiff_t>(d.size()));
}

}  // namespace

TEST_CASE("Nothing deflates if poles are apart and z is not small") {
  const Deflated r({0.1, 0.2, 0.3, 0.4}, {0.5, 0.5, -0.5, 0.5}, {true, false, true, false}, 0.25);
  CHECK(r.shape.k == 4);
  CHECK(r.shape.upper == 2);
  CHECK(r.shape.dense == 0);
  CHECK(r.shape.lower == 2);
  const Index group[] = {0, 2, 1, 3};
  CHECK(std::equal(group, group + 4, r.x.group));
}

TEST_CASE("A zero coupling deflates everything, in order") {
  const Deflated r({-1, 0, 0, 2}, {0.5, 0.5, 0.5, 0.5}, {true, false, true, false}, 0);
  CHECK(r.shape.k == 0);
  const Index target[] = {0, 1, 2, 3};
  CHECK(std::equal(target, target + 4, r.x.target));
  const Deflated zero({0, 0}, {0, 0}, {true, false}, 0);
  CHECK(zero.shape.k == 0);
}

TEST_CASE("Small components and close poles deflate; mixed pairs become dense") {
  const double close = 1e-16;
  const Deflated r({0.1, 0.1 + close, 0.5, 0.7, 0.9}, {0.5, 0.5, 0.5, 1e-17, 0.5},
                   {true, false, false, true, true}, 0.5);
  CHECK(r.shape.k == 3);
  CHECK(r.shape.upper == 1);
  CHECK(r.shape.dense == 1);
  CHECK(r.shape.lower == 1);
  CHECK(r.x.kind[0] == deflated_kind);
  CHECK(r.x.kind[1] == dense_kind);
  CHECK(r.x.kind[3] == deflated_kind);
  CHECK(r.x.link[0] == 1);
  CHECK(r.x.linked[1] == 1);
  CHECK(r.x.weight[0] == Approx(std::sqrt(0.5)));
  CHECK(r.x.cosine[0] == Approx(std::sqrt(0.5)));
  CHECK(r.x.sine[0] == Approx(-std::sqrt(0.5)));
}

TEST_CASE("A run of equal poles becomes one chain and one pole") {
  const Index n = 50;
  const std::vector<double> d(n, 0.5), z(n, 1 / std::sqrt(50.0));
  std::vector<bool> upper;
  for (Index s = 0; s < n; ++s) upper.push_back(s % 2 == 0);
  const Deflated r(d, z, upper, 0.5);
  CHECK(r.shape.k == 1);
  CHECK(r.shape.dense == 1);
  CHECK(r.x.weight[0] == Approx(1));
  for (Index s = 0; s + 1 < n; ++s) CHECK(r.x.link[s] == s + 1);
}

TEST_CASE("The deflation is LAPACK's scan on random data of every density, for teams of any size") {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int round = 0; round < 400; ++round) {
    CAPTURE(round);
    const auto n = static_cast<std::size_t>(1 + random() % 70);
    const double spread = std::pow(10, -16 * uniform(random)), smallness = 17 * uniform(random);
    std::vector<double> d(n), z(n);
    std::vector<bool> upper(n);
    for (std::size_t s = 0; s < n; ++s) {
      d[s] = random() % 3 == 0 ? 0.5 + spread * uniform(random) : uniform(random) - 0.5;
      z[s] = (random() % 2 == 0 ? 1 : -1) * std::pow(10, -smallness * uniform(random));
      upper[s] = random() % 2 == 0;
    }
    std::sort(d.begin(), d.end());
    check_against_scan(d, z, upper, round % 2 == 0 ? 0.3 : -1e-3);
    if (round % 10 == 0) check_against_scan(d, z, upper, 0.3, 2 + round / 40);
  }
}

TEST_CASE("Deflated values that a rotation moved are sorted again with the roots") {
  // 1 deflates because of its component. 0 is heavy and 2 light, so the rotated 0 is near 2, above 1.
  const double u = 1e-16;
  Deflated r({0.5, 0.5 + 2 * u, 0.5 + 8 * u, 0.9}, {0.8, 0, 0.1, 0.5}, {true, false, false, true}, 0.5);
  REQUIRE(r.shape.k == 2);
  REQUIRE(r.x.deflated[0] > r.x.deflated[1]);
  r.x.root[0] = 0.55;
  r.x.root[1] = 1.1;
  for (Index t = 0; t < 4; ++t) order_value(OneThread(), r.merge, r.shape, r.x, t);
  CHECK(std::is_sorted(r.x.d, r.x.d + 4));
  const Index expected[] = {3, 2, 0, 1};
  CHECK(std::equal(expected, expected + 4, r.x.column));
}
