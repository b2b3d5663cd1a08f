#include <cstdio>
#include <cstdlib>

#include "apps/cli/command.hpp"
#include "hybrid/machine/cpu.hpp"

int main(int argc, char** argv) {
  const int code = eigen_g::apps::run_command(argc, argv);
  if (!eigen_g::address_space_limited()) return code;
  // OpenBLAS's threads may be waiting without end for memory that the limit keeps from them, and the process' end for them.
  std::fflush(nullptr);
  std::_Exit(code);
}
