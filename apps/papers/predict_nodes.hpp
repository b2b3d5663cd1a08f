// predict_nodes: the command `eigen_g predict --nodes`, predicted times of large orders on clusters (clusters.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/support/exit_codes.hpp"
#include "apps/support/run_options.hpp"

namespace eigen_g::apps {

struct NodesOptions {
  std::int64_t nodes = 0;  // 0: not asked for
  std::string cluster;     // "": all
};

ExitCode predict_nodes(const NodesOptions& options, const std::vector<std::int64_t>& orders,
                       const RunOptions& run);

}  // namespace eigen_g::apps
