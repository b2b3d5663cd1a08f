#include "tests/support/skip.hpp"

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "hybrid/machine/device.hpp"

namespace support {

namespace {
int skipped = 0;
}

int skip_count() {
  return skipped;
}

void note_skip(const std::string& reason) {
  ++skipped;
  std::cout << "SKIPPED: " << reason << '\n';
}

bool have_gpu() {
  static const bool present = eigen_g::gpu_count() > 0;
  return present;
}

bool gpu_required() {
  const char* value = std::getenv("EIGEN_G_REQUIRE_GPU");
  return value && std::string(value) == "1";
}

std::string matrices_folder() {
  const char* value = std::getenv("EIGEN_G_MATRICES");
  const std::string folder = value ? value : EIGEN_G_MATRICES_DIR;
  return std::filesystem::is_directory(folder) ? folder : std::string();
}

}  // namespace support
