#include "solver/sparse/basis.hpp"

#include "hybrid/error.hpp"
#include "solver/sparse/cpu_executor.hpp"
#include "solver/sparse/small_matrices.hpp"
#include "solver/sparse/verify_few.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/matrices.hpp"

using namespace eigen_g;

namespace {

struct Fixture {
  explicit Fixture(std::int64_t order) : n(order), on(order, {}), basis(on, 8), small(on.take(16 * 64)) {}
  double orthogonality() { return eigen_g::orthogonality(on, basis.blocks(), basis.block(0), small); }
  // The next block, with element value(i, j).
  template <class Value>
  void fill(const Value& value) {
    for (std::int64_t i = 0; i < n; ++i)
      for (int j = 0; j < 4; ++j) basis.block(basis.blocks())[4 * i + j] = value(i, j);
  }
  std::int64_t n;
  CpuExecutor<double> on;
  Basis<double> basis;
  double* small;
};

}  // namespace

TEST_CASE("a basis is orthonormal for any blocks") {
  Fixture f(600);
  f.basis.append_random();
  f.basis.append_random();
  CHECK(f.orthogonality() <= 1e-14);
  CHECK(f.basis.random_columns() == 0);

  const std::string kind =
      GENERATE("zero", "one direction", "in the basis", "nearly in the basis", "huge", "graded");
  CAPTURE(kind);
  const double* const v = f.basis.block(0);
  f.fill([&](std::int64_t i, int j) {
    const double random = random_value<double>(77, static_cast<std::uint64_t>(4 * i + j));
    const double same = random_value<double>(78, static_cast<std::uint64_t>(i));
    if (kind == "zero") return 0.0;
    if (kind == "one direction") return same * (j + 1);
    if (kind == "in the basis") return v[4 * i + j] * 3;
    if (kind == "nearly in the basis") return v[4 * i + j] + 1e-12 * random;
    if (kind == "huge") return 1e150 * random;
    return same + std::pow(1e-3, j) * random;
  });
  f.basis.append();
  f.basis.append_random();
  CHECK(f.orthogonality() <= 1e-14);
  if (kind == "zero" || kind == "one direction") CHECK(f.basis.random_columns() > 0);
  if (kind == "huge" || kind == "graded") CHECK(f.basis.random_columns() == 0);
}

TEST_CASE("a basis stays orthonormal if only roundoff remains of every block") {
  Fixture f(400);
  f.basis.append_random();
  while (f.basis.blocks() < f.basis.max_blocks()) {  // A = I
    f.on.copy(f.basis.block(f.basis.blocks() - 1), 4 * f.n, f.basis.block(f.basis.blocks()));
    f.basis.append();
  }
  CHECK(f.orthogonality() <= 1e-13);
}

TEST_CASE("coefficients of a basis reproduce the given block") {
  Fixture f(300);
  f.basis.append_random();
  f.basis.append_random();
  const auto value = [](std::int64_t i, int j) {
    return std::sin(static_cast<double>(i * (j + 1)) + 0.3) +
           (j == 2 ? 1e-3 : 1) * std::cos(static_cast<double>(i));
  };
  f.fill(value);
  const auto coefficients = f.basis.append();
  double worst = 0;
  for (std::int64_t i = 0; i < f.n; ++i)
    for (int j = 0; j < 4; ++j) {
      double sum = 0;
      for (int k = 0; k < 8; ++k)
        sum += f.basis.block(k / 4)[4 * i + k % 4] * coefficients.c[static_cast<std::size_t>(4 * k + j)];
      for (int k = 0; k < 4; ++k)
        sum += f.basis.block(2)[4 * i + k] * coefficients.r[static_cast<std::size_t>(4 * k + j)];
      worst = std::max(worst, std::abs(sum - value(i, j)));
    }
  CHECK(worst <= 1e-13);
}

TEST_CASE("a basis refuses blocks that are not finite") {
  Fixture f(100);
  f.basis.append_random();
  f.fill([](std::int64_t i, int j) { return i == 17 && j == 2 ? support::nan : 1.0; });
  CHECK_THROWS_AS(f.basis.append(), InvalidArgument);
}
