// Measures a few eigenpairs, in products with A.
#include "solver/sparse/verify_few.hpp"

#include <algorithm>
#include <cmath>

#include "hybrid/instantiate.hpp"

namespace eigen_g {

template <class T>
FewMeasures<T> measure(Executor<T>& on, double sign, std::int64_t blocks, const T* z, T* work, T* small) {
  constexpr std::int64_t entries = block_width * block_width;
  const std::int64_t block_values = on.order() * block_width;
  for (std::int64_t p = 0; p < blocks; ++p) {
    T *const c = small + 2 * p * entries, *const g = c + entries;
    const T* const block = z + p * block_values;
    on.multiply(static_cast<T>(sign), block, T(0), T(0), work);
    on.gram(1, block, work, c);
    on.keep_diagonal(c);
    on.subtract(1, block, c, work, g);
  }
  std::vector<T> host(static_cast<std::size_t>(2 * blocks * entries));
  on.get(small, static_cast<std::int64_t>(host.size()), host.data());
  FewMeasures<T> measures;
  for (std::int64_t p = 0; p < blocks; ++p)
    for (int j = 0; j < block_width; ++j) {
      measures.values.push_back(host[2 * p * entries + 5 * j]);
      measures.residuals.push_back(std::sqrt(host[(2 * p + 1) * entries + 5 * j]));
    }
  return measures;
}

template <class T>
T orthogonality(Executor<T>& on, std::int64_t blocks, const T* z, T* small) {
  constexpr std::int64_t entries = block_width * block_width;
  const std::int64_t rows = blocks * block_width;
  for (std::int64_t p = 0; p < blocks; ++p)
    on.gram(blocks, z, z + p * on.order() * block_width, small + p * blocks * entries);
  std::vector<T> host(static_cast<std::size_t>(blocks * blocks * entries));
  on.get(small, static_cast<std::int64_t>(host.size()), host.data());
  T largest = 0;
  for (std::int64_t p = 0; p < blocks; ++p)
    for (std::int64_t row = 0; row < rows; ++row)
      for (int j = 0; j < block_width; ++j)
        largest = std::max(largest, std::abs(host[(p * rows + row) * block_width + j] -
                                             (row == p * block_width + j ? T(1) : T(0))));
  return largest;
}

EIGEN_G_INSTANTIATE(double_type, measure, orthogonality);

}  // namespace eigen_g
