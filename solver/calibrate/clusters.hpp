// Machines of many processes of which solve times were published or measured: data/clusters/*.json, compiled in; and what they say
// of other orders and numbers of nodes.
//
// "format": "eigen_g-cluster", "version": 1:
//
//   name, title, engine, type   the file's name, what it is, the library, and the matrices' type ("d", "z")
//   source                      where each figure stands
//   process                     what one has: "core", "GPU"
//   processes_a_node, bytes_a_process   as in the largest run; its memory, of a GPU that of the GPU
//   bytes, bytes_fixed          of all processes together, over n^2; of each beside that, where it is known (else 0)
//   runs                        n, processes, seconds: all eigenpairs
//
// The prediction. A run's rate is r = n^3 / (P t) for P processes. It depends on how much of the matrix each holds, x = n^2 / P: more is
// better, and along equal x it is what weak scaling keeps. So of n on P processes
//
//   t = n^3 / (P r(x))
//
// with log r interpolated over log x between the runs, of those of equal x the one with the most processes; beyond the largest x it is
// that run's, below the smallest none is known. What more processes than those of the runs cost is not in it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "solver/calibrate/machines.hpp"

namespace eigen_g {

struct ClusterRun {
  double n = 0, processes = 0, seconds = 0;
};

struct Cluster {
  std::string name, title, engine, type, process;
  std::vector<std::string> source;
  std::int64_t processes_a_node = 1;
  double bytes_a_process = 0, bytes = 0, bytes_fixed = 0;
  std::vector<ClusterRun> runs;
};

// Throws InvalidArgument("cluster") for text that is not such a file, or that lacks a figure.
Cluster parse_cluster(std::string_view text);

const std::vector<Cluster>& clusters();            // by name
const Cluster& cluster_of(std::string_view name);  // throws InvalidArgument("cluster")

struct ClusterPrediction {
  std::int64_t processes = 0;
  double bytes = 0;               // of a process
  bool fits = false;              // in what it has
  std::int64_t least_nodes = 1;   // on which it would
  std::optional<double> seconds;  // none: each would hold less than in any run
  double processes_over = 0;      // how many times the processes of the largest run
  bool within = false;            // x is between those of the runs
};

// Throws InvalidArgument for n or nodes below 1.
ClusterPrediction predict(const Cluster& cluster, std::int64_t n, std::int64_t nodes);

std::span<const ShippedMachine> shipped_clusters();  // generated (solver/CMakeLists.txt)

}  // namespace eigen_g
