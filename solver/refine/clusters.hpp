// Clusters of eigenvalues that lie too close for a step of refinement, and their small problems.
//
// Neighbours (correction.hpp's reach) and all columns between them are in one cluster: with the columns X_c
//
//   (X_c^T A X_c) Y = (X_c^T X_c) Y diag(mu),   X_c := X_c Y
//
// makes X_c orthonormal and A diagonal on its span at once. Host memory.
// Source: T. Ogita, K. Aishima, Iterative refinement for symmetric eigenvalue decomposition II: clustered eigenvalues, JJIAM 36
// (2019), which solves X_c^T (A - mu I) X_c of orthonormal X_c.
#pragma once

#include <cstdint>
#include <vector>

namespace eigen_g {

// Largest cluster, and sum of orders^3 of all, that the small problems are solved of: a millisecond and some hundred of them on one
// core, and small beside a step of n.
inline constexpr std::int64_t largest_cluster = 256;
std::int64_t most_cluster_work(std::int64_t n);

struct Clusters {
  std::vector<std::int64_t> first, size,
      at;  // of two columns and more, ascending; their blocks packed one after the other
  std::vector<std::int64_t> of_column;  // -1: in none
  std::int64_t packed = 0;              // values of all blocks
  std::int64_t largest = 0;
  bool small_enough = true;  // for small problems
  std::int64_t count() const { return static_cast<std::int64_t>(first.size()); }
};

// reach[j] >= j: the furthest column that is j's neighbour.
Clusters clusters_of(const std::vector<std::int64_t>& reach);

// Of each block, packed: s := Y, mu to `values` from its first column on. Returns false where a block of g is not positive
// definite, or a problem did not converge; s and g are destroyed then.
//   s, g  clusters.packed values, in; out: Y, destroyed      values  n, in and out
// Cost: about 14 m^3 flops of each. LAPACK: dsygvd. Throws OutOfMemory, DeviceError.
bool solve_clusters(const Clusters& clusters, double* s, double* g, double* values);

}  // namespace eigen_g
