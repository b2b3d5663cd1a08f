#include "apps/io/eigenpairs_file.hpp"

#include <limits>

#include "apps/io/text_output.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/matrices.hpp"

using namespace eigen_g;
using namespace eigen_g::io;
using support::refusal;

namespace {

std::vector<double> random_values(std::int64_t count) {
  std::vector<double> values = support::random_rectangle(count, 1);
  values[0] = -std::numeric_limits<double>::denorm_min();
  values[1] = std::numeric_limits<double>::max();
  values[2] = 0.1;
  return values;
}

}  // namespace

TEST_CASE("values and vectors come back to the bit from every format") {
  const support::TemporaryFolder folder;
  constexpr std::int64_t n = 37, m = 5;
  const std::vector<double> z = random_values(n * m);
  const auto text = [&](const std::string& name, std::int64_t cols, TextFormat format) {
    OutputFile out(folder / name);
    write_text(out, {z.data(), n, cols, n}, format);
    out.commit();
  };
  text("w.mtx", 1, TextFormat::mtx);
  text("w.txt", 1, TextFormat::txt);
  text("z.mtx", m, TextFormat::mtx);
  text("z.txt", m, TextFormat::txt);
  for (const auto& [name, shape] :
       {std::pair<std::string, std::vector<std::int64_t>>{"w.npy", {n}}, {"z.npy", {n, m}}}) {
    NpyWriter writer(folder / name, shape);
    std::copy_n(z.data(), n * (shape.size() == 2 ? m : 1), writer.data());
    writer.commit();
  }
  const std::vector<double> w(z.begin(), z.begin() + n);
  for (const char* ending : {"npy", "mtx", "txt"}) {
    CAPTURE(ending);
    CHECK(support::equal_bits(read_values(folder / ("w." + std::string(ending))), w));
    const DenseMatrix read = read_vectors(folder / ("z." + std::string(ending)));
    REQUIRE(read.rows == n);
    REQUIRE(read.cols == m);
    REQUIRE(read.ld == n);
    CHECK(support::equal_bits({read.data, read.data + n * m}, z));
  }
}

TEST_CASE("plain text of others") {
  const support::TemporaryFolder folder;
  support::write_file(folder / "w", "# values\n 1.0 2.0D0\n\n% more\n+3\r\n4");
  CHECK(read_values(folder / "w") == std::vector<double>{1, 2, 3, 4});
  support::write_file(folder / "z", "# vectors\n1 2 3\n\n 4\t5  6 \r\n");
  const DenseMatrix z = read_vectors(folder / "z");
  CHECK(z.rows == 2);
  CHECK(std::vector<double>(z.data, z.data + 6) == std::vector<double>{1, 4, 2, 5, 3, 6});
  support::write_file(folder / "w.eig", "   3\n  1.0\n  2.0\n  3.0\n");
  CHECK(read_values(folder / "w.eig") == std::vector<double>{1, 2, 3});
}

TEST_CASE("refusals") {
  const support::TemporaryFolder folder;
  const auto values = [&](const std::string& text, const std::string& name = "w") {
    support::write_file(folder / name, text);
    return refusal([&] { read_values(folder / name); });
  };
  const auto vectors = [&](const std::string& text) {
    support::write_file(folder / "z", text);
    return refusal([&] { read_vectors(folder / "z"); });
  };
  CHECK(values("1\n\n2\nthree\n").line == 4);
  CHECK(values("1\n\n2\nthree\n").reason == "'three' is not a number");
  CHECK(values("% nothing\n").reason == "holds no numbers");
  CHECK(values("3\n1\n2\n", "w.eig").line == 1);
  CHECK_THAT(values("\x1f\x8b and so on").reason, ContainsSubstring("is a gzip-compressed file"));
  CHECK(values("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n").reason ==
        "is 2 x 2; a vector is required");
  CHECK(values("%%MatrixMarket matrix coordinate real general\n2 1 1\n1 1 1\n").line == 1);
  CHECK(vectors("1 2\n3 4\n% c\n5\n").line == 4);
  CHECK(vectors("1 2\n3 4\n% c\n5\n").reason == "holds 1 numbers; the lines before hold 2");
  CHECK(refusal([&] { read_values(folder / "nothing here"); }).reason ==
        "cannot be opened: No such file or directory");
}
