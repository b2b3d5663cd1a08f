// KrylovSpace: the memory and the operations of an iterative solver of A x = b, on the CPU or on a GPU: vectors, products with A,
// dots, sums. bicgstab.hpp and minres.hpp use it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace eigen_g {
class Queue;
}

namespace eigen_g::papers {

// y := A x of one vector. On a GPU the pointers are device pointers, and the product is ordered on the space's queue.
using KrylovProduct = std::function<void(const double* x, double* y)>;

class KrylovSpace {
 public:
  virtual ~KrylovSpace() = default;
  virtual std::int64_t n() const = 0;
  virtual double* vector() = 0;  // n zeros, valid during the life of the space; throws OutOfMemory
  virtual void multiply(const double* x, double* y) = 0;
  // x^T y. n fixes the order of the additions: results repeat bit for bit. Blocks until the result is there.
  virtual double dot(const double* x, const double* y) = 0;
  // y := a x + b y. y is not read if b = 0.
  virtual void combine(double a, const double* x, double b, double* y) = 0;
};

std::unique_ptr<KrylovSpace> host_krylov_space(std::int64_t n, KrylovProduct product);
std::unique_ptr<KrylovSpace> device_krylov_space(const Queue& queue, std::int64_t n, KrylovProduct product);

struct KrylovRule {
  double tolerance = 1e-8;  // bound of |r| / |b| at which the iteration stops
  int max_iterations = 5000;
};
enum class KrylovEnd { converged, max_iterations, breakdown };
struct KrylovResult {
  KrylovEnd end = KrylovEnd::max_iterations;
  int iterations = 0, products = 0;
  double recurrence = 0;  // |r| / |b| of the recurrence
  double residual = 0;    // |b - A x| / |b|, computed at the end
};

}  // namespace eigen_g::papers
