// Measures what hybrid/calibration.hpp keeps: each device's rates at the shapes that a solve uses.
#pragma once

#include <functional>
#include <string>

#include "hybrid/calibration.hpp"

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

}  // namespace eigen_g
