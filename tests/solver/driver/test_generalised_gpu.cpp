// Tests of generalised problems on device pointers.
#include <cmath>
#include <cstring>
#include <vector>

#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/api/generalised.h"
#include "solver/api/generalised.hpp"
#include "solver/verify/verify_generalised.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device_copy.hpp"
#include "tests/support/generalised.hpp"
#include "tests/support/matrices.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/tolerances.hpp"

using namespace eigen_g;
using support::Matrix;
using support::positive_definite;
using support::random_symmetric;

namespace {

constexpr double cond = 30;

template <class T>
DeviceBuffer<T> on_device(const std::vector<T>& host) {
  DeviceBuffer<T> memory(static_cast<std::int64_t>(host.size()));
  support::upload(memory.data(), host.data(), memory.bytes());
  return memory;
}
template <class T>
std::vector<T> on_host(const DeviceBuffer<T>& memory) {
  std::vector<T> host(static_cast<std::size_t>(memory.size()));
  EIGEN_G_CUDA(cudaMemcpy(host.data(), memory.data(), memory.bytes(), cudaMemcpyDeviceToHost));
  return host;
}

template <class T>
struct Solved {
  std::vector<real_t<T>> w;
  std::vector<T> z, b;
  GeneralisedReport report;
};

// Solves with outputs that are NaN before; z may be the same array as a.
template <class T>
Solved<T> solved(const GeneralisedProblem& problem, const Matrix<T>& a, const Matrix<T>& b,
                 std::int64_t padding, bool over_a, Options options = {}) {
  const std::int64_t n = a.n, ldz = over_a ? a.ld : n + padding;
  const DeviceBuffer<T> a_dev = on_device(a.a), b_dev = on_device(b.a), z_dev(ldz * n);
  const DeviceBuffer<real_t<T>> w_dev(n);
  EIGEN_G_CUDA(cudaMemset(w_dev.data(), 0xff, w_dev.bytes()));
  EIGEN_G_CUDA(cudaMemset(z_dev.data(), 0xff, z_dev.bytes()));
  EIGEN_G_CUDA(cudaDeviceSynchronize());
  Queue stream;
  options.uplo = a.uplo;
  T* const z = over_a ? a_dev.data() : z_dev.data();
  Solved<T> s;
  s.report = sygvd(problem, n, device(a_dev.data()), a.ld, device(b_dev.data()), b.ld, device(w_dev.data()),
                   device(options.vectors ? z : nullptr), ldz, stream.stream(), options);
  s.b = on_host(b_dev);
  const std::vector<real_t<T>> w = on_host(w_dev);
  const std::vector<T> all = over_a ? on_host(a_dev) : on_host(z_dev);
  s.w.assign(w.begin(), w.begin() + s.report.m);
  for (std::int64_t j = 0; j < s.report.m && options.vectors; ++j)
    s.z.insert(s.z.end(), &all[j * ldz], &all[j * ldz] + n);
  return s;
}

template <class T>
void check(int itype, const Matrix<T>& a, const Matrix<T>& b, const Solved<T>& s) {
  REQUIRE(s.report.status == Status::converged);
  const GeneralisedVerification v =
      verify_generalised<T>(itype, a.uplo, a.n, a.a.data(), a.ld, b.a.data(), b.ld, s.report.m, s.w.data(),
                            s.z.data(), std::max<std::int64_t>(1, a.n), DeviceChoice::cpu);
  CAPTURE(v.residual, v.residual_limit, v.orthogonality, v.orthogonality_limit);
  CHECK(passed(v));
}

}  // namespace

TEMPLATE_TEST_CASE("generalised on device pointers: ragged sizes, poisoned outputs, the same bits twice",
                   "[gpu]", double, float, std::complex<double>, std::complex<float>) {
  NEEDS_GPU();
  using T = TestType;
  for (const std::int64_t n : support::sizes({1, 2, 63, 64, 65, 129, 300, 511, 1111}, {33}))
    for (const int itype : {1, 2, 3}) {
      const Uplo uplo = (n + itype) % 2 == 0 ? Uplo::lower : Uplo::upper;
      CAPTURE(n, itype, support::name(uplo));
      const Matrix<T> a(random_symmetric(n, 2), n, uplo, n % 3),
          b(positive_definite(n, cond), n, uplo, n % 2, 0.3);
      const Solved<T> s = solved<T>({itype}, a, b, 3, false), again = solved<T>({itype}, a, b, 3, false),
                      over_a = solved<T>({itype}, a, b, 0, true);
      check(itype, a, b, s);
      CHECK(std::memcmp(s.z.data(), again.z.data(), s.z.size() * sizeof(T)) == 0);
      CHECK(std::memcmp(s.w.data(), again.w.data(), s.w.size() * sizeof(real_t<T>)) == 0);
      check(itype, a, b, over_a);
      Options part;
      part.subset = Subset::by_index((n + 2) / 3, (n + 1) / 2);
      check(itype, a, b, solved<T>({itype}, a, b, 1, false, part));
      part.vectors = false;
      const Solved<T> values = solved<T>({itype}, a, b, 1, false, part);
      CHECK(values.report.m == (n + 1) / 2 - (n + 2) / 3 + 1);
      CHECK(values.w.size() == static_cast<std::size_t>(values.report.m));
    }
}

TEMPLATE_TEST_CASE("generalised on device pointers: B in another order of its rows", "[gpu]", double, float,
                   std::complex<double>, std::complex<float>) {
  NEEDS_GPU();
  using T = TestType;
  for (const std::int64_t n : support::sizes({40, 72, 129, 300}, {33}))
    for (const bool graded : {true, false}) {  // false: nearly dependent rows
      const int itype = static_cast<int>(n % 3) + 1;
      const Uplo uplo = n % 2 == 0 ? Uplo::lower : Uplo::upper;
      CAPTURE(n, graded, itype, support::name(uplo));
      std::vector<double> full = positive_definite(n, graded ? cond : 1e4);
      for (std::int64_t j = 0; j < n && graded; ++j)
        for (std::int64_t i = 0; i < n; ++i)
          full[i + j * n] *= std::exp2(static_cast<double>(i * 7 % 5 + j * 7 % 5));
      const Matrix<T> a(random_symmetric(n, 2), n, uplo, n % 3), b(full, n, uplo, 1, 0.3);
      const Solved<T> s = solved<T>({itype}, a, b, 3, false), again = solved<T>({itype}, a, b, 3, false);
      check(itype, a, b, s);
      CHECK(std::memcmp(s.z.data(), again.z.data(), s.z.size() * sizeof(T)) == 0);
      CHECK(std::memcmp(s.w.data(), again.w.data(), s.w.size() * sizeof(real_t<T>)) == 0);
      check(itype, a, b, solved<T>({itype}, a, b, 0, true));
      Options part;
      part.subset = Subset::by_index(3, n / 2);
      check(itype, a, b, solved<T>({itype}, a, b, 1, false, part));
      CHECK((s.report.devices.at(0).gpu == -1) == (n < 72));
    }
}

TEST_CASE("generalised on device pointers: the factor given again, from the memory that holds it", "[gpu]") {
  NEEDS_GPU();
  const std::int64_t n = support::sanitized() ? 65 : 200;
  for (const Uplo uplo : {Uplo::lower, Uplo::upper})
    for (const int itype : {1, 2, 3}) {
      const Matrix<double> a(random_symmetric(n, 2), n, uplo, 2), b(positive_definite(n, cond), n, uplo, 1);
      const Solved<double> first =
          solved<double>({itype, CholeskyFactor::compute_and_return}, a, b, 0, false);
      check(itype, a, b, first);
      Matrix<double> factor = b;
      factor.a = first.b;
      const Solved<double> second = solved<double>({itype, CholeskyFactor::reuse}, a, factor, 0, false);
      check(itype, a, b, second);
      bool kept = true;
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < n; ++i)
          if (b.stored(i, j)) kept = kept && second.b[i + j * b.ld] == first.b[i + j * b.ld];
      CHECK(kept);
    }
}

TEST_CASE("generalised on device pointers: workspace, allocator, nothing taken at the second solve",
          "[gpu]") {
  NEEDS_GPU();
  const std::int64_t n = support::sanitized() ? 65 : 250;
  struct Pool {
    std::int64_t pieces = 0;
    std::uint64_t bytes = 0, most = 0;
  } pool;
  const Allocator allocator{[](std::size_t bytes, CUstream_st*, void* context) -> void* {
                              auto& p = *static_cast<Pool*>(context);
                              ++p.pieces;
                              p.most = std::max(p.most, p.bytes += bytes);
                              void* memory = nullptr;
                              return cudaMalloc(&memory, bytes) == cudaSuccess ? memory : nullptr;
                            },
                            [](void* memory, std::size_t bytes, CUstream_st*, void* context) {
                              static_cast<Pool*>(context)->bytes -= bytes;
                              cudaFree(memory);
                            },
                            &pool};
  {
    GeneralisedSolver<double> solver(n, {}, {}, Pointers::device, {}, allocator);
    const std::uint64_t bytes = solver.workspace().device;
    CHECK(bytes == generalised_workspace_bytes<double>(n, {}, {}, true, Pointers::device).device);
    const Matrix<double> a(random_symmetric(n), n, Uplo::lower, 0),
        b(positive_definite(n, cond), n, Uplo::lower, 0);
    const DeviceBuffer<double> w_dev(n), z_dev(n * n);
    Queue stream;
    Solved<double> s;
    const auto solve = [&] {
      const DeviceBuffer<double> a_dev = on_device(a.a), b_dev = on_device(b.a);
      s.report = solver.solve(device(a_dev.data()), n, device(b_dev.data()), n, device(w_dev.data()),
                              device(z_dev.data()), n, stream.stream());
      CHECK(s.report.bytes.device <= bytes);
      s.w = on_host(w_dev);
      s.z = on_host(z_dev);
      check(1, a, b, s);
    };
    solve();
    const std::int64_t pieces = pool.pieces;
    CHECK(pieces > 0);
    CHECK(pool.most >= bytes);
    solve();
    CHECK(pool.pieces == pieces);
    const DeviceBuffer<std::byte> own(static_cast<std::int64_t>(bytes));
    CHECK_THROWS_AS(solver.set_workspace({own.data(), bytes - 1}), InvalidArgument);
    solver.set_workspace({own.data(), bytes});
    solve();
    CHECK(pool.pieces == pieces);
  }
  CHECK(pool.bytes == 0);
}

TEST_CASE("generalised on device pointers: from C", "[gpu][racecheck]") {
  NEEDS_GPU();
  const std::int64_t n = 90;
  const Matrix<double> a(random_symmetric(n), n, Uplo::upper, 0),
      b(positive_definite(n, cond), n, Uplo::upper, 0);
  const DeviceBuffer<double> a_dev = on_device(a.a), b_dev = on_device(b.a), w_dev(n), z_dev(n * n);
  EIGEN_G_CUDA(cudaMemset(w_dev.data(), 0xff, w_dev.bytes()));
  EIGEN_G_CUDA(cudaMemset(z_dev.data(), 0xff, z_dev.bytes()));
  Solved<double> s;
  REQUIRE(eigen_g_dsygvdx_device(2, 'V', 'I', 'U', n, a_dev.data(), n, b_dev.data(), n, 0, 0, 4, 20,
                                 &s.report.m, w_dev.data(), z_dev.data(), n, nullptr) == 0);
  REQUIRE(s.report.m == 17);
  s.w = on_host(w_dev);
  s.z = on_host(z_dev);
  check(2, a, b, s);
  std::vector<double> bad = b.a;
  bad[40 * (n + 1)] = -1;
  const DeviceBuffer<double> again_dev = on_device(a.a), bad_dev = on_device(bad);
  CHECK(eigen_g_dsygvd_device(1, 'V', 'U', n, again_dev.data(), n, bad_dev.data(), n, w_dev.data(),
                              z_dev.data(), n, nullptr) == n + 41);
  CHECK(eigen_g_dsygvd_device(1, 'V', 'U', n, again_dev.data(), n, bad.data(), n, w_dev.data(), z_dev.data(),
                              n, nullptr) == -7);
}
