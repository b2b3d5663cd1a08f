// The command's exit codes: the one place that gives a failure its code and its words.
#pragma once

#include <exception>
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

// The command line asks for something that does not exist or does not go together.
class UsageError : public Error {
 public:
  using Error::Error;
};

// What a caught exception means: its code, and one line for people without control characters.
struct Failure {
  ExitCode code = ExitCode::internal;
  std::string message;
};
Failure failure_of(const std::exception_ptr& error);

// The list for --help, a line a code.
std::string exit_code_help();

}  // namespace eigen_g::apps
