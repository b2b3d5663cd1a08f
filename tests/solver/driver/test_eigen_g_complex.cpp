// Tests of whole solves of Hermitian matrices. The limits of real matrices hold, in the unit roundoff of the real type.
#include "tests/support/catch.hpp"
#include "tests/support/complex_matrix.hpp"

using eigen_g::DeviceChoice;
using eigen_g::Uplo;
using support::check_hermitian;
using support::hermitian;
using support::HermitianMatrix;
using support::HermitianPairs;
using support::options;
using support::phased;
using support::random_hermitian;
using support::solve_guarded;
using support::value_distance;

namespace {

constexpr double random_limit = 1;  // holds from n = 100 on
constexpr double exact_limit = 1;   // eigenvalues against a closed form

template <class T, DeviceChoice place>
struct On {
  using Type = T;
  static constexpr DeviceChoice device = place;
};
using Complex = std::complex<float>;
using DoubleComplex = std::complex<double>;

}  // namespace

#define EVERYWHERE                                                          \
  (On<Complex, DeviceChoice::cpu>), (On<DoubleComplex, DeviceChoice::cpu>), \
      (On<Complex, DeviceChoice::gpu>), (On<DoubleComplex, DeviceChoice::gpu>)

TEMPLATE_TEST_CASE("complex: every size around block edges, either triangle, any leading dimension", "",
                   EVERYWHERE) {
  ON_DEVICE(TestType);
  std::vector<std::int64_t> sizes{127, 128, 129, 255, 256, 257};
  for (std::int64_t n = 0; n <= 70; ++n) sizes.push_back(n);
  for (const std::int64_t n : sizes)
    for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
      const std::int64_t padding = n % 2 == 0 ? 0 : 3;
      CAPTURE(n, support::name(uplo));
      check_hermitian(random_hermitian<typename TestType::Type>(n, uplo, padding), TestType::device,
                      n < 100 ? support::limits::lapack_ratio : random_limit, 2 * padding);
    }
}

TEMPLATE_TEST_CASE("complex: values are those of the real matrix of twice the order, each twice", "",
                   EVERYWHERE) {
  ON_DEVICE(TestType);
  using T = typename TestType::Type;
  for (const std::int64_t n : {1, 2, 33, 150}) {
    CAPTURE(n);
    const HermitianMatrix<T> m = random_hermitian<T>(n);
    std::vector<double> full(static_cast<std::size_t>(4 * n * n));
    const auto at = [&](std::int64_t i, std::int64_t j) -> double& {
      return full[static_cast<std::size_t>(i + j * 2 * n)];
    };
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = j; i < n; ++i) {
        const T x = m.a[static_cast<std::size_t>(i + j * n)];
        const double im = i == j ? 0 : static_cast<double>(x.imag());
        at(i, j) = at(j, i) = at(n + i, n + j) = at(n + j, n + i) = static_cast<double>(x.real());
        at(n + i, j) = at(j, n + i) = im;
        at(n + j, i) = at(i, n + j) = -im;
      }
    const auto twice = eigen_g::solve(2 * n, full.data(), 2 * n, options(DeviceChoice::cpu, false),
                                      support::options(DeviceChoice::cpu));
    const HermitianPairs<T> p = solve_guarded(m, options(TestType::device));
    std::vector<eigen_g::real_t<T>> each_twice;
    for (const auto w : p.w) each_twice.insert(each_twice.end(), 2, w);
    CHECK(value_distance(each_twice, twice.values) <= exact_limit);

    // A z - w z and z^H z in long double, not by verify().
    using Long = std::complex<long double>;
    const long double unit = static_cast<long double>(n) * std::numeric_limits<eigen_g::real_t<T>>::epsilon();
    for (std::int64_t k = 0; k < n; k += 7) {
      const auto z = [&](std::int64_t i) { return Long(p.z[static_cast<std::size_t>(i + k * p.ldz)]); };
      long double length = 0, distance = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        Long sum = -static_cast<long double>(p.w[static_cast<std::size_t>(k)]) * z(i);
        for (std::int64_t j = 0; j < n; ++j) sum += Long(at(i, j), -at(i, n + j)) * z(j);
        distance += std::norm(sum);
        length += std::norm(z(i));
      }
      CHECK(std::fabs(length - 1) <= unit);
      CHECK(std::sqrt(distance) <=
            unit * std::max(std::fabs(twice.values.front()), std::fabs(twice.values.back())));
    }
  }
}

TEMPLATE_TEST_CASE("complex: known spectra at every scale", "", EVERYWHERE) {
  ON_DEVICE(TestType);
  using T = typename TestType::Type;
  for (const char* kind : {"zero", "identity", "arithmetic", "geometric", "clustered", "1-2-1", "wilkinson",
                           "clement", "kms", "minij"})
    for (const std::int64_t n : {42, 210}) {
      eigen_g::generate::Spec spec;
      spec.kind = kind;
      spec.n = n;
      const support::Stored s = support::stored(spec);
      std::vector<double> exact;
      {
        const support::Solved real = support::solve_guarded(s, options(DeviceChoice::cpu, false));
        exact = real.w;
      }
      for (const double scale : {1.0, 0x1p100, 0x1p-110}) {
        CAPTURE(kind, n, scale);
        const auto uplo = n == 42 ? Uplo::lower : Uplo::upper;
        const HermitianPairs<T> p =
            check_hermitian(phased<T>(s, uplo, scale), TestType::device, support::limits::lapack_ratio);
        std::vector<double> scaled = exact;
        for (double& x : scaled) x *= scale;
        CHECK(value_distance(p.w, scaled) <= exact_limit);
      }
    }
}

TEMPLATE_TEST_CASE("complex: low rank, all ones, real and imaginary matrices", "", EVERYWHERE) {
  ON_DEVICE(TestType);
  using T = typename TestType::Type;
  using std::polar;
  const double limit = support::limits::lapack_ratio;
  for (const std::int64_t n : {90, 300}) {
    CAPTURE(n);
    for (const std::int64_t rank : {1, 3, 20}) {
      const std::vector<double> re = support::random_rectangle(n, rank, 5),
                                im = support::random_rectangle(n, rank, 6);
      const auto b = [&](std::int64_t i, std::int64_t k) {
        const auto at = static_cast<std::size_t>(i + k * n);
        return std::complex<double>(re[at], im[at]);
      };
      check_hermitian(hermitian<T>(n, Uplo::lower, 0,
                                   [&](std::int64_t i, std::int64_t j) {
                                     std::complex<double> sum = 0;
                                     for (std::int64_t k = 0; k < rank; ++k)
                                       sum += b(i, k) * std::conj(b(j, k));
                                     return sum;
                                   }),
                      TestType::device, limit);
    }
    const auto ones = [](std::int64_t, std::int64_t) { return 1.0; };
    check_hermitian(hermitian<T>(n, Uplo::upper, 0, ones), TestType::device, limit);
    const auto imaginary = [](std::int64_t i, std::int64_t j) {
      return std::complex<double>(0, i == j ? 0 : 1 / static_cast<double>(i + j + 1));
    };
    check_hermitian(hermitian<T>(n, Uplo::lower, 0, imaginary), TestType::device, limit);
    const auto diagonal = [](std::int64_t i, std::int64_t j) {
      return i == j ? static_cast<double>(i % 5) : 0;
    };
    check_hermitian(hermitian<T>(n, Uplo::upper, 0, diagonal), TestType::device, limit);
    const auto graded = [](std::int64_t i, std::int64_t j) {
      return polar(std::pow(10.0, -static_cast<double>(i + j) / 10), static_cast<double>(i - j));
    };
    check_hermitian(hermitian<T>(n, Uplo::lower, 0, graded), TestType::device, limit);
  }
}

// Reflectors that are computed from rounding errors would make Q less orthogonal: 8.1 at 252 in float, 4.0 in double.
TEMPLATE_TEST_CASE("complex: two blocks of equal entries", "", EVERYWHERE) {
  ON_DEVICE(TestType);
  for (const std::int64_t n : {252, 511}) {
    CAPTURE(n);
    const auto blocks = [n](std::int64_t i, std::int64_t j) {
      return (2 * i < n) == (2 * j < n) ? 3.0 : 0.1;
    };
    check_hermitian(hermitian<typename TestType::Type>(n, Uplo::lower, 0, blocks), TestType::device, 2);
  }
}

TEMPLATE_TEST_CASE("complex: a subset is a part of the whole", "", EVERYWHERE) {
  ON_DEVICE(TestType);
  using T = typename TestType::Type;
  for (const std::int64_t n : {90, 200}) {
    CAPTURE(n);
    const HermitianMatrix<T> m = random_hermitian<T>(n);
    const HermitianPairs<T> all = solve_guarded(m, options(TestType::device));
    support::OptionsAndDevices o = options(TestType::device);
    o.subset = eigen_g::Subset::by_index(5, 24);
    const HermitianPairs<T> some = solve_guarded(m, o);
    REQUIRE(some.report.m == 20);
    CHECK(std::equal(some.w.begin(), some.w.begin() + 20, all.w.begin() + 4));
    o.subset = eigen_g::Subset::by_value(all.w[3], all.w[n / 2]);
    const HermitianPairs<T> between = solve_guarded(m, o);
    REQUIRE(between.report.first_index == 5);
    REQUIRE(between.report.m == n / 2 - 3);
    CHECK(std::equal(between.w.begin(), between.w.begin() + between.report.m, all.w.begin() + 4));
    for (const HermitianPairs<T>* p : {&some, &between}) {
      const eigen_g::Verification v = eigen_g::verify(m.uplo, n, m.a.data(), m.lda, p->report.m, p->w.data(),
                                                      p->z.data(), p->ldz, DeviceChoice::cpu);
      CHECK(eigen_g::passed(v));
    }
  }
}

TEMPLATE_TEST_CASE("complex: a NaN or an infinity in either part is refused by its place", "", EVERYWHERE) {
  ON_DEVICE(TestType);
  using T = typename TestType::Type;
  using R = eigen_g::real_t<T>;
  for (const Uplo uplo : {Uplo::lower, Uplo::upper})
    for (const T bad :
         {T(0, std::numeric_limits<R>::quiet_NaN()), T(-std::numeric_limits<R>::infinity(), 1)}) {
      HermitianMatrix<T> m = random_hermitian<T>(200, uplo, 1);
      const std::int64_t row = uplo == Uplo::lower ? 150 : 20, col = uplo == Uplo::lower ? 20 : 150;
      m.a[static_cast<std::size_t>(row + col * m.lda)] = bad;
      try {
        solve_guarded(m, options(TestType::device));
        FAIL("not refused");
      } catch (const eigen_g::NonFiniteEntry& error) {
        CHECK(error.row() == row);
        CHECK(error.col() == col);
      }
    }
}

TEMPLATE_TEST_CASE("complex: two runs, and a solver planned once, give the same bits", "", EVERYWHERE) {
  ON_DEVICE(TestType);
  using T = typename TestType::Type;
  for (const std::int64_t n : {64, 200}) {
    CAPTURE(n);
    HermitianMatrix<T> m = random_hermitian<T>(n);
    const HermitianPairs<T> first = solve_guarded(m, options(TestType::device));
    const HermitianPairs<T> second = solve_guarded(m, options(TestType::device));
    CHECK(first.w == second.w);
    CHECK(first.z == second.z);
    eigen_g::Context context(options(TestType::device));
    eigen_g::Solver<T> solver(context, n);
    std::vector<eigen_g::real_t<T>> w(first.w.size());
    std::vector<T> z(first.z.size());
    for (int i = 0; i < 2; ++i) {
      CHECK(solver.solve(m.a.data(), m.lda, w.data(), z.data(), n).m == n);
      CHECK(w == first.w);
      CHECK(z == first.z);
    }
    const eigen_g::Report over_a =
        eigen_g::eigen_g(n, m.a.data(), n, w.data(), m.a.data(), n, {}, options(TestType::device));
    CHECK(over_a.m == n);
    CHECK(m.a == first.z);
  }
}

namespace {

template <class T>
void check_on_gpu(std::int64_t n, int multiprocessors, double limit) {
  CAPTURE(n, multiprocessors);
  support::OptionsAndDevices asked = options(DeviceChoice::gpu);
  asked.multiprocessors = multiprocessors;
  check_hermitian(random_hermitian<T>(n, n % 2 == 0 ? Uplo::lower : Uplo::upper), asked, limit);
}

}  // namespace

// From these orders on the reduction takes other kernels, or panels first. With few multiprocessors this happens at smaller
// orders.
TEMPLATE_TEST_CASE("complex on a GPU: orders around every kernel's edge", "[gpu][large]", Complex,
                   DoubleComplex) {
  NEEDS_GPU();
  for (const std::int64_t n : {300, 511, 512, 513, 768, 769, 1025, 1152, 1153, 1536, 1537, 1700, 2305})
    check_on_gpu<TestType>(n, 0, random_limit);
  for (const std::int64_t n : {150, 300, 513, 700})
    for (const int multiprocessors : {1, 3, 20, 64}) check_on_gpu<TestType>(n, multiprocessors, random_limit);
}

TEMPLATE_TEST_CASE("complex on a GPU: few columns, few blocks", "[gpu][racecheck]", Complex, DoubleComplex) {
  NEEDS_GPU();
  for (const int multiprocessors : {1, 2})
    check_on_gpu<TestType>(40, multiprocessors, support::limits::lapack_ratio);
}
