// Tests of the command with float and complex matrices: closed-form spectra, conversions, refusals.
#include <cmath>
#include <complex>
#include <nlohmann/json.hpp>

#include "apps/io/eigenpairs_file.hpp"
#include "tests/support/command.hpp"

using namespace support;
using nlohmann::json;
namespace io = eigen_g::io;

namespace {

std::string made(const TemporaryFolder& folder, const std::vector<std::string>& kind,
                 const std::string& name) {
  std::vector<std::string> line{"generate"};
  line.insert(line.end(), kind.begin(), kind.end());
  line.insert(line.end(), {"-o", folder / name, "--exact", folder / "exact.txt", "--force"});
  succeed(line);
  return folder / name;
}

// max |w - exact| / (n ulp max |exact|)
double error_of(const TemporaryFolder& folder, double ulp) {
  const std::vector<double> w = io::read_values(folder / "r.values.npy"),
                            exact = io::read_values(folder / "exact.txt");
  REQUIRE(w.size() == exact.size());
  double error = 0, largest = 0;
  for (std::size_t k = 0; k < w.size(); ++k) {
    error = std::max(error, std::fabs(w[k] - exact[k]));
    largest = std::max(largest, std::fabs(exact[k]));
  }
  return error / (static_cast<double>(w.size()) * ulp * largest);
}

std::string npy_type(const std::string& path) {
  const std::string text = text_of_file(path), before = "'descr': '";
  const std::size_t begin = text.find(before) + before.size();
  return text.substr(begin, text.find('\'', begin) - begin);
}

constexpr double double_ulp = 0x1p-52, float_ulp = 0x1p-23;

}  // namespace

TEST_CASE("Hermitian families have their spectra, from .npy and Matrix Market, and verify agrees") {
  const TemporaryFolder folder;
  const std::vector<std::vector<std::string>> kinds{
      {"flux-ring", "50", "--flux", "0.7"},
      {"flux-ring", "3", "--flux", "-2", "--beta", "1.5", "--alpha", "3"},
      {"hermitian-kms", "61", "--flux", "2", "--rho", "0.8"},
      {"hofstadter", "9"},
      {"hofstadter", "144", "--alpha", "0.5"},
      {"geometric", "70", "--type", "z", "--cond", "1e4"},
      {"arithmetic", "1", "--type", "z"},
      {"minij", "12", "--type", "z"}};
  for (const auto& kind : kinds)
    for (const std::string name : {"a.npy", "a.mtx"}) {
      CAPTURE(kind.front(), kind[1], name);
      const std::string a = made(folder, kind, name);
      const json report = json::parse(
          succeed({"solve", a, "-o", folder / "r", "--verify", "--force", "--device", "cpu", "--json", "-"})
              .out);
      CHECK(report["matrix"]["type"] == "z");
      CHECK(report["verification"]["passed"] == true);
      CHECK(error_of(folder, double_ulp) <= 10);
      CHECK(npy_type(folder / "r.values.npy") == "<f8");
      CHECK(npy_type(folder / "r.vectors.npy") == "<c16");
      const json verified =
          json::parse(succeed({"verify", a, "--values", folder / "r.values.npy", "--vectors",
                               folder / "r.vectors.npy", "--device", "cpu", "--json", "-"})
                          .out);
      CHECK(verified["verification"]["lapack_residual"] == report["verification"]["lapack_residual"]);
      CHECK(verified["verification"]["reconstruction"] == report["verification"]["reconstruction"]);
    }
}

TEST_CASE("every type of file is solved and written in its type; --type converts") {
  const TemporaryFolder folder;
  struct {
    const char *type, *values, *vectors;
    double ulp;
  } const types[]{{"s", "<f4", "<f4", float_ulp},
                  {"d", "<f8", "<f8", double_ulp},
                  {"c", "<f4", "<c8", float_ulp},
                  {"z", "<f8", "<c16", double_ulp}};
  for (const auto& of_file : types)
    for (const auto& wanted : types) {
      CAPTURE(of_file.type, wanted.type);
      const std::string a = made(folder, {"minij", "40", "--type", of_file.type}, "a.npy");
      CHECK(npy_type(a) == of_file.vectors);
      std::vector<std::string> line{"solve",   a,          "-o",  folder / "r", "--verify",
                                    "--force", "--device", "cpu", "--predict",  "-q"};
      if (wanted.type != of_file.type) line.insert(line.end(), {"--type", wanted.type});
      const ProcessResult outcome = succeed(line);
      CHECK_THAT(outcome.out, ContainsSubstring(std::string("type          ") +
                                                (wanted.vectors[1] == 'c' ? "complex " : "") +
                                                (wanted.ulp == float_ulp ? "float\n" : "double\n")));
      CHECK(npy_type(folder / "r.values.npy") == wanted.values);
      CHECK(npy_type(folder / "r.vectors.npy") == wanted.vectors);
      CHECK(error_of(folder, wanted.ulp) <= 10);
      succeed({"verify", a, "--type", wanted.type, "--values", folder / "r.values.npy", "--vectors",
               folder / "r.vectors.npy", "--device", "cpu", "-q"});
    }
}

TEST_CASE("complex results in every format, and parts of a spectrum") {
  const TemporaryFolder folder;
  const std::string a = made(folder, {"hofstadter", "36"}, "a.mtx");
  for (const std::string format : {"npy", "mtx", "txt"}) {
    CAPTURE(format);
    succeed({"solve", a, "-o", folder / "r", "--format", format, "--subset-by-index", "3:7", "--device",
             "cpu", "-q"});
    const std::string w = folder / ("r.values." + format), z = folder / ("r.vectors." + format);
    CHECK(io::read_values(w).size() == 5);
    CHECK(io::read_vectors<std::complex<double>>(z).cols == 5);
    succeed({"verify", a, "--values", w, "--vectors", z, "--device", "cpu", "-q"});
  }
  CHECK(eigen_g_command({"verify", a, "--type", "z", "--values", folder / "r.values.npy", "--vectors",
                         folder / "r.values.npy", "-q"})
            .code == 3);
}

TEST_CASE("values that do not fit a type are refused") {
  const TemporaryFolder folder;
  const std::string a = made(folder, {"flux-ring", "8"}, "a.npy");
  const ProcessResult imaginary = fail_with(3, {"solve", a, "--type", "d", "-q"});
  CHECK_THAT(imaginary.err,
             ContainsSubstring("entry (2, 1) has an imaginary part; a real matrix is required"));
  write_file(folder / "s.mtx", "%%MatrixMarket matrix coordinate complex symmetric\n2 2 1\n2 1 1 1\n");
  CHECK_THAT(fail_with(3, {"solve", folder / "s.mtx", "-q"}).err,
             ContainsSubstring("s.mtx:3: the entry has an imaginary"));
  write_file(folder / "g.mtx", "%%MatrixMarket matrix array complex general\n2 2\n1 0\n2 3\n2 3\n4 0\n");
  CHECK_THAT(fail_with(3, {"solve", folder / "g.mtx", "-q"}).err,
             ContainsSubstring("is not Hermitian: entry (2, 1)"));
  succeed({"solve", folder / "g.mtx", "--uplo", "L", "-q", "--device", "cpu"});
  succeed({"solve", folder / "g.mtx", "--symmetrize", "-q", "--device", "cpu"});
  write_file(folder / "n.mtx", "%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n2 1 0 nan\n");
  CHECK_THAT(fail_with(3, {"solve", folder / "n.mtx", "-q", "--device", "cpu"}).err,
             ContainsSubstring("entry (2, 1) is NaN"));
  write_file(folder / "l.mtx", "%%MatrixMarket matrix array real general\n1 1\n1e39\n");
  CHECK_THAT(fail_with(3, {"solve", folder / "l.mtx", "--type", "s", "-q"}).err,
             ContainsSubstring("'1e39' is beyond the range of float"));
  write_file(folder / "t.mtx", "%%MatrixMarket matrix array real general\n1 1\n1e-60\n");
  write_file(folder / "one.mtx", "%%MatrixMarket matrix array real general\n1 1\n1\n");
  const std::string tiny = folder / "t.mtx", one = folder / "one.mtx";
  for (const std::vector<std::string>& files : {std::vector{tiny}, std::vector{tiny, std::string("--b"), one},
                                                std::vector{one, std::string("--b"), tiny}}) {
    std::vector<std::string> arguments{"solve", "--type", "s", "-q"};
    arguments.insert(arguments.end(), files.begin(), files.end());
    CHECK_THAT(fail_with(3, arguments).err, ContainsSubstring("is below the range of float"));
  }
  CHECK_THAT(fail_with(3, {"verify", one, "--type", "s", "--values", tiny, "--vectors", one, "-q"}).err,
             ContainsSubstring("element 1, the largest one, is below the range of float"));
  CHECK(eigen_g_command({"solve", a, "--type", "w"}).code == 2);
  CHECK_THAT(fail_with(2, {"solve", folder / "l.mtx", "--lowest", "1", "--type", "d"}).err,
             ContainsSubstring("--type"));
  CHECK(eigen_g_command({"generate", "flux-ring", "8", "--type", "d", "-o", folder / "x.npy"}).code == 2);
  CHECK(eigen_g_command({"generate", "hofstadter", "16", "-o", folder / "x.npy"}).code == 2);
}

TEST_CASE("a complex generalised problem: the type holds both files'") {
  const TemporaryFolder folder;
  const std::string a = made(folder, {"hofstadter", "36"}, "a.mtx");
  const std::string b = made(folder, {"hermitian-kms", "36"}, "b.npy"),
                    real = made(folder, {"kms", "36"}, "real.mtx");
  for (const std::string itype : {"1", "2", "3"})
    for (const std::string& right : {b, real}) {
      const json report = json::parse(succeed({"solve", a, "--b", right, "--itype", itype, "-o", folder / "r",
                                               "--verify", "--force", "--device", "cpu", "--json", "-"})
                                          .out);
      CHECK(report["matrix"]["type"] == "z");
      CHECK(report["verification"]["passed"] == true);
      CHECK(npy_type(folder / "r.vectors.npy") == "<c16");
      succeed({"verify", a, "--b", right, "--itype", itype, "--values", folder / "r.values.npy", "--vectors",
               folder / "r.vectors.npy", "--device", "cpu", "-q"});
    }
  succeed({"solve", a, "--b", b, "--type", "c", "--verify", "--device", "cpu", "-q"});
  CHECK_THAT(fail_with(3, {"solve", a, "--b", b, "--type", "s", "-q"}).err,
             ContainsSubstring("imaginary part"));
}
