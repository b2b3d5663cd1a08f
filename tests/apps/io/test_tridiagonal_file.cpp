#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"

using namespace eigen_g;
using namespace eigen_g::io;

namespace {

std::vector<double> read(const std::string& text, const std::string& name = "t.dat") {
  const support::TemporaryFolder folder;
  support::write_file(folder / name, text);
  return support::full(read_matrix(folder / name));
}

support::Refusal refused(const std::string& text) {
  return support::refusal([&] { read(text); });
}

}  // namespace

TEST_CASE("the layout of stetester's files") {
  const std::vector<double> expected{1.5, -2, 0, -2, 2.5, 0.25, 0, 0.25, 3};
  for (const std::string text :
       {"     3\n     1    1.5E+00   -2.0E+00\n     2  2.5  0.25\n     3  3.0  0.0E+00\n",
        "3\n1 1.5 -2\n2 2.5 0.25\n3 3", "3\r\n1 1.5D0 -2d0\r\n2 2.5 .25\r\n3 3 77\r\n",
        "% comment\n\n# another\n3  \n\n1 +1.5 -2\n# c\n2 2.5 0.25\n3 3 0\n\n"}) {
    CAPTURE(text);
    CHECK(read(text) == expected);
    CHECK(read(text, "t") == expected);  // by its first line
  }
}

TEST_CASE("orders 0 and 1") {
  CHECK(read("0\n").empty());
  CHECK(read("1\n1 4.5 0\n") == std::vector<double>{4.5});
  CHECK(read("1\n1 4.5") == std::vector<double>{4.5});
}

TEST_CASE("refusals name the line") {
  CHECK(refused("2\n\n1 1 x\n2 1\n").line == 3);
  CHECK(refused("2\n% c\n1 1 1\n3 1\n").line == 4);
  CHECK(refused("2\n1 1 1\n2 1 0\n\n3 1 0\n").line == 5);
  CHECK(refused("2\n1 1 1\n2 1e999\n").reason == "the diagonal entry '1e999' is out of range");
  CHECK(refused("2\n1 1 1\n2 1e999\n").line == 3);
  CHECK(refused("2 2\n1 1 1\n2 1\n").line == 1);
  CHECK(refused("2\n1.0 1 1\n2 1\n").reason == "the row index '1.0' is not an integer");
}
