// Tests with LAPACK's test matrices of DSYEVD (ddrvst, types 1 to 18) and with other scales.
#include <cfloat>

#include "tests/support/catch.hpp"
#include "tests/support/solving.hpp"

using eigen_g::Uplo;
using eigen_g::generate::Spec;
using support::OnCpu;
using support::OnGpu;
using support::Stored;

TEMPLATE_TEST_CASE("LAPACK's matrix types", "", OnCpu, OnGpu) {
  ON_DEVICE(TestType);
  for (int type = 1; type <= support::lapack_types; ++type)
    for (const std::int64_t n : {0, 1, 2, 3, 5, 20, 129}) {
      const Uplo uplo = type % 2 ? Uplo::lower : Uplo::upper;
      CAPTURE(type, n, support::name(uplo));
      const std::vector<double> full = support::lapack_matrix(type, n, 1000 + static_cast<std::uint64_t>(n));
      support::check_solver(support::stored(full, n, uplo), TestType::device, 0,
                            type < 8 ? "diagonal" : "lapack " + std::to_string(type));
    }
}

TEMPLATE_TEST_CASE("the spectrum follows the scale from one end of the range to the other", "", OnCpu,
                   OnGpu) {
  ON_DEVICE(TestType);
  Spec spec;
  spec.kind = "arithmetic";
  spec.n = 100;
  spec.random_signs = true;
  const double sqrt_max = std::sqrt(DBL_MAX), sqrt_min = std::sqrt(DBL_MIN);
  for (const double scale :
       {DBL_MIN, 1e-300, sqrt_min, 1e-146, 1e-100, 1e100, 1e146, sqrt_max, 1e300, DBL_MAX / 2}) {
    CAPTURE(scale);
    spec.scale = scale;
    const std::vector<double> w = support::check_solver(support::stored(spec), TestType::device, 0,
                                                        spec.scale < DBL_MIN ? "subnormal" : spec.kind);
    CHECK(support::eigenvalue_ratio(w, *eigen_g::generate::exact(spec)) <= support::limits::eigenvalue);
  }
}

TEMPLATE_TEST_CASE("subnormal entries", "", OnCpu, OnGpu) {
  ON_DEVICE(TestType);
  Spec spec;
  spec.n = 80;
  spec.scale = 1e-310;
  support::check_solver(support::stored(spec), TestType::device, 0,
                        spec.scale < DBL_MIN ? "subnormal" : spec.kind);
  spec.kind = "1-2-1";
  spec.scale = 0x1p-1074;
  const std::vector<double> w = support::check_solver(support::stored(spec), TestType::device, 0,
                                                      spec.scale < DBL_MIN ? "subnormal" : spec.kind);
  CHECK(w.back() == 0x1p-1072);  // 4 units of the smallest number, after rounding
}

TEMPLATE_TEST_CASE("zero and diagonal matrices are solved without any rounding", "", OnCpu, OnGpu) {
  ON_DEVICE(TestType);
  for (const char* kind : {"zero", "identity", "values"}) {
    CAPTURE(kind);
    Spec spec;
    spec.kind = kind;
    spec.n = 150;
    spec.rotate = false;
    for (std::int64_t i = 0; i < spec.n; ++i) spec.values.push_back(std::sin(static_cast<double>(i * i)));
    const std::vector<double> w =
        support::check_solver(support::stored(spec, Uplo::upper, 1), TestType::device, 0, "diagonal");
    CHECK(support::eigenvalue_ratio(w, *eigen_g::generate::exact(spec)) <=
          1.0 / 150);  // 1 ulp of the largest
  }
}

TEMPLATE_TEST_CASE("entries from one end of the range to the other in one matrix", "", OnCpu, OnGpu) {
  ON_DEVICE(TestType);
  Spec spec;  // rows and columns graded from 1e150 down to 1e-150
  spec.n = 70;
  std::vector<double> full = support::full_matrix(spec);
  for (std::int64_t j = 0; j < spec.n; ++j)
    for (std::int64_t i = 0; i < spec.n; ++i) {
      const double step = 300.0 / static_cast<double>(spec.n - 1);
      full[i + j * spec.n] *= std::pow(10.0, 150 - 0.5 * step * static_cast<double>(i + j));
    }
  for (const Uplo uplo : {Uplo::lower, Uplo::upper})
    support::check_solver(support::stored(full, spec.n, uplo), TestType::device, 0, "graded");
}

// The matrix has rank two. When the reduction reaches any of the other columns, it contains only rounding errors of one sign.
TEST_CASE("two blocks of equal entries on a GPU: the vectors stay orthogonal", "[gpu][large]") {
  NEEDS_GPU();
  for (const std::int64_t n : {600, 1025, 2049, 3000}) {
    CAPTURE(n);
    std::vector<double> full(static_cast<std::size_t>(n * n));
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < n; ++i)
        full[static_cast<std::size_t>(i + j * n)] = (2 * i < n) == (2 * j < n) ? 3.0 : 0.1;
    support::OptionsAndDevices asked = support::options(eigen_g::DeviceChoice::gpu);
    asked.path = eigen_g::Path::one_stage;
    const Stored s = support::stored(full, n);
    const support::Solved pairs = support::solve_guarded(s, asked);
    const auto v = eigen_g::verify(s.uplo, n, s.a.data(), s.lda, n, pairs.w.data(), pairs.z.data(), pairs.ldz,
                                   eigen_g::DeviceChoice::gpu);
    CHECK(v.lapack_orthogonality <= 1.5);
    CHECK(v.lapack_residual <= 1.5);
  }
}

TEMPLATE_TEST_CASE("all entries equal: one value of size n, the others 0", "", OnCpu, OnGpu) {
  ON_DEVICE(TestType);
  for (const std::int64_t n : {2, 40, 130, 500, 1000}) {
    CAPTURE(n);
    const std::vector<double> ones(static_cast<std::size_t>(n * n), 1.0);
    std::vector<double> exact(static_cast<std::size_t>(n), 0.0);
    exact.back() = static_cast<double>(n);
    const std::vector<double> w =
        support::check_solver(support::stored(ones, n), TestType::device, 0, "ones");
    CHECK(support::eigenvalue_ratio(w, exact) <= support::limits::eigenvalue);
  }
}
