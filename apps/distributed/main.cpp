// The main function of eigen_g_mpi.
#include <mpi.h>

#include <cstdio>
#include <exception>
#include <iostream>

#include "apps/distributed/collective.hpp"
#include "apps/distributed/solve.hpp"
#include "apps/support/run_options.hpp"
#include "apps/support/signals.hpp"

int main(int argc, char** argv) {
  using namespace eigen_g::apps;
  open_standard_descriptors();
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  const bool speaks = rank_in(MPI_COMM_WORLD) == 0;
  install_signal_handlers(speaks);
  if (!speaks) std::cout.rdbuf(nullptr);  // --help and --version are printed once
  try {
    const int code = run_distributed(MPI_COMM_WORLD, argc, argv);
    std::cout.flush();
    MPI_Finalize();
    return code;
  } catch (...) {
    const Failure failure = failure_of(std::current_exception());
    warn(failure.message);
    MPI_Abort(MPI_COMM_WORLD, static_cast<int>(failure.code));
    return static_cast<int>(failure.code);
  }
}
