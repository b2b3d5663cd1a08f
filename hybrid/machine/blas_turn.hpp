// BlasTurn: a turn at OpenBLAS. OpenBLAS has one thread count for the whole process, and its threads spin while they wait. On
// two cores, eight threads that call OpenBLAS at the same time take 20 to 200 times as long as the same calls in one thread.
//
// Turns with one thread run at the same time, at most one for each core; if ulimit -v limits the process, one at a time. A turn
// with more threads runs alone. Turns of one kind (one thread, or more) start in order of arrival. All that wait when their
// phase begins run before the next turn of the other kind. The thread count of a turn depends only on the order of its matrices
// (ThreadTuning), on the caller's ThreadLimit and on OpenBLAS's own number of threads, so results do too. After a turn OpenBLAS has
// its own number of threads again.
//
// fork() waits for the turns that run, and the turns of a child do not know of the parent's (hybrid/machine/fork.hpp).
//
// A turn encloses one call into BLAS or LAPACK and nothing else: no parallel loop and no code of the caller. If a thread
// already has a turn, a further BlasTurn of this thread belongs to it and does not wait.
#pragma once

#include <cstdint>
#include <limits>

namespace eigen_g {

class BlasTurn {
 public:
  // Waits for its turn. `order` is the order of the matrices. Throws OutOfMemory if the process
  // cannot map the memory that OpenBLAS needs, because OpenBLAS itself would wait for this memory for ever.
  explicit BlasTurn(std::int64_t order = std::numeric_limits<std::int64_t>::max());
  ~BlasTurn();
  BlasTurn(const BlasTurn&) = delete;
  BlasTurn& operator=(const BlasTurn&) = delete;
};

}  // namespace eigen_g
