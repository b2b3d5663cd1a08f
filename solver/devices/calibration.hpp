// What each device of this machine reached when it was measured, and the file that keeps it. JSON:
//
//   format     "eigen_g-calibration"      version  3      date  YYYY-MM-DD
//   effort     "quick" (a few figures in under a second) or "full" (eigen_g tune hybrid)
//   machine    eigen_g, cuda_driver, cuda_toolkit, cublas, openblas: versions
//   devices    the CPU first, then the GPUs; of each
//     kind, name, cores, compute_capability      which device it is
//     products       engine, m, n, k, flops      rates of matrix products, flop/s
//     team           work, multiprocessors, rows, columns, inner, flops
//                                                rates in a team (hybrid/team/column_team.hpp), as far as there is one
//     symv_bandwidth                             bytes/s of the stored triangle in y := A x; 0: not measured
//     to_device, from_device, latency            GPU: bytes/s from and to pinned host memory; seconds of a small copy
//     from_first, to_first                       further GPUs: bytes/s from and to the first one
//     halo_bandwidth, halo_latency               further GPUs, with the first one: bytes/s and seconds of an exchange that both
//                                                wait for, as of the planes between two parts of a matrix
//     joining                                    beside the first GPU: seconds by which a piece of a team's work takes longer
//                                                with it, however little it does
//
// Rates and times are in SI units, not in GB or GFLOP. A file of another machine, device, driver or version is not used:
// its figures are those of something else.
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
  std::string engine;  // its name
  std::int64_t m = 0, n = 0, k = 0;
  double flops = 0;  // flop/s: 2 m n k over the seconds
};

// What a team of devices does with columns: a product C := A B, A rows x inner; or blocks of `inner` reflectors that are applied to
// columns of that many rows.
enum class TeamWork { product, reflectors };

// Its rate, with native products, from the first copy to the last.
struct TeamRate {
  TeamWork work = TeamWork::product;
  int multiprocessors = 0;  // of a GPU that did it; a CPU: 0
  std::int64_t rows = 0, columns = 0, inner = 0;
  double flops = 0;  // flop/s
};

struct DeviceRates {
  Device device;  // kind, name, cores and compute capability count; memory does not
  std::vector<ProductRate> products;
  std::vector<TeamRate> team;
  double symv_bandwidth = 0;
  double to_device = 0, from_device = 0, latency = 0;
  double from_first = 0, to_first = 0;
  double halo_bandwidth = 0, halo_latency = 0;
  double joining = 0;
};

struct Calibration {
  std::string date;
  bool full = false;
  std::string eigen_g, cuda_driver, cuda_toolkit, cublas, openblas;
  std::vector<DeviceRates> devices;
};

// The figures' frame for the machine at hand: versions and devices, nothing measured.
Calibration uncalibrated_machine();

// Why the figures are not this machine's: "" where they are. `here` as uncalibrated_machine() gives it.
std::string foreign(const Calibration& calibration, const Calibration& here);

// A calibration that cannot be read or is another machine's: "path: reason".
class CalibrationError : public Error {
 public:
  using Error::Error;
};

// Text and structure; parse_calibration(json_text_of(c)) gives c back. Throws CalibrationError with `name` in front.
Calibration parse_calibration(std::string_view text, const std::string& name);
std::string json_text_of(const Calibration& calibration);

// $XDG_CACHE_HOME/eigen_g, by default ~/.cache/eigen_g; empty where neither XDG_CACHE_HOME nor HOME is set.
std::filesystem::path cache_folder();
// calibration.json in it; empty likewise.
std::filesystem::path cached_calibration();

// Throws CalibrationError where the file cannot be read, is damaged or is foreign().
Calibration read_calibration(const std::filesystem::path& file, const Calibration& here);

struct ChosenCalibration {
  std::optional<Calibration> calibration;  // nothing: this machine has not been measured
  std::string source;                      // the file; ""
  std::string refused;                     // one line where the cached file is refused and ignored; else ""
};
// file: one that the user names, "" for the cached one; a fault in the former is thrown, in the latter told in `refused`.
ChosenCalibration choose_calibration(const std::filesystem::path& file, const Calibration& here);

// The rate of the product nearest in shape (as the distance of log m, log n, log k) by this engine; 0: not measured.
double product_rate(const DeviceRates& rates, std::string_view engine, double m, double n, double k);

// The rate of a device in a team, in flop/s: that of the work nearest in shape; where none was measured, of the nearest
// native product; 0: not measured. The shape of reflectors: rows of the columns, columns, reflectors in a block.
//   multiprocessors   of the GPU that are in use, not read for a CPU. Between two numbers of them that were measured the rate
//                     of one is interpolated; below and above, it is that of the nearest
double team_rate(const DeviceRates& rates, TeamWork work, int multiprocessors, double rows, double columns,
                 double inner);

}  // namespace eigen_g
