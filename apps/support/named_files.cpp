#include "apps/support/named_files.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <tuple>

#include "apps/io/hdf5_name.hpp"
#include "apps/support/exit_codes.hpp"

namespace eigen_g::apps {

namespace {

// Identity of a path: that of an existing file, or a name in an existing folder.
struct Identity {
  dev_t device = 0;
  ino_t inode = 0;
  std::string name;  // "": device and inode are the file's own
  bool operator==(const Identity& other) const {
    return std::tie(device, inode, name) == std::tie(other.device, other.inode, other.name);
  }
};

// Returns nothing if neither the file nor its folder exists. Opening the file then reports the reason.
std::optional<Identity> identity(const std::string& file) {
  const std::filesystem::path path = io::hdf5_name(file).file;
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return Identity{status.st_dev, status.st_ino, ""};
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  if (::stat(folder.c_str(), &status) != 0) return std::nullopt;
  return Identity{status.st_dev, status.st_ino, path.filename().string()};
}

std::string named(const NamedFile& file) {
  return file.path + " (" + file.option + ")";
}

void require_other(const NamedFile& output, const std::vector<NamedFile>& others, std::size_t count,
                   const char* what) {
  const auto own = identity(output.path);
  const auto one_output = [&output](const NamedFile& other) {
    return other.option == output.option && !io::hdf5_name(output.path).dataset.empty();
  };
  for (std::size_t i = 0; i < count && own; ++i)
    if (identity(others[i].path) == own && !one_output(others[i]))
      throw UsageError(named(output) + " is the same file as " + what + " " + named(others[i]));
}

std::vector<NamedFile> given(const std::vector<NamedFile>& files) {
  std::vector<NamedFile> list;
  for (const NamedFile& file : files)
    if (!file.path.empty() && file.path != "-") list.push_back(file);
  return list;
}

}  // namespace

void require_apart(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs, bool force) {
  const std::vector<NamedFile> in = given(inputs), out = given(outputs);
  for (std::size_t i = 0; i < out.size(); ++i) {
    require_other(out[i], in, in.size(), "the input");
    require_other(out[i], out, i, "the output");
  }
  std::error_code ignored;
  for (const NamedFile& file : out)
    if (!force && std::filesystem::is_regular_file(io::hdf5_name(file.path).file, ignored))
      throw UsageError(named(file) + " exists; --force replaces it");
}

}  // namespace eigen_g::apps
