// Runs the built command as a process.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/process.hpp"

namespace support {

inline std::vector<std::string> command_line(const std::vector<std::string>& arguments) {
  std::vector<std::string> line{EIGEN_G_COMMAND};
  line.insert(line.end(), arguments.begin(), arguments.end());
  return line;
}

inline ProcessResult eigen_g_command(const std::vector<std::string>& arguments,
                                     const Environment& environment = {}) {
  return Process(command_line(arguments), environment).wait();
}

// Requires that the command succeeded; returns its output.
inline ProcessResult succeed(const std::vector<std::string>& arguments) {
  ProcessResult outcome = eigen_g_command(arguments);
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  return outcome;
}

// Requires that the command failed with this exit code, one line "eigen_g: ..." on stderr and no output on stdout.
inline ProcessResult fail_with(int code, const std::vector<std::string>& arguments) {
  ProcessResult outcome = eigen_g_command(arguments);
  std::string line;
  for (const std::string& argument : arguments) line += argument + " ";
  INFO(line);
  INFO(outcome.err);
  CHECK(outcome.code == code);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.rfind("eigen_g: ", 0) == 0);
  CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  CHECK((!outcome.err.empty() && outcome.err.back() == '\n'));
  return outcome;
}

inline void write_file(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
}

}  // namespace support
