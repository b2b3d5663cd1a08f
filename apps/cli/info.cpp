// eigen_g info: prints how this program was built, and the devices and libraries that it finds.
//
// JSON, "format": "eigen_g-info", "version": 2. Fields:
//   eigen_g     version
//   cuda        built with CUDA
//   threads     OpenBLAS's number of threads
//   devices     kind, index, name, memory_total, memory_free; CPU: cores; GPU: multiprocessors, compute_capability, l2_bytes
//   libraries   name: version; "": not available
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/cli/command.hpp"
#include "apps/io/hdf5_file.hpp"
#include "apps/support/help.hpp"
#include "apps/support/named_files.hpp"
#include "apps/support/run_options.hpp"
#include "apps/support/text.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"
#include "solver/api/eigen_g.hpp"
#include "solver/api/sparse.hpp"

namespace eigen_g::apps {

namespace {

using Json = nlohmann::ordered_json;

#ifdef EIGEN_G_HAVE_CUDA
constexpr bool built_with_cuda = true;
#else
constexpr bool built_with_cuda = false;
#endif

const char* units_of(bool gpu) {
  return gpu ? "multiprocessors" : "cores";
}

Json device_json(const Device& d) {
  const bool gpu = d.kind == DeviceKind::gpu;
  Json object{{"kind", gpu ? "gpu" : "cpu"},
              {"index", d.index},
              {"name", d.name},
              {"memory_total", d.memory_total},
              {"memory_free", d.memory_free},
              {units_of(gpu), gpu ? d.multiprocessors : d.cores}};
  if (gpu) {
    object["compute_capability"] = std::to_string(d.compute_major) + "." + std::to_string(d.compute_minor);
    object["l2_bytes"] = d.l2_bytes;
  }
  return object;
}

Json info_json() {
  Json list = Json::array();
  for (const Device& device : devices()) list.push_back(device_json(device));
  return {{"format", "eigen_g-info"},
          {"version", 2},
          {"eigen_g", version()},
          {"cuda", built_with_cuda},
          {"threads", blas_threads()},
          {"devices", list},
          {"libraries",
           {{"OpenBLAS", blas_version()},
            {"HDF5", io::hdf5_version()},
            {"own L D L^T", version(FactorLibrary::own)},
            {"MUMPS", version(FactorLibrary::mumps)},
            {"PARDISO", version(FactorLibrary::pardiso)},
            {"cuDSS", version(FactorLibrary::cudss)},
            {"CUDA toolkit", cuda_toolkit_version()},
            {"CUDA driver", cuda_driver_version()},
            {"cuBLAS", cublas_version()}}}};
}

std::string device_row(const Json& d) {
  const bool gpu = d["kind"] == "gpu";
  std::string text = gpu ? "GPU " + std::to_string(d["index"].get<int>()) : std::string("CPU");
  text = left_column(text, 14) + d["name"].get<std::string>();
  text += print(", %d %s", d[units_of(gpu)].get<int>(), units_of(gpu));
  if (gpu) text += ", compute capability " + d["compute_capability"].get<std::string>();
  return text + ", " + bytes_text(d["memory_total"].get<std::uint64_t>()) + " memory, " +
         bytes_text(d["memory_free"].get<std::uint64_t>()) + " free\n";
}

std::string info_table(const Json& info) {
  std::string text = left_column("eigen_g", 14) + info["eigen_g"].get<std::string>() +
                     (info["cuda"].get<bool>() ? ", built with CUDA\n" : ", built without CUDA\n");
  for (const Json& device : info["devices"]) text += device_row(device);
  if (info["devices"].size() == 1) text += left_column("GPU", 14) + "none\n";
  text += left_column("threads", 14) + std::to_string(info["threads"].get<int>()) + "\n";
  for (const auto& [name, version] : info["libraries"].items())
    if (!version.get<std::string>().empty())
      text += left_column(name, 14) + version.get<std::string>() + "\n";
  return text;
}

constexpr const char* info_examples = R"(
  eigen_g info
  eigen_g info --json -          JSON on stdout; --json alone is the same
  eigen_g info --json info.json)";

}  // namespace

void add_info(CLI::App& app, Action& action) {
  auto options = std::make_shared<RunOptions>();
  CLI::App& command = *app.add_subcommand("info", "Print version, devices, libraries and number of threads.");
  set_help(command, "eigen_g info [OPTIONS]", info_examples);
  add_report_options(command, *options);
  command.get_option("--json")->expected(0, 1)->default_str("-");
  command.callback([options, &action] {
    action = [options] {
      require_apart({}, {{"--json", options->json}}, options->force);
      ReportSink sink(*options);
      const Json info = info_json();
      sink.put(info_table(info), json_text(info));
      return ExitCode::done;
    };
  });
}

}  // namespace eigen_g::apps
