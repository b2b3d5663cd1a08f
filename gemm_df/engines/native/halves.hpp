// Products of float matrices to float's own accuracy on the tensor core, whose operands are halves: numbers of 11 bits.
//
//   2^e X = X1 + X2 + rest,   X1 = half(2^e X),   X2 = half(2^e X - X1),   2^14 <= max |2^e x| < 2^15
//   A B := 2^-(e_A + e_B) ([A1 A2 A1] [B2; B1; B1]),   one product of cuBLAS with sums in float, small terms first
//
// |rest| <= 2^-22 |x| + 2^-39 max |X|, and A2 B2 is left out: an error of 2^-21 |a| |b| a term at most, whose signs are mixed. The
// tensor core cuts sums off instead of rounding them, so C takes slices of max_terms_of_halves terms one after the other
// (ProductTuning). Entries below 2^-17 of their matrix' largest one have fewer bits than a float: this is for orthogonal matrices
// and what they multiply.
//
// A complex A is its real image [a -b; b a], B and C are as they lie in memory.
//
// Source: Ootomo and Yokota 2022 (two halves a float, errors of the cut sums); Markidis et al. 2018.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gemm_df/gemm.hpp"
#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"

namespace eigen_g {

class Queue;

// Whether gemm_by_halves() is faster than cuBLAS in float for this C with so many terms (ProductTuning), as far as its rows go by
// rows_of_halves(): with 2500 rows cuBLAS is half as fast as with 2496 or 2504, with 2497 a quarter.
template <class T>
bool halves_pay(Op op_a, std::int64_t terms, MatrixView<T> c_dev);
template <class T>
inline constexpr std::int64_t rows_of_halves = is_complex<T> ? 4 : 8;

// C := alpha op_a(A) op_b(B) + beta C as gemm() of gemm.hpp, whose arguments these are; T is float or complex<float>.
//   scratch_dev   device, at best halves_bytes<T>(rows, columns of C) bytes; with less the slices are shorter
// Returns false and does nothing where alpha or beta is not real, with too little scratch memory, and on GPUs other than those of
// compute capability 8.0, 9.0 and 10.x.
// Ordered on `queue`. Throws DeviceError. Repeats bit for bit on the same GPU with the same scratch memory.
// An infinity in A or B makes all of C undefined.
// Cost: three times the flops, on the tensor core; 14 bytes an entry of A and B, of a complex A twice as many; 8 an entry of C and slice.
template <class T>
bool gemm_by_halves(const Queue& queue, Op op_a, Op op_b, same_t<T> alpha, MatrixView<const same_t<T>> a_dev,
                    MatrixView<const same_t<T>> b_dev, same_t<T> beta, MatrixView<T> c_dev,
                    std::span<std::byte> scratch_dev);
// The same without op_a, and with real alpha and beta, for a C of at most 64 columns (complex: 32): what gemm_by_halves() takes then. A
// is read once, its halves are made on the way. False where A's columns do not all begin on 16 bytes.
template <class T>
bool narrow_gemm_by_halves(const Queue& queue, Op op_b, float alpha, MatrixView<const same_t<T>> a_dev,
                           MatrixView<const same_t<T>> b_dev, float beta, MatrixView<T> c_dev,
                           std::span<std::byte> scratch_dev);
// What gemm_by_halves() takes at best; that of a square matrix is enough for a narrow product with it.
template <class T>
std::uint64_t halves_bytes(std::int64_t rows, std::int64_t cols);

}  // namespace eigen_g
