// Tests of the options of a team of devices, and of whole solves without a team.
#include "solver/api/eigen_g.hpp"

#include "hybrid/machine/device.hpp"
#include "tests/support/solving.hpp"

using namespace eigen_g;
using support::random_matrix;
using support::Stored;

namespace {

// Refusals before any work: the argument and the message.
std::string refused(const support::OptionsAndDevices& o) {
  const double a = 1;
  double w = 0, z = 0;
  try {
    (void)eigen_g::eigen_g(1, &a, 1, &w, &z, 1, o, o);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a ratio has a share for each device, and is for GPUs") {
  support::OptionsAndDevices o;
  o.ratio = parse_ratio("27:14:3");
  CHECK_THAT(refused(o), ContainsSubstring("argument ratio: 27:14:3 has 3 shares; there are 2 devices"));
  o.ratio = parse_ratio("1");
  CHECK_THAT(refused(o), ContainsSubstring("argument ratio"));
  o.ratio.shares = {0, 0};
  CHECK(refused(o) != "");
  o.ratio = parse_ratio("27:14");
  o.device = DeviceChoice::cpu;
  CHECK_THAT(refused(o), ContainsSubstring("argument ratio"));
  o = {};
  o.gpus = -1;
  CHECK_THAT(refused(o), ContainsSubstring("argument gpus"));
  o.gpus = 2;
  o.device = DeviceChoice::cpu;
  CHECK_THAT(refused(o), ContainsSubstring("argument gpus"));
  o = {};
  o.multiprocessors = -1;
  CHECK_THAT(refused(o), ContainsSubstring("argument multiprocessors"));
  o.multiprocessors = 8;
  o.device = DeviceChoice::cpu;
  CHECK_THAT(refused(o), ContainsSubstring("argument multiprocessors"));
}

TEST_CASE("without a GPU, or below its sizes, the CPU solves alone for any ratio") {
  support::OptionsAndDevices o;
  o.ratio = parse_ratio("27:14");
  const Stored s = random_matrix(50);
  const support::Solved solved = support::solve_guarded(s, o);
  support::check_pairs(s, solved);
  REQUIRE(solved.report.devices.size() == 1);
  CHECK(solved.report.devices[0].name == cpu_name());
  CHECK(solved.report.devices[0].gpu == -1);
  CHECK(solved.report.devices[0].share == 1);
}

TEST_CASE("more GPUs or multiprocessors than there are", "[gpu]") {
  NEEDS_GPU();
  support::OptionsAndDevices o = support::options(DeviceChoice::gpu);
  o.gpus = gpu_count() + 1;
  CHECK_THAT(refused(o), ContainsSubstring("argument gpus"));
  o.gpus = 1;
  o.multiprocessors = gpu_facts(current_gpu()).multiprocessors + 1;
  CHECK_THAT(refused(o), ContainsSubstring("argument multiprocessors"));
}
