// Which of SYMV's tuning tables holds on this GPU: the one that the user names, else the user's own in the
// cache folder ($XDG_CACHE_HOME/eigen_g/symv_<device>.txt, by default ~/.cache/eigen_g), else the one that
// the library carries.
#pragma once

#include <filesystem>
#include <string>

#include "blas2/symv/symv.hpp"
#include "blas2/symv/symv_table.hpp"
#include "hybrid/machine/device.hpp"

namespace eigen_g::apps {

// Where `eigen_g tune symv` writes and the others look; empty where neither XDG_CACHE_HOME nor HOME is set.
std::filesystem::path cached_symv_table(const Device& gpu);

// Throws FileError with the line of the fault; for a sound table of another GPU as well.
blas2::SymvTableFile read_symv_table(const std::filesystem::path& file, const Device& gpu);

struct ChosenTable {
  blas2::SymvTable table;  // without rows: the default holds everywhere
  std::string source;      // the file, "shipped", "default"
  std::string refused;     // one line where the cached table was refused and is ignored; else empty
};
// file: the user's --table, "" for none; a fault in it is thrown, one in the cached table is told in
// `refused`.
ChosenTable choose_symv_table(const std::string& file, const Device& gpu);

}  // namespace eigen_g::apps
