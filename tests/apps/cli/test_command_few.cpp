// Tests of the command's few pairs as a process.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "apps/cli/few.hpp"
#include "apps/io/eigenpairs_file.hpp"
#include "tests/support/closed_forms.hpp"
#include "tests/support/command.hpp"

using namespace support;
using nlohmann::json;
namespace io = eigen_g::io;

namespace {

// Coordinate Matrix Market, lower triangle.
std::string written(const TemporaryFolder& folder, const SparseCase& a) {
  std::string text;
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < a.n(); ++i)
    for (std::int64_t p = a.row_offsets[i]; p < a.row_offsets[i + 1]; ++p) {
      if (a.column[p] > i) continue;
      ++count;
      text += std::to_string(i + 1) + " " + std::to_string(a.column[p] + 1) + " " +
              std::to_string(a.value[p]) + "\n";
    }
  const std::string n = std::to_string(a.n());
  write_file(folder / "a.mtx", "%%MatrixMarket matrix coordinate real symmetric\n" + n + " " + n + " " +
                                   std::to_string(count) + "\n" + text);
  return folder / "a.mtx";
}

std::vector<double> values_of(const ProcessResult& outcome) {
  return json::parse(outcome.out)["values"].get<std::vector<double>>();
}

}  // namespace

TEST_CASE("solve --lowest, --highest and --near give the pairs of a file by either method, and write them") {
  const TemporaryFolder folder;
  const SparseCase a = grid({12, 10, 5});
  const std::string file = written(folder, a);
  const std::string method = GENERATE("dense", "lanczos");
  const std::vector<double> lowest = values_of(
      succeed({"solve", file, "--lowest", "4", "--method", method, "--json", "-", "-o", folder / "r"}));
  REQUIRE(lowest.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) CHECK(lowest[i] == Approx(a.values[i]).epsilon(1e-8));
  CHECK(io::read_values(folder / "r.values.npy") == lowest);
  const io::DenseMatrix z = io::read_vectors(folder / "r.vectors.npy");
  CHECK(z.rows == a.n());
  CHECK(z.cols == 4);
  const std::vector<double> highest =
      values_of(succeed({"solve", file, "--highest", "3", "--method", method, "--json", "-", "--start",
                         folder / "r.vectors.npy"}));
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(highest[i] == Approx(a.values[a.values.size() - 3 + i]).epsilon(1e-8));
  const std::vector<double> near =
      values_of(succeed({"solve", file, "--near", "6.01", "--count", "2", "--json", "-"}));
  std::vector<double> nearest = a.values;
  std::sort(nearest.begin(), nearest.end(),
            [](double x, double y) { return std::abs(x - 6.01) < std::abs(y - 6.01); });
  CHECK(near.front() == Approx(std::min(nearest[0], nearest[1])));
}

TEST_CASE("solve --lowest reads a file of a size that is never dense, within its memory") {
  const TemporaryFolder folder;
  constexpr std::int64_t n = 200000;  // 320 GB as a dense matrix
  std::string text = "%%MatrixMarket matrix coordinate real symmetric\n" + std::to_string(n) + " " +
                     std::to_string(n) + " " + std::to_string(n) + "\n";
  for (std::int64_t i = 1; i <= n; ++i)
    text +=
        std::to_string(i) + " " + std::to_string(i) + " " + std::to_string(i <= 3 ? i : 50 + i % 7) + "\n";
  write_file(folder / "a.mtx", text);
  const ProcessResult outcome =
      succeed({"solve", folder / "a.mtx", "--lowest", "3", "--json", "-", "--predict", "--device", "cpu"});
  const json report = json::parse(outcome.out);
  CHECK(report["method"] == "lanczos");
  CHECK(report["matrix"]["nnz"] == n);
  CHECK(report["matrix"]["format"] == "Matrix Market coordinate real symmetric");
  CHECK(report["bytes"]["host"].get<double>() < 1e9);
  const std::vector<double> values = values_of(outcome);
  for (std::size_t i = 0; i < 3; ++i) CHECK(values[i] == Approx(static_cast<double>(i + 1)).epsilon(1e-8));
  CHECK_THAT(outcome.err, ContainsSubstring("products") && ContainsSubstring("GiB") &&
                              ContainsSubstring("200000 by the lanczos method"));
  const ProcessResult far =
      fail_with(2, {"solve", folder / "a.mtx", "--near", "4", "--library", "none", "-q"});
  CHECK_THAT(far.err, ContainsSubstring("dense"));
}

TEST_CASE("few pairs of a file: refused by the words of a solve for all") {
  const std::string data = EIGEN_G_DATA_DIR;
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(data + "/invalid")) {
    const std::string ending = entry.path().extension();
    if (ending != ".mtx" && ending != ".csc" && ending != ".npz") continue;
    CAPTURE(entry.path().string());
    ++files;
    const ProcessResult all = eigen_g_command({"solve", entry.path(), "-q"});
    const ProcessResult few = eigen_g_command({"solve", entry.path(), "--lowest", "1", "-q"});
    CHECK(few.code == all.code);
    CHECK(few.err == all.err);
  }
  CHECK(files > 10);
}

TEST_CASE("few pairs of every kind of sparse file") {
  const std::string data = EIGEN_G_DATA_DIR;
  for (const char* const file : {"/valid/rosser_coo.npz"}) {
    CAPTURE(file);
    const std::vector<double> few =
        values_of(succeed({"solve", data + file, "--lowest", "2", "--json", "-"}));
    const json all = json::parse(succeed({"solve", data + file, "--json", "-"}).out);
    CHECK(few[0] == Approx(all["values"]["all"][0].get<double>()));
    CHECK(few[1] == Approx(all["values"]["all"][1].get<double>()));
  }
}

TEST_CASE("few pairs of a complex file are refused as such, with the number that is not real") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.mtx",
                    head = "%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 1 0\n";
  support::write_file(path, head + "2 1 -0 1\n");
  CHECK(fail_with(3, {"solve", path, "--lowest", "1"}).err ==
        "eigen_g: " + path +
            ":4: the value '-0 1' has an imaginary part; a real matrix is required; --lowest, --highest and "
            "--near solve real matrices only\n");
  support::write_file(path, head + "2 1 -0.5 0\n");  // real numbers in a complex file
  CHECK(values_of(succeed({"solve", path, "--lowest", "1", "--json", "-"})).size() == 1);
}

TEST_CASE("few pairs write no file over another one, and none over their input") {
  const TemporaryFolder folder;
  const std::string file = written(folder, grid({5, 5}));
  succeed({"solve", file, "--lowest", "1", "-o", folder / "r"});
  fail_with(2, {"solve", file, "--lowest", "1", "--start", folder / "r.vectors.npy", "-o", folder / "r"});
  const ProcessResult again = eigen_g_command({"solve", file, "--lowest", "1", "-o", folder / "r"});
  CHECK(again.code != 0);
  succeed({"solve", file, "--lowest", "1", "-o", folder / "r", "--force"});
}

TEST_CASE("solve --grid needs no matrix") {
  const int points = GENERATE(7, 19);
  const ProcessResult outcome = succeed({"solve", "--grid", "12x11x10", "--stencil", std::to_string(points),
                                         "--lowest", "5", "--json", "-", "--method", "lanczos", "--predict"});
  const SparseCase a = box({12, 11, 10}, points);
  const std::vector<double> values = values_of(outcome);
  for (std::size_t i = 0; i < 5; ++i) CHECK(values[i] == Approx(a.values[i]).epsilon(1e-8));
  const json report = json::parse(outcome.out);
  CHECK(report["format"] == "eigen_g-solve_few");
  CHECK(report["status"] == "converged");
  CHECK(report["probe"]["done"] == true);
}

TEST_CASE("unconverged pairs give exit code 4 and residuals, and are written only on request") {
  const TemporaryFolder folder;
  const std::vector<std::string> line{"solve", "--grid",   "30x30x30",  "--lowest",
                                      "5",     "--method", "lanczos",   "--max-products",
                                      "50",    "-o",       folder / "r"};
  const ProcessResult refused = eigen_g_command(line);
  CHECK(refused.code == 4);
  CHECK_THAT(refused.out, ContainsSubstring("not converged"));
  CHECK_THAT(refused.err, ContainsSubstring("no result is written"));
  CHECK(!std::filesystem::exists(folder / "r.values.npy"));
  std::vector<std::string> keeping = line;
  keeping.emplace_back("--keep-unconverged");
  CHECK(eigen_g_command(keeping).code == 4);
  CHECK(io::read_values(folder / "r.values.npy").size() == 5);
}

TEST_CASE("a limit of products gives exit code 4, not a dense solve") {
  const TemporaryFolder folder;
  const std::string file = written(folder, grid({60, 50}));
  const ProcessResult outcome =
      eigen_g_command({"solve", file, "--lowest", "5", "--max-products", "100", "--json", "-"});
  CHECK(outcome.code == 4);
  const json report = json::parse(outcome.out);
  CHECK(report["method"] == "lanczos");
  CHECK(report["status"] == "not_converged");
  CHECK(report["products"].get<int>() <= 100);
}

TEST_CASE("pairs of solve --lowest pass verify, in sparse form, and --verify reports it") {
  const TemporaryFolder folder;
  constexpr std::int64_t n = 200000;  // 320 GB as a dense matrix
  std::string text = "%%MatrixMarket matrix coordinate real symmetric\n" + std::to_string(n) + " " +
                     std::to_string(n) + " " + std::to_string(n) + "\n";
  for (std::int64_t i = 1; i <= n; ++i)
    text +=
        std::to_string(i) + " " + std::to_string(i) + " " + std::to_string(i <= 3 ? i : 50 + i % 7) + "\n";
  write_file(folder / "a.mtx", text);
  const json solve = json::parse(
      succeed({"solve", folder / "a.mtx", "--lowest", "3", "--verify", "-o", folder / "r", "--json", "-"})
          .out);
  CHECK(solve["verification"]["passed"] == true);
  CHECK(solve["verification"]["m"] == 3);
  CHECK(solve["verification"]["reconstruction"].is_null());
  const std::vector<std::string> line{
      "verify",    folder / "a.mtx",         "--values", folder / "r.values.npy",
      "--vectors", folder / "r.vectors.npy", "--json",   "-"};
  const json verified = json::parse(succeed(line).out);
  CHECK(verified["verification"]["passed"] == true);
  CHECK(verified["verification"]["lapack_residual"] == solve["verification"]["lapack_residual"]);
  write_file(folder / "w.txt", "1\n2\n3.1\n");
  std::vector<std::string> wrong = line;
  wrong[3] = folder / "w.txt";
  CHECK(eigen_g_command(wrong).code == 4);
}

TEST_CASE("solve --grid --verify verifies the grid's pairs") {
  const json report = json::parse(succeed({"solve", "--grid", "15x14x13", "--lowest", "5", "--method",
                                           "lanczos", "--verify", "--json", "-"})
                                      .out);
  CHECK(report["verification"]["passed"] == true);
}

TEST_CASE(
    "a large dense solve of a sparse file says its cost and what avoids it; --predict says it on the CPU") {
  const TemporaryFolder folder;
  const std::string file = written(folder, grid({60, 50}));
  const auto begin = std::vector<std::string>{"solve", file, "--device", "cpu", "--values-only"};
  const ProcessResult all = succeed(begin);
  CHECK_THAT(all.err, ContainsSubstring("about") && ContainsSubstring(" s and ") &&
                          ContainsSubstring("GiB") && ContainsSubstring("estimate") &&
                          ContainsSubstring("--lowest"));
  const ProcessResult near =
      succeed({"solve", file, "--device", "cpu", "--near", "3", "--method", "dense", "--values-only"});
  CHECK_THAT(near.err, ContainsSubstring("the dense solver takes about"));
  const ProcessResult small =
      succeed({"solve", written(folder, grid({9, 9})), "--device", "cpu", "--predict"});
  CHECK_THAT(small.out, ContainsSubstring("estimated") && ContainsSubstring("rates measured now"));
  CHECK_THAT(small.err, !ContainsSubstring("--lowest"));
}

TEST_CASE("few pairs: options that exclude each other are wrong usage") {
  const TemporaryFolder folder;
  const std::string file = written(folder, grid({5, 5}));
  fail_with(2, {"solve"});
  fail_with(2, {"solve", file, "--grid", "5x5", "--lowest", "1"});
  fail_with(2, {"solve", "--grid", "5x0", "--lowest", "1"});
  fail_with(2, {"solve", "--grid", "5x", "--lowest", "1"});
  fail_with(2, {"solve", "--grid", "1x2x3x4", "--lowest", "1"});
  fail_with(2, {"solve", file, "--lowest", "26"});
  fail_with(2, {"solve", file, "--lowest", "1", "--highest", "1"});
  fail_with(2, {"solve", file, "--near", "1", "--method", "lanczos"});
  fail_with(2, {"solve", file, "--lowest", "1", "--tolerance", "1e-30"});
  fail_with(2, {"solve", file, "--lowest", "1", "--subset-by-index", "1:2"});
  fail_with(2, {"solve", file, "--lowest", "1", "--path", "two"});
  fail_with(2, {"solve", file, "--lowest", "1", "--ratio", "1:1"});
  fail_with(2, {"solve", file, "--method", "lanczos"});
  fail_with(2, {"solve", file, "--lowest", "1", "--start", ""});
  fail_with(2, {"solve", file, "--grid", ""});
  fail_with(2, {"solve", file, "--lowest", "1", "--count", "3"});
  fail_with(2, {"solve", file, "--lowest", "1", "--stencil", "19"});
  write_file(folder / "v.txt", "1\n");
  fail_with(3, {"solve", file, "--lowest", "1", "--start", folder / "v.txt"});
}
