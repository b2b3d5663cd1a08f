// reduction_breakdown(): the times of the parts of a one-stage reduction, for `bench tridiagonalize --breakdown`. CUDA builds only.
#pragma once

#include <functional>

#include "apps/bench/report.hpp"
#include "hybrid/matrix_view.hpp"
#include "hybrid/memory/arena.hpp"

namespace eigen_g {
class Queue;
}

namespace eigen_g::apps::bench {

// The arguments of tridiagonalize<double>(), in GPU memory.
struct ReductionArguments {
  MatrixView<double> a;
  double *d = nullptr, *e = nullptr, *tau = nullptr;
  Arena scratch;
};

// Times parts of the reduction separately: its end on the chip, and products and updates at several orders of the trailing matrix. The
// sum over the columns interpolates linearly between these orders. If all of the matrix is reduced on the chip, there are no other parts.
//
//   x           overwritten
//   fill_a      generates A again, which a reduction destroys
//   total       seconds of the whole reduction
//
// Returns total, on_chip, product, update and synchronisation in seconds, null for a part that does not exist; panel, which is null
// until Benchmark::conclude(); and on_chip_order, panel_columns, blocks, sizes_measured.
Json reduction_breakdown(const Queue& queue, const ReductionArguments& x, const std::function<void()>& fill_a,
                         double total);

}  // namespace eigen_g::apps::bench
