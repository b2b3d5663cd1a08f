#include "solver/sparse/verify_few.hpp"

#include <algorithm>
#include <cmath>

namespace eigen_g {

template <class T>
FewMeasures<T> measure(Executor<T>& on, double sign, std::int64_t panels, const T* z, T* work, T* small) {
  constexpr std::int64_t entries = panel_width * panel_width;
  const std::int64_t panel_values = on.order() * panel_width;
  for (std::int64_t p = 0; p < panels; ++p) {
    T *const c = small + 2 * p * entries, *const g = c + entries;
    const T* const panel = z + p * panel_values;
    on.multiply(static_cast<T>(sign), panel, T(0), T(0), work);
    on.gram(1, panel, work, c);
    on.keep_diagonal(c);
    on.subtract(1, panel, c, work, g);
  }
  std::vector<T> host(static_cast<std::size_t>(2 * panels * entries));
  on.get(small, static_cast<std::int64_t>(host.size()), host.data());
  FewMeasures<T> measures;
  for (std::int64_t p = 0; p < panels; ++p)
    for (int j = 0; j < panel_width; ++j) {
      measures.values.push_back(host[2 * p * entries + 5 * j]);
      measures.residuals.push_back(std::sqrt(host[(2 * p + 1) * entries + 5 * j]));
    }
  return measures;
}

template <class T>
T orthogonality(Executor<T>& on, std::int64_t panels, const T* z, T* small) {
  constexpr std::int64_t entries = panel_width * panel_width;
  const std::int64_t rows = panels * panel_width;
  for (std::int64_t p = 0; p < panels; ++p)
    on.gram(panels, z, z + p * on.order() * panel_width, small + p * panels * entries);
  std::vector<T> host(static_cast<std::size_t>(panels * panels * entries));
  on.get(small, static_cast<std::int64_t>(host.size()), host.data());
  T largest = 0;
  for (std::int64_t p = 0; p < panels; ++p)
    for (std::int64_t row = 0; row < rows; ++row)
      for (int j = 0; j < panel_width; ++j)
        largest = std::max(largest, std::abs(host[(p * rows + row) * panel_width + j] -
                                             (row == p * panel_width + j ? T(1) : T(0))));
  return largest;
}

template FewMeasures<double> measure(Executor<double>&, double, std::int64_t, const double*, double*,
                                     double*);
template double orthogonality(Executor<double>&, std::int64_t, const double*, double*);

}  // namespace eigen_g
