// Products of tall, narrow matrices in blocks of four columns. An orthogonalisation against a long basis consists of them.
//
// A column block is n x 4, row-major: element (i, j) is at[4 i + j]. A basis V has p column blocks, one after another in
// memory. Column c of V is column c % 4 of block c / 4. Small matrices are row-major.
//
//   gram       C := V^T W                     C 4p x 4
//   subtract   W := W - V C,  G := W^T W      G 4 x 4, of the new W
//   times      W := W S                       S 4 x 4
//   combine    Z := V Q                       Q 4p x 4q, q = q_blocks; Z has q column blocks and does not overlap V
//
// n alone determines the order of every sum: the bits are the same for any number of threads, and on one kind of device. n = 0
// gives sums of 0. In the functions with a queue, all pointers are device memory, column blocks are 16-byte aligned, and the
// work is queued. `work_dev` is scratch memory of tall_work(n, p) values.
// Cost: 2 n (4p) 4 flops. In double gram reads 32 n (p + 1) bytes; subtract reads and writes 32 n (p + 2) bytes. combine reads
// V once for every four column blocks of Z.
#pragma once

#include <cstdint>

#include "hybrid/scalar.hpp"

namespace eigen_g {

inline constexpr int block_width = 4;

template <class T>
void tall_gram_on_cpu(std::int64_t n, std::int64_t p, const T* v, const T* w, T* c);
template <class T>
void tall_subtract_on_cpu(std::int64_t n, std::int64_t p, const T* v, const T* c, T* w, T* g);
template <class T>
void tall_times_on_cpu(std::int64_t n, T* w, const T* s);
template <class T>
void tall_combine_on_cpu(std::int64_t n, std::int64_t p, const T* v, const T* q, std::int64_t q_blocks, T* z);

class Queue;

std::int64_t tall_work(std::int64_t n, std::int64_t p);
template <class T>
void tall_gram(const Queue& queue, std::int64_t n, std::int64_t p, const T* v_dev, const T* w_dev, T* c_dev,
               T* work_dev);
template <class T>
void tall_subtract(const Queue& queue, std::int64_t n, std::int64_t p, const T* v_dev, const T* c_dev,
                   T* w_dev, T* g_dev, T* work_dev);
template <class T>
void tall_times(const Queue& queue, std::int64_t n, T* w_dev, const T* s_dev);
template <class T>
void tall_combine(const Queue& queue, std::int64_t n, std::int64_t p, const T* v_dev, const T* q_dev,
                  std::int64_t q_blocks, T* z_dev);

}  // namespace eigen_g
