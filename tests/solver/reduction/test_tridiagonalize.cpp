// Tests Q^T A Q = T on the CPU. The back-transformation of I makes Q.
#include "solver/reduction/one_stage/tridiagonalize.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <complex>

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
  tridiagonalize_on_cpu<double>(uplo, {work.data(), n, n, n}, r.d.data(), r.e.data(), tau.data(), scratch);
  back_transform_on_cpu<double>(uplo, {work.data(), n, n, n}, tau.data(), {r.q.data(), n, n, n}, scratch);
  return r;
}

// Memory that ends less than 16 bytes before a page without access.
class Guarded {
 public:
  explicit Guarded(std::uint64_t bytes) {
    const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    const std::uint64_t used = (bytes + page - 1) / page * page;
    size_ = used + page;
    begin_ = static_cast<std::byte*>(
        mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    REQUIRE(begin_ != MAP_FAILED);
    REQUIRE(mprotect(begin_ + used, page, PROT_NONE) == 0);
    data_ = begin_ + used - (bytes + 15) / 16 * 16;
  }
  ~Guarded() { munmap(begin_, size_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  std::byte* data() { return data_; }

 private:
  std::byte *begin_ = nullptr, *data_ = nullptr;
  std::uint64_t size_ = 0;
};

}  // namespace

TEMPLATE_TEST_CASE("tridiagonalize: OpenBLAS stays within the workspace", "", double, float,
                   std::complex<double>, std::complex<float>) {
  for (const std::int64_t n : {33, 64, 65, 150}) {
    const std::uint64_t bytes = tridiagonalize_bytes_on_cpu<TestType>(n);
    for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
      std::vector<TestType> a(static_cast<std::size_t>(n * (n + 2))), tau(static_cast<std::size_t>(n));
      for (std::size_t k = 0; k < a.size(); ++k) a[k] = std::sin(static_cast<real_t<TestType>>(k));
      std::vector<real_t<TestType>> d(static_cast<std::size_t>(n)), e(d.size());
      Guarded scratch(bytes);
      tridiagonalize_on_cpu<TestType>(uplo, {a.data(), n, n, n}, d.data(), e.data(), tau.data(),
                                      Arena(scratch.data(), bytes));
      CHECK(std::isfinite(d.back()));
    }
  }
}

TEST_CASE("tridiagonalize: Q T Q^T = A on the CPU") {
  for (const Uplo uplo : {Uplo::lower, Uplo::upper})
    for (const std::int64_t n : {1, 2, 3, 33, 100})
      check_reduction(random_symmetric(n, 1), n, uplo, reduce_on_cpu);
  for (const char* kind : families) check_reduction(family(kind, 100), 100, Uplo::lower, reduce_on_cpu);
}
