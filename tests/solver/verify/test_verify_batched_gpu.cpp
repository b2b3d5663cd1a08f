// verify_batched() on a GPU, on host and on device pointers, compared with the CPU.
#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/memory/memory.hpp"
#include "solver/verify/verify_batched.hpp"
#include "tests/support/batches.hpp"
#include "tests/support/device_copy.hpp"
#include "tests/support/skip.hpp"

using namespace eigen_g;
using support::batch_families;
using support::batch_of_families;
using support::BatchPairs;
using support::StoredBatch;

namespace {

void check_same(const BatchVerification& v, const BatchVerification& cpu) {
  CHECK(v.on_gpu);
  CHECK(v.count == cpu.count);
  CHECK(v.failed == cpu.failed);
  CHECK(v.first_failed == cpu.first_failed);
  CHECK(v.ascending == cpu.ascending);
  CHECK(v.finite == cpu.finite);
  for (const auto figure : {&BatchVerification::lapack_residual, &BatchVerification::lapack_orthogonality}) {
    const double expected = cpu.*figure, found = v.*figure;
    if (std::isnan(expected))
      CHECK(std::isnan(found));
    else  // both compute in double: roundoff is a part of the figures of a double matrix
      CHECK(std::fabs(found - expected) <= 0.05 * expected + 0.1);
  }
}

template <class X>
DeviceBuffer<X> on_gpu(const std::vector<X>& from) {
  DeviceBuffer<X> to(static_cast<std::int64_t>(from.size()));
  if (!from.empty()) support::upload(to.data(), from.data(), to.bytes());
  return to;
}

}  // namespace

TEMPLATE_TEST_CASE("a batch has the same verification on a GPU and on the CPU", "", float, double,
                   std::complex<float>, std::complex<double>) {
  NEEDS_GPU();
  for (const std::int64_t n : {1, 3, 16, 33, 64, 130})
    for (const Uplo uplo : {Uplo::lower, Uplo::upper})
      for (const std::int64_t padding : {0, 3})
        for (const int fault : {0, 1, 2, 3}) {
          CAPTURE(n, static_cast<char>(uplo), padding, fault);
          StoredBatch<TestType> batch =
              batch_of_families<TestType>(n, batch_families, uplo, padding, padding);
          const std::int64_t first = (n + 1) / 2, m = n - first + 1;
          BatchPairs<TestType> pairs(n, m, batch.count, true, padding, padding);
          pairs.strides.a = batch.stride;
          Options options;
          options.uplo = uplo;
          options.subset = Subset::by_index(first, n);
          Devices devices;
          devices.device = DeviceChoice::cpu;
          const BatchReport report =
              eigen_g_batched(n, batch.count, batch.a.data(), batch.lda, pairs.w.data(), pairs.z.data(),
                              pairs.ldz, nullptr, pairs.strides, options, devices);
          REQUIRE(report.failed == 0);
          if (fault == 1) pairs.w[static_cast<std::size_t>(4 * pairs.strides.w)] += 1;
          if (fault == 2)
            pairs.z[static_cast<std::size_t>(5 * pairs.strides.z)] = support::not_a_number<TestType>();
          if (fault == 3) batch.at(6, 0, 0) = support::not_a_number<TestType>();
          const auto verified = [&](DeviceChoice device) {
            return verify_batched(uplo, n, batch.count, batch.a.data(), batch.lda, m, pairs.w.data(),
                                  pairs.z.data(), pairs.ldz, pairs.strides, device);
          };
          const BatchVerification cpu = verified(DeviceChoice::cpu), gpu = verified(DeviceChoice::gpu);
          check_same(gpu, cpu);
          CHECK((fault == 0) == passed(gpu));
          const auto a = on_gpu(batch.a), z = on_gpu(pairs.z);
          const auto w = on_gpu(pairs.w);
          const BatchVerification there =
              verify_batched(uplo, n, batch.count, device(a.data()), batch.lda, m, device(w.data()),
                             device(z.data()), pairs.ldz, nullptr, pairs.strides);
          check_same(there, cpu);
          if (passed(gpu)) CHECK(there.lapack_residual == gpu.lapack_residual);
        }
}

TEST_CASE("a large batch is verified on a GPU in parts, and finds the matrix that is wrong") {
  NEEDS_GPU();
  const std::int64_t n = 2, count = 4'000'000, wrong = 3'999'999;
  std::vector<double> a(static_cast<std::size_t>(4 * count)), w(static_cast<std::size_t>(2 * count)),
      z(a.size());
  for (std::size_t k = 0; k < w.size() / 2; ++k) {
    a[4 * k] = w[2 * k] = 1;
    a[4 * k + 3] = w[2 * k + 1] = 2;
    z[4 * k] = z[4 * k + 3] = 1;
  }
  w[static_cast<std::size_t>(2 * wrong)] = 1.5;
  const BatchVerification v =
      verify_batched(Uplo::lower, n, count, a.data(), n, n, w.data(), z.data(), n, {}, DeviceChoice::gpu);
  CHECK(v.failed == 1);
  CHECK(v.first_failed == wrong);
  CHECK(v.residual_matrix == wrong);
}
