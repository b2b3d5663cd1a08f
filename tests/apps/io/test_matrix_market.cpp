#include "apps/io/matrix_market.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <random>

#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/matrices.hpp"

using namespace eigen_g;
using namespace eigen_g::io;
using support::refusal;

namespace {

io::SymmetricMatrix read_text(const std::string& text, ReadOptions options = {}) {
  const support::TemporaryFolder folder;
  support::write_file(folder / "a.mtx", text);
  return read_matrix(folder / "a.mtx", options);
}

std::vector<double> values_of(const std::string& text, ReadOptions options = {}) {
  return support::full(read_text(text, options));
}

ReadOptions pieces(std::int64_t chunk_bytes, int threads = 2) {
  ReadOptions o;
  o.chunk_bytes = chunk_bytes;
  o.threads = threads;
  return o;
}

std::string digits(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), value).ptr};
}

const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
const std::string general = "%%MatrixMarket matrix coordinate real general\n";

}  // namespace

TEST_CASE("coordinate symmetric") {
  const auto m = read_text(symmetric + "3 3 4\n1 1 1.5\n2 1 -2\n3 3 4e0\n3 2 .25\n");
  CHECK(m.n == 3);
  CHECK(m.uplo == Uplo::lower);
  CHECK(m.format_name == "Matrix Market coordinate real symmetric");
  CHECK(support::full(m) == std::vector<double>{1.5, -2, 0, -2, 0, 0.25, 0, 0.25, 4});
}

TEST_CASE("coordinate general, integer and pattern") {
  CHECK(values_of(general + "2 2 4\n1 1 1\n2 1 3\n1 2 3\n2 2 2\n") == std::vector<double>{1, 3, 3, 2});
  CHECK(values_of("%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n1 1 -7\n2 1 +3\n") ==
        std::vector<double>{-7, 3, 3, 0});
  CHECK(values_of("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n") ==
        std::vector<double>{1, 1, 1, 0});
  CHECK(values_of("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n") ==
        std::vector<double>{0, 1, 1, 0});
}

TEST_CASE("array symmetric and general") {
  CHECK(values_of("%%MatrixMarket matrix array real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n") ==
        std::vector<double>{1, 2, 3, 2, 4, 5, 3, 5, 6});
  CHECK(values_of("%%MatrixMarket matrix array real general\n2 2\n1\n2\n2\n4\n") ==
        std::vector<double>{1, 2, 2, 4});
  CHECK(values_of("%%MatrixMarket matrix array integer symmetric\n1 1\n-9\n") == std::vector<double>{-9});
}

TEST_CASE("orders 0 and 1, matrices without entries") {
  CHECK(read_text(symmetric + "0 0 0\n").n == 0);
  CHECK(read_text("%%MatrixMarket matrix array real symmetric\n0 0\n").n == 0);
  CHECK(read_text(symmetric + "0 0 0").n == 0);
  CHECK(values_of(symmetric + "2 2 0\n") == std::vector<double>{0, 0, 0, 0});
  CHECK(values_of(general + "2 2 0\n% nothing\n\n") == std::vector<double>{0, 0, 0, 0});
  CHECK(values_of(symmetric + "1 1 1\n1 1 8") == std::vector<double>{8});
}

TEST_CASE("leniency of the banner and the lines before the body") {
  for (const std::string banner : {"%%MatrixMarket matrix coordinate real symmetric\n",
                                   "%MatrixMarket matrix coordinate real symmetric\n",
                                   "  \t%%MatrixMarket   matrix\tcoordinate real symmetric  \n",
                                   "%%MATRIXMARKET MATRIX Coordinate Real SYMMETRIC\n",
                                   "%%matrixmarket matrix coordinate double symmetric\n",
                                   "%%MatrixMarket matrix coordinate real symmetric\r\n"})
    for (const std::string between : {"", "% comment\n", "%\n\n   \n%x\n", "   % indented comment\n\r\n"}) {
      CAPTURE(banner, between);
      CHECK(values_of(banner + between + "  2 2 \t 2\r\n1 1 1\n2 1 2\n") == std::vector<double>{1, 2, 2, 0});
    }
}

TEST_CASE("leniency of the body") {
  const std::vector<double> expected{1, 2, 2, 3};
  for (const std::string body :
       {"1 1 1\n2 1 2\n2 2 3\n",
        "1 1 1\n2 1 2\n2 2 3",          // no final line end
        "1 1 1\n2 1 2\n2 2 3  ",        // blanks instead
        "1 1 1\r\n2 1 2\r\n2 2 3\r\n",  // CR LF
        "  1\t1   1  \n\t2 1 2\n2 2 3\n", "1 1 1\n\n  \n2 1 2\n% comment\n2 2 3\n\n\n",
        "1 1 1\n1 2 2\n2 2 3\n",  // above the diagonal
        "2 2 3\n2 1 2\n1 1 1\n", "1 1 1D0\n2 1 0.2d+1\n2 2 30E-1\n", "+1 +1 +1\n2 1 +2.0\n2 2 +.3e1\n"}) {
    CAPTURE(body);
    CHECK(values_of(symmetric + "2 2 3\n" + body) == expected);
  }
}

TEST_CASE("duplicates are summed") {
  CHECK(values_of(symmetric + "2 2 4\n1 1 1\n2 1 2\n1 1 0.5\n2 1 -1\n") == std::vector<double>{1.5, 1, 1, 0});
  CHECK(values_of(general + "2 2 3\n2 1 2\n1 2 1\n1 2 1\n") == std::vector<double>{0, 2, 2, 0});
  CHECK(values_of("%%MatrixMarket matrix coordinate pattern symmetric\n1 1 3\n1 1\n1 1\n1 1\n") ==
        std::vector<double>{3});
}

TEST_CASE(
    "an entry with its mirror image is refused at the first line that mirrors one, unless both triangles are "
    "announced") {
  const std::string above = "2 1 -1\n3 2 4\n% comment\n1 3 5\n1 1 7\n2 3 4\n\n1 2 -1\n3 1 5\n3 2 0\n";
  ReadOptions both;
  both.both_triangles = true;
  for (const std::int64_t bytes : {1, 9, 1 << 20})
    for (const int threads : {1, 2, 7}) {
      CAPTURE(bytes, threads);
      const auto found = refusal([&] { read_text(symmetric + "3 3 8\n" + above, pieces(bytes, threads)); });
      CHECK(found.line == 8);
      CHECK_THAT(found.reason, ContainsSubstring("entry (2, 3) mirrors entry (3, 2) of line 4") &&
                                   ContainsSubstring("--both-triangles"));
      both.chunk_bytes = bytes;
      both.threads = threads;
      CHECK(values_of(symmetric + "3 3 8\n" + above, both) ==
            std::vector<double>{7, -1, 5, -1, 0, 4, 5, 4, 0});
    }
  CHECK(values_of(symmetric + "3 3 4\n2 1 1\n1 3 2\n2 3 3\n2 1 4\n") ==  // either triangle, no pair
        std::vector<double>{0, 5, 2, 5, 0, 3, 2, 3, 0});
  CHECK(refusal([&] {
          read_text("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 2\n2 1\n");
        }).line == 4);
  const std::string hermitian =
      "%%MatrixMarket matrix coordinate complex hermitian\n2 2 3\n1 1 1 0\n2 1 2 3\n1 2 2 -3\n";
  CHECK_THAT(refusal([&] {
               const support::TemporaryFolder folder;
               support::write_file(folder / "a.mtx", hermitian);
               read_matrix<std::complex<double>>(folder / "a.mtx");
             }).reason,
             ContainsSubstring("a hermitian file stores one triangle"));

  // With the option the two triangles are compared: a file that stores one is refused, and none is ignored.
  CHECK_THAT(refusal([&] { read_text(symmetric + "2 2 2\n1 1 1\n2 1 2\n", both); }).reason,
             ContainsSubstring("is not symmetric: entry (2, 1) is 2, entry (1, 2) is 0"));
  CHECK(values_of("%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n2\n4\n", both) ==
        std::vector<double>{1, 2, 2, 4});
  CHECK(values_of(general + "2 2 2\n2 1 3\n1 2 3\n", both) == std::vector<double>{0, 3, 3, 0});
  CHECK(read_text(symmetric + "2 2 2\n2 1 3\n1 2 3\n", both).format_name ==
        "Matrix Market coordinate real symmetric, both triangles");
}

TEST_CASE("inf and nan pass") {
  const auto a = values_of(symmetric + "2 2 3\n1 1 -inf\n2 1 NaN\n2 2 Infinity\n");
  CHECK(a[0] == -std::numeric_limits<double>::infinity());
  CHECK(std::isnan(a[1]));
  CHECK(a[3] == std::numeric_limits<double>::infinity());
}

TEST_CASE("every cut of the text gives the same matrix") {
  const std::string text =
      symmetric + "3 3 6\r\n1 1 1.25\n\n% comment\n2 1 -2\n  3 1 3D0\n2 2 +4\r\n3 2 5\n3 3 6";
  const std::string array =
      "%%MatrixMarket matrix array real symmetric\n4 4\n1\n2\n\n3\n4\n% c\n5\n6\n7\r\n8\n9\n10";
  const auto whole = values_of(text);
  const auto whole_array = values_of(array);
  for (const std::int64_t bytes : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 17, 25, 40, 79})
    for (const int threads : {1, 2, 7}) {
      CAPTURE(bytes, threads);
      CHECK(values_of(text, pieces(bytes, threads)) == whole);
      CHECK(values_of(array, pieces(bytes, threads)) == whole_array);
    }
}

TEST_CASE("threads and pieces do not change a bit, with many duplicates") {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  constexpr int n = 150, entries = 20000;  // more columns than blocks, every place hit about twice
  std::string body;
  for (int k = 0; k < entries; ++k) {
    const auto [col, row] = std::minmax({random() % n + 1, random() % n + 1});
    body += std::to_string(row) + " " + std::to_string(col) + " " +
            digits(normal(random) * std::pow(10.0, static_cast<double>(random() % 12))) + "\n";
  }
  const std::string text = symmetric + "150 150 20000\n" + body;
  const auto one = values_of(text, pieces(1 << 20, 1));
  for (const int threads : {1, 2, 7})
    for (const std::int64_t bytes : {64, 1000, 1 << 16}) {
      CAPTURE(threads, bytes);
      CHECK(support::equal_bits(values_of(text, pieces(bytes, threads)), one));
    }
}

TEST_CASE("a random array is read to the bit, in any pieces") {
  constexpr std::int64_t n = 67;
  const std::vector<double> a = support::random_symmetric(n);
  std::string packed, all;
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = j; i < n; ++i) packed += digits(a[i + j * n]) + "\n";
  for (const double x : a) all += digits(x) + "\n";
  for (const int threads : {1, 2, 7})
    for (const std::int64_t bytes : {7, 500, 1 << 20}) {
      CAPTURE(threads, bytes);
      CHECK(support::equal_bits(
          values_of("%%MatrixMarket matrix array real symmetric\n67 67\n" + packed, pieces(bytes, threads)),
          a));
      CHECK(support::equal_bits(
          values_of("%%MatrixMarket matrix array real general\n67 67\n" + all, pieces(bytes, threads)), a));
    }
}

TEST_CASE("a refusal names the same line for every cut and number of threads") {
  // Ten good lines with comments between them, then the error. The two errors after it must not be reported.
  std::string good;
  for (int i = 1; i <= 10; ++i) good += (i % 3 == 0 ? "% comment\n\n" : "") + std::to_string(i) + " 1 1.5\n";
  const std::string head = symmetric + "% comment\n20 20 20\n";
  const std::int64_t fault_line = 3 + 10 + 6 + 1;
  for (const std::int64_t bytes : {1, 5, 17, 64, 1 << 20})
    for (const int threads : {1, 2, 7}) {
      CAPTURE(bytes, threads);
      const auto at_fault = [&](const std::string& line) {
        return refusal([&] {
          read_text(head + good + line + "\n1 1 x\n0 0 0\n" + std::string(60, '\n'), pieces(bytes, threads));
        });
      };
      CHECK(at_fault("0 1 1.0").line == fault_line);
      CHECK(at_fault("0 1 1.0").reason == "the row index '0' is outside 1..20");
      CHECK(at_fault("1 21 1.0").line == fault_line);
      CHECK(at_fault("1 1 1.0 5").line == fault_line);
      CHECK(at_fault("1 1 1e999").line == fault_line);
      CHECK(at_fault("1 1").line == fault_line);

      // Superfluous entries: the first one is named, not the later error.
      const auto excess = refusal([&] {
        read_text(symmetric + "% comment\n20 20 10\n" + good + "\n%\n1 1 1.0\n1 1 x\n",
                  pieces(bytes, threads));
      });
      CHECK(excess.line == fault_line + 2);
      CHECK(excess.reason == "more than the 10 entries that line 3 announces");

      const auto truncated = refusal(
          [&] { read_text(symmetric + "% comment\n20 20 11\n" + good + "%\n\n", pieces(bytes, threads)); });
      CHECK(truncated.line == fault_line + 1);
      CHECK(truncated.reason == "ends after 10 of the 11 entries that line 3 announces");
    }
}

TEST_CASE("progress rises to 1, and an exception from it abandons the reading") {
  std::string text = symmetric + "9 9 9\n";
  for (int i = 1; i <= 9; ++i) text += std::to_string(i) + " " + std::to_string(i) + " 1\n";
  ReadOptions options = pieces(8, 1);
  std::vector<double> seen;
  options.progress = [&](double fraction) { seen.push_back(fraction); };
  read_text(text, options);
  REQUIRE(seen.size() > 3);
  CHECK(std::is_sorted(seen.begin(), seen.end()));
  CHECK(seen.back() == 1);
  options.progress = [](double) { throw std::runtime_error("stop"); };
  CHECK_THROWS_WITH(read_text(text, options), "stop");
}

TEST_CASE("a matrix beyond memory is an error before the body is read") {
  // The body has an error, which must not be reached.
  CHECK_THROWS_AS(read_text(symmetric + "2000000 2000000 1\n1 1 x\n"), OutOfMemory);
  CHECK_THROWS_AS(read_text(symmetric + "2000000000 2000000000 1\n1 1 x\n"), OutOfMemory);
}

TEST_CASE("random bytes in a valid file are read or refused, never worse") {
  std::mt19937_64 random(7);
  const std::string text = symmetric + "3 3 4\n1 1 1.5\n2 1 -2\n3 3 4e0\n3 2 .25\n";
  int refused = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    std::string damaged = text;
    for (int k = 0; k < 2; ++k) damaged[random() % damaged.size()] = static_cast<char>(random() % 256);
    if (trial % 3 == 0) damaged.resize(random() % damaged.size() + 1);
    try {
      read_text(damaged, pieces(16, 1));
    } catch (const FileError& e) {
      ++refused;
      CHECK_FALSE(e.reason().empty());
      CHECK(e.reason().find('\n') == std::string::npos);
    } catch (const OutOfMemory&) {
      ++refused;
    }
  }
  CHECK(refused > 1000);
}
