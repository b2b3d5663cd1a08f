// What the products of a merge cost, and in which steps they are cut over devices. Pure: needs no GPU.
#pragma once

#include <cstdint>

#include "solver/devices/shares.hpp"

namespace eigen_g {

// `columns` columns of a merge: `upper` rows with `upper_inner` terms each and `lower` ones with `lower_inner`; bytes of an element.
ColumnProducts merge_products(std::int64_t upper, std::int64_t upper_inner, std::int64_t lower,
                              std::int64_t lower_inner, std::int64_t columns,
                              double element = sizeof(double));

}  // namespace eigen_g
