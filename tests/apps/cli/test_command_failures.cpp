// Tests of the command as a process: each failure has its exit code, one clear line and no file.
#include <filesystem>

#include "tests/support/command.hpp"

using namespace support;

namespace {

using Arguments = std::vector<std::string>;

// The solve takes long enough on one thread to receive the signal.
std::string slow_matrix(const TemporaryFolder& folder) {
  const std::string path = folder / "slow.npy";
  succeed({"generate", "random", "3000", "-o", path});
  return path;
}

template <class Condition>
bool eventually(const Condition& condition) {
  for (int i = 0; i < 20000; ++i) {
    if (condition()) return true;
    ::usleep(1000);
  }
  return false;
}

}  // namespace

TEST_CASE("wrong usage ends in 2") {
  const TemporaryFolder folder;
  const std::string out = folder / "a.npy";
  for (const Arguments& arguments : std::vector<Arguments>{
           {},
           {"slove", "a.mtx"},
           {"solve"},
           {"solve", "a.mtx", "--no-such-option"},
           {"solve", "a.mtx", "--device", "tpu"},
           {"solve", "a.mtx", "--threads", "0"},
           {"solve", "a.mtx", "--threads", "two"},
           {"solve", "a.mtx", "--format", "doc"},
           {"solve", "a.mtx", "--uplo", "X"},
           {"solve", "a.mtx", "--uplo", "L", "--symmetrize"},
           {"solve", "a.mtx", "--values-only", "--verify"},
           {"solve", "a.raw", "--n", "99999999999999999999"},
           {"solve", "a.mtx", "b.mtx"},
           {"verify", "a.mtx", "--values", "w.npy"},
           {"generate"},
           {"generate", "minij", "-o", out},
           {"generate", "minij", "0", "-o", out},
           {"generate", "minij", "10"},
           {"generate", "no-such-kind", "10", "-o", out},
           {"generate", "minij", "10", "-o", folder / "a.doc"},
           {"generate", "glued-wilkinson", "22", "-o", out},
           {"generate", "random", "10", "-o", out, "--exact", folder / "w.txt"},
           {"generate", "kms", "10", "--rho", "2", "-o", out},
           {"generate", "minij", "10", "--rho", "0.5", "-o", out},
           {"generate", "clement", "10", "--diagonal", "-o", out},
           {"generate", "minij", "10", "--seed", "5", "-o", out},
           {"generate", "random", "10", "--seed", "-1", "-o", out},
           {"generate", "random", "10", "--seed", "18446744073709551616", "-o", out},
           {"generate", "random", "10", "--seed", "1x", "-o", out},
           {"generate", "random", "10", "--scale", "1e308", "-o", out},
           {"generate", "random", "10", "--scale", "1e39", "--type", "s", "-o", out},
           {"generate", "flux-ring", "10", "--scale", "1e39", "--type", "c", "-o", out},
           {"generate", "minij", "10", "--scale", "1e307", "-o", folder / "b.npy", "--exact", out},
           {"info", "--jsno"},
       })
    fail_with(2, arguments);
  CHECK(folder.names().empty());
}

TEST_CASE("a range that there is not ends in 2 and is named, with nothing written") {
  const TemporaryFolder folder;
  succeed({"generate", "minij", "20", "-o", folder / "a.npy"});
  const auto refused = [&](const std::string& option, const std::string& range) {
    CAPTURE(option, range);
    const ProcessResult outcome =
        fail_with(2, {"solve", folder / "a.npy", "-o", folder / "r", option, range});
    CHECK_THAT(outcome.err, ContainsSubstring(option));
    CHECK(folder.names() == std::vector<std::string>{"a.npy"});
  };
  for (const char* range : {"0:3", "5:4", "1:21", "21:21", "3", "1:2:3", "a:b", "1.5:2", "1 :2"})
    refused("--subset-by-index", range);
  for (const char* range : {"1:1", "2:1", "nan:1", "0:nan", "1", "x:", "1:2:3"})
    refused("--subset-by-value", range);
  fail_with(2, {"solve", folder / "a.npy", "--subset-by-index", "1:2", "--subset-by-value", "0:1"});
}

TEST_CASE(
    "several processes of a launcher end in 2 before anything is read or written; a job script solves") {
  const TemporaryFolder folder, results;
  succeed({"generate", "minij", "20", "-o", folder / "a.npy"});
  const std::vector<std::string> solve{"solve", folder / "a.npy", "-q", "-o", results / "r", "--force"};
  const std::vector<Environment> several{{{"OMPI_COMM_WORLD_SIZE", "2"}},
                                         {{"PMI_SIZE", "2"}},
                                         {{"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "2"}}};
  for (const Environment& environment : several) {
    const ProcessResult outcome = eigen_g_command(solve, environment);
    CHECK(outcome.code == 2);
    CHECK(outcome.out.empty());
    // Both builds, without MPI and with it: these processes do not know of each other.
    CHECK_THAT(outcome.err, ContainsSubstring("2 processes") &&
                                ContainsSubstring(environment.rbegin()->first) &&
                                (ContainsSubstring("eigen_g_mpi is not next to this program") ||
                                 ContainsSubstring("this build's MPI does not know of them")));
    CHECK(results.names().empty());
  }
  CHECK(eigen_g_command(solve, {{"OMPI_COMM_WORLD_SIZE", "1"}}).code == 0);
  CHECK(eigen_g_command(solve, {{"SLURM_JOB_ID", "7"}, {"SLURM_NTASKS", "2"}, {"SLURM_PROCID", "0"}}).code ==
        0);
  CHECK(results.names().size() == 2);
}

TEST_CASE("an output named - ends in 2 and makes no file of that name") {
  const TemporaryFolder folder;
  succeed({"generate", "minij", "20", "-o", folder / "a.npy"});
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder / "");
  for (const Arguments& arguments :
       std::vector<Arguments>{{"solve", "a.npy", "-o", "-"},
                              {"solve", "a.npy", "--values-only", "-o", "-"},
                              {"generate", "minij", "20", "-o", "-"},
                              {"generate", "minij", "20", "-o", "b.npy", "--exact", "-"},
                              {"tune", "symv", "-o", "-"},
                              {"calibrate", "--quick", "-o", "-"}}) {
    const ProcessResult outcome = fail_with(2, arguments);
    CHECK_THAT(outcome.err, ContainsSubstring("- is not a file name"));
  }
  std::filesystem::current_path(before);
  CHECK(folder.names() == std::vector<std::string>{"a.npy"});
}

TEST_CASE("a file that cannot be read ends in 3 and is named") {
  const TemporaryFolder folder;
  const std::string missing = folder / "missing.mtx";
  CHECK_THAT(fail_with(3, {"solve", missing}).err, ContainsSubstring(missing));
  CHECK_THAT(fail_with(3, {"solve", folder / "."}).err, ContainsSubstring(folder / ""));
  write_file(folder / "empty.mtx", "");
  CHECK_THAT(fail_with(3, {"solve", folder / "empty.mtx"}).err, ContainsSubstring("empty.mtx"));
}

TEST_CASE("every file of data/invalid ends in 3, named, with nothing written") {
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(EIGEN_G_DATA_DIR "/invalid")) {
    if (!entry.is_regular_file() || entry.path().filename() == "README.md") continue;
    ++files;
    const TemporaryFolder folder;
    const ProcessResult outcome = fail_with(3, {"solve", entry.path(), "-o", folder / "result", "--verify"});
    CHECK_THAT(outcome.err, ContainsSubstring(entry.path().filename().string()));
    CHECK(folder.names().empty());
  }
  CHECK(files > 0);
}

TEST_CASE("an unsymmetric matrix is refused with a hint at the options") {
  const TemporaryFolder folder;
  const std::string path = folder / "lotkin.mtx";
  write_file(path, "%%MatrixMarket matrix array real general\n2 2\n1\n0.5\n1\n0.25\n");
  const std::string message = fail_with(3, {"solve", path}).err;
  CHECK_THAT(message, ContainsSubstring(path));
  CHECK_THAT(message, ContainsSubstring("--symmetrize"));
  CHECK_THAT(message, ContainsSubstring("--uplo"));
}

TEST_CASE("NaN and infinity are refused with row and column of the file") {
  const TemporaryFolder folder;
  const std::string path = folder / "nan.mtx";
  const std::string head = "%%MatrixMarket matrix coordinate real symmetric\n4 4 3\n1 1 1\n4 4 1\n";
  write_file(path, head + "3 2 nan\n");
  CHECK_THAT(fail_with(3, {"solve", path, "-o", folder / "r"}).err,
             ContainsSubstring("(3, 2)") && ContainsSubstring(path));
  write_file(path, head + "4 3 -inf\n");
  CHECK_THAT(fail_with(3, {"solve", path, "-o", folder / "r"}).err,
             ContainsSubstring("(4, 3)") && ContainsSubstring(path));
  CHECK(folder.names() == std::vector<std::string>{"nan.mtx"});
  // verify refuses them too, before it reads the files of the result.
  CHECK_THAT(fail_with(3, {"verify", path, "--values", "none", "--vectors", "none"}).err,
             ContainsSubstring("(4, 3)") && ContainsSubstring(path));
}

TEST_CASE("an output that cannot be written ends in 3 before the work, and stdout counts") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.npy";
  succeed({"generate", "minij", "20", "-o", path});
  CHECK_THAT(fail_with(3, {"solve", path, "-o", folder / "none/result"}).err,
             ContainsSubstring("none/result"));
  CHECK_THAT(fail_with(3, {"solve", path, "--json", folder / "none/r.json"}).err,
             ContainsSubstring("none/r.json"));
  CHECK_THAT(fail_with(3, {"generate", "minij", "20", "-o", folder / "none/a.npy"}).err,
             ContainsSubstring("none/a.npy"));
  const ProcessResult full =
      Process(command_line({"solve", path, "-q"}), {}, Process::Stderr::file, "/dev/full").wait();
  CHECK(full.code == 3);
  CHECK_THAT(full.err, ContainsSubstring("standard output"));
}

TEST_CASE("a result that does not fit its matrix ends in 3") {
  const TemporaryFolder folder;
  succeed({"generate", "minij", "20", "-o", folder / "a.npy"});
  succeed({"generate", "minij", "21", "-o", folder / "b.npy"});
  succeed({"solve", folder / "a.npy", "-q", "-o", folder / "a"});
  succeed({"solve", folder / "b.npy", "-q", "-o", folder / "b"});
  const auto verify = [&](const char* matrix, const char* values, const char* vectors) {
    return fail_with(3,
                     {"verify", folder / matrix, "--values", folder / values, "--vectors", folder / vectors})
        .err;
  };
  CHECK_THAT(verify("a.npy", "a.values.npy", "b.vectors.npy"),
             ContainsSubstring("b.vectors.npy: vectors have 21 rows"));
  CHECK_THAT(verify("a.npy", "b.values.npy", "a.vectors.npy"), ContainsSubstring("b.values.npy: 21 values"));
  CHECK_THAT(verify("a.npy", "a.npy", "a.vectors.npy"), ContainsSubstring("a.npy"));
}

TEST_CASE("wrong eigenpairs end in 4") {
  const TemporaryFolder folder;
  succeed({"generate", "minij", "30", "-o", folder / "a.npy", "--scale", "1.0001"});
  succeed({"generate", "minij", "30", "-o", folder / "b.npy"});
  succeed({"solve", folder / "a.npy", "-q", "-o", folder / "a"});
  const ProcessResult outcome =
      eigen_g_command({"verify", folder / "b.npy", "--values", folder / "a.values.npy", "--vectors",
                       folder / "a.vectors.npy", "-q"});
  CHECK(outcome.code == 4);
  CHECK_THAT(outcome.out, ContainsSubstring("FAILED"));
  CHECK_THAT(outcome.err, ContainsSubstring("b.npy: verification FAILED"));
  CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
}

TEST_CASE("a matrix beyond all memory ends in 5 with the bytes, and leaves nothing") {
  const TemporaryFolder folder;
  const std::string path = folder / "huge.mtx";
  CHECK_THAT(fail_with(5, {"generate", "random", "10000000", "-o", folder / "huge.npy"}).err,
             ContainsSubstring("800000000000000"));
  write_file(path, "%%MatrixMarket matrix coordinate real symmetric\n10000000 10000000 1\n1 1 1\n");
  CHECK_THAT(fail_with(5, {"solve", path, "-o", folder / "result"}).err,
             ContainsSubstring("not enough memory"));
  CHECK(folder.names() == std::vector<std::string>{"huge.mtx"});
}

TEST_CASE("options that a solve on the CPU would ignore are refused") {
  const TemporaryFolder folder;
  succeed({"generate", "minij", "20", "-o", folder / "a.npy"});
  const std::string result = folder / "r";
  CHECK_THAT(fail_with(3, {"solve", folder / "a.npy", "-o", result, "--calibration", folder / "none"}).err,
             ContainsSubstring("none"));
  CHECK_THAT(fail_with(2, {"solve", folder / "a.npy", "-o", result, "--gpus", "64"}).err,
             ContainsSubstring("gpus"));
  CHECK(folder.names() == std::vector<std::string>{"a.npy"});
}

TEST_CASE("options that a solve on the CPU does not use are named, unless -q is given") {
  const TemporaryFolder folder;
  const std::string a = folder / "a.npy";
  succeed({"generate", "identity", "20", "-o", a});  // so small that it is solved on the CPU
  for (const Arguments& b : std::vector<Arguments>{{}, {"--b", a}}) {
    const auto line = [&](const Arguments& options) {
      Arguments all{"solve", a};
      all.insert(all.end(), b.begin(), b.end());
      all.insert(all.end(), options.begin(), options.end());
      return all;
    };
    const std::string words = "eigen_g: the solve is on the CPU, which does not use ";
    const auto told = [&](const Arguments& options) { return succeed(line(options)).err; };
    CHECK(told({"--engine", "native", "--ratio", "auto"}).find(words) == std::string::npos);
    for (const Arguments& option : std::vector<Arguments>{{"--engine", "df"},
                                                          {"--precision", "mixed"},
                                                          {"--ratio", "6:1"},
                                                          {"--multiprocessors", "8"},
                                                          {"--memory-limit", "20G"}}) {
      CHECK_THAT(told(option), ContainsSubstring(words + option[0] + "\n"));
      CHECK(told({option[0], option[1], "-q"}).empty());
    }
    CHECK(told({"--device", "cpu", "--engine", "df"}) == words + "--engine\n");
    CHECK_THAT(told({"--ratio", "6:1", "--engine", "df"}), ContainsSubstring(words + "--engine, --ratio\n"));
    CHECK_THAT(fail_with(2, line({"--device", "cpu", "--ratio", "6:1"})).err,
               ContainsSubstring("ratio: 6:1 must be automatic"));
  }
}

TEST_CASE("a number that must be positive is refused in a few words") {
  const TemporaryFolder folder;
  succeed({"generate", "identity", "5", "-o", folder / "a.npy"});
  for (const Arguments& option : std::vector<Arguments>{
           {"--lowest", "0"}, {"--highest", "-1"}, {"--count", "0"}, {"--max-products", "0"}})
    CHECK_THAT(fail_with(2, {"solve", folder / "a.npy", "--near", "0", option[0] + "=" + option[1]}).err,
               ContainsSubstring(option[0] + ": " + option[1] + " must be greater than 0 (see"));
  CHECK_THAT(fail_with(2, {"predict", "--fp64", "0"}).err,
             ContainsSubstring("--fp64: 0 must be greater than 0"));
  CHECK_THAT(fail_with(2, {"solve", folder / "a.npy", "--lowest", "x"}).err,
             ContainsSubstring("x is not a number"));
}

TEST_CASE("options for reading a file are refused without a file; an order must be the file's") {
  const TemporaryFolder folder;
  for (const Arguments& option : std::vector<Arguments>{{"--uplo", "L"},
                                                        {"--n", "7"},
                                                        {"--input-format", "npy"},
                                                        {"--symmetrize"},
                                                        {"--both-triangles"},
                                                        {"--type", "d"}}) {
    Arguments arguments{"solve", "--grid", "5x5"};
    arguments.insert(arguments.end(), option.begin(), option.end());
    CHECK_THAT(fail_with(2, arguments).err, ContainsSubstring(option[0]));
  }
  for (const std::string name : {"a.npy", "a.mtx"}) {
    const std::string path = folder / name;
    succeed({"generate", "1-2-1", "20", "-o", path});
    for (const Arguments& more : std::vector<Arguments>{{}, {"--lowest", "2"}, {"--b", path}}) {
      Arguments arguments{"solve", path, "-q", "--n", "5"};
      arguments.insert(arguments.end(), more.begin(), more.end());
      CHECK_THAT(fail_with(3, arguments).err, ContainsSubstring(name + ": has order 20; --n says 5"));
      arguments[4] = "20";
      if (more.size() < 2 || more[0] != "--b") succeed(arguments);
    }
  }
}

TEST_CASE("eigenvalues beyond the range of double end in 4, and nothing is written") {
  const TemporaryFolder folder;
  write_file(folder / "a.mtx",
             "%%MatrixMarket matrix array real symmetric\n2 2\n1.7e308\n1.7e308\n1.7e308\n");
  const ProcessResult outcome = eigen_g_command({"solve", folder / "a.mtx", "-o", folder / "r", "-q"});
  CHECK(outcome.code == 4);
  CHECK_THAT(outcome.err, ContainsSubstring("beyond the range of double"));
  CHECK(folder.names() == std::vector<std::string>{"a.mtx"});
}

TEST_CASE("solve --symmetrize reports how far the file was from symmetric") {
  const TemporaryFolder folder;
  write_file(folder / "a.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n0.5\n1\n0.25\n");
  const ProcessResult outcome = succeed({"solve", folder / "a.mtx", "--symmetrize", "-q", "--json", "-"});
  CHECK_THAT(outcome.out, ContainsSubstring("\"asymmetry\": 0.5"));
}

TEST_CASE("solve --device gpu without a GPU ends in 6") {
  if (have_gpu()) SKIP_TEST("there is a GPU");
  const TemporaryFolder folder;
  succeed({"generate", "minij", "20", "-o", folder / "a.npy"});
  fail_with(6, {"solve", folder / "a.npy", "-o", folder / "result", "--device", "gpu"});
  CHECK(folder.names() == std::vector<std::string>{"a.npy"});
}

TEST_CASE("a signal gives exit code 130, leaves no file and keeps existing files") {
  const TemporaryFolder folder, results;
  const std::string path = slow_matrix(folder);
  write_file(results / "result.values.npy", "an earlier result");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    CAPTURE(signal);
    Process process(command_line({"solve", path, "-o", results / "result", "--json", results / "report.json",
                                  "--threads", "1", "--device", "cpu", "--force"}));
    // Three temporary files next to the earlier result: the solve has begun or begins soon.
    REQUIRE(eventually([&] { return results.names().size() == 4 || !process.running(); }));
    process.send(signal);
    const ProcessResult outcome = process.wait();
    CHECK(outcome.code == 130);
    CHECK_THAT(outcome.err, ContainsSubstring("eigen_g: interrupted"));
    CHECK(outcome.out.empty());
    CHECK(results.names() == std::vector<std::string>{"result.values.npy"});
    CHECK(text_of_file(results / "result.values.npy") == "an earlier result");
  }
}

TEST_CASE("interrupted few pairs leave no file and keep existing files") {
  const TemporaryFolder results;
  write_file(results / "r.values.npy", "an earlier result");
  for (const useconds_t microseconds : {0, 20'000, 150'000, 500'000}) {
    CAPTURE(microseconds);
    Process process(command_line({"solve", "--grid", "60x50x40", "--lowest", "30", "--tolerance", "1e-13",
                                  "-o", results / "r", "--json", results / "r.json", "--force", "--device",
                                  "cpu", "--threads", "1"}));
    REQUIRE(eventually([&] { return results.names().size() > 1 || !process.running(); }));
    ::usleep(microseconds);
    process.send(SIGINT);
    CHECK(process.wait().code == 130);
    CHECK(results.names() == std::vector<std::string>{"r.values.npy"});
    CHECK(text_of_file(results / "r.values.npy") == "an earlier result");
  }
}

TEST_CASE("an interrupted command on a terminal wipes its progress line") {
  if (!Process::terminals()) SKIP_TEST("no pseudo-terminals");
  const TemporaryFolder folder, results;
  const std::string path = slow_matrix(folder);
  Process process(
      command_line({"solve", path, "-o", results / "result", "--threads", "1", "--device", "cpu"}),
      {{"TERM", "xterm"}}, Process::Stderr::terminal);
  REQUIRE(eventually([&] { return !results.names().empty() || !process.running(); }));
  ::usleep(600'000);  // the line appears after 0.3 s
  process.send(SIGINT);
  const ProcessResult outcome = process.wait();
  CHECK(outcome.code == 130);
  CHECK_THAT(outcome.err, ContainsSubstring("tridiagonalize"));
  CHECK_THAT(outcome.err, ContainsSubstring("\r\x1b[Keigen_g: interrupted"));
  CHECK(results.names().empty());
}
