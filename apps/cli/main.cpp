// The main function of eigen_g.
#include <cstdio>
#include <cstdlib>

#include "apps/cli/command.hpp"
#include "hybrid/machine/cpu.hpp"

int main(int argc, char** argv) {
  const int code = eigen_g::apps::run_command(argc, argv);
  if (!eigen_g::address_space_limited()) return code;
  // If the address space is limited, OpenBLAS's threads may wait forever for memory, and an ordinary exit would wait for them.
  std::fflush(nullptr);
  std::_Exit(code);
}
