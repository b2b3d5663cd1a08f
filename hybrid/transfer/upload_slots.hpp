// UploadSlots: copies matrices from host memory, or from another GPU, to slots on the GPU, on a stream of its own, while a queue works on other
// slots. CUDA builds only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <utility>
#include <vector>

#include "hybrid/machine/device.hpp"
#include "hybrid/matrix_view.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/transfer/copy_2d.hpp"
#include "hybrid/transfer/transfer.hpp"

namespace eigen_g {

template <class T>
class UploadSlots {
 public:
  //   queue   works on the slots. Its earlier work may use their memory too
  //   slots   device memory, each large enough for every matrix
  UploadSlots(const Queue& queue, const std::vector<T*>& slots)
      : queue_(queue), copies_(queue.resources(), Queue::CopiesOnly()) {
    for (T* const slot : slots) {
      slots_.push_back({slot, Event(queue.resources()), Event(queue.resources())});
      slots_.back().used.record(queue);
    }
  }
  // Waits for the copies after an exception, because they may still use the slots, and for copies from host memory. Otherwise the queue
  // waits for the copies.
  ~UploadSlots() {
    if (from_host_ || std::uncaught_exceptions() > exceptions_) cudaStreamSynchronize(copies_.stream());
  }
  UploadSlots(const UploadSlots&) = delete;
  UploadSlots& operator=(const UploadSlots&) = delete;

  // Copies `from` to the next slot and returns it with leading dimension lda. Later work of the queue starts after the copy. The copy starts
  // after the work on the slot's former matrix.
  //   from   host memory of any kind, or memory of any GPU
  // Returns when `from` has been read, if it is in pageable memory. Throws OutOfMemory, DeviceError.
  MatrixView<T> fetch(MatrixView<const T> from, std::int64_t lda) {
    const MatrixView<T> to = open(from.rows, from.cols, lda);
    fetch_more(from, to);
    return to;
  }
  // The next slot as a matrix of this shape, without a copy. fetch_more() copies its parts.
  MatrixView<T> open(std::int64_t rows, std::int64_t cols, std::int64_t lda) {
    Slot& slot = slots_[next_];
    slot.used.hold(copies_);
    return {slot.data, rows, cols, lda};
  }
  // Copies a further matrix to another part `to` of the same slot.
  void fetch_more(MatrixView<const T> from, MatrixView<T> to) {
    Slot& slot = slots_[next_];
    if (memory_of(from.data).type == MemoryType::device) {
      copy_on_gpu<T>(copies_, to, from);
    } else {
      from_host_ = true;
      upload<T>(copies_, Part::all, from, to);
    }
    slot.copied.record(copies_);
    slot.copied.hold(queue_);
  }
  // The work on the matrix of the last fetch() is queued.
  void used() {
    slots_[next_].used.record(queue_);
    next_ = (next_ + 1) % slots_.size();
  }

 private:
  struct Slot {
    T* data;
    Event used, copied;
  };
  const Queue& queue_;
  Queue copies_;
  std::vector<Slot> slots_;
  std::size_t next_ = 0;
  bool from_host_ = false;
  const int exceptions_ = std::uncaught_exceptions();
};

}  // namespace eigen_g
