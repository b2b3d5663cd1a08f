// The projected matrix H of thick-restart Lanczos.
#include "solver/sparse/restart.hpp"

#include <algorithm>
#include <cmath>

#include "gemm_df/tall_product.hpp"
#include "hybrid/instantiate.hpp"
#include "solver/api/eigen_g.hpp"

namespace eigen_g {

template <class T>
Projected<T>::Projected(std::int64_t max_blocks)
    : order_(max_blocks * block_width), h_(static_cast<std::size_t>(order_ * order_)) {}

template <class T>
T Projected<T>::add(const std::vector<T>& c) {
  const std::int64_t first = blocks_ * block_width, rows = static_cast<std::int64_t>(c.size()) / block_width;
  T difference = 0;
  for (std::int64_t j = 0; j < block_width; ++j)
    for (std::int64_t i = 0; i < rows; ++i) {
      const bool within =
          i >= first && i < first + block_width;  // c has both triangles here; H gets their mean
      const T here = c[block_width * i + j], there = within ? c[block_width * (first + j) + i - first] : here;
      const T value = (here + there) / 2;
      difference = std::max(difference, std::abs(here - there));
      h_[i + (first + j) * order_] = h_[first + j + i * order_] = value;
    }
  ++blocks_;
  return difference;
}

template <class T>
typename Projected<T>::Pairs Projected<T>::solve() const {
  const std::int64_t m = blocks_ * block_width;
  Pairs pairs{std::vector<T>(static_cast<std::size_t>(m)), std::vector<T>(static_cast<std::size_t>(m * m))};
  Devices cpu;
  cpu.device = DeviceChoice::cpu;
  const Report report =
      eigen_g(m, h_.data(), order_, pairs.values.data(), pairs.vectors.data(), m, Options{}, cpu);
  if (report.status != Status::converged)
    throw DeviceError("the projected problem of order " + std::to_string(m) + " did not converge");
  std::reverse(pairs.values.begin(), pairs.values.end());
  for (std::int64_t j = 0; j < m / 2; ++j)
    std::swap_ranges(pairs.vectors.begin() + j * m, pairs.vectors.begin() + (j + 1) * m,
                     pairs.vectors.begin() + (m - 1 - j) * m);
  return pairs;
}

template <class T>
void Projected<T>::restart(const T* values, std::int64_t blocks) {
  std::fill(h_.begin(), h_.end(), T(0));
  blocks_ = blocks;
  for (std::int64_t j = 0; j < blocks * block_width; ++j) h_[j + j * order_] = values[j];
}

EIGEN_G_INSTANTIATE_CLASS(double_type, Projected);

}  // namespace eigen_g
