#include "solver/verify/verify.hpp"

#include <array>
#include <cfloat>
#include <cmath>

#include "tests/support/catch.hpp"
#include "tests/support/solving.hpp"

using eigen_g::DeviceChoice;
using eigen_g::Uplo;
using eigen_g::Verification;
using support::Stored;

namespace {

struct Pairs {
  Stored matrix;
  std::int64_t m = 0, ldz = 1;
  std::vector<double> w, z;
  double& vector(std::int64_t i, std::int64_t k) { return z[static_cast<std::size_t>(i + k * ldz)]; }
};

// 1-2-1 times `scale` with its closed-form eigenpairs, z_ik = sqrt(2 / (n + 1)) sin(i k pi / (n + 1)).
Pairs known_pairs(std::int64_t n, Uplo uplo = Uplo::lower, std::int64_t padding = 0, double scale = 1) {
  eigen_g::generate::Spec spec;
  spec.kind = "1-2-1";
  spec.n = n;
  spec.scale = scale;
  Pairs p{support::stored(spec, uplo, padding),
          n,
          std::max<std::int64_t>(1, n + padding),
          *eigen_g::generate::exact(spec),
          {}};
  p.z.assign(static_cast<std::size_t>(p.ldz * n), support::nan);
  const long double pi = std::acos(-1.0L);
  for (std::int64_t k = 1; k <= n; ++k)  // w ascends while the angle falls: vector n + 1 - k
    for (std::int64_t i = 1; i <= n; ++i)
      p.vector(i - 1, k - 1) = static_cast<double>(
          std::sqrt(2.0L / (n + 1)) * std::sin((i * (n + 1 - k) % (2 * (n + 1))) * pi / (n + 1)));
  return p;
}

Verification verify(const Pairs& p, DeviceChoice device = DeviceChoice::cpu) {
  return eigen_g::verify(p.matrix.uplo, p.matrix.n, p.matrix.a.data(), p.matrix.lda, p.m, p.w.data(),
                         p.z.data(), p.ldz, device);
}

// The formulas of verify.hpp in long double, for scales within its range.
struct Truth {
  long double norm_one = 0, norm_frobenius = 0, residual_frobenius = 0, reconstruction = 0, orthogonality = 0,
              residual_one = 0, orthogonality_one = 0, worst = 0;
};

Truth truth(Pairs p) {
  const std::int64_t n = p.matrix.n, m = p.m;
  const auto a = [&](std::int64_t i, std::int64_t j) -> long double {
    return p.matrix.used(i, j) ? p.matrix.at(i, j) : p.matrix.at(j, i);
  };
  const auto z = [&](std::int64_t i, std::int64_t k) -> long double { return p.vector(i, k); };
  const auto norms = [](std::int64_t rows, std::int64_t cols, const auto& entry) {
    std::array<long double, 3> one_frobenius_worst{};
    for (std::int64_t k = 0; k < cols; ++k) {
      long double sum = 0, squares = 0;
      for (std::int64_t i = 0; i < rows; ++i) {
        const long double x = entry(i, k);
        sum += std::fabs(x);
        squares += x * x;
      }
      one_frobenius_worst[0] = std::max(one_frobenius_worst[0], sum);
      one_frobenius_worst[1] += squares;
      one_frobenius_worst[2] = std::max(one_frobenius_worst[2], std::sqrt(squares));
    }
    one_frobenius_worst[1] = std::sqrt(one_frobenius_worst[1]);
    return one_frobenius_worst;
  };
  const auto of_a = norms(n, n, a);
  const auto residual = norms(n, m, [&](std::int64_t i, std::int64_t k) {
    long double sum = -z(i, k) * p.w[k];
    for (std::int64_t j = 0; j < n; ++j) sum += a(i, j) * z(j, k);
    return sum;
  });
  const auto reconstruction = norms(n, n, [&](std::int64_t i, std::int64_t j) {
    long double sum = a(i, j);
    for (std::int64_t k = 0; k < m; ++k) sum -= z(i, k) * p.w[k] * z(j, k);
    return sum;
  });
  const auto gram = norms(m, m, [&](std::int64_t i, std::int64_t k) {
    long double sum = i == k ? -1 : 0;
    for (std::int64_t j = 0; j < n; ++j) sum += z(j, i) * z(j, k);
    return sum;
  });
  Truth t;
  t.norm_one = of_a[0];
  t.norm_frobenius = of_a[1];
  t.residual_frobenius = residual[1];
  t.residual_one = residual[0] / (static_cast<long double>(n) * of_a[0] * DBL_EPSILON);
  t.worst = residual[2] / of_a[1];
  t.reconstruction = reconstruction[1] / (n * of_a[1]);
  t.orthogonality = gram[1] / n;
  t.orthogonality_one = gram[0] / (static_cast<long double>(n) * DBL_EPSILON);
  return t;
}

auto near(long double x) {
  return Approx(static_cast<double>(x)).epsilon(support::limits::same_figure);
}

void check_against(const Verification& v, const Truth& t) {
  CHECK(v.eps == 0x1p-53);
  CHECK(v.norm_one == near(t.norm_one));
  CHECK(v.norm_frobenius == near(t.norm_frobenius));
  CHECK(v.residual_frobenius == near(t.residual_frobenius));
  CHECK(v.lapack_residual == near(t.residual_one));
  CHECK(v.worst_residual == near(t.worst));
  CHECK(v.orthogonality == near(t.orthogonality));
  CHECK(v.lapack_orthogonality == near(t.orthogonality_one));
  if (v.m == v.n)
    CHECK(v.reconstruction == near(t.reconstruction));
  else
    CHECK(v.reconstruction == -1);
}

// Errors far above roundoff, so that the ratios have digits to compare.
void perturb(Pairs& p) {
  for (std::int64_t k = 0; k < p.m; ++k) {
    p.w[k] *= 1 + 1e-3 * std::sin(static_cast<double>(k));
    for (std::int64_t i = 0; i < p.matrix.n; ++i)
      p.vector(i, k) += 1e-3 * std::cos(static_cast<double>(3 * i + 7 * k));
  }
}

}  // namespace

TEST_CASE("the figures are the header's formulas") {
  for (const std::int64_t n : {1, 2, 3, 20, 63, 64, 65})
    for (const Uplo uplo : {Uplo::lower, Uplo::upper})
      for (const std::int64_t padding : {0, 5})
        for (const std::int64_t m : {n, n / 2}) {
          CAPTURE(n, support::name(uplo), padding, m);
          Pairs p = known_pairs(n, uplo, padding);
          p.m = m;
          perturb(p);
          check_against(verify(p), truth(p));
        }
}

TEST_CASE("panels of columns join without a seam") {
  for (const std::int64_t n : {255, 256, 257}) {
    CAPTURE(n);
    Pairs p = known_pairs(n, n == 256 ? Uplo::upper : Uplo::lower, 3);
    perturb(p);
    check_against(verify(p), truth(p));
  }
}

TEST_CASE("true eigenpairs pass") {
  for (const std::int64_t n : {1, 2, 5, 64, 257, 600}) {
    CAPTURE(n);
    const Verification v = verify(known_pairs(n));
    CHECK(passed(v));
    CHECK(v.ascending);
    CHECK(v.finite);
    CHECK_FALSE(v.on_gpu);
    CHECK(v.lapack_residual < support::limits::rounded_pairs);
    CHECK(v.lapack_orthogonality < support::limits::rounded_pairs);
    CHECK(v.reconstruction / support::limits::ulp < support::limits::rounded_pairs);
    CHECK(v.orthogonality / support::limits::ulp < support::limits::rounded_pairs);
  }
}

TEST_CASE("wrong eigenpairs do not pass") {
  const std::int64_t n = 40;
  Pairs p = known_pairs(n);
  REQUIRE(passed(verify(p)));
  SECTION("an entry of a vector") {
    p.vector(7, 11) += 1e-11;
  }
  SECTION("a value") {
    p.w[3] += 1e-11;
  }
  SECTION("two values exchanged") {
    std::swap(p.w[20], p.w[21]);
  }
  SECTION("two pairs exchanged: true pairs, not ascending") {
    std::swap(p.w[20], p.w[21]);
    for (std::int64_t i = 0; i < n; ++i) std::swap(p.vector(i, 20), p.vector(i, 21));
    CHECK(verify(p).lapack_residual < support::limits::rounded_pairs);
    CHECK_FALSE(verify(p).ascending);
  }
  SECTION("a vector twice: true pairs, not orthogonal") {
    p.w[21] = p.w[20];
    for (std::int64_t i = 0; i < n; ++i) p.vector(i, 21) = p.vector(i, 20);
    CHECK(verify(p).lapack_residual < support::limits::rounded_pairs);
  }
  SECTION("vectors not normalised") {
    for (std::int64_t i = 0; i < n; ++i) p.vector(i, 5) *= 1 + 1e-11;
    CHECK(verify(p).lapack_residual < support::limits::rounded_pairs);
  }
  SECTION("all vectors zero") {
    std::fill(p.z.begin(), p.z.end(), 0.0);
  }
  CHECK_FALSE(passed(verify(p)));
}

TEST_CASE("NaN does not pass, in any position") {
  const Pairs good = known_pairs(300);
  for (const double bad : {support::nan, support::infinity, -support::infinity})
    for (const std::int64_t where : {0, 17, 299}) {
      CAPTURE(bad, where);
      Pairs in_values = good;
      in_values.w[where] = bad;
      CHECK_FALSE(verify(in_values).finite);
      CHECK_FALSE(passed(verify(in_values)));

      Pairs in_vector = good;
      in_vector.vector(where, 299 - where) = bad;
      const Verification v = verify(in_vector);
      CHECK_FALSE(v.finite);
      CHECK_FALSE(v.lapack_residual <= support::limits::lapack_ratio);
      CHECK_FALSE(v.lapack_orthogonality <= support::limits::lapack_ratio);
      CHECK_FALSE(passed(v));

      Pairs in_matrix = good;
      in_matrix.matrix.at(where, where) = bad;
      const Verification u = verify(in_matrix);
      CHECK(u.finite);
      CHECK_FALSE(u.lapack_residual <= support::limits::lapack_ratio);
      CHECK_FALSE(passed(u));
    }
}

TEST_CASE("the ratios do not depend on the scale") {
  Pairs reference = known_pairs(50);
  perturb(reference);
  const Verification expected = verify(reference);
  for (const double scale : {0x1p-1000, 0x1p-500, 0x1p500, 0x1p1000}) {
    CAPTURE(scale);
    Pairs p = known_pairs(50, Uplo::upper, 0, scale);
    CHECK(passed(verify(p)));
    perturb(p);
    const Verification v = verify(p);
    CHECK_FALSE(passed(v));
    CHECK(v.lapack_residual == near(expected.lapack_residual));
    CHECK(v.reconstruction == near(expected.reconstruction));
    CHECK(v.worst_residual == near(expected.worst_residual));
    CHECK(v.worst_index == expected.worst_index);
    CHECK(v.residual_frobenius / scale == near(expected.residual_frobenius));
    CHECK(v.norm_one / scale == near(expected.norm_one));
  }
}

TEST_CASE("a scale at the ends of the range") {
  CHECK(passed(verify(known_pairs(30, Uplo::lower, 0, DBL_MAX / 4))));
  CHECK(passed(verify(known_pairs(30, Uplo::lower, 0, DBL_MIN / 2))));
  Pairs wrong = known_pairs(30, Uplo::lower, 0, DBL_MAX / 4);
  wrong.w[29] *= 1 - 1e-9;
  CHECK_FALSE(passed(verify(wrong)));
}

TEST_CASE("the zero matrix") {
  Pairs p = known_pairs(20);
  for (std::int64_t j = 0; j < 20; ++j)
    for (std::int64_t i = j; i < 20; ++i) p.matrix.at(i, j) = 0;
  std::fill(p.w.begin(), p.w.end(), 0.0);
  const Verification v = verify(p);
  CHECK(passed(v));
  CHECK(v.lapack_residual == 0);
  CHECK(v.reconstruction == 0);
  CHECK(v.norm_one == 0);
  p.w[19] = 1e-300;
  CHECK_FALSE(passed(verify(p)));
}

TEST_CASE("nothing to verify") {
  const Verification none =
      eigen_g::verify<double>(Uplo::lower, 0, nullptr, 1, 0, nullptr, nullptr, 1, DeviceChoice::cpu);
  CHECK(passed(none));
  CHECK(none.reconstruction == 0);
  Pairs p = known_pairs(5);
  p.m = 0;
  CHECK(passed(verify(p)));
}

TEST_CASE("bad arguments are named") {
  const Pairs p = known_pairs(5);
  const double* a = p.matrix.a.data();
  const double *w = p.w.data(), *z = p.z.data();
  const auto wrong = [](std::int64_t n, const double* x, std::int64_t lda, std::int64_t m,
                        const double* values, const double* vectors, std::int64_t ldz) {
    try {
      (void)eigen_g::verify(Uplo::lower, n, x, lda, m, values, vectors, ldz, DeviceChoice::cpu);
    } catch (const eigen_g::InvalidArgument& error) {
      return std::string(name(error.argument()));
    }
    return std::string("none");
  };
  CHECK(wrong(5, a, 5, 5, w, z, 5) == "none");
  CHECK(wrong(-1, a, 5, 0, w, z, 5) == "n");
  CHECK(wrong(5, nullptr, 5, 5, w, z, 5) == "a");
  CHECK(wrong(5, a, 4, 5, w, z, 5) == "lda");
  CHECK(wrong(5, a, 5, 6, w, z, 5) == "m");
  CHECK(wrong(5, a, 5, -1, w, z, 5) == "m");
  CHECK(wrong(5, a, 5, 5, nullptr, z, 5) == "w");
  CHECK(wrong(5, a, 5, 5, w, nullptr, 5) == "z");
  CHECK(wrong(5, a, 5, 5, w, z, 4) == "ldz");
}

TEST_CASE("a GPU that is asked for and missing is an error") {
  if (support::have_gpu()) SKIP_TEST("there is a GPU");
  CHECK_THROWS_AS(verify(known_pairs(5), DeviceChoice::gpu), eigen_g::DeviceError);
  CHECK(passed(verify(known_pairs(5), DeviceChoice::automatic)));
}

TEST_CASE("the GPU finds the CPU's figures", "[gpu]") {
  NEEDS_GPU();
  for (const std::int64_t n : {1, 2, 31, 33, 255, 1023, 1024, 1025, 2100})
    for (const Uplo uplo : {Uplo::lower, Uplo::upper})
      for (const std::int64_t m : {n, n / 2}) {
        CAPTURE(n, support::name(uplo), m);
        Pairs p = known_pairs(n, uplo, n % 2 ? 7 : 0);
        p.m = m;
        CHECK(passed(verify(p, DeviceChoice::gpu)));
        perturb(p);
        const Verification cpu = verify(p), gpu = verify(p, DeviceChoice::gpu);
        CHECK(gpu.on_gpu);
        CHECK(gpu.norm_one == near(cpu.norm_one));
        CHECK(gpu.norm_frobenius == near(cpu.norm_frobenius));
        CHECK(gpu.residual_frobenius == near(cpu.residual_frobenius));
        CHECK(gpu.reconstruction == near(cpu.reconstruction));
        CHECK(gpu.orthogonality == near(cpu.orthogonality));
        CHECK(gpu.lapack_residual == near(cpu.lapack_residual));
        CHECK(gpu.lapack_orthogonality == near(cpu.lapack_orthogonality));
        CHECK(gpu.worst_residual == near(cpu.worst_residual));
        CHECK(gpu.worst_index == cpu.worst_index);
      }
}

TEST_CASE("the GPU: NaN does not pass, scales hold, two runs give the same bits", "[gpu]") {
  NEEDS_GPU();
  Pairs p = known_pairs(1100, Uplo::lower, 0, 0x1p1000);
  const Verification first = verify(p, DeviceChoice::gpu), second = verify(p, DeviceChoice::gpu);
  CHECK(passed(first));
  CHECK(first.residual_frobenius == second.residual_frobenius);
  CHECK(first.lapack_residual == second.lapack_residual);
  CHECK(first.lapack_orthogonality == second.lapack_orthogonality);
  CHECK(first.reconstruction == second.reconstruction);
  p.vector(1030, 1040) = support::nan;
  CHECK_FALSE(passed(verify(p, DeviceChoice::gpu)));
  p = known_pairs(1100);
  p.matrix.at(1050, 3) = support::nan;
  CHECK_FALSE(passed(verify(p, DeviceChoice::gpu)));
}

TEST_CASE("float: verify() measures by float's unit, in double") {
  for (const DeviceChoice device : {DeviceChoice::cpu, DeviceChoice::gpu}) {
    if (device == DeviceChoice::gpu && !support::have_gpu()) continue;
    for (const std::int64_t n : {1, 7, 300, 1100}) {
      CAPTURE(n);
      Pairs p = known_pairs(n, Uplo::upper, 3);
      const auto rounded = [](const std::vector<double>& x) {
        return std::vector<float>(x.begin(), x.end());
      };
      const std::vector<float> a = rounded(p.matrix.a), w = rounded(p.w), z = rounded(p.z);
      const Verification v =
          eigen_g::verify(Uplo::upper, n, a.data(), p.matrix.lda, n, w.data(), z.data(), p.ldz, device);
      CHECK(v.eps == 0x1p-24);
      CHECK(eigen_g::passed(v));
      CHECK(v.lapack_residual <= support::limits::rounded_pairs);
      // the same rounded pairs in double, with double's unit
      p.matrix.a.assign(a.begin(), a.end());
      p.w.assign(w.begin(), w.end());
      p.z.assign(z.begin(), z.end());
      const Verification in_double = verify(p, device);
      CHECK(v.lapack_residual == Approx(in_double.lapack_residual * 0x1p-29));
      CHECK(v.lapack_orthogonality == Approx(in_double.lapack_orthogonality * 0x1p-29));
      CHECK(v.residual_frobenius == Approx(in_double.residual_frobenius));
    }
  }
}
