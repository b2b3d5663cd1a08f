// The command eigen_g: one command line parser with a subcommand for each task.
//
// A subcommand describes its options to the parser. After the whole line is parsed, the subcommand's callback stores the work to do in
// `action`. The action returns an exit code or throws. run_command() turns an exception into one line on stderr and a code
// (exit_codes.hpp).
#pragma once

#include "apps/support/exit_codes.hpp"

namespace CLI {
class App;
}

namespace eigen_g::apps {

void add_solve(CLI::App& app, Action& action);
void add_verify(CLI::App& app, Action& action);
void add_generate(CLI::App& app, Action& action);
void add_info(CLI::App& app, Action& action);
void add_tune(CLI::App& app, Action& action);
void add_calibrate(CLI::App& app, Action& action);
void add_predict(CLI::App& app, Action& action);
void add_selftest(CLI::App& app, Action& action);
void add_run(CLI::App& app, Action& action);
void add_help(CLI::App& app, Action& action);
void add_completion(CLI::App& app, Action& action);

// Parses the command line and runs its action; prints the text of --help or --version. Throws UsageError for an invalid line, and
// everything that the action throws.
ExitCode parse_and_run(CLI::App& app, const Action& action, int argc, const char* const* argv);

// Runs the whole command; returns the exit code.
int run_command(int argc, const char* const* argv);

}  // namespace eigen_g::apps
