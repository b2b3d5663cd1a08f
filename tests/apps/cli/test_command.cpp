// Tests of the command as a process: its results, files and output when it succeeds.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>

#include "apps/io/eigenpairs_file.hpp"
#include "hybrid/machine/device.hpp"
#include "solver/api/eigen_g.hpp"
#include "tests/support/command.hpp"

using namespace support;
using nlohmann::json;
using Arguments = std::vector<std::string>;
namespace io = eigen_g::io;

namespace {

std::string made(const TemporaryFolder& folder, const std::string& kind, int n,
                 const std::string& name = "a.npy") {
  succeed({"generate", kind, std::to_string(n), "-o", folder / name, "--exact", folder / "exact.txt"});
  return folder / name;
}

// A 2 x 2 matrix that is not symmetric: 1 2; 0 1.
std::string unsymmetric(const TemporaryFolder& folder) {
  write_file(folder / "u.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n0\n2\n1\n");
  return folder / "u.mtx";
}

std::vector<double> values_of(const ProcessResult& outcome) {
  return json::parse(outcome.out)["values"]["all"].get<std::vector<double>>();
}

bool has_control_bytes(const std::string& text) {
  return text.find_first_of("\r\x1b") != std::string::npos;
}

}  // namespace

TEST_CASE("solve --verify writes verified eigenpairs of a known spectrum, and verify agrees") {
  const TemporaryFolder folder;
  const int n = GENERATE(1, 2, 3, 65, 300);
  const std::string path = made(folder, "minij", n);
  const ProcessResult solve = succeed({"solve", path, "-o", folder / "r", "--verify"});
  CHECK_THAT(solve.out, ContainsSubstring("verification                pass"));

  const std::vector<double> w = io::read_values(folder / "r.values.npy"),
                            exact = io::read_values(folder / "exact.txt");
  const io::DenseMatrix z = io::read_vectors(folder / "r.vectors.npy");
  REQUIRE(w.size() == static_cast<std::size_t>(n));
  REQUIRE(exact.size() == w.size());
  CHECK(z.rows == n);
  CHECK(z.cols == n);
  // LAPACK's dsyev has errors of up to 5 of these units, if n = 3.
  for (std::size_t k = 0; k < w.size(); ++k)
    CHECK(std::fabs(w[k] - exact[k]) <= (n + 2) * 0x1p-52 * exact.back());

  const ProcessResult verify =
      succeed({"verify", path, "--values", folder / "r.values.npy", "--vectors", folder / "r.vectors.npy"});
  for (const char* figure : {"machine.EPS ", "|AZ-ZW|_F ", "|A-ZWZ^t|/(N|A|) ", "|Z^tZ-I|/(N) ",
                             "LAPACK residual ratio ", "LAPACK orthogonality ratio ", "worst pair "}) {
    CHECK_THAT(solve.out, ContainsSubstring(figure));
    CHECK_THAT(verify.out, ContainsSubstring(figure));
  }
}

TEST_CASE("an empty matrix has an empty result") {
  const TemporaryFolder folder;
  write_file(folder / "a.mtx", "%%MatrixMarket matrix coordinate real symmetric\n0 0 0\n");
  const ProcessResult solve = succeed({"solve", folder / "a.mtx", "-o", folder / "r", "--verify"});
  CHECK_THAT(solve.out, ContainsSubstring("eigenvalues   0"));
  CHECK(io::read_values(folder / "r.values.npy").empty());
  succeed({"verify", folder / "a.mtx", "--values", folder / "r.values.npy", "--vectors",
           folder / "r.vectors.npy"});
}

TEST_CASE("vectors.npy is in Fortran order") {
  const TemporaryFolder folder;
  succeed({"solve", made(folder, "minij", 10), "-o", folder / "r"});
  CHECK_THAT(text_of_file(folder / "r.vectors.npy").substr(0, 128),
             ContainsSubstring("'fortran_order': True"));
}

TEST_CASE("every result format can be verified") {
  const TemporaryFolder folder;
  const std::string path = made(folder, "kms", 33, "a.mtx");
  const std::string format = GENERATE("npy", "mtx", "txt");
  succeed({"solve", path, "-o", folder / "r", "--format", format});
  const std::string w = folder / ("r.values." + format), z = folder / ("r.vectors." + format);
  succeed({"verify", path, "--values", w, "--vectors", z});
}

TEST_CASE("verify accepts fewer vectors than n") {
  const TemporaryFolder folder;
  const std::string path = made(folder, "minij", 12);
  succeed({"solve", path, "-o", folder / "r", "--format", "txt"});
  const std::vector<double> w = io::read_values(folder / "r.values.txt");
  const io::DenseMatrix z = io::read_vectors(folder / "r.vectors.txt");
  std::ostringstream values, vectors;
  values.precision(17);
  vectors.precision(17);
  for (int k = 4; k < 7; ++k) values << w[static_cast<std::size_t>(k)] << '\n';
  for (int i = 0; i < 12; ++i, vectors << '\n')
    for (int k = 4; k < 7; ++k) vectors << z.data[i + k * z.ld] << ' ';
  write_file(folder / "w.txt", values.str());
  write_file(folder / "z.txt", vectors.str());
  const ProcessResult outcome = succeed(
      {"verify", path, "--values", folder / "w.txt", "--vectors", folder / "z.txt", "-q", "--json", "-"});
  const json report = json::parse(outcome.out);
  CHECK(report["verification"]["m"] == 3);
  CHECK(report["verification"]["reconstruction"].is_null());
  CHECK(report["verification"]["passed"] == true);
}

TEST_CASE("solve --engine accepts the engines' names, and the report names the engines that ran") {
  const support::TemporaryFolder folder;
  const std::string path = made(folder, "minij", 30);
  for (const char* engine : {"native", "df", "emulated", "ozaki", "ozaki-fast", "ozaki-fp8", "auto"}) {
    const auto report =
        json::parse(succeed({"solve", path, "-q", "--device", "cpu", "--engine", engine, "--json", "-"}).out);
    CHECK(report["engine"] == "native");  // a CPU has only native products
  }
  fail_with(2, {"solve", path, "--engine", "double"});
  const json mixed = json::parse(
      succeed({"solve", path, "-q", "--device", "cpu", "--precision", "mixed", "--json", "-"}).out);
  CHECK(mixed["refinement"]["result"] == "out_of_scope");
  fail_with(2, {"solve", path, "--precision", "half"});
}

TEST_CASE("solve --values-only writes only the values, with the same bits") {
  const TemporaryFolder folder, results;
  const std::string path = made(folder, "clement", 50);
  succeed({"solve", path, "-o", results / "r", "--values-only"});
  CHECK(results.names() == std::vector<std::string>{"r.values.npy"});
  succeed({"solve", path, "-o", folder / "all"});
  const std::vector<double> alone = io::read_values(results / "r.values.npy"),
                            all = io::read_values(folder / "all.values.npy");
  REQUIRE(alone.size() == all.size());
  for (std::size_t k = 0; k < all.size(); ++k) CHECK(std::fabs(alone[k] - all[k]) <= 50 * 50 * 0x1p-52);
}

TEST_CASE("solve --subset-by-index and --subset-by-value: n x m results that verify accepts") {
  const TemporaryFolder folder;
  const std::string path = made(folder, "clement", 90);
  const std::vector<double> all = values_of(succeed({"solve", path, "-q", "--json", "-"}));
  const std::string format = GENERATE("npy", "mtx", "txt");
  const auto check = [&](const std::vector<std::string>& range, std::size_t first, std::size_t count) {
    CAPTURE(range.front(), range.back(), format);
    std::vector<std::string> arguments{"solve",      path,       "--verify", "-o",
                                       folder / "r", "--format", format,     "--force"};
    arguments.insert(arguments.end(), range.begin(), range.end());
    arguments.insert(arguments.end(), {"-q", "--json", "-"});
    const json report = json::parse(succeed(arguments).out);
    const std::vector<double> expected(all.begin() + static_cast<std::ptrdiff_t>(first),
                                       all.begin() + static_cast<std::ptrdiff_t>(first + count));
    CHECK(report["values"]["all"].get<std::vector<double>>() == expected);
    CHECK(report["values"]["count"] == count);
    CHECK(report["values"]["first_index"] == first);
    CHECK(report["vectors"] == count);
    CHECK(report["verification"]["m"] == count);
    if (count == 0) return;
    CHECK(io::read_values(folder / ("r.values." + format)) == expected);
    const io::DenseMatrix z = io::read_vectors(folder / ("r.vectors." + format));
    CHECK(z.rows == 90);
    CHECK(z.cols == static_cast<std::int64_t>(count));
    succeed({"verify", path, "--values", folder / ("r.values." + format), "--vectors",
             folder / ("r.vectors." + format)});
  };
  check({"--subset-by-index", "11:20"}, 10, 10);
  check({"--subset-by-index", ":3"}, 0, 3);
  check({"--subset-by-index", "90:"}, 89, 1);
  check({"--subset-by-value", "-10:10"},
        static_cast<std::size_t>(std::upper_bound(all.begin(), all.end(), -10.0) - all.begin()),
        static_cast<std::size_t>(std::upper_bound(all.begin(), all.end(), 10.0) -
                                 std::upper_bound(all.begin(), all.end(), -10.0)));
  check({"--subset-by-value", "1e6:"}, 90, 0);
  const ProcessResult table = succeed({"solve", path, "--subset-by-index", "11:20"});
  CHECK_THAT(table.out, ContainsSubstring("10 of 90, indices 11 to 20"));
}

TEST_CASE("without -o nothing is written") {
  const TemporaryFolder folder;
  const std::string path = made(folder, "minij", 20);
  const std::size_t before = folder.names().size();
  CHECK_THAT(succeed({"solve", path}).out, ContainsSubstring("eigenvalues   20"));
  CHECK(folder.names().size() == before);
}

TEST_CASE("solve prints the first and the last eigenvalues, and with --print all of them") {
  const TemporaryFolder folder;
  const std::string path = made(folder, "clement", 31);
  // Indices, from 1, of the values in a table; 0 stands for the gap.
  const auto printed = [&](Arguments line) {
    line.insert(line.begin(), {"solve", path});
    std::istringstream table(succeed(line).out);
    std::vector<int> indices;
    for (std::string row; std::getline(table, row);) {
      std::istringstream words(row);
      int index = 0;
      double value = 0;
      std::string more;
      if (words >> index >> value && !(words >> more)) {
        CHECK(value == Approx(2.0 * (index - 1) - 30).margin(1e-12));
        indices.push_back(index);
      }
      if (row.find(" ...") != std::string::npos) indices.push_back(0);
    }
    return indices;
  };
  CHECK(printed({}) == std::vector<int>{1, 2, 3, 4, 5, 0, 27, 28, 29, 30, 31});
  std::vector<int> all(31);
  std::iota(all.begin(), all.end(), 1);
  CHECK(printed({"--print"}) == all);
  CHECK(printed({"--subset-by-index", "3:13"}) == std::vector<int>(all.begin() + 2, all.begin() + 13));
  CHECK(printed({"--subset-by-index", "3:14"}) == std::vector<int>{3, 4, 5, 6, 7, 0, 10, 11, 12, 13, 14});
  std::string identity;
  for (int i = 0; i < 31; ++i)
    for (int j = 0; j < 31; ++j) identity += (i == j ? "1" : "0") + std::string(j < 30 ? "," : "\n");
  write_file(folder / "b.csv", identity);
  CHECK(printed({"--b", folder / "b.csv", "--print"}) == all);
}

TEST_CASE("solve --plot writes a picture that is well-formed XML, and only after a good solve") {
  const TemporaryFolder folder;
  const std::string path = made(folder, "minij", 120);
  for (const Arguments& more :
       std::vector<Arguments>{{}, {"--subset-by-index", "7:9"}, {"--b", path}, {"--values-only"}}) {
    Arguments line{"solve", path, "--plot", folder / "p & q.svg", "--force"};
    line.insert(line.end(), more.begin(), more.end());
    succeed(line);
    const std::string svg = text_of_file(folder / "p & q.svg");
    CHECK_THAT(svg, Catch::Matchers::StartsWith("<svg ") && Catch::Matchers::EndsWith("</svg>\n") &&
                        ContainsSubstring("divide and conquer") && ContainsSubstring("Density of states"));
    CHECK(svg.find("nan") == std::string::npos);
    CHECK(svg.find("inf") == std::string::npos);
    // Every tag closes, and no text holds a bare & or <.
    std::vector<std::string> open;
    for (std::size_t at = svg.find('<'); at != std::string::npos; at = svg.find('<', at + 1)) {
      const std::size_t end = svg.find('>', at);
      REQUIRE(end < svg.find('<', at + 1));
      const std::string tag = svg.substr(at + 1, end - at - 1);
      if (tag.front() == '/') {
        REQUIRE(!open.empty());
        CHECK(tag.substr(1) == open.back());
        open.pop_back();
      } else if (tag.back() != '/') {
        open.push_back(tag.substr(0, tag.find(' ')));
      }
    }
    CHECK(open.empty());
  }
  const std::string before = text_of_file(folder / "p & q.svg");
  fail_with(2, {"solve", path, "--plot", folder / "p & q.svg"});
  CHECK(text_of_file(folder / "p & q.svg") == before);
  CHECK_THAT(fail_with(2, {"solve", path, "--plot", folder / "p.png"}).err,
             ContainsSubstring("must end in .svg; eigen_g.plot in Python makes .png"));
  write_file(folder / "bad.csv", "1,2\n2,nan\n");
  fail_with(3, {"solve", folder / "bad.csv", "--plot", folder / "bad.svg"});
  write_file(folder / "one.csv", "7\n");
  succeed({"solve", folder / "one.csv", "--input-format", "csv", "--plot", folder / "one.svg"});
  for (const Arguments& more : std::vector<Arguments>{{"--lowest", "2"}}) {
    Arguments line{"solve", path, "--plot", folder / "x.svg"};
    line.insert(line.end(), more.begin(), more.end());
    CHECK_THAT(fail_with(2, line).err, ContainsSubstring("--plot"));
  }
  CHECK(!std::filesystem::exists(folder / "bad.svg"));
}

TEST_CASE("solve --uplo and --symmetrize choose the matrix of an unsymmetric file") {
  const TemporaryFolder folder;
  const std::string path = unsymmetric(folder);
  const auto values = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments{"solve", path, "-q", "--json", "-"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return values_of(succeed(arguments));
  };
  const auto are = [](const std::vector<double>& w, double first, double second) {
    REQUIRE(w.size() == 2);
    CHECK(std::fabs(w[0] - first) < 1e-14);
    CHECK(std::fabs(w[1] - second) < 1e-14);
  };
  are(values({"--uplo", "L"}), 1, 1);
  are(values({"--uplo", "u"}), -1, 3);
  are(values({"--symmetrize"}), 0, 2);
}

TEST_CASE("data is written to stdout, messages to stderr, and progress only to a terminal") {
  const TemporaryFolder folder;
  const std::string path = made(folder, "minij", 40);
  const ProcessResult plain = succeed({"solve", path});
  CHECK_THAT(plain.out, ContainsSubstring("eigenvalues   40"));
  const bool choice = !eigen_g::cuda_toolkit_version().empty();  // a build for the CPU has none
  CHECK((plain.err.find("--device auto used") == 0 + std::string("eigen_g: ").size()) == choice);
  CHECK(std::count(plain.err.begin(), plain.err.end(), '\n') == (choice ? 1 : 0));
  CHECK_FALSE(has_control_bytes(plain.out + plain.err));
  CHECK(succeed({"solve", path, "--device", "cpu"}).err.empty());
  CHECK(succeed({"solve", path, "-q"}).err.empty());

  const ProcessResult as_json = succeed({"solve", path, "--device", "cpu", "--json", "-"});
  CHECK(json::parse(as_json.out)["matrix"]["n"] == 40);
  CHECK_THAT(as_json.err, ContainsSubstring("eigenvalues   40"));
  CHECK(succeed({"solve", path, "-q", "--json", "-"}).err.empty());

  const ProcessResult to_file = succeed({"solve", path, "-q", "--json", folder / "report.json"});
  CHECK_THAT(to_file.out, ContainsSubstring("eigenvalues   40"));
  CHECK(json::parse(text_of_file(folder / "report.json"))["format"] == "eigen_g-solve");
}

TEST_CASE("the JSON report describes the solve") {
  const TemporaryFolder folder;
  const std::string path = made(folder, "minij", 25);
  const json d = json::parse(succeed({"solve", path, "-o", folder / "r", "--verify", "--threads", "1",
                                      "--device", "cpu", "-q", "--json", "-"})
                                 .out);
  CHECK(d["format"] == "eigen_g-solve");
  CHECK(d["version"] == 2);
  CHECK(d["eigen_g"] == eigen_g::version());
  CHECK(d["matrix"]["file"] == path);
  CHECK(d["threads"] == 1);
  CHECK(d["devices"].size() == 1);
  CHECK(d["outputs"]["values"] == folder / "r.values.npy");
  CHECK(d["outputs"]["vectors"] == folder / "r.vectors.npy");
  CHECK(d["values"]["all"].get<std::vector<double>>() == io::read_values(folder / "r.values.npy"));
  CHECK(d["verification"]["passed"] == true);
  const auto seconds = [&](const char* name) { return d["seconds"][name].get<double>(); };
  CHECK(seconds("read") + seconds("solve") + seconds("verify") + seconds("write") <= seconds("total"));
}

TEST_CASE("on a terminal there is a progress line, which is wiped; NO_COLOR, TERM and -q are heeded") {
  if (!Process::terminals()) SKIP_TEST("no pseudo-terminals");
  const TemporaryFolder folder;
  const std::string path = folder / "slow.npy";
  succeed({"generate", "random", "2000", "-o", path});
  const auto on_terminal = [&](const Environment& environment, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = command_line({"solve", path, "--device", "cpu", "--threads", "1"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProcessResult outcome = Process(arguments, environment, Process::Stderr::terminal).wait();
    CHECK(outcome.code == 0);
    CHECK_FALSE(has_control_bytes(outcome.out));
    return outcome.err;
  };
  const std::string colour = "\x1b[36m", wipe = "\r\x1b[K";

  const std::string shown = on_terminal({{"TERM", "xterm"}, {"NO_COLOR", ""}, {"LC_ALL", "C"}});
  // The speed of the machine decides which one: the line appears after 0.3 s.
  const auto names_a_stage = [](const std::string& text) {
    for (const char* stage : {"tridiagonalize", "divide and conquer", "back transform"})
      if (text.find(stage) != std::string::npos) return true;
    return false;
  };
  CHECK(names_a_stage(shown));
  CHECK_THAT(shown, ContainsSubstring(colour) && ContainsSubstring("#"));
  REQUIRE(shown.size() > wipe.size());
  CHECK(shown.substr(shown.size() - wipe.size()) == wipe);

  const std::string plain = on_terminal({{"TERM", "xterm"}, {"NO_COLOR", "1"}, {"LC_ALL", "C.UTF-8"}});
  CHECK(names_a_stage(plain));
  CHECK_THAT(plain, ContainsSubstring("━"));
  CHECK(plain.find(colour) == std::string::npos);

  CHECK(on_terminal({{"TERM", "dumb"}}).empty());
  CHECK(on_terminal({{"TERM", "xterm"}}, {"-q"}).empty());
}

TEST_CASE("--help and --version write to stdout, exit code 0") {
  const ProcessResult help = succeed({"--help"});
  CHECK(help.err.empty());
  CHECK(help.out.find("Examples:") < help.out.find("Usage:"));
  for (const char* text : {"Exit codes:", "  130  ", "solve", "verify", "generate", "info"})
    CHECK_THAT(help.out, ContainsSubstring(text));
  for (const char* command : {"solve", "verify", "generate", "info"}) {
    const ProcessResult outcome = succeed({command, "--help"});
    CHECK_THAT(outcome.out, ContainsSubstring("Examples:") && ContainsSubstring("Exit codes:"));
  }
  CHECK(succeed({"tune"}).out == succeed({"tune", "--help"}).out);
  CHECK(succeed({"--version"}).out == std::string("eigen_g ") + eigen_g::version() + "\n");
}

TEST_CASE("the example with jq in the help names a list of every eigenvalue") {
  const TemporaryFolder folder;
  const std::string path = made(folder, "minij", 7), help = succeed({"solve", "--help"}).out;
  const std::size_t at = help.find("jq .");
  REQUIRE(at != std::string::npos);
  std::istringstream names(help.substr(at + 4, help.find(' ', at + 4) - at - 4));
  json found = json::parse(succeed({"solve", path, "-q", "--json", "-"}).out);
  for (std::string name; std::getline(names, name, '.');) found = json(found.at(name));
  REQUIRE(found.is_array());
  CHECK(found.size() == 7);
}

TEST_CASE("info lists devices and libraries") {
  const json d = json::parse(succeed({"info", "--json"}).out);
  CHECK(d["format"] == "eigen_g-info");
  CHECK(d["version"] == 2);
  CHECK(d["eigen_g"] == eigen_g::version());
  REQUIRE(d["devices"].size() >= 1);
  CHECK(d["devices"][0]["kind"] == "cpu");
  CHECK(d["devices"][0]["memory_total"].get<double>() > 0);
  CHECK((d["devices"].size() > 1) == have_gpu());
  CHECK_THAT(d["libraries"]["OpenBLAS"].get<std::string>(), ContainsSubstring("OpenBLAS"));
  const ProcessResult on_stdout = succeed({"info", "--json", "-"});
  CHECK(json::parse(on_stdout.out)["format"] == "eigen_g-info");
  CHECK_THAT(on_stdout.err, ContainsSubstring(eigen_g::version()));
  CHECK(succeed({"info", "--json", "-", "-q"}).err.empty());
  const TemporaryFolder folder;
  CHECK_THAT(succeed({"info", "--json", folder / "i.json"}).out, ContainsSubstring(eigen_g::version()));
  CHECK(json::parse(text_of_file(folder / "i.json"))["format"] == "eigen_g-info");
  CHECK_THAT(fail_with(2, {"info", "--json", folder / "i.json"}).err,
             ContainsSubstring("--force replaces it"));
  const std::string table = succeed({"info"}).out;
  CHECK_THAT(table, ContainsSubstring(d["devices"][0]["name"].get<std::string>()));
  CHECK_THAT(table, ContainsSubstring(eigen_g::version()));
}

TEST_CASE("generate: a solve of every kind in the list has the exact spectrum") {
  std::istringstream list(succeed({"generate", "--list"}).out);
  int kinds = 0;
  for (std::string line; std::getline(list, line); ++kinds) {
    CAPTURE(line);
    const TemporaryFolder folder;
    const std::string kind = line.substr(0, line.find(' '));
    const int n = kind == "glued-wilkinson" ? 63
                  : kind == "poisson2d"     ? 49
                  : kind == "stencil19"     ? 64
                  : kind == "hueckel-c60"   ? 60
                  : kind == "hofstadter"    ? 36
                                            : 48;
    std::vector<std::string> arguments{"generate", kind, std::to_string(n), "-o", folder / "a.npy"};
    const bool known = line.find("spectrum known") != std::string::npos;
    if (known) arguments.insert(arguments.end(), {"--exact", folder / "w.npy"});
    if (kind == "values") {
      std::string numbers;
      for (int i = 0; i < n; ++i) numbers += std::to_string(i * i) + "\n";
      write_file(folder / "v.txt", numbers);
      arguments.insert(arguments.end(), {"--values", folder / "v.txt"});
    }
    succeed(arguments);
    const json d = json::parse(succeed({"solve", folder / "a.npy", "--verify", "-q", "--json", "-"}).out);
    CHECK(d["verification"]["passed"] == true);
    if (!known) continue;
    const auto w = d["values"]["all"].get<std::vector<double>>();
    const std::vector<double> exact = io::read_values(folder / "w.npy");
    REQUIRE(exact.size() == w.size());
    for (std::size_t k = 0; k < w.size(); ++k)
      CHECK(std::fabs(w[k] - exact[k]) <= n * 0x1p-51 * d["verification"]["norm_one"].get<double>());
  }
  CHECK(kinds > 10);
}

TEST_CASE("generate: the same seed gives the same file, another seed another") {
  const TemporaryFolder folder;
  const auto bytes = [&](const char* seed, const char* name) {
    succeed({"generate", "random", "30", "--seed", seed, "-o", folder / name});
    return text_of_file(folder / name);
  };
  const std::string first = bytes("7", "a.npy");
  CHECK(first == bytes("7", "b.npy"));
  CHECK(first != bytes("8", "c.npy"));
}

TEST_CASE("generate: options change the matrix as they say, negative numbers included") {
  const TemporaryFolder folder;
  const auto values = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "generate");
    arguments.insert(arguments.end(), {"-o", folder / "a.npy", "--force"});
    succeed(arguments);
    return values_of(succeed({"solve", folder / "a.npy", "-q", "--json", "-"}));
  };
  const std::vector<double> w = values({"minij", "9"}), scaled = values({"minij", "9", "--scale", "-2"});
  for (std::size_t k = 0; k < 9; ++k) CHECK(std::fabs(scaled[k] + 2 * w[8 - k]) < 1e-12);
  const std::vector<double> ring = values({"hueckel-ring", "6", "--alpha", "-11.5", "--beta", "-2.5"});
  CHECK(std::fabs(ring.front() - (-11.5 - 5)) < 1e-13);
  CHECK(std::fabs(ring.back() - (-11.5 + 5)) < 1e-13);
  const std::vector<double> graded = values({"geometric", "9", "--cond", "1e4", "--diagonal"});
  CHECK(std::fabs(graded.front() - 1e-4) < 1e-18);
  CHECK(graded.back() == 1);
}

TEST_CASE("generate: .mtx, .npy and .raw hold the same matrix") {
  const TemporaryFolder folder;
  std::vector<double> expected;
  for (const char* name : {"a.npy", "a.mtx", "a.raw", "a.bin"}) {
    CAPTURE(name);
    succeed({"generate", "random", "24", "-o", folder / name});
    const std::vector<double> w =
        values_of(succeed({"solve", folder / name, "--device", "cpu", "-q", "--json", "-"}));
    if (expected.empty()) expected = w;
    CHECK(w == expected);
  }
  CHECK(values_of(succeed(
            {"solve", folder / "a.raw", "--n", "24", "-q", "--device", "cpu", "--json", "-"})) == expected);
}

TEST_CASE("two solves give the same bits") {
  const TemporaryFolder folder;
  succeed({"generate", "random", "150", "-o", folder / "a.npy"});
  for (const char* prefix : {"x", "y"}) succeed({"solve", folder / "a.npy", "-q", "-o", folder / prefix});
  CHECK(text_of_file(folder / "x.vectors.npy") == text_of_file(folder / "y.vectors.npy"));
  CHECK(text_of_file(folder / "x.values.npy") == text_of_file(folder / "y.values.npy"));
}
