#include "apps/support/named_files.hpp"

#include <filesystem>
#include <fstream>

#include "apps/io/hdf5_file.hpp"
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

TEST_CASE("a dataset behind a link is in the file of the link and in the file that it leads to") {
  const support::TemporaryFolder folder;
  namespace fs = std::filesystem;
  const std::string data = std::string(EIGEN_G_DATA_DIR) + "/hdf5/";
  for (const char* name : {"links.h5", "minij_6.h5"}) fs::copy_file(data + name, folder / name);
  fs::create_hard_link(folder / "minij_6.h5", folder / "hard.h5");
  if (eigen_g::io::hdf5_version().empty()) SKIP_TEST("built without HDF5");
  for (const char* dataset : {":/H", ":/soft", ":/linked/H"})
    for (const char* output : {"minij_6.h5", "hard.h5", "minij_6.h5:/new"}) {
      CAPTURE(dataset, output);
      const std::string text = refusal({{"--b", folder / "links.h5" + dataset}}, {{"-o", folder / output}});
      CHECK_THAT(text, ContainsSubstring(std::string(output) + " (-o) is the same file as the input") &&
                           ContainsSubstring("minij_6.h5 (--b, by a link)"));
    }
  CHECK_FALSE(refusal({{"--b", folder / "links.h5:/H"}}, {{"-o", folder / "links.h5"}}).empty());
  CHECK(refusal({{"--b", folder / "links.h5:/other"}}, {{"-o", folder / "minij_6.h5"}}).empty());
  CHECK(refusal({{"--b", folder / "links.h5:/nothing"}}, {{"-o", folder / "minij_6.h5"}}).empty());
  CHECK(refusal({{"--b", folder / "links.h5"}}, {{"-o", folder / "minij_6.h5"}}).empty());
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
