// select(): finds the eigenvalues of a Subset among all eigenvalues. Needs no GPU.
#pragma once

#include <cstdint>

#include "solver/api/types.hpp"

namespace eigen_g {

// Throws InvalidArgument for subset_first, subset_last, subset_above or subset_upto.
void check_subset(std::int64_t n, const Subset& subset);

// The subset of the eigenvalues 2^k w. Limits by value are scaled. At least one float stays between them.
Subset scaled_subset(Subset subset, int k);

// Eigenvalues first ... first + count - 1, counted from 0.
struct Selected {
  std::int64_t first = 0, count = 0;
};

// Selects from n ascending values d. A subset by value refers to 2^scale (2^exponent d), and each of the two products is rounded as
// in scale_values().
template <class R>
Selected select(const Subset& subset, std::int64_t n, const R* d, int exponent, int scale);

}  // namespace eigen_g
