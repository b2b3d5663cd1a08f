#ifdef EIGEN_G_HAVE_CUDA

#include "apps/bench/reduction_breakdown.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/support/timing.hpp"
#include "blas2/symv/symv.hpp"
#include "blas2/symv/symv_truth.hpp"
#include "gemm_df/gemm.hpp"
#include "hybrid/error.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/grid_barrier_seconds.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/reduction/one_stage/tridiagonalize.hpp"
#include "solver/reduction/one_stage/tridiagonalize_on_chip.hpp"

namespace eigen_g::apps::bench {

namespace {

constexpr int intervals = 12,
              panel_columns = 64;  // measured orders of the trailing matrix are multiples of `panel_columns`

std::vector<double> seconds_of(const Queue& queue, const std::vector<Call>& calls) {
  std::vector<double> seconds;
  for (const Timing& timing : time_in_turns(queue, calls, {.rounds = 5})) {
    if (!timing.failure.empty()) throw DeviceError(timing.failure);
    seconds.push_back(timing.median);
  }
  return seconds;
}

}  // namespace

Json reduction_breakdown(const Queue& queue, const ReductionArguments& x, const std::function<void()>& fill_a,
                         double total) {
  const MatrixView<double> a = x.a;
  const std::int64_t n = a.rows, on_chip_order = std::min(n, max_on_chip<double>(queue.multiprocessors())),
                     rest = n - on_chip_order;
  const int blocks = 2 * queue.multiprocessors();
  const auto reduce_on_chip = [&](std::int64_t) {
    tridiagonalize<double>(queue, a.block(rest, rest, on_chip_order, on_chip_order), x.d + rest, x.e + rest,
                           x.tau + rest, x.scratch);
  };
  const double on_chip = on_chip_order > 0 ? seconds_of(queue, {{"on_chip", reduce_on_chip, fill_a}})[0] : 0;
  Json parts{{"total", total},    {"on_chip", on_chip},         {"product", nullptr},
             {"update", nullptr}, {"synchronisation", nullptr}, {"panel", nullptr}};
  parts.update({{"on_chip_order", on_chip_order},
                {"panel_columns", panel_columns},
                {"blocks", blocks},
                {"sizes_measured", 0}});
  if (rest == 0) return parts;

  fill_a();
  const DeviceBuffer<double> p(n), q(n), v(a.lda * panel_columns), w(a.lda * panel_columns);
  for (const auto* buffer : {&p, &q, &v, &w})
    blas2::fill_random(queue, buffer->data(), buffer->size(), std::uint64_t{4});
  blas2::SymvWorkspace workspace;
  workspace.reserve(blas2::SymvType::d, n);
  std::vector<double> before;
  std::int64_t order_before = -1;
  double product = 0, update = 0;
  int sizes = 0;
  for (int k = intervals; k >= 0; --k) {
    const std::int64_t order = n - rest * k / intervals / panel_columns * panel_columns;
    if (order == order_before) continue;
    const MatrixView<double> c = a.block(n - order, n - order, order, order);
    const auto multiply = [&](std::int64_t) {
      blas2::symv<double>(queue.stream(), Uplo::lower, order, 1, c.data, c.lda, p.data(), 1, 0, q.data(), 1,
                          workspace);
    };
    const auto update_c = [&](std::int64_t) {
      syr2k_lower(queue, -1, {v.data(), order, panel_columns, a.lda}, {w.data(), order, panel_columns, a.lda},
                  1, c);
    };
    const std::vector<double> now = seconds_of(queue, {{"product", multiply}, {"update", update_c}});
    const double half = before.empty() ? 0 : static_cast<double>(order - order_before) / 2;
    if (before.empty()) before = now;
    product += half * (now[0] + before[0]);
    update += half * (now[1] + before[1]) / panel_columns;
    order_before = order;
    before = now;
    ++sizes;
  }
  const double barrier = grid_barrier_seconds(queue, blocks, 256);  // two for each column
  parts.update({{"product", product},
                {"update", update},
                {"synchronisation", 2 * barrier * static_cast<double>(rest)},
                {"sizes_measured", sizes}});
  return parts;
}

}  // namespace eigen_g::apps::bench

#endif
