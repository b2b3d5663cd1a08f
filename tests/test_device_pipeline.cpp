// The entries on device pointers. A build without CUDA has one case that says so.
#include "tests/support/catch.hpp"

#ifndef EIGEN_G_HAVE_CUDA

TEST_CASE("device pointers") {
  SKIP_TEST("built without CUDA");
}

#else

#include "hybrid/cuda_check.hpp"
#include "hybrid/memory.hpp"
#include "hybrid/queue.hpp"
#include "solver/eigen_g.h"
#include "tests/support/solving.hpp"

using eigen_g::DeviceBuffer;
using eigen_g::Queue;
using eigen_g::Uplo;
using support::Stored;

namespace {

constexpr double guard = -7.25e77;

// Host arrays travel on the queue's stream, pageable as they are, and nobody waits for them but the solver.
struct OnDevice {
  DeviceBuffer<double> a, w, z;
  std::int64_t lda = 1, ldz = 1;

  OnDevice(const Stored& s, const Queue& queue, std::int64_t padding)
      : a(static_cast<std::int64_t>(s.a.size())),
        w(s.n + 1),
        z(s.n * (s.n + padding) + 1),
        lda(s.lda),
        ldz(s.n + padding) {
    upload(s.a, a, queue);
    upload(std::vector<double>(static_cast<std::size_t>(w.size()), guard), w, queue);
    upload(std::vector<double>(static_cast<std::size_t>(z.size()), guard), z, queue);
  }
  static void upload(const std::vector<double>& host, const DeviceBuffer<double>& device,
                     const Queue& queue) {
    EIGEN_G_CUDA(
        cudaMemcpyAsync(device.data(), host.data(), device.bytes(), cudaMemcpyHostToDevice, queue.stream()));
  }
  static std::vector<double> download(const DeviceBuffer<double>& device) {
    std::vector<double> host(static_cast<std::size_t>(device.size()));
    EIGEN_G_CUDA(cudaMemcpy(host.data(), device.data(), device.bytes(), cudaMemcpyDeviceToHost));
    return host;
  }
};

// The guards behind w, behind z and between z's columns still stand; then the results without them.
support::Solved take(const OnDevice& d, std::int64_t n, const eigen_g::Report& report) {
  support::Solved solved{OnDevice::download(d.w), OnDevice::download(d.z), d.ldz, report};
  CHECK(solved.w.back() == guard);
  CHECK(solved.z.back() == guard);
  std::int64_t touched = 0;
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = n; i < d.ldz; ++i)
      touched += solved.z[static_cast<std::size_t>(i + j * d.ldz)] != guard;
  CHECK(touched == 0);
  solved.w.pop_back();
  solved.z.pop_back();
  return solved;
}

Stored random_matrix(std::int64_t n, Uplo uplo = Uplo::lower, std::int64_t padding = 0) {
  eigen_g::generate::Spec spec;
  spec.n = n;
  return support::stored(spec, uplo, padding);
}

}  // namespace

TEST_CASE("device pointers: pairs and values, either triangle, any leading dimension", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  for (const std::int64_t n : {1, 2, 3, 64, 65, 129, 257, 600})
    for (const Uplo uplo : {Uplo::lower, Uplo::upper})
      for (const std::int64_t padding : {0, 5}) {
        CAPTURE(n, support::name(uplo), padding);
        const Stored s = random_matrix(n, uplo, padding);
        eigen_g::Options o;
        o.uplo = uplo;
        const OnDevice pairs(s, queue, padding);
        const eigen_g::Report report = eigen_g::eigen_g(n, pairs.a.data(), pairs.lda, pairs.w.data(),
                                                        pairs.z.data(), pairs.ldz, queue.stream(), o);
        const support::Solved solved = take(pairs, n, report);
        support::check_pairs(s, solved);

        o.vectors = false;
        const OnDevice values(s, queue, padding);
        eigen_g::eigen_g(n, values.a.data(), values.lda, values.w.data(), nullptr, 1, queue.stream(), o);
        const std::vector<double> w = take(values, n, report).w;
        support::check_values(s, w);
        CHECK(support::eigenvalue_ratio(w, solved.w) <= support::limits::values_only);
      }
}

TEST_CASE("device pointers: the default stream, and nothing to solve", "[gpu]") {
  NEEDS_GPU();
  const Stored s = random_matrix(100);
  const Queue queue;
  const OnDevice d(s, queue, 0);
  queue.wait();
  const eigen_g::Report report =
      eigen_g::eigen_g(100, d.a.data(), d.lda, d.w.data(), d.z.data(), d.ldz, nullptr);
  support::check_pairs(s, take(d, 100, report));
  CHECK(eigen_g::eigen_g(0, static_cast<double*>(nullptr), 1, nullptr, nullptr, 1, nullptr).status ==
        eigen_g::Status::converged);
}

TEST_CASE("device pointers: what is wrong is named", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  Stored s = random_matrix(50);
  const auto refused = [&](const OnDevice& d, std::int64_t n, std::int64_t lda, double* z, std::int64_t ldz,
                           eigen_g::DeviceChoice device = eigen_g::DeviceChoice::automatic) {
    eigen_g::Options o;
    o.device = device;
    try {
      eigen_g::eigen_g(n, d.a.data(), lda, d.w.data(), z, ldz, queue.stream(), o);
    } catch (const eigen_g::InvalidArgument& error) {
      return error.argument();
    }
    return std::string("none");
  };
  const OnDevice d(s, queue, 0);
  CHECK(refused(d, -1, 50, d.z.data(), 50) == "n");
  CHECK(refused(d, 50, 49, d.z.data(), 50) == "lda");
  CHECK(refused(d, 50, 50, nullptr, 50) == "z");
  CHECK(refused(d, 50, 50, d.z.data(), 49) == "ldz");
  CHECK(refused(d, 50, 50, d.z.data(), 50, eigen_g::DeviceChoice::cpu) == "options.device");

  s.at(40, 7) = support::infinity;
  const OnDevice bad(s, queue, 0);
  std::int64_t row = -1, col = -1;
  try {
    eigen_g::eigen_g(50, bad.a.data(), bad.lda, bad.w.data(), bad.z.data(), bad.ldz, queue.stream());
  } catch (const eigen_g::NonFiniteEntry& error) {
    row = error.row();
    col = error.col();
  }
  CHECK(row == 40);
  CHECK(col == 7);
}

TEST_CASE("device pointers from C", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  const Stored s = random_matrix(120, Uplo::upper, 2);
  const OnDevice d(s, queue, 3);
  REQUIRE(eigen_g_dsyevd_device('V', 'U', 120, d.a.data(), d.lda, d.w.data(), d.z.data(), d.ldz,
                                queue.stream()) == 0);
  support::check_pairs(s, take(d, 120, {}));
  CHECK(eigen_g_dsyevd_device('V', 'U', 120, d.a.data(), 119, d.w.data(), d.z.data(), d.ldz,
                              queue.stream()) == -5);
}

#endif
