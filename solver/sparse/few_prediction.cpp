// The cost model for a few pairs, and the choice of the method.
#include "solver/sparse/few_prediction.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "hybrid/error.hpp"
#include "hybrid/machine/device.hpp"
#include "solver/sparse/factorisation.hpp"
#include "solver/sparse/lanczos.hpp"

namespace eigen_g {

namespace {

constexpr std::int64_t dense_at_last = 20000;  // largest order solved densely if Lanczos fails
constexpr double longest_dense_seconds = 10;   // longest dense solve without FewMethod::dense
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

// The message for pairs near a target that only a factorisation can find in a short time.
[[noreturn]] static void refuse_dense(std::int64_t n, const FewOptions& options, const FewPrediction& plan) {
  char cost[64], target[32];
  std::snprintf(cost, sizeof cost, "%.3g s and %.3g GB", plan.dense_seconds,
                1e-9 * static_cast<double>(plan.dense_bytes));
  std::snprintf(target, sizeof target, "%.9g", options.target);
  require_library(options.library, std::string("the pairs near ") + target + " of order " +
                                       std::to_string(n) +
                                       " need a factorisation (or the dense method, predicted " + cost + ")");
  throw InvalidArgument(
      "method", std::string("the pairs near ") + target + " of order " + std::to_string(n) +
                    " need a stored matrix, which is factorised, or the dense method, predicted " + cost);
}

FewRates few_rates(bool on_gpu, int threads) {
  if (on_gpu) return {3.5e12, 4e-6, 6.6e12, 5e-6, 4000};
  return {6e9 * threads, 0, 8e9 * threads, 0, 1000};
}

FewPrediction few_prediction(std::int64_t n, std::int64_t nnz, const FewOptions& options, bool on_gpu,
                             int threads, const GpuCount& team) {
  const bool target = options.end != End::lowest && options.end != End::highest;
  if (target && options.method == FewMethod::lanczos)
    throw InvalidArgument("method",
                          "is lanczos, which finds only the ends of a spectrum; must be auto, shift-invert "
                          "or dense for pairs near a value");
  if (options.method == FewMethod::shift_invert && nnz < 0)
    throw InvalidArgument("method", "shift-invert factorises A, so A must be a stored matrix");
  const FewRates rates = few_rates(on_gpu, threads);
  const LanczosSizes sizes = lanczos_sizes(options.count);
  const double rows = static_cast<double>(n);
  FewPrediction plan;
  plan.dense_seconds = (4.0 / 3 * rows + 2.0 * static_cast<double>(target ? n : options.count)) * rows *
                           rows / rates.flops_a_second +
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
  const bool small = automatic && n <= rates.dense_at_once;
  if (options.method == FewMethod::shift_invert ||
      (target && automatic && !small && nnz >= 0 && available(options.library) &&
       options.library != FactorLibrary::none)) {
    plan.method = FewMethod::shift_invert;
    plan.max_products = options.max_products;
    return plan;
  }
  const bool fits = host_memory_available() == 0 || plan.dense_bytes <= host_memory_available();
  if (target && automatic && !small && (plan.dense_seconds > longest_dense_seconds || !fits))
    refuse_dense(n, options, plan);
  const bool dense = target || too_small || small || options.method == FewMethod::dense;
  plan.method = dense ? FewMethod::dense : FewMethod::lanczos;
  const double products_of_dense = std::ceil(plan.dense_seconds / plan.product_seconds);
  plan.dense_follows = automatic && !dense && n <= dense_at_last &&
                       products_of_dense < static_cast<double>(options.max_products) && fits;
  plan.max_products =
      plan.dense_follows ? static_cast<std::int64_t>(products_of_dense) : options.max_products;
  return plan;
}

}  // namespace eigen_g
