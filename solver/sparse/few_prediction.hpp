// Chooses the method for a few pairs and predicts its cost by a model with fixed rates. No clock is read, so every call makes the same
// choice.
#pragma once

#include <cstdint>

#include "solver/api/sparse.hpp"

namespace eigen_g {

// Rates of the model, for one H200 or one core of a server's CPU.
struct FewRates {
  double bytes_a_second;       // for products with A and for the basis
  double step_seconds;         // launches of one product, on each GPU
  double flops_a_second;       // rate of the dense method: 4/3 n^3 flops, and 2 n^2 for each vector
  double dense_row_seconds;    // cost of a row in the dense method, in addition to its flops
  std::int64_t dense_at_once;  // largest order for which the automatic method is dense without a prediction
};
FewRates few_rates(bool on_gpu, int threads);

// The GPUs that share the rows of A, and the cost of an exchange between two of them. The defaults are for two H200s and are used without a
// calibration.
struct GpuCount {
  int gpus = 1;
  double halo_bytes_per_second = 3.5e11, halo_latency = 14e-6;  // bytes/s, seconds
};
// Predicts the costs and chooses the method. nnz = -1: A is given by a product of unknown cost. Throws InvalidArgument if the options ask
// for a result that their method cannot compute.
FewPrediction few_prediction(std::int64_t n, std::int64_t nnz, const FewOptions& options, bool on_gpu,
                             int threads, const GpuCount& team = {});

}  // namespace eigen_g
