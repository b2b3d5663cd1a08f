#include <cuda_runtime.h>

#include <complex>
#include <limits>
#include <numbers>
#include <numeric>

#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "solver/api/sparse.hpp"
#include "solver/verify/verify.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/closed_forms.hpp"
#include "tests/support/device_copy.hpp"
#include "tests/support/matrices.hpp"
#include "tests/support/pencils.hpp"
#include "tests/support/sanitized.hpp"

using namespace eigen_g;
using support::SparseCase;

namespace {

template <class T>
DeviceBuffer<T> to_device(const std::vector<T>& x) {
  DeviceBuffer<T> buffer(static_cast<std::int64_t>(x.size()));
  support::upload(buffer.data(), x.data(), x.size() * sizeof(T));
  return buffer;
}

struct Found {
  FewReport report;
  std::vector<double> w, z;
};

void check_pairs(const SparseCase& a, const Found& found, const FewOptions& options) {
  const std::int64_t n = a.n(), k = options.count;
  const std::size_t first = options.end == End::highest ? static_cast<std::size_t>(n - k) : 0;
  const double norm = std::max(std::abs(a.values.front()), std::abs(a.values.back()));
  CHECK(found.report.status == Status::converged);
  CHECK(found.report.on_gpu);
  for (std::int64_t c = 0; c < k; ++c) {
    const double* const z = found.z.data() + c * n;
    const double value = found.w[static_cast<std::size_t>(c)];
    CHECK(std::abs(value - a.values[first + static_cast<std::size_t>(c)]) <= 1e-9 * norm);
    const std::vector<double> az = a.times(z);
    double residual = 0;
    for (std::int64_t i = 0; i < n; ++i)
      residual += std::pow(az[static_cast<std::size_t>(i)] - value * z[i], 2);
    CHECK(std::sqrt(residual) <=
          (1.01 * found.report.tolerance + 1e-15) * norm + 1e-300);  // 1e-15: of this product
    for (std::int64_t d = 0; d <= c; ++d)
      CHECK(std::abs(std::inner_product(z, z + n, found.z.data() + d * n, 0.0) - (c == d)) <= 1e-12);
  }
}

}  // namespace

TEST_CASE(
    "few pairs on a GPU: known spectra with their multiplicities, from every kind of matrix, the same bits",
    "[gpu]") {
  NEEDS_GPU();
  const SparseCase a =
      GENERATE(support::cube(9), support::hypercube(10), support::star(700), support::complete(500),
               support::identity(400, 1.0), support::identity(400, 0.0), support::two_components(350));
  FewOptions options;
  options.method = FewMethod::lanczos;
  options.count = GENERATE(1, 5, 30);
  options.end = GENERATE(End::lowest, End::highest);
  if (support::sanitized() && (options.count != 5 || options.end != End::lowest || a.n() != 500))
    return;  // only complete(500)
  CAPTURE(a.name, options.count, options.end == End::lowest);
  Devices gpu;
  gpu.device = DeviceChoice::gpu;
  const auto memory = [&] {
    return Found{{},
                 std::vector<double>(static_cast<std::size_t>(options.count), support::nan),
                 std::vector<double>(static_cast<std::size_t>(options.count * a.n()), support::nan)};
  };
  Found host = memory(), rows = memory(), product = memory();
  host.report = solve_few(a.rows(), host.w.data(), host.z.data(), a.n(), options, gpu);
  check_pairs(a, host, options);

  const auto row_offsets = to_device(a.row_offsets);
  const auto column = to_device(a.column);
  const auto value = to_device(a.value);
  const DeviceBuffer<double> z_dev = to_device(rows.z);
  const DeviceCsrMatrix<double> on_gpu{
      a.n(), static_cast<std::int64_t>(a.column.size()), device<const std::int64_t>(row_offsets.data()),
      device<const std::int32_t>(column.data()), device<const double>(value.data())};
  const auto get_z = [&](Found& found) {
    EIGEN_G_CUDA(
        cudaMemcpy(found.z.data(), z_dev.data(), found.z.size() * sizeof(double), cudaMemcpyDeviceToHost));
  };
  rows.report = solve_few(on_gpu, rows.w.data(), device(z_dev.data()), a.n(), nullptr, options);
  get_z(rows);
  check_pairs(a, rows, options);
  const Found once = rows;
  rows.report = solve_few(on_gpu, rows.w.data(), device(z_dev.data()), a.n(), nullptr, options);
  get_z(rows);
  CHECK(once.w == rows.w);
  CHECK(once.z == rows.z);

  // A product that runs on the host.
  std::vector<double> x(static_cast<std::size_t>(4 * a.n())), y(x.size());
  const DeviceSparseOperator<double> by_host{
      a.n(), [&](const double* x_dev, double* y_dev, CUstream_st* stream) {
        const std::size_t bytes = x.size() * sizeof(double);
        EIGEN_G_CUDA(cudaMemcpyAsync(x.data(), x_dev, bytes, cudaMemcpyDeviceToHost, stream));
        EIGEN_G_CUDA(cudaStreamSynchronize(stream));
        a.times(x.data(), y.data());
        EIGEN_G_CUDA(cudaMemcpyAsync(y_dev, y.data(), bytes, cudaMemcpyHostToDevice, stream));
        EIGEN_G_CUDA(cudaStreamSynchronize(stream));
      }};
  product.report = solve_few(by_host, product.w.data(), device(z_dev.data()), a.n(), nullptr, options);
  get_z(product);
  check_pairs(a, product, options);
}

TEST_CASE("few pairs on a GPU: matrices at the ends of the range", "[gpu]") {
  NEEDS_GPU();
  const double scale = GENERATE(2e307, 1e306, 5e-309, 1e-310);
  CAPTURE(scale);
  const SparseCase plain = support::grid({12, 11});
  SparseCase a = plain;
  for (double& value : a.value) value *= scale;
  FewOptions options;
  options.method = FewMethod::lanczos;
  options.count = 4;
  options.end = End::highest;
  Devices gpu;
  gpu.device = DeviceChoice::gpu;
  Found host{{}, std::vector<double>(4), std::vector<double>(static_cast<std::size_t>(4 * a.n()))},
      rows = host;
  host.report = solve_few(a.rows(), host.w.data(), host.z.data(), a.n(), options, gpu);

  const auto row_offsets = to_device(a.row_offsets);
  const auto column = to_device(a.column);
  const auto value = to_device(a.value);
  const DeviceBuffer<double> z_dev = to_device(rows.z);
  const DeviceCsrMatrix<double> on_gpu{
      a.n(), static_cast<std::int64_t>(a.column.size()), device<const std::int64_t>(row_offsets.data()),
      device<const std::int32_t>(column.data()), device<const double>(value.data())};
  rows.report = solve_few(on_gpu, rows.w.data(), device(z_dev.data()), a.n(), nullptr, options);
  EIGEN_G_CUDA(
      cudaMemcpy(rows.z.data(), z_dev.data(), rows.z.size() * sizeof(double), cudaMemcpyDeviceToHost));
  for (Found* found : {&host, &rows}) {
    for (double& w : found->w) w /= scale;
    check_pairs(plain, *found, options);
  }
}

TEMPLATE_TEST_CASE("few pairs on a GPU: the ends of pencils with a lumped M, as on the CPU", "[gpu]", double,
                   float, std::complex<double>, std::complex<float>) {
  NEEDS_GPU();
  using T = TestType;
  using R = real_t<T>;
  const support::PencilCase a = support::box(19, 17, 0, 1.0, std::numbers::sqrt2);
  const std::int64_t n = a.n();
  std::vector<T> values;
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t p = a.k.offsets[i]; p < a.k.offsets[i + 1]; ++p) {
      T entry = T(static_cast<R>(a.k.value[p]));
      if constexpr (is_complex<T>)  // D^H K D with D = diag(i^row)
        for (std::int64_t e = i; e != a.k.column[p]; e += e < a.k.column[p] ? 1 : -1)
          entry *= T(0, e < a.k.column[p] ? 1 : -1);
      values.push_back(entry);
    }
  std::vector<R> mass;
  for (std::int64_t i = 0; i < n; ++i) mass.push_back(R(0.5) + static_cast<R>(i % 7) / R(5));
  const CsrMatrix<T> k{n, a.k.offsets.data(), a.k.column.data(), values.data()};
  const SparseMass<T> lumped{{}, mass.data()};
  const double limit = std::is_same_v<R, float> ? 2e-5 : 1e-10;
  for (const End end : {End::lowest, End::highest}) {
    CAPTURE(static_cast<int>(end));
    FewOptions options;
    options.count = 5;
    options.end = end;
    options.method = FewMethod::lanczos;
    const R nan = std::numeric_limits<R>::quiet_NaN();
    std::vector<R> w(5, nan), expected(5, nan), again(5, nan);
    std::vector<T> z(static_cast<std::size_t>(5 * n), T(nan)), z_again(z);
    Devices gpu, cpu;
    gpu.device = DeviceChoice::gpu;
    cpu.device = DeviceChoice::cpu;
    const FewReport report = solve_few(k, lumped, w.data(), z.data(), n, options, gpu);
    CHECK(report.status == Status::converged);
    CHECK(report.on_gpu);
    CHECK(report.method == FewMethod::lanczos);
    CHECK(passed(verify(k, lumped, 5, w.data(), z.data(), n)));
    CHECK(solve_few(k, lumped, expected.data(), nullptr, n, options, cpu).status == Status::converged);
    for (std::size_t j = 0; j < 5; ++j)
      CHECK(std::abs(static_cast<double>(w[j] - expected[j])) <=
            limit * std::abs(static_cast<double>(expected[j])));
    CHECK(solve_few(k, lumped, again.data(), z_again.data(), n, options, gpu).status == Status::converged);
    CHECK(again == w);
    CHECK(z_again == z);
  }
}
