// Compares the double-double product, with which benchmarks and tuner check results, with wider arithmetic on the CPU.
#include "tests/support/catch.hpp"

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "blas2/symv/symv.hpp"
#include "blas2/symv/symv_truth.hpp"
#include "hybrid/cuda_check.hpp"
#include "tests/support/device_copy.hpp"
#include "tests/support/symv_reference.hpp"

using namespace eigen_g;
using namespace eigen_g::blas2;

namespace {

template <class T>
DeviceBuffer<T> on_device(const std::vector<T>& host) {
  DeviceBuffer<T> device(static_cast<std::int64_t>(host.size()));
  support::upload(device.data(), host.data(), host.size() * sizeof(T));
  EIGEN_G_CUDA(cudaDeviceSynchronize());  // a queue does not wait for the default stream
  return device;
}

template <class T>
std::vector<T> on_host(const DeviceBuffer<T>& device) {
  std::vector<T> host(static_cast<std::size_t>(device.size()));
  EIGEN_G_CUDA(cudaMemcpy(host.data(), device.data(), device.bytes(), cudaMemcpyDeviceToHost));
  return host;
}

// t_i rounded to the type.
template <class T>
T held(const support::SymvProblem<T>& problem, std::size_t i) {
  if constexpr (symv_type_of<T> == SymvType::w) {
    const auto hi = static_cast<double>(problem.t_real[i]);
    return T(hi, static_cast<double>(problem.t_real[i] - hi));
  } else {
    return support::SymvNumber<T>::make(static_cast<double>(problem.t_real[i]),
                                        static_cast<double>(problem.t_imag[i]), 0);
  }
}

}  // namespace

TEMPLATE_TEST_CASE("the truth on the GPU", "[gpu]", float, double, std::complex<float>, std::complex<double>,
                   DoubleDouble) {
  NEEDS_GPU();
  const Queue queue;
  for (const Uplo uplo : {Uplo::lower, Uplo::upper})
    for (const std::int64_t n : {1, 2, 31, 33, 100, 257}) {
      CAPTURE(n, static_cast<char>(uplo));
      const support::SymvProblem<TestType> problem(uplo, n,
                                                   static_cast<unsigned>(n));  // NaN where not stored
      const auto a = on_device(problem.a), x = on_device(problem.x);
      queue.wait();
      const SymvTruth<TestType> truth(queue, uplo, n, a.data(), n, x.data());

      std::vector<TestType> y;
      for (std::size_t i = 0; i < problem.y.size(); ++i) y.push_back(held(problem, i));
      CHECK(truth.error(queue, on_device(y).data()) < 1);

      // The last row without its first term: A_{n,1} x_1, wherever it is stored.
      const auto last = y.size() - 1;
      const std::size_t place = uplo == Uplo::lower ? last : last * y.size();
      auto wrong = y;
      wrong[last] = TestType(0);
      if (n > 1) {
        auto zeroed = problem;
        zeroed.a[place] = TestType(0);
        const auto a_zeroed = on_device(zeroed.a);
        const SymvTruth<TestType> other(queue, uplo, n, a_zeroed.data(), n, x.data());
        CHECK(other.error(queue, on_device(y).data()) > 3);
      }
      CHECK(truth.error(queue, on_device(wrong).data()) > 3);
      wrong[last] = TestType(std::numeric_limits<double>::quiet_NaN());
      CHECK(std::isinf(truth.error(queue, on_device(wrong).data())));
    }
}

TEMPLATE_TEST_CASE("random operands", "[gpu]", float, double, std::complex<float>, std::complex<double>,
                   DoubleDouble) {
  NEEDS_GPU();
  using Number = support::SymvNumber<TestType>;
  const Queue queue;
  DeviceBuffer<TestType> few(1000), many(100'000), other(1000);
  fill_random(queue, few.data(), few.size(), 1);
  fill_random(queue, many.data(), many.size(), 1);
  fill_random(queue, other.data(), other.size(), 2);
  queue.wait();
  const auto a = on_host(few), b = on_host(many), c = on_host(other);
  std::size_t same = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK(a[i] == b[i]);
    same += a[i] == c[i];
  }
  CHECK(same == 0);
  double mean = 0, square = 0;
  for (const TestType& v : b) {
    const auto re = static_cast<double>(Number::real(v));
    CHECK((re > -1 && re < 1 && re != 0));
    mean += re / static_cast<double>(b.size());
    square += re * re / static_cast<double>(b.size());
  }
  CHECK(std::fabs(mean) < 0.01);  // standard deviation 1 / sqrt(3e5)
  CHECK(square == Approx(1.0 / 3).epsilon(0.02));
}
