// Finds the clusters and solves their small problems.
#include "solver/refine/clusters.hpp"

#include <algorithm>
#include <cstddef>

#include "hybrid/machine/cpu.hpp"
#include "hybrid/memory/arena.hpp"
#include "solver/back/back_transform.hpp"
#include "solver/generalised/cholesky.hpp"
#include "solver/generalised/standard_form.hpp"
#include "solver/reduction/one_stage/tridiagonalize.hpp"
#include "solver/tridiagonal/divide_and_conquer.hpp"

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

namespace {

// The workspace of a problem of order m.
struct ClusterParts {
  double *e, *tau;
  MatrixView<double> y;
  Arena scratch;

  ClusterParts(Arena& arena, std::int64_t m)
      : e(arena.take<double>(m)),
        tau(arena.take<double>(m)),
        y(arena.matrix<double>(m, m, m)),
        scratch(arena.part(std::max({tridiagonalize_bytes_on_cpu<double>(m),
                                     divide_and_conquer_bytes_on_cpu<double>(m, m, m),
                                     back_transform_bytes_on_cpu<double>(m, m)}))) {}
};

// S Y = G Y diag(values). Returns false if G is not positive definite.
bool solve_cluster(MatrixView<double> s, MatrixView<double> g, double* values, Arena arena) {
  const std::int64_t m = s.cols;
  const ClusterParts own(arena, m);
  if (cholesky(Uplo::lower, g) != 0) return false;
  to_standard_form<double>(1, Uplo::lower, s, g);
  tridiagonalize_on_cpu<double>(Uplo::lower, s, values, own.e, own.tau, own.scratch);
  if (divide_and_conquer_on_cpu<double>(m, values, own.e, own.y, own.scratch).status != Status::converged)
    return false;
  back_transform_on_cpu<double>(Uplo::lower, s, own.tau, own.y, own.scratch);
  from_standard_form<double>(1, Uplo::lower, g, own.y);
  std::copy_n(own.y.data, m * m, s.data);
  return true;
}

}  // namespace

bool solve_clusters(const Clusters& clusters, double* s, double* g, double* values) {
  const std::uint64_t bytes = solve_clusters_bytes(clusters.largest);
  const auto memory = host_array<std::byte>(static_cast<std::int64_t>(bytes));
  for (std::size_t k = 0; k < clusters.first.size(); ++k) {
    const std::int64_t m = clusters.size[k], at = clusters.at[k];
    if (!solve_cluster({s + at, m, m, m}, {g + at, m, m, m}, values + clusters.first[k],
                       Arena(memory.get(), bytes)))
      return false;
  }
  return true;
}

std::uint64_t solve_clusters_bytes(std::int64_t order) {
  if (order < 2) return 0;  // no cluster
  return bytes_taken([&](Arena& arena) { ClusterParts(arena, order); });
}

}  // namespace eigen_g
