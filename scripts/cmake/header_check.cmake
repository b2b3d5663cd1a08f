# Target eigen_g_headers: each header of the project compiles alone, and twice in one file, with the project's warnings. A header
# with #pragma once that a source of the same name includes first is left out, because that source checks the same.
# The target exists only in builds of the command with CUDA, which can compile all headers, and is not part of the target all.
# .ci/run builds it.
find_package(CLI11 REQUIRED)
find_package(nlohmann_json 3 REQUIRED)
set(header_sources)
foreach(floor hybrid blas2 gemm_df solver apps tests)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/${floor}/*.h
       ${PROJECT_SOURCE_DIR}/${floor}/*.hpp ${PROJECT_SOURCE_DIR}/${floor}/*.cuh)
  list(FILTER headers EXCLUDE REGEX "^apps/python/")  # they need nanobind, which is optional
  if(NOT EIGEN_G_HAVE_MPI)
    list(FILTER headers EXCLUDE REGEX "/distributed/")
  endif()
  # The emulation of a GPU replaces CUDA's own names, so its headers do not compile with CUDA's.
  list(FILTER headers EXCLUDE REGEX "^tests/support/emulat")
  if(NOT EIGEN_G_HAVE_CUSOLVERMP)
    list(FILTER headers EXCLUDE REGEX "/cusolvermp_library\\.hpp$")
  endif()
  foreach(header ${headers})
    set(first)
    foreach(suffix cpp cu)
      string(REGEX REPLACE "\\.[a-z]+$" ".${suffix}" source ${PROJECT_SOURCE_DIR}/${header})
      if(NOT first AND EXISTS ${source})
        file(STRINGS ${source} first REGEX "^#include" LIMIT_COUNT 1)
      endif()
    endforeach()
    file(STRINGS ${PROJECT_SOURCE_DIR}/${header} once REGEX "^#pragma once")
    if(once AND first STREQUAL "#include \"${header}\"")
      continue()
    endif()
    string(REGEX REPLACE "\\.h$" ".c" source ${header})
    string(REGEX REPLACE "\\.hpp$" ".cpp" source ${source})
    string(REGEX REPLACE "\\.cuh$" ".cu" source ${source})
    set(source ${PROJECT_BINARY_DIR}/headers/${source})
    file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"\n#include \"${header}\"\n")
    list(APPEND header_sources ${source})
  endforeach()
endforeach()
add_library(eigen_g_headers OBJECT EXCLUDE_FROM_ALL ${header_sources})
eigen_g_own(eigen_g_headers)
target_compile_options(eigen_g_headers PRIVATE -O0)
target_link_libraries(eigen_g_headers PRIVATE eigen_g_test_support CLI11::CLI11 nlohmann_json::nlohmann_json
                      $<TARGET_NAME_IF_EXISTS:eigen_g_mpi_engines>)
