// Tests of ELSI CSC files.
#include <complex>

#include "apps/io/input_file.hpp"
#include "apps/io/sparse_file.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"

using namespace eigen_g;
using namespace eigen_g::io;

namespace {

// 3 x 3 with an empty middle column, and an odd number of entries, so that the values are not on multiples of 8.
template <class Word>
std::string csc_file(std::vector<Word> starts, std::vector<std::int32_t> rows,
                     const std::vector<double>& values, Word complex = 0) {
  std::vector<Word> header(16, 0);
  header[0] = 170915;
  header[1] = header[6] = header[7] = -910910;
  header[2] = complex;
  header[3] = static_cast<Word>(starts.size());
  header[5] = static_cast<Word>(rows.size());
  return support::bytes_of(header) + support::bytes_of(starts) + support::bytes_of(rows) +
         support::bytes_of(values);
}

std::vector<double> read(const std::string& bytes) {
  const support::TemporaryFolder folder;
  support::write_file(folder / "a", bytes);
  return support::full(read_matrix(folder / "a"));
}

}  // namespace

TEST_CASE("both variants, an empty column, values off their boundary") {
  const std::vector<double> expected{1, 0, 2, 0, 0, 0, 2, 0, 3};
  CHECK(read(csc_file<std::int64_t>({1, 3, 3}, {1, 3, 1, 3, 3}, {1, 2, 2, 2.5, 0.5})) == expected);
  CHECK(read(csc_file<std::int32_t>({1, 3, 3}, {1, 3, 1, 3, 3}, {1, 2, 2, 2.5, 0.5})) == expected);
}

TEST_CASE("no entries, order 0, rows out of order") {
  CHECK(read(csc_file<std::int64_t>({1, 1}, {}, {})) == std::vector<double>(4, 0.0));
  CHECK(read(csc_file<std::int32_t>({}, {}, {})).empty());
  CHECK(read(csc_file<std::int64_t>({1, 3}, {2, 1, 2, 1}, {5, 1, 2, 5})) == std::vector<double>{1, 5, 5, 2});
}

TEST_CASE("the format's name contains the variant") {
  const support::TemporaryFolder folder;
  support::write_file(folder / "a", csc_file<std::int32_t>({1}, {1}, {4}));
  CHECK(read_matrix(folder / "a").format_name == "ELSI CSC with 32-bit header");
  support::write_file(folder / "a", csc_file<std::int64_t>({1}, {1}, {4}));
  CHECK(read_matrix(folder / "a").format_name == "ELSI CSC");
}

TEST_CASE("complex values, two doubles each, in both variants") {
  using Z = std::complex<double>;
  const std::vector<double> values{1, 0, 2, -3, 2, 3, 4, 0};
  const support::TemporaryFolder folder;
  for (const std::string& bytes : {csc_file<std::int64_t>({1, 3}, {1, 2, 1, 2}, values, 1),
                                   csc_file<std::int32_t>({1, 3}, {1, 2, 1, 2}, values, 1)}) {
    support::write_file(folder / "a", bytes);
    CHECK(type_of(*open_input(folder / "a")) == ScalarType::z);
    const HermitianMatrix<Z> m = read_matrix<Z>(folder / "a");
    REQUIRE((m.n == 2 && m.uplo == Uplo::lower));
    CHECK(std::vector<Z>(m.data, m.data + 4) == std::vector<Z>{1, {2, -3}, {2, 3}, 4});
    CHECK(read_matrix<std::complex<float>>(folder / "a").data[1] == std::complex<float>(2, -3));
    const std::string reason = "entry (2, 1) has an imaginary part; a real matrix is required";
    CHECK(support::refusal([&] { read_matrix<double>(folder / "a"); }).reason == reason);
    CHECK(support::refusal([&] { read_sparse_matrix(folder / "a"); }).reason == reason);
    support::write_file(folder / "a", bytes.substr(0, bytes.size() - 8));
    CHECK_THAT(support::refusal([&] { read_matrix<Z>(folder / "a"); }).reason,
               ContainsSubstring("bytes; the file has"));
  }
  support::write_file(folder / "a", csc_file<std::int64_t>({1}, {1}, {4}));
  CHECK(type_of(*open_input(folder / "a")) == ScalarType::d);
  support::write_file(folder / "a", csc_file<std::int64_t>({1}, {1}, {1e300}));
  CHECK(support::refusal([&] { read_matrix<float>(folder / "a"); }).reason ==
        "entry (1, 1) is beyond the range of float");
}

TEST_CASE("every cut and every damaged word is refused or read, never worse") {
  const std::string good = csc_file<std::int64_t>({1, 3}, {1, 2, 1, 2}, {1, 5, 5, 2});
  for (std::size_t size = 9; size < good.size(); ++size)
    CHECK(support::refusal([&] { read(good.substr(0, size)); }).line == 0);
  for (std::size_t byte = 16; byte < good.size() - 32; ++byte)
    for (const char value : {'\x7f', '\xff'}) {
      std::string damaged = good;
      damaged[byte] = value;
      try {
        read(damaged);
      } catch (const FileError&) {
      } catch (const OutOfMemory&) {
      }
    }
}
