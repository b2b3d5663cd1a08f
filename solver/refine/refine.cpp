// The refinement steps: Refiner.
#include "solver/refine/refine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "hybrid/stream/queue.hpp"
#include "hybrid/transfer/copy_2d.hpp"
#include "solver/refine/clusters.hpp"
#include "solver/refine/columns.hpp"
#include "solver/refine/correction.hpp"

namespace eigen_g {

namespace {

constexpr double rounding = std::numeric_limits<double>::epsilon() / 2;
// `fine`: (4e-9)^2 / 2 is a tenth of double's rounding. `coarse`: a step with e_ij = 0.05 still reduces it by a factor of twenty.
constexpr double fine = 4e-9, coarse = 0.05;
// The change of a value is known to float's 24 bits. A relative change up to this has an error of a quarter of double's rounding.
constexpr double exact_in_float = 0x1p-31;

std::int64_t packed_values(std::int64_t n) {
  return n * std::min(n, largest_cluster);
}

struct RefineParts {
  MatrixView<double> y, s, g;
  double *lambda, *scales, *squares, *packed_s, *packed_g;
  std::int64_t *fine, *coarse, *cluster, *first, *size, *at;

  RefineParts(Arena& arena, std::int64_t n)
      : y(arena.matrix<double>(n, n, n)),
        s(arena.matrix<double>(n, n, n)),
        g(arena.matrix<double>(n, n, n)),
        lambda(arena.take<double>(n)),
        scales(arena.take<double>(n)),
        squares(arena.take<double>(n)),
        packed_s(arena.take<double>(packed_values(n))),
        packed_g(arena.take<double>(packed_values(n))),
        fine(arena.take<std::int64_t>(n)),
        coarse(arena.take<std::int64_t>(n)),
        cluster(arena.take<std::int64_t>(n)),
        first(arena.take<std::int64_t>(n)),
        size(arena.take<std::int64_t>(n)),
        at(arena.take<std::int64_t>(n)) {}
};

// Uses memory for n^2 doubles as two matrices of floats, and returns number `which` of them, 0 or 1.
MatrixView<float> floats_of(MatrixView<double> memory, std::int64_t which) {
  return {reinterpret_cast<float*>(memory.data) + which * memory.rows * memory.cols, memory.rows, memory.cols,
          memory.rows};
}

template <class Value>
std::vector<Value> fetched(const Queue& queue, const Value* from_dev, std::int64_t count) {
  std::vector<Value> host(static_cast<std::size_t>(count));
  copy_values(queue, host.data(), from_dev, count);
  queue.wait();
  return host;
}
// Blocks, so that the caller may free the host's memory afterwards.
template <class Value>
void put(const Queue& queue, const std::vector<Value>& host, Value* to_dev) {
  copy_values(queue, to_dev, host.data(), static_cast<std::int64_t>(host.size()));
  queue.wait();
}

// The lower triangle of C := X^T Y, by block columns. Above the diagonal C is written near it. `by`: products or a queue.
template <class By, class T>
void lower_product(const By& by, MatrixView<const same_t<T>> x, MatrixView<const same_t<T>> y,
                   MatrixView<T> c) {
  const std::int64_t n = c.rows, width = std::max<std::int64_t>(512, (n / 16 + 63) / 64 * 64);
  for (std::int64_t j = 0; j < n; j += width) {
    const std::int64_t cols = std::min(width, n - j);
    gemm(by, Op::transpose, Op::none, 1, x.block(0, j, n, n - j), y.block(0, j, n, cols), 0,
         c.block(j, j, n - j, cols));
  }
}

class Refiner {
 public:
  Refiner(const Products<double>& products, Engine engine, MatrixView<const double> a, MatrixView<double> x,
          double* w, Arena scratch)
      : products_(products),
        queue_(products.queue()),
        engine_(engine),
        n_(a.rows),
        a_(a),
        x_(x),
        w_(w),
        parts_(scratch, n_) {}

  // Steps until the result is refined or further steps do not help.
  Refinement run(const std::function<void(double)>& progress) {
    constexpr double usual_steps = 3;
    while (!step()) progress(std::min(done_.steps / usual_steps, 1.0));
    return done_;
  }

  // Sorts the values and the columns of X, ascending.
  void sort() {
    std::vector<std::int64_t> order(values_.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [this](std::int64_t i, std::int64_t j) {
      return values_[static_cast<std::size_t>(i)] < values_[static_cast<std::size_t>(j)];
    });
    if (!std::is_sorted(order.begin(), order.end())) {
      put(queue_, order, parts_.cluster);
      gather_columns(queue_, parts_.cluster, x_, parts_.y);
      copy_on_gpu(queue_, x_, parts_.y);
    }
    std::sort(values_.begin(), values_.end());
    put(queue_, values_, w_);
  }

 private:
  // Does one step. Returns true if it was the last one.
  bool step() {
    gemm(products_, Op::none, Op::none, 1, a_, x_, 0, parts_.y);  // Y = A X
    lower_product(products_, x_, x_, parts_.g);                   // G = X^T X
    const MatrixView<float> r = floats_of(parts_.s, 0), x_in_float = floats_of(parts_.s, 1),
                            v = floats_of(parts_.y, 0);
    residual(queue_, parts_.y, x_, w_, r);  // R = Y - X W
    convert(queue_, x_, x_in_float);
    lower_product(queue_, x_in_float, r, v);             // V = X^T R
    rayleigh_matrix(queue_, v, parts_.g, w_, parts_.s);  // S = V + G W
    normalise(queue_, parts_.s, parts_.g, parts_.lambda, parts_.scales);
    scale_columns(queue_, parts_.scales, x_);
    const std::vector<double> before_step = fetched(queue_, w_, n_);
    values_ = fetched(queue_, parts_.lambda, n_);
    double norm = 0;
    for (const double value : values_) {
      if (!std::isfinite(value)) return end(Refinement::Result::diverged);
      norm = std::max(norm, std::fabs(value));
    }
    const double limit = static_cast<double>(n_) * rounding / 32;  // for the sum of e_ij^2
    const CorrectionLimits limits{norm * product_noise(engine_, n_), norm * rounding,
                                  std::sqrt(limit / 2) / static_cast<double>(n_), fine, coarse};
    find_reach(queue_, parts_.s, parts_.g, parts_.lambda, limits, parts_.fine, parts_.coarse);
    Clusters clusters = clusters_of(fetched(queue_, parts_.fine, n_));
    const bool finest = clusters.small_enough;
    if (!finest) clusters = clusters_of(fetched(queue_, parts_.coarse, n_));
    done_.clusters = clusters.count();
    done_.largest_cluster = clusters.largest;
    // If the clusters are too large in the first step, it corrects the pairs outside of them all the same. This separates pairs that
    // float has mixed up, and the clusters of the next step show their true size.
    const bool solved = clusters.small_enough;
    if (!solved && done_.steps > 0) return end(Refinement::Result::large_clusters);
    if (solved && !solve(clusters)) return end(Refinement::Result::diverged);
    double shift = 0;
    for (std::size_t k = 0; k < values_.size(); ++k)
      shift = std::max(shift, std::fabs(values_[k] - before_step[k]));

    put(queue_, clusters.of_column, parts_.cluster);
    const MatrixView<float> e = floats_of(parts_.y, 0), x = floats_of(parts_.y, 1),
                            p = floats_of(parts_.g, 0);
    correction(queue_, parts_.s, parts_.g, parts_.lambda, parts_.cluster, solved, limits, e, parts_.squares);
    const std::vector<double> squares = fetched(queue_, parts_.squares, n_);
    const double square = std::accumulate(squares.begin(), squares.end(), 0.0), before = done_.correction;
    done_.correction = std::sqrt(square);
    if (!std::isfinite(square) || (done_.steps > 1 && square > limit && done_.correction > before / 2))
      return end(Refinement::Result::diverged);

    convert(queue_, x_, x);
    gemm<float>(queue_, Op::none, Op::none, 1, x, e, 0, p);
    add(queue_, p, x_);  // X := X + X E
    if (solved) rotate(clusters);
    put(queue_, values_, w_);
    ++done_.steps;
    // The small problem of a cluster is exact only to first order in the entries outside of the cluster.
    const bool exact = clusters.count() == 0 && square <= limit && shift <= norm * exact_in_float;
    if (finest && exact) return end(Refinement::Result::refined);
    return done_.steps == max_refinement_steps && end(Refinement::Result::diverged);
  }

  bool end(Refinement::Result result) {
    done_.result = result;
    return true;
  }

  // Computes Y_c and its values for every cluster. Y_c replaces the packed S_c.
  bool solve(const Clusters& clusters) {
    if (clusters.count() == 0) return true;
    put(queue_, clusters.first, parts_.first);
    put(queue_, clusters.size, parts_.size);
    put(queue_, clusters.at, parts_.at);
    const auto pack = [&](MatrixView<const double> from, double* to) {
      pack_diagonal_blocks(queue_, clusters.count(), parts_.first, parts_.size, parts_.at, from, to);
      return fetched(queue_, to, clusters.packed);
    };
    std::vector<double> s = pack(parts_.s, parts_.packed_s), g = pack(parts_.g, parts_.packed_g);
    if (!solve_clusters(clusters, s.data(), g.data(), values_.data())) return false;
    put(queue_, s, parts_.packed_s);
    return true;
  }
  void rotate(const Clusters& clusters) {
    for (std::size_t k = 0; k < clusters.first.size(); ++k) {
      const std::int64_t m = clusters.size[k];
      const MatrixView<double> x = x_.block(0, clusters.first[k], n_, m), y = parts_.s.block(0, 0, n_, m);
      gemm<double>(queue_, Op::none, Op::none, 1, x,
                   MatrixView<double>{parts_.packed_s + clusters.at[k], m, m, m}, 0, y);
      copy_on_gpu(queue_, x, y);
    }
  }

  const Products<double>& products_;
  const Queue& queue_;
  Engine engine_;
  std::int64_t n_;
  MatrixView<const double> a_;
  MatrixView<double> x_;
  double* w_;
  RefineParts parts_;
  std::vector<double> values_;
  Refinement done_;
};

}  // namespace

double product_noise(Engine engine, std::int64_t n) {
  const double native = rounding * (8 + std::sqrt(static_cast<double>(n)) / 4);
  return engine == Engine::df || engine == Engine::automatic ? 16 * native : native;
}

Refinement refine(const Products<double>& products, Engine engine, MatrixView<const double> a_dev,
                  MatrixView<double> x_dev, double* w_dev, Arena scratch_dev,
                  const std::function<void(double)>& progress) {
  Refiner refiner(products, engine, a_dev, x_dev, w_dev, scratch_dev);
  Refinement done = refiner.run(progress);
  if (done.result == Refinement::Result::refined) refiner.sort();
  return done;
}

std::uint64_t refine_bytes(std::int64_t n) {
  return bytes_taken([n](Arena& arena) { RefineParts(arena, n); });
}

// The small problems: S_c, G_c, their workspace, and a few values a column.
std::uint64_t refine_host_bytes(std::int64_t n) {
  constexpr std::int64_t values_a_column = 10;
  return sizeof(double) * static_cast<std::uint64_t>(2 * packed_values(n) + values_a_column * n) +
         solve_clusters_bytes(std::min(n, largest_cluster));
}

}  // namespace eigen_g
