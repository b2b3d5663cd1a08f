// Calibration: the measured rates of this machine's devices, and the JSON file that keeps them.
//
//   format     "eigen_g-calibration"      version  4      date  YYYY-MM-DD
//   effort     "quick" (a few rates, measured in under a second) or "full" (eigen_g calibrate)
//   machine    eigen_g, cuda_driver, cuda_toolkit, cublas, openblas: versions
//   devices    the CPU first, then the GPUs. Each device has:
//     kind, name, compute_capability, cores (CPU) or multiprocessors (GPU): they identify the device
//     products       engine, m, n, k, flops      rates of matrix products, flop/s
//     team           work, multiprocessors, rows, columns, inner, flops
//                                                rates in a team (hybrid/team/column_team.hpp), if it was measured in one
//     symv_bytes_per_second                      bytes/s of the stored triangle in y := A x; 0: not measured
//     to_device, from_device, latency            GPU: bytes/s from and to pinned host memory; seconds of a small copy
//     from_first, to_first                       helper GPU: bytes/s from and to the first GPU
//     halo_bytes_per_second, halo_latency        helper GPU: bytes/s and seconds of an exchange with the first GPU in which both wait
//                                                for the other's data, like the planes between two parts of a matrix
//     team_overhead_seconds                      helper: seconds by which a piece of a team's work takes longer if this device takes
//                                                part, however small its part
//
// Rates and times are in SI units, not in GB or GFLOP. A file of another machine, device, driver or version is not used, because its rates
// do not apply.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <eigen_g/device.hpp>
#include <eigen_g/error.hpp>

namespace eigen_g {

struct ProductRate {
  std::string engine;  // name of the engine
  std::int64_t m = 0, n = 0, k = 0;
  double flops = 0;  // flop/s: 2 m n k divided by the seconds
};

// The two kinds of work of a team of devices on columns. product: C := A B, A is rows x inner. reflectors: blocks of `inner` reflectors are
// applied to columns of `rows` rows.
enum class TeamWork { product, reflectors };

// The rate of such work with native products, timed from the first copy to the last.
struct TeamRate {
  TeamWork work = TeamWork::product;
  int multiprocessors = 0;  // multiprocessors of the GPU that did it; CPU: 0
  std::int64_t rows = 0, columns = 0, inner = 0;
  double flops = 0;  // flop/s
};

struct DeviceRates {
  Device device;  // kind, name, cores and compute capability identify it; memory is not used
  std::vector<ProductRate> products;
  std::vector<TeamRate> team;
  double symv_bytes_per_second = 0;
  double to_device = 0, from_device = 0, latency = 0;
  double from_first = 0, to_first = 0;
  double halo_bytes_per_second = 0, halo_latency = 0;
  double team_overhead_seconds = 0;
};

struct Calibration {
  std::string date;
  bool full = false;
  std::string eigen_g, cuda_driver, cuda_toolkit, cublas, openblas;
  std::vector<DeviceRates> devices;
};

// A calibration of this machine with its versions and devices, but without measured values.
Calibration uncalibrated_machine();

// The reason why `calibration` is not of this machine; "" if it is. here: uncalibrated_machine().
std::string foreign(const Calibration& calibration, const Calibration& here);

// The file of a calibration cannot be read or is of another machine. The message is "path: reason".
class CalibrationError : public Error {
 public:
  using Error::Error;
};

// The text of a calibration file and back: parse_calibration(json_text_of(c), name) returns c. Throws CalibrationError; its message
// begins with `name`.
Calibration parse_calibration(std::string_view text, const std::string& name);
std::string json_text_of(const Calibration& calibration);

// $XDG_CACHE_HOME/eigen_g, by default ~/.cache/eigen_g; empty if neither XDG_CACHE_HOME nor HOME is set.
std::filesystem::path cache_folder();
// calibration.json in cache_folder(); empty if cache_folder() is empty.
std::filesystem::path cached_calibration();

// Throws CalibrationError if the file cannot be read, is damaged or is foreign().
Calibration read_calibration(const std::filesystem::path& file, const Calibration& here);

struct ChosenCalibration {
  std::optional<Calibration> calibration;  // nothing: this machine has not been measured
  std::string source;                      // the file; "" without a calibration
  std::string refused;  // one line of text if the cached file is unusable and was ignored; else ""
};
// Reads the calibration that a call uses.
//   file  a file that the user names; "": the cached one
// Throws CalibrationError if a file that the user names is unusable. An unusable cached file is ignored, and `refused` says why.
ChosenCalibration choose_calibration(const std::filesystem::path& file, const Calibration& here);

// The rate of this engine's product with the nearest shape: the smallest |log m/m'| + |log n/n'| + |log k/k'|. 0: not measured.
double product_rate(const DeviceRates& rates, std::string_view engine, double m, double n, double k);

// The rate of a device in a team, in flop/s: that of the measured work with the nearest shape. If no such work was measured, the rate of
// the nearest native product; 0: not measured.
//   rows, columns, inner  the shape; of reflectors: rows of the columns, number of columns, reflectors in a block
//   multiprocessors       number in use on the GPU; ignored for a CPU. Between two measured numbers the rate of one multiprocessor is
//                         interpolated. Outside of the measured numbers it is that of the nearest one
double team_rate(const DeviceRates& rates, TeamWork work, int multiprocessors, double rows, double columns,
                 double inner);

}  // namespace eigen_g
