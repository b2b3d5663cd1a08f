# Within another project: what a static library eigen_g needs is visible in that project's folders too.
if(NOT PROJECT_IS_TOP_LEVEL)
  get_property(found DIRECTORY PROPERTY IMPORTED_TARGETS)
  foreach(target ${found})
    if(target MATCHES "^(OpenMP|OpenBLAS|Threads|CUDA)::")
      set_target_properties(${target} PROPERTIES IMPORTED_GLOBAL TRUE)
    endif()
  endforeach()
endif()
