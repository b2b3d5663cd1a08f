// The shortest program: the eigenpairs of a 3 x 3 matrix in host memory, and their verification.
// [first-solve]
#include <cstdio>
#include <eigen_g/eigen_g.hpp>
#include <eigen_g/verify.hpp>

int main() {
  const int n = 3;
  const double a[] = {2, -1, 0, 0, 2, -1, 0, 0, 2};  // column-major; the lower triangle is read
  const auto x = eigen_g::solve(n, a, n);
  for (const double w : x.values) std::printf("%.6f\n", w);  // 2 - sqrt(2), 2, 2 + sqrt(2)
  const auto check = eigen_g::verify(eigen_g::Uplo::lower, n, a, n, n, x.values.data(), x.vectors.data(), n);
  std::printf("%s on %s\n", passed(check) ? "verified" : "wrong", x.report.devices.front().name.c_str());
  return passed(check) ? 0 : 1;
}
// [end]
