#include "solver/path/parked_reflectors.hpp"

#include <algorithm>
#include <complex>

#include "hybrid/instantiate.hpp"
#include "hybrid/transfer/transfer.hpp"

namespace eigen_g {

namespace {
constexpr std::int64_t block_columns = 1024;
}

template <class T>
ParkedReflectors<T>::ParkedReflectors(const Queue& queue, MatrixView<T> host)
    : queue_(queue), copies_(queue.resources(), Queue::CopiesOnly()), host_(host) {}

template <class T>
ParkedReflectors<T>::~ParkedReflectors() {
  cudaStreamSynchronize(copies_.stream());
}

template <class T>
void ParkedReflectors<T>::reached(std::int64_t columns) {
  milestones_.push_back({columns, Event(queue_.resources())});
  milestones_.back().ready.record(queue_);
}

template <class T>
void ParkedReflectors<T>::hold_for_all() {
  Event all(queue_.resources());
  all.record(queue_);
  all.hold(copies_);
}

template <class T>
void ParkedReflectors<T>::park_lower(MatrixView<const T> a_dev) {
  const std::int64_t n = host_.cols;
  std::int64_t first = 0;
  for (const Milestone& milestone : milestones_) {
    milestone.ready.hold(copies_);
    for (; first < milestone.columns; first += std::min(block_columns, milestone.columns - first)) {
      const std::int64_t columns = std::min(block_columns, milestone.columns - first);
      download<T>(copies_, a_dev.block(first, first, n - first, columns),
                  host_.block(first, first, n - first, columns));
    }
  }
  milestones_.clear();
}

template <class T>
void ParkedReflectors<T>::park_upper(MatrixView<const T> a_dev) {
  hold_for_all();
  for (std::int64_t first = 0; first < host_.cols; first += block_columns) {
    const std::int64_t columns = std::min(block_columns, host_.cols - first);
    download<T>(copies_, a_dev.block(0, first, first + columns, columns),
                host_.block(0, first, first + columns, columns));
  }
}

template <class T>
void ParkedReflectors<T>::park_values(const T* from_dev, std::int64_t count) {
  hold_for_all();
  constexpr std::int64_t rows = 4096;  // a matrix of any shape: copies are in chunks of columns
  const std::int64_t columns = count / rows, rest = count - columns * rows;
  download<T>(copies_, {from_dev, rows, columns, rows}, {host_.data, rows, columns, rows});
  download<T>(copies_, {from_dev + columns * rows, rest, 1, rows},
              {host_.data + columns * rows, rest, 1, rows});
}

EIGEN_G_INSTANTIATE_CLASS(all_types, ParkedReflectors);

}  // namespace eigen_g
