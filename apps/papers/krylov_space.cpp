// KrylovSpace on the CPU.
#include "apps/papers/krylov_space.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "hybrid/machine/cpu.hpp"

namespace eigen_g::papers {

namespace {

class HostSpace final : public KrylovSpace {
 public:
  HostSpace(std::int64_t n, KrylovProduct product) : n_(n), product_(std::move(product)) {}
  std::int64_t n() const override { return n_; }
  double* vector() override {
    memory_.push_back(host_array<double>(n_));
    std::fill_n(memory_.back().get(), n_, 0.0);
    return memory_.back().get();
  }
  void multiply(const double* x, double* y) override { product_(x, y); }

  // Pieces of a fixed length, whose sums are added in order: the result does not depend on the number of threads.
  double dot(const double* x, const double* y) override {
    constexpr std::int64_t piece = 4096;
    const std::int64_t pieces = (n_ + piece - 1) / piece;
    std::vector<double> sums(static_cast<std::size_t>(pieces));
#pragma omp parallel for schedule(static) if (pieces > 8)
    for (std::int64_t p = 0; p < pieces; ++p) {
      double sum = 0;
      for (std::int64_t i = p * piece; i < std::min(n_, (p + 1) * piece); ++i) sum += x[i] * y[i];
      sums[static_cast<std::size_t>(p)] = sum;
    }
    double sum = 0;
    for (const double part : sums) sum += part;
    return sum;
  }
  void combine(double a, const double* x, double b, double* y) override {
#pragma omp parallel for schedule(static) if (n_ > 8 * smallest_parallel_order)
    for (std::int64_t i = 0; i < n_; ++i) y[i] = b == 0 ? a * x[i] : a * x[i] + b * y[i];
  }

 private:
  std::int64_t n_;
  KrylovProduct product_;
  std::vector<HostArray<double>> memory_;
};

}  // namespace

std::unique_ptr<KrylovSpace> host_krylov_space(std::int64_t n, KrylovProduct product) {
  return std::make_unique<HostSpace>(n, std::move(product));
}

}  // namespace eigen_g::papers
