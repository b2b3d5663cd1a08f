#include "apps/io/symmetry.hpp"

#include <cmath>
#include <limits>

#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/matrices.hpp"

using namespace eigen_g;
using namespace eigen_g::io;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

SymmetricMatrix settled(const std::vector<double>& a, std::int64_t n, Triangle triangle) {
  std::shared_ptr<double> memory = allocate_matrix(n, n);
  std::copy(a.begin(), a.end(), memory.get());
  return settle_triangle("a", stored_in(std::move(memory), n, true, "test"), triangle, 1);
}

}  // namespace

TEST_CASE("the worst pair and the largest entry, around the tiles' edges") {
  for (const std::int64_t n : {1, 2, 31, 32, 33, 67, 200})
    for (const int threads : {1, 2, 7}) {
      CAPTURE(n, threads);
      auto a = support::random_symmetric(n);
      CHECK(compare_triangles(a.data(), n, threads).largest == 0);
      a[0] = -100;
      if (n > 1) {
        a[n - 1] = 3;        // (n, 1)
        a[n * (n - 1)] = 5;  // (1, n)
      }
      const Asymmetry found = compare_triangles(a.data(), n, threads);
      CHECK(found.largest_entry == 100);
      CHECK(found.largest == (n > 1 ? 2 : 0));
      CHECK(found.row == n - 1);
      CHECK(found.col == 0);
      CHECK(found.lower_finite);
      CHECK(found.upper_finite);
    }
}

TEST_CASE("of equally bad pairs the first in column order is named, for any number of threads") {
  constexpr std::int64_t n = 300;
  auto a = support::random_symmetric(n);
  for (const auto& [i, j] : {std::pair{299, 250}, {280, 3}, {40, 35}, {290, 2}, {150, 2}}) {
    a[i + j * n] = 10;
    a[j + i * n] = -10;
  }
  for (const int threads : {1, 2, 7}) {
    const Asymmetry found = compare_triangles(a.data(), n, threads);
    CHECK(found.largest == 20);
    CHECK(found.row == 150);
    CHECK(found.col == 2);
  }
}

TEST_CASE("a difference beyond the range of double is no symmetry") {
  const double huge = std::numeric_limits<double>::max();
  CHECK(compare_triangles(std::vector<double>{1, huge, -huge, 1}.data(), 2, 1).largest == inf);
  CHECK_THROWS_AS(settled({1, huge, -huge, 1}, 2, Triangle::automatic), FileError);
  CHECK(settled({1, huge, huge, 1}, 2, Triangle::automatic).asymmetry == 0);
}

TEST_CASE("the limit is n eps max|a|") {
  const double eps = std::numeric_limits<double>::epsilon();
  const auto m = settled({4, 1, 1 + 8 * eps, 4}, 2, Triangle::automatic);  // the limit itself
  CHECK(m.asymmetry == 8 * eps);
  CHECK(m.uplo == Uplo::lower);
  CHECK(m.data[1] == 1);
  const auto refusal = support::refusal([&] { settled({4, 1, 1 + 9 * eps, 4}, 2, Triangle::automatic); });
  CHECK_THAT(refusal.reason, ContainsSubstring("entry (2, 1) is 1, entry (1, 2) is 1.000000000000002;"));
  CHECK_THAT(refusal.reason, ContainsSubstring("--symmetrize") && ContainsSubstring("--uplo"));
}

TEST_CASE("pairs with NaN or infinity are left to the solver, in the triangle that holds them") {
  for (const double bad : {not_a_number, inf, -inf}) {
    CAPTURE(bad);
    CHECK(settled({1, bad, bad, 1}, 2, Triangle::automatic).uplo == Uplo::lower);
    CHECK(settled({1, bad, 2, 1}, 2, Triangle::automatic).uplo == Uplo::lower);
    CHECK(settled({1, 2, bad, 1}, 2, Triangle::automatic).uplo == Uplo::upper);
    CHECK(settled({bad, 2, 2, 1}, 2, Triangle::automatic).uplo == Uplo::lower);
  }
  CHECK(settled({1, not_a_number, inf, 1}, 2, Triangle::automatic).uplo == Uplo::lower);
  CHECK(settled({1, inf, -inf, 1}, 2, Triangle::automatic).asymmetry == 0);
}

TEST_CASE("lower and upper take one triangle and do not read the other") {
  const auto lower = settled({1, 2, not_a_number, 3}, 2, Triangle::lower);
  CHECK(lower.uplo == Uplo::lower);
  CHECK(support::full(lower) == std::vector<double>{1, 2, 2, 3});
  const auto upper = settled({1, not_a_number, 2, 3}, 2, Triangle::upper);
  CHECK(upper.uplo == Uplo::upper);
  CHECK(support::full(upper) == std::vector<double>{1, 2, 2, 3});
}

TEST_CASE("symmetrize") {
  CHECK(support::full(settled({1, 2, 4, 3}, 2, Triangle::symmetrize)) == std::vector<double>{1, 3, 3, 3});
  CHECK(settled({1, 2, 4, 3}, 2, Triangle::symmetrize).asymmetry == 2);  // in the file
  const double huge = std::numeric_limits<double>::max();
  CHECK(support::full(settled({1, huge, huge, 3}, 2, Triangle::symmetrize))[1] == huge);
  const double tiny = std::numeric_limits<double>::denorm_min();
  CHECK(support::full(settled({1, tiny, tiny, 3}, 2, Triangle::symmetrize))[1] == tiny);
  CHECK(std::isnan(support::full(settled({1, 2, not_a_number, 3}, 2, Triangle::symmetrize))[1]));
  constexpr std::int64_t n = 200;
  auto a = support::random_symmetric(n);
  for (std::int64_t j = 1; j < n; ++j) a[j * n] += 2;  // first row
  std::vector<double> out(n * n);
  for (const int threads : {1, 2, 7}) {
    symmetrize(a.data(), n, out.data(), threads);
    for (std::int64_t i = 1; i < n; ++i) REQUIRE(out[i] == 0.5 * a[i] + 0.5 * a[i * n]);
    CHECK(out[n + 1] == a[n + 1]);
  }
}

TEST_CASE("a file of one triangle is used unchanged") {
  std::shared_ptr<double> memory = allocate_matrix(2, 2);
  memory.get()[0] = memory.get()[1] = memory.get()[3] = 1;
  memory.get()[2] = not_a_number;
  for (const Triangle t : {Triangle::automatic, Triangle::lower, Triangle::upper, Triangle::symmetrize}) {
    const auto m = settle_triangle("a", stored_in(memory, 2, false, "test"), t, 1);
    CHECK(m.uplo == Uplo::lower);
    CHECK(m.asymmetry == 0);
    CHECK(support::full(m) == std::vector<double>{1, 1, 1, 1});
  }
}
