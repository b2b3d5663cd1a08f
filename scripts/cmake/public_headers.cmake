# EIGEN_G_PUBLIC_HEADERS: the headers in scripts/public_headers.txt, in a build with CUDA that of the symmetric product, and in a
# shared build with MPI that of distributed matrices. In the build folder <eigen_g/NAME> is one line that includes the source, so that an include means the same as in a package.
file(STRINGS ${PROJECT_SOURCE_DIR}/scripts/public_headers.txt EIGEN_G_PUBLIC_HEADERS)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/scripts/public_headers.txt)
if(EIGEN_G_HAVE_CUDA)
  list(APPEND EIGEN_G_PUBLIC_HEADERS blas2/symv/symv_c.h)
endif()
if(EIGEN_G_HAVE_MPI AND BUILD_SHARED_LIBS)
  list(APPEND EIGEN_G_PUBLIC_HEADERS solver/distributed/distributed.h)
endif()
foreach(header ${EIGEN_G_PUBLIC_HEADERS})
  get_filename_component(name ${header} NAME)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/include/eigen_g/${name} CONTENT "#include \"${header}\"\n")
endforeach()
