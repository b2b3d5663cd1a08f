// Measures what calibration.hpp keeps: each device's rates at the shapes that a solve uses.
#pragma once

#include <functional>
#include <string>

#include <eigen_g/calibration.hpp>

namespace eigen_g {

enum class Effort {
  quick,  // a few figures at small sizes, under a second once the libraries have started
  full    // all of them, at sizes where rates no longer grow; well under two minutes
};

// What is being measured ("CPU", "GPU 0") and how much of it is done. An exception thrown from it ends the measurement.
using CalibrationProgress = std::function<void(const std::string& device, double fraction)>;

// All devices of this machine, one after the other; nothing else should run on it meanwhile.
//   threads   of the CPU's products; 0: as many as OpenBLAS takes
// The date is left empty. Throws OutOfMemory, DeviceError.
Calibration calibrate(Effort effort, int threads = 0, const CalibrationProgress& progress = {});

// For a machine without a calibration file: a quick one, measured at the first call for this number of threads and then kept
// until the process ends, so that a process cuts every solve alike. Throws as above.
const Calibration& calibration_of_process(int threads = 0);

// Whether the CPU could take as much off a solve of order n on so many multiprocessors of the current GPU as a quick
// calibration takes: by figures that every processor has, nothing measured. False where no GPU can be used.
bool helpers_may_pay(std::int64_t n, int multiprocessors);

}  // namespace eigen_g
