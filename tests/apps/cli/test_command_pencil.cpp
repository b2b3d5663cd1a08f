// Tests of the command's few pairs of sparse pencils as a process: pairs, counts, intervals, proofs, and their verification.
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numbers>
#include <numeric>

#include "apps/io/eigenpairs_file.hpp"
#include "apps/io/npy.hpp"
#include "tests/support/command.hpp"
#include "tests/support/pencils.hpp"
#include "tests/support/skip.hpp"

// First statement of a TEST_CASE that factorises a sparse matrix.
#define NEEDS_FACTOR_LIBRARY()                                \
  if (!eigen_g::available(eigen_g::FactorLibrary::automatic)) \
  SKIP_TEST("no library factorises sparse matrices")

using namespace support;
using nlohmann::json;
namespace io = eigen_g::io;

namespace {

std::string number(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

// Coordinate Matrix Market, lower triangle.
void write_sparse(const std::string& path, const Csr& a) {
  std::string text;
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < a.n; ++i)
    for (std::int64_t p = a.offsets[i]; p < a.offsets[i + 1] && a.column[p] <= i; ++p, ++count)
      text += std::to_string(i + 1) + " " + std::to_string(a.column[p] + 1) + " " + number(a.value[p]) + "\n";
  const std::string n = std::to_string(a.n);
  write_file(path, "%%MatrixMarket matrix coordinate real symmetric\n" + n + " " + n + " " +
                       std::to_string(count) + "\n" + text);
}

struct Files {
  TemporaryFolder folder;
  PencilCase pencil = box(14, 13, 0, 1, std::numbers::sqrt2);
  std::string k = folder / "k.mtx", m = folder / "m.mtx", lumped = folder / "m.npy",
              column = folder / "c.mtx", plain = folder / "c.txt";
  Files() {
    for (std::int64_t i = 0; i < pencil.n(); ++i)
      pencil.diagonal.push_back(std::accumulate(pencil.m.value.begin() + pencil.m.offsets[i],
                                                pencil.m.value.begin() + pencil.m.offsets[i + 1], 0.0));
    write_sparse(k, pencil.k);
    write_sparse(m, pencil.m);
    io::NpyWriter writer(lumped, {pencil.n()});
    std::copy(pencil.diagonal.begin(), pencil.diagonal.end(), writer.data());
    writer.commit();
    std::string text = "%%MatrixMarket matrix array real general\n" + std::to_string(pencil.n()) + " 1\n";
    for (const double x : pencil.diagonal) text += number(x) + "\n";
    write_file(column, text);
    std::string lines;
    for (const double x : pencil.diagonal) lines += number(x) + "\n";
    write_file(plain, lines);
  }
  json solved(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"solve", k, "--json", "-"});
    return json::parse(succeed(arguments).out);
  }
};

}  // namespace

TEST_CASE(
    "solve --b finds the lowest pairs of a sparse pencil and those near a value, proven, and verify passes "
    "them") {
  NEEDS_FACTOR_LIBRARY();
  const Files files;
  const std::vector<double>& exact = files.pencil.values;
  const double sigma = exact[20] + 0.4 * (exact[21] - exact[20]);
  const struct {
    std::vector<std::string> options;
    std::size_t first;
  } cases[] = {{{"--lowest", "5"}, 0},
               {{"--near", number(sigma), "--count", "5", "--above"}, 21},
               {{"--near", number(sigma), "--count", "5", "--below"}, 16}};
  for (const auto& [options, first] : cases) {
    std::vector<std::string> line = options;
    line.insert(line.end(),
                {"--b", files.m, "--verify", "-o", files.folder / "r", "--force", "--proof", "counts"});
    const json report = files.solved(line);
    const auto values = report["values"].get<std::vector<double>>();
    REQUIRE(values.size() == 5);
    for (std::size_t i = 0; i < 5; ++i) CHECK(values[i] == Approx(exact[first + i]).epsilon(1e-11));
    CHECK(report["status"] == "converged");
    CHECK(report["method"] == "shift-invert");
    CHECK(report["proof"]["proven"] == true);
    CHECK(report["b"]["form"] == "matrix");
    CHECK(report["bounds"].size() == 5);
    CHECK(report["factorisation"]["entries"].get<std::int64_t>() > files.pencil.n());
    CHECK(report["verification"]["passed"] == true);
    const json check =
        json::parse(succeed({"verify", files.k, "--b", files.m, "--values", files.folder / "r.values.npy",
                             "--vectors", files.folder / "r.vectors.npy", "--proof", "--json", "-"})
                        .out);
    CHECK(check["format"] == "eigen_g-verify");
    CHECK(check["verification"]["passed"] == true);
    CHECK(check["counts"]["passed"] == true);
    CHECK(check["inputs"]["b"] == files.m);
  }
}

TEST_CASE("a lumped mass is a vector file: .npy, one column of Matrix Market, or plain text") {
  NEEDS_FACTOR_LIBRARY();
  const Files files;
  const json by_npy = files.solved({"--b", files.lumped, "--lowest", "3"}),
             by_column = files.solved({"--b", files.column, "--lowest", "3"}),
             by_text = files.solved({"--b", files.plain, "--lowest", "3"});
  CHECK(by_npy["b"]["form"] == "diagonal");
  CHECK(by_npy["values"] == by_column["values"]);
  CHECK(by_npy["values"] == by_text["values"]);
  CHECK(by_npy["values"][0].get<double>() == Approx(files.pencil.values[0]).epsilon(0.05));
  write_file(files.folder / "short.txt.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n");
  CHECK_THAT(fail_with(3, {"solve", files.k, "--b", files.folder / "short.txt.mtx", "--lowest", "1"}).err,
             ContainsSubstring("order 3"));
}

TEST_CASE(
    "solve --interval writes all pairs of an interval; --count-only counts them; --max-pairs refuses more") {
  NEEDS_FACTOR_LIBRARY();
  const Files files;
  const std::vector<double>& exact = files.pencil.values;
  const std::string range = "0:" + number((exact[30] + exact[31]) / 2);
  const json report =
      files.solved({"--b", files.m, "--interval", range, "-o", files.folder / "r", "--verify"});
  CHECK(report["values"].size() == 31);
  CHECK(report["wanted"]["interval"] == range);
  CHECK(report["verification"]["passed"] == true);
  CHECK(io::read_vectors(files.folder / "r.vectors.npy").cols == 31);
  const json counts = files.solved({"--b", files.m, "--interval", range, "--count-only"});
  CHECK(counts["format"] == "eigen_g-count");
  CHECK(counts["within"] == 31);
  CHECK(files.solved(
            {"--b", files.m, "--near", number(exact[9] + 1e-3), "--count-only"})["counts"][0]["below"] == 10);
  CHECK_THAT(succeed({"solve", files.k, "--b", files.m, "--interval", range, "--count-only"}).out,
             ContainsSubstring("31 values"));
  CHECK_THAT(
      fail_with(2, {"solve", files.k, "--b", files.m, "--interval", range, "--max-pairs", "30", "-q"}).err,
      ContainsSubstring("--max-pairs") && ContainsSubstring("31"));
  CHECK(files.solved({"--b", files.m, "--interval", "-5:-1", "-o", files.folder / "none"})["values"].empty());
}

TEST_CASE(
    "the table of a pencil has the engine, the shift, the proof and bounds; --predict the size of the "
    "factor") {
  NEEDS_FACTOR_LIBRARY();
  const Files files;
  const ProcessResult outcome = succeed({"solve", files.k, "--b", files.m, "--lowest", "2", "--predict"});
  for (const char* const text :
       {"shift-invert", "library", "entries of L", "shift", "proof", "found", "bound", "|Az-wBz|"})
    CHECK_THAT(outcome.out, ContainsSubstring(text));
  CHECK_THAT(outcome.err + outcome.out, ContainsSubstring("factor"));
  CHECK_THAT(succeed({"solve", files.k, "--b", files.m, "--lowest", "2", "--proof", "none"}).out,
             ContainsSubstring("proof           none"));
}

TEST_CASE("verify --proof fails if one pair of a pencil was removed; a turned vector fails always") {
  NEEDS_FACTOR_LIBRARY();
  const Files files;
  files.solved({"--b", files.m, "--lowest", "6", "-o", files.folder / "r"});
  const std::vector<double> w = io::read_values(files.folder / "r.values.npy");
  const io::DenseMatrix z = io::read_vectors(files.folder / "r.vectors.npy");
  const std::int64_t n = files.pencil.n();
  const auto written = [&](const std::string& name, const std::vector<int>& kept, double turn) {
    std::string text;
    for (const int i : kept) text += number(w[static_cast<std::size_t>(i)]) + "\n";
    write_file(files.folder / (name + ".txt"), text);
    io::NpyWriter writer(files.folder / (name + ".npy"), {n, static_cast<std::int64_t>(kept.size())});
    for (std::size_t j = 0; j < kept.size(); ++j)
      for (std::int64_t i = 0; i < n; ++i)
        writer.data()[i + static_cast<std::int64_t>(j) * n] =
            z.data[i + kept[j] * z.ld] + (j == 1 ? turn * z.data[i + kept[2] * z.ld] : 0);
    writer.commit();
    return eigen_g_command({"verify", files.k, "--b", files.m, "--values", files.folder / (name + ".txt"),
                            "--vectors", files.folder / (name + ".npy"), "--proof"});
  };
  CHECK(written("all", {0, 1, 2, 3, 4, 5}, 0).code == 0);
  const ProcessResult missing = written("missing", {0, 1, 2, 4, 5}, 0);
  CHECK(missing.code == 4);
  CHECK_THAT(missing.err, ContainsSubstring("missing"));
  CHECK(written("turned", {0, 1, 2, 3, 4, 5}, 1e-6).code == 4);
}

TEST_CASE("buckling: load factors near a shift") {
  NEEDS_FACTOR_LIBRARY();
  const Files files;
  SparseSum load{files.pencil.n()};
  for (std::int64_t i = 0; i < load.n; ++i) load.add(i, i, i % 14 < 7 ? 1.0 : -0.5);
  write_sparse(files.folder / "kg.mtx", Csr(load));
  const json report = files.solved({"--b", files.folder / "kg.mtx", "--buckling", "--near", "1", "--count",
                                    "2", "-o", files.folder / "r", "--verify"});
  CHECK(report["values"].size() == 2);
  CHECK(report["wanted"]["buckling"] == true);
  CHECK(report["verification"]["passed"] == true);
  fail_with(2, {"solve", files.k, "--b", files.folder / "kg.mtx", "--buckling", "--near", "0", "-q"});
}

TEST_CASE("pencils: what is not solved is refused by its option or file") {
  const Files files;
  fail_with(2, {"solve", files.k, "--interval", "3"});
  fail_with(2, {"solve", files.k, "--interval", "3:1"});
  fail_with(2, {"solve", files.k, "--interval", ":1"});
  fail_with(2, {"solve", files.k, "--interval", "1:2", "--lowest", "3"});
  fail_with(2, {"solve", files.k, "--lowest", "3", "--above"});
  fail_with(2, {"solve", files.k, "--max-pairs", "3", "--lowest", "3"});
  fail_with(2, {"solve", files.k, "--lowest", "3", "--count-only"});
  fail_with(2, {"solve", files.k, "--near", "3", "--count-only", "-o", files.folder / "r"});
  fail_with(2, {"solve", files.k, "--b", files.m, "--itype", "2", "--lowest", "3"});
  fail_with(2, {"solve", files.k, "--b", files.m, "--proof", "counts"});
  fail_with(2, {"solve", files.k, "--library", "mumps"});
  fail_with(2, {"solve", files.k, "--lowest", "3", "--engine", "df"});
  fail_with(2, {"solve", "--grid", "5x5", "--b", files.m, "--lowest", "3"});
  fail_with(2, {"solve", files.k, "--b", files.m, "--lowest", "1", "-o", files.folder / "m", "--format",
                "mtx", "--json", files.m});
  write_file(files.folder / "other.mtx",
             "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n2 2 1\n");
  CHECK_THAT(fail_with(3, {"solve", files.k, "--b", files.folder / "other.mtx", "--lowest", "1"}).err,
             ContainsSubstring("order 2"));
}

TEST_CASE("pairs near a value of a large matrix without a library are refused at once") {
  const TemporaryFolder folder;
  SparseSum a{60000};
  for (std::int64_t i = 0; i < a.n; ++i) a.add(i, i, static_cast<double>(i));
  write_sparse(folder / "a.mtx", Csr(a));
  CHECK_THAT(fail_with(2, {"solve", folder / "a.mtx", "--near", "1", "--library", "none", "-q"}).err,
             ContainsSubstring("--library") && ContainsSubstring("factorisation"));
}
