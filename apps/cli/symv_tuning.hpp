// The measurements of `eigen_g tune symv`; what they mean is decided by blas2/tuner.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "blas2/symv/symv.hpp"

namespace eigen_g::apps {

struct SymvTuningPlan {
  std::vector<blas2::SymvType> types;
  std::vector<Uplo> triangles;
  std::int64_t n_max = 32768;  // less where the GPU's memory is less
  double seconds = 480;        // budget: sizes and rounds follow from it; the least of both may exceed it
  bool one_matrix =
      false;  // true: the same matrix each call, which small n keep in the L2; else rotated past it
  std::function<void(double fraction)> progress;
};

struct SymvTunedRow {
  blas2::SymvTableRow row;
  std::int64_t n_measured = 0;  // the largest size measured in the row's range; 0: none
  double rate = 0;              // bytes of the half matrix a second there; 0: not known
  double default_rate = 0;      // of default_symv_config there; 0: not known
};

// One type and triangle.
struct SymvTuned {
  blas2::SymvType type = blas2::SymvType::d;
  Uplo uplo = Uplo::lower;
  std::vector<SymvTunedRow> rows;
  int candidates = 0;
  int kept = 0;                     // by the first sieve, with the defaults
  int sizes = 0;                    // measured in the second
  std::vector<std::string> failed;  // "name: why": it did not run at some size, or its result was wrong
};

// In the order of plan.types, then plan.triangles. Throws DeviceError where there is no GPU.
std::vector<SymvTuned> measure_symv_configs(const SymvTuningPlan& plan);

// The sizes of the two sieves, up to n_max >= 64, multiples of 8 save n_max itself: a few; and four an
// octave, in the order in which they are worth measuring, n_max and one an octave first, `least` of them.
// They keep off the powers of two, at which the columns' addresses are special.
std::vector<std::int64_t> first_sieve_sizes(std::int64_t n_max);
struct SecondSieveSizes {
  std::vector<std::int64_t> n;
  std::size_t least = 0;
};
SecondSieveSizes second_sieve_sizes(std::int64_t n_max);

}  // namespace eigen_g::apps
