// Stopwatch: measures the seconds since its construction.
#pragma once

#include <chrono>

namespace eigen_g::apps {

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace eigen_g::apps
