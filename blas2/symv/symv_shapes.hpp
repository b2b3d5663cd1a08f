// The shapes of SYMV kernels that are compiled, each for every type, with and without 16-byte alignment.
#pragma once

#include <array>

namespace eigen_g::blas2 {

struct SymvShapeParameters {
  int row_warps, column_warps, loads, columns;
};

// High strips suit large matrices, because they have fewer partial sums. Low strips suit small ones, because more blocks have
// work.
inline constexpr std::array<SymvShapeParameters, 12> symv_shapes{{{8, 1, 1, 8},
                                                                  {8, 1, 2, 4},
                                                                  {8, 1, 1, 4},
                                                                  {4, 1, 2, 8},
                                                                  {4, 1, 2, 4},
                                                                  {4, 2, 2, 4},
                                                                  {4, 1, 1, 8},
                                                                  {4, 2, 1, 8},
                                                                  {2, 4, 1, 8},
                                                                  {2, 4, 1, 4},
                                                                  {2, 2, 1, 8},
                                                                  {1, 8, 1, 4}}};

// Registers that a thread may use. The two groups of loads in flight take 8 * loads * columns of them.
constexpr int symv_registers(const SymvShapeParameters& shape) {
  const int loads = shape.loads * shape.columns;
  return loads <= 4 ? 80 : loads <= 8 ? 128 : 255;
}

}  // namespace eigen_g::blas2
