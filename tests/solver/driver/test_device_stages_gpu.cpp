// Tests of sytrd, stedc and ormtr on device pointers.
#include "tests/support/catch.hpp"

#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/api/stages.h"
#include "solver/api/stages.hpp"
#include "solver/verify/verify_reduction.hpp"
#include "tests/support/device_copy.hpp"
#include "tests/support/solving.hpp"
#include "tests/support/tridiagonal.hpp"

using namespace eigen_g;
using support::random_matrix;
using support::Stored;
namespace limits = support::limits;

namespace {

constexpr double guard = -7.25e77;

// The values of `host` and a guard after them, `offset` doubles from the begin of the memory. They are copied on the queue's
// stream, and only the call under test waits for the copy.
class OnDevice {
 public:
  OnDevice(const Queue& queue, const std::vector<double>& host, std::int64_t offset = 0)
      : offset_(offset), count_(host.size()), memory_(static_cast<std::int64_t>(host.size()) + offset + 1) {
    std::vector<double> image(static_cast<std::size_t>(memory_.size()), guard);
    std::copy(host.begin(), host.end(), image.begin() + offset);
    EIGEN_G_CUDA(cudaMemcpyAsync(memory_.data(), image.data(), memory_.bytes(), cudaMemcpyHostToDevice,
                                 queue.stream()));
  }
  OnDevice(const Queue& queue, std::int64_t count)
      : OnDevice(queue, std::vector<double>(static_cast<std::size_t>(std::max<std::int64_t>(count, 0)),
                                            support::nan)) {}
  double* data() const { return memory_.data() + offset_; }
  std::vector<double> get() const {
    std::vector<double> image(static_cast<std::size_t>(memory_.size()));
    EIGEN_G_CUDA(cudaMemcpy(image.data(), memory_.data(), memory_.bytes(), cudaMemcpyDeviceToHost));
    CHECK(image.back() == guard);
    return {image.begin() + offset_, image.begin() + offset_ + static_cast<std::ptrdiff_t>(count_)};
  }

 private:
  std::int64_t offset_;
  std::size_t count_;
  DeviceBuffer<double> memory_;
};

std::vector<double> identity(std::int64_t n) {
  std::vector<double> q(static_cast<std::size_t>(n * n));
  for (std::int64_t j = 0; j < n; ++j) q[static_cast<std::size_t>(j * (n + 1))] = 1;
  return q;
}

struct Result {
  std::vector<double> a, d, e, tau, q;
};

Result reduce(const Stored& s, std::int64_t offset = 0) {
  const std::int64_t n = s.n;
  const Queue queue;
  const OnDevice a(queue, s.a, offset), d(queue, n), e(queue, n - 1), tau(queue, n - 1),
      q(queue, identity(n));
  const Report report = sytrd(s.uplo, n, device(a.data()), s.lda, device(d.data()), device(e.data()),
                              device(tau.data()), queue.stream());
  CHECK(report.bytes.device == sytrd_workspace_bytes(s.uplo, n, s.lda, true, Pointers::device).device);
  ormtr(s.uplo, n, n, device(a.data()), s.lda, device(tau.data()), device(q.data()), n, queue.stream());
  return {a.get(), d.get(), e.get(), tau.get(), q.get()};
}

void check_reduction(const Stored& s, std::int64_t offset = 0) {
  const Result r = reduce(s, offset), again = reduce(s, offset);
  const ReductionRatios found = verify_reduction(s.uplo, {s.a.data(), s.n, s.n, s.lda}, r.d.data(),
                                                 r.e.data(), {r.q.data(), s.n, s.n, s.n});
  const double limit = s.n < 60 ? limits::reduction : limits::reduction_random;
  CHECK(found.backward < limit);
  CHECK(found.orthogonality < limit);
  for (const auto member : {&Result::d, &Result::e, &Result::tau, &Result::q})
    CHECK(support::same_bits(r.*member, again.*member));
  std::int64_t touched = 0;  // the caller's rows after n were NaN
  for (std::int64_t j = 0; j < s.n; ++j)
    for (std::int64_t i = s.n; i < s.lda; ++i)
      touched += !std::isnan(r.a[static_cast<std::size_t>(i + j * s.lda)]);
  CHECK(touched == 0);
}

}  // namespace

TEST_CASE("sytrd and ormtr on device pointers: either triangle, any lda, in place and not", "[gpu]") {
  NEEDS_GPU();
  for (const std::int64_t n : {1, 2, 3, 63, 64, 65, 130, 257})
    for (const Uplo uplo : {Uplo::lower, Uplo::upper})
      for (const std::int64_t padding : {std::int64_t{0}, std::int64_t{5}, sytrd_in_place_lda(n) - n}) {
        CAPTURE(n, support::name(uplo), padding);
        check_reduction(random_matrix(n, uplo, padding));
      }
}

TEST_CASE("sytrd on device pointers: a matrix that begins between two 16-byte boundaries", "[gpu]") {
  NEEDS_GPU();
  check_reduction(random_matrix(128, Uplo::lower, 0), 1);
}

TEST_CASE("sytrd on device pointers: in place and not, the same bits", "[gpu]") {
  NEEDS_GPU();
  const Result in_place = reduce(random_matrix(200, Uplo::lower, 56)),
               copied = reduce(random_matrix(200, Uplo::lower, 0));
  CHECK(support::same_bits(in_place.d, copied.d));
  CHECK(support::same_bits(in_place.e, copied.e));
  CHECK(support::same_bits(in_place.q, copied.q));
}

TEST_CASE("sytrd on device pointers: large", "[gpu][large]") {
  NEEDS_GPU();
  check_reduction(random_matrix(1500, Uplo::lower, sytrd_in_place_lda(1500) - 1500));
  check_reduction(random_matrix(1501, Uplo::upper, 0));
  check_reduction(random_matrix(2700, Uplo::lower, 1));
}

TEST_CASE("sytrd in place takes less than a tenth of the matrix", "[gpu]") {
  NEEDS_GPU();
  for (const std::int64_t n : {4000, 10000, 20000, 50000}) {
    CAPTURE(n);
    const std::int64_t lda = sytrd_in_place_lda(n);
    CHECK(sytrd_workspace_bytes(Uplo::lower, n, lda, true, Pointers::device).device <
          static_cast<std::uint64_t>(n * n) * 8 / 10);
    CHECK(sytrd_workspace_bytes(Uplo::upper, n, lda, true, Pointers::device).device >=
          static_cast<std::uint64_t>(n * n) * 8);
  }
}

TEST_CASE("stedc on device pointers", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  for (const char* kind : {"reduced random", "glued 1e-3", "near overflow", "zero"})
    for (const std::int64_t n : {1, 2, 33, 300}) {
      CAPTURE(kind, n);
      const support::Tridiagonal t = support::tridiagonal(kind, n);
      const std::int64_t ldz = n + 1;
      const OnDevice d(queue, t.d), e(queue, t.e), z(queue, n * ldz), values(queue, t.d), e_again(queue, t.e);
      CHECK(stedc(n, device(d.data()), device(e.data()), device(z.data()), ldz, queue.stream()).status ==
            Status::converged);
      CHECK(stedc(n, device(values.data()), device(e_again.data()), {}, 0, queue.stream()).status ==
            Status::converged);
      support::check_decomposition(t, d.get(), z.get(), ldz, support::dstedc_family(kind),
                                   support::Machine::gpu);
      CHECK(support::value_distance(t, values.get(), d.get()) <= limits::values_only);
    }
}

// Host pointers and device pointers give the same bits; test_stages.cpp compares host pointers with LAPACK.
TEMPLATE_TEST_CASE("sytrd, stedc and ormtr on device pointers in the other types", "[gpu]", float,
                   std::complex<float>, std::complex<double>) {
  NEEDS_GPU();
  using T = TestType;
  using R = real_t<T>;
  const std::int64_t n = 70;
  for (const Uplo uplo : {Uplo::lower, Uplo::upper})
    for (const std::int64_t lda : {n + 1, sytrd_in_place_lda(n)}) {
      CAPTURE(support::name(uplo), lda);
      const Stored s = random_matrix(n, Uplo::lower);
      std::vector<T> a(static_cast<std::size_t>(n * lda)), tau(static_cast<std::size_t>(n)), z(a.size());
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = j; i < n; ++i) {
          T x(static_cast<R>(s.at(i, j)));
          if constexpr (is_complex<T>) x = {x.real(), i == j ? static_cast<R>(support::nan) : x.real() / 3};
          a[static_cast<std::size_t>(uplo == Uplo::lower ? i + j * lda : j + i * lda)] = x;
        }
      for (std::int64_t j = 0; j < n; ++j) z[static_cast<std::size_t>(j * (lda + 1))] = 1;
      std::vector<R> d(static_cast<std::size_t>(n)), e(d), d_of_device(d), e_of_device(d);
      DeviceBuffer<T> a_dev(n * lda), tau_dev(n), z_dev(n * lda);
      DeviceBuffer<R> d_dev(n), e_dev(n);
      support::upload(a_dev.data(), a.data(), a_dev.bytes());
      support::upload(z_dev.data(), z.data(), z_dev.bytes());
      Devices on_gpu;
      on_gpu.device = DeviceChoice::gpu;
      sytrd(uplo, n, a.data(), lda, d.data(), e.data(), tau.data(), on_gpu);
      ormtr(uplo, n, n, a.data(), lda, tau.data(), z.data(), lda, on_gpu);
      sytrd(uplo, n, device(a_dev.data()), lda, device(d_dev.data()), device(e_dev.data()),
            device(tau_dev.data()), nullptr);
      ormtr(uplo, n, n, device(a_dev.data()), lda, device(tau_dev.data()), device(z_dev.data()), lda,
            nullptr);
      std::vector<T> z_of_device(z.size());
      EIGEN_G_CUDA(cudaMemcpy(z_of_device.data(), z_dev.data(), z_dev.bytes(), cudaMemcpyDeviceToHost));
      EIGEN_G_CUDA(cudaMemcpy(d_of_device.data(), d_dev.data(), d_dev.bytes(), cudaMemcpyDeviceToHost));
      EIGEN_G_CUDA(cudaMemcpy(e_of_device.data(), e_dev.data(), e_dev.bytes(), cudaMemcpyDeviceToHost));
      CHECK(z_of_device == z);
      CHECK(d_of_device == d);
      CHECK(std::equal(e.begin(), e.end() - 1, e_of_device.begin()));
      // T's values, and on device pointers the same.
      REQUIRE(stedc<R>(n, d.data(), e.data(), nullptr, 1, on_gpu).status == Status::converged);
      REQUIRE(stedc(n, device(d_dev.data()), device(e_dev.data()), device<R>(nullptr), 1, nullptr).status ==
              Status::converged);
      EIGEN_G_CUDA(cudaMemcpy(d_of_device.data(), d_dev.data(), d_dev.bytes(), cudaMemcpyDeviceToHost));
      CHECK(d_of_device == d);
    }
}

// Host pointers and device pointers give the same bits here too.
TEMPLATE_TEST_CASE("ormtr, orgtr and stedc on device pointers: sides, adjoints, Q, and parts of the vectors",
                   "[gpu]", float, double, std::complex<float>, std::complex<double>) {
  NEEDS_GPU();
  using T = TestType;
  using R = real_t<T>;
  const std::int64_t n = 90, m = 7, ld = n + 1;
  Devices on_gpu;
  on_gpu.device = DeviceChoice::gpu;
  const auto random = [](std::int64_t rows, std::int64_t columns) {
    const std::vector<double> x = support::random_rectangle(rows, columns, 4);
    std::vector<T> z(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      z[i] = static_cast<R>(x[i]);
      if constexpr (is_complex<T>) z[i] = {z[i].real(), z[i].real() / 3};
    }
    return z;
  };
  const auto downloaded = [](const auto& from, auto to) {
    EIGEN_G_CUDA(cudaMemcpy(to.data(), from.data(), from.bytes(), cudaMemcpyDeviceToHost));
    return to;
  };
  for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
    std::vector<T> a = random(ld, n), tau(static_cast<std::size_t>(n));
    std::vector<R> d(static_cast<std::size_t>(n)), e(d);
    sytrd(uplo, n, a.data(), ld, d.data(), e.data(), tau.data(), on_gpu);
    DeviceBuffer<T> a_dev(ld * n), tau_dev(n), z_dev(ld * n);
    DeviceBuffer<R> d_dev(n), e_dev(n);
    support::upload(a_dev.data(), a.data(), a_dev.bytes());
    support::upload(tau_dev.data(), tau.data(), tau_dev.bytes());
    for (const Side side : {Side::left, Side::right})
      for (const Trans trans : {Trans::none, Trans::adjoint}) {
        CAPTURE(support::name(uplo), side == Side::left, trans == Trans::none);
        const std::int64_t rows = side == Side::left ? n : m, columns = side == Side::left ? m : n;
        std::vector<T> z = random(ld, n);
        support::upload(z_dev.data(), z.data(), z_dev.bytes());
        ormtr(side, uplo, trans, rows, columns, a.data(), ld, tau.data(), z.data(), ld, on_gpu);
        ormtr(side, uplo, trans, rows, columns, device(a_dev.data()), ld, device(tau_dev.data()),
              device(z_dev.data()), ld, nullptr);
        CHECK(downloaded(z_dev, z) == z);
      }
    std::vector<T> q = a;
    orgtr(uplo, n, q.data(), ld, tau.data(), on_gpu);
    orgtr(uplo, n, device(a_dev.data()), ld, device(tau_dev.data()), nullptr);
    CHECK(downloaded(a_dev, q) == q);

    TridiagonalVectors some;
    some.subset = Subset::by_index(3, 9);
    for (const TridiagonalVectors& vectors :
         {TridiagonalVectors{TridiagonalVectors::Compz::multiply, {}}, some}) {
      std::vector<R> w = d, off = e;
      std::vector<T> z = q;
      support::upload(z_dev.data(), z.data(), z_dev.bytes());
      support::upload(d_dev.data(), w.data(), d_dev.bytes());
      support::upload(e_dev.data(), off.data(), e_dev.bytes());
      const Report host = stedc(vectors, n, w.data(), off.data(), z.data(), ld, on_gpu),
                   dev = stedc(vectors, n, device(d_dev.data()), device(e_dev.data()), device(z_dev.data()),
                               ld, nullptr);
      REQUIRE(host.m == dev.m);
      const std::vector<R> w_of_device = downloaded(d_dev, w);
      CHECK(std::equal(w.begin(), w.begin() + host.m, w_of_device.begin()));
      CHECK(downloaded(z_dev, z) == z);
    }
  }
}

TEST_CASE("stages on device pointers: what is wrong is named", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  const auto refused = [](auto&& call) {
    try {
      call();
    } catch (const InvalidArgument& error) {
      return std::string(name(error.argument()));
    }
    return std::string("none");
  };
  support::Tridiagonal t = support::random_tridiagonal(20);
  t.e[7] = support::nan;
  const OnDevice d(queue, t.d), e(queue, t.e), z(queue, 400);
  CHECK(refused([&] {
          (void)stedc(20, device(d.data()), device(e.data()), device(z.data()), 20, queue.stream());
        }) == "e");
  CHECK(refused([&] {
          (void)stedc(20, device(d.data()), device(e.data()), device(z.data()), 19, queue.stream());
        }) == "ldz");
  if (!gpu_reads_all_host_memory()) {
    CHECK(refused([&] {
            (void)stedc(20, device(d.data()), device(t.e.data()), device(z.data()), 20, queue.stream());
          }) == "e");
    CHECK(refused([&] {
            (void)stedc(20, device(t.d.data()), device(e.data()), device(z.data()), 20, queue.stream());
          }) == "d");
  }
  Devices on_gpu;
  on_gpu.device = DeviceChoice::gpu;
  CHECK(refused([&] { (void)stedc(20, t.d.data(), e.data(), nullptr, 20, on_gpu); }) == "e");
  CHECK(refused([&] { ormtr(Uplo::lower, 20, 20, z.data(), 20, t.d.data(), t.e.data(), 20, on_gpu); }) ==
        "a");

  for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
    Stored s = random_matrix(100, uplo, 28);
    (uplo == Uplo::lower ? s.at(70, 30) : s.at(30, 70)) = support::infinity;
    const OnDevice a(queue, s.a), values(queue, 300);
    std::int64_t row = -1, col = -1;
    try {
      sytrd(uplo, 100, device(a.data()), s.lda, device(values.data()), device(values.data() + 100),
            device(values.data() + 200), queue.stream());
    } catch (const NonFiniteEntry& error) {
      row = error.row();
      col = error.col();
    }
    CHECK(row == (uplo == Uplo::lower ? 70 : 30));
    CHECK(col == (uplo == Uplo::lower ? 30 : 70));
    CHECK(support::same_bits(a.get(), s.a));
  }
}

TEST_CASE("stages on device pointers from C, on the default stream", "[gpu]") {
  NEEDS_GPU();
  const std::int64_t n = 150;
  const Stored s = random_matrix(n, Uplo::upper, 2);
  const Queue queue;
  const OnDevice a(queue, s.a), d(queue, n), e(queue, n - 1), tau(queue, n - 1), z(queue, n * n);
  queue.wait();
  REQUIRE(eigen_g_dsytrd_device('U', n, a.data(), s.lda, d.data(), e.data(), tau.data(), nullptr) == 0);
  REQUIRE(eigen_g_dstedc_device('I', n, d.data(), e.data(), z.data(), n, nullptr) == 0);
  REQUIRE(eigen_g_dormtr_device('L', 'U', 'N', n, n, a.data(), s.lda, tau.data(), z.data(), n, nullptr) == 0);
  support::check_pairs(s, {d.get(), z.get(), n, {}});
  CHECK(eigen_g_dsytrd_device('U', n, a.data(), n - 1, d.data(), e.data(), tau.data(), nullptr) == -4);
  CHECK(eigen_g_dstedc_device('I', n, d.data(), e.data(), nullptr, n, nullptr) == -5);
  CHECK(eigen_g_dormtr_device('L', 'U', 'N', n, n, a.data(), s.lda, tau.data(), z.data(), n - 1, nullptr) ==
        -10);
}
