# shipped_files_source(OUT PATTERN HEADER NAMESPACE TYPE FUNCTION): writes FUNCTION.cpp into the build folder and names it in
# OUT. It defines FUNCTION(), which HEADER declares: a TYPE{name, text} for each file that fits PATTERN, from the project's
# root. A file that is added or changed makes CMake run again.
function(shipped_files_source out pattern header namespace type function)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${pattern})
  list(SORT files)
  set(entries "")
  list(LENGTH files count)
  foreach(file IN LISTS files)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} text)
    get_filename_component(name ${file} NAME)
    string(APPEND entries "    {\"${name}\", R\"shipped(${text})shipped\"},\n")
  endforeach()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[
#include "@header@"

#include <array>

namespace @namespace@ {

std::span<const @type@> @function@() {
  static constexpr std::array<@type@, @count@> files{{
@entries@  }};
  return files;
}

}  // namespace @namespace@
]])
  set(${out} ${source} PARENT_SCOPE)
endfunction()
