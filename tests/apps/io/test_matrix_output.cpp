#include "apps/io/matrix_output.hpp"

#include <limits>
#include <random>

#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"

using namespace eigen_g;
using namespace eigen_g::io;

namespace {

// Doubles with random bits and some zeros; the other triangle is NaN.
std::vector<double> one_triangle(std::int64_t n, std::int64_t lda, Uplo uplo, double zeros,
                                 std::vector<double>& full) {
  std::mt19937_64 random(static_cast<std::uint64_t>(n));
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> share(0, 1);
  full.assign(static_cast<std::size_t>(n * n), 0.0);
  std::vector<double> a(static_cast<std::size_t>(lda * n), std::numeric_limits<double>::quiet_NaN());
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = j; i < n; ++i) {
      const double x = share(random) < zeros ? 0.0 : normal(random) * 1e-200;
      full[i + j * n] = full[j + i * n] = x;
      (uplo == Uplo::lower ? a[i + j * lda] : a[j + i * lda]) = x;
    }
  return a;
}

}  // namespace

TEST_CASE("written matrices are read back to the bit") {
  const support::TemporaryFolder folder;
  for (const char* name : {"a.mtx", "a.npy", "a.raw", "a.bin"})
    for (const std::int64_t n : {1, 2, 31, 33, 150})
      for (const Uplo uplo : {Uplo::lower, Uplo::upper})
        for (const double zeros : {0.0, 0.9})
          for (const int threads : {1, 3}) {
            CAPTURE(name, n, zeros, threads);
            std::vector<double> full;
            const auto a = one_triangle(n, n + 2, uplo, zeros, full);
            std::filesystem::remove(folder / name);
            write_matrix(folder / name, n, a.data(), n + 2, uplo, threads);
            CHECK(support::equal_bits(support::full(read_matrix(folder / name)), full));
          }
}

TEST_CASE("sparse ones as coordinates, others as arrays") {
  const support::TemporaryFolder folder;
  std::vector<double> identity(64, 0.0);
  for (int i = 0; i < 8; ++i) identity[9 * i] = 1;
  write_matrix(folder / "a.mtx", 8, identity.data(), 8, Uplo::lower);
  CHECK(support::text_of_file(folder / "a.mtx").substr(0, 74) ==
        "%%MatrixMarket matrix coordinate real symmetric\n8 8 8\n1 1 1\n2 2 1\n3 3 1\n4 ");
  const std::vector<double> dense{1, 2, 2, 3};
  write_matrix(folder / "b.mtx", 2, dense.data(), 2, Uplo::upper);
  CHECK(support::text_of_file(folder / "b.mtx") ==
        "%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n");
}

TEST_CASE("order 0") {
  const support::TemporaryFolder folder;
  for (const char* name : {"a.mtx", "a.npy"}) {
    write_matrix<double>(folder / name, 0, nullptr, 1, Uplo::lower);
    CHECK(read_matrix(folder / name).n == 0);
  }
}

TEST_CASE("an unknown ending is refused before any work") {
  const support::TemporaryFolder folder;
  CHECK_THROWS_AS(require_matrix_ending("a.doc"), FileError);
  CHECK_NOTHROW(require_matrix_ending("a.npy"));
  CHECK_THROWS_AS(write_matrix<double>(folder / "a", 1, nullptr, 1, Uplo::lower), FileError);
  CHECK(folder.names().empty());
}
