// Tests with real matrices, if their folder exists: extreme values as published in its README, whole spectra if a reference
// exists, and all eigenpairs verified.
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>

#include "apps/generate/sturm.hpp"
#include "apps/io/matrix_file.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/solving.hpp"

#define NEEDS_MATRICES() \
  if (support::matrices_folder().empty()) SKIP_TEST("no folder of real matrices; set EIGEN_G_MATRICES")

using eigen_g::DeviceChoice;
using support::OnCpu;
using support::OnGpu;
using support::Stored;

namespace {

// An eigenvalue as it was published.
struct Printed {
  const char* text;
  double value() const { return std::strtod(text, nullptr); }
  double half_unit() const {  // half a unit of the last published digit
    const std::string s = text;
    const std::size_t mark = std::min(s.find('e'), s.size()), point = std::min(s.find('.'), mark);
    const double decimals = point == mark ? 0 : static_cast<double>(mark - point - 1);
    const double exponent = mark == s.size() ? 0 : std::strtod(s.c_str() + mark + 1, nullptr);
    return 0.5 * std::pow(10.0, exponent - decimals);
  }
};

struct Published {
  const char* file;
  std::int64_t n;
  Printed smallest, largest;
};

std::string path_of(const std::string& file) {
  return support::matrices_folder() + "/" + file;
}

// Reads a file; the unused triangle is NaN.
Stored read(const std::string& file) {
  const eigen_g::io::SymmetricMatrix m = eigen_g::io::read_matrix(path_of(file), {});
  Stored s{m.uplo, m.n, m.n, std::vector<double>(static_cast<std::size_t>(m.n * m.n), support::nan)};
  for (std::int64_t j = 0; j < m.n; ++j)
    for (std::int64_t i = 0; i < m.n; ++i)
      if (s.used(i, j)) s.at(i, j) = m.data[i + j * m.lda];
  return s;
}

// stetester's reference: n, then n values.
std::vector<double> read_eigenvalues(const std::string& file) {
  std::ifstream stream(path_of(file));
  std::size_t n = 0;
  stream >> n;
  std::vector<double> w(n);
  for (double& value : w) stream >> value;
  REQUIRE(stream);
  std::sort(w.begin(), w.end());
  return w;
}

void check_extremes(const std::vector<double>& w, const Published& p) {
  REQUIRE(static_cast<std::int64_t>(w.size()) == p.n);
  const double norm = std::max(std::fabs(w.front()), std::fabs(w.back()));
  const auto check = [&](double value, const Printed& printed) {
    CAPTURE(value, printed.text);
    CHECK(std::fabs(value - printed.value()) <= support::limits::published * norm + printed.half_unit());
  };
  check(w.front(), p.smallest);
  check(w.back(), p.largest);
}

std::vector<double> sturm_eigenvalues(const Stored& s) {
  std::vector<double> d, e;
  for (std::int64_t i = 0; i < s.n; ++i) {
    d.push_back(s.at(i, i));
    if (i + 1 < s.n) e.push_back(s.used(i + 1, i) ? s.at(i + 1, i) : s.at(i, i + 1));
  }
  return eigen_g::generate::sturm_eigenvalues(d, e);
}

}  // namespace

TEMPLATE_TEST_CASE("published extreme values of real matrices", "", OnCpu, OnGpu) {
  NEEDS_MATRICES();
  ON_DEVICE(TestType);
  for (const Published& p : {Published{"494_bus.mtx", 494, {"1.242237513509e-2"}, {"3.000514176413e4"}},
                             Published{"bcsstk02.mtx", 66, {"4.214073732581"}, {"1.822574862431e4"}},
                             Published{"gr_30_30.mtx", 900, {"6.146282392743e-2"}, {"11.95905988251"}},
                             Published{"mesh1e1.mtx", 48, {"1.740061369170"}, {"9.134158301147"}},
                             Published{"nos5.mtx", 468, {"52.89948260132"}, {"5.820291156067e5"}},
                             Published{"journals.mtx", 124, {"6.985221762611"}, {"6.854271718826e4"}},
                             Published{"A_real.csc", 77, {"0.3190329532524"}, {"17.17718808917"}},
                             Published{"H_real.csc", 288, {"-65.64032810674"}, {"0.2613743136883"}},
                             Published{"S_real.csc", 288, {"4.916632639e-4"}, {"6.581130238614"}}}) {
    CAPTURE(p.file);
    check_extremes(support::check_solver(read(p.file), TestType::device, 0, p.file), p);
  }
}

TEMPLATE_TEST_CASE("gr_30_30 by its closed form", "", OnCpu, OnGpu) {
  NEEDS_MATRICES();
  ON_DEVICE(TestType);
  const long double pi = std::acos(-1.0L);
  std::vector<double> exact;
  for (int p = 1; p <= 30; ++p)
    for (int q = 1; q <= 30; ++q)
      exact.push_back(
          static_cast<double>(9 - (1 + 2 * std::cos(p * pi / 31)) * (1 + 2 * std::cos(q * pi / 31))));
  std::sort(exact.begin(), exact.end());
  const std::vector<double> w =
      support::check_solver(read("gr_30_30.mtx"), TestType::device, 0, "gr_30_30.mtx");
  CHECK(support::eigenvalue_ratio(w, exact) <= support::limits::eigenvalue);
}

TEMPLATE_TEST_CASE("hard tridiagonal matrices against bisection", "", OnCpu, OnGpu) {
  NEEDS_MATRICES();
  ON_DEVICE(TestType);
  for (const char* file : {"T_494_bus.dat", "T_W21_g_1e-14.dat", "T_plat1919.dat", "Fann04.dat"}) {
    CAPTURE(file);
    const Stored s = read(file);
    const std::vector<double> w = support::check_solver(s, TestType::device, 0, file);
    CHECK(support::eigenvalue_ratio(w, sturm_eigenvalues(s)) <= support::limits::eigenvalue);
    if (std::string(file) == "T_plat1919.dat")
      check_extremes(w, {file, 1919, {"0.00000000"}, {"2.92163731"}});
    if (std::string(file) == "T_W21_g_1e-14.dat")
      check_extremes(w, {file, 2100, {"-1.1254415221"}, {"10.746194183"}});
  }
}

TEST_CASE("the reference spectra of tridiagonal matrices") {
  NEEDS_MATRICES();
  for (const char* stem : {"T_494_bus", "T_W21_g_1e-14"}) {
    CAPTURE(stem);
    const Stored s = read(std::string(stem) + ".dat");
    const std::vector<double> w =
        support::solve_guarded(s, support::options(DeviceChoice::automatic, false)).w;
    CHECK(support::eigenvalue_ratio(w, read_eigenvalues(std::string(stem) + ".eig")) <=
          support::limits::eigenvalue);
  }
}

TEST_CASE("494_bus and its tridiagonal form have one spectrum") {
  NEEDS_MATRICES();
  const std::vector<double> w =
      support::solve_guarded(read("494_bus.mtx"), support::options(DeviceChoice::automatic, false)).w;
  CHECK(support::eigenvalue_ratio(w, read_eigenvalues("T_494_bus.eig")) <= support::limits::eigenvalue);
}

// All vectors take minutes on a few CPU cores; EIGEN_G_SLOW=1 asks for them.
TEST_CASE("bcsstk16 on the CPU") {
  NEEDS_MATRICES();
  const char* slow = std::getenv("EIGEN_G_SLOW");
  const bool vectors = slow && std::string(slow) == "1";
  const Stored s = read("bcsstk16.mtx");
  const support::Solved solved = support::solve_guarded(s, support::options(DeviceChoice::cpu, vectors));
  support::check_values(s, solved.w);
  if (vectors) support::check_pairs(s, solved, "bcsstk16.mtx");
  check_extremes(solved.w, {"bcsstk16.mtx", 4884, {"0.99999266"}, {"4.9431656342e9"}});
}

TEST_CASE("bcsstk16 on a GPU") {
  NEEDS_MATRICES();
  NEEDS_GPU();
  check_extremes(support::check_solver(read("bcsstk16.mtx"), DeviceChoice::gpu, 0, "bcsstk16.mtx"),
                 {"bcsstk16.mtx", 4884, {"0.99999266"}, {"4.9431656342e9"}});
}
