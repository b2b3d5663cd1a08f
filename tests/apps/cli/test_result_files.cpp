#include "apps/cli/result_files.hpp"

#include <filesystem>

#include "apps/io/eigenpairs_file.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/process.hpp"

using namespace eigen_g;
using apps::ResultFiles;
using apps::ResultFormat;

namespace {

void fill(const ResultFiles& files, std::int64_t n) {
  for (std::int64_t k = 0; k < n; ++k) files.values()[k] = 0.1 * static_cast<double>(k);
  if (files.vectors())
    for (std::int64_t k = 0; k < n * n; ++k) files.vectors()[k] = 1.0 / static_cast<double>(k + 1);
}

std::size_t target_count(const support::TemporaryFolder& folder, const ResultFiles& files) {
  (void)folder;
  return std::size_t{std::filesystem::is_regular_file(files.values_file())} +
         std::size_t{std::filesystem::is_regular_file(files.vectors_file())};
}

}  // namespace

TEST_CASE("results appear with commit and read back to the same bits") {
  const support::TemporaryFolder folder;
  const ResultFormat format = GENERATE(ResultFormat::npy, ResultFormat::mtx, ResultFormat::txt);
  const std::int64_t n = GENERATE(1, 2, 7);
  ResultFiles files(folder / "r", format, {n, n});
  fill(files, n);
  CHECK(target_count(folder, files) == 0);
  files.commit(n, 1);
  CHECK(target_count(folder, files) == 2);
  CHECK(folder.names().size() == 2);
  const std::vector<double> w = io::read_values(files.values_file());
  const io::DenseMatrix z = io::read_vectors(files.vectors_file());
  REQUIRE(static_cast<std::int64_t>(w.size()) == n);
  REQUIRE(z.rows == n);
  REQUIRE(z.cols == n);
  for (std::int64_t k = 0; k < n; ++k) CHECK(w[static_cast<std::size_t>(k)] == 0.1 * static_cast<double>(k));
  for (std::int64_t k = 0; k < n * n; ++k)
    CHECK(z.data[k % n + k / n * z.ld] == 1.0 / static_cast<double>(k + 1));
}

TEST_CASE("a subset: n x m files, however many were thought possible") {
  const support::TemporaryFolder folder;
  const ResultFormat format = GENERATE(ResultFormat::npy, ResultFormat::mtx, ResultFormat::txt);
  const bool known = GENERATE(true, false);
  const std::int64_t n = 6, found = GENERATE(1, 4, 6), most = known ? found : n;
  ResultFiles files(folder / "r", format, {n, most, true, known});
  for (std::int64_t k = 0; k < most; ++k) files.values()[k] = 0.1 * static_cast<double>(k);
  for (std::int64_t k = 0; k < n * most; ++k) files.vectors()[k] = 1.0 / static_cast<double>(k + 1);
  CHECK(target_count(folder, files) == 0);
  files.commit(found, 1);
  CHECK(folder.names().size() == 2);
  CHECK(static_cast<std::int64_t>(io::read_values(files.values_file()).size()) == found);
  const io::DenseMatrix z = io::read_vectors(files.vectors_file());
  REQUIRE(z.rows == n);
  REQUIRE(z.cols == found);
  for (std::int64_t k = 0; k < n * found; ++k)
    CHECK(z.data[k % n + k / n * z.ld] == 1.0 / static_cast<double>(k + 1));
}

TEST_CASE("without commit nothing is left") {
  const support::TemporaryFolder folder;
  const ResultFormat format = GENERATE(ResultFormat::npy, ResultFormat::mtx, ResultFormat::txt);
  { fill(ResultFiles(folder / "r", format, {5, 5}), 5); }
  CHECK(folder.names().empty());
}

TEST_CASE("both files appear or neither") {
  const support::TemporaryFolder folder;
  const ResultFormat format = GENERATE(ResultFormat::npy, ResultFormat::mtx);
  const bool values_fail = GENERATE(true, false);
  std::string blocked;
  {
    ResultFiles files(folder / "r", format, {5, 5});
    fill(files, 5);
    blocked = values_fail ? files.values_file() : files.vectors_file();
    std::filesystem::create_directory(blocked);  // a folder cannot be replaced
    CHECK_THROWS_AS(files.commit(5, 1), io::FileError);
    CHECK(target_count(folder, files) == 0);
  }
  CHECK(folder.names() == std::vector<std::string>{std::filesystem::path(blocked).filename().string()});
}

TEST_CASE("only values, and memory without files") {
  const support::TemporaryFolder folder;
  ResultFiles values(folder / "r", ResultFormat::npy, {4, 4, false});
  fill(values, 4);
  CHECK(values.vectors() == nullptr);
  values.commit(4, 1);
  CHECK(folder.names() == std::vector<std::string>{"r.values.npy"});

  ResultFiles memory("", ResultFormat::npy, {4, 4});
  fill(memory, 4);
  memory.commit(4, 1);
  CHECK(memory.values_file().empty());
}
