// eigen_g tune hybrid: a subcommand of tune.
#pragma once

#include "apps/cli/command.hpp"

namespace eigen_g::apps {

void add_tune_hybrid(CLI::App& tune, Action& action);

}  // namespace eigen_g::apps
