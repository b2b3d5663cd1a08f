// Tests of the command as a process with unexpected files, descriptors and limits.
#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "apps/io/eigenpairs_file.hpp"
#include "apps/io/hdf5_file.hpp"
#include "hybrid/machine/cpu.hpp"
#include "tests/support/command.hpp"

using namespace support;

namespace {

using Arguments = std::vector<std::string>;
using Json = nlohmann::json;
namespace fs = std::filesystem;

// Runs the command by a shell, which can close descriptors and set limits: "$0" with its arguments "$@".
ProcessResult by_shell(const std::string& script, const Arguments& arguments) {
  Arguments line{"/bin/sh", "-c", script, EIGEN_G_COMMAND};
  line.insert(line.end(), arguments.begin(), arguments.end());
  return Process(line).wait();
}

// A folder with a.npy, a matrix of order 20, and its results r.values.npy and r.vectors.npy.
struct Solved : TemporaryFolder {
  const TemporaryFolder& folder = *this;
  Solved() {
    succeed({"generate", "minij", "20", "-o", folder / "a.npy"});
    succeed({"solve", folder / "a.npy", "-o", folder / "r", "-q"});
  }
};

// Requires exit code 2 and unchanged files.
void refused(const TemporaryFolder& folder, const Arguments& arguments, const std::string& why) {
  const auto contents = [&] {
    std::map<std::string, std::string> texts;
    for (const std::string& name : folder.names())
      texts[name] = fs::is_directory(folder / name) ? "" : text_of_file(folder / name);
    return texts;
  };
  const auto before = contents();
  const ProcessResult outcome = fail_with(2, arguments);
  CHECK_THAT(outcome.err, ContainsSubstring(why));
  CHECK(before == contents());
}

}  // namespace

TEST_CASE("no output replaces an input or another output, with or without --force") {
  const Solved folder;
  fs::create_symlink(folder / "a.npy", folder / "link.npy");
  fs::copy_file(folder / "a.npy", folder / "in.values.npy");
  for (const char* force : {"-q", "--force"}) {
    refused(folder, {"solve", folder / "in.values.npy", "-o", folder / "in", force}, "same file");
    refused(folder, {"solve", folder / "a.npy", "--json", folder / "a.npy", force}, "same file");
    refused(folder, {"solve", folder / "link.npy", "--json", folder / "a.npy", force}, "same file");
    refused(folder, {"solve", folder / "a.npy", "-o", folder / "s", "--json", folder / "s.values.npy", force},
            "same file");
    refused(folder,
            {"verify", folder / "a.npy", "--values", folder / "r.values.npy", "--vectors",
             folder / "r.vectors.npy", "--json", folder / "r.values.npy", force},
            "same file");
    refused(folder, {"generate", "minij", "5", "-o", folder / "g.npy", "--exact", folder / "g.npy", force},
            "same file");
    refused(folder,
            {"generate", "values", "20", "--values", folder / "r.values.npy", "-o", folder / "r.values.npy",
             force},
            "same file");
  }
}

TEST_CASE("only --force replaces an existing result, in every subcommand that writes") {
  const Solved folder;
  const Arguments solve{"solve", folder / "a.npy", "-o", folder / "r", "-q"};
  const Arguments json{"solve", folder / "a.npy", "-q", "--json", folder / "r.values.npy"};
  const Arguments generate{"generate", "minij", "10", "-o", folder / "a.npy"};
  const Arguments exact{"generate", "minij", "10", "-o", folder / "b.npy", "--exact", folder / "a.npy"};
  const Arguments model{"predict", "--fp64", "50000", "--bandwidth", "4000", "--json", folder / "a.npy"};
  const Arguments verify{"verify",    folder / "a.npy",         "--values", folder / "r.values.npy",
                         "--vectors", folder / "r.vectors.npy", "--json",   folder / "kept.json"};
  write_file(folder / "kept.json", "{}");
  const Arguments bench{"bench", "solve", "--json", folder / "kept.json"};
  const Arguments tune{"calibrate", "--quick", "-o", folder / "kept.json"};
  for (const Arguments& line : {solve, json, generate, exact, model, verify, bench, tune})
    refused(folder, line, "exists; --force replaces it");
  for (Arguments line : {solve, verify, model, generate}) {
    line.emplace_back("--force");
    succeed(line);
  }
  CHECK(folder.names().size() == 4);
}

TEST_CASE("an output without a name, or named as a folder, ends in 2") {
  const Solved folder;
  fs::create_directory(folder / "sub");
  refused(folder, {"solve", folder / "a.npy", "-o", ""}, "-o");
  refused(folder, {"solve", folder / "a.npy", "--json", ""}, "--json");
  refused(folder, {"solve", folder / "a.npy", "-o", folder / "sub/"}, "folder");
  refused(folder, {"solve", folder / "a.npy", "--subset-by-index", ""}, "--subset-by-index");
  refused(folder, {"solve", folder / "a.npy", "--subset-by-value", ""}, "--subset-by-value");
  refused(folder, {"solve", folder / "a.npy", "--calibration", ""}, "--calibration");
  refused(folder, {"generate", "minij", "5", "-o", ""}, "-o");
  CHECK(fs::is_empty(folder / "sub"));
}

TEST_CASE("a link to nothing is refused as an output and stays") {
  const Solved folder;
  fs::create_symlink(folder / "nothing", folder / "x.values.npy");
  CHECK_THAT(fail_with(3, {"solve", folder / "a.npy", "-o", folder / "x"}).err,
             ContainsSubstring("link to a file that does not exist"));
  CHECK(fs::is_symlink(folder / "x.values.npy"));
}

TEST_CASE("with stdin, stdout and stderr closed a file has only its own content") {
  const Solved folder;
  for (const char* closing :
       {"exec \"$0\" \"$@\" >&-", "exec \"$0\" \"$@\" <&- >&- 2>&-", "exec \"$0\" \"$@\" <&- 2>&-"}) {
    CAPTURE(closing);
    const ProcessResult outcome = by_shell(closing, {"solve", folder / "a.npy", "-o", folder / "r", "--json",
                                                     folder / "j.json", "--predict", "--force"});
    CHECK(outcome.code == 0);
    const std::string text = text_of_file(folder / "j.json");
    CHECK(nlohmann::json::accept(text));
    CHECK(text_of_file(folder / "r.values.npy").rfind("\x93NUMPY", 0) == 0);
  }
}

TEST_CASE("more threads than processors are limited to them, and that is said") {
  const Solved folder;
  const ProcessResult outcome = succeed({"solve", folder / "a.npy", "--threads", "65536"});
  CHECK_THAT(outcome.err, ContainsSubstring("available cores"));
  CHECK_THAT(outcome.out, ContainsSubstring("threads       " + std::to_string(eigen_g::usable_cores())));
  succeed({"generate", "random", "300", "-o", folder / "b.npy", "--threads", "65536"});
  succeed({"verify", folder / "a.npy", "--values", folder / "r.values.npy", "--vectors",
           folder / "r.vectors.npy", "--threads", "65536"});
  for (const char* threads : {"-1", "0", "65537", "2147483648"})
    refused(folder, {"solve", folder / "a.npy", "--threads", threads}, "--threads");
}

TEST_CASE("a limit of address space ends in 5 with figures that fit, or in a result, never in waiting") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  SKIP_TEST("a sanitizer takes terabytes of address space");
#endif
  const TemporaryFolder folder;
  succeed({"generate", "random", "700", "-o", folder / "a.npy"});
  int started = 0;
  for (int kilobytes = 100'000; kilobytes <= 900'000; kilobytes += 50'000) {
    CAPTURE(kilobytes);
    const TemporaryFolder results;
    const std::string limited =
        "ulimit -v " + std::to_string(kilobytes) + " && exec timeout 60 \"$0\" \"$@\"";
    if (by_shell(limited, {"--version"}).code != 0)
      continue;  // no room for the command's code and its libraries
    ++started;
    const ProcessResult outcome = by_shell(
        limited, {"solve", folder / "a.npy", "-o", results / "r", "--device", "cpu", "--threads", "1"});
    CHECK((outcome.code == 0 || outcome.code == 5));
    if (outcome.code != 5) continue;
    CHECK(results.names().empty());
    CHECK(outcome.out.empty());
    CHECK_THAT(outcome.err, ContainsSubstring("not enough memory"));
    unsigned long long needed = 0, available = 0;
    const auto at = outcome.err.find(": ", outcome.err.find("not enough"));
    if (std::sscanf(outcome.err.c_str() + at, ": %llu bytes needed, %llu available", &needed, &available) ==
        2)
      CHECK(available < needed);
  }
  CHECK(started > 10);
}

TEST_CASE("a file that is cut short while it is read ends in 3, with nothing left") {
  const TemporaryFolder folder, results;
  succeed({"generate", "random", "3000", "-o", folder / "a.npy"});
  // The command is stopped as soon as it has mapped the file and made its outputs. Then the file is truncated.
  Process process(command_line(
      {"solve", folder / "a.npy", "-o", results / "r", "--device", "cpu", "--uplo", "L", "--threads", "1"}));
  bool begun = false;
  for (int i = 0; i < 20000 && !begun && process.running(); ++i) {
    begun = !results.names().empty();
    if (!begun) ::usleep(200);
  }
  process.send(SIGSTOP);
  fs::resize_file(folder / "a.npy", 4096);
  process.send(SIGCONT);
  const ProcessResult outcome = process.wait();
  // If the whole triangle was copied before, there is a result.
  CHECK((outcome.code == 3 || outcome.code == 0));
  if (outcome.code == 3) {
    CHECK_THAT(outcome.err, ContainsSubstring("truncated"));
    CHECK(results.names().empty());
  }
}

TEST_CASE("HDF5 in and out: datasets by name, one file with both results, complete or not written") {
  const TemporaryFolder folder, results;
  const std::string h = folder / "a.h5:/group/H";
  if (eigen_g::io::hdf5_version().empty()) {
    fail_with(2, {"generate", "minij", "20", "-o", h});
    SKIP_TEST("built without HDF5");
  }
  succeed({"generate", "minij", "20", "-o", h, "--exact", folder / "w.h5"});
  succeed({"solve", h, "-o", results / "r.h5", "--verify"});
  CHECK(results.names() == std::vector<std::string>{"r.h5"});
  succeed({"verify", h, "--values", results / "r.h5", "--vectors", results / "r.h5"});
  const ProcessResult told = succeed({"verify", folder / "a.h5", "--values", results / "r.h5:values",
                                      "--vectors", results / "r.h5:/vectors", "--json", "-", "-q"});
  CHECK_THAT(told.out, ContainsSubstring("HDF5 '<f8' in C order"));
  const std::vector<double> all = eigen_g::io::read_values(results / "r.h5"),
                            exact = eigen_g::io::read_values(folder / "w.h5:/values");
  REQUIRE(all.size() == 20);
  for (std::size_t k = 0; k < all.size(); ++k) CHECK(std::abs(all[k] - exact[k]) < 1e-12 * exact.back());

  const Json report = Json::parse(succeed({"solve", h, "-o", results / "part.h5:/run/1", "--subset-by-value",
                                           "0.3:1", "--json", "-", "-q"})
                                      .out);
  CHECK(report["outputs"]["values"] == results / "part.h5:/run/1/values");
  const eigen_g::io::DenseMatrix z = eigen_g::io::read_vectors(results / "part.h5:/run/1/vectors");
  CHECK(z.rows == 20);
  CHECK(z.cols == static_cast<std::int64_t>(eigen_g::io::read_values(results / "part.h5").size()));
  succeed({"solve", h, "-o", results / "w.h5", "--values-only"});
  CHECK_THAT(fail_with(3, {"verify", h, "--values", results / "w.h5", "--vectors", results / "w.h5"}).err,
             ContainsSubstring("/values (20 numbers)"));
  succeed({"solve", h, "--lowest", "3", "--start", results / "r.h5", "-o", results / "few.h5"});
  CHECK(eigen_g::io::read_vectors(results / "few.h5").cols == 3);
  succeed({"generate", "identity", "20", "-o", folder / "b.h5"});
  succeed({"solve", h, "--b", folder / "b.h5", "-o", results / "pencil.h5", "--verify"});
  CHECK(eigen_g::io::read_values(results / "pencil.h5").size() == 20);
  succeed({"generate", "hofstadter", "36", "-o", folder / "c.h5"});
  succeed({"solve", folder / "c.h5", "-o", results / "c.h5", "--verify"});
  CHECK(eigen_g::io::read_vectors<std::complex<double>>(results / "c.h5").rows == 36);

  for (const char* force : {"-q", "--force"}) {
    refused(folder, {"solve", h, "-o", folder / "a.h5", force}, "same file");
    refused(folder, {"solve", folder / "a.h5", "-o", folder / "a.h5:/other", force}, "same file");
    refused(folder, {"solve", folder / "b.h5", "--b", h, "-o", folder / "a.h5", force}, "same file");
    refused(folder,
            {"verify", h, "--values", folder / "w.h5", "--vectors", h, "--json", folder / "w.h5", force},
            "same file");
    refused(folder,
            {"generate", "minij", "5", "-o", folder / "n.h5:/A", "--exact", folder / "n.h5:/w", force},
            "same file");
  }
  refused(results, {"solve", h, "-o", results / "r.h5"}, "exists; --force replaces it");
  refused(results, {"solve", h, "-o", results / "t.h5", "--format", "txt"}, "names an HDF5 file");
  succeed({"solve", h, "-o", results / "r.h5", "--force"});
  CHECK_THAT(fail_with(3, {"solve", folder / "a.h5:/group/K"}).err,
             ContainsSubstring("no dataset /group/K") && ContainsSubstring("/group/H (20 x 20)"));
  CHECK_THAT(fail_with(3, {"solve", folder / "w.h5"}).err, ContainsSubstring("holds no square matrix"));
  const std::size_t before = results.names().size();
  succeed({"generate", "random", "400", "-o", folder / "large.h5"});
  const ProcessResult full = by_shell("ulimit -f 100 && exec \"$0\" \"$@\"",
                                      {"solve", folder / "large.h5", "-o", results / "full.h5"});
  CHECK(full.code == 3);
  CHECK_THAT(full.err, ContainsSubstring("cannot be written: File too large"));
  CHECK(results.names().size() == before);
}

TEST_CASE("HDF5 datasets behind links are inputs of every kind, and their file is never replaced") {
  if (eigen_g::io::hdf5_version().empty()) SKIP_TEST("built without HDF5");
  const TemporaryFolder folder;
  const std::string data = std::string(EIGEN_G_DATA_DIR) + "/hdf5/", linked = folder / "links.h5:/H",
                    behind = folder / "minij_6.h5";
  for (const char* name : {"links.h5", "minij_6.h5"}) fs::copy_file(data + name, folder / name);
  const auto lowest = [](const Arguments& line) { return Json::parse(succeed(line).out)["values"]["all"]; };
  const Json right = lowest({"solve", behind, "-q", "--json", "-"});
  for (const char* name : {":/H", ":/soft", ":/linked/H"})
    CHECK(lowest({"solve", folder / "links.h5" + name, "--verify", "-q", "--json", "-"}) == right);
  succeed({"generate", "identity", "6", "-o", folder / "one.npy"});
  for (const Json& value : lowest({"solve", behind, "--b", linked, "-q", "--json", "-"}))
    CHECK(value.get<double>() == Approx(1));
  succeed({"solve", linked, "--lowest", "2", "--start", linked, "-q"});
  succeed({"solve", behind, "-o", folder / "r", "-q"});
  CHECK(eigen_g_command({"verify", behind, "--values", folder / "r.values.npy", "--vectors", linked}).code ==
        4);
  for (const Arguments& line : std::vector<Arguments>{
           {"solve", linked, "-o", behind},
           {"solve", linked, "--lowest", "1", "-o", behind},
           {"solve", folder / "one.npy", "--b", linked, "-o", behind},
           {"solve", folder / "one.npy", "--lowest", "1", "--start", linked, "-o", behind},
           {"solve", folder / "links.h5:/linked/H", "-o", folder / "r", "--json", behind},
           {"verify", behind, "--values", folder / "r.values.npy", "--vectors", linked, "--json", behind},
           {"verify", folder / "one.npy", "--values", linked, "--vectors", folder / "one.npy", "--json",
            behind}}) {
    Arguments forced = line;
    forced.push_back("--force");
    refused(folder, forced, "same file");
  }
}

TEST_CASE("a limit of file sizes ends in 3, other signals by themselves, with nothing left") {
  const TemporaryFolder folder, results;
  succeed({"generate", "random", "400", "-o", folder / "a.npy"});
  for (const char* format : {"npy", "txt"}) {
    const ProcessResult outcome =
        by_shell("ulimit -f 100 && exec \"$0\" \"$@\"",
                 {"solve", folder / "a.npy", "-o", results / "r", "--format", format});
    CHECK(outcome.code == 3);
    CHECK_THAT(outcome.err, ContainsSubstring("cannot be written"));
    CHECK(results.names().empty());
  }
  succeed({"generate", "random", "3000", "-o", folder / "b.npy"});
  for (const int signal : {SIGQUIT, SIGXCPU, SIGUSR1}) {
    Process process(
        command_line({"solve", folder / "b.npy", "-o", results / "r", "--device", "cpu", "--threads", "1"}));
    for (int i = 0; i < 20000 && results.names().size() < 2 && process.running(); ++i) ::usleep(1000);
    process.send(signal);
    CHECK(process.wait().code == 128 + signal);
    CHECK(results.names().empty());
  }
}

TEST_CASE("matrices and results as CSV and plain text are those of .npy files, in each type") {
  const TemporaryFolder folder;
  for (const char* type : {"s", "d", "c", "z"}) {
    const bool complex = *type == 'c' || *type == 'z';
    for (const char* format : {"csv", "txt"}) {
      const std::string ending = std::string(".") + format, text = folder / "a" + ending;
      for (const std::string& file : {text, folder / "a.npy"})
        succeed({"generate", "random", "9", "--type", type, "-o", file, "--force"});
      const auto report = [&](const std::string& file) {
        return Json::parse(succeed({"solve", file, "--type", type, "-q", "--json", "-", "-o", folder / "r",
                                    "--force", "--format", format, "--verify"})
                               .out);
      };
      const Json of_text = report(text);
      CHECK(of_text["matrix"]["format"] == (complex ? "text, complex" : "text"));
      CHECK(of_text["values"] == report(folder / "a.npy")["values"]);
      CHECK_THAT(succeed({"verify", text, "--type", type, "--values", folder / "r.values" + ending,
                          "--vectors", folder / "r.vectors" + ending})
                     .out,
                 ContainsSubstring("pass\n"));
      const std::string written = text_of_file(folder / "r.vectors" + ending);
      const std::string line = written.substr(0, written.find('\n'));
      CHECK(std::count(line.begin(), line.end(), *format == 'c' ? ',' : ' ') == (complex ? 17 : 8));
      CHECK(line.find(*format == 'c' ? ' ' : ',') == std::string::npos);
    }
  }
  write_file(folder / "no_ending", "# two lines\n2; 1\n1 ;2\n");
  CHECK(Json::parse(succeed({"solve", folder / "no_ending", "-q", "--json", "-"}).out)["values"]["count"] ==
        2);
  fail_with(2, {"solve", folder / "no_ending", "-o", folder / "x.h5", "--format", "csv"});
}
