// Uplo: the stored triangle of a symmetric matrix, with LAPACK's letters as values.
#pragma once

namespace eigen_g {

enum class Uplo : char { lower = 'L', upper = 'U' };

}  // namespace eigen_g
