// The vectors that an iterative solver of A x = b works on, on the CPU or on a GPU: products with A, dots, sums.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace eigen_g {

class Queue;

// y := A x of one vector; device pointers: queued on the space's queue.
using KrylovProduct = std::function<void(const double* x, double* y)>;

class KrylovSpace {
 public:
  virtual ~KrylovSpace() = default;
  virtual std::int64_t n() const = 0;
  virtual double* vector() = 0;  // n zeros, which live as long as the space; throws OutOfMemory
  virtual void multiply(const double* x, double* y) = 0;
  // In an order that n fixes: results repeat bit for bit. Blocks until it is there.
  virtual double dot(const double* x, const double* y) = 0;
  virtual void combine(double a, const double* x, double b,
                       double* y) = 0;  // y := a x + b y; b = 0: y is not read
};

std::unique_ptr<KrylovSpace> host_krylov_space(std::int64_t n, KrylovProduct product);
std::unique_ptr<KrylovSpace> device_krylov_space(const Queue& queue, std::int64_t n, KrylovProduct product);

struct KrylovRule {
  double tolerance = 1e-8;  // stop where |r| <= tolerance |b|
  int max_iterations = 5000;
};
enum class KrylovEnd { converged, max_iterations, breakdown };
struct KrylovResult {
  KrylovEnd end = KrylovEnd::max_iterations;
  int iterations = 0, products = 0;
  double recurrence = 0;  // |r| / |b| as the recurrence has it
  double residual = 0;    // |b - A x| / |b|
};

}  // namespace eigen_g
