// What may be asked of a team of devices, and whole solves that no team has a part in.
#include "solver/api/eigen_g.hpp"

#include "hybrid/machine/device.hpp"
#include "tests/support/solving.hpp"

using namespace eigen_g;
using support::random_matrix;
using support::Stored;

namespace {

// What is refused before anything is looked at: the argument, and what its message says.
std::string refused(const Options& o) {
  const double a = 1;
  double w = 0, z = 0;
  try {
    eigen_g::eigen_g(1, &a, 1, &w, &z, 1, o);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a ratio has a share for each device, and is for GPUs") {
  Options o;
  o.ratio = parse_ratio("27:14:3");
  CHECK_THAT(refused(o), ContainsSubstring("argument ratio: 27:14:3 has 3 shares; there are 2 devices"));
  o.ratio = parse_ratio("1");
  CHECK_THAT(refused(o), ContainsSubstring("argument ratio"));
  o.ratio.parts = {0, 0};
  CHECK(refused(o) != "");
  o.ratio = parse_ratio("27:14");
  o.device = DeviceChoice::cpu;
  CHECK_THAT(refused(o), ContainsSubstring("argument ratio"));
  o = {};
  o.gpus = 0;
  CHECK_THAT(refused(o), ContainsSubstring("argument gpus"));
  o.gpus = 2;
  o.device = DeviceChoice::cpu;
  CHECK_THAT(refused(o), ContainsSubstring("argument gpus"));
  o = {};
  o.gpu_sms = -1;
  CHECK_THAT(refused(o), ContainsSubstring("argument gpu_sms"));
  o.gpu_sms = 8;
  o.device = DeviceChoice::cpu;
  CHECK_THAT(refused(o), ContainsSubstring("argument gpu_sms"));
}

TEST_CASE("on a machine without a GPU, or below its sizes, the CPU solves alone whatever the ratio") {
  Options o;
  o.ratio = parse_ratio("27:14");
  const Stored s = random_matrix(50);
  const support::Solved solved = support::solve_guarded(s, o);
  support::check_pairs(s, solved);
  CHECK(solved.report.ratio == "1");
  REQUIRE(solved.report.work.size() == 1);
  CHECK(solved.report.work[0].name == cpu_name());
  CHECK(solved.report.work[0].share == 1);
}

TEST_CASE("more GPUs or multiprocessors than there are", "[gpu]") {
  NEEDS_GPU();
  Options o = support::options(DeviceChoice::gpu);
  o.gpus = gpu_count() + 1;
  CHECK_THAT(refused(o), ContainsSubstring("argument gpus"));
  o.gpus = 1;
  o.gpu_sms = gpu_facts(current_gpu()).cores + 1;
  CHECK_THAT(refused(o), ContainsSubstring("argument gpu_sms"));
}
