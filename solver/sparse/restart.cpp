#include "solver/sparse/restart.hpp"

#include <algorithm>
#include <cmath>

#include "gemm_df/tall_product.hpp"
#include "solver/api/eigen_g.hpp"

namespace eigen_g {

template <class T>
Projected<T>::Projected(std::int64_t max_panels)
    : order_(max_panels * panel_width), h_(static_cast<std::size_t>(order_ * order_)) {}

template <class T>
T Projected<T>::add(const std::vector<T>& c) {
  const std::int64_t first = panels_ * panel_width, rows = static_cast<std::int64_t>(c.size()) / panel_width;
  T difference = 0;
  for (std::int64_t j = 0; j < panel_width; ++j)
    for (std::int64_t i = 0; i < rows; ++i) {
      const bool within = i >= first && i < first + panel_width;  // both triangles of it came; their mean
      const T here = c[panel_width * i + j], there = within ? c[panel_width * (first + j) + i - first] : here;
      const T value = (here + there) / 2;
      difference = std::max(difference, std::abs(here - there));
      h_[i + (first + j) * order_] = h_[first + j + i * order_] = value;
    }
  ++panels_;
  return difference;
}

template <class T>
typename Projected<T>::Pairs Projected<T>::solve() const {
  const std::int64_t m = panels_ * panel_width;
  Pairs pairs{std::vector<T>(static_cast<std::size_t>(m)), std::vector<T>(static_cast<std::size_t>(m * m))};
  Devices cpu;
  cpu.place = Place::cpu;
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
void Projected<T>::restart(const T* values, std::int64_t panels) {
  std::fill(h_.begin(), h_.end(), T(0));
  panels_ = panels;
  for (std::int64_t j = 0; j < panels * panel_width; ++j) h_[j + j * order_] = values[j];
}

template class Projected<double>;

}  // namespace eigen_g
