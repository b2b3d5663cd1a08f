// Four pairs of a sparse matrix: the five-point Laplacian on a grid of side x side points in CSR form. Its eigenvalues are
// 4 - 2 cos(pi p / (side + 1)) - 2 cos(pi q / (side + 1)).
// [few-pairs]
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <eigen_g/sparse.hpp>
#include <numbers>
#include <vector>

int main() {
  const int side = 40, n = side * side;
  std::vector<std::int64_t> row_offsets{0};
  std::vector<std::int32_t> column;
  std::vector<double> value;
  const auto entry = [&](int j, double a_ij) { column.push_back(j), value.push_back(a_ij); };
  for (int i = 0; i < n; ++i) {  // the columns of a row ascend; both triangles are stored
    if (i >= side) entry(i - side, -1);
    if (i % side > 0) entry(i - 1, -1);
    entry(i, 4);
    if (i % side < side - 1) entry(i + 1, -1);
    if (i + side < n) entry(i + side, -1);
    row_offsets.push_back(static_cast<std::int64_t>(column.size()));
  }
  const eigen_g::CsrMatrix<double> a{n, row_offsets.data(), column.data(), value.data()};
  std::vector<double> w(4), z(4 * n);
  const eigen_g::FewOptions options{.count = 4, .end = eigen_g::End::lowest};
  const eigen_g::FewReport report = eigen_g::solve_few(a, w.data(), z.data(), n, options);
  for (int k = 0; k < 4; ++k) std::printf("%.9f  residual %.1e\n", w[k], report.residuals[k]);
  const double c = std::cos(std::numbers::pi / (side + 1)), exact = 4 - 4 * c;
  std::printf("by %s, exact lowest value %.9f\n", name(report.method), exact);
  return report.status == eigen_g::Status::converged && std::fabs(w[0] - exact) < 1e-9 ? 0 : 1;
}
// [end]
