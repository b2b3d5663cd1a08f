#include "apps/bench/machine.hpp"

#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "apps/cli/text.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"
#include "solver/api/eigen_g.hpp"

namespace eigen_g::apps::bench {

namespace {

using Json = nlohmann::ordered_json;

std::string now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  return print("%04d-%02d-%02dT%02d:%02d:%02dZ", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour,
               utc.tm_min, utc.tm_sec);
}

// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun Jul ...": the first word that is digits and
// dots.
std::string kernel_module_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  std::istringstream words(line);
  for (std::string word; words >> word;)
    if (word.find('.') != std::string::npos && word.find_first_not_of("0123456789.") == std::string::npos)
      return word;
  return "";
}

Json gpu_json() {
  if (gpu_count() == 0) return nullptr;
  const Device d = gpu_device(current_gpu());
  return {{"name", d.name},
          {"compute_capability", std::to_string(d.compute_major) + "." + std::to_string(d.compute_minor)},
          {"multiprocessors", d.cores},
          {"memory_total", d.memory_total},
          {"l2_bytes", d.l2_bytes}};
}

}  // namespace

Json machine_json() {
  const Device cpu = cpu_device();
  return {{"date", now()},
          {"eigen_g", version()},
          {"gpu", gpu_json()},
          {"cpu", {{"name", cpu.name}, {"cores", cpu.cores}, {"memory_total", cpu.memory_total}}},
          {"driver", kernel_module_version()},
          {"cuda_driver", cuda_driver_version()},
          {"cuda_toolkit", cuda_toolkit_version()},
          {"cublas", cublas_version()},
          {"openblas", blas_version()}};
}

}  // namespace eigen_g::apps::bench
