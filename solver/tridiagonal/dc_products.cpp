// Cost model of a merge's products.
#include "solver/tridiagonal/dc_products.hpp"

#include <algorithm>

#include "gemm_df/tuning.hpp"

namespace eigen_g {

ColumnProducts merge_products(std::int64_t upper, std::int64_t upper_inner, std::int64_t lower,
                              std::int64_t lower_inner, std::int64_t columns, double element) {
  const double entries = static_cast<double>(upper) * static_cast<double>(upper_inner) +
                         static_cast<double>(lower) * static_cast<double>(lower_inner);
  const auto steps = [](std::int64_t inner) {
    return static_cast<double>(std::max<std::int64_t>(1, (inner + merge_step - 1) / merge_step));
  };
  ColumnProducts p;
  p.columns = columns;
  p.steps = steps(upper_inner) + steps(lower_inner);
  p.column_flops = 2 * entries;
  p.rows = static_cast<double>(std::max(upper, lower));
  p.inner = static_cast<double>(std::max(upper_inner, lower_inner));
  p.common_bytes = element * entries;
  p.beside = 2.0 * merge_step;  // the slices of U
  p.column_bytes = element * static_cast<double>(std::max(upper + lower, upper_inner + lower_inner));
  return p;
}

}  // namespace eigen_g
