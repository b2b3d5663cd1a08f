# Rules for `cmake --install`: library, public headers, command, man pages, completions, documents, CMake package, pkg-config file; for
# packages by CPack; and for the target uninstall. The installation may be moved, because every path in it is relative.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/eigen_g)

# Public headers are in one folder, <eigen_g/NAME>, and include each other by these names. In the build folder each of them is
# one line that includes the source (scripts/cmake/public_headers.cmake).
foreach(header ${EIGEN_G_PUBLIC_HEADERS})
  install(FILES ${PROJECT_SOURCE_DIR}/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/eigen_g)
endforeach()

# An installed command finds the library relative to itself, and libraries outside the system's folders where the build found
# them.
file(RELATIVE_PATH bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set_target_properties(eigen_g PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
set(installed_libraries eigen_g eigen_g_lapack_static)
foreach(library eigen_g_lapack eigen_g_fortran eigen_g_distributed)
  if(TARGET ${library})
    list(APPEND installed_libraries ${library})
  endif()
endforeach()
install(TARGETS ${installed_libraries} EXPORT eigen_gTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(program eigen_g_command eigen_g_mpi)  # the first one looks for the second in its own folder
  if(TARGET ${program})
    set_target_properties(${program} PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}" INSTALL_RPATH_USE_LINK_PATH ON)
    install(TARGETS ${program} DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endforeach()

if(EIGEN_G_HAVE_FORTRAN)
  install(FILES ${PROJECT_SOURCE_DIR}/solver/fortran/eigen_g.f90 ${PROJECT_BINARY_DIR}/include/eigen_g/fortran/eigen_g.mod
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/eigen_g/fortran)
endif()

# Documents. The guide's links to the examples beside it stay right.
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY apps/guide DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN reference EXCLUDE)
install(DIRECTORY apps/example DESTINATION ${CMAKE_INSTALL_DOCDIR})
set(zsh_folder ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr" AND EXISTS /etc/debian_version)  # where Debian has them
  set(zsh_folder ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/eigen-g RENAME copyright)
endif()

# Completions, where each shell looks, and man pages: the command itself prints what they contain.
if(EIGEN_G_APPS AND NOT CMAKE_CROSSCOMPILING)
  set(completion_files)
  foreach(shell bash zsh fish)
    set(file ${PROJECT_BINARY_DIR}/completions/${shell}/eigen_g)
    add_custom_command(OUTPUT ${file} COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/completions/${shell}
                       COMMAND eigen_g_command completion ${shell} > ${file} DEPENDS eigen_g_command VERBATIM)
    list(APPEND completion_files ${file})
  endforeach()
  add_custom_target(completions ALL DEPENDS ${completion_files})
  install(FILES ${PROJECT_BINARY_DIR}/completions/bash/eigen_g DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${PROJECT_BINARY_DIR}/completions/zsh/eigen_g DESTINATION ${zsh_folder} RENAME _eigen_g)
  install(FILES ${PROJECT_BINARY_DIR}/completions/fish/eigen_g DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d RENAME eigen_g.fish)
  find_program(HELP2MAN help2man)
  mark_as_advanced(HELP2MAN)
  if(HELP2MAN)
    set(man_pages ${PROJECT_BINARY_DIR}/man)
    add_custom_command(OUTPUT ${man_pages}/eigen_g.1 COMMAND ${PROJECT_SOURCE_DIR}/scripts/man_pages.sh $<TARGET_FILE:eigen_g_command> ${man_pages}
                       DEPENDS eigen_g_command ${PROJECT_SOURCE_DIR}/scripts/man_pages.sh VERBATIM)
    add_custom_target(man ALL DEPENDS ${man_pages}/eigen_g.1)
    install(DIRECTORY ${man_pages}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  endif()
endif()

install(EXPORT eigen_gTargets NAMESPACE eigen_g:: DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/eigen_gConfig.cmake.in ${PROJECT_BINARY_DIR}/eigen_gConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/eigen_gConfigVersion.cmake COMPATIBILITY SameMinorVersion)  # while the major one is 0
install(FILES ${PROJECT_BINARY_DIR}/eigen_gConfig.cmake ${PROJECT_BINARY_DIR}/eigen_gConfigVersion.cmake
        DESTINATION ${package_dir})
if(NOT BUILD_SHARED_LIBS)
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/FindOpenBLAS.cmake DESTINATION ${package_dir})
endif()

# pkg-config: libraries that a static library needs are in Libs.private (pkg-config --static).
set(pc_private_libraries)
function(add_private_library file)
  get_filename_component(folder ${file} DIRECTORY)
  get_filename_component(name ${file} NAME_WE)
  string(REGEX REPLACE "^lib" "" name ${name})
  if(NOT folder IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
    string(APPEND pc_private_libraries " -L${folder}")
  endif()
  set(pc_private_libraries "${pc_private_libraries} -l${name}" PARENT_SCOPE)
endfunction()
if(NOT OpenBLAS_HAS_LAPACKE)
  add_private_library(${OpenBLAS_LAPACKE_LIBRARY})
endif()
add_private_library(${OpenBLAS_LIBRARY})
if(EIGEN_G_HAVE_CUDA)
  add_private_library(${CUDA_cudart_static_LIBRARY})
  string(APPEND pc_private_libraries " -lrt")
endif()
string(APPEND pc_private_libraries " ${OpenMP_CXX_FLAGS} -lstdc++ -lm -lpthread -ldl")
string(STRIP "${pc_private_libraries}" pc_private_libraries)
file(RELATIVE_PATH pc_up_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_up_to_prefix ${pc_up_to_prefix})
configure_file(${CMAKE_CURRENT_LIST_DIR}/eigen_g.pc.in ${PROJECT_BINARY_DIR}/eigen_g.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/eigen_g.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(EIGEN_G_HAVE_FORTRAN)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/eigen_g_fortran.pc.in ${PROJECT_BINARY_DIR}/eigen_g_fortran.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/eigen_g_fortran.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -D MANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt -P ${CMAKE_CURRENT_LIST_DIR}/uninstall.cmake
                  COMMENT "Removing the files of the last installation")

# `cpack -G DEB` in the build folder. Debian's folders are those of the prefix /usr (scripts/debian_package.sh).
if(PROJECT_IS_TOP_LEVEL)
  set(CPACK_PACKAGE_NAME eigen-g)
  set(CPACK_PACKAGE_VENDOR "eigen_g authors")
  set(CPACK_PACKAGE_CONTACT "eigen_g authors <root@localhost>" CACHE STRING "Maintainer of the packages")
  set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
  set(CPACK_STRIP_FILES ON)
  set(CPACK_GENERATOR TGZ)
  set(CPACK_SOURCE_GENERATOR TGZ)
  set(CPACK_SOURCE_IGNORE_FILES "/build[^/]*/" "/[.]git/")
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_SECTION math)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)  # and ldconfig after the installation
  set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "All or some eigenvalues and eigenvectors of dense matrices, of generalised problems and of many small matrices, \
and a few of large sparse ones. The package has the library, its headers, the command eigen_g, and the library that solves other \
programs' LAPACK calls.")
  include(CPack)
endif()
