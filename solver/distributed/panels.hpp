// Operations on a whole distributed matrix. Entries (i, j) and (j, i) are usually on different processes. An operation that needs both
// works on panels of columns, so that no second matrix is stored.
#pragma once

#include <cstdint>
#include <functional>

#include "hybrid/scalar.hpp"
#include "hybrid/uplo.hpp"
#include "solver/distributed/grid.hpp"

namespace eigen_g::distributed {

// Number of columns of a panel. Each panel begins at process (0, 0) of the grid, and its local part is about 256 columns wide.
std::int64_t panel_columns(const BlockCyclic& layout);

// Calls visit(i, j, a_ij, conj(a_ji)) for each local entry of a square matrix A; i and j are global. Later panels see the changes of
// earlier calls. Collective. Memory: a panel. T is float, double, std::complex<float> or std::complex<double> in this file.
template <class T>
void for_mirrored(const LocalView<T>& a,
                  const same_t<std::function<void(std::int64_t i, std::int64_t j, T& a_ij, T a_ji)>>& visit);

// Copies the triangle `from`, conjugated, to the other triangle, and sets the diagonal to its real part. Collective.
template <class T>
void mirror(const LocalView<T>& a, Uplo from);

// Largest |a_ij| of the triangle; for complex entries the larger of |Re| and |Im|. Throws NonFiniteEntry for the first entry in column
// order that is not finite. Collective.
template <class T>
double largest_entry(MPI_Comm comm, Uplo uplo, const LocalView<T>& a);

// z(:, 1 : count) := z(:, 1 + by : count + by), by >= 0. Collective. Memory: a panel.
template <class T>
void shift_columns(const LocalView<T>& z, std::int64_t by, std::int64_t count);

}  // namespace eigen_g::distributed
