#include <cstdlib>
#include <filesystem>
#include <iostream>

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

#include "hybrid/device.hpp"
#include "tests/support/skip.hpp"

namespace support {

namespace {
int skipped = 0;
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

int main(int argc, char** argv) {
  const int failures = Catch::Session().run(argc, argv);
  if (failures != 0) return 1;
  return support::skipped > 0 ? 77 : 0;
}
