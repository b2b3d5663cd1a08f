// The stored triangle of a symmetric matrix, by LAPACK's letters.
#pragma once

namespace eigen_g {

enum class Uplo : char { lower = 'L', upper = 'U' };

}  // namespace eigen_g
