// SymvOperands: random operands for SYMV measurements. The matrices of every size are parts of one block of device memory.
#pragma once

#include <algorithm>
#include <cstdint>

#include "hybrid/round_up.hpp"

#ifdef EIGEN_G_HAVE_CUDA
#include "blas2/symv/symv_truth.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#endif

namespace eigen_g::apps {

// Upper limit of SymvTruth::error for a correct result.
inline constexpr double symv_error_limit = 3;

#ifdef EIGEN_G_HAVE_CUDA

inline constexpr std::int64_t max_matrices = 1024;  // a replayed graph holds one call for each matrix

template <class T>
class SymvOperands {
 public:
  // Room for one matrix of order n_max. For smaller n it holds enough matrices that their halves together exceed three times
  // the L2. The matrices are not symmetric: a kernel that reads the wrong triangle gets a wrong result.
  SymvOperands(const Queue& queue, std::int64_t n_max, std::uint64_t l2_bytes)
      : l2_bytes_(l2_bytes), a_(elements(n_max, l2_bytes)), x_(n_max), y_(n_max) {
    blas2::fill_random(queue, a_.data(), a_.size(), 1);
    blas2::fill_random(queue, x_.data(), x_.size(), 2);
    queue.wait();
  }

  static std::uint64_t bytes(std::int64_t n_max, std::uint64_t l2_bytes) {
    return static_cast<std::uint64_t>(elements(n_max, l2_bytes) + 2 * n_max) * sizeof(T);
  }

  // Number of matrices to rotate through so that `read_bytes` of each add up to more than three times the L2. If there are not enough
  // matrices, all of them.
  std::int64_t rotation(std::int64_t n, double read_bytes) const {
    const double wanted = 3 * static_cast<double>(l2_bytes_) / read_bytes;
    const std::int64_t room = std::max<std::int64_t>(1, a_.size() / distance(n));
    return static_cast<std::int64_t>(
               std::min(wanted, static_cast<double>(std::min(room, max_matrices) - 1))) +
           1;
  }
  bool past_l2(std::int64_t rotation, double read_bytes) const {
    return static_cast<double>(rotation) * read_bytes > 3 * static_cast<double>(l2_bytes_);
  }
  bool fits_l2(double read_bytes) const { return read_bytes < 0.75 * static_cast<double>(l2_bytes_); }

  const T* a(std::int64_t n, std::int64_t k) const { return a_.data() + k * distance(n); }  // lda = n
  const T* x() const { return x_.data(); }
  T* y() const { return y_.data(); }

 private:
  // Each matrix begins at a multiple of 128 bytes.
  static std::int64_t distance(std::int64_t n) {
    constexpr std::int64_t line = 128 / static_cast<std::int64_t>(sizeof(T));
    return round_up(n * n, line);
  }
  static std::int64_t elements(std::int64_t n_max, std::uint64_t l2_bytes) {
    // Stored halves of 3 L2 need whole matrices of 6 L2; rounding up to a whole matrix adds at most 6 L2 more.
    const auto small = static_cast<std::int64_t>(12 * l2_bytes / sizeof(T));
    return std::max(distance(n_max), std::min(small, max_matrices * distance(n_max)));
  }

  std::uint64_t l2_bytes_;
  DeviceBuffer<T> a_, x_, y_;
};

#endif

}  // namespace eigen_g::apps
