// Finds the clusters and solves their small problems by LAPACK.
#include "solver/refine/clusters.hpp"

#include <algorithm>

#include "solver/prepare/lapack.hpp"

namespace eigen_g {

std::int64_t max_cluster_work(std::int64_t n) {
  constexpr std::int64_t least = 32 * 32 * 32, most = largest_cluster * largest_cluster * largest_cluster;
  const std::int64_t order = std::min<std::int64_t>(n, 8 * largest_cluster);
  return std::clamp(order * order * order / 512, least, most);
}

Clusters clusters_of(const std::vector<std::int64_t>& reach) {
  const auto n = static_cast<std::int64_t>(reach.size());
  Clusters clusters;
  clusters.of_column.assign(reach.size(), -1);
  std::int64_t work = 0;
  for (std::int64_t first = 0; first < n;) {
    std::int64_t last = reach[static_cast<std::size_t>(first)];
    for (std::int64_t j = first; j <= last; ++j) last = std::max(last, reach[static_cast<std::size_t>(j)]);
    const std::int64_t size = last - first + 1;
    if (size > 1) {
      std::fill_n(clusters.of_column.begin() + first, size, clusters.count());
      clusters.first.push_back(first);
      clusters.size.push_back(size);
      clusters.at.push_back(clusters.packed);
      clusters.largest = std::max(clusters.largest, size);
      if (clusters.largest <= largest_cluster) {
        clusters.packed += size * size;
        work += size * size * size;
      }
    }
    first = last + 1;
  }
  clusters.small_enough = clusters.largest <= largest_cluster && work <= max_cluster_work(n);
  return clusters;
}

bool solve_clusters(const Clusters& clusters, double* s, double* g, double* values) {
  for (std::size_t k = 0; k < clusters.first.size(); ++k) {
    const lapack_int m = lapack_size(clusters.size[k], "a cluster");
    if (lapack::sygvd(1, 'L', m, s + clusters.at[k], m, g + clusters.at[k], m, values + clusters.first[k]) !=
        0)
      return false;
  }
  return true;
}

}  // namespace eigen_g
