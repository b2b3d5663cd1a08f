// Tests of solves in float on device pointers, also of matrices too large for the reduction on the chip.
#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device_copy.hpp"
#include "tests/support/float_matrix.hpp"

using eigen_g::device;
using eigen_g::DeviceBuffer;
using support::FloatMatrix;

namespace {

// Solves on device pointers and returns verify()'s result; `over_a`: z is the same array as a.
eigen_g::Verification on_device(const FloatMatrix& m, bool over_a) {
  const std::int64_t n = m.n;
  const DeviceBuffer<float> a(m.lda * n), w(n), z(over_a ? 0 : m.lda * n);
  support::upload(a.data(), m.a.data(), a.bytes());
  float* const vectors = over_a ? a.data() : z.data();
  const eigen_g::Report report = eigen_g::eigen_g(n, device(a.data()), m.lda, device(w.data()),
                                                  device(vectors), m.lda, nullptr, {.uplo = m.uplo});
  REQUIRE(report.status == eigen_g::Status::converged);
  std::vector<float> values(static_cast<std::size_t>(n)), columns(static_cast<std::size_t>(m.lda * n));
  EIGEN_G_CUDA(cudaMemcpy(values.data(), w.data(), w.bytes(), cudaMemcpyDeviceToHost));
  EIGEN_G_CUDA(cudaMemcpy(columns.data(), vectors, sizeof(float) * columns.size(), cudaMemcpyDeviceToHost));
  return eigen_g::verify(m.uplo, n, m.a.data(), m.lda, n, values.data(), columns.data(), m.lda);
}

}  // namespace

TEST_CASE("float on device pointers: few rows, the chip, panels, products in slices", "[gpu]") {
  NEEDS_GPU();
  for (const std::int64_t n : {1, 2, 77, 300, 1056, 1057, 1500, 2305, 3000, 4200})
    for (const bool over_a : {false, true}) {
      CAPTURE(n, over_a);
      const auto uplo = n % 2 == 0 ? eigen_g::Uplo::lower : eigen_g::Uplo::upper;
      const eigen_g::Verification v =
          on_device(support::in_float(support::random_matrix(n, uplo, over_a ? 0 : 2)), over_a);
      CHECK(eigen_g::passed(v));
      CHECK((n < 64 || v.lapack_residual <= 1));
      CHECK((n < 64 || v.lapack_orthogonality <= 1));
    }
}

TEST_CASE("float on device pointers: panels of matrices that are reduced early", "[gpu]") {
  NEEDS_GPU();
  constexpr std::int64_t n = 3100;
  for (const char* kind : {"zero", "arithmetic", "clustered", "geometric"}) {
    CAPTURE(kind);
    eigen_g::generate::Spec spec;
    spec.kind = kind;
    spec.n = n;
    CHECK(eigen_g::passed(on_device(support::in_float(support::stored(spec)), false)));
  }
}
