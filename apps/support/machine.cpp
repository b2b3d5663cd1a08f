#include "apps/support/machine.hpp"

#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"
#include "solver/api/eigen_g.hpp"

namespace eigen_g::apps {

namespace {

using Json = nlohmann::ordered_json;

// The file holds "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun Jul ...". The version is the first word of digits and
// dots.
std::string kernel_module_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  for (std::string word; file >> word;)
    if (word.find('.') != std::string::npos && word.find_first_not_of("0123456789.") == std::string::npos)
      return word;
  return "";
}

}  // namespace

Json machine_json() {
  const Device cpu = cpu_device();
  const std::time_t seconds = std::time(nullptr);
  std::tm utc{};
  char date[32] = "";
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &utc));
  Json gpu;
  if (gpu_count() > 0) {
    const Device d = gpu_device(current_gpu());
    gpu = {{"name", d.name},
           {"compute_capability", std::to_string(d.compute_major) + "." + std::to_string(d.compute_minor)},
           {"multiprocessors", d.multiprocessors},
           {"memory_total", d.memory_total},
           {"l2_bytes", d.l2_bytes}};
  }
  return {{"date", date},
          {"eigen_g", version()},
          {"gpu", gpu},
          {"cpu", {{"name", cpu.name}, {"cores", cpu.cores}, {"memory_total", cpu.memory_total}}},
          {"driver", kernel_module_version()},
          {"cuda_driver", cuda_driver_version()},
          {"cuda_toolkit", cuda_toolkit_version()},
          {"cublas", cublas_version()},
          {"openblas", blas_version()}};
}

}  // namespace eigen_g::apps
