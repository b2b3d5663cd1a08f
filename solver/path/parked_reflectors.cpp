#include "solver/path/parked_reflectors.hpp"

#include <algorithm>
#include <complex>

#include "hybrid/instantiate.hpp"
#include "hybrid/transfer/transfer.hpp"

namespace eigen_g {

namespace {
constexpr std::int64_t columns_at_once = 1024;
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

// Calls copy(first, columns) for columns that have been reached, at most up to the next multiple of `most`.
template <class T>
template <class Copy>
void ParkedReflectors<T>::park_columns(std::int64_t most, const Copy& copy) {
  std::int64_t first = 0;
  for (const Milestone& milestone : milestones_) {
    milestone.ready.hold(copies_);
    while (first < milestone.columns) {
      const std::int64_t columns =
          std::min({columns_at_once, milestone.columns - first, most - first % most});
      copy(first, columns);
      first += columns;
    }
  }
  milestones_.clear();
}

template <class T>
void ParkedReflectors<T>::park_lower(MatrixView<const T> a_dev) {
  const std::int64_t n = host_.cols;
  park_columns(std::max<std::int64_t>(n, 1), [&](std::int64_t first, std::int64_t columns) {
    download<T>(copies_, a_dev.block(first, first, n - first, columns),
                host_.block(first, first, n - first, columns));
  });
}

template <class T>
void ParkedReflectors<T>::park_lower(const DealtPart<const T>& a_dev) {
  const std::int64_t n = host_.cols;
  const DealtPart<T> to{a_dev.deal, a_dev.part, host_.data, a_dev.ld};
  park_columns(a_dev.deal.height, [&](std::int64_t first, std::int64_t columns) {
    download<T>(copies_, a_dev.block(first, first, n - first, columns),
                to.block(first, first, n - first, columns));
  });
}

template <class T>
void ParkedReflectors<T>::park_upper(MatrixView<const T> a_dev) {
  hold_for_all();
  for (std::int64_t first = 0; first < host_.cols; first += columns_at_once) {
    const std::int64_t columns = std::min(columns_at_once, host_.cols - first);
    download<T>(copies_, a_dev.block(0, first, first + columns, columns),
                host_.block(0, first, first + columns, columns));
  }
}

template <class T>
void ParkedReflectors<T>::park_values(const T* from_dev, std::int64_t count, std::int64_t at) {
  hold_for_all();
  constexpr std::int64_t rows = 4096;  // a matrix of any shape: copies are in chunks of columns
  const std::int64_t columns = count / rows, rest = count - columns * rows;
  T* const to = host_.data + at;
  download<T>(copies_, {from_dev, rows, columns, rows}, {to, rows, columns, rows});
  download<T>(copies_, {from_dev + columns * rows, rest, 1, rows}, {to + columns * rows, rest, 1, rows});
}

EIGEN_G_INSTANTIATE_CLASS(all_types, ParkedReflectors);

}  // namespace eigen_g
