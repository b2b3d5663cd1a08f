// What a launcher of parallel processes (mpirun, mpiexec, srun, jsrun) says of this process in its environment.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace eigen_g::apps {

// The value of an environment variable; null where it is not set.
using GetVariable = std::function<const char*(const char* name)>;

// This process is one of `processes` that were started together, as `variable` says.
struct Launch {
  std::string variable;
  long long processes = 1;
};

// Nothing where this process was started alone. The variable of an MPI launcher counts before that of the Slurm step
// within which it may run. An allocation alone (SLURM_NTASKS of a job script) starts no processes.
std::optional<Launch> started_with_others(const GetVariable& variable);

std::optional<Launch> launch_of_process();  // by its own environment

// `eigen_g solve ...` that was started with others goes on as eigen_g_mpi, which is looked for beside this program: does not return.
// Returns in every other case.
void become_distributed(int argc, const char* const* argv);

// Throws UsageError where this process was started with others: each would solve the whole matrix and write the same
// files.
void require_one_process();

}  // namespace eigen_g::apps
