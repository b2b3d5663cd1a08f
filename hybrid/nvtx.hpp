// ProfilerRange: a named range on the timeline of a profiler (Nsight Systems), from the object's construction to its
// destruction. The solver marks its stages with it. Without a profiler a range costs nanoseconds; in a build without CUDA it is
// empty.
#pragma once

#if defined(EIGEN_G_HAVE_CUDA) && __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define EIGEN_G_HAVE_NVTX
#endif

namespace eigen_g {

class ProfilerRange {
 public:
#ifdef EIGEN_G_HAVE_NVTX
  explicit ProfilerRange(const char* name) {
    nvtxRangePushA(name);
  }
  ~ProfilerRange() {
    nvtxRangePop();
  }
#else
  explicit ProfilerRange(const char*) {}
#endif
  ProfilerRange(const ProfilerRange&) = delete;
  ProfilerRange& operator=(const ProfilerRange&) = delete;
};

}  // namespace eigen_g

#undef EIGEN_G_HAVE_NVTX
