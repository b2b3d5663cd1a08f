// What a solve cuts over devices, by several ratios in turn:
//
//   merge           C := A B, the upper rows of the last merge when nothing deflates: A n/2 x n/2, B n/2 x n
//   reflectors      Z := (I - V T V^T) Z for all n / 256 blocks of 256 reflectors, Z n x n, V_b of the rows below its block
//   stages          divide and conquer, then back-transformation, as a solve calls them: of a tridiagonal matrix as that of
//                   a random symmetric one is, and of random reflectors
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "solver/devices/calibration.hpp"

namespace eigen_g::apps::bench {

struct HybridPlan {
  std::vector<std::int64_t> sizes{8000};
  int multiprocessors = 0;           // of the first GPU; 0: all
  std::vector<int> gpus;             // further ones
  int threads = 0;                   // of the CPU; 0: as many as OpenBLAS takes
  bool products = true;              // false: the stages alone
  std::vector<double> cpu_percents;  // of the columns, to sweep over; empty: around what its rate is worth
  int rounds = 3;                    // of each cut, beside one to warm up; one where that takes seconds
  std::function<void(double fraction)> progress;
};

struct HybridCut {
  std::vector<double>
      parts;           // of the flops, a device: the first GPU, further ones, the CPU; they add up to 1
  double seconds = 0;  // of the whole, the median of the rounds; the shorter one of two in the middle
  std::vector<double> rounds;  // of the whole, each
  std::vector<double>
      laps;  // in the median one: divide and conquer, back-transformation; empty for the products
  std::vector<double> device_seconds;  // there each device's own at cut products; empty: none was cut
};

// Seconds of a over those of b: the median over the rounds, in each of which both were measured; what changes from round to
// round then does not count.
double ratio(const HybridCut& a, const HybridCut& b);

struct HybridStage {
  std::string name;
  double flops = 0;                  // of the stages: as if nothing deflated
  std::vector<HybridCut> sweep;      // over the CPU's share; GPUs among themselves by their multiprocessors
  HybridCut first_alone, automatic;  // automatic: cut by the calibration, as a solve does it
  double planned_seconds = 0;        // for the automatic cut; 0: the stages are not planned in one piece
  bool repeats = false;              // two rounds of the automatic cut gave the same bits

  const HybridCut& best() const;  // of the sweep and the first GPU alone
};

struct HybridSize {
  std::int64_t n = 0;
  std::vector<HybridStage> stages;
};

// `calibration`: rates of this machine. Throws InvalidArgument("calibration") where it lacks a device, OutOfMemory,
// DeviceError; without CUDA or a GPU: DeviceError.
std::vector<HybridSize> measure_hybrid(const HybridPlan& plan, const Calibration& calibration);

}  // namespace eigen_g::apps::bench
