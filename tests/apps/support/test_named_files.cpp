#include "apps/support/named_files.hpp"

#include <filesystem>
#include <fstream>

#include "apps/support/exit_codes.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/process.hpp"

using namespace eigen_g::apps;

namespace {

std::string refusal(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs,
                    bool force = true) {
  try {
    require_apart(inputs, outputs, force);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("no output is an input, under any name") {
  const support::TemporaryFolder folder;
  namespace fs = std::filesystem;
  std::ofstream(folder / "a.npy") << "matrix";
  fs::create_symlink(folder / "a.npy", folder / "soft");
  fs::create_hard_link(folder / "a.npy", folder / "hard");
  fs::create_directory_symlink(folder / ".", folder / "here");
  for (const char* name : {"a.npy", "./a.npy", "soft", "hard", "here/a.npy", "here/../a.npy"}) {
    if (std::string(name) == "here/../a.npy") continue;  // in the folder above: another file
    CAPTURE(name);
    CHECK_THAT(refusal({{"MATRIX", folder / "a.npy"}}, {{"-o", folder / name}}),
               ContainsSubstring("same file") && ContainsSubstring("MATRIX") && ContainsSubstring("-o"));
    CHECK_FALSE(refusal({{"MATRIX", folder / name}}, {{"-o", folder / "a.npy"}}).empty());
  }
  CHECK(refusal({{"MATRIX", folder / "a.npy"}}, {{"-o", folder / "b.npy"}}).empty());
}

TEST_CASE("two outputs are two files, whether they exist or not") {
  const support::TemporaryFolder folder;
  std::filesystem::create_directory_symlink(folder / ".", folder / "here");
  CHECK_FALSE(refusal({}, {{"-o", folder / "w"}, {"--json", folder / "w"}}).empty());
  CHECK_FALSE(refusal({}, {{"-o", folder / "w"}, {"--json", folder / "here/./w"}}).empty());
  CHECK(refusal({}, {{"-o", folder / "w"}, {"--json", folder / "z"}}).empty());
  CHECK(refusal({}, {{"-o", folder / "none/w"}, {"--json", folder / "none/w"}}).empty());  // opening it fails
  CHECK(refusal({}, {{"-o", ""}, {"--json", "-"}, {"-o", ""}, {"--json", "-"}}).empty());
}

TEST_CASE("only --force replaces an existing file") {
  const support::TemporaryFolder folder;
  std::ofstream(folder / "w") << "values";
  CHECK_THAT(refusal({}, {{"-o", folder / "w"}}, false), ContainsSubstring("exists; --force replaces it"));
  CHECK(refusal({}, {{"-o", folder / "w"}}, true).empty());
  CHECK(refusal({}, {{"-o", folder / "z"}}, false).empty());
}
