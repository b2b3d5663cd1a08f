// A checked call of the driver, on the device that it is for.
#pragma once

#include "solver/driver/backend.hpp"

namespace eigen_g {

// What the calling thread keeps between calls that are given no context; null in a build without CUDA.
Resources* resources_of_this_thread();

// Throws InvalidArgument for n, options and devices that no solve takes.
void check_plan(const Plan& plan);
// Likewise for the matrices of one solve, as far as they tell without a look at the machine.
void check_matrices(const Plan& plan, const void* a, std::int64_t lda, const void* w, const void* z,
                    std::int64_t ldz);

// Bytes that it takes at most.
template <class T>
WorkspaceBytes plan_bytes(const Plan& plan, bool on_gpu, MatrixLayout layout = MatrixLayout::any);

// A plan with the backend that it goes to; made when it is needed first.
template <class T>
class Call {
 public:
  // Whether it goes to the GPU is decided here, as far as plan.devices leave the choice. Throws DeviceError.
  //   resources   of the GPU; null in a build without CUDA
  Call(const Plan& plan, Resources* resources);

  const Plan& plan() const { return plan_; }
  bool on_gpu() const { return gpu_; }
  // Its backend; on a GPU as long as that is the current one.
  PlannedSolve<T>& backend();
  // Where the GPU's memory does not suffice, native precision takes the place of mixed, then one stage that of two, and then the
  // CPU the GPU's, as far as the choice is free, now and from now on.
  //   wait   as PlannedSolve::solve()'s
  Report solve(const Problem<T>& problem, bool wait = true);
  Report solve(const T* a, std::int64_t lda, real_t<T>* w, T* z, std::int64_t ldz);
  Report solve(DevicePointer<T> a, std::int64_t lda, DevicePointer<real_t<T>> w, DevicePointer<T> z,
               std::int64_t ldz, CUstream_st* stream, bool wait = true);

 private:
  void begin(const Problem<T>& problem);
  Plan plan_;
  Resources* resources_;
  bool mixed_, gpu_;  // mixed precision was asked for
  std::unique_ptr<PlannedSolve<T>> backend_;
};

}  // namespace eigen_g
