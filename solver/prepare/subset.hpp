// Which eigenvalues a Subset takes of all of them. Pure.
#pragma once

#include <cstdint>

#include "solver/api/types.hpp"

namespace eigen_g {

// Throws InvalidArgument (subset_first, _last, _above or _upto).
void check_subset(std::int64_t n, const Subset& subset);

// Eigenvalues first ... first + count - 1, counted from 0.
struct Selected {
  std::int64_t first = 0, count = 0;
};

// Of n ascending values d: where the subset is one of values, it is one of 2^scale (2^exponent d), each product rounded
// as scale_values() does.
template <class R>
Selected select(const Subset& subset, std::int64_t n, const R* d, int exponent, int scale);

}  // namespace eigen_g
