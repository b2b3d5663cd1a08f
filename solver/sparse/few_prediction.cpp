// The cost model for a few pairs, and the choice of the method.
#include "solver/sparse/few_prediction.hpp"

#include <algorithm>
#include <cmath>

#include "hybrid/error.hpp"
#include "hybrid/machine/device.hpp"
#include "solver/sparse/lanczos.hpp"

namespace eigen_g {

namespace {

constexpr std::int64_t dense_at_last = 20000;  // largest order solved densely if Lanczos fails
constexpr int usual_degree = 8;  // assumed filter degree, over which the cost of the basis is divided

double lanczos_bytes_a_product(std::int64_t n, std::int64_t nnz, const LanczosSizes& sizes) {
  const double rows = static_cast<double>(n), block = sizeof(double) * block_width * rows;
  const double matrix = nnz < 0 ? 0 : 12.0 * static_cast<double>(nnz) + 8 * rows;
  const double basis = 2 * block * static_cast<double>(sizes.basis + sizes.kept);
  return (matrix + 3 * block + basis / usual_degree) / block_width;
}

// Bytes of one exchange with a neighbour: the rows of a block in one plane, if the rows of A are the points of a cube.
double halo_bytes(std::int64_t n) {
  return sizeof(double) * block_width * std::pow(static_cast<double>(n), 2.0 / 3);
}

}  // namespace

FewRates few_rates(bool on_gpu, int threads) {
  if (on_gpu) return {3.5e12, 4e-6, 6.6e12, 5e-6, 4000};
  return {6e9 * threads, 0, 8e9 * threads, 0, 1000};
}

FewPrediction few_prediction(std::int64_t n, std::int64_t nnz, const FewOptions& options, bool on_gpu,
                             int threads, const GpuCount& team) {
  const bool near = options.end == End::nearest;
  if (near && options.method == FewMethod::lanczos)
    throw InvalidArgument(
        "method",
        "is lanczos, which finds only the ends of a spectrum; must be auto or dense for pairs near a value");
  const FewRates rates = few_rates(on_gpu, threads);
  const LanczosSizes sizes = lanczos_sizes(options.count);
  const double rows = static_cast<double>(n);
  FewPrediction plan;
  plan.dense_seconds = (4.0 / 3 * rows + 2.0 * static_cast<double>(near ? n : options.count)) * rows * rows /
                           rates.flops_a_second +
                       rates.dense_row_seconds * rows;
  plan.product_seconds = rates.step_seconds * team.gpus +
                         lanczos_bytes_a_product(n, nnz, sizes) / rates.bytes_a_second / team.gpus;
  plan.gpus = team.gpus;
  if (team.gpus > 1) {
    plan.halo_seconds = (team.halo_latency + halo_bytes(n) / team.halo_bytes_per_second) / block_width;
    plan.product_seconds = std::max(plan.product_seconds, plan.halo_seconds);
  }
  plan.dense_bytes = 2 * sizeof(double) * static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(n);
  plan.lanczos_bytes = sizeof(double) * static_cast<std::uint64_t>(lanczos_values(n, options.count));

  const bool too_small = n < lanczos_least_order(options.count);
  const bool automatic = options.method == FewMethod::automatic;
  const bool dense =
      near || too_small || options.method == FewMethod::dense || (automatic && n <= rates.dense_at_once);
  plan.method = dense ? FewMethod::dense : FewMethod::lanczos;
  const double products_of_dense = std::ceil(plan.dense_seconds / plan.product_seconds);
  plan.dense_follows = automatic && !dense && n <= dense_at_last &&
                       products_of_dense < static_cast<double>(options.max_products) &&
                       (host_memory_available() == 0 || plan.dense_bytes <= host_memory_available());
  plan.max_products =
      plan.dense_follows ? static_cast<std::int64_t>(products_of_dense) : options.max_products;
  return plan;
}

}  // namespace eigen_g
