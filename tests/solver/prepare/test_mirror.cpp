// Copies of a triangle on the CPU.
#include "solver/prepare/mirror.hpp"

#include <complex>
#include <vector>

#include "hybrid/scalar.hpp"
#include "tests/support/catch.hpp"

using namespace eigen_g;

namespace {

// Entry (i, j) of a matrix in which all entries differ.
template <class T>
T entry(std::int64_t i, std::int64_t j) {
  const auto re = static_cast<real_t<T>>(1000 * i + j);
  if constexpr (is_complex<T>)
    return {re, re + 1};
  else
    return re;
}

}  // namespace

TEMPLATE_TEST_CASE("one triangle is copied, to another matrix or to the other triangle", "", float, double,
                   std::complex<float>, std::complex<double>) {
  for (const std::int64_t n : {0, 1, 63, 64, 65, 200, 700}) {
    CAPTURE(n);
    const std::int64_t lda = n + 2;
    const TestType guard(-1);
    std::vector<TestType> from(static_cast<std::size_t>(lda * n));
    const MatrixView<TestType> a{from.data(), n, n, lda};
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < lda; ++i) a(i, j) = entry<TestType>(i, j);
    for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
      std::vector<TestType> to(from.size(), guard);
      const MatrixView<TestType> b{to.data(), n, n, lda};
      copy_triangle<TestType>(uplo, a, b);
      std::int64_t wrong = 0;
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < lda; ++i) {
          const bool copied = i < n && (uplo == Uplo::lower ? i >= j : i <= j);
          wrong += b(i, j) != (copied ? a(i, j) : guard);
        }
      CHECK(wrong == 0);
    }
    mirror_lower(a);
    std::int64_t wrong = 0;
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < lda; ++i) {
        TestType expected = i >= j ? entry<TestType>(i, j) : entry<TestType>(j, i);
        if constexpr (is_complex<TestType>)
          if (i < j) expected = std::conj(expected);
        wrong += a(i, j) != expected;
      }
    CHECK(wrong == 0);
  }
}
