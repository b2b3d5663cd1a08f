// Finds out from the environment if a launcher (mpirun, mpiexec, srun, jsrun) started this process together with others.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace eigen_g::apps {

// Returns the value of an environment variable, or null if it is not set.
using GetVariable = std::function<const char*(const char* name)>;

// This process is one of `processes` processes that were started together; `variable` is the environment variable that says so.
struct Launch {
  std::string variable;
  long long processes = 1;
};

// Returns nothing if this process was started alone. An MPI launcher may run within a Slurm step, so the launcher's variable is read
// first. A Slurm allocation alone (SLURM_NTASKS in a job script) starts no processes and does not count.
std::optional<Launch> started_with_others(const GetVariable& variable);

std::optional<Launch> launch_of_process();  // by the environment of this process

// If `eigen_g solve ...` was started together with others, replaces this program by eigen_g_mpi in the same folder and does not
// return. Returns in all other cases.
void become_distributed(int argc, const char* const* argv);

// Throws UsageError if this process was started together with others, because each would solve the whole matrix and write the same
// files.
void require_one_process();

}  // namespace eigen_g::apps
