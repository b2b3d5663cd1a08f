// Tests of verify_reduction(): right reductions pass at any scale, and planted errors do not.
#include "solver/verify/verify_reduction.hpp"

#include <cmath>
#include <vector>

#include "solver/api/stages.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/matrices.hpp"
#include "tests/support/tolerances.hpp"

using namespace eigen_g;

namespace {

struct Reduced {
  std::vector<double> a, d, e, q;
  std::int64_t n = 0;
  ReductionRatios ratios(Uplo uplo = Uplo::lower) const {
    return verify_reduction(uplo, {a.data(), n, n, n}, d.data(), e.data(), {q.data(), n, n, n});
  }
};

Reduced reduced(std::int64_t n, double scale = 1) {
  const auto size = static_cast<std::size_t>(n);
  Reduced r{support::random_symmetric(n, 1, scale), std::vector<double>(size), std::vector<double>(size),
            std::vector<double>(size * size), n};
  std::vector<double> work = r.a, tau(size);
  Devices on_cpu;
  on_cpu.device = DeviceChoice::cpu;
  sytrd(Uplo::lower, n, work.data(), n, r.d.data(), r.e.data(), tau.data(), on_cpu);
  for (std::size_t i = 0; i < size; ++i) r.q[i * (size + 1)] = 1;
  ormtr(Uplo::lower, n, n, work.data(), n, tau.data(), r.q.data(), n, on_cpu);
  return r;
}

}  // namespace

TEST_CASE("a right reduction passes, at any scale, by either triangle") {
  for (const std::int64_t n : {1, 2, 3, 50, 300})
    for (const double scale : {1.0, 0x1p1000, 0x1p-1000}) {
      CAPTURE(n, scale);
      const Reduced r = reduced(n, scale);
      for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
        CHECK(r.ratios(uplo).backward < support::limits::reduction);
        CHECK(r.ratios(uplo).orthogonality < support::limits::reduction);
      }
    }
  CHECK(reduced(300).ratios().backward > 0);
}

TEST_CASE("only the named triangle is read") {
  Reduced r = reduced(40);
  for (std::size_t j = 1; j < 40; ++j) r.a[j * 40] = support::nan;
  CHECK(r.ratios().backward < support::limits::reduction);
  CHECK(std::isnan(r.ratios(Uplo::upper).backward));
}

TEST_CASE("planted errors are found") {
  const Reduced right = reduced(80);
  Reduced r = right;
  r.d[40] += 1e-7;
  CHECK(r.ratios().backward > 1e3);
  CHECK(r.ratios().orthogonality == right.ratios().orthogonality);
  r = right;
  r.e[78] = -r.e[78];
  CHECK(r.ratios().backward > 1e3);
  r = right;
  r.q[80 * 80 - 1] += 1e-7;
  CHECK(r.ratios().orthogonality > 1e3);
  r = right;
  r.a[80 * 79 - 1] += 1e-7;  // row 79, column 78
  CHECK(r.ratios().backward > 1e3);
  r.d[0] = support::nan;
  CHECK(std::isnan(r.ratios().backward));
}

TEST_CASE("the zero matrix has a ratio too") {
  Reduced r{
      std::vector<double>(9), std::vector<double>(3), std::vector<double>(2), {1, 0, 0, 0, 1, 0, 0, 0, 1}, 3};
  CHECK(r.ratios().backward == 0);
  CHECK(r.ratios().orthogonality == 0);
  r.e[0] = 1e-3;
  CHECK(r.ratios().backward > 1e3);
}
