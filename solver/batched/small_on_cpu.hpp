// SmallSolver: one small matrix on one CPU thread, without LAPACK. For small orders the calls into LAPACK cost more than the arithmetic.
//
//   A = (Q D) T (Q D)^H   Householder reflectors, A in full; D = diag(phase) makes T real with e >= 0
//   T = U W U^T           implicit_ql()
//   Z = Q D U             the selected columns only, row by row
#pragma once

#include <cstdint>

#include "hybrid/machine/cpu.hpp"
#include "hybrid/memory/arena.hpp"
#include "hybrid/scalar.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g::batched {

// SmallSolver solves matrices up to this order. The order was measured when LAPACK solved the larger ones.
inline constexpr std::int64_t largest_small_order = 48;

// Pairs first ... first + count - 1 of a matrix, in ascending order from 0. z null: values only.
template <class T>
struct SmallProblem {
  Uplo uplo = Uplo::lower;
  std::int64_t n = 0;
  const T* a = nullptr;
  std::int64_t lda = 1;
  std::int64_t first = 0, count = 0;
  real_t<T>* w = nullptr;
  T* z = nullptr;  // may be a
  std::int64_t ldz = 1;
};

// The status of a matrix with a NaN or an infinity, whose values and vectors become NaN.
inline constexpr std::int32_t not_finite = -1;

// Solves any number of matrices of orders up to `most`, one after the other. The results depend on the matrix alone.
template <class T>
class SmallSolver {
 public:
  static std::uint64_t bytes(std::int64_t most);
  explicit SmallSolver(std::int64_t most);

  // Returns 0, not_finite, or 1 if the QL method did not converge.
  std::int32_t solve(const SmallProblem<T>& problem);

 private:
  using R = real_t<T>;
  struct Arrays;
  HostArray<std::byte> memory_;
  std::uint64_t bytes_;
};

// Fills `count` values and columns of n values with NaN. z may be null.
template <class T>
void fill_with_nan(std::int64_t n, std::int64_t count, real_t<T>* w, T* z, std::int64_t ldz);

}  // namespace eigen_g::batched
