// Products of float matrices to float accuracy on the tensor core. The tensor core multiplies halves (float16, 11 bits). So
// each float x of a matrix X is stored as an fp16 pair, a sum of two halves:
//
//   2^e X = X1 + X2 + rest,   X1 = half(2^e X),   X2 = half(2^e X - X1),   2^14 <= max |2^e x| < 2^15
//   A B := 2^-(e_A + e_B) ([A1 A2 A1] [B2; B1; B1])
//
// The bracketed product is one product of cuBLAS with sums in float, small terms first.
//
// Errors: |rest| <= 2^-22 |x| + 2^-39 max |X|, and A2 B2 is omitted. Each term has an error of at most 2^-21 |a| |b|, of either
// sign. The tensor core truncates sums instead of rounding them, so C is computed in slices of max_terms_of_halves terms, one
// after another (ProductTuning). Entries below 2^-17 of the largest one of their matrix have fewer bits than a float. The
// method is meant for orthogonal matrices and the matrices that they multiply.
//
// A complex A is replaced by its real image [a -b; b a]; B and C are used as they are in memory.
//
// Source: Ootomo and Yokota 2022 (two halves for a float, errors of truncated sums); Markidis et al. 2018.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "gemm_df/gemm.hpp"
#include "gemm_df/tuning.hpp"
#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"

namespace eigen_g {

class Queue;

// True if gemm_by_halves() is faster than cuBLAS in float for this C and this number of terms (ProductTuning). The caller
// should then give it a multiple of rows_of_halves rows. With other numbers of rows, cuBLAS's products of halves are two to
// four times slower.
template <class T>
bool halves_pay(Op op_a, std::int64_t terms, MatrixView<T> c_dev);
template <class T>
inline constexpr std::int64_t rows_of_halves = is_complex<T> ? 4 : 8;

// C := alpha op_a(A) op_b(B) + beta C, with the arguments of gemm() (gemm.hpp). T is float or complex<float>.
//   scratch_dev   device; halves_bytes<T>(rows of C, columns of C) bytes for full speed; with less the slices are shorter
// Returns false and does nothing if alpha or beta is not real, if there is too little scratch memory, or if the compute
// capability of the GPU is not 8.0, 9.0, 10.0 or 10.3.
// Ordered on `queue`. Throws DeviceError. Every run with one GPU and size of scratch memory gives the same bits. An infinity in A or B
// makes all of C undefined.
// Cost: three times the flops, on the tensor core; 14 bytes for each entry of A and B, double that for a complex A; 8 bytes for
// each entry of C and each slice.
template <class T>
bool gemm_by_halves(const Queue& queue, Op op_a, Op op_b, same_t<T> alpha, MatrixView<const same_t<T>> a_dev,
                    MatrixView<const same_t<T>> b_dev, same_t<T> beta, MatrixView<T> c_dev,
                    std::span<std::byte> scratch_dev);
// The product for a C of at most 64 columns (complex: 32), without op_a and with real alpha and beta. gemm_by_halves() calls it
// for such a C. A is read once and converted on the way. Returns false if not all columns of A are 16-byte aligned, or if there
// is too little scratch memory.
template <class T>
bool narrow_gemm_by_halves(const Queue& queue, Op op_b, float alpha, MatrixView<const same_t<T>> a_dev,
                           MatrixView<const same_t<T>> b_dev, float beta, MatrixView<T> c_dev,
                           std::span<std::byte> scratch_dev);
// Scratch memory of gemm_by_halves() for full speed. The number for a square matrix is enough for a narrow product with it.
template <class T>
std::uint64_t halves_bytes(std::int64_t rows, std::int64_t cols);
// Bytes of scratch memory that a solve of order n gives to its products of T (Products::lend()). With complex float the divide and conquer's
// real products use them too. Other types: 0.
template <class T>
std::uint64_t bytes_to_lend(std::int64_t n) {
  if constexpr (std::is_same_v<real_t<T>, float>)
    return n >= product_tuning().halves_min_lines ? halves_bytes<T>(n, n) : 0;
  else
    return 0;
}

}  // namespace eigen_g
