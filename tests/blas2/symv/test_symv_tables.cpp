#include "apps/support/symv_tables.hpp"

#include <cstdlib>
#include <filesystem>

#include "apps/io/file_error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"

using namespace eigen_g;
using namespace eigen_g::apps;
using blas2::SymvType;

namespace {

Device gpu() {
  Device d;
  d.kind = DeviceKind::gpu;
  d.name = "A GPU that nobody has";
  d.compute_major = 9;
  d.cores = 100;
  return d;
}

std::string table_text(const std::string& device) {
  return "eigen_g symv table 1\ndevice " + device +
         "\ncompute 9.0\nmultiprocessors 100\neigen_g 0.1.0\ndate 2026-01-01\nd L 0 inf " +
         name(blas2::symv_candidates(SymvType::d).back()) + "\n";
}

// Sets XDG_CACHE_HOME for a scope.
class CacheHome {
 public:
  explicit CacheHome(const std::string& path) {
    if (const char* value = std::getenv("XDG_CACHE_HOME")) before_ = value;
    ::setenv("XDG_CACHE_HOME", path.c_str(), 1);
  }
  ~CacheHome() {
    if (before_.empty())
      ::unsetenv("XDG_CACHE_HOME");
    else
      ::setenv("XDG_CACHE_HOME", before_.c_str(), 1);
  }
  CacheHome(const CacheHome&) = delete;
  CacheHome& operator=(const CacheHome&) = delete;

 private:
  std::string before_;
};

}  // namespace

TEST_CASE("the location of the user's own table") {
  const CacheHome absolute("/some/cache");
  CHECK(cached_symv_table(gpu()) == "/some/cache/eigen_g/symv_a_gpu_that_nobody_has.txt");
  const CacheHome relative("cache");  // must be ignored by the specification
  CHECK(cached_symv_table(gpu()).string().find("/.cache/eigen_g/symv_a_gpu") != std::string::npos);
}

TEST_CASE("without any table the default holds") {
  const support::TemporaryFolder folder;
  const CacheHome cache(folder / "none");
  const ChosenTable chosen = choose_symv_table("", gpu());
  CHECK(chosen.table.rows.empty());
  CHECK(chosen.source == "default");
  CHECK(chosen.refused.empty());
}

TEST_CASE("the cached table is used, and refused if it is damaged or of another GPU") {
  const support::TemporaryFolder folder;
  const CacheHome cache(folder / "");
  const auto file = cached_symv_table(gpu());
  std::filesystem::create_directories(file.parent_path());

  support::write_file(file, table_text(gpu().name));
  const ChosenTable good = choose_symv_table("", gpu());
  CHECK(good.source == file.string());
  CHECK(good.table.find(SymvType::d, Uplo::lower, 5) == blas2::symv_candidates(SymvType::d).back());
  CHECK(good.refused.empty());

  support::write_file(file, table_text(gpu().name) + "d U 7 inf x\n");
  const ChosenTable damaged = choose_symv_table("", gpu());
  CHECK(damaged.source == "default");
  CHECK(damaged.table.rows.empty());
  CHECK_THAT(damaged.refused, ContainsSubstring(file.string() + ":8: "));
  CHECK_THAT(damaged.refused, ContainsSubstring("it is ignored"));

  support::write_file(file, table_text("Another one"));
  const ChosenTable foreign = choose_symv_table("", gpu());
  CHECK(foreign.source == "default");
  CHECK_THAT(foreign.refused, ContainsSubstring("is for another GPU (Another one, compute capability 9.0"));
}

TEST_CASE("a table that the user names must be right") {
  const support::TemporaryFolder folder;
  const CacheHome cache(folder / "none");
  const std::string file = folder / "t.txt";
  support::write_file(file, table_text(gpu().name));
  CHECK(choose_symv_table(file, gpu()).source == file);
  support::write_file(file, table_text("Another one"));
  CHECK_THROWS_AS(choose_symv_table(file, gpu()), io::FileError);
  support::write_file(file, "nonsense");
  CHECK_THROWS_WITH(choose_symv_table(file, gpu()), ContainsSubstring(file + ":1: "));
  CHECK_THROWS_AS(choose_symv_table(folder / "missing", gpu()), io::FileError);
  CHECK_THROWS_AS(choose_symv_table(folder / "", gpu()), io::FileError);  // a folder
}
