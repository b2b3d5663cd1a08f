#include "apps/io/text_output.hpp"

#include <limits>

#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/matrices.hpp"

using namespace eigen_g;
using namespace eigen_g::io;

namespace {

std::string written(MatrixView<const double> a, TextFormat format, int threads = 1) {
  const support::TemporaryFolder folder;
  OutputFile out(folder / "a");
  write_text(out, a, format, threads);
  out.commit();
  return support::text_of_file(folder / "a");
}

}  // namespace

TEST_CASE("text of a matrix with padding") {
  const std::vector<double> a{1, -2.5, 99, 0.1, 1e300, 99};  // 2 x 2, leading dimension 3
  CHECK(written({a.data(), 2, 2, 3}, TextFormat::txt) == "1 0.1\n-2.5 1e+300\n");
  CHECK(written({a.data(), 2, 2, 3}, TextFormat::mtx) ==
        "%%MatrixMarket matrix array real general\n2 2\n1\n-2.5\n0.1\n1e+300\n");
}

TEST_CASE("one value in each line, and no output for no values") {
  const std::vector<double> w{-1, 0.5};
  CHECK(written({w.data(), 2, 1, 2}, TextFormat::txt) == "-1\n0.5\n");
  CHECK(written({w.data(), 0, 1, 1}, TextFormat::txt).empty());
  CHECK(written({w.data(), 0, 1, 1}, TextFormat::mtx) == "%%MatrixMarket matrix array real general\n0 1\n");
}

TEST_CASE("the text does not depend on the threads") {
  const std::vector<double> a = support::random_rectangle(9001, 3);
  for (const TextFormat format : {TextFormat::txt, TextFormat::mtx}) {
    const std::string one = written({a.data(), 9001, 3, 9001}, format, 1);
    CHECK(written({a.data(), 9001, 3, 9001}, format, 2) == one);
    CHECK(written({a.data(), 9001, 3, 9001}, format, 7) == one);
  }
}
