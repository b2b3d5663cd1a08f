// eigen_g model --nodes: what large orders take on clusters, by their published runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/cli/common_options.hpp"
#include "apps/cli/exit_codes.hpp"

namespace eigen_g::apps {

struct NodesOptions {
  std::int64_t nodes = 0;  // 0: not asked for
  std::string cluster;     // "": all
};

ExitCode model_nodes(const NodesOptions& options, const std::vector<std::int64_t>& orders,
                     const RunOptions& run);

}  // namespace eigen_g::apps
