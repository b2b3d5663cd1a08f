// Skips tests. A skipped test prints why, and its process ends with 4, which ctest shows as "Skipped". A failure ends with 1.
#pragma once

#include <string>

namespace support {

void note_skip(const std::string& reason);
int skip_count();
bool have_gpu();
bool gpu_required();            // EIGEN_G_REQUIRE_GPU=1: a missing GPU is a failure
std::string matrices_folder();  // EIGEN_G_MATRICES, else the CMake cache path; "" if missing

}  // namespace support

// First statement of a TEST_CASE or SECTION.
#define SKIP_TEST(reason)       \
  do {                          \
    support::note_skip(reason); \
    return;                     \
  } while (false)

#define NEEDS_GPU()                                                                \
  do {                                                                             \
    if (!support::have_gpu()) {                                                    \
      if (support::gpu_required()) FAIL("no GPU, and EIGEN_G_REQUIRE_GPU is set"); \
      SKIP_TEST("no GPU");                                                         \
    }                                                                              \
  } while (false)
