#include "apps/support/symv_tables.hpp"

#include <fstream>
#include <sstream>

#include "apps/io/file_error.hpp"
#include "apps/support/text.hpp"
#include "solver/devices/calibration.hpp"

namespace eigen_g::apps {

namespace {

std::string model_text(const std::string& name, int major, int minor, int multiprocessors) {
  return print("%s, compute capability %d.%d, %d multiprocessors", name.c_str(), major, minor,
               multiprocessors);
}

}  // namespace

std::filesystem::path cached_symv_table(const Device& gpu) {
  const auto folder = cache_folder();
  return folder.empty() ? folder : folder / blas2::symv_table_file_name(gpu.name);
}

blas2::SymvTableFile read_symv_table(const std::filesystem::path& file, const Device& gpu) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) throw io::FileError(file, 0, "cannot be read as a SYMV table");
  blas2::SymvTableFile table;
  try {
    table = blas2::parse_symv_table(text.str(), file.string());
  } catch (const blas2::SymvTableError& e) {
    throw io::FileError(file, e.line(), e.reason());
  }
  if (!is_for(table, gpu))
    throw io::FileError(
        file, 0,
        "is for another GPU (" +
            model_text(table.device, table.compute_major, table.compute_minor, table.multiprocessors) +
            "); this one is " +
            model_text(gpu.name, gpu.compute_major, gpu.compute_minor, gpu.multiprocessors));
  return table;
}

ChosenTable choose_symv_table(const std::string& file, const Device& gpu) {
  if (!file.empty()) return {read_symv_table(file, gpu).table, file, ""};
  ChosenTable chosen;
  const auto cached = cached_symv_table(gpu);
  std::error_code ignored;
  if (!cached.empty() && std::filesystem::exists(cached, ignored)) {
    try {
      return {read_symv_table(cached, gpu).table, cached.string(), ""};
    } catch (const io::FileError& e) {
      chosen.refused = std::string(e.what()) + "; it is ignored";
    }
  }
  if (const auto shipped = blas2::shipped_symv_table(gpu)) {
    chosen.table = shipped->table;
    chosen.source = "shipped";
  } else {
    chosen.source = "default";
  }
  return chosen;
}

}  // namespace eigen_g::apps
