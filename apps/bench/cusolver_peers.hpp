// cuSOLVER's tridiagonalization and eigensolver with their workspace, in either of its modes. Only the benchmarks use it.
// CUDA builds only.
#pragma once

#include <cstdint>
#include <memory>

#include "hybrid/stream/queue.hpp"

namespace eigen_g::apps::bench {

class Cusolver {
 public:
  // For calls on `queue`; null in a build without cuSOLVER. Throws DeviceError.
  static std::unique_ptr<Cusolver> open(const Queue& queue);
  static int version();  // 12004 is 12.0.4; 0 without cuSOLVER
  virtual ~Cusolver() = default;

  // Deterministic (cuSOLVER's default) or not, for the calls that follow; false where this cuSOLVER has no such choice.
  virtual bool choose(bool deterministic) = 0;

  // Bytes of device memory for an n x n matrix, its lower triangle, lda.
  virtual std::uint64_t sytrd_bytes(std::int64_t n, double* a, std::int64_t lda) = 0;
  virtual std::uint64_t syevd_bytes(bool vectors, std::int64_t n, double* a, std::int64_t lda, double* w) = 0;

  // Room for what the calls below need; throws OutOfMemory. release() gives it back.
  virtual void reserve(std::uint64_t device_bytes) = 0;
  virtual void release() = 0;

  // cusolverDnDsytrd, and cusolverDnXsyevd (the one for 64-bit sizes), in place; device pointers. Reserved before. Queued,
  // though they may block. Throw DeviceError.
  virtual void sytrd(std::int64_t n, double* a, std::int64_t lda, double* d, double* e, double* tau) = 0;
  virtual void syevd(bool vectors, std::int64_t n, double* a, std::int64_t lda, double* w) = 0;
};

}  // namespace eigen_g::apps::bench
