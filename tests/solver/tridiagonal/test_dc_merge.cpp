#include "solver/tridiagonal/dc_merge.hpp"

#include <random>

#include "solver/tridiagonal/dc_deflate.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/dc_on_cpu.hpp"

using namespace eigen_g::dc;
using eigen_g::MatrixView;

namespace {

// Compares compressing with explicit rotations and a permutation of a dense Q; elements without an entry of Q are NaN.
void check_compress(Index upper, Index lower, std::uint64_t seed, double spread) {
  const Index n = upper + lower;
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> storage(static_cast<std::size_t>(arrays_size<double>(n)), support::nan);
  const Arrays<double> x = place_arrays(n, storage.data());
  const Merge merge{0, n, upper};
  std::vector<double> d(static_cast<std::size_t>(n)), q(static_cast<std::size_t>(n * n), support::nan),
      full(q.size(), 0.0), c(q.size(), support::nan);
  std::vector<Index> columns;
  for (Index i = 0; i < n; ++i) {
    d[i] = random() % 2 == 0 ? 0.5 + spread * uniform(random) : uniform(random);
    columns.push_back(i);
    const bool up = i < upper;
    for (Index row = up ? 0 : upper; row < (up ? upper : n); ++row)
      q[static_cast<std::size_t>(row + i * n)] = full[static_cast<std::size_t>(row + i * n)] =
          uniform(random);
  }
  std::sort(d.begin(), d.end());
  std::shuffle(columns.begin(), columns.end(), random);
  for (Index s = 0; s < n; ++s) {
    x.merged_d[s] = d[s];
    x.merged_z[s] = random() % 4 == 0 ? 1e-18 : 0.1 + 0.5 * std::fabs(uniform(random));
    x.source[s] = columns[s];
  }
  Shape<double> shape{};
  deflate(OneThread{}, merge, x, 0.5, &shape);

  for (Index s = 0; s < n;
       ++s)  // chains are disjoint, so their rotations one chain after the other are all rotations in order
    if (x.link[s] >= 0)
      for (Index row = 0; row < n; ++row) {
        double &a = full[static_cast<std::size_t>(row + x.source[s] * n)],
               &b = full[static_cast<std::size_t>(row + x.source[x.link[s]] * n)];
        const double old_a = a;
        a = x.cosine[s] * a + x.sine[s] * b;
        b = x.cosine[s] * b - x.sine[s] * old_a;
      }

  const MatrixView<const double> from{q.data(), n, n, n};
  const MatrixView<double> to{c.data(), n, n, n};
  for (Index s = 0; s < n; ++s)
    for (Index row = 0; row < n; ++row)
      if (!x.linked[s] && !compress_skips(shape, x, row < upper, s))
        compress_row(merge, shape, x, from, to, row, row < upper,
                     Rows{0, n}.of_end_row(merge, row, x.first_of_c, x.last_of_c), s,
                     entry_of_row(merge, x, from, row, row < upper, s));

  for (Index s = 0; s < n; ++s)
    for (Index row = 0; row < n; ++row) {
      const Index target = x.target[s];
      const bool read =
          target >= shape.k || (row < upper ? target < shape.upper_end() : target >= shape.lower_begin());
      const double value = to(row, target), expected = full[static_cast<std::size_t>(row + x.source[s] * n)];
      CAPTURE(s, row, target, shape.k, shape.upper, shape.dense);
      if (read) {
        CHECK(value == Approx(expected).margin(1e-15));
        if (row == 0) CHECK(x.first_of_c[target] == value);
        if (row == n - 1) CHECK(x.last_of_c[target] == value);
      } else
        CHECK(expected == 0);
    }
}

}  // namespace

TEST_CASE("The compressed Q is Q rotated and permuted, with the zeros that the products read") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    for (const double spread : {0.0, 1e-16, 1e-3}) {
      CAPTURE(seed, spread);
      check_compress(7, 9, seed, spread);
      check_compress(1, 5, seed, spread);
      check_compress(6, 1, seed, spread);
    }
}

TEST_CASE("Values are ordered, of equal ones roots first, then as they were found") {
  const Index n = 7;
  std::vector<double> storage(static_cast<std::size_t>(arrays_size<double>(n)));
  const Arrays<double> x = place_arrays(n, storage.data());
  const Merge merge{0, n, 3};
  const Shape<double> shape{3, 1, 1, 1, 1.0};
  const double root[] = {1, 2, 2}, deflated[] = {2, 0.5, 2, 9};
  std::copy_n(root, 3, x.root);
  std::copy_n(deflated, 4, x.deflated);
  for (Index t = 0; t < n; ++t) order_value(OneThread(), merge, shape, x, t);
  const double d[] = {0.5, 1, 2, 2, 2, 2, 9};
  const Index column[] = {4, 0, 1, 2, 3, 5, 6};
  CHECK(std::equal(d, d + n, x.d));
  CHECK(std::equal(column, column + n, x.column));
}
