// Tests of the command with stacks: solve and verify of arrays (..., n, n).
#include <cmath>
#include <complex>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "apps/io/hdf5_file.hpp"
#include "apps/io/npy.hpp"
#include "apps/io/stack_file.hpp"
#include "solver/api/eigen_g.hpp"
#include "tests/support/command.hpp"

using namespace support;
using nlohmann::json;
namespace io = eigen_g::io;
using eigen_g::is_complex;
using eigen_g::real_t;

namespace {

constexpr std::int64_t n = 7, count = 6;  // leading dimensions 2 x 3

// Entry (i, j) of matrix k.
template <class T>
T entry(std::int64_t k, std::int64_t i, std::int64_t j) {
  const std::int64_t low = std::max(i, j), high = std::min(i, j);
  const auto angle = static_cast<double>(31 * k + 7 * low + 3 * high);
  const T x = io::scalar_of<T>(std::cos(angle), is_complex<T> && i != j ? std::sin(angle) : 0);
  return i >= j ? x : io::mirrored(x);
}

template <class T>
void write(const std::string& path, double bad = 0, std::int64_t bad_matrix = -1) {
  io::NpyWriterOf<T> writer(path, {2, 3, n, n}, io::Existing::replace, io::NpyOrder::c);
  for (std::int64_t k = 0; k < count; ++k)
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j) writer.data()[(k * n + i) * n + j] = entry<T>(k, i, j);
  if (bad_matrix >= 0)
    writer.data()[bad_matrix * n * n + 1] = writer.data()[bad_matrix * n * n + n] = io::scalar_of<T>(bad);
  writer.commit();
}

std::vector<std::string> with(std::vector<std::string> line, const std::vector<std::string>& more) {
  line.insert(line.end(), more.begin(), more.end());
  return line;
}

// Checks the files of a solve against the residuals of each pair.
template <class T>
void check_pairs(const std::string& values, const std::string& vectors, std::int64_t first, std::int64_t m) {
  const auto w = io::read_dense_stack<real_t<T>>(values, true, 1);
  const auto z = io::read_dense_stack<T>(vectors, false, 1);
  REQUIRE(w.leading == std::vector<std::int64_t>{2, 3});
  REQUIRE(z.leading == w.leading);
  REQUIRE(w.rows == m);
  REQUIRE(z.rows == n);
  REQUIRE(z.cols == m);
  double worst = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    std::vector<T> a(static_cast<std::size_t>(n * n));
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < n; ++i) a[static_cast<std::size_t>(i + j * n)] = entry<T>(k, i, j);
    const auto alone = eigen_g::solve(n, a.data(), n, {}, {.device = eigen_g::DeviceChoice::cpu});
    for (std::int64_t j = 0; j < m; ++j) {
      const real_t<T> value = w.data[k * m + j];
      worst = std::max(
          worst,
          std::fabs(static_cast<double>(value - alone.values[static_cast<std::size_t>(first + j - 1)])));
      for (std::int64_t i = 0; i < n; ++i) {
        T sum = -value * z.data[(k * m + j) * n + i];
        for (std::int64_t l = 0; l < n; ++l) sum += entry<T>(k, i, l) * z.data[(k * m + j) * n + l];
        worst = std::max(worst, static_cast<double>(std::abs(sum)));
      }
    }
  }
  CHECK(worst < 200 * std::numeric_limits<real_t<T>>::epsilon());
}

}  // namespace

TEMPLATE_TEST_CASE("solve of a stack writes stacks of values and vectors, and verify agrees", "", float,
                   double, std::complex<float>, std::complex<double>) {
  using T = TestType;
  const TemporaryFolder folder;
  const std::string a = folder / "a.npy", w = folder / "r.values.npy", z = folder / "r.vectors.npy";
  write<T>(a);
  const auto solved = [&](const std::vector<std::string>& more) {
    return json::parse(
        succeed(with({"solve", a, "-o", folder / "r", "--device", "cpu", "--force", "--json", "-"}, more))
            .out);
  };
  const json report = solved({"--verify"});
  check_pairs<T>(w, z, 1, n);
  CHECK_THAT(text_of_file(z), ContainsSubstring("'fortran_order': False, 'shape': (2, 3, 7, 7)"));
  CHECK_THAT(text_of_file(w), ContainsSubstring("'shape': (2, 3, 7)"));
  CHECK(report["format"] == "eigen_g-solve_stack");
  CHECK(report["count"] == count);
  CHECK(report["shape"] == json({2, 3}));
  CHECK(report["failed"] == 0);
  CHECK(report["first_failed"].is_null());
  CHECK(report["failures"].empty());
  CHECK(report["pairs"] == n);
  CHECK(report["matrices_per_second"].get<double>() > 0);
  CHECK(report["verification"]["passed"] == true);
  CHECK(report["outputs"]["vectors"] == z);

  const auto verified = [&](const std::vector<std::string>& more) {
    return with({"verify", a, "--values", w, "--vectors", z, "--device", "cpu"}, more);
  };
  const json check = json::parse(succeed(verified({"--json", "-"})).out);
  CHECK(check["format"] == "eigen_g-verify_stack");
  CHECK(check["verification"] == report["verification"]);

  solved({"--subset-by-index", "2:4", "--uplo", "L"});
  check_pairs<T>(w, z, 2, 3);
  succeed(verified({}));
  solved({"--uplo", "U", "--type", is_complex<T> ? "z" : "d"});
  CHECK(solved({"--values-only"})["outputs"]["vectors"].is_null());
}

TEST_CASE("solve of a stack: one matrix with a NaN harms only itself") {
  const TemporaryFolder folder;
  const std::string a = folder / "a.npy", w = folder / "r.values.npy";
  write<double>(a, std::nan(""), 4);
  const std::vector<std::string> line{"solve", a,    "-o",     folder / "r",     "--device",
                                      "cpu",   "-q", "--json", folder / "r.json"};
  const ProcessResult outcome = eigen_g_command(line);
  CHECK(outcome.code == 4);
  CHECK_THAT(outcome.err,
             ContainsSubstring("a.npy[1, 1]: has a NaN or an infinity; failed matrices: 1 of 6; no "
                               "result is written"));
  CHECK_FALSE(std::filesystem::exists(w));
  const json report = json::parse(text_of_file(folder / "r.json"));
  CHECK(report["failed"] == 1);
  CHECK(report["first_failed"] == 4);
  CHECK(report["failures"] == json::parse(R"([{"index": 4, "status": -1}])"));
  CHECK(report["outputs"]["values"].is_null());

  CHECK(eigen_g_command(with(line, {"--keep-unconverged", "--force"})).code == 4);
  const auto values = io::read_dense_stack<double>(w, true, 1);
  for (std::int64_t k = 0; k < count; ++k) CHECK(std::isnan(values.data[k * n]) == (k == 4));
}

TEMPLATE_TEST_CASE("solve of two stacks solves A x = w B x, and verify agrees", "", float, double,
                   std::complex<float>, std::complex<double>) {
  using T = TestType;
  const TemporaryFolder folder;
  const std::string a = folder / "a.npy", b = folder / "b.npy", w = folder / "r.values.npy",
                    z = folder / "r.vectors.npy";
  write<T>(a);
  for (const bool by_columns : {false, true}) {
    const auto write_b = [&](double added) {
      io::NpyWriterOf<T> writer(b, {2, 3, n, n}, io::Existing::replace, io::NpyOrder::c);
      for (std::int64_t k = 0; k < count; ++k)
        for (std::int64_t i = 0; i < n; ++i)
          for (std::int64_t j = 0; j < n; ++j)
            writer.data()[(k * n + i) * n + j] = entry<T>(k + 7, by_columns ? j : i, by_columns ? i : j) +
                                                 io::scalar_of<T>(i == j ? added : 0);
      writer.commit();
    };
    write_b(10);
    const std::vector<std::string> line{"solve",    a,     "--b",     b,        "-o", folder / "r",
                                        "--device", "cpu", "--force", "--json", "-"};
    const json report = json::parse(succeed(with(line, {"--verify"})).out);
    CHECK(report["format"] == "eigen_g-solve_stack");
    CHECK(report["b"] == b);
    CHECK(report["failed"] == 0);
    CHECK(report["verification"]["passed"] == true);
    const std::vector<std::string> check{"verify", a, "--b", b, "--values", w, "--vectors", z, "--json", "-"};
    const json verified = json::parse(succeed(check).out);
    CHECK(verified["b"] == b);
    CHECK(verified["verification"] == report["verification"]);

    const auto values = io::read_dense_stack<real_t<T>>(w, true, 1);
    const auto vectors = io::read_dense_stack<T>(z, false, 1);
    double worst = 0;
    for (std::int64_t k = 0; k < count; ++k)
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < n; ++i) {
          T sum = 0;
          for (std::int64_t l = 0; l < n; ++l) {
            const T of_b = by_columns ? entry<T>(k + 7, l, i) : entry<T>(k + 7, i, l);
            sum += (entry<T>(k, i, l) - values.data[k * n + j] * (of_b + io::scalar_of<T>(i == l ? 10 : 0))) *
                   vectors.data[(k * n + j) * n + l];
          }
          worst = std::max(worst, static_cast<double>(std::abs(sum)));
        }
    CHECK(worst < 200 * std::numeric_limits<real_t<T>>::epsilon());

    write_b(10.5);
    const ProcessResult wrong = eigen_g_command(check);
    CHECK(wrong.code == 4);
    CHECK_THAT(wrong.err, ContainsSubstring("a.npy[0, 0]: verification FAILED"));
    write_b(-10);
    const ProcessResult failed = eigen_g_command(line);
    CHECK(failed.code == 4);
    CHECK_THAT(failed.err,
               ContainsSubstring("a.npy[0, 0]: B is not positive definite; failed matrices: 6 of 6"));
  }
}

TEST_CASE("verify of a stack names the matrix that is wrong") {
  const TemporaryFolder folder;
  const std::string a = folder / "a.npy", w = folder / "r.values.npy", z = folder / "r.vectors.npy";
  write<double>(a);
  succeed({"solve", a, "-o", folder / "r", "--device", "cpu"});
  write<double>(a, 3, 5);
  const ProcessResult outcome =
      eigen_g_command({"verify", a, "--values", w, "--vectors", z, "--device", "cpu", "-q", "--json", "-"});
  CHECK(outcome.code == 4);
  CHECK_THAT(outcome.err, ContainsSubstring("a.npy[1, 2]: verification FAILED"));
  const json check = json::parse(outcome.out)["verification"];
  CHECK(check["failed"] == 1);
  CHECK(check["first_failed"] == 5);
  CHECK(check["residual_matrix"] == 5);
  CHECK(check["passed"] == false);
}

TEST_CASE("a stack refuses options and results that do not fit") {
  const TemporaryFolder folder;
  const std::string a = folder / "a.npy", w = folder / "r.values.npy", z = folder / "r.vectors.npy";
  write<double>(a);
  const std::vector<std::vector<std::string>> options{{"--subset-by-value", "0:1"},
                                                      {"--engine", "df"},
                                                      {"--precision", "mixed"},
                                                      {"--ratio", "2:1"},
                                                      {"--memory-limit", "2G"},
                                                      {"--multiprocessors", "4"},
                                                      {"--predict"},
                                                      {"--path", "two"},
                                                      {"--format", "mtx"}};
  for (const std::vector<std::string>& option : options) {
    const ProcessResult outcome = fail_with(2, with({"solve", a, "-q"}, option));
    CHECK_THAT(outcome.err, ContainsSubstring("is a stack of matrices, to which " + option[0]));
  }
  fail_with(2, {"solve", a, "-q", "--subset-by-index", "3:8"});
  fail_with(3, {"solve", a, "-q", "--n", "8"});
  const std::string one = folder / "one.npy", few = folder / "few.npy";
  io::NpyWriterOf<double>(one, {1, 1}, io::Existing::replace, io::NpyOrder::c).commit();
  io::NpyWriterOf<double>(few, {1, n, n}, io::Existing::replace, io::NpyOrder::c).commit();
  CHECK_THAT(fail_with(3, {"solve", one, "--b", a}).err, ContainsSubstring("a square matrix is required"));
  CHECK_THAT(fail_with(3, {"solve", a, "--b", one}).err, ContainsSubstring("must hold a stack"));
  CHECK_THAT(fail_with(3, {"solve", a, "--b", few}).err, ContainsSubstring("must have the shape of"));
  CHECK_THAT(fail_with(2, {"solve", a, "--b", a, "--itype", "2"}).err, ContainsSubstring("--itype"));
  CHECK_THAT(fail_with(2, {"solve", one, "--keep-unconverged", "--b", one}).err,
             ContainsSubstring("--keep-unconverged"));

  succeed({"solve", a, "-o", folder / "r", "--device", "cpu", "-q", "--subset-by-index", "1:2"});
  const auto verify = [&](const std::string& values, const std::string& vectors) {
    return fail_with(3, {"verify", a, "-q", "--device", "cpu", "--values", values, "--vectors", vectors}).err;
  };
  CHECK_THAT(verify(z, z), ContainsSubstring("must have the shape (2, 3, 2)"));
  CHECK_THAT(verify(w, w), ContainsSubstring("must have the shape (2, 3, 7, m), 1 <= m <= 7"));
}

TEST_CASE("a stack from and to HDF5") {
  if (io::hdf5_version().empty()) return;
  const TemporaryFolder folder;
  const std::string a = folder / "a.npy", h5 = folder / "r.h5", again = folder / "again.h5";
  write<std::complex<double>>(a);
  succeed({"solve", a, "-o", h5, "--device", "cpu", "--verify"});
  check_pairs<std::complex<double>>(h5 + ":/values", h5 + ":/vectors", 1, n);
  succeed({"verify", a, "--values", h5 + ":values", "--vectors", h5 + ":vectors", "--device", "cpu"});
  // The vectors are a stack of square matrices themselves; their lower triangles are read.
  succeed({"solve", h5 + ":/vectors", "--uplo", "L", "-o", again, "--values-only", "--device", "cpu"});
}
