// Predicted times of large solves on clusters, from published or measured runs: data/clusters/*.json, compiled in.
//
// A file has "format": "eigen_g-cluster", "version": 1 and
//
//   name, title, library, type           the file's name, its subject, the library, the type of the matrices ("d", "z")
//   source                              the place where each value was published
//   process                             the unit of a process: "core", "GPU"
//   processes_a_node, bytes_a_process   of the largest run; the memory of a process, of a GPU process the GPU's memory
//   bytes                               memory of all processes together, over n^2
//   bytes_fixed                         further memory of each process, 0 if it is not known
//   runs                                n, processes, seconds: solves for all eigenpairs
//
// A run of P processes has the rate r = n^3 / (P t). The rate depends on the part of the matrix that a process holds, x = n^2 / P: it
// grows with x, and weak scaling keeps it along equal x. So the time of order n on P processes is
//
//   t = n^3 / (P r(x))
//
// log r is interpolated over log x between the runs. If runs have the same x, the one with the most processes counts. Above the largest x
// of the runs r is constant; below the smallest x no time is predicted. The formula does not contain the loss of more processes
// than in the runs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "solver/calibrate/machines.hpp"

namespace eigen_g::papers {

struct ClusterRun {
  double n = 0, processes = 0, seconds = 0;
};

struct Cluster {
  std::string name, title, library, type, process;
  std::vector<std::string> source;
  std::int64_t processes_a_node = 1;
  double bytes_a_process = 0, bytes = 0, bytes_fixed = 0;
  std::vector<ClusterRun> runs;
};

// Throws InvalidArgument("cluster") if text is not such a file or a value is missing.
Cluster parse_cluster(std::string_view text);

const std::vector<Cluster>& clusters();            // sorted by name
const Cluster& cluster_of(std::string_view name);  // throws InvalidArgument("cluster")

struct ClusterPrediction {
  std::int64_t processes = 0;
  double bytes = 0;               // memory that a process needs
  bool fits = false;              // bytes are at most the memory of a process
  std::int64_t least_nodes = 1;   // smallest number of nodes that fits
  std::optional<double> seconds;  // none: x is below that of every run
  double processes_over = 0;      // processes over the processes of the largest run
  bool within = false;            // x is between the smallest and the largest x of the runs
};

// Throws InvalidArgument for n or nodes below 1.
ClusterPrediction predict(const Cluster& cluster, std::int64_t n, std::int64_t nodes);

std::span<const ShippedMachine> shipped_clusters();  // generated (apps/papers/CMakeLists.txt)

}  // namespace eigen_g::papers
