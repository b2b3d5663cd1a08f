// Q^T A Q = T on the CPU, checked as the property it is: Q is formed by the back-transformation of I.
#include "solver/reduction/one_stage/tridiagonalize.hpp"

#include "solver/back/back_transform.hpp"
#include "tests/support/reduction.hpp"
#include "tests/support/scratch.hpp"

using namespace eigen_g;
using namespace support::reduction;
using support::random_symmetric;

namespace {

Reduction reduce_on_cpu(const Matrix& a, std::int64_t n, Uplo uplo) {
  Matrix work = a;
  Reduction r{std::vector<double>(static_cast<std::size_t>(n)),
              std::vector<double>(static_cast<std::size_t>(n)), identity(n)};
  std::vector<double> tau(static_cast<std::size_t>(n));
  support::HostScratch scratch(
      std::max(tridiagonalize_bytes_on_cpu<double>(n), back_transform_bytes_on_cpu<double>(n, n)));
  tridiagonalize<double>(uplo, {work.data(), n, n, n}, r.d.data(), r.e.data(), tau.data(), scratch);
  back_transform<double>(uplo, {work.data(), n, n, n}, tau.data(), {r.q.data(), n, n, n}, scratch);
  return r;
}

}  // namespace

TEST_CASE("tridiagonalize: Q T Q^T = A on the CPU") {
  for (const Uplo uplo : {Uplo::lower, Uplo::upper})
    for (const std::int64_t n : {1, 2, 3, 33, 100})
      check_reduction(random_symmetric(n, 1), n, uplo, reduce_on_cpu);
  for (const char* kind : families) check_reduction(family(kind, 100), 100, Uplo::lower, reduce_on_cpu);
}
