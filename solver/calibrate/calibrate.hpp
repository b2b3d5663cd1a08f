// calibrate(): measures the rates of each device at the shapes that a solve uses. calibration.hpp keeps them.
#pragma once

#include <functional>
#include <string>

#include <eigen_g/calibration.hpp>

namespace eigen_g {

enum class Effort {
  quick,  // a few rates at small sizes; under a second once the libraries are loaded
  full    // all rates, at sizes from which the rates no longer grow; well under two minutes
};

// Called with the device that is being measured ("CPU", "GPU 0") and the fraction that is done. An exception from it ends the measurement.
using CalibrationProgress = std::function<void(const std::string& device, double fraction)>;

// Measures all devices of this machine, one after the other. Nothing else should run on the machine meanwhile.
//   effort    quick or full
//   threads   number of threads of the CPU's products; 0: as a solve
//   progress  see CalibrationProgress
// The result's date is empty. Throws OutOfMemory, DeviceError.
Calibration calibrate(Effort effort, int threads = 0, const CalibrationProgress& progress = {});

// Measures the CPU alone, as calibrate() does.
DeviceRates calibrate_cpu(Effort effort, int threads = 0);

// A quick calibration for a machine without a calibration file. It is measured at the first call for this number of threads and kept until
// the process ends. Thus all solves of a process are cut in the same way. Throws OutOfMemory, DeviceError.
const Calibration& calibration_of_process(int threads = 0);

// Estimates, without a measurement, whether a quick calibration can pay. True if the CPU could save at least its duration in a solve of
// order n on this number of multiprocessors of the current GPU. False if no GPU can be used.
bool helpers_may_pay(std::int64_t n, int multiprocessors);

}  // namespace eigen_g
