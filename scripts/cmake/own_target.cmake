# eigen_g_own(target): warnings, and the definitions that every target of this project sees.
function(eigen_g_own target)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:C,CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion>
    # GCC 12 and 13 warn wrongly at "literal" + std::string (PR 105651) and at copies into a vector whose size they guess.
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict -Wno-stringop-overflow -Wno-array-bounds>
    # In a unity build a source is included, and GCC takes its local types for a header's.
    $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>>:-Wno-subobject-linkage>
    $<$<COMPILE_LANGUAGE:C,CXX>:-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=>  # messages with __FILE__: from the root
    $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=>
    $<$<AND:$<BOOL:${EIGEN_G_WERROR}>,$<COMPILE_LANGUAGE:C,CXX>>:-Werror>
    $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra --expt-relaxed-constexpr -diag-suppress=20012>
    $<$<AND:$<BOOL:${EIGEN_G_WERROR}>,$<COMPILE_LANGUAGE:CUDA>>:-Werror=all-warnings>)
  target_compile_definitions(${target} PRIVATE $<$<BOOL:${EIGEN_G_HAVE_CUDA}>:EIGEN_G_HAVE_CUDA>
                                               EIGEN_G_VERSION="${PROJECT_VERSION}")
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/include)
endfunction()

# eigen_g_light(target): a release build optimises it little, because its speed does not matter (CLI11, JSON, tests).
function(eigen_g_light target)
  target_compile_options(${target} PRIVATE $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:C,CXX>>:-O1>)
endfunction()

# eigen_g_vector_sources(variable source ...): the sources of kernels (hybrid/vector/width.hpp) once for each width, as files of the build
# folder that set EIGEN_G_WIDTH and include the source.
function(eigen_g_vector_sources variable)
  set(widths generic)
  set(bytes 32)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    list(APPEND widths avx2 avx512)
    list(APPEND bytes 32 64)
  endif()
  set(options_generic -Wno-psabi)  # no function with a vector argument is called: all are inlined
  set(options_avx2 -march=x86-64-v3)
  set(options_avx512 -march=x86-64-v4 -mprefer-vector-width=512)
  set(files)
  foreach(source ${ARGN})
    get_filename_component(name ${source} NAME_WE)
    foreach(width size IN ZIP_LISTS widths bytes)
      set(file ${CMAKE_CURRENT_BINARY_DIR}/vector/${name}_${width}.cpp)
      file(CONFIGURE OUTPUT ${file} CONTENT
           "#define EIGEN_G_WIDTH ${width}\n#define EIGEN_G_VECTOR_BYTES ${size}\n#include \"${CMAKE_CURRENT_SOURCE_DIR}/${source}\"\n")
      set_source_files_properties(${file} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON COMPILE_OPTIONS "${options_${width}};-ffp-contract=fast")
      list(APPEND files ${file})
    endforeach()
  endforeach()
  set(${variable} ${files} PARENT_SCOPE)
endfunction()

# eigen_g_floor(name SOURCES ... CUDA_SOURCES ...): the object library of one folder, a part of the library eigen_g.
# CUDA_SOURCES are left out of a build without CUDA.
function(eigen_g_floor name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;CUDA_SOURCES")
  if(NOT EIGEN_G_HAVE_CUDA)
    set(arg_CUDA_SOURCES)
  endif()
  if(NOT arg_SOURCES AND NOT arg_CUDA_SOURCES)  # this folder has no code for the CPU
    add_library(eigen_g_${name} INTERFACE)
    return()
  endif()
  set(kernels ${arg_CUDA_SOURCES})
  list(FILTER kernels INCLUDE REGEX "\\.cu$")  # not joined: each is slow alone; CMake before 3.31 cannot join them, later versions would
  set_source_files_properties(${kernels} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  add_library(eigen_g_${name} OBJECT ${arg_SOURCES} ${arg_CUDA_SOURCES})
  set_target_properties(eigen_g_${name} PROPERTIES LINKER_LANGUAGE CXX)
  eigen_g_own(eigen_g_${name})
  target_link_libraries(eigen_g_${name} PRIVATE OpenMP::OpenMP_CXX OpenBLAS::OpenBLAS)
  if(EIGEN_G_HAVE_CUDA)
    target_link_libraries(eigen_g_${name} PRIVATE CUDA::cudart_static)
  endif()
endfunction()
