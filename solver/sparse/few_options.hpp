// The checks of the options of solve_few().
#pragma once

#include <cstdint>

#include "solver/api/sparse.hpp"

namespace eigen_g {

// Throws InvalidArgument.
void check_few(std::int64_t n, const FewOptions& options, std::int64_t ldz);

}  // namespace eigen_g
