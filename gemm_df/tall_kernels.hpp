// The kernels of the products of tall matrices on the CPU (tall_product.hpp), compiled for each vector width (hybrid/vector/width.hpp). A row of
// a column block, four doubles, is one vector. No operation is fused, and sums have the order of the rows, so all widths give the same bits.
#pragma once

#include <cstdint>

#include "hybrid/vector/width.hpp"

namespace eigen_g {

// Each works on `rows` rows of `blocks` column blocks of V, which lie `stride` values apart.
//   gram       C_b := C_b + V_b^T W, with the sum over these rows formed first
//   subtract   W := W - sum over b of V_b C_b
//   combine    Z := sum over b of V_b Q_b; Q_b is 4 x 4 with leading dimension ldq, and lies 4 ldq values behind Q_{b - 1}
//   times      W := W S
EIGEN_G_BY_WIDTH(void gram_of_rows(std::int64_t rows, std::int64_t blocks, std::int64_t stride,
                                   const double* v, const double* w, double* c);
                 void subtract_of_rows(std::int64_t rows, std::int64_t blocks, std::int64_t stride,
                                       const double* v, const double* c, double* w);
                 void combine_of_rows(std::int64_t rows, std::int64_t blocks, std::int64_t stride,
                                      const double* v, const double* q, std::int64_t ldq, double* z);
                 void times_of_rows(std::int64_t rows, double* w, const double* s););

}  // namespace eigen_g
