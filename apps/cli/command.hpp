// The command eigen_g: its subcommands on one command line parser.
//
// A subcommand describes its options to the parser and leaves in `action` what is to be done once the whole
// line has been read. The action returns an exit code or throws; run_command() turns an exception into one
// line on stderr and a code (exit_codes.hpp).
#pragma once

#include <functional>

#include "apps/cli/exit_codes.hpp"

namespace CLI {
class App;
}

namespace eigen_g::apps {

using Action = std::function<ExitCode()>;

void add_solve(CLI::App& app, Action& action);
void add_verify(CLI::App& app, Action& action);
void add_generate(CLI::App& app, Action& action);
void add_info(CLI::App& app, Action& action);
void add_tune(CLI::App& app, Action& action);
void add_model(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);
void add_selftest(CLI::App& app, Action& action);
void add_completion(CLI::App& app, Action& action);

// Parses the line, then does its action; --help and --version are printed. Throws UsageError for a line that does not parse, and
// what the action throws.
ExitCode parse_and_run(CLI::App& app, const Action& action, int argc, const char* const* argv);

// All of the command; returns the exit code.
int run_command(int argc, const char* const* argv);

}  // namespace eigen_g::apps
