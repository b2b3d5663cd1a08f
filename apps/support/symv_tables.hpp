// Chooses the SYMV tuning table for this GPU: the table that the user names; else the user's table in the cache folder
// ($XDG_CACHE_HOME/eigen_g/symv_<device>.txt, default ~/.cache/eigen_g); else the table in the library.
#pragma once

#include <filesystem>
#include <string>

#include "blas2/symv/symv.hpp"
#include "blas2/symv/symv_table.hpp"
#include "hybrid/machine/device.hpp"

namespace eigen_g::apps {

// The file that `eigen_g tune symv` writes and other commands read. Empty if neither XDG_CACHE_HOME nor HOME is set.
std::filesystem::path cached_symv_table(const Device& gpu);

// Throws FileError with the line of the error, also for a valid table of another GPU.
blas2::SymvTableFile read_symv_table(const std::filesystem::path& file, const Device& gpu);

struct ChosenTable {
  blas2::SymvTable table;  // without rows: the default configuration for every n
  std::string source;      // the file's name, "shipped" or "default"
  std::string refused;     // one line, if the cached table was invalid and is ignored; else empty
};
// file: the user's --table; "": none. An invalid `file` is an error. An invalid cached table is reported in `refused`.
ChosenTable choose_symv_table(const std::string& file, const Device& gpu);

}  // namespace eigen_g::apps
