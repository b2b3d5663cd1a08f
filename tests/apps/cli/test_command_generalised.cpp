// The command's generalised problems, as a process.
#include <cmath>
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
    CHECK(solved["check"]["passed"] == true);
    CHECK(solved["check"]["condition"] == Approx(9).epsilon(1e-12));
    CHECK(solved["seconds"]["acts"].contains("cholesky"));
    double product = 1;  // of the values: det A / det B, or det A det B; det A = 7, det B = 36
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
    CHECK(checked["check"]["residual"] == solved["check"]["residual"]);
    std::vector<std::string> wrong = verify;
    wrong.insert(wrong.end(), {"--itype", itype == "1" ? "2" : "1"});
    CHECK(eigen_g_command(wrong).code == 4);
  }
  const json part =
      json::parse(succeed({"solve", files.a, "--b", files.b, "--range-index", "2:3", "--json", "-"}).out);
  CHECK(part["values"]["count"] == 2);
  CHECK_THAT(succeed({"solve", files.a, "--b", files.b, "--explain"}).out, ContainsSubstring("Cholesky"));
}

TEST_CASE("solve --b: what is wrong with B is told with its file") {
  const Files files("-1");
  const Outcome outcome = eigen_g_command({"solve", files.a, "--b", files.b, "-o", files.result, "-q"});
  CHECK(outcome.code == 4);
  CHECK_THAT(outcome.err, ContainsSubstring("leading minor of order 6"));
  write_file(files.b, "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n2 2 1\n");
  CHECK_THAT(fail_with(3, {"solve", files.a, "--b", files.b, "-q"}).err, ContainsSubstring("order 2"));
  write_file(files.b, "%%MatrixMarket matrix coordinate real symmetric\n6 6 1\n3 3 nan\n");
  CHECK_THAT(fail_with(3, {"solve", files.a, "--b", files.b, "-q"}).err, ContainsSubstring("b.mtx"));
  fail_with(2, {"solve", files.a, "--itype", "2"});
  fail_with(2, {"solve", files.a, "--b", files.b, "--itype", "4"});
  fail_with(2, {"solve", files.a, "--b", files.b, "--lowest", "2"});
}
