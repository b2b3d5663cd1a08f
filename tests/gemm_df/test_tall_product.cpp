#include "gemm_df/tall_product.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/matrices.hpp"
#include "tests/support/team.hpp"

using namespace eigen_g;

namespace {

// Element (i, c) of blocks.
double at(const std::vector<double>& v, std::int64_t n, std::int64_t i, std::int64_t c) {
  return v[static_cast<std::size_t>((c / 4 * n + i) * 4 + c % 4)];
}

}  // namespace

TEST_CASE("products of tall blocks equal their definition, at ragged sizes") {
  const std::int64_t n = GENERATE(0, 1, 2, 127, 129, 1023, 1025, 5000), p = GENERATE(1, 3);
  CAPTURE(n, p);
  const std::vector<double> v = support::random_rectangle(4 * p, n, 1),
                            w = support::random_rectangle(4, n, 2);
  const std::vector<double> small = support::random_rectangle(4 * p, 8, 3);
  const double tolerance = 1e-15 * static_cast<double>(n + 4 * p);

  std::vector<double> c(static_cast<std::size_t>(16 * p), support::nan);
  tall_gram_on_cpu(n, p, v.data(), w.data(), c.data());
  for (std::int64_t row = 0; row < 4 * p; ++row)
    for (std::int64_t j = 0; j < 4; ++j) {
      double sum = 0;
      for (std::int64_t i = 0; i < n; ++i) sum += at(v, n, i, row) * at(w, n, i, j);
      CHECK(std::abs(c[static_cast<std::size_t>(4 * row + j)] - sum) <= tolerance);
    }

  std::vector<double> rest = w, g(16, support::nan);
  tall_subtract_on_cpu(n, p, v.data(), small.data(), rest.data(), g.data());
  double worst = 0, worst_gram = 0, square[16] = {};
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < 4; ++j) {
      double value = at(w, n, i, j);
      for (std::int64_t row = 0; row < 4 * p; ++row)
        value -= at(v, n, i, row) * small[static_cast<std::size_t>(4 * row + j)];
      worst = std::max(worst, std::abs(value - at(rest, n, i, j)));
      for (std::int64_t k = 0; k < 4; ++k) square[4 * k + j] += at(rest, n, i, k) * at(rest, n, i, j);
    }
  for (std::size_t e = 0; e < 16; ++e) worst_gram = std::max(worst_gram, std::abs(square[e] - g[e]));
  CHECK(worst <= 1e-14 * static_cast<double>(p));
  CHECK(worst_gram <= 100 * tolerance);

  std::vector<double> scaled = w;
  tall_times_on_cpu(n, scaled.data(), small.data());
  std::vector<double> z(static_cast<std::size_t>(8 * n), support::nan);
  tall_combine_on_cpu(n, p, v.data(), small.data(), 2, z.data());
  worst = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < 4; ++j) {
      double value = -at(scaled, n, i, j);
      for (std::int64_t k = 0; k < 4; ++k)
        value += at(w, n, i, k) * small[static_cast<std::size_t>(4 * k + j)];
      worst = std::max(worst, std::abs(value));
    }
    for (std::int64_t j = 0; j < 8; ++j) {
      double value = -at(z, n, i, j);
      for (std::int64_t row = 0; row < 4 * p; ++row)
        value += at(v, n, i, row) * small[static_cast<std::size_t>(8 * row + j)];
      worst = std::max(worst, std::abs(value));
    }
  }
  CHECK(worst <= 1e-14 * static_cast<double>(p));
}

TEST_CASE("products of tall blocks have the same bits with any number of threads") {
  const std::int64_t n = 3001, p = 2;
  const std::vector<double> v = support::random_rectangle(4 * p, n, 1),
                            w = support::random_rectangle(4, n, 2);
  support::same_by_threads({3}, [&] {
    std::vector<double> gram(16 * p);
    tall_gram_on_cpu(n, p, v.data(), w.data(), gram.data());
    return gram;
  });
}
