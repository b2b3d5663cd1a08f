// Tests of files with matrices of every type: the type of the file, the conversion, and refusals.
#include "apps/io/scalar_type.hpp"

#include <complex>
#include <limits>
#include <string>
#include <vector>

#include "apps/io/eigenpairs_file.hpp"
#include "apps/io/input_file.hpp"
#include "apps/io/matrix_output.hpp"
#include "apps/io/npy.hpp"
#include "apps/io/text_output.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/process.hpp"

using namespace eigen_g;
using namespace eigen_g::io;
using support::refusal;

namespace {

using Z = std::complex<double>;

const std::vector<Z> hermitian{{2, 0}, {1, -3}, {0, 0.5}, {1, 3}, {-1, 0}, {4, 0}, {0, -0.5}, {4, 0}, {7, 0}};

template <class T>
std::vector<Z> whole(const HermitianMatrix<T>& m) {
  std::vector<Z> a;
  for (std::int64_t j = 0; j < m.n; ++j)
    for (std::int64_t i = 0; i < m.n; ++i) {
      const bool stored = m.uplo == Uplo::lower ? i >= j : i <= j;
      a.push_back(stored ? Z(m.data[i + j * m.lda]) : Z(mirrored(m.data[j + i * m.lda])));
    }
  return a;
}

template <class T>
std::vector<T> as(const std::vector<Z>& x) {
  std::vector<T> y;
  for (const Z& number : x) y.push_back(scalar_of<T>(number.real(), number.imag()));
  return y;
}

struct Folder : support::TemporaryFolder {
  std::string text(const std::string& content) const {
    support::write_file(*this / "a.mtx", content);
    return *this / "a.mtx";
  }
  // Row by row, as NumPy writes by default.
  template <class T>
  std::string rows(const std::string& descr, std::int64_t n, const std::vector<T>& by_rows) const {
    std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + std::to_string(n) +
                         ", " + std::to_string(n) + "), }";
    header.append(117 - header.size(), ' ').append(1, '\n');
    support::write_file(*this / "a.npy", std::string("\x93NUMPY\x01\0", 8) + static_cast<char>(118) + '\0' +
                                             header + support::bytes_of(by_rows));
    return *this / "a.npy";
  }
};

ScalarType of_file(const std::string& path) {
  return type_of(*open_input(path));
}

}  // namespace

TEMPLATE_TEST_CASE("a matrix written in its type is read in it, from both triangles", "", float, double,
                   std::complex<float>, std::complex<double>) {
  using T = TestType;
  const Folder folder;
  std::vector<Z> full = hermitian;
  if (!is_complex<T>)
    for (Z& x : full) x = x.real();
  for (const Uplo uplo : {Uplo::lower, Uplo::upper})
    for (const std::string name : {"a.npy", "a.mtx", "a.raw"}) {
      CAPTURE(name, static_cast<char>(uplo));
      std::vector<T> a = as<T>(full);
      a[uplo == Uplo::lower ? 3 : 1] = T(std::numeric_limits<real_t<T>>::quiet_NaN());  // the other triangle
      write_matrix(folder / name, 3, a.data(), 3, uplo, 2, Existing::replace);
      CHECK(whole(read_matrix<T>(folder / name)) == full);
      if (name == "a.npy") CHECK(of_file(folder / name) == scalar_type<T>);
      if (name == "a.mtx") CHECK(of_file(folder / name) == (is_complex<T> ? ScalarType::z : ScalarType::d));
      if (name != "a.raw") CHECK(whole(read_matrix<Z>(folder / name)) == full);
    }
}

TEST_CASE("a Hermitian array row by row is not its transpose") {
  const Folder folder;
  const std::vector<Z> by_rows{{2, 0}, {1, 3}, {0, -0.5}, {1, -3}, {-1, 0}, {4, 0}, {0, 0.5}, {4, 0}, {7, 0}};
  CHECK(whole(read_matrix<Z>(folder.rows("<c16", 3, by_rows))) == hermitian);
  CHECK(whole(read_matrix<std::complex<float>>(folder / "a.npy")) == hermitian);
  CHECK(whole(read_matrix<Z>(folder.rows("<c8", 3, as<std::complex<float>>(by_rows)))) == hermitian);
  CHECK(of_file(folder / "a.npy") == ScalarType::c);
  ReadOptions upper;
  upper.triangle = Triangle::upper;
  std::vector<Z> odd = by_rows;
  odd[3] = 99;
  CHECK(whole(read_matrix<Z>(folder.rows("<c16", 3, odd), upper)) == hermitian);
}

TEST_CASE("Matrix Market: complex hermitian, symmetric and general") {
  const Folder folder;
  const std::vector<Z> two{{1, 0}, {2, 3}, {2, -3}, {4, 0}};
  const auto read = [&](const std::string& text) { return whole(read_matrix<Z>(folder.text(text))); };
  CHECK(read("%%MatrixMarket matrix coordinate complex hermitian\n2 2 3\n1 1 1 0\n2 1 2 3\n2 2 4 0\n") ==
        two);
  CHECK(read("%%MatrixMarket matrix coordinate complex hermitian\n2 2 3\n1 1 1 0\n1 2 2 -3\n2 2 4 0\n") ==
        two);
  CHECK(read("%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n2 3\n4 0\n") == two);
  CHECK(read("%%MatrixMarket matrix array complex general\n2 2\n1 0\n2 3\n2 -3\n4 0\n") == two);
  CHECK(read("%%MatrixMarket matrix coordinate complex symmetric\n1 1 1\n1 1 5 0\n") == std::vector<Z>{5});
  CHECK(read("%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 5\n") == std::vector<Z>{5});

  // A diagonal that is real up to rounding: at most n eps times the real part.
  const std::string head = "%%MatrixMarket matrix coordinate complex hermitian\n2 2 3\n",
                    array = "%%MatrixMarket matrix array complex hermitian\n2 2\n";
  CHECK(read(head + "1 1 1 5.5e-17\n2 1 2 3\n2 2 4 -1.7e-15\n") == two);
  CHECK(read(array + "1 -4.4e-16\n2 3\n4 8.8e-16\n") == two);
  CHECK(whole(read_matrix<std::complex<float>>(folder.text(head + "1 1 1 2e-7\n2 1 2 3\n2 2 4 0\n"))) == two);

  const auto refused = [&](const std::string& text) { return refusal([&] { read(text); }); };
  for (const char* const small : {"5e-16", "-5e-16", "1e-7", "nan"}) {
    CHECK(refused(head + "1 1 1 0\n2 1 2 3\n2 2 1 " + small + "\n").line == 5);
    CHECK_THAT(
        refused(array + "1 0\n2 3\n1 " + small + "\n").reason,
        ContainsSubstring("entry (2, 2) has an imaginary part; the diagonal of a Hermitian matrix is real"));
  }
  CHECK(refused(head + "1 1 0 1e-300\n2 1 2 3\n2 2 1 0\n").line == 3);
  CHECK_THAT(refusal([&] { read_matrix<double>(folder.text(head + "1 1 1 0\n2 1 -0 3\n2 2 4 0\n")); }).reason,
             ContainsSubstring("the value '-0 3' has an imaginary part"));
  const auto symmetric = refused("%%MatrixMarket matrix coordinate complex symmetric\n2 2 1\n2 1 2 3\n");
  CHECK(symmetric.line == 3);
  CHECK_THAT(symmetric.reason, ContainsSubstring("the complex symmetric matrix is not Hermitian"));
  CHECK_THAT(refused("%%MatrixMarket matrix array complex symmetric\n2 2\n1 0\n2 3\n4 0\n").reason,
             ContainsSubstring("entry (2, 1) has an imaginary part: the complex symmetric"));
  CHECK_THAT(refused("%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n2 2 2 3\n").reason,
             ContainsSubstring("the diagonal of a Hermitian matrix is real"));
  CHECK_THAT(refused("%%MatrixMarket matrix array complex general\n2 2\n1 0\n2 3\n2 3\n4 0\n").reason,
             ContainsSubstring("is not Hermitian: entry (2, 1) is 2+3i, entry (1, 2) is 2+3i"));
  CHECK_THAT(refused("%%MatrixMarket matrix array complex general\n1 1\n1 -2\n").reason,
             ContainsSubstring("entry (1, 1) on the diagonal is 1-2i"));
  CHECK_THAT(refused("%%MatrixMarket matrix coordinate real hermitian\n1 1 1\n1 1 5\n").reason,
             ContainsSubstring("is hermitian and not complex"));
  CHECK_THAT(refused("%%MatrixMarket matrix coordinate complex hermitian\n1 1 1\n1 1 5.00\n").reason,
             ContainsSubstring("the imaginary part is missing"));
}

TEST_CASE("a value outside of a type is refused by its position") {
  const Folder folder;
  const std::string mtx =
      folder.text("%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 1e300 0\n2 1 2 3\n");
  CHECK(refusal([&] { read_matrix<double>(mtx); }).line == 4);
  CHECK_THAT(refusal([&] { read_matrix<double>(mtx); }).reason,
             ContainsSubstring("the value '2 3' has an imaginary part; a real matrix is required"));
  CHECK(refusal([&] { read_matrix<std::complex<float>>(mtx); }).line == 3);
  CHECK_THAT(refusal([&] { read_matrix<std::complex<float>>(mtx); }).reason,
             ContainsSubstring("'1e300 0' is beyond the range of float"));
  const std::string real = folder.rows<Z>("<c16", 2, {1, 2, 2, 5});
  CHECK(whole(read_matrix<float>(real)) == std::vector<Z>{1, 2, 2, 5});
  const std::string npy = folder.rows<Z>("<c16", 2, {1, {2, 1}, {2, -1}, 5});
  CHECK_THAT(refusal([&] { read_matrix<double>(npy); }).reason,
             ContainsSubstring("entry (1, 2) has an imaginary part"));
  CHECK_THAT(refusal([&] {
               read_matrix<float>(folder.rows<double>("<f8", 2, {1, 2, 2, -1e39}));
             }).reason,
             ContainsSubstring("entry (2, 2) is beyond the range of float"));
  const double infinite = std::numeric_limits<double>::infinity();
  CHECK(whole(read_matrix<float>(folder.rows<double>("<f8", 1, {infinite}))) == std::vector<Z>{infinite});
}

TEST_CASE("a matrix below the range of float is refused, tiny entries next to larger ones are rounded") {
  const Folder folder;
  const auto refused = [](const std::string& file) {
    return refusal([&] { read_matrix<float>(file); }).reason;
  };
  const std::string below = "entry (1, 2), the largest one, is below the range of float";
  for (const double unit : {1e-60, 1e-40, 1e-310}) {
    CAPTURE(unit);
    CHECK_THAT(refused(folder.rows<double>("<f8", 2, {unit, 3 * unit, 3 * unit, unit})),
               ContainsSubstring(below));
    const std::string z = folder.rows<Z>("<c16", 2, {unit, {0, 3 * unit}, {0, -3 * unit}, unit});
    CHECK_THAT(refusal([&] { read_matrix<std::complex<float>>(z); }).reason,
               ContainsSubstring("the largest one"));
  }
  const std::string text =
      folder.text("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1e-60\n2 1 3e-60\n");
  CHECK_THAT(refused(text), ContainsSubstring("entry (2, 1), the largest one, is below the range of float"));
  CHECK(read_matrix<double>(text).n == 2);

  CHECK(whole(read_matrix<float>(folder.rows<double>("<f8", 2, {1, 1e-60, 1e-60, 1}))) ==
        std::vector<Z>{1, 0, 0, 1});
  CHECK(whole(read_matrix<float>(folder.rows<double>("<f8", 1, {0}))) == std::vector<Z>{0});
  const float subnormal = 0x3p-149F;  // no digit is lost
  CHECK(whole(read_matrix<float>(folder.rows<float>("<f4", 1, {subnormal}))) == std::vector<Z>{subnormal});
  CHECK(whole(read_matrix<float>(folder.rows<double>("<f8", 1, {subnormal}))) == std::vector<Z>{subnormal});
}

TEST_CASE("float's files are compared by float's unit") {
  const Folder folder;
  const float off = 1 + 2e-7F;
  CHECK(whole(read_matrix<float>(folder.rows<float>("<f4", 2, {1, off, 1, 1}))).size() == 4);
  CHECK_THAT(refusal([&] { read_matrix<double>(folder / "a.npy"); }).reason,
             ContainsSubstring("is not symmetric"));
}

TEST_CASE("complex vectors come back from every format") {
  const Folder folder;
  const std::vector<Z> z{{1, 2}, {0.1, -3}, {0, 0}, {1e-300, 5}, {-1, 0}, {2, 2}};
  for (const TextFormat format : {TextFormat::mtx, TextFormat::txt}) {
    OutputFile out(folder / "z", Existing::replace);
    write_text<Z>(out, {z.data(), 3, 2, 3}, format);
    out.commit();
    const Dense<Z> m = read_vectors<Z>(folder / "z");
    REQUIRE(m.rows == 3);
    REQUIRE(m.cols == 2);
    CHECK(std::vector<Z>(m.data, m.data + 6) == z);
  }
  NpyWriterOf<Z> writer(folder / "z.npy", {3, 2});
  std::copy(z.begin(), z.end(), writer.data());
  writer.commit();
  const Dense<Z> m = read_vectors<Z>(folder / "z.npy");
  CHECK(std::vector<Z>(m.data, m.data + 6) == z);
  CHECK_THAT(refusal([&] { read_vectors<double>(folder / "z.npy"); }).reason,
             ContainsSubstring("entry (1, 1) has an imaginary part"));
}
