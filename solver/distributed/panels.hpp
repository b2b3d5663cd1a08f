// What goes through a whole distributed matrix. Where both (i, j) and (j, i) are needed, which lie on different processes, it is done in
// panels of columns, so that no second matrix is held.
#pragma once

#include <cstdint>
#include <functional>

#include "hybrid/scalar.hpp"
#include "hybrid/uplo.hpp"
#include "solver/distributed/grid.hpp"

namespace eigen_g::distributed {

// Columns of a panel: each begins at process (0, 0) of the grid, and a local part of it is about 256 wide.
std::int64_t panel_columns(const BlockCyclic& layout);

// Calls visit(i, j, a_ij, conj(a_ji)) with each local entry, i and j global. What it changes in A is seen by later panels.
// Collective. Memory: a panel. A is square. T here and below: float, double or std::complex of one.
template <class T>
void for_mirrored(const LocalView<T>& a,
                  const same_t<std::function<void(std::int64_t i, std::int64_t j, T& a_ij, T a_ji)>>& visit);

// The other triangle := the mirror image of this one, of complex entries their conjugates, and the diagonal := its real part.
// Collective.
template <class T>
void mirror(const LocalView<T>& a, Uplo from);

// Largest entry of the triangle, of complex entries their parts. Throws NonFiniteEntry for the first one in the order of columns that
// is not finite. Collective.
template <class T>
double largest_entry(MPI_Comm comm, Uplo uplo, const LocalView<T>& a);

// z(:, 1 : count) := z(:, 1 + by : count + by), by >= 0. Collective. Memory: a panel.
template <class T>
void shift_columns(const LocalView<T>& z, std::int64_t by, std::int64_t count);

}  // namespace eigen_g::distributed
