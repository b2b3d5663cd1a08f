# symv_tables_source(OUT): writes blas2/shipped_tables.cpp into the build folder from data/perf/symv_*.txt and
# names it in OUT. A table that is added or changed makes CMake run again.
function(symv_tables_source out)
  file(GLOB tables CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/data/perf/symv_*.txt)
  list(SORT tables)
  set(entries "")
  list(LENGTH tables count)
  foreach(table IN LISTS tables)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
    file(READ ${table} text)
    get_filename_component(name ${table} NAME)
    string(APPEND entries "    {\"${name}\", R\"symv_table(${text})symv_table\"},\n")
  endforeach()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/shipped_tables.cpp)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[
#include "blas2/symv/shipped_tables.hpp"

#include <array>

namespace eigen_g::blas2 {

std::span<const ShippedTable> shipped_tables() {
  static constexpr std::array<ShippedTable, @count@> tables{{
@entries@  }};
  return tables;
}

}  // namespace eigen_g::blas2
]])
  set(${out} ${source} PARENT_SCOPE)
endfunction()
