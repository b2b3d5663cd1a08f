// Tests of the numbers of cores and threads.
#include "hybrid/machine/cpu.hpp"

#include <omp.h>

#include <filesystem>
#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/support/process.hpp"

using namespace eigen_g;

namespace {

// The quota that a process with these files sees.
double quota(const std::string& groups, const std::map<std::string, std::string>& files) {
  const support::TemporaryFolder folder;
  std::ofstream(folder / "cgroup") << groups;
  for (const auto& [name, text] : files) {
    const std::filesystem::path path = folder / ("mounted/" + name);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  return cpu_quota(folder / "cgroup", folder / "mounted");
}

}  // namespace

TEST_CASE("the CPU quota of control groups of version 2") {
  CHECK(quota("0::/\n", {}) == 0);
  CHECK(quota("0::/\n", {{"cpu.max", "max 100000\n"}}) == 0);
  CHECK(quota("0::/\n", {{"cpu.max", "250000 100000\n"}}) == 2.5);
  // The least of the group and of the groups around it.
  CHECK(quota("0::/a/b\n", {{"a/cpu.max", "150000 100000\n"}, {"a/b/cpu.max", "400000 100000\n"}}) == 1.5);
  CHECK(quota("0::/a/b\n", {{"a/cpu.max", "max 100000\n"}, {"a/b/cpu.max", "400000 100000\n"}}) == 4);
  // In a container the group may be named as the host sees it, while its files are at the top.
  CHECK(quota("0::/docker/0123\n", {{"cpu.max", "50000 100000\n"}}) == 0.5);
}

TEST_CASE("two processors of one core count once") {
  const support::TemporaryFolder folder;
  const auto siblings = [&](int processor, const std::string& list) {
    const std::filesystem::path path = folder / ("cpu" + std::to_string(processor) + "/topology");
    std::filesystem::create_directories(path);
    std::ofstream(path / "thread_siblings_list") << list << "\n";
  };
  siblings(0, "0,2");
  siblings(1, "1,3");
  siblings(2, "0,2");
  siblings(3, "1,3");
  siblings(4, "4-5");
  siblings(5, "4-5");
  CHECK(physical_cores({0, 1, 2, 3, 4, 5}, folder / "") == 3);
  CHECK(physical_cores({2, 3, 5}, folder / "") == 3);
  CHECK(physical_cores({7, 8}, folder / "") == 2);  // no files
}

TEST_CASE("the CPU quota of control groups of version 1") {
  const std::map<std::string, std::string> files{{"cpu,cpuacct/a/cpu.cfs_quota_us", "300000\n"},
                                                 {"cpu,cpuacct/a/cpu.cfs_period_us", "100000\n"},
                                                 {"cpu,cpuacct/cpu.cfs_quota_us", "-1\n"},
                                                 {"cpu,cpuacct/cpu.cfs_period_us", "100000\n"}};
  CHECK(quota("5:memory:/a\n4:cpu,cpuacct:/a\n", files) == 3);
  CHECK(quota("4:cpu,cpuacct:/\n", files) == 0);
  CHECK(quota("4:cpuset:/a\n", files) == 0);
  CHECK(quota("damaged\n\n4:\n", files) == 0);
  CHECK(quota("1:cpu:/\n", {{"cpu/cpu.cfs_quota_us", "200000"}, {"cpu/cpu.cfs_period_us", "100000"}}) == 2);
}

TEST_CASE("loops have one thread inside a parallel region, and the thread's limit otherwise") {
  int inside = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp single
    inside = loop_threads();
  }
  CHECK(inside == 1);
  const ThreadLimit one(1);
  CHECK(loop_threads() == 1);
}
