// Uplo: the stored triangle of a symmetric matrix. Side, Trans: a product with Q. The values are LAPACK's letters.
#pragma once

namespace eigen_g {

enum class Uplo : char { lower = 'L', upper = 'U' };
enum class Side : char { left = 'L', right = 'R' };     // Q Z or Z Q
enum class Trans : char { none = 'N', adjoint = 'C' };  // Q or Q^H

}  // namespace eigen_g
