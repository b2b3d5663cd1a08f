// What the acts of a generalised solve are on one machine: the CPU through LAPACK (generalised_host.cpp), or a GPU
// (generalised_device.cpp), with the memory that they need. One is made for a plan and solves again and again.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "hybrid/error.hpp"
#include "solver/api/generalised.hpp"
#include "solver/driver/backend.hpp"

namespace eigen_g {

struct GeneralisedPlan : Plan {
  Generalised problem;
};

// The caller's matrices in one solve, in host or in device memory as planned.
template <class T>
struct GeneralisedMatrices {
  MatrixView<T> a, b;  // a of host pointers is not changed
  real_t<T>* w = nullptr;
  MatrixView<T> z;                // n x most(); data null: values only
  CUstream_st* stream = nullptr;  // of device memory
};

template <class T>
class GeneralisedBackend {
 public:
  virtual ~GeneralisedBackend() = default;
  virtual WorkspaceBytes workspace() const = 0;      // at most, beside the caller's matrices
  virtual void use(const Workspace& workspace) = 0;  // as Backend's
  virtual void choose(CholeskyFactor factor) = 0;

  // Takes the memory that the problem needs. Throws OutOfMemory with the sum of it, before any is taken.
  virtual void begin(const GeneralisedMatrices<T>& matrices) = 0;
  virtual void end() noexcept = 0;
  virtual Clock& clock() = 0;

  virtual void load() = 0;              // A and B to where they are worked on
  virtual void check() = 0;             // throws NonFiniteEntry, InvalidArgument (b)
  virtual std::int64_t cholesky() = 0;  // B = L L^H; the order of the first bad minor, 0: none
  virtual void standard_form() = 0;     // A := C
  virtual Report solve() = 0;           // C = Y W Y^H
  virtual void back_substitute(std::int64_t found) = 0;  // X
  virtual void store(std::int64_t found) = 0;            // what is not there yet to the caller
  virtual void account(Report& report) = 0;              // bytes, devices
};

template <class T>
std::unique_ptr<GeneralisedBackend<T>> generalised_host_backend(const GeneralisedPlan& plan);
// CUDA builds only. `resources` outlive it.
template <class T>
std::unique_ptr<GeneralisedBackend<T>> generalised_device_backend(const GeneralisedPlan& plan,
                                                                  Resources& resources);
template <class T>
WorkspaceBytes generalised_device_bytes(const GeneralisedPlan& plan);

// check(), which is of the argument `parameter` whatever it calls it.
template <class Check>
void of_argument(const char* parameter, Check&& check) {
  try {
    std::forward<Check>(check)();
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(parameter, error.reason());
  }
}

}  // namespace eigen_g
