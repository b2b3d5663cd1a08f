// Tests of the command's generalised problems as a process.
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "apps/io/eigenpairs_file.hpp"
#include "tests/support/command.hpp"

using namespace support;
using nlohmann::json;
namespace io = eigen_g::io;

namespace {

// A = tridiag(-1, 2, -1) of order 6 in its lower triangle, B = diag(4, 1, 1, 1, 1, `last`) in its upper one.
struct Files {
  const TemporaryFolder folder;
  const std::string a = folder / "a.mtx", b = folder / "b.mtx", result = folder / "r";
  explicit Files(const std::string& last) {
    std::string text = "%%MatrixMarket matrix coordinate real symmetric\n6 6 11\n";
    for (int i = 1; i <= 6; ++i) text += std::to_string(i) + " " + std::to_string(i) + " 2\n";
    for (int i = 2; i <= 6; ++i) text += std::to_string(i) + " " + std::to_string(i - 1) + " -1\n";
    write_file(a, text);
    write_file(
        b, "%%MatrixMarket matrix coordinate real general\n6 6 6\n1 1 4\n2 2 1\n3 3 1\n4 4 1\n5 5 1\n6 6 " +
               last + "\n");
  }
};

}  // namespace

TEST_CASE("solve --b, verify --b: all types; values against the standard problem's determinant") {
  const Files files("9");
  for (const std::string itype : {"1", "2", "3"}) {
    const json solved = json::parse(succeed({"solve", files.a, "--b", files.b, "--itype", itype, "-o",
                                             files.result, "--verify", "--force", "--json", "-"})
                                        .out);
    CHECK(solved["status"] == "converged");
    CHECK(solved["b"]["file"] == files.b);
    CHECK(solved["itype"] == std::stoi(itype));
    CHECK(solved["verification"]["passed"] == true);
    CHECK(solved["verification"]["condition"] == Approx(9).epsilon(1e-12));
    CHECK(solved["seconds"]["stages"].contains("cholesky"));
    double product = 1;  // product of the eigenvalues: det A / det B, or det A det B; det A = 7, det B = 36
    for (const double w : io::read_values(files.result + ".values.npy")) product *= w;
    CHECK(product == Approx(itype == "1" ? 7.0 / 36 : 7.0 * 36).epsilon(1e-12));

    const std::vector<std::string> verify{"verify",    files.a,
                                          "--b",       files.b,
                                          "--values",  files.result + ".values.npy",
                                          "--vectors", files.result + ".vectors.npy",
                                          "--json",    "-"};
    std::vector<std::string> right = verify;
    right.insert(right.end(), {"--itype", itype});
    const json checked = json::parse(succeed(right).out);
    CHECK(checked["verification"]["residual"] == solved["verification"]["residual"]);
    std::vector<std::string> wrong = verify;
    wrong.insert(wrong.end(), {"--itype", itype == "1" ? "2" : "1"});
    CHECK(eigen_g_command(wrong).code == 4);
  }
  const json part =
      json::parse(succeed({"solve", files.a, "--b", files.b, "--subset-by-index", "2:3", "--json", "-"}).out);
  CHECK(part["values"]["count"] == 2);
  const std::string plan = succeed({"solve", files.a, "--b", files.b, "--predict"}).out;
  for (const char* row : {"Cholesky", "standard form "}) CHECK_THAT(plan, ContainsSubstring(row));
}

TEST_CASE("solve --b: errors in B are reported with its file") {
  const Files files("-1");
  const ProcessResult outcome = eigen_g_command({"solve", files.a, "--b", files.b, "-o", files.result, "-q"});
  CHECK(outcome.code == 4);
  CHECK_THAT(outcome.err, ContainsSubstring("leading minor of order 6"));
  write_file(files.b, "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n2 2 1\n");
  CHECK_THAT(fail_with(3, {"solve", files.a, "--b", files.b, "-q"}).err, ContainsSubstring("order 2"));
  write_file(files.b, "%%MatrixMarket matrix coordinate real symmetric\n6 6 1\n3 3 nan\n");
  CHECK_THAT(fail_with(3, {"solve", files.a, "--b", files.b, "-q"}).err, ContainsSubstring("b.mtx"));
  // The entry is in the triangle that A does not have: its mirror image is not named.
  write_file(files.b, "%%MatrixMarket matrix coordinate real general\n6 6 2\n1 1 1\n2 3 nan\n");
  CHECK_THAT(fail_with(3, {"solve", files.a, "--b", files.b, "-q"}).err,
             ContainsSubstring("b.mtx: entry (2, 3) is NaN"));
  fail_with(2, {"solve", files.a, "--itype", "2"});
  fail_with(2, {"solve", files.a, "--b", files.b, "--itype", "4"});
  fail_with(2, {"solve", files.a, "--b", files.b, "--itype", "2", "--lowest", "2"});
}

TEST_CASE("verify --b: random vectors do not pass, and NaN is named, for any condition of B") {
  const Files files("1e-32");
  std::string values = "%%MatrixMarket matrix array real general\n6 1\n",
              vectors = "%%MatrixMarket matrix array real general\n6 6\n";
  for (int k = 0; k < 6; ++k) values += std::to_string(k) + "\n";
  for (int k = 0; k < 36; ++k) vectors += std::to_string(std::sin(k * k)) + "\n";
  write_file(files.folder / "w.mtx", values);
  write_file(files.folder / "z.mtx", vectors);
  const std::vector<std::string> verify{"verify",    files.a,
                                        "--b",       files.b,
                                        "--values",  files.folder / "w.mtx",
                                        "--vectors", files.folder / "z.mtx"};
  const ProcessResult wrong = eigen_g_command(verify);
  CHECK(wrong.code == 4);
  CHECK_THAT(wrong.out, ContainsSubstring("FAILED"));
  succeed({"solve", files.a, "--b", files.b, "--verify", "-q"});
  write_file(files.b, "%%MatrixMarket matrix coordinate real general\n6 6 2\n1 1 1\n2 3 nan\n");
  CHECK_THAT(fail_with(3, verify).err, ContainsSubstring("b.mtx: entry (2, 3) is NaN"));
  write_file(files.a, "%%MatrixMarket matrix coordinate real symmetric\n6 6 2\n1 1 1\n4 2 inf\n");
  CHECK_THAT(fail_with(3, verify).err, ContainsSubstring("a.mtx: entry (4, 2) is infinite"));
}

TEST_CASE("solve --b: the format of B is independent of A's, its order only the user's") {
  const TemporaryFolder folder;
  std::string text = "6\n";
  for (int i = 1; i <= 6; ++i) text += std::to_string(i) + " 3 1\n";
  for (const std::string name : {"t.dat", "t"}) {
    write_file(folder / name, text);
    const json report =
        json::parse(succeed({"solve", folder / name, "--b", folder / name, "--json", "-"}).out);
    CHECK(report["values"]["lowest"] == Approx(1));
    CHECK(report["values"]["highest"] == Approx(1));
  }
  succeed({"generate", "minij", "6", "-o", folder / "b.raw"});
  std::filesystem::rename(folder / "b.raw", folder / "b");
  succeed({"solve", folder / "b", "--n", "6", "--b", folder / "b", "-q"});
  CHECK_THAT(fail_with(3, {"solve", folder / "t.dat", "--b", folder / "b", "-q"}).err,
             ContainsSubstring("needs --n"));
}

TEST_CASE("solve --b: options of few pairs and a calibration are not ignored") {
  const Files files("9");
  const std::string calibration = files.folder / "cal.json";
  const auto with_b = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"solve", files.a, "--b", files.b});
    return more;
  };
  CHECK_THAT(fail_with(3, with_b({"--calibration", calibration})).err, ContainsSubstring(calibration));
  write_file(calibration, "kept");
  CHECK_THAT(fail_with(2, with_b({"--calibration", calibration, "--json", calibration, "--force"})).err,
             ContainsSubstring("same file"));
  CHECK(text_of_file(calibration) == "kept");
  const std::vector<std::vector<std::string>> of_few{{"--start", "none.npy"}, {"--method", "lanczos"},
                                                     {"--count", "3"},        {"--stencil", "19"},
                                                     {"--keep-unconverged"},  {"--max-products", "9"}};
  for (const std::vector<std::string>& option : of_few)
    CHECK_THAT(fail_with(2, with_b(option)).err, ContainsSubstring(option[0]));
}
