// Tests libeigen_g_lapack under a program that knows LAPACK alone (lapack_program.cpp), and the command `eigen_g run`.
#include <algorithm>
#include <regex>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"

using support::eigen_g_command;
using support::ProcessResult;

namespace {

ProcessResult under_eigen_g(std::vector<std::string> options, const std::vector<std::string>& program) {
  options.insert(options.begin(), {"run", "--report"});
  options.insert(options.end(), program.begin(), program.end());
  return eigen_g_command(options);
}
ProcessResult run_program(const std::string& mode, const std::vector<std::string>& options) {
  ProcessResult outcome = under_eigen_g(options, {EIGEN_G_LAPACK_PROGRAM, mode});
  INFO(outcome.out);
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  return outcome;
}
const std::vector<std::string> everything_on_cpu{"--device", "cpu", "--min-n", "2"};

// The number before `text` in the report's line of a routine; 0 without such a line or text.
long count_of(const std::string& report, const std::string& routine, const std::string& pattern) {
  std::smatch found;
  const bool there = std::regex_search(report, found, std::regex("  " + routine + " .*?" + pattern));
  return there ? std::stol(found[1]) : 0;
}
long taken(const std::string& report, const std::string& routine) {
  return count_of(report, routine, "taken (\\d+),");
}

}  // namespace

TEST_CASE("LAPACK's names: a program that calls LAPACK gets eigen_g's results") {
  const ProcessResult outcome = run_program("solve", everything_on_cpu);
  for (const char* routine :
       {"dsyevd_", "dsyev_",  "dsyevr_", "dsyevx_", "zheevd_", "dsygvd_", "dspgvd_", "dspevd_", "dsbevd_",
        "dsbev_",  "dsbevx_", "dsbgv_",  "dsbgvx_", "zhbevx_", "dsytrd_", "dstedc_", "dormtr_", "dorgtr_",
        "dstevd_", "dstevr_", "dstevx_", "dsterf_", "zhetrd_", "zstedc_", "zunmtr_", "zungtr_"}) {
    CAPTURE(routine, outcome.err);
    CHECK(taken(outcome.err, routine) > 0);
  }
}

// The library's own calls of LAPACK do not come back: the counts are the program's calls, and LAPACKE's workspace queries.
TEST_CASE("LAPACK's names: no recursion") {
  const ProcessResult outcome = run_program("solve", everything_on_cpu);
  CAPTURE(outcome.err);
  const std::vector<std::pair<const char*, long>> calls = {
      {"dsyevd_", 1}, {"dsyev_", 1},  {"dsyevr_", 3}, {"dsyevx_", 3}, {"zheevd_", 1}, {"dsygvd_", 2},
      {"dspgvd_", 1}, {"dspevd_", 1}, {"dsbevd_", 1}, {"dsbev_", 1},  {"dsbevx_", 1}, {"dsbgv_", 1},
      {"dsbgvx_", 3}, {"zhbevx_", 1}, {"dsytrd_", 1}, {"dstedc_", 2}, {"dormtr_", 5}, {"dorgtr_", 1},
      {"dstevd_", 1}, {"dstevr_", 2}, {"dstevx_", 4}, {"dsterf_", 1}, {"zhetrd_", 1}, {"zstedc_", 2},
      {"zunmtr_", 2}, {"zungtr_", 1}};
  for (const auto& [routine, count] : calls) {
    CAPTURE(routine);
    CHECK(taken(outcome.err, routine) == count);
  }
  CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') ==
        static_cast<std::ptrdiff_t>(calls.size()) + 1);
  CHECK_THAT(outcome.err, !ContainsSubstring("from inside a solve"));
}

TEST_CASE(
    "LAPACK's names: small matrices stay with LAPACK, and all of them if the GPU that is required does not "
    "exist") {
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--device", "cpu"},
        std::vector<std::string>{"--device", "cpu", "--min-n", "41"}}) {
    const ProcessResult outcome = run_program("solve", options);
    CAPTURE(outcome.err);
    CHECK_THAT(outcome.err, ContainsSubstring("below the size") && !ContainsSubstring("taken"));
  }
  CHECK(taken(run_program("solve", {"--min-n", "2"}).err, "dsyevd_") == 1);
  const ProcessResult on_gpu = run_program("solve", {"--min-n", "2", "--device", "gpu"});
  const bool found = on_gpu.err.find("on the GPU") != std::string::npos;
  CHECK_THAT(on_gpu.err, ContainsSubstring(found ? "taken" : "no GPU") && !ContainsSubstring("on the CPU"));
}

TEST_CASE("LAPACK's names: the default sizes on the CPU") {
  const ProcessResult outcome = under_eigen_g({"--device", "cpu"}, {EIGEN_G_LAPACK_PROGRAM, "solve", "120"});
  CAPTURE(outcome.out, outcome.err);
  REQUIRE(outcome.code == 0);
  for (const char* routine : {"dsyevd_", "zheevd_", "dsygvd_", "dsbevd_", "dsytrd_", "dstedc_", "dstevx_"})
    CHECK(taken(outcome.err, routine) > 0);
  for (const char* routine : {"dsbev_", "dormtr_", "zungtr_"}) CHECK(taken(outcome.err, routine) == 0);
}

TEST_CASE("LAPACK's names: the settings in the environment") {
  const support::TemporaryFolder folder;
  const std::string file = folder / "report";
  REQUIRE(
      eigen_g_command(
          {"run", EIGEN_G_LAPACK_PROGRAM, "solve"},
          {{"EIGEN_G_MIN_N", "30"}, {"EIGEN_G_DEVICE", "cpu"}, {"EIGEN_G_GPUS", "3"}, {"EIGEN_G_LOG", file}})
          .code == 0);
  std::ifstream written(file);
  const std::string report{std::istreambuf_iterator<char>(written), {}};
  CAPTURE(report);
  CHECK(taken(report, "dsyevd_") == 1);
  CHECK(taken(report, "dsbev_") == 1);
}

TEST_CASE("LAPACK's names: LAPACK judges arguments and answers workspace queries") {
  const ProcessResult outcome = run_program("errors", everything_on_cpu);
  CHECK_THAT(outcome.err,
             ContainsSubstring("1 to LAPACK (workspace query), 1 to LAPACK (arguments that LAPACK judges)"));
}

TEST_CASE("LAPACK's names: several threads, and a child of fork()") {
  CHECK(taken(run_program("threads", everything_on_cpu).err, "dsyevd_") == 4);
  CHECK(taken(run_program("fork", everything_on_cpu).err, "dsyevd_") ==
        1);  // the child ends without a report
}

TEST_CASE("LAPACK's names: OpenMP programs, and programs that set OpenBLAS's threads") {
  CHECK(taken(run_program("openmp", everything_on_cpu).err, "dsyevd_") == 5);
  CHECK(taken(run_program("blas_threads", everything_on_cpu).err, "dsyevd_") == 5);
}

TEST_CASE(
    "LAPACK's names: MKL's names and 64-bit integers, and functions of these names that are not LAPACK's") {
  ProcessResult outcome = under_eigen_g(everything_on_cpu, {EIGEN_G_PROGRAM_OF_MKL});
  CAPTURE(outcome.out, outcome.err);
  CHECK(outcome.code == 0);
  for (const char* routine : {"dsyevd", "dsyevd_", "DSYEVD"}) CHECK(taken(outcome.err, routine) == 1);
  outcome = under_eigen_g(everything_on_cpu, {EIGEN_G_PROGRAM_OF_FOREIGN});
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
}

TEST_CASE("LAPACK's names: a call that goes on takes less than 1 us longer", "[alone]") {
  run_program("overhead", {});
}

TEST_CASE("run: starts the program with its arguments and exit code, in the environment of the options") {
  const auto shell = [](std::vector<std::string> options, const std::string& script) {
    return under_eigen_g(std::move(options), {"/bin/sh", "-c", script, "sh", "--help"});
  };
  ProcessResult outcome = shell({"--gpus", "2", "--min-n", "77", "--device", "gpu"},
                                "echo $1 $EIGEN_G_GPUS $EIGEN_G_MIN_N $EIGEN_G_DEVICE $EIGEN_G_LOG; exit 9");
  CHECK(outcome.code == 9);
  CHECK(outcome.out == "--help 2 77 gpu -\n");
  CHECK(outcome.err.empty());  // a process that calls no routine reports nothing
  outcome = shell({}, "echo $LD_PRELOAD");
  CHECK_THAT(outcome.out, ContainsSubstring("libeigen_g_lapack.so"));

  const support::TemporaryFolder folder;
  const std::string file = folder / "report";
  for (int process = 0; process < 2; ++process)
    CHECK(eigen_g_command({"run", "--report-to", file, EIGEN_G_LAPACK_PROGRAM, "errors"}).code == 0);
  std::ifstream written(file);
  const std::string report{std::istreambuf_iterator<char>(written), {}};
  CHECK(std::count(report.begin(), report.end(), '\n') == 4);
}

TEST_CASE("run: wrong lines are errors of usage") {
  for (const std::vector<std::string>& line : {std::vector<std::string>{"run"},
                                               {"run", "--unknown", "true"},
                                               {"run", "no such program"},
                                               {"run", "--min-n", "0", "true"},
                                               {"run", "--device", "tpu", "true"}})
    support::fail_with(2, line);
}

TEST_CASE("run: a wrong number in the environment is named and not used") {
  const ProcessResult outcome = eigen_g_command({"run", "--report", EIGEN_G_LAPACK_PROGRAM, "errors"},
                                                {{"EIGEN_G_MIN_N", "many"}, {"EIGEN_G_DEVICE", "tpu"}});
  CHECK(outcome.code == 0);
  CHECK_THAT(outcome.err, ContainsSubstring("EIGEN_G_MIN_N: not a positive number") &&
                              ContainsSubstring("EIGEN_G_DEVICE: not one of auto, cpu, gpu"));
}
