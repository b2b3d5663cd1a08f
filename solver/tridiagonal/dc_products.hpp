// Cost of a merge's products, and the number of steps in which they are divided over devices. Needs no GPU.
#pragma once

#include <cstdint>

#include "solver/devices/shares.hpp"

namespace eigen_g {

// Cost of `columns` columns of a merge: `upper` rows with `upper_inner` terms each, and `lower` rows with `lower_inner` terms each.
//   element  bytes of an element
ColumnProducts merge_products(std::int64_t upper, std::int64_t upper_inner, std::int64_t lower,
                              std::int64_t lower_inner, std::int64_t columns,
                              double element = sizeof(double));

}  // namespace eigen_g
