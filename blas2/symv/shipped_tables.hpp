// The text of the files data/perf/symv_*.txt at build time. The definition is generated (blas2/CMakeLists.txt), so no file has
// to be found at run time.
#pragma once

#include <span>
#include <string_view>

namespace eigen_g::blas2 {

struct ShippedTable {
  const char* name;
  std::string_view text;
};
std::span<const ShippedTable> shipped_tables();

}  // namespace eigen_g::blas2
