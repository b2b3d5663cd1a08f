// MatrixView: a column-major matrix in memory that it does not own. Element (i, j) is data[i + j * lda], lda >= max(1, rows).
#pragma once

#include <cstdint>
#include <type_traits>

#include "hybrid/host_device.hpp"

namespace eigen_g {

template <class T>
struct MatrixView {
  T* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t lda = 1;

  EIGEN_G_HOST_DEVICE T& operator()(std::int64_t i, std::int64_t j) const { return data[i + j * lda]; }
  EIGEN_G_HOST_DEVICE MatrixView block(std::int64_t i, std::int64_t j, std::int64_t r, std::int64_t c) const {
    return {data + i + j * lda, r, c, lda};
  }
  template <class U>
  requires(std::is_same_v<U, const T> && !std::is_const_v<T>) EIGEN_G_HOST_DEVICE operator MatrixView<U>()
      const {
    return {data, rows, cols, lda};
  }
};

}  // namespace eigen_g
