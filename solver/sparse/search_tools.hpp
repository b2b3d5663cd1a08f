// Stopwatch, BasisSizes, widest_gap() and other functions that several steps of PencilSolver use.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "solver/sparse/executor.hpp"

namespace eigen_g {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

// A value with nine digits.
std::string text_of(double value);

// Adds the seconds of its lifetime to a sum.
class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds) {}
  ~Stopwatch() {
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

inline std::int64_t blocks_of(std::int64_t columns) {
  return (columns + block_width - 1) / block_width;
}

// Sizes of the basis for `count` pairs: vectors kept at a restart, and blocks in all.
struct BasisSizes {
  static constexpr std::int64_t few_more =
      96;  // a basis for few pairs may have this number of vectors more than are kept
  std::int64_t kept, most;
  explicit BasisSizes(std::int64_t count) {
    kept = blocks_of(count + std::max<std::int64_t>(block_width, count / 4)) * block_width;
    most = blocks_of(kept + std::max(2 * kept, std::min(3 * kept, few_more))) + 2;
  }
  // Called before each restart with the number of leading converged pairs. True: the basis has become larger, because there are more of them than a
  // restart keeps, or because several cycles brought no further one. Copies of a multiple eigenvalue that do not fit into the basis would never
  // converge together.
  bool grow(std::int64_t leading) {
    idle_cycles_ = leading > max_leading_ ? 0 : idle_cycles_ + 1;
    max_leading_ = std::max(max_leading_, leading);
    if (leading + block_width <= kept && idle_cycles_ < 5) return false;
    idle_cycles_ = 0;
    kept += kept / 2;
    most = BasisSizes(kept).most;
    return true;
  }

 private:
  std::int64_t max_leading_ = -1;
  int idle_cycles_ = 0;
};

// A cut behind `count` of the known distances, which ascend, in the widest gap. `next` is a lower bound of the first unknown
// distance. If there is none, the cut is a `unit` beyond the last one.
struct Cut {
  double at = 0, gap = 0;  // gap: relative
};
Cut widest_gap(const std::vector<double>& distances, double next, std::int64_t count, double unit);

// The order in which Ritz values are wanted: |x| > |y|.
bool larger(double x, double y);

}  // namespace eigen_g
