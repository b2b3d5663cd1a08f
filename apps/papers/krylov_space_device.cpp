// KrylovSpace on a GPU, by cuBLAS. Its dot products repeat bit for bit, because cuBLAS uses no atomics there by default.
#include <algorithm>
#include <utility>
#include <vector>

#include "apps/papers/krylov_space.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"

namespace eigen_g::papers {

namespace {

class DeviceSpace final : public KrylovSpace {
 public:
  DeviceSpace(const Queue& queue, std::int64_t n, KrylovProduct product)
      : queue_(queue), n_(n), product_(std::move(product)) {}
  std::int64_t n() const override { return n_; }
  double* vector() override {
    memory_.emplace_back(queue_, std::max<std::int64_t>(n_, 1));
    EIGEN_G_CUDA(cudaMemsetAsync(memory_.back().data(), 0, memory_.back().bytes(), queue_.stream()));
    return memory_.back().data();
  }
  void multiply(const double* x, double* y) override { product_(x, y); }
  double dot(const double* x, const double* y) override {
    double sum = 0;
    EIGEN_G_CUBLAS(Cublas<cublasDdot_64>::call(queue_.blas(), n_, x, 1, y, 1, &sum));
    return sum;
  }
  void combine(double a, const double* x, double b, double* y) override {
    if (n_ == 0) return;
    EIGEN_G_CUBLAS(Cublas<cublasDgeam_64>::call(queue_.blas(), CUBLAS_OP_N, CUBLAS_OP_N, n_, 1, &a, x, n_, &b,
                                                y, n_, y, n_));
  }

 private:
  const Queue& queue_;
  std::int64_t n_;
  KrylovProduct product_;
  std::vector<DeviceBuffer<double>> memory_;
};

}  // namespace

std::unique_ptr<KrylovSpace> device_krylov_space(const Queue& queue, std::int64_t n, KrylovProduct product) {
  return std::make_unique<DeviceSpace>(queue, n, std::move(product));
}

}  // namespace eigen_g::papers
