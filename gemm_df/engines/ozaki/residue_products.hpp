// Products of residues on the tensor cores of compute capability 9.0, by integers or by floats of 8 bits (product_kernel.cuh). CUDA builds only.
#pragma once

#include <cstdint>

#include "gemm_df/engines/ozaki/planes.hpp"

namespace eigen_g {
class Queue;
}

namespace eigen_g::ozaki {

// True if this build and the current GPU have these products, and the tuning allows them. Products of floats need them.
bool residue_products_run();

// out := the residues of sum_l a(row, l) b(column, l) modulo each of the `moduli` moduli, for the entries with row - column >= diagonal and
// others. Ordered on `queue`.
//   a, b  converted with `moduli` moduli; b.terms terms
//   out   for a.lines rows and b.lines columns
// Cost: 2 m n k planes_of(moduli) operations; m n `moduli` bytes, 2 m n `moduli` for floats. Throws DeviceError.
void multiply_to_planes(const Queue& queue, int moduli, const OperandView& a, const OperandView& b,
                        const Planes& out, std::int64_t diagonal);

}  // namespace eigen_g::ozaki
