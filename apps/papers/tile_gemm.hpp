// The tiled products of paper 5 on a GPU, kept to be measured against the engines' products. CUDA builds only.
//
//   C := A B,   n x n, row-major, no padding, device; a_dev and b_dev may be the same array
//
// tile = 1: a thread computes an element with operands from memory (blocks of 16 x 16 threads, no shared memory).
// tile = 16, 32: a block copies square tiles of A and B to shared memory, one pair after the other.
//
// Each element is one sum in the order of its terms: the results repeat bit for bit, for every tile.
// Ordered on `queue`. Throws InvalidArgument (tile), DeviceError. Cost: 2 n^3 flops; 2 n^3 / tile elements from memory.
#pragma once

#include <cstdint>

#include "hybrid/scalar.hpp"

namespace eigen_g {
class Queue;
}

namespace eigen_g::papers {

template <class T>
void tile_gemm(const Queue& queue, int tile, std::int64_t n, const same_t<T>* a_dev, const same_t<T>* b_dev,
               T* c_dev);

// a_dev := the paper's operand, a_ij = (i n + j) / n^2 for i, j = 1 ... n. Ordered on `queue`.
template <class T>
void fill_tile_gemm(const Queue& queue, std::int64_t n, T* a_dev);

// The sum of all elements of the operand's square:  n (n + 1)^2 / 4 + (n + 1)^2 / 4 + (n + 1)(2 n + 1) / 6 + (n + 1)^2 / (4 n).
double tile_gemm_checksum(std::int64_t n);

}  // namespace eigen_g::papers
