// A solve's two kinds of large products over a team of devices, for one cut of their columns after the other.
//
//   merge           C := A B, the upper rows of the last merge when nothing deflates: A n/2 x n/2, B n/2 x n
//   back-transform  Z := (I - V T V^T) Z for all n / 256 blocks of 256 reflectors, Z n x n, V_b of the rows below its block
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "hybrid/calibration.hpp"

namespace eigen_g::apps::bench {

struct HybridPlan {
  std::int64_t n = 8000;
  int multiprocessors = 0;           // of the first GPU; 0: all
  std::vector<int> gpus;             // further ones
  int threads = 0;                   // of the CPU; 0: as many as OpenBLAS takes
  std::vector<double> cpu_percents;  // of the columns, to sweep over
  int rounds = 3;
  std::function<void(double fraction)> progress;
};

struct HybridCut {
  std::vector<double> parts;           // columns a device: the first GPU, further ones, the CPU
  double seconds = 0;                  // of the whole, the shortest of the rounds
  std::vector<double> device_seconds;  // each device's own, mean over the rounds
};

struct HybridStage {
  std::string name;
  double flops = 0;
  std::vector<HybridCut>
      sweep;  // over the CPU's share, in the order of cpu_percents; GPUs among themselves alike
  HybridCut first_alone, automatic;  // automatic: the cut planned from the calibration
  double planned_seconds = 0;        // for it
  bool repeats = false;              // two rounds of the automatic cut gave the same bits
};

// `calibration`: rates of this machine; those of the first GPU's products are taken in proportion to its multiprocessors.
// Throws OutOfMemory, DeviceError; without CUDA or a GPU: DeviceError.
std::vector<HybridStage> measure_hybrid(const HybridPlan& plan, const Calibration& calibration);

}  // namespace eigen_g::apps::bench
