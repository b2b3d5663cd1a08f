#include "apps/cli/launcher.hpp"

#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "apps/support/exit_codes.hpp"

namespace eigen_g::apps {

namespace {

// Variables with the number of processes that were started together.
constexpr const char* mpi_sizes[] = {
    "OMPI_COMM_WORLD_SIZE",  // Open MPI, Spectrum MPI
    "PMI_SIZE",              // MPICH, Intel MPI, Cray PALS, Flux; Slurm with --mpi=pmi2
    "MV2_COMM_WORLD_SIZE",   // MVAPICH2's mpirun_rsh
    "JSM_NAMESPACE_SIZE",    // jsrun
    "MPI_LOCALNRANKS",       // Hydra and Intel MPI: the processes on this node
};

// Larger step numbers are Slurm's own: a job script or an interactive shell.
constexpr long long last_ordinary_step = 0xfffffff0;

std::optional<long long> number(const char* text) {
  long long value = 0;
  if (!text || *text == '\0') return std::nullopt;
  const char* const end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

}  // namespace

std::optional<Launch> started_with_others(const GetVariable& variable) {
  const auto several = [](const char* name, long long processes) -> std::optional<Launch> {
    if (processes <= 1) return std::nullopt;
    return Launch{name, processes};
  };
  for (const char* name : mpi_sizes)
    if (const auto processes = number(variable(name))) return several(name, *processes);
  const auto step = number(variable("SLURM_STEP_ID"));
  if (!step || *step < 0 || *step > last_ordinary_step) return std::nullopt;
  const char* const tasks = "SLURM_STEP_NUM_TASKS";
  return several(tasks, number(variable(tasks)).value_or(1));
}

std::optional<Launch> launch_of_process() {
  return started_with_others([](const char* name) { return std::getenv(name); });
}

void become_distributed(int argc, const char* const* argv) {
  if (argc < 2 || std::string_view(argv[1]) != "solve" || !launch_of_process()) return;
  std::error_code unknown;
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", unknown);
  if (unknown) return;
  // execv() returns if the program does not exist or cannot be started.
  ::execv((own.parent_path() / "eigen_g_mpi").c_str(), const_cast<char* const*>(argv));
}

void require_one_process() {
  const auto launch = launch_of_process();
  if (!launch) return;
  throw UsageError(
      "solve: started as one of " + std::to_string(launch->processes) + " processes (" + launch->variable +
      "), but eigen_g_mpi is not next to this program: each would solve the whole matrix and write the same "
      "files. Start one process; if each process has its own matrix, unset " +
      launch->variable);
}

}  // namespace eigen_g::apps
