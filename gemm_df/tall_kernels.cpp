// Compiled once for each vector width: see hybrid/vector/width.hpp for what such a source may use.
#include "gemm_df/tall_kernels.hpp"

#include "hybrid/vector/lanes.hpp"

namespace eigen_g::EIGEN_G_WIDTH {

namespace {

// One row of a column block. The compiler divides it into two registers where the processor's are shorter.
typedef double Row __attribute__((vector_size(32)));

EIGEN_G_INLINE Row row_at(const double* p) {
  Row x;
  __builtin_memcpy(&x, p, sizeof x);
  return x;
}
EIGEN_G_INLINE void store_row(double* p, Row x) {
  __builtin_memcpy(p, &x, sizeof x);
}
EIGEN_G_INLINE Row all(double x) {
  return Row{x, x, x, x};
}

// C_b += V_b^T W for `together` blocks.
template <int together>
EIGEN_G_INLINE void add_gram(std::int64_t rows, std::int64_t stride, const double* v, const double* w,
                             double* c) {
  Row sum[together][4] = {};
  for (std::int64_t i = 0; i < rows; ++i) {
    const Row x = row_at(w + 4 * i);
#pragma GCC unroll 4
    for (int b = 0; b < together; ++b)
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) sum[b][k] += all(v[b * stride + 4 * i + k]) * x;
  }
  for (int b = 0; b < together; ++b)
    for (int k = 0; k < 4; ++k) store_row(c + 16 * b + 4 * k, row_at(c + 16 * b + 4 * k) + sum[b][k]);
}

// W -= V_b C_b for `together` blocks.
template <int together>
EIGEN_G_INLINE void subtract_blocks(std::int64_t rows, std::int64_t stride, const double* v, const double* c,
                                    double* w) {
  Row s[together][4];
  for (int b = 0; b < together; ++b)
    for (int k = 0; k < 4; ++k) s[b][k] = row_at(c + 16 * b + 4 * k);
  for (std::int64_t i = 0; i < rows; ++i) {
    Row x = row_at(w + 4 * i);
#pragma GCC unroll 4
    for (int b = 0; b < together; ++b) {
      Row sum = {};
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) sum += all(v[b * stride + 4 * i + k]) * s[b][k];
      x -= sum;
    }
    store_row(w + 4 * i, x);
  }
}

}  // namespace

void gram_of_rows(std::int64_t rows, std::int64_t blocks, std::int64_t stride, const double* v,
                  const double* w, double* c) {
  std::int64_t b = 0;
  for (; b + 2 <= blocks; b += 2) add_gram<2>(rows, stride, v + b * stride, w, c + 16 * b);
  if (b < blocks) add_gram<1>(rows, stride, v + b * stride, w, c + 16 * b);
}

void subtract_of_rows(std::int64_t rows, std::int64_t blocks, std::int64_t stride, const double* v,
                      const double* c, double* w) {
  std::int64_t b = 0;
  for (; b + 2 <= blocks; b += 2) subtract_blocks<2>(rows, stride, v + b * stride, c + 16 * b, w);
  if (b < blocks) subtract_blocks<1>(rows, stride, v + b * stride, c + 16 * b, w);
}

void combine_of_rows(std::int64_t rows, std::int64_t blocks, std::int64_t stride, const double* v,
                     const double* q, std::int64_t ldq, double* z) {
  for (std::int64_t i = 0; i < rows; ++i) store_row(z + 4 * i, Row{});
  for (std::int64_t b = 0; b < blocks; ++b) {
    const double *const from = v + b * stride, *const s = q + 4 * b * ldq;
    const Row s0 = row_at(s), s1 = row_at(s + ldq), s2 = row_at(s + 2 * ldq), s3 = row_at(s + 3 * ldq);
    for (std::int64_t i = 0; i < rows; ++i) {
      Row x = row_at(z + 4 * i);
      x += all(from[4 * i]) * s0;
      x += all(from[4 * i + 1]) * s1;
      x += all(from[4 * i + 2]) * s2;
      x += all(from[4 * i + 3]) * s3;
      store_row(z + 4 * i, x);
    }
  }
}

void times_of_rows(std::int64_t rows, double* w, const double* s) {
  const Row s0 = row_at(s), s1 = row_at(s + 4), s2 = row_at(s + 8), s3 = row_at(s + 12);
  for (std::int64_t i = 0; i < rows; ++i) {
    Row x = {};
    x += all(w[4 * i]) * s0;
    x += all(w[4 * i + 1]) * s1;
    x += all(w[4 * i + 2]) * s2;
    x += all(w[4 * i + 3]) * s3;
    store_row(w + 4 * i, x);
  }
}

}  // namespace eigen_g::EIGEN_G_WIDTH
