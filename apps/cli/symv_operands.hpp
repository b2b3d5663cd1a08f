// Random operands of SYMV for measuring: one slab of device memory that every size's matrices are cut from.
#pragma once

#include <algorithm>
#include <cstdint>

#ifdef EIGEN_G_HAVE_CUDA
#include "blas2/symv/symv_truth.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#endif

namespace eigen_g::apps {

// What SymvTruth::error may reach.
inline constexpr double symv_error_limit = 3;

#ifdef EIGEN_G_HAVE_CUDA

inline constexpr std::int64_t most_matrices = 1024;  // a replayed graph holds a call for each

template <class T>
class SymvOperands {
 public:
  // Room for one matrix of order n_max and, of the smaller ones, for enough that their halves together are
  // more than three times the L2. Not symmetric: whoever reads the wrong triangle gets another result.
  SymvOperands(const Queue& queue, std::int64_t n_max, std::uint64_t l2_bytes)
      : l2_bytes_(l2_bytes), a_(elements(n_max, l2_bytes)), x_(n_max), y_(n_max) {
    blas2::fill_random(queue, a_.data(), a_.size(), 1);
    blas2::fill_random(queue, x_.data(), x_.size(), 2);
    queue.wait();
  }

  static std::uint64_t bytes(std::int64_t n_max, std::uint64_t l2_bytes) {
    return static_cast<std::uint64_t>(elements(n_max, l2_bytes) + 2 * n_max) * sizeof(T);
  }

  // Matrices to go round so that `read_bytes` of each, together, are more than three times the L2; as many as
  // there are where that cannot be had.
  std::int64_t rotation(std::int64_t n, double read_bytes) const {
    const double wanted = 3 * static_cast<double>(l2_bytes_) / read_bytes;
    const std::int64_t room = std::max<std::int64_t>(1, a_.size() / distance(n));
    return static_cast<std::int64_t>(
               std::min(wanted, static_cast<double>(std::min(room, most_matrices) - 1))) +
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
    return (n * n + line - 1) / line * line;
  }
  static std::int64_t elements(std::int64_t n_max, std::uint64_t l2_bytes) {
    // Halves of three L2s are wholes of six, and the matrix that rounds the number up has at most six more.
    const auto small = static_cast<std::int64_t>(12 * l2_bytes / sizeof(T));
    return std::max(distance(n_max), std::min(small, most_matrices * distance(n_max)));
  }

  std::uint64_t l2_bytes_;
  DeviceBuffer<T> a_, x_, y_;
};

#endif

}  // namespace eigen_g::apps
