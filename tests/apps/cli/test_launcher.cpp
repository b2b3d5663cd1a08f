// Tests which environments of launchers mean several processes.
#include "apps/cli/launcher.hpp"

#include <map>

#include "tests/support/catch.hpp"

using eigen_g::apps::Launch;
using Variables = std::map<std::string, std::string>;

namespace {

std::optional<Launch> in(const Variables& set) {
  return eigen_g::apps::started_with_others([&set](const char* name) {
    const auto found = set.find(name);
    return found == set.end() ? nullptr : found->second.c_str();
  });
}

}  // namespace

TEST_CASE("a launcher's size above 1 means several processes, and the variable is named") {
  for (const char* name :
       {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "JSM_NAMESPACE_SIZE", "MPI_LOCALNRANKS"}) {
    CAPTURE(name);
    const auto launch = in({{name, "3"}});
    REQUIRE(launch);
    CHECK(launch->processes == 3);
    CHECK(launch->variable == name);
    for (const char* alone : {"1", "0", "-4", "", "two", "2x", " 2", "99999999999999999999"})
      CHECK_FALSE(in({{name, alone}}));
  }
  CHECK_FALSE(in({}));
}

TEST_CASE("a Slurm step of several tasks means several processes, an allocation alone does not") {
  const Variables job{
      {"SLURM_JOB_ID", "77"}, {"SLURM_NTASKS", "8"}, {"SLURM_NPROCS", "8"}, {"SLURM_PROCID", "0"}};
  const auto with = [&](Variables more) {
    more.insert(job.begin(), job.end());
    return in(more);
  };
  CHECK_FALSE(with({}));  // a job script
  const auto step = with({{"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "8"}});
  REQUIRE(step);
  CHECK(step->processes == 8);
  CHECK(step->variable == "SLURM_STEP_NUM_TASKS");
  CHECK_FALSE(with({{"SLURM_STEP_ID", "3"}, {"SLURM_STEP_NUM_TASKS", "1"}}));  // srun --ntasks=1
  CHECK_FALSE(with({{"SLURM_STEP_NUM_TASKS", "8"}}));
  // The interactive shell of salloc is a step with a special number of Slurm.
  CHECK_FALSE(with({{"SLURM_STEP_ID", "4294967290"}, {"SLURM_STEP_NUM_TASKS", "8"}}));
}

TEST_CASE("an MPI launcher within a Slurm step decides") {
  const Variables step{{"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "2"}};  // one daemon a node
  Variables alone = step, several = step;
  alone["OMPI_COMM_WORLD_SIZE"] = "1";
  several["OMPI_COMM_WORLD_SIZE"] = "16";
  CHECK_FALSE(in(alone));
  REQUIRE(in(several));
  CHECK(in(several)->variable == "OMPI_COMM_WORLD_SIZE");
}
