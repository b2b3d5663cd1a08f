// A turn at OpenBLAS, which keeps one number of threads for the whole process and whose threads spin while they wait: on two cores
// eight threads that call it at once take 20 to 200 times as long as one that makes the same calls in turn.
//
// Turns with one thread run side by side, as many as there are processors; a turn with more has OpenBLAS for itself. Turns of one
// of these kinds go in the order of their coming, all that wait together, then those of the other kind. How many threads a turn takes
// depends on the work and on the caller's ThreadLimit alone, so results do too.
// Around each call into BLAS or LAPACK, and nothing else: no parallel loop and no foreign code within. A turn within a turn of the
// same thread is a part of it.
#pragma once

#include <cstdint>
#include <limits>

namespace eigen_g {

class BlasTurn {
 public:
  // order: of the matrices, by which small work takes one thread. Waits until it is its turn. Throws OutOfMemory where the process
  // may not have the memory that OpenBLAS takes for itself, for which that would wait for ever.
  explicit BlasTurn(std::int64_t order = std::numeric_limits<std::int64_t>::max());
  ~BlasTurn();
  BlasTurn(const BlasTurn&) = delete;
  BlasTurn& operator=(const BlasTurn&) = delete;

  // Smaller orders take one thread: a solve of n = 256 takes 5.2 ms with one of 16 cores and 5.8 to 7.0 with more, one of n = 320
  // 10.1 and 7.8 (AMD EPYC beside an H200, OpenBLAS 0.3).
  static constexpr std::int64_t smallest_parallel_order = 300;
};

}  // namespace eigen_g
