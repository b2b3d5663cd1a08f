#include "apps/bench/tridiagonalize_measure.hpp"

#include <algorithm>

#include "hybrid/machine/device.hpp"

#ifdef EIGEN_G_HAVE_CUDA

#include <cfloat>
#include <cmath>
#include <cstring>

#include "apps/bench/cusolver_peers.hpp"
#include "apps/bench/over_sizes.hpp"
#include "apps/bench/timing.hpp"
#include "apps/cli/text.hpp"
#include "blas2/symv/symv.hpp"
#include "blas2/symv/symv_truth.hpp"
#include "gemm_df/gemm.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/grid_barrier_seconds.hpp"
#include "solver/back/back_transform.hpp"
#include "solver/prepare/pack.hpp"
#include "solver/reduction/one_stage/tridiagonalize.hpp"
#include "solver/reduction/one_stage/tridiagonalize_on_chip.hpp"
#include "solver/tridiagonal/divide_and_conquer.hpp"
#include "solver/verify/verify_reduction.hpp"

namespace eigen_g::apps::bench {

namespace {

constexpr std::uint64_t seed = 4;
constexpr int breakdown_sizes = 12;
constexpr int breakdown_columns = 64;
constexpr int barrier_threads = 256;

std::int64_t padded(std::int64_t n) {
  return (n + tridiagonalize_row_multiple - 1) / tridiagonalize_row_multiple * tridiagonalize_row_multiple;
}

std::vector<double> download(const Queue& queue, const double* from, std::int64_t count) {
  std::vector<double> to(static_cast<std::size_t>(std::max<std::int64_t>(count, 0)));
  EIGEN_G_CUDA(
      cudaMemcpyAsync(to.data(), from, sizeof(double) * to.size(), cudaMemcpyDeviceToHost, queue.stream()));
  queue.wait();
  return to;
}

// What one reduction leaves.
struct Tridiagonal {
  explicit Tridiagonal(std::int64_t n) : d(n), e(n), tau(n) {}
  DeviceBuffer<double> d, e, tau;
};

// A size: its matrix, made anew before each call, and both sides' results.
class Size {
 public:
  Size(Queue& queue, Cusolver* cusolver, std::int64_t n)
      : queue_(queue),
        cusolver_(cusolver),
        n_(n),
        memory_(padded(n) * n),
        a_{memory_.data(), n, n, padded(n)},
        own_(n),
        peer_(n),
        scratch_(scratch_doubles(queue, n)) {}

  static std::uint64_t bytes(const Queue& queue, std::int64_t n) {
    return static_cast<std::uint64_t>(padded(n) * n + 6 * n + scratch_doubles(queue, n)) * sizeof(double);
  }

  // The lower triangle at random, the rows behind n zero.
  void make_matrix() const {
    blas2::fill_random(queue_, a_.data, a_.lda * n_, seed);
    pack_lower(queue_, Uplo::lower, a_, a_);
  }
  void reduce() const {
    tridiagonalize(queue_, a_, own_.d.data(), own_.e.data(), own_.tau.data(), scratch_.data());
  }
  void reduce_by_peer() const {
    cusolver_->sytrd(n_, a_.data, a_.lda, peer_.d.data(), peer_.e.data(), peer_.tau.data());
  }

  void measure(const TridiagonalizePlan& plan, TridiagonalizeCase& c) const {
    c.lda = a_.lda;
    c.brief = plan.brief;
    std::vector<Work> work;
    const auto add = [&](const char* name, std::uint64_t device_bytes, std::function<void()> prepare,
                         std::function<void()> call) {
      TimedCall timed;
      timed.name = name;
      timed.device_bytes = device_bytes;
      c.calls.push_back(timed);
      work.push_back({[call](std::int64_t) { call(); }, 1, false, std::move(prepare)});
    };
    add(
        "eigen_g", scratch_.bytes(), [this] { make_matrix(); }, [this] { reduce(); });
    if (cusolver_)
      for (const bool deterministic : {true, false}) {
        if (plan.brief && deterministic) continue;
        const std::uint64_t needed = cusolver_->sytrd_bytes(n_, a_.data, a_.lda);
        add(
            deterministic ? "cusolver" : "cusolver_nondeterministic", needed,
            [this, needed, deterministic] {
              if (!cusolver_->choose(deterministic)) throw DeviceError("this cuSOLVER has no such mode");
              cusolver_->reserve(needed);
              make_matrix();
            },
            [this] { reduce_by_peer(); });
      }
    time_calls(queue_, work, rule_of(plan, n_), c.calls);
    if (cusolver_) cusolver_->release();
    if (find(c.calls, "eigen_g")) check(plan, c);
    if (plan.breakdown && find(c.calls, "eigen_g"))
      c.breakdown = breakdown(find(c.calls, "eigen_g")->seconds);
  }

 private:
  static std::int64_t scratch_doubles(const Queue& queue, std::int64_t n) {
    return std::max(tridiagonalize_workspace(n, queue.multiprocessors()),
                    divide_and_conquer_workspace(n, false));
  }

  void check(const TridiagonalizePlan& plan, TridiagonalizeCase& c) const {
    // The peer's T is that of its last round.
    if (find(c.calls, "cusolver") || find(c.calls, "cusolver_nondeterministic")) {
      c.eigenvalues = eigenvalue_distance();
      if (plan.brief) return;
    }
    const auto once = [&] {
      make_matrix();
      reduce();
      return std::vector{download(queue_, own_.d.data(), n_), download(queue_, own_.e.data(), n_ - 1),
                         download(queue_, own_.tau.data(), n_ - 1)};
    };
    const auto first = once(), second = once();
    c.bit_for_bit = true;
    for (std::size_t k = 0; k < first.size(); ++k)
      c.bit_for_bit = c.bit_for_bit &&
                      (first[k].empty() ||
                       std::memcmp(first[k].data(), second[k].data(), sizeof(double) * first[k].size()) == 0);

    HostArray<double> q;
    if (n_ <= plan.check) q = form_q();
    make_matrix();
    const auto matrix = host_array<double>(n_ * n_);
    const MatrixView<double> a{matrix.get(), n_, n_, n_};
    copy_down(a, a_);
    compare_norms(a, first[0], first[1], c);
    if (!q) return;
    const ReductionRatios ratios =
        verify_reduction(Uplo::lower, a, first[0].data(), first[1].data(), {q.get(), n_, n_, n_});
    c.backward = ratios.backward;
    c.orthogonality = ratios.orthogonality;
  }

  void copy_down(MatrixView<double> to, MatrixView<const double> from) const {
    const auto width = [](std::int64_t count) { return sizeof(double) * static_cast<std::size_t>(count); };
    EIGEN_G_CUDA(cudaMemcpy2DAsync(to.data, width(to.lda), from.data, width(from.lda), width(n_),
                                   static_cast<std::size_t>(n_), cudaMemcpyDeviceToHost, queue_.stream()));
    queue_.wait();
  }

  // Q I from the reflectors that the last reduce() left.
  HostArray<double> form_q() const {
    auto q = host_array<double>(n_ * n_);
    std::fill(q.get(), q.get() + n_ * n_, 0.0);
    for (std::int64_t j = 0; j < n_; ++j) q[static_cast<std::size_t>(j * (n_ + 1))] = 1;
    const DeviceBuffer<double> z(n_ * n_), workspace(back_transform_workspace(n_, n_));
    const MatrixView<double> z_dev{z.data(), n_, n_, n_};
    EIGEN_G_CUDA(cudaMemcpyAsync(z.data(), q.get(), z.bytes(), cudaMemcpyHostToDevice, queue_.stream()));
    back_transform(queue_, a_, own_.tau.data(), z_dev, workspace.data());
    copy_down({q.get(), n_, n_, n_}, z_dev);
    return q;
  }

  void compare_norms(MatrixView<const double> a, const std::vector<double>& d, const std::vector<double>& e,
                     TridiagonalizeCase& c) const {
    double trace = 0, squares = 0;
#pragma omp parallel for reduction(+ : trace, squares) schedule(dynamic, 64)
    for (std::int64_t j = 0; j < n_; ++j) {
      double sum = 0;
      for (std::int64_t i = j + 1; i < n_; ++i) sum += a(i, j) * a(i, j);
      trace += a(j, j);
      squares += 2 * sum + a(j, j) * a(j, j);
    }
    double reduced_trace = 0, reduced_squares = 0;
    for (const double x : d) {
      reduced_trace += x;
      reduced_squares += x * x;
    }
    for (const double x : e) reduced_squares += 2 * x * x;
    const double unit = static_cast<double>(n_) * DBL_EPSILON;
    c.trace = std::fabs(reduced_trace - trace) / (unit * std::sqrt(squares));
    c.squares = std::fabs(reduced_squares - squares) / (unit * squares);
  }

  // Destroys both T.
  std::optional<double> eigenvalue_distance() const {
    std::vector<double> values[2];
    const Tridiagonal* const sides[] = {&own_, &peer_};
    for (int side = 0; side < 2; ++side) {
      const Outcome outcome =
          divide_and_conquer(queue_, n_, sides[side]->d.data(), sides[side]->e.data(), {}, scratch_.data());
      if (outcome.status != Status::converged) return std::nan("");
      values[side] = download(queue_, sides[side]->d.data(), n_);
    }
    double distance = 0, largest = 0;
    for (std::size_t k = 0; k < values[0].size(); ++k) {
      largest = std::max(largest, std::fabs(values[0][k]));
      distance = std::max(distance, std::fabs(values[0][k] - values[1][k]));
    }
    return distance / (static_cast<double>(n_) * DBL_EPSILON * largest);
  }

  // Pieces of the reduction by themselves: the end on the chip, and what comes before at a few orders of the trailing
  // matrix, added up over the columns.
  TridiagonalizeBreakdown breakdown(double total) const {
    TridiagonalizeBreakdown b;
    b.total = total;
    b.on_chip_order = std::min(n_, most_on_chip(queue_.multiprocessors()));
    b.on_chip = on_chip_seconds(b.on_chip_order);
    if (b.on_chip_order == n_) return b;

    b.panel_columns = breakdown_columns;
    b.blocks = 2 * queue_.multiprocessors();
    const double barrier = grid_barrier_seconds(queue_, b.blocks, barrier_threads);
    b.synchronisation = 2 * barrier * static_cast<double>(n_ - b.on_chip_order);

    make_matrix();
    const DeviceBuffer<double> x(n_), y(n_), v(a_.lda * breakdown_columns), w(a_.lda * breakdown_columns);
    for (const auto* buffer : {&x, &y, &v, &w})
      blas2::fill_random(queue_, buffer->data(), buffer->size(), seed);
    blas2::SymvWorkspace workspace;
    workspace.reserve(blas2::SymvType::d, n_);
    std::vector<double> product, update;
    const std::vector<std::int64_t> orders = sampled_orders(b.on_chip_order);
    for (const std::int64_t order : orders) {
      const MatrixView<double> trailing = a_.block(n_ - order, n_ - order, order, order);
      product.push_back(seconds_of({[&](std::int64_t) {
                                      blas2::symv<double>(queue_.stream(), Uplo::lower, order, 1,
                                                          trailing.data, trailing.lda, x.data(), 1, 0,
                                                          y.data(), 1, workspace);
                                    },
                                    1, true}));
      update.push_back(seconds_of({[&](std::int64_t) {
                                     syr2k_lower(queue_, -1, {v.data(), order, breakdown_columns, a_.lda},
                                                 {w.data(), order, breakdown_columns, a_.lda}, 1, trailing);
                                   },
                                   1, true}));
    }
    b.sizes_measured = static_cast<int>(orders.size());
    b.product = integral(orders, product);
    b.update = integral(orders, update) / breakdown_columns;
    return b;
  }

  double on_chip_seconds(std::int64_t order) const {
    if (order == 0) return 0;
    const std::int64_t first = n_ - order;
    return seconds_of({[&](std::int64_t) {
                         tridiagonalize_on_chip(queue_, a_.block(first, first, order, order),
                                                own_.d.data() + first, own_.e.data() + first,
                                                own_.tau.data() + first, scratch_.data(),
                                                queue_.multiprocessors());
                       },
                       1, false, [&] { make_matrix(); }});
  }

  double seconds_of(const Work& work) const {
    TimingRule rule;
    rule.rounds = 5;
    const Timing timing = time_in_turns(queue_, {work}, rule)[0];
    if (!timing.failure.empty()) throw DeviceError(timing.failure);
    return timing.median;
  }

  // Ascending from about `least` to n, as far from n as the trailing matrices that begin at a panel.
  std::vector<std::int64_t> sampled_orders(std::int64_t least) const {
    std::vector<std::int64_t> orders;
    for (int k = 0; k <= breakdown_sizes; ++k) {
      const std::int64_t start =
          (n_ - least) * (breakdown_sizes - k) / breakdown_sizes / breakdown_columns * breakdown_columns;
      if (n_ - start > (orders.empty() ? 0 : orders.back())) orders.push_back(n_ - start);
    }
    return orders;
  }

  // Of a function of the order from the first of the ascending orders to the last, linear between its values there.
  static double integral(const std::vector<std::int64_t>& orders, const std::vector<double>& values) {
    double sum = 0;
    for (std::size_t k = 1; k < orders.size(); ++k)
      sum += static_cast<double>(orders[k] - orders[k - 1]) * (values[k] + values[k - 1]) / 2;
    return sum;
  }

  Queue& queue_;
  Cusolver* cusolver_;
  std::int64_t n_;
  DeviceBuffer<double> memory_;
  MatrixView<double> a_;
  Tridiagonal own_, peer_;
  DeviceBuffer<double> scratch_;
};

}  // namespace

TridiagonalizeBench measure_tridiagonalize(const TridiagonalizePlan& plan) {
  return measure_over_sizes<Size, TridiagonalizeBench>(plan);
}

}  // namespace eigen_g::apps::bench

#else

namespace eigen_g::apps::bench {

TridiagonalizeBench measure_tridiagonalize(const TridiagonalizePlan&) {
  throw DeviceError("this benchmark needs a GPU, and this program is built without CUDA");
}

}  // namespace eigen_g::apps::bench

#endif
