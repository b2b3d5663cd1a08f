// Clusters of eigenvalues that are too close for a refinement step, and their small problems.
//
// A cluster contains neighbours (find_reach() in correction.hpp) and all columns between them. With the columns X_c of a cluster
//
//   (X_c^T A X_c) Y = (X_c^T X_c) Y diag(mu),   X_c := X_c Y
//
// makes X_c orthonormal and X_c^T A X_c diagonal in one step. All arrays are in host memory.
// Source: T. Ogita, K. Aishima, Iterative refinement for symmetric eigenvalue decomposition II: clustered eigenvalues, JJIAM 36
// (2019). They solve the problem of X_c^T (A - mu I) X_c with orthonormal X_c.
#pragma once

#include <cstdint>
#include <vector>

namespace eigen_g {

// Limits for the small problems: the order of the largest cluster, and the sum of all orders^3. They keep the small problems on one core
// short compared with a step of order n.
inline constexpr std::int64_t largest_cluster = 256;
std::int64_t max_cluster_work(std::int64_t n);

struct Clusters {
  std::vector<std::int64_t> first, size,
      at;  // clusters of at least two columns, ascending; `at` is the offset of the packed block
  std::vector<std::int64_t> of_column;  // cluster of each column; -1: none
  std::int64_t packed = 0;              // total number of values of the packed blocks
  std::int64_t largest = 0;
  bool small_enough = true;  // true: within both limits
  std::int64_t count() const { return static_cast<std::int64_t>(first.size()); }
};

// Forms the clusters. reach[j] >= j is the last column that is a neighbour of column j.
Clusters clusters_of(const std::vector<std::int64_t>& reach);

// Solves each small problem: s := Y, and the values mu replace `values` in the cluster's columns. Returns false if a block of g is not
// positive definite or a problem did not converge; s and g are undefined then.
//   s       clusters.packed values, in: S_c; out: Y
//   g       clusters.packed values, in: G_c; destroyed
//   values  n, in and out
// Allocates solve_clusters_bytes(clusters.largest) bytes. Throws OutOfMemory, DeviceError. Cost: about 10 m^3 flops for a cluster of m
// columns. LAPACK: dsygvd.
bool solve_clusters(const Clusters& clusters, double* s, double* g, double* values);
std::uint64_t solve_clusters_bytes(std::int64_t order);

}  // namespace eigen_g
