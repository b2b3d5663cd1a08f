// Which way a few pairs are found and what it takes, by a model of the machine: the same choice at every call, whatever a clock says.
#pragma once

#include <cstdint>

#include "solver/api/sparse.hpp"

namespace eigen_g {

// What the model counts with. One H200; one core of a server's CPU.
struct FewRates {
  double bytes_a_second;       // products with A and the basis' own
  double step_seconds;         // launches of a product, of each GPU
  double flops_a_second;       // 4/3 n^3 and 2 n^2 a vector of the dense path
  double dense_row_seconds;    // what a row of a dense matrix costs beside its flops
  std::int64_t dense_at_once;  // orders up to which the dense path is taken without a look at the model
};
FewRates few_rates(bool on_gpu, int threads);

// Throws InvalidArgument where options ask for what their method cannot do. nnz = -1: A is a product of unknown cost.
// GPUs that have A's rows, and what an exchange between two takes: without a calibration, what it takes two H200s.
struct FewTeam {
  int gpus = 1;
  double halo_bandwidth = 3.5e11, halo_latency = 14e-6;  // bytes/s, seconds
};
FewPlan few_plan(std::int64_t n, std::int64_t nnz, const FewOptions& options, bool on_gpu, int threads,
                 const FewTeam& team = {});

}  // namespace eigen_g
