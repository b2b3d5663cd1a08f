// Tests of sytrd_sy2sb, sytrd_sb2st and their back-transformations on device pointers: the bits of host pointers, and calls from
// C.
#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/api/stages.h"
#include "solver/api/stages.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device_copy.hpp"
#include "tests/support/reduction.hpp"
#include "tests/support/solving.hpp"

using namespace eigen_g;
using support::random_matrix;
using support::Stored;

namespace {

constexpr double guard = -7.25e77;

class OnDevice {
 public:
  explicit OnDevice(std::vector<double> host) : image_(std::move(host)) {
    image_.push_back(guard);
    memory_ = DeviceBuffer<double>(static_cast<std::int64_t>(image_.size()));
    support::upload(memory_.data(), image_.data(), memory_.bytes());
  }
  double* data() const { return memory_.data(); }
  std::vector<double> get() {
    EIGEN_G_CUDA(cudaMemcpy(image_.data(), memory_.data(), memory_.bytes(), cudaMemcpyDeviceToHost));
    CHECK(image_.back() == guard);
    return {image_.begin(), image_.end() - 1};
  }

 private:
  std::vector<double> image_;
  DeviceBuffer<double> memory_;
};

std::vector<double> not_written(std::int64_t count) {
  return std::vector<double>(static_cast<std::size_t>(std::max<std::int64_t>(count, 0)), support::nan);
}

}  // namespace

TEST_CASE("by a band on device pointers: the bits of host pointers", "[gpu]") {
  NEEDS_GPU();
  Devices gpu;
  gpu.device = DeviceChoice::gpu;
  const Queue queue;
  for (const std::int64_t kd : {32, 64, 128})
    for (const std::int64_t n : {std::int64_t{1}, kd, kd + 1, 3 * kd + 7})
      for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
        CAPTURE(n, kd, support::name(uplo));
        const Stored s = random_matrix(n, uplo, 1);
        const std::int64_t hous_count = sytrd_sb2st_hous(n, kd);
        std::vector<double> a = s.a, ab(static_cast<std::size_t>((kd + 1) * n), 0.0),
                            tau = not_written(n - kd), d = not_written(n), e = not_written(n - 1),
                            hous = not_written(hous_count), q = support::reduction::identity(n);
        sytrd_sy2sb(uplo, n, kd, a.data(), s.lda, ab.data(), kd + 1, tau.data(), gpu);
        sytrd_sb2st(uplo, n, kd, ab.data(), kd + 1, d.data(), e.data(), hous.data(), gpu);
        ormtr_sb2st(n, n, kd, hous.data(), q.data(), n, gpu);
        ormtr_sy2sb(uplo, n, n, kd, a.data(), s.lda, tau.data(), q.data(), n, gpu);

        OnDevice a_dev(s.a), ab_dev(std::vector<double>(ab.size(), 0.0)), tau_dev(not_written(n - kd)),
            d_dev(not_written(n)), e_dev(not_written(n - 1)), hous_dev(not_written(hous_count)),
            q_dev(support::reduction::identity(n));
        const Report report = sytrd_sy2sb(uplo, n, kd, device(a_dev.data()), s.lda, device(ab_dev.data()),
                                          kd + 1, device(tau_dev.data()), queue.stream());
        CHECK(report.bytes.device == sytrd_sy2sb_workspace_bytes(n, kd, true, Pointers::device).device);
        sytrd_sb2st(uplo, n, kd, device<const double>(ab_dev.data()), kd + 1, device(d_dev.data()),
                    device(e_dev.data()), device(hous_dev.data()), queue.stream());
        ormtr_sb2st(n, n, kd, device<const double>(hous_dev.data()), device(q_dev.data()), n, queue.stream());
        ormtr_sy2sb(uplo, n, n, kd, device<const double>(a_dev.data()), s.lda,
                    device<const double>(tau_dev.data()), device(q_dev.data()), n, queue.stream());
        CHECK(support::same_bits(ab_dev.get(), ab));
        CHECK(support::same_bits(tau_dev.get(), tau));
        CHECK(support::same_bits(d_dev.get(), d));
        CHECK(support::same_bits(e_dev.get(), e));
        CHECK(support::same_bits(hous_dev.get(), hous));
        double difference = 0;  // products of columns with another alignment may take other kernels
        const std::vector<double> found = q_dev.get();
        for (std::size_t i = 0; i < q.size(); ++i)
          difference = std::max(difference, std::fabs(q[i] - found[i]));
        CHECK(difference <=
              static_cast<double>(n) * support::limits::ulp * support::limits::reduction_random);
      }
}

TEST_CASE("by a band on device pointers from C: a solve on the default stream", "[gpu]") {
  NEEDS_GPU();
  const std::int64_t n = 310, kd = 64;
  const Stored s = random_matrix(n, Uplo::lower, 2);
  OnDevice a(s.a), ab(not_written((kd + 1) * n)), tau(not_written(n - kd)), d(not_written(n)),
      e(not_written(n - 1)), hous(not_written(eigen_g_dsytrd_sb2st_hous(n, kd))), z(not_written(n * n));
  REQUIRE(eigen_g_dsytrd_sy2sb_device('L', n, kd, a.data(), s.lda, ab.data(), kd + 1, tau.data(), nullptr) ==
          0);
  REQUIRE(eigen_g_dsytrd_sb2st_device('L', n, kd, ab.data(), kd + 1, d.data(), e.data(), hous.data(),
                                      nullptr) == 0);
  REQUIRE(eigen_g_dstedc_device('I', n, d.data(), e.data(), z.data(), n, nullptr) == 0);
  REQUIRE(eigen_g_dormtr_sb2st_device(n, n, kd, hous.data(), z.data(), n, nullptr) == 0);
  REQUIRE(eigen_g_dormtr_sy2sb_device('L', n, n, kd, a.data(), s.lda, tau.data(), z.data(), n, nullptr) == 0);
  support::check_pairs(s, {d.get(), z.get(), n, {}});
  CHECK(eigen_g_dsytrd_sy2sb_device('L', n, 40, a.data(), s.lda, ab.data(), kd + 1, tau.data(), nullptr) ==
        -3);
  const OnDevice bad(not_written((kd + 1) * n));
  CHECK(eigen_g_dsytrd_sb2st_device('L', n, kd, bad.data(), kd + 1, d.data(), e.data(), hous.data(),
                                    nullptr) == -4);
}
