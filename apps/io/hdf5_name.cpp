#include "apps/io/hdf5_name.hpp"

#include <system_error>

namespace eigen_g::io {

namespace {

bool ends_as_hdf5(const std::filesystem::path& file) {
  const std::filesystem::path ending = file.extension();
  return ending == ".h5" || ending == ".hdf5";
}

}  // namespace

Hdf5Name hdf5_name(const std::filesystem::path& path) {
  std::error_code ignored;
  const std::string& text = path.native();
  if (std::filesystem::exists(path, ignored)) return {path, {}};
  for (std::size_t colon = text.find(':'); colon != std::string::npos; colon = text.find(':', colon + 1)) {
    const std::filesystem::path file = text.substr(0, colon);
    if (colon + 1 < text.size() && (ends_as_hdf5(file) || std::filesystem::is_regular_file(file, ignored)))
      return {file, text.substr(colon + 1)};
  }
  return {path, {}};
}

bool names_hdf5(const std::filesystem::path& path) {
  return ends_as_hdf5(hdf5_name(path).file);
}

}  // namespace eigen_g::io
