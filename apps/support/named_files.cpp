#include "apps/support/named_files.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <tuple>

#include "apps/io/hdf5_file.hpp"
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

// Adds the files that the links of HDF5 inputs lead to. A file that cannot be read adds nothing; its reader reports the reason.
void add_linked(std::vector<NamedFile>& inputs) {
  const std::vector<NamedFile> named = inputs;
  for (const NamedFile& input : named) {
    const io::Hdf5Name name = io::hdf5_name(input.path);
    if (name.dataset.empty()) continue;
    try {
      const io::MappedFile file(name.file);
      if (!io::begins_as_hdf5(file.text())) continue;
      for (const std::filesystem::path& linked : io::hdf5_files(file, name.dataset))
        inputs.push_back({input.option + ", by a link", linked});
    } catch (const io::FileError&) {
    }
  }
}

}  // namespace

void require_apart(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs, bool force) {
  std::vector<NamedFile> in = given(inputs);
  const std::vector<NamedFile> out = given(outputs);
  if (!out.empty()) add_linked(in);
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
