// The projected problem H of thick-restart Lanczos.
#include "solver/sparse/restart.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gemm_df/tall_product.hpp"
#include "hybrid/instantiate.hpp"
#include "solver/api/eigen_g.hpp"

namespace eigen_g {

template <class T>
Projected<T>::Projected(std::int64_t max_blocks)
    : order_(max_blocks * block_width),
      h_(static_cast<std::size_t>(order_ * order_)),
      locked_(static_cast<std::size_t>(order_)) {}

template <class T>
T Projected<T>::add(const std::vector<T>& c) {
  const std::int64_t first = blocks_ * block_width, rows = static_cast<std::int64_t>(c.size()) / block_width;
  T difference = 0;
  for (std::int64_t j = 0; j < block_width; ++j)
    for (std::int64_t i = 0; i < rows; ++i) {
      const bool within =
          i >= first && i < first + block_width;  // c has both triangles here; H gets their mean
      const T here = c[block_width * i + j], there = within ? c[block_width * (first + j) + i - first] : here;
      const bool apart = i != first + j && (locked_[i] || locked_[first + j]);
      const T value = apart ? T(0) : (here + there) / 2;
      difference = std::max(difference, std::abs(here - there));
      h_[i + (first + j) * order_] = h_[first + j + i * order_] = value;
    }
  ++blocks_;
  return difference;
}

template <class T>
typename Projected<T>::Pairs Projected<T>::solve() const {
  const std::int64_t m = blocks_ * block_width;
  std::vector<std::int64_t> free;
  for (std::int64_t i = 0; i < m; ++i)
    if (!locked_[i]) free.push_back(i);
  const auto k = static_cast<std::int64_t>(free.size());
  std::vector<T> part(static_cast<std::size_t>(k * k)), values(static_cast<std::size_t>(k)),
      vectors(part.size());
  for (std::int64_t j = 0; j < k; ++j)
    for (std::int64_t i = 0; i < k; ++i) part[i + j * k] = h_[free[i] + free[j] * order_];
  Devices cpu;
  cpu.device = DeviceChoice::cpu;
  const Report report = eigen_g(k, part.data(), k, values.data(), vectors.data(), k, Options{}, cpu);
  if (report.status != Status::converged)
    throw DeviceError("the projected problem of order " + std::to_string(m) + " did not converge");

  struct Source {
    T value;
    std::int64_t column;  // column of `vectors`; -1 - i: locked vector i
  };
  std::vector<Source> sources;
  for (std::int64_t j = k - 1; j >= 0; --j) sources.push_back({values[j], j});
  for (std::int64_t i = 0; i < m; ++i)
    if (locked_[i]) sources.push_back({h_[i + i * order_], -1 - i});
  std::stable_sort(sources.begin(), sources.end(),
                   [](const Source& x, const Source& y) { return x.value > y.value; });

  Pairs pairs{{}, std::vector<T>(static_cast<std::size_t>(m * m)), {}};
  for (const Source& source : sources) {
    T* const z = pairs.vectors.data() + m * static_cast<std::int64_t>(pairs.values.size());
    pairs.values.push_back(source.value);
    pairs.locked.push_back(source.column < 0);
    if (source.column < 0) z[-1 - source.column] = 1;
    for (std::int64_t i = 0; source.column >= 0 && i < k; ++i) z[free[i]] = vectors[i + source.column * k];
  }
  return pairs;
}

template <class T>
void Projected<T>::separate_copies(Pairs& pairs, std::int64_t rows) {
  const auto m = static_cast<std::int64_t>(pairs.values.size());
  T largest = 0;
  for (const T value : pairs.values) largest = std::max(largest, std::abs(value));
  const T equal = 16 * std::numeric_limits<T>::epsilon() * largest;
  std::vector<std::int64_t> copies;  // columns
  const auto rotate = [&] {
    const auto k = static_cast<std::int64_t>(copies.size());
    if (k <= rows) return;
    // Householder transformations of the columns, from the last row upwards. Row i has its entry in the last column that is left.
    std::vector<T> x(static_cast<std::size_t>(k));
    for (std::int64_t step = 0; step < rows; ++step) {
      const std::int64_t row = m - 1 - step, left = k - step;
      T square = 0;
      for (std::int64_t j = 0; j < left; ++j) {
        x[j] = pairs.vectors[row + copies[j] * m];
        square += x[j] * x[j];
      }
      if (square == 0) continue;
      const T norm = std::copysign(std::sqrt(square), x[left - 1]),
              factor = 1 / (square + norm * x[left - 1]);
      x[left - 1] += norm;
      for (std::int64_t i = 0; i < m; ++i) {
        T sum = 0;
        for (std::int64_t j = 0; j < left; ++j) sum += x[j] * pairs.vectors[i + copies[j] * m];
        for (std::int64_t j = 0; j < left; ++j) pairs.vectors[i + copies[j] * m] -= factor * sum * x[j];
      }
      for (std::int64_t j = 0; j + 1 < left; ++j) pairs.vectors[row + copies[j] * m] = 0;
    }
  };
  for (std::int64_t j = 0; j < m; ++j) {
    if (pairs.locked[j]) continue;
    if (!copies.empty() && pairs.values[copies.back()] - pairs.values[j] > equal) {
      rotate();
      copies.clear();
    }
    copies.push_back(j);
  }
  rotate();
}

template <class T>
void Projected<T>::restart(const T* values, std::int64_t blocks) {
  std::fill(h_.begin(), h_.end(), T(0));
  std::fill(locked_.begin(), locked_.end(), char{0});
  blocks_ = blocks;
  for (std::int64_t j = 0; j < blocks * block_width; ++j) h_[j + j * order_] = values[j];
}

template <class T>
void Projected<T>::lock(const std::vector<char>& columns) {
  std::copy(columns.begin(), columns.end(), locked_.begin());
}

EIGEN_G_INSTANTIATE_CLASS(double_type, Projected);

}  // namespace eigen_g
