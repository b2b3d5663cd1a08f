// The files data/perf/symv_*.txt as they were at build time; the definition is generated
// (blas2/CMakeLists.txt), so that nothing has to be found at run time.
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
