// InverseLanczos: block Lanczos with thick restarts for the eigenvalues theta of largest modulus of an operator OP = S^-1 B in the inner product
// x^T B y, where B is symmetric and positive semidefinite. For S = K - sigma M and B = M these are the eigenvalues of K - w M next to
// sigma, theta = 1 / (w - sigma). V is the basis in blocks of four vectors, V^T B V = I, and OP V = V C.
//
//   step      X := the blocks of V that OP has not multiplied;  W := OP X;  V := [V, W orthonormalised], columns of C
//   restart   (C + C^T) / 2 = Y Theta Y^T;  V := [V Y_kept, X]
//
// A Ritz pair (theta, z = V y) has |OP z - theta z|_B = delta, which is the norm of the rows of C y that belong to X: it needs no product.
//
// Orthonormalisation. The part of W in the last blocks of V is known from the symmetry of C and is subtracted first. One pass of classical
// Gram-Schmidt with all of V follows, with one product B W. A further product follows if the pass has changed W by more than rounding errors, and
// a further pass if it has changed a large part of W.
//
// V begins with OP times random vectors, because OP's range is where finite eigenvectors are. A column that depends on V is
// replaced by OP times a random one. If this one depends on V too, V spans the whole range of OP, and the column becomes 0.
// Sources: Ericsson, Ruhe (Math. Comp. 35, 1980); Nour-Omid, Parlett, Ericsson, Jensen (Math. Comp. 48, 1987); Grimes, Lewis, Simon (SIAM J.
// Matrix Anal. 15, 1994). Every sum has a fixed order, so results repeat bit for bit.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "solver/sparse/executor.hpp"

namespace eigen_g {

inline constexpr std::int64_t small_block = block_width * block_width;  // entries of a 4 x 4 matrix
inline constexpr double double_ulp = std::numeric_limits<double>::epsilon();

// Both functions are for `blocks` blocks of four vectors in the memory of the executor.
struct InverseOperator {
  std::function<void(std::int64_t blocks, const double* x, double* y)> solve;  // Y := S^-1 X
  std::function<void(std::int64_t blocks, const double* x, double* y)> inner;  // Y := B X; empty: B = I
  double inner_norm = 1;                                                       // an estimate of |B|
};

// Ritz pairs in the caller's order.
struct RitzPairs {
  std::vector<double> theta, delta;
  std::vector<char> converged;
  std::int64_t size() const { return static_cast<std::int64_t>(theta.size()); }
  // The number of pairs before the first one that has not converged.
  std::int64_t leading() const;
};

class InverseLanczos {
 public:
  // width: blocks that are multiplied at once. most: blocks of the basis; it can grow.
  InverseLanczos(Executor<double>& on, InverseOperator op, std::int64_t width, std::int64_t most,
                 std::uint64_t seed);

  // Begins with OP times random vectors, of which the first `start_count` are replaced by the given ones: blocks in the executor's memory.
  void begin(const double* start = nullptr, std::int64_t start_count = 0);
  // Begins with known pairs: `count` orthonormal vectors in blocks, whose further columns are 0, and random vectors in addition.
  void begin_beside(const double* vectors, const std::vector<double>& theta);
  // One step. Returns false if it has added no vector: V is invariant, and all Ritz pairs are exact.
  bool step();
  bool full() const { return known_ + 2 * width_ > max_blocks_; }
  std::int64_t columns() const {
    return known_ * block_width;
  }                                                // number of columns of V that OP has multiplied
  std::int64_t solved() const { return solved_; }  // number of vectors that S^-1 was applied to

  // The Ritz pairs, sorted by less(theta, theta'). A pair has converged if delta <= max(t |theta|, 4 ulp max |theta|), where t is the smaller one of
  // tolerance and slope |theta|, but at least 1e-14.
  const RitzPairs& ritz(const std::function<bool(double, double)>& less, double tolerance,
                        double slope = std::numeric_limits<double>::infinity());
  const RitzPairs& last() const { return pairs_; }  // the pairs of the last ritz()
  // Keeps at least the first `count` pairs of the last ritz().
  void restart(std::int64_t count);
  void grow(std::int64_t most);  // at least this number of blocks
  // Z := the vectors of these pairs of the last ritz(); blocks, with columns of 0 at the end.
  void vectors(const std::vector<std::int64_t>& pairs, double* z);

 private:
  void orthonormalise(std::int64_t slot, bool record, const double* part_squares);
  double* block(std::int64_t p) const { return v_ + p * block_values_; }
  double& c(std::int64_t row, std::int64_t column) { return c_[row + column * order_]; }
  void separate(std::int64_t begin, std::int64_t count, std::int64_t first, std::vector<double>& theta);
  void resize(std::int64_t most);
  void append_random(unsigned columns, double* bw);

  Executor<double>& on_;
  InverseOperator op_;
  std::int64_t block_values_, width_, max_blocks_ = 0, order_ = 0;
  std::int64_t known_ = 0, blocks_ = 0;  // blocks of V that OP has multiplied; blocks of V in all
  std::int64_t coupled_ = 0;             // the blocks from here on are coupled with the unknown ones
  double *v_ = nullptr, *bx_ = nullptr, *bw_ = nullptr, *kept_ = nullptr, *random_ = nullptr,
         *fresh_ = nullptr, *small_ = nullptr;
  std::int64_t kept_blocks_ = 0, zero_columns_ = 0;  // zero_columns_: among the unknown blocks
  std::vector<double> c_;                            // column-major
  std::uint64_t seed_;
  std::int64_t solved_ = 0;
  RitzPairs pairs_;
  std::vector<double> y_;               // eigenvectors of the projected problem, column-major
  std::vector<std::int64_t> order_of_;  // their columns in the caller's order
};

// A dense symmetric eigenproblem of small order on the CPU: values ascend, `a` becomes the vectors. a: m x m, column-major.
void solve_small(std::int64_t m, std::vector<double>& a, std::vector<double>& values);

}  // namespace eigen_g
