// The digits of small eigenvalues of A x = w B x with an ill-conditioned B, against quadruple precision.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "solver/api/generalised.hpp"
#include "solver/verify/verify_generalised.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/exact_pencil.hpp"
#include "tests/support/matrices.hpp"
#include "tests/support/solving.hpp"

using namespace eigen_g;
using support::OnCpu;
using support::OnGpu;

namespace {

// The largest relative error of the three values that are smallest by modulus.
double error_of_smallest(const std::vector<double>& exact, const std::vector<double>& w) {
  std::vector<std::size_t> by_size(exact.size());
  std::iota(by_size.begin(), by_size.end(), 0U);
  std::sort(by_size.begin(), by_size.end(),
            [&](std::size_t x, std::size_t y) { return std::fabs(exact[x]) < std::fabs(exact[y]); });
  double worst = 0;
  for (std::size_t k = 0; k < 3; ++k)
    worst = std::max(worst, std::fabs(w[by_size[k]] / exact[by_size[k]] - 1));
  return worst;
}

}  // namespace

TEMPLATE_TEST_CASE("generalised: small eigenvalues keep their digits with an ill-conditioned B", "", OnCpu,
                   OnGpu) {
  ON_DEVICE(TestType);
  Devices devices;
  devices.device = TestType::device;
  for (const support::NamedMatrix& matrix : support::ill_conditioned()) {
    const std::int64_t n = matrix.n;
    const std::vector<double> a = support::random_symmetric(n, 12);
    const support::ExactPairs exact = support::exact_pairs(n, a, matrix.b);
    for (const bool vectors : {true, false})
      for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
        std::vector<double> b = matrix.b, w(exact.w.size()), z(exact.z.size());
        Options options;
        options.uplo = uplo;
        options.vectors = vectors;
        REQUIRE(sygvd({1}, n, a.data(), n, b.data(), n, w.data(), vectors ? z.data() : nullptr, n, options,
                      devices)
                    .status == Status::converged);
        CAPTURE(matrix.name, support::name(uplo), vectors);
        CHECK(error_of_smallest(exact.w, w) <= 3e-13);
        if (vectors)
          CHECK(passed(verify_generalised<double>(1, uplo, n, a.data(), n, b.data(), n, n, w.data(), z.data(),
                                                  n, DeviceChoice::cpu)));
      }
  }
}
