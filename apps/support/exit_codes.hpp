// The command's exit codes. This file alone decides which code and message belong to an error.
#pragma once

#include <exception>
#include <functional>
#include <string>

#include "hybrid/error.hpp"

namespace eigen_g::apps {

enum class ExitCode : int {
  done = 0,
  internal = 1,
  usage = 2,
  file = 3,
  not_verified = 4,
  memory = 5,
  device = 6,
  interrupted = 130,
};

// The work of a subcommand. It returns an exit code or throws.
using Action = std::function<ExitCode()>;

// The command line asks for something that does not exist, or for options that exclude each other.
class UsageError : public Error {
 public:
  using Error::Error;
};

// A caught exception: its exit code, and a message of one line without control characters.
struct Failure {
  ExitCode code = ExitCode::internal;
  std::string message;
};
Failure failure_of(const std::exception_ptr& error);

// The exit codes for --help, one code a line.
std::string exit_code_help();

}  // namespace eigen_g::apps
