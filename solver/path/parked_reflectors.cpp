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
void ParkedReflectors<T>::park(MatrixView<const T> from_dev, MatrixView<T> to) {
  thread_.after(queue_, [from_dev, to](const Queue& copies) { download<T>(copies, from_dev, to); });
}

template <class T>
void ParkedReflectors<T>::reached(std::int64_t columns) {
  const std::int64_t n = host_.cols;
  while (columns_ < columns) {
    const std::int64_t first = columns_;
    std::int64_t count = std::min(columns_at_once, columns - first);
    if (part_.data) {
      count = std::min(count, part_.deal.height - first % part_.deal.height);
      park(part_.block(first, first, n - first, count),
           DealtPart<T>{part_.deal, part_.part, host_.data, part_.ld}.block(first, first, n - first, count));
    } else {
      park(a_.block(first, first, n - first, count), host_.block(first, first, n - first, count));
    }
    columns_ += count;
  }
}

template <class T>
void ParkedReflectors<T>::park_upper(std::int64_t first, std::int64_t end) {
  while (first < end) {
    const std::int64_t count = std::min(columns_at_once, end - first);
    park(a_.block(0, first, first + count, count), host_.block(0, first, first + count, count));
    first += count;
  }
}

template <class T>
void ParkedReflectors<T>::park_values(const T* from_dev, std::int64_t count, std::int64_t at) {
  constexpr std::int64_t rows = 4096;  // a matrix of any shape: copies are in chunks of columns
  const std::int64_t columns = count / rows, rest = count - columns * rows;
  T* const to = host_.data + at;
  if (columns > 0) park({from_dev, rows, columns, rows}, {to, rows, columns, rows});
  if (rest > 0) park({from_dev + columns * rows, rest, 1, rows}, {to + columns * rows, rest, 1, rows});
}

EIGEN_G_INSTANTIATE_CLASS(all_types, ParkedReflectors);

}  // namespace eigen_g
