// C := alpha op(A) op(B) + beta C by products of 8-bit integers (residues.hpp has the method and its error).
//
// Matrices are column-major, in device memory, with 64-bit sizes. Work is ordered on `queue`. A GPU gives the same bits in every run, for
// any number of lines that are converted or multiplied at once. Throws OutOfMemory, DeviceError. CUDA builds only.
//
// Infinities and NaNs: the results of a line that has one are sums in double, one after the other. If a matrix has many of them, this
// is slow.
#pragma once

#include <cstdint>

#include "gemm_df/engines/ozaki/operand.hpp"
#include "hybrid/matrix_view.hpp"
#include "hybrid/memory/memory.hpp"

namespace eigen_g {
class Queue;
}

namespace eigen_g::ozaki {

// The part of C that multiply() computes: all entries, or the lower triangle of a square C.
enum class Entries { all, lower };

// C in device memory: entry (i, j) is data[i * row_step + j * lda]. The real or the imaginary parts of a complex matrix are one too.
struct Target {
  double* data = nullptr;
  std::int64_t row_step = 1, lda = 1;
  Target(MatrixView<double> c) : data(c.data), lda(c.lda) {}  // NOLINT(google-explicit-constructor)
  Target(double* first, std::int64_t step, std::int64_t columns_apart)
      : data(first), row_step(step), lda(columns_apart) {}
};

// c(i, j) := alpha sum_l a(i, l) b(j, l) + beta c(i, j). C is not read if beta = 0.
//   a, b    converted with the same number of moduli; a.lines x b.lines results; b.terms terms
//   sums    memory of the integer sums. It grows when necessary and is kept for the next call
//   most    bytes of `sums` that a product should use at once; C is computed in blocks. At least one block of 16 x 16 is computed at once
// Cost: 2 m n k `moduli` integer operations; 8 m n `moduli` bytes.
void multiply(const Queue& queue, int moduli, double alpha, const OperandView& a, const OperandView& b,
              double beta, const Target& c, Entries entries, DeviceBuffer<std::int32_t>& sums,
              std::uint64_t most);
// Allocates `sums` for multiply() of a result of rows x columns entries.
void reserve_sums(const Queue& queue, int moduli, std::int64_t rows, std::int64_t columns,
                  DeviceBuffer<std::int32_t>& sums, std::uint64_t most);

}  // namespace eigen_g::ozaki
