// Measurements of `eigen_g tune symv`. blas2/tune/tuner.hpp chooses the configurations from them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "blas2/symv/symv.hpp"

namespace eigen_g::apps {

struct SymvTuningOptions {
  std::vector<blas2::SymvType> types;
  std::vector<Uplo> triangles;
  std::int64_t n_max = 32768;  // less if the GPU's memory is too small
  double seconds = 480;        // budget for sizes and rounds; a run takes longer if the minimum of both does
  bool one_matrix = false;     // true: one matrix, which the L2 holds for small n; false: rotate past the L2
  std::function<void(double fraction)> progress;
};

struct SymvTunedRow {
  blas2::SymvTableRow row;
  std::int64_t n_measured = 0;  // largest measured size in the row's range; 0: none
  double rate = 0;              // bytes of the half matrix per second at n_measured; 0: unknown
  double default_rate = 0;      // rate of default_symv_config at n_measured; 0: unknown
};

// The result for one type and triangle.
struct SymvTuned {
  blas2::SymvType type = blas2::SymvType::d;
  Uplo uplo = Uplo::lower;
  std::vector<SymvTunedRow> rows;
  int candidates = 0;
  int kept = 0;                     // configurations after the first sieve, with the defaults
  int sizes = 0;                    // sizes measured in the second sieve
  std::vector<std::string> failed;  // "name: why": a failed run at some size, or a wrong result
};

// Results in the order of plan.types, then of plan.triangles. Throws DeviceError if there is no GPU.
std::vector<SymvTuned> measure_symv_configs(const SymvTuningOptions& plan);

// Sizes of the two sieves, up to n_max >= 64. All are multiples of 8 except n_max. They avoid powers of two, where the columns'
// addresses conflict.
//   first sieve    a few sizes
//   second sieve   four sizes an octave, the most useful first: n_max and one an octave come first; these are `least` sizes
std::vector<std::int64_t> first_sieve_sizes(std::int64_t n_max);
struct SecondSieveSizes {
  std::vector<std::int64_t> n;
  std::size_t least = 0;
};
SecondSieveSizes second_sieve_sizes(std::int64_t n_max);

}  // namespace eigen_g::apps
