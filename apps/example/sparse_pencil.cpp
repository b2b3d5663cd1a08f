// Vibrations of a membrane by finite elements: K x = w M x with sparse K and M, pairs near a value, counts, and all pairs of an interval.
// [pencil]
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <eigen_g/sparse.hpp>
#include <numbers>
#include <vector>

// The matrix of bilinear elements on a square of n x n inner points: products of the matrices (side, middle, side) along each axis.
struct Rows {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> column;
  std::vector<double> value;
  eigen_g::CsrMatrix<double> view() const {
    return {static_cast<std::int64_t>(offsets.size()) - 1, offsets.data(), column.data(), value.data()};
  }
};
template <class Entry>
Rows rows(int n, Entry entry) {
  Rows a;
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x) {
      for (int j = std::max(0, y - 1); j <= std::min(n - 1, y + 1); ++j)
        for (int i = std::max(0, x - 1); i <= std::min(n - 1, x + 1); ++i) {
          a.column.push_back(i + n * j);
          a.value.push_back(entry(i != x, j != y));
        }
      a.offsets.push_back(static_cast<std::int64_t>(a.column.size()));
    }
  return a;
}

int main() {
  if (!available(eigen_g::FactorLibrary::automatic)) return 4;  // no library that factorises sparse matrices
  const int side = 60, n = side * side;
  const double h = 1.0 / (side + 1), stiff[2] = {2 / h, -1 / h}, mass[2] = {4 * h / 6, h / 6};
  const Rows k = rows(side, [&](int x, int y) { return stiff[x] * mass[y] + mass[x] * stiff[y]; });
  const Rows m = rows(side, [&](int x, int y) { return mass[x] * mass[y]; });

  eigen_g::SparseSolver<double> solver(k.view(), {m.view()});
  std::vector<double> w(6), z(6 * n);
  const eigen_g::FewReport report =
      solver.solve({.count = 6, .end = eigen_g::End::lowest}, w.data(), z.data(), n);
  for (int i = 0; i < 6; ++i) std::printf("%.9f  within %.1e\n", w[i], report.error_bounds[i]);
  std::printf("%lld values below %.6g, %lld found: %s\n", static_cast<long long>(report.count_high),
              report.high, static_cast<long long>(report.found),
              report.proven ? "none is missing" : "not proven");

  std::vector<double> all, vectors;
  const eigen_g::IntervalReport interval = solver.interval(0, 500, 0, all, &vectors);
  std::printf("%lld values below 500, %zu found\n", static_cast<long long>(solver.count(500).below),
              all.size());

  const double c = std::cos(std::numbers::pi * h), exact = 12 / (h * h) * (1 - c) / (2 + c);
  return report.proven && interval.proven && std::fabs(w[0] - exact) < 1e-9 ? 0 : 1;
}
// [end]
