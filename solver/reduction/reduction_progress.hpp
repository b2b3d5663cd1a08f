// ReductionProgress: reports the progress of a reduction on a team of threads, and keeps what the caller's function throws until the team has ended.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>

namespace eigen_g {

class ReductionProgress {
 public:
  //   n          columns of the matrix
  //   power      the work on the last k columns is proportional to k^power
  //   progress   may be empty, and must outlive the object
  ReductionProgress(std::int64_t n, int power, const std::function<void(double)>& progress)
      : n_(n), power_(power), progress_(progress) {}

  // Reports the share of the work that is done with the first `columns` columns. Returns false if the function has thrown. For one thread.
  bool reached(std::int64_t columns) noexcept {
    if (!progress_) return true;
    try {
      const double left = static_cast<double>(n_ - columns) / static_cast<double>(n_);
      double work_left = left;
      for (int k = 1; k < power_; ++k) work_left *= left;
      progress_(1 - work_left);
    } catch (...) {
      thrown_ = std::current_exception();
    }
    return !thrown_;
  }
  // Throws what the function has thrown.
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  const std::int64_t n_;
  const int power_;
  const std::function<void(double)>& progress_;
  std::exception_ptr thrown_;
};

}  // namespace eigen_g
