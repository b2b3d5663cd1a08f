// ParkedReflectors: copies the reflectors of a reduction from the GPU to host memory while the reduction works. Afterwards other data can use the
// memory of A on the GPU. CUDA builds only.
//
//   host    n x n. Below the diagonal: the reflectors of tridiagonalize() or full_to_band(). Above it: the v arrays of the chase, as
//           band_to_tridiagonal() leaves them above the diagonal of A. If the matrix was a band: the packed v arrays from its first element on.
//           If A is in block columns: the block columns in the same layout as on the GPU, then the packed v arrays
#pragma once

#include <cstdint>
#include <vector>

#include "hybrid/matrix_view.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/reduction/two_stage/dealt_columns.hpp"

namespace eigen_g {

template <class T>
class ParkedReflectors {
 public:
  //   host   n x n, lda = n, any host memory. With A in block columns: as much memory as their layout and the v arrays need
  ParkedReflectors(const Queue& queue, MatrixView<T> host);
  ~ParkedReflectors();  // waits for the copies
  ParkedReflectors(const ParkedReflectors&) = delete;
  ParkedReflectors& operator=(const ParkedReflectors&) = delete;

  MatrixView<const T> host() const { return host_; }

  // Forgets the matrix before.
  void begin() { milestones_.clear(); }
  // The reduction reports that the first `columns` columns below the diagonal are final after the work that is queued so far.
  void reached(std::int64_t columns);
  // These functions copy the columns below the diagonal, as the reduction reaches them, the entries above the diagonal, and `count` values from
  // from_dev on to the host's values from number `at` on. The last two wait for all work that is queued. Each blocks until its copies are done.
  // Throw OutOfMemory, DeviceError. Cost: n^2 / 2 elements over the link.
  //   a_dev   n x n, or all columns in a packed part
  void park_lower(MatrixView<const T> a_dev);
  void park_lower(const DealtPart<const T>& a_dev);
  void park_upper(MatrixView<const T> a_dev);
  void park_values(const T* from_dev, std::int64_t count, std::int64_t at = 0);

  // The block columns in host memory, for the layout of a_dev.
  DealtPart<const T> host_part(const DealtPart<const T>& a_dev) const {
    return {a_dev.deal, a_dev.part, host_.data, a_dev.ld};
  }

 private:
  struct Milestone {
    std::int64_t columns;
    Event ready;
  };
  void hold_for_all();
  template <class Copy>
  void park_columns(std::int64_t most, const Copy& copy);

  const Queue& queue_;
  Queue copies_;
  MatrixView<T> host_;
  std::vector<Milestone> milestones_;
};

}  // namespace eigen_g
