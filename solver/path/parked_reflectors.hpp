// ParkedReflectors: copies the reflectors of a reduction from the GPU to host memory while the reduction works. Afterwards other data can use the
// memory of A on the GPU. CUDA builds only.
//
// The host memory has one of three layouts:
//
//   A was full           n x n. Below the diagonal: the reflectors of tridiagonalize() or full_to_band(). Above it: the v arrays of the chase, as
//                        band_to_tridiagonal() leaves them above the diagonal of A
//   A was a band         the packed v arrays, from the first element on
//   A in block columns   the block columns as on the GPU, then the packed v arrays
#pragma once

#include <cstdint>

#include "hybrid/matrix_view.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/transfer/transfer_thread.hpp"
#include "solver/reduction/two_stage/dealt_columns.hpp"

namespace eigen_g {

template <class T>
class ParkedReflectors {
 public:
  //   thread   makes the copies. It must outlive this object
  //   host     n x n, lda = n, any host memory. With A in block columns: as much memory as their layout and the v arrays need
  ParkedReflectors(const Queue& queue, TransferThread& thread, MatrixView<T> host)
      : queue_(queue), thread_(thread), host_(host) {}

  MatrixView<const T> host() const { return host_; }

  // Sets the matrix of the next reduction: n x n, or in block columns.
  void begin(MatrixView<const T> a_dev) { begin(a_dev, {}); }
  void begin(const DealtPart<const T>& a_dev) { begin({}, a_dev); }

  // The functions below start copies. A copy begins when the work that is queued so far is done, and the functions do not block. Each throws what an
  // earlier copy threw: OutOfMemory, DeviceError. Cost: n^2 / 2 elements over the link below the diagonal, and n^2 / 2 above it.
  // The reduction calls reached() when the first `columns` columns below the diagonal are final.
  void reached(std::int64_t columns);
  // The entries above the diagonal of columns first ... end - 1 of a matrix.
  void park_upper(std::int64_t first, std::int64_t end);
  // `count` values from from_dev on, to the host's values from number `at` on.
  void park_values(const T* from_dev, std::int64_t count, std::int64_t at);
  // Blocks until all copies are done. Throws as above.
  void wait() { thread_.wait(); }

  // Returns the block columns in host memory, in the layout of a_dev.
  DealtPart<const T> host_part(const DealtPart<const T>& a_dev) const {
    return {a_dev.deal, a_dev.part, host_.data, a_dev.ld};
  }

 private:
  void begin(MatrixView<const T> a_dev, const DealtPart<const T>& part_dev) {
    a_ = a_dev;
    part_ = part_dev;
    columns_ = 0;
  }
  void park(MatrixView<const T> from_dev, MatrixView<T> to);

  const Queue& queue_;
  TransferThread& thread_;
  MatrixView<T> host_;
  MatrixView<const T> a_;
  DealtPart<const T> part_;   // data is null: A is a matrix
  std::int64_t columns_ = 0;  // that have been reached
};

}  // namespace eigen_g
