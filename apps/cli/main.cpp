// The main function of eigen_g.
#include <omp.h>

#include <cstdio>
#include <cstdlib>

#include "apps/cli/command.hpp"
#include "hybrid/machine/cpu.hpp"

int main(int argc, char** argv) {
  omp_set_num_threads(eigen_g::loop_threads());  // for the loops of the command itself
  const int code = eigen_g::apps::run_command(argc, argv);
  if (!eigen_g::address_space_limited()) return code;
  // If the address space is limited, OpenBLAS's threads may wait forever for memory, and an ordinary exit would wait for them.
  std::fflush(nullptr);
  std::_Exit(code);
}
