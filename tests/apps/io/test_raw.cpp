// Tests of files of raw doubles.
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"

using namespace eigen_g;
using namespace eigen_g::io;

TEST_CASE("raw doubles, with and without the order") {
  const support::TemporaryFolder folder;
  const std::vector<double> a{1, 2, 3, 2, 4, 5, 3, 5, 6};
  support::write_file(folder / "a.raw", support::bytes_of(a));
  support::write_file(folder / "a", support::bytes_of(a));
  ReadOptions options;
  CHECK(support::full(read_matrix(folder / "a.raw")) == a);
  options.n = 3;
  CHECK(support::full(read_matrix(folder / "a", options)) == a);
  CHECK(read_matrix(folder / "a", options).format_name == "raw doubles");
  options.n = 0;
  options.format = Format::raw;
  CHECK(support::full(read_matrix(folder / "a", options)) == a);
}

TEST_CASE("raw doubles are stored column by column") {
  const support::TemporaryFolder folder;
  support::write_file(folder / "a.raw", support::bytes_of(std::vector<double>{1, 2, 3, 4}));
  ReadOptions options;
  options.triangle = Triangle::lower;
  CHECK(support::full(read_matrix(folder / "a.raw", options)) == std::vector<double>{1, 2, 2, 4});
  options.triangle = Triangle::upper;
  CHECK(support::full(read_matrix(folder / "a.raw", options)) == std::vector<double>{1, 3, 3, 4});
}

TEST_CASE("an order that the size does not fit") {
  const support::TemporaryFolder folder;
  support::write_file(folder / "a.raw", std::string(72, '\0'));
  for (const std::int64_t n : {1, 2, 4, 1 << 30}) {
    ReadOptions options;
    options.n = n;
    CAPTURE(n);
    CHECK_THAT(support::refusal([&] { read_matrix(folder / "a.raw", options); }).reason,
               ContainsSubstring("has 72 bytes; a raw matrix of order " + std::to_string(n)));
  }
  for (const std::int64_t n : {std::int64_t{-3}, std::int64_t{1} << 32, INT64_MAX}) {
    ReadOptions options;
    options.n = n;
    CHECK(support::refusal([&] { read_matrix(folder / "a.raw", options); }).line == 0);
  }
}
