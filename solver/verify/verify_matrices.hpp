// verify_matrices(): the sums of verify_batched() on a GPU, a block of threads a matrix. This header is internal to verify_batched().
#pragma once

#include <cstdint>
#include <vector>

#include "hybrid/scalar.hpp"
#include "hybrid/uplo.hpp"
#include "solver/api/batched.hpp"

namespace eigen_g {

class Queue;

// The checked arguments of verify_batched(). No stride is 0, except of an array without values.
template <class T>
struct BatchToVerify {
  Uplo uplo = Uplo::lower;
  std::int64_t n = 0, count = 0, m = 0;
  const T* a = nullptr;
  std::int64_t lda = 1;
  const real_t<T>* w = nullptr;
  const T* z = nullptr;
  std::int64_t ldz = 1;
  BatchStrides strides;
};

// One-norms of a matrix that was multiplied by 2^-scale.
struct MatrixSums {
  double matrix = 0, residual = 0, gram = 0;  // |A|, |A Z - Z W|, |Z^H Z - I|
  int scale = 0;
  bool ascending = true, finite = true;
};

// The arrays are in device memory. Blocks. Every sum has a fixed order. Throws OutOfMemory, DeviceError. CUDA builds only.
template <class T>
std::vector<MatrixSums> verify_matrices(const Queue& queue, const BatchToVerify<T>& batch);

}  // namespace eigen_g
