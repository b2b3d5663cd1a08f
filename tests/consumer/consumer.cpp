// Solves [2 1; 1 2] with an installed eigen_g: values 1 and 3, vectors (1, -1)/sqrt 2 and (1, 1)/sqrt 2.
#include <cmath>
#include <cstdio>
#include <eigen_g/eigen_g.hpp>
#include <eigen_g/stages.hpp>
#include <eigen_g/verify.hpp>
#include <limits>

int main() {
  const double a[] = {2, 1, std::numeric_limits<double>::quiet_NaN(), 2};  // the upper triangle is not read
  const eigen_g::Solution<double> x = eigen_g::solve(2, a, 2);
  const auto check = eigen_g::verify(eigen_g::Uplo::lower, 2, a, 2, 2, x.values.data(), x.vectors.data(), 2);
  const bool right = std::abs(x.values[0] - 1) < 1e-14 && std::abs(x.values[1] - 3) < 1e-14 &&
                     eigen_g::passed(check) && eigen_g::version()[0] != '\0';

  double t[] = {2, 1, 0, 2}, d[2], e[1], tau[1];  // already tridiagonal
  const bool staged =
      eigen_g::sytrd(eigen_g::Uplo::lower, 2, t, 2, d, e, tau).status == eigen_g::Status::converged &&
      d[0] == 2 && std::abs(e[0]) == 1;

  bool refused = false;
  try {
    (void)eigen_g::solve(2, a, 1);
  } catch (const eigen_g::InvalidArgument& error) {
    refused = error.argument() == eigen_g::Argument::lda;
  }
  std::printf("eigen_g %s: %.15g %.15g%s%s\n", eigen_g::version(), x.values[0], x.values[1],
              right && staged ? "" : " WRONG", refused ? "" : ", bad lda NOT REFUSED");
  return right && staged && refused ? 0 : 1;
}
