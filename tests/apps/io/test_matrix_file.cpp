#include "apps/io/matrix_file.hpp"

#include <lapacke.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"

using namespace eigen_g;
using namespace eigen_g::io;
using support::refusal;

namespace {

using std::numbers::pi;

const std::string data = EIGEN_G_DATA_DIR;

std::set<std::string> names_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.insert(entry.path().filename());
  names.erase(".gitattributes");
  return names;
}

// Ascending eigenvalues by LAPACK of the triangle that the reader names.
std::vector<double> spectrum(const SymmetricMatrix& m) {
  std::vector<double> a(m.data, m.data + m.lda * m.n);
  std::vector<double> w(static_cast<std::size_t>(m.n));
  const int info =
      LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'N', static_cast<char>(m.uplo), static_cast<lapack_int>(m.n), a.data(),
                     static_cast<lapack_int>(m.lda), w.data());
  REQUIRE(info == 0);
  return w;
}

template <class Value>
std::vector<double> values(int n, Value value) {  // value(1) ... value(n), ascending
  std::vector<double> w;
  for (int k = 1; k <= n; ++k) w.push_back(value(k));
  std::sort(w.begin(), w.end());
  return w;
}

std::vector<double> poisson(int m) {
  return values(m * m, [m](int k) {
    return 4 - 2 * std::cos(((k - 1) / m + 1) * pi / (m + 1)) -
           2 * std::cos(((k - 1) % m + 1) * pi / (m + 1));
  });
}

// The closed forms that data/README.md names.
std::map<std::string, std::vector<double>> spectra_of_valid_files() {
  const auto minij = values(12, [](int k) { return 1 / (4 * std::pow(std::sin((2 * k - 1) * pi / 50), 2)); });
  const auto pei = values(10, [](int k) { return k < 10 ? 0.5 : 10.5; });
  const std::vector<double> rosser{-10 * std::sqrt(10405.0),    0,    510 - 100 * std::sqrt(26.0), 1000, 1000,
                                   510 + 100 * std::sqrt(26.0), 1020, 10 * std::sqrt(10405.0)};
  const std::vector<double> wilkinson{
      -1.125441522119984222299, 0.253805817096678167710, 0.947534367529292878851, 1.789321352695081406045,
      2.130209219362505994485,  2.961058884185726691613, 3.043099292578823739332, 3.996048201383625030730,
      4.004354023440856735097,  4.999782477742901859987, 5.000244425001913008065, 6.000217522257098140013,
      6.000234031584016617508,  7.003951798616374969270, 7.003952209528675673814, 8.038941115814273308386,
      8.038941122829023236262,  9.210678647304918593955, 9.210678647361332107918, 10.746194182903322183229,
      10.746194182903393431857};
  return {{"poisson_6x6.mtx", poisson(6)},
          {"ring_10_pattern.mtx", values(10, [](int k) { return 2 * std::cos(2 * pi * k / 10); })},
          {"rosser_integer.mtx", rosser},
          {"rosser_coo.npz", rosser},
          {"poisson_6x6_csr.npz", poisson(6)},
          {"poisson_4x4_csc.npz", poisson(4)},
          {"poisson_4x4_complex.npz", poisson(4)},
          {"poisson_4x4_complex.csc", poisson(4)},
          {"minij_12.mtx", minij},
          {"pei_10_general.mtx", pei},
          {"complete_8_unsigned.mtx", {-1, -1, -1, -1, -1, -1, -1, 7}},
          {"lenient_121_5.mtx", values(5, [](int k) { return 4 * std::pow(std::sin(k * pi / 12), 2); })},
          {"minij_12_fortran.npy", minij},
          {"hypercube_16.npy", {0, 2, 2, 2, 2, 4, 4, 4, 4, 4, 4, 6, 6, 6, 6, 8}},
          {"pei_10_big_endian.npy", pei},
          {"pei_10_f4.npy", pei},
          {"rosser_i4.npy", rosser},
          {"rosser_i2_big_endian.npy", rosser},
          {"exchange_7_version_2.npy", {-1, -1, -1, 1, 1, 1, 1}},
          {"complete_8_bool_version_3.npy", {-1, -1, -1, -1, -1, -1, -1, 7}},
          {"toeplitz_20.raw", values(20, [](int k) { return 2 - 2 * std::cos(k * pi / 21); })},
          {"poisson_4x4.csc", poisson(4)},
          {"poisson_4x4_int4.csc", poisson(4)},
          {"pei_10.csv", pei},
          {"rosser.txt", rosser},
          {"clement_21.dat", values(21, [](int k) { return 2.0 * k - 22; })},
          {"wilkinson_21.dat", wilkinson}};
}

struct Expected {
  std::int64_t line;
  std::string reason;  // a part of it
};

// Errors that only the solver can find: reading succeeds, and the solver refuses the entry by row and column.
const std::map<std::string, std::pair<std::int64_t, std::int64_t>> left_to_the_solver{
    {"nan_entry.mtx", {3, 2}},
    {"infinite_entry.mtx", {2, 2}},
    {"nan_above_diagonal.mtx", {1, 3}},
    {"npy_nan.npy", {2, 2}}};

const std::map<std::string, Expected> refused{
    {"no_banner.mtx", {1, "does not begin with %%MatrixMarket"}},
    {"short_banner.mtx", {1, "needs five words"}},
    {"bad_object.mtx", {1, "unknown object 'tensor'"}},
    {"vector_object.mtx", {1, "holds a vector"}},
    {"bad_format.mtx", {1, "unknown format 'dense'"}},
    {"bad_field.mtx", {1, "unknown field 'quaternion'"}},
    {"bad_symmetry.mtx", {1, "unknown symmetry 'upper'"}},
    {"both_triangles.mtx",
     {6,
      "entry (2, 3) mirrors entry (3, 2) of line 5; a symmetric file stores one triangle, and "
      "--both-triangles "
      "reads a file that stores both"}},
    {"complex.mtx", {3, "the imaginary part is missing"}},
    {"hermitian.mtx", {1, "is hermitian and not complex"}},
    {"skew_symmetric.mtx", {1, "holds a skew-symmetric matrix"}},
    {"array_pattern.mtx", {1, "an array cannot be a pattern"}},
    {"size_missing.mtx", {3, "ends before the size line"}},
    {"size_short.mtx", {2, "the size line needs three numbers: rows, columns, entries; it has 2"}},
    {"size_long.mtx", {2, "the size line needs two numbers: rows, columns; it has 3"}},
    {"size_not_a_number.mtx", {2, "the number of columns, 'three', is not an integer"}},
    {"size_negative.mtx", {3, "the number of rows, '-3', is negative"}},
    {"size_overflow.mtx", {2, "the number of rows, '36893488147419103232', is too large"}},
    {"size_beyond_memory.mtx", {2, "3000000000 x 3000000000 is too large for any memory"}},
    {"entries_negative.mtx", {2, "the number of entries, '-1', is negative"}},
    {"entries_announced_too_many.mtx",
     {2, "announces 5050 entries, more than the 8 bytes that follow can hold"}},
    {"not_square.mtx", {2, "3 x 4; a square one is required"}},
    {"not_square_symmetric.mtx", {2, "a symmetric matrix must be square"}},
    {"index_zero.mtx", {4, "the row index '0' is outside 1..3"}},
    {"index_too_large.mtx", {4, "the column index '4' is outside 1..3"}},
    {"index_negative.mtx", {3, "the row index '-1' is outside 1..3"}},
    {"index_overflow.mtx", {4, "the row index '18446744073709551617' is outside 1..3"}},
    {"index_not_an_integer.mtx", {6, "the row index '2.5' is not an integer"}},
    {"column_index_missing.mtx", {4, "the column index is missing"}},
    {"value_missing.mtx", {3, "the value is missing"}},
    {"value_not_a_number.mtx", {4, "the value 'two' is not a number"}},
    {"value_out_of_range.mtx", {4, "the value '1e400' is out of range"}},
    {"value_not_an_integer.mtx", {4, "the value '2.5' is not an integer"}},
    {"text_behind_entry.mtx", {4, "unexpected '7.0' after the entry"}},
    {"value_in_pattern.mtx", {4, "unexpected '2.0' after the entry"}},
    {"two_values_on_a_line.mtx", {4, "unexpected '3.0' after the entry"}},
    {"truncated.mtx", {4, "ends after 2 of the 3 entries that line 2 announces"}},
    {"truncated_in_an_entry.mtx", {4, "the value is missing"}},
    {"truncated_array.mtx", {7, "ends after 5 of the 6 entries that line 2 asks for"}},
    {"too_many_entries.mtx", {6, "more than the 2 entries that line 2 announces"}},
    {"too_many_values_array.mtx", {6, "more than the 3 entries that line 2 asks for"}},
    {"not_symmetric.mtx", {0, "entry (3, 1) is 0.5, entry (1, 3) is 0.25"}},
    {"not_symmetric_array.mtx", {0, "entry (5, 1) is 0.2, entry (1, 5) is 1"}},
    {"text_not_a_number.csv", {1, "'x' is not a number"}},
    {"text_entry_missing.csv", {2, "'' is not a number"}},
    {"text_uneven.csv", {2, "holds 3 numbers; the lines before hold 2"}},
    {"text_not_square.txt", {0, "holds 2 lines of 3 numbers; a square matrix is required"}},
    {"text_not_symmetric.txt", {0, "entry (2, 1) is 3, entry (1, 2) is 2"}},
    {"text_complex.csv", {0, "has complex numbers, two numbers each; a real matrix is required"}},
    {"npy_bad_magic.npy", {0, "does not begin as a .npy file"}},
    {"npy_bad_version.npy", {0, ".npy version 4.0 is unknown"}},
    {"npy_cut_in_magic.npy", {0, "ends within the .npy header"}},
    {"npy_cut_in_header.npy", {0, "ends within the .npy header"}},
    {"npy_header_not_a_dict.npy", {0, "'{' expected"}},
    {"npy_key_missing.npy", {0, "key 'fortran_order' is missing"}},
    {"npy_key_unknown.npy", {0, "unknown key 'order'"}},
    {"npy_key_twice.npy", {0, "key 'descr' occurs twice"}},
    {"npy_order_not_a_bool.npy", {0, "True or False expected for fortran_order"}},
    {"npy_shape_not_a_tuple.npy", {0, "a tuple expected for shape"}},
    {"npy_shape_negative.npy", {0, "a negative number in shape"}},
    {"npy_shape_overflow.npy", {0, "is too large for any memory"}},
    {"npy_object.npy", {0, "'|O', Python objects"}},
    {"npy_structured.npy", {0, "holds a structured type"}},
    {"npy_complex.npy", {0, "has an imaginary part; a real matrix is required"}},
    {"npy_half.npy", {0, "holds elements of type '<f2'"}},
    {"npy_string.npy", {0, "holds elements of type '<U2'"}},
    {"npy_byte_order.npy", {0, "'?f8', which is unknown"}},
    {"npy_truncated.npy", {0, "needs 32 bytes of elements; the file has 31"}},
    {"npy_trailing_bytes.npy", {0, "needs 32 bytes of elements; the file has 33"}},
    {"npy_scalar.npy", {0, "has shape (); a square matrix is required"}},
    {"npy_vector.npy", {0, "has shape (4,); a square matrix is required"}},
    {"npy_three_dimensions.npy", {0, "has shape (2, 2, 1); a square matrix is required"}},
    {"npy_not_square.npy", {0, "has shape (1, 4); a square matrix is required"}},
    {"npy_not_symmetric.npy", {0, "entry (2, 1) is 3, entry (1, 2) is 2"}},
    {"raw_odd_size.raw", {0, "has 29 bytes, which is not a square number of doubles"}},
    {"raw_not_square.raw", {0, "has 40 bytes, which is not a square number of doubles"}},
    {"raw_not_symmetric.raw", {0, "entry (2, 1) is 3, entry (1, 2) is 2"}},
    {"csc_bad_magic.csc", {0, "does not begin as an ELSI CSC file"}},
    {"csc_cut_in_header.csc", {0, "ends within the ELSI CSC header"}},
    {"csc_truncated.csc", {0, "needs 192 bytes; the file has 184"}},
    {"csc_trailing_bytes.csc", {0, "needs 192 bytes; the file has 193"}},
    {"csc_bad_type.csc", {0, "type is 7"}},
    {"csc_negative_nonzeros.csc", {0, "number of nonzeros, -4, is out of range"}},
    {"csc_first_column.csc", {0, "column 1 starts at entry 2, outside 1..1"}},
    {"csc_columns_decrease.csc", {0, "column 2 starts at entry -2, outside 1..5"}},
    {"csc_column_beyond_end.csc", {0, "column 2 starts at entry 9, outside 1..5"}},
    {"csc_row_zero.csc", {0, "entry 2 in column 1 has row index 0, outside 1..2"}},
    {"csc_row_too_large_int4.csc", {0, "entry 3 in column 2 has row index 3, outside 1..2"}},
    {"csc_not_symmetric.csc", {0, "entry (2, 1) is -0.5, entry (1, 2) is -1"}},
    {"dat_order_missing.dat", {1, "ends before the order"}},
    {"dat_order_not_a_number.dat", {1, "the order 'three' is not an integer"}},
    {"dat_order_negative.dat", {1, "the order -3 is out of range"}},
    {"dat_order_too_large.dat", {1, "the order is 1000, more than the file's 15 bytes can hold"}},
    {"dat_truncated.dat", {3, "ends after 2 of 3 rows"}},
    {"dat_too_many_rows.dat", {4, "more than 2 rows"}},
    {"dat_row_order.dat", {3, "row 2 expected, not 3"}},
    {"dat_off_diagonal_missing.dat", {2, "the off-diagonal entry is missing"}},
    {"dat_not_a_number.dat", {2, "the off-diagonal entry 'x' is not a number"}},
    {"dat_extra_number.dat", {2, "unexpected '1.0' at the line's end"}},
    {"npz_cut.npz", {0, "is a truncated zip archive: its directory is missing"}},
    {"npz_no_format.npz", {0, "without format.npy"}},
    {"npz_bsr.npz", {0, "format 'bsr'; csr, csc and coo are read"}},
    {"npz_not_square.npz", {0, "2 x 3; a square one is required"}},
    {"npz_index_too_large.npz", {0, "element 4 of indices is 2, outside 0..1"}},
    {"npz_index_negative.npz", {0, "element 3 of row is -1, outside 0..1"}},
    {"npz_indices_are_reals.npz", {0, "member indices holds '<f8', not integers"}},
    {"npz_starts_decrease.npz", {0, "element 3 of indptr is 2, outside 3..4"}},
    {"npz_starts_too_few.npz", {0, "member indptr has 2 elements; 3 are required"}},
    {"npz_starts_end_early.npz", {0, "indptr ends at 3; indices has 4 elements"}},
    {"npz_data_too_few.npz", {0, "member data has 3 elements; 4 are required"}},
    {"npz_not_symmetric.npz", {0, "entry (2, 1) is -0.5, entry (1, 2) is -1"}},
    {"empty.mtx", {0, "is empty"}},
    {"gzip.mtx.gz", {0, "is a gzip-compressed file"}},
    {"bzip2.mtx.bz2", {0, "is a bzip2-compressed file"}},
    {"zip.npz", {0, "zip archive"}},
    {"hdf5.h5", {0, "is an HDF5 file"}},
    {"matlab.mat", {0, "is a MATLAB 5 file; save it in MATLAB with -v7.3, or read it by scipy.io.loadmat()"}},
    {"harwell_boeing.rsa", {0, "is a Harwell-Boeing file; replace its type, as RSA in line 3, by RUA"}},
    {"unknown_text.txt", {1, "is not a number; a line of names must begin with # or %"}},
};

}  // namespace

TEST_CASE("every file of data/valid has the spectrum that data/README.md gives") {
  const auto spectra = spectra_of_valid_files();
  for (const std::string& name : names_in(data + "/valid")) {
    CAPTURE(name);
    REQUIRE(spectra.count(name) == 1);
    const std::vector<double>& exact = spectra.at(name);
    const SymmetricMatrix m = read_matrix(data + "/valid/" + name);
    REQUIRE(m.n == static_cast<std::int64_t>(exact.size()));
    const std::vector<double> w = spectrum(m);
    const double norm = std::max(std::abs(exact.front()), std::abs(exact.back()));
    for (std::size_t k = 0; k < w.size(); ++k)
      CHECK(std::abs(w[k] - exact[k]) <= 5e-15 * static_cast<double>(m.n) * norm);
  }
  CHECK(names_in(data + "/valid").size() == spectra.size());
}

TEST_CASE("every file of data/invalid is refused for its error") {
  const auto names = names_in(data + "/invalid");
  CHECK(names.size() == refused.size() + left_to_the_solver.size());
  for (const std::string& name : names) {
    if (left_to_the_solver.count(name) == 1) continue;
    CAPTURE(name);
    REQUIRE(refused.count(name) == 1);
    const std::string path = data + "/invalid/" + name;
    const auto [line, reason] = refusal([&] { read_matrix(path); });
    CHECK(line == refused.at(name).line);
    CHECK_THAT(reason, ContainsSubstring(refused.at(name).reason));
    CHECK(reason.find('\n') == std::string::npos);
  }
}

TEST_CASE("NaN and infinity are read, in the triangle that is named") {
  for (const auto& [name, place] : left_to_the_solver) {
    CAPTURE(name);
    const SymmetricMatrix m = read_matrix(data + "/invalid/" + name);
    std::int64_t i = place.first - 1, j = place.second - 1;
    if (m.transposed) std::swap(i, j);
    CHECK((m.uplo == Uplo::lower ? i >= j : i <= j));
    CHECK_FALSE(std::isfinite(m.data[i + j * m.lda]));
  }
}

TEST_CASE("plain text of spreadsheets and of NumPy") {
  const support::TemporaryFolder folder;
  const auto file = [&](const std::string& name, const std::string& text) {
    support::write_file(folder / name, text);
    return folder / name;
  };
  const SymmetricMatrix marked = read_matrix(file("marked.csv",
                                                  "\xef\xbb\xbf"
                                                  "2,-1\r\n-1,2\r\n"));
  CHECK(std::vector<double>(marked.data, marked.data + 4) == std::vector<double>{2, -1, -1, 2});
  CHECK(std::isnan(read_matrix(file("nan.csv", "2,-1\n-1,nan\n")).data[3]));
  CHECK(std::isinf(read_matrix(file("inf.txt", "inf 1\n1 2\n")).data[0]));
  CHECK_THAT(refusal([&] { read_matrix(file("named.csv", "a,b\n2,1\n1,2\n")); }).reason,
             ContainsSubstring("a line of names must begin with # or %"));
  for (const char* const entry : {"(2.0e+00+1.0e+00j)", "2+1i", "2+1j"}) {
    CAPTURE(entry);
    const std::string path = file("complex.txt", std::string(entry) + "\n");
    CHECK_THAT(refusal([&] { read_matrix(path); }).reason,
               ContainsSubstring("a complex number is two numbers here"));
  }
  CHECK_THAT(refusal([&] { read_matrix(file("no_format", "one, two\n")); }).reason,
             ContainsSubstring("is neither Matrix Market, .npy, .npz, HDF5, ELSI CSC, tridiagonal nor text"));
}

TEST_CASE("the message is path, line, reason") {
  const std::string path = data + "/invalid/index_zero.mtx";
  CHECK_THROWS_WITH(read_matrix(path), path + ":4: the row index '0' is outside 1..3");
  CHECK_THROWS_WITH(read_matrix(data + "/invalid/empty.mtx"), data + "/invalid/empty.mtx: is empty");
}

TEST_CASE("inputs that are no regular file") {
  const support::TemporaryFolder folder;
  CHECK(refusal([&] { read_matrix(folder / "missing.mtx"); }).reason ==
        "cannot be opened: No such file or directory");
  CHECK(refusal([&] { read_matrix(folder / "."); }).reason == "is a folder, not a file");
  REQUIRE(::mkfifo((folder / "pipe.mtx").c_str(), 0600) == 0);
  CHECK_THAT(refusal([&] { read_matrix(folder / "pipe.mtx"); }).reason,
             ContainsSubstring("is not a regular file"));
  CHECK_THAT(refusal([&] { read_matrix("/dev/null"); }).reason, ContainsSubstring("is not a regular file"));
}

TEST_CASE("the content decides on the format, then the name, and an order says raw") {
  const support::TemporaryFolder folder;
  const auto copy = [&](const std::string& from, const std::string& to) {
    std::filesystem::copy_file(data + "/valid/" + from, folder / to);
    return folder / to;
  };
  CHECK(read_matrix(copy("minij_12.mtx", "a.npy")).format_name == "Matrix Market array real symmetric");
  CHECK(read_matrix(copy("minij_12_fortran.npy", "a.mtx")).format_name == ".npy '<f8' in Fortran order");
  CHECK(read_matrix(copy("poisson_4x4_int4.csc", "a.raw")).format_name == "ELSI CSC with 32-bit header");
  CHECK(read_matrix(copy("clement_21.dat", "a.txt")).format_name == "tridiagonal");
  const std::string nameless = copy("toeplitz_20.raw", "a");
  CHECK_THAT(refusal([&] { read_matrix(nameless); }).reason, ContainsSubstring("--n"));
  ReadOptions options;
  options.n = 20;
  CHECK(read_matrix(nameless, options).format_name == "raw doubles");
  for (const char* const other : {"a.npy", "a.mtx", "a.raw"})  // formats that have the order
    CHECK_THAT(refusal([&] { read_matrix(folder / other, options); }).reason,
               ContainsSubstring("--n says 20"));
  options = {};
  options.format = Format::matrix_market;
  CHECK(refusal([&] { read_matrix(nameless, options); }).line == 1);
  options.format = Format::tridiagonal;
  CHECK(refusal([&] { read_matrix(folder / "a.npy", options); }).line == 2);  // line 1 reads as a comment
}

TEST_CASE("real files have their published extreme eigenvalues") {
  const std::string folder = support::matrices_folder();
  if (folder.empty()) SKIP_TEST("real matrices: the folder is missing");
  struct Known {
    std::int64_t n;
    double smallest, largest;
    double tolerance = 1e-12;  // relative to the norm; some values have fewer published digits
  };
  const std::map<std::string, Known> known{
      {"494_bus.mtx", {494, 1.242237513509e-2, 3.000514176413e4}},
      {"bcsstk02.mtx", {66, 4.214073732581, 1.822574862431e4}},
      {"bcsstk16.mtx", {4884, 0, 0}},  // the tests of the solver check its spectrum
      {"gr_30_30.mtx", {900, 6.146282392743e-2, 11.95905988251}},
      {"mesh1e1.mtx", {48, 1.740061369170, 9.134158301147}},
      {"nos5.mtx", {468, 52.89948260132, 5.820291156067e5}},
      {"journals.mtx", {124, 6.985221762611, 6.854271718826e4}},
      {"A_real.csc", {77, 0.3190329532524, 17.17718808917}},
      {"H_real.csc", {288, -65.64032810674, 0.2613743136883}},
      {"S_real.csc", {288, 4.916632639e-4, 6.581130238614}},
      {"T_plat1919.dat", {1919, 0, 2.92163731, 2e-9}},
      {"T_W21_g_1e-14.dat", {2100, -1.1254415221, 10.746194183, 1e-10}},
      {"T_494_bus.dat", {494, 1.242237513498168e-2, 3.000514176412643e4}},
      {"Fann04.dat", {300, 0, 0}}};
  int files = 0;
  for (const std::string& name : names_in(folder)) {
    const std::string ending = std::filesystem::path(name).extension();
    if (ending != ".mtx" && ending != ".csc" && ending != ".dat") continue;
    CAPTURE(name);
    ++files;
    const SymmetricMatrix m = read_matrix(folder + "/" + name);
    CHECK(m.n > 0);
    if (known.count(name) == 0) continue;
    const Known& expected = known.at(name);
    CHECK(m.n == expected.n);
    if (expected.largest == 0) continue;
    const std::vector<double> w = spectrum(m);
    const double norm = std::max(std::abs(expected.smallest), std::abs(expected.largest));
    CHECK(std::abs(w.front() - expected.smallest) <= expected.tolerance * norm);
    CHECK(std::abs(w.back() - expected.largest) <= expected.tolerance * norm);
  }
  CHECK(files >= static_cast<int>(known.size()));
  const double asymmetry = read_matrix(folder + "/A_real.csc").asymmetry;
  CHECK(asymmetry > 3e-16);
  CHECK(asymmetry < 5e-16);
}
