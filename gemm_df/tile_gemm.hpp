// The textbook's products on a GPU (paper 5), kept to be measured beside the library's: a thread an element, its operands from
// memory, or by way of square tiles in shared memory. CUDA builds only.
//
//   C := A B,   n x n, row-major, no padding, device; a_dev and b_dev may be the same
//
// Each element is one sum in the order of its terms: results repeat bit for bit.
// Ordered on `queue`. Throws InvalidArgument (tile), DeviceError. Cost: 2 n^3 flops; 2 n^3 / tile elements from memory.
#pragma once

#include <cstdint>

#include "hybrid/scalar.hpp"

namespace eigen_g {

class Queue;

// tile: 1 (no shared memory, blocks of 16 x 16), 16 or 32.
template <class T>
void tile_gemm(const Queue& queue, int tile, std::int64_t n, const same_t<T>* a_dev, const same_t<T>* b_dev,
               T* c_dev);

// The paper's operand, a_ij = (i n + j) / n^2, device.
template <class T>
void fill_tile_gemm(const Queue& queue, std::int64_t n, T* a_dev);

// The sum of all elements of its square,  n (n + 1)^2 / 4 + (n + 1)^2 / 4 + (n + 1)(2 n + 1) / 6 + (n + 1)^2 / (4 n)  for
// i, j = 1 ... n.
double tile_gemm_checksum(std::int64_t n);

}  // namespace eigen_g
