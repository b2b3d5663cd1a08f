// What needs both (i, j) and (j, i) of a distributed matrix, which lie on different processes: done in panels of columns, so that
// no second matrix is held.
#pragma once

#include <cstdint>
#include <functional>

#include "hybrid/uplo.hpp"
#include "solver/distributed/grid.hpp"

namespace eigen_g::distributed {

// Columns of a panel: each begins at process (0, 0) of the grid, and a local part of it is about 256 wide.
std::int64_t panel_columns(const BlockCyclic& layout);

// Calls visit(i, j, a_ij, a_ji) with each local entry, i and j global. What it changes in A is seen by later panels.
// Collective. Memory: a panel. A is square.
void for_mirrored(
    const LocalView& a,
    const std::function<void(std::int64_t i, std::int64_t j, double& a_ij, double a_ji)>& visit);

// The other triangle := the mirror image of this one. Collective.
void mirror(const LocalView& a, Uplo from);

// z(:, 1 : count) := z(:, 1 + by : count + by), by >= 0. Collective. Memory: a panel.
void shift_columns(const LocalView& z, std::int64_t by, std::int64_t count);

}  // namespace eigen_g::distributed
