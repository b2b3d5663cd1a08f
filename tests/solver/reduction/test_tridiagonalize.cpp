// Tests Q^T A Q = T on the CPU. The back-transformation of I makes Q.
#include "solver/reduction/one_stage/tridiagonalize.hpp"

#include <algorithm>
#include <complex>
#include <functional>
#include <limits>
#include <type_traits>
#include <vector>

#include "solver/back/back_transform.hpp"
#include "tests/support/reduction.hpp"
#include "tests/support/scratch.hpp"
#include "tests/support/team.hpp"

using namespace eigen_g;
using namespace support::reduction;
namespace limits = support::limits;
using support::random_symmetric;

namespace {

Reduction reduce_on_cpu(const Matrix& a, std::int64_t n, Uplo uplo) {
  Matrix work = a;
  Reduction r{std::vector<double>(static_cast<std::size_t>(n)),
              std::vector<double>(static_cast<std::size_t>(n)), identity(n)};
  std::vector<double> tau(static_cast<std::size_t>(n));
  support::HostScratch scratch(
      std::max(tridiagonalize_bytes_on_cpu<double>(n), back_transform_bytes_on_cpu<double>(n, n)));
  tridiagonalize_on_cpu<double>(uplo, {work.data(), n, n, n}, r.d.data(), r.e.data(), tau.data(), scratch);
  back_transform_on_cpu<double>(uplo, {work.data(), n, n, n}, tau.data(), {r.q.data(), n, n, n}, scratch);
  return r;
}

}  // namespace

namespace {

template <class T>
struct Reduced {
  std::vector<T> a, tau;
  std::vector<real_t<T>> d, e;
  bool operator==(const Reduced&) const = default;
};

constexpr double guard = 7.25e17;

// A random matrix with `padding` rows of guard values below it and the other triangle as such.
template <class T>
Reduced<T> reduced(Uplo uplo, std::int64_t n, std::int64_t padding,
                   const std::function<void(double)>& progress = {}) {
  using S = std::conditional_t<is_complex<T>, std::complex<double>, double>;
  const std::vector<S> dense = family_of<S>("random", n);
  Reduced<T> r{std::vector<T>(static_cast<std::size_t>(n * (n + padding)), T(real_t<T>(guard))), {}, {}, {}};
  r.tau.resize(static_cast<std::size_t>(n));
  r.d.resize(r.tau.size());
  r.e.resize(r.tau.size());
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = uplo == Uplo::lower ? j : 0; i < (uplo == Uplo::lower ? n : j + 1); ++i)
      r.a[static_cast<std::size_t>(i + j * (n + padding))] =
          static_cast<T>(dense[static_cast<std::size_t>(i + j * n)]);
  support::HostScratch scratch(tridiagonalize_bytes_on_cpu<T>(n));
  tridiagonalize_on_cpu<T>(uplo, {r.a.data(), n, n, n + padding}, r.d.data(), r.e.data(), r.tau.data(),
                           scratch, progress);
  return r;
}

// Checks A = Q T Q^H and Q^H Q = I in double, guard values, and T on the diagonals of A.
template <class T>
void check_layout(Uplo uplo, std::int64_t n, std::int64_t padding) {
  using S = std::conditional_t<is_complex<T>, std::complex<double>, double>;
  CAPTURE(static_cast<char>(uplo), n, padding);
  const Reduced<T> r = reduced<T>(uplo, n, padding);
  const std::int64_t lda = n + padding;
  const bool lower = uplo == Uplo::lower;
  std::int64_t wrong = 0;
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < lda; ++i) {
      const T x = r.a[static_cast<std::size_t>(i + j * lda)];
      if (i >= n || (lower ? i < j : i > j)) wrong += x != T(real_t<T>(guard));
      if (i == j) wrong += x != T(r.d[static_cast<std::size_t>(i)]);
      if (lower ? i == j + 1 && i < n : i == j - 1)
        wrong += x != T(r.e[static_cast<std::size_t>(std::min(i, j))]);
    }
  CHECK(wrong == 0);

  ReductionOf<S> in_double{{r.d.begin(), r.d.end()}, {r.e.begin(), r.e.end()}, identity<S>(n)};
  const std::vector<S> a(r.a.begin(), r.a.end()), tau(r.tau.begin(), r.tau.end());
  support::HostScratch scratch(back_transform_bytes_on_cpu<S>(n, n));
  back_transform_on_cpu<S>(uplo, {a.data(), n, n, lda}, tau.data(), {in_double.q.data(), n, n, n}, scratch);
  const Ratios found = ratios(family_of<S>("random", n), n, in_double);
  const double units = double(std::numeric_limits<real_t<T>>::epsilon()) / 0x1p-52;
  CAPTURE(found.backward, found.orthogonality);
  CHECK(found.backward < limits::reduction * units);
  CHECK(found.orthogonality < limits::reduction * units);
}

}  // namespace

TEMPLATE_TEST_CASE("tridiagonalize on the CPU: orders around those of tiles, members and panels", "", double,
                   float, std::complex<double>, std::complex<float>) {
  for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
    for (std::int64_t n = 1; n <= 140; n += n < 70 || n > 120 ? 1 : 5) check_layout<TestType>(uplo, n, n % 4);
    for (const std::int64_t n : {299, 300, 301}) check_layout<TestType>(uplo, n, 212);
  }
  check_layout<TestType>(Uplo::lower, 701, 3);
  if constexpr (std::is_same_v<TestType, double>)  // the tiles of a member lie in two parts of memory
    check_layout<TestType>(Uplo::upper, 1510, 3);
}

TEMPLATE_TEST_CASE("tridiagonalize on the CPU: the same bits with any number of threads", "", double, float,
                   std::complex<double>, std::complex<float>) {
  for (const std::int64_t n : {100, 250, 320, 701, 1510}) {
    if (n > 500 && !std::is_same_v<TestType, double>) continue;
    const auto compute = [&] { return reduced<TestType>(Uplo::lower, n, 0); };
    CAPTURE(n);
    support::check_in_region(compute, n > 1000 ? support::same_by_threads({2, 3}, compute)
                                               : support::same_by_threads({2, 3, 5, 8}, compute));
  }
}

TEST_CASE("tridiagonalize on the CPU: progress grows, and an exception ends the reduction") {
  for (const Uplo uplo : {Uplo::lower, Uplo::upper})
    support::check_progress([&](const auto& progress) { return reduced<double>(uplo, 400, 0, progress); });
}

TEST_CASE("tridiagonalize: Q T Q^T = A on the CPU") {
  for (const Uplo uplo : {Uplo::lower, Uplo::upper})
    for (const std::int64_t n : {1, 2, 3, 33, 100})
      check_reduction(random_symmetric(n, 1), n, uplo, reduce_on_cpu);
  for (const char* kind : families) check_reduction(family(kind, 100), 100, Uplo::lower, reduce_on_cpu);
}
