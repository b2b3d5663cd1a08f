// The stages of a solve as the driver calls them, with the memory that they need. Two machines carry them
// out: the CPU through LAPACK (host_pipeline), a GPU with its helpers (device_pipeline).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gemm_df/engines/engine.hpp"
#include "hybrid/matrix_view.hpp"
#include "solver/api/eigen_g.hpp"
#include "solver/tridiagonal/divide_and_conquer.hpp"

struct CUstream_st;

namespace eigen_g {

// The caller's problem; pointers are in host or in device memory.
struct Problem {
  Uplo uplo = Uplo::lower;
  std::int64_t n = 0;
  MatrixView<const double> a;
  double* w = nullptr;
  MatrixView<double> z;  // n x subset.most(n); data null: values only
  Subset subset;
  Engine engine = Engine::native;  // on a GPU
  ProductRates rates;
  int gpus = 1, gpu_sms = 0, threads = 0;  // and what follows: Options'
  Ratio ratio;
  std::shared_ptr<const Calibration> calibration;
  MatrixView<double> spare;  // a itself where its memory may be used for other things; else null
};

class Pipeline {
 public:
  virtual ~Pipeline() = default;
  virtual void load() = 0;        // the caller's triangle into the working matrix
  virtual double check() = 0;     // its largest absolute entry; throws NonFiniteEntry
  virtual void scale(int k) = 0;  // times 2^k
  virtual void tridiagonalize(const std::function<void(double)>& progress) = 0;
  virtual Outcome divide_and_conquer(
      int k) = 0;  // of the matrix times 2^k; which pairs are found goes for what follows
  virtual void back_transform() = 0;
  virtual void unscale(int k) = 0;  // the values, times 2^-k
  virtual void store() = 0;         // values and vectors to the caller
  virtual void wait() = 0;          // until all of the above is done
  virtual void mark() = 0;          // a moment among the above
  // Seconds between one marked moment and the next, after wait().
  virtual std::vector<double> laps() const = 0;
  virtual WorkspaceBytes bytes() const = 0;
  virtual std::string engine() const = 0;      // Report's
  virtual std::vector<DeviceWork> work() = 0;  // likewise, after wait()
};

// Throw OutOfMemory with the sum of what is needed before any of it is taken.
std::unique_ptr<Pipeline> host_pipeline(const Problem& problem);
// In device_pipeline.cpp, CUDA builds only.
std::unique_ptr<Pipeline> device_pipeline(const Problem& problem, Pointers pointers, CUstream_st* stream);
void start_device();  // eigen_g.hpp's start_gpu() where there is one

WorkspaceBytes host_pipeline_bytes(std::int64_t n, bool vectors, const Subset& subset);
WorkspaceBytes device_pipeline_bytes(std::int64_t n, bool vectors, Pointers pointers, const Subset& subset);

}  // namespace eigen_g
