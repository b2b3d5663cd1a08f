// Tests of whole solves in float. The limits of double hold, in float's unit roundoff.
#include <cstring>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/float_matrix.hpp"
#include "tests/support/reduction.hpp"

using eigen_g::DeviceChoice;
using eigen_g::Uplo;
using support::check_in_float;
using support::FloatMatrix;
using support::FloatPairs;
using support::in_float;
using support::OnCpu;
using support::OnGpu;
using support::options;
using support::random_matrix;

namespace {

constexpr double random_limit = 1;  // holds from n = 100 on: OpenBLAS has 1.07 at 64, in double 1.1

// A = B B^T with B n x rank.
support::Stored low_rank(std::int64_t n, std::int64_t rank) {
  const std::vector<double> b = support::random_rectangle(n, rank, 7);
  std::vector<double> a(static_cast<std::size_t>(n * n));
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t k = 0; k < rank; ++k)
        a[static_cast<std::size_t>(i + j * n)] +=
            b[static_cast<std::size_t>(i + k * n)] * b[static_cast<std::size_t>(j + k * n)];
  return support::stored(a, n);
}

// a_ij = exp(-(i - j)^2 / width^2) is numerically of low rank. 10^-(i + j)/10 is graded over the range of float.
support::Stored by_entry(std::int64_t n, double (*entry)(double i, double j)) {
  std::vector<double> a(static_cast<std::size_t>(n * n));
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i)
      a[static_cast<std::size_t>(i + j * n)] = entry(static_cast<double>(i), static_cast<double>(j));
  return support::stored(a, n);
}

}  // namespace

TEMPLATE_TEST_CASE("float: every size around block edges, either triangle, any leading dimension", "", OnCpu,
                   OnGpu) {
  ON_DEVICE(TestType);
  for (const std::int64_t n : {0, 1, 2, 3, 5, 20, 63, 64, 65, 127, 128, 129, 255, 256, 257, 513})
    for (const Uplo uplo : {Uplo::lower, Uplo::upper})
      for (const std::int64_t padding : {0, 3}) {
        CAPTURE(n, support::name(uplo), padding);
        check_in_float(in_float(random_matrix(n, uplo, padding)), TestType::device,
                       n < 100 ? support::limits::lapack_ratio : random_limit, 2 * padding);
      }
}

TEMPLATE_TEST_CASE("float: generated families, LAPACK's types, at every scale", "", OnCpu, OnGpu) {
  ON_DEVICE(TestType);
  for (const char* kind : {"zero", "identity", "arithmetic", "geometric", "clustered", "uniform", "1-2-1",
                           "wilkinson", "glued-wilkinson", "clement", "kms", "minij"})
    for (const std::int64_t n : {42, 210}) {
      eigen_g::generate::Spec spec;
      spec.kind = kind;
      spec.n = n;
      const support::Stored s = support::stored(spec);
      for (const double scale : {1.0, 0x1p100, 0x1p-110, 0x1p-140}) {
        CAPTURE(kind, n, scale);
        if (scale == 0x1p-140) {  // entries have ten bits there: a solution, without a relative bound
          const FloatPairs p = solve_in_float(in_float(s, scale), options(TestType::device));
          CHECK(p.report.status == eigen_g::Status::converged);
        } else {
          check_in_float(in_float(s, scale), TestType::device, support::limits::lapack_ratio);
        }
      }
    }
  for (const int type : {8, 9, 10, 13, 16})
    for (const std::int64_t n : {33, 129}) {
      CAPTURE(type, n);
      check_in_float(in_float(support::stored(support::lapack_matrix(type, n, 3), n)), TestType::device,
                     support::limits::lapack_ratio);
    }
}

TEMPLATE_TEST_CASE("float: low rank, exactly and nearly, and graded", "", OnCpu, OnGpu) {
  ON_DEVICE(TestType);
  for (const std::int64_t n : {100, TestType::device == DeviceChoice::gpu ? 1100 : 300}) {
    for (const std::int64_t rank : {std::int64_t{1}, std::int64_t{3}, n / 10}) {
      CAPTURE(n, rank);
      check_in_float(in_float(low_rank(n, rank)), TestType::device, support::limits::lapack_ratio);
    }
    CAPTURE(n);
    check_in_float(in_float(by_entry(n, [](double, double) { return 1.0; })), TestType::device,
                   support::limits::lapack_ratio);
    check_in_float(
        in_float(by_entry(n, [](double i, double j) { return std::exp(-(i - j) * (i - j) / 400); })),
        TestType::device, support::limits::lapack_ratio);
    check_in_float(in_float(by_entry(n, [](double i, double j) { return std::pow(10, -(i + j) / 10); })),
                   TestType::device, support::limits::lapack_ratio);
    check_in_float(in_float(by_entry(n, [](double i, double j) { return 1 / (i + j + 1); })),
                   TestType::device, support::limits::lapack_ratio);
  }
}

TEMPLATE_TEST_CASE("float: a subset is a part of the whole", "", OnCpu, OnGpu) {
  ON_DEVICE(TestType);
  for (const std::int64_t n : {90, TestType::device == DeviceChoice::gpu ? 700 : 200}) {
    CAPTURE(n);
    const FloatMatrix m = in_float(random_matrix(n));
    const FloatPairs all = solve_in_float(m, options(TestType::device));
    support::OptionsAndDevices o = options(TestType::device);
    o.subset = eigen_g::Subset::by_index(5, 24);
    const FloatPairs some = solve_in_float(m, o);
    REQUIRE(some.report.m == 20);
    CHECK(std::equal(some.w.begin(), some.w.begin() + 20, all.w.begin() + 4));
    o.subset = eigen_g::Subset::by_value(all.w[3], all.w[n / 2]);  // floats: exact bounds
    const FloatPairs between = solve_in_float(m, o);
    REQUIRE(between.report.first_index == 5);
    REQUIRE(between.report.m == n / 2 - 3);
    CHECK(std::equal(between.w.begin(), between.w.begin() + between.report.m, all.w.begin() + 4));
    const eigen_g::Verification v =
        eigen_g::verify(m.uplo, n, m.a.data(), m.lda, between.report.m, between.w.data(), between.z.data(),
                        between.ldz, DeviceChoice::cpu);
    CHECK(eigen_g::passed(v));
    CHECK(v.lapack_orthogonality <= random_limit);
  }
}

TEMPLATE_TEST_CASE("float: a NaN or an infinity in the named triangle is refused by its place", "", OnCpu,
                   OnGpu) {
  ON_DEVICE(TestType);
  for (const Uplo uplo : {Uplo::lower, Uplo::upper})
    for (const float bad :
         {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
      FloatMatrix m = in_float(random_matrix(200, uplo, 1));
      const std::int64_t row = uplo == Uplo::lower ? 150 : 20, col = uplo == Uplo::lower ? 20 : 150;
      m.a[static_cast<std::size_t>(row + col * m.lda)] = bad;
      try {
        solve_in_float(m, options(TestType::device));
        FAIL("not refused");
      } catch (const eigen_g::NonFiniteEntry& error) {
        CHECK(error.row() == row);
        CHECK(error.col() == col);
      }
    }
}

TEMPLATE_TEST_CASE("float: two runs, and a solver planned once, give the same bits", "", OnCpu, OnGpu) {
  ON_DEVICE(TestType);
  for (const std::int64_t n : {64, TestType::device == DeviceChoice::gpu ? 700 : 200}) {
    CAPTURE(n);
    const FloatMatrix m = in_float(random_matrix(n));
    const FloatPairs first = solve_in_float(m, options(TestType::device));
    const FloatPairs second = solve_in_float(m, options(TestType::device));
    CHECK(first.w == second.w);
    CHECK(first.z == second.z);
    eigen_g::Context context(options(TestType::device));
    eigen_g::Solver<float> solver(context, n);
    std::vector<float> w(first.w.size()), z(first.z.size());
    for (int i = 0; i < 2; ++i) {
      CHECK(solver.solve(m.a.data(), m.lda, w.data(), z.data(), n).m == n);
      CHECK(w == first.w);
      CHECK(z == first.z);
    }
  }
}

// Some of these T are graded, but their QL iteration does not converge if small means compared with the neighbours.
TEST_CASE("float: random matrices of every small order, graded both ways over 30 digits") {
  for (std::int64_t n = 2; n <= 80; ++n)
    for (const char* family : {"graded up", "graded down"})
      for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
        CAPTURE(n, family, support::name(uplo));
        const FloatMatrix m = in_float(support::stored(support::reduction::family(family, n), n, uplo));
        CHECK(passed(check_in_float(m, DeviceChoice::cpu, support::limits::lapack_ratio)));
      }
}

TEST_CASE("float: the workspace is half of double's, but for integers") {
  const auto bytes = [](auto of) { return eigen_g::workspace_bytes<decltype(of)>(1000, {}, false).host; };
  CHECK(bytes(0.0f) > bytes(0.0) / 100 * 49);  // blocks of reflectors have other widths in float
  CHECK(bytes(0.0f) < bytes(0.0) / 100 * 51);
}

TEST_CASE("float: the engines that make double are refused") {
  if (!support::have_gpu()) SKIP_TEST("no GPU");
  support::OptionsAndDevices o = options(DeviceChoice::gpu);
  o.engine = eigen_g::Engine::df;
  try {
    solve_in_float(in_float(random_matrix(100)), o);
    FAIL("not refused");
  } catch (const eigen_g::InvalidArgument& error) {
    CHECK(error.argument() == eigen_g::Argument::engine);
  }
}
