// eigen_g bench tridiagonalize: the reduction of uniform random matrices beside cuSOLVER's sytrd.
#include <CLI/CLI.hpp>
#include <cmath>

#include "apps/bench/bench.hpp"

#ifdef EIGEN_G_HAVE_CUDA
#include <algorithm>
#include <array>
#include <cfloat>
#include <cstring>
#include <numeric>

#include "apps/bench/peers.hpp"
#include "blas2/symv/symv.hpp"
#include "blas2/symv/symv_truth.hpp"
#include "gemm_df/gemm.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/grid_barrier_seconds.hpp"
#include "hybrid/transfer/transfer.hpp"
#include "solver/back/back_transform.hpp"
#include "solver/prepare/pack.hpp"
#include "solver/reduction/one_stage/tridiagonalize.hpp"
#include "solver/reduction/one_stage/tridiagonalize_on_chip.hpp"
#include "solver/tridiagonal/divide_and_conquer.hpp"
#include "solver/verify/verify_reduction.hpp"
#endif

namespace eigen_g::apps::bench {

namespace {

constexpr double reduction_limit = 1;         // backward error and orthogonality of a random matrix
constexpr double small_reduction_limit = 10;  // where n < 64 bounds little
constexpr double identity_limit = 3;          // trace, squares, eigenvalues

#ifdef EIGEN_G_HAVE_CUDA

struct Wanted {
  bool brief, breakdown;
  std::int64_t check;  // Q is formed and checked for n up to this
};

// One size: its matrix, made anew before each call, and both sides' results.
class TridiagonalizeCase final : public Case {
 public:
  TridiagonalizeCase(const Session& session, std::int64_t n, Wanted wanted)
      : queue_(session.queue),
        cusolver_(session.cusolver),
        n_(n),
        wanted_(wanted),
        memory_(padded(n) * n),
        a_{memory_.data(), n, n, padded(n)},
        own_(n),
        peer_(n),
        scratch_(scratch_doubles(queue_, n)) {}

  static std::uint64_t bytes(const Queue& queue, std::int64_t n) {
    return static_cast<std::uint64_t>(padded(n) * n + 6 * n + scratch_doubles(queue, n)) * sizeof(double);
  }
  static std::int64_t padded(std::int64_t n) {
    return (n + tridiagonalize_row_multiple - 1) / tridiagonalize_row_multiple * tridiagonalize_row_multiple;
  }

  std::vector<Call> calls() override {
    std::vector<Call> calls;
    calls.push_back({"eigen_g", [this](std::int64_t) { reduce(); }, [this] { make_matrix(); }});
    if (!cusolver_) return calls;
    peer_bytes_ = cusolver_->sytrd_bytes(n_, a_.data, a_.lda);
    for (const bool deterministic : {true, false}) {
      if (wanted_.brief && deterministic) continue;
      calls.push_back({deterministic ? "cusolver" : "cusolver_nondeterministic",
                       [this](std::int64_t) {
                         cusolver_->sytrd(n_, a_.data, a_.lda, peer_.d.data(), peer_.e.data(),
                                          peer_.tau.data());
                       },
                       [this, deterministic] {
                         cusolver_->choose(deterministic);
                         cusolver_->reserve(peer_bytes_);
                         make_matrix();
                       }});
    }
    return calls;
  }

  void check(Json& result) override {
    if (cusolver_) cusolver_->release();
    for (Json& call : result["calls"])
      call["device_bytes"] = call["name"] == "eigen_g" ? scratch_.bytes() : peer_bytes_;
    Json& checks = result["checks"];
    for (const char* name : {"backward", "orthogonality", "trace", "squares", "eigenvalues", "bit_for_bit"})
      checks[name] = nullptr;
    result["breakdown"] = nullptr;
    const auto total = number_at(result, "eigen_g/seconds");
    if (!total) return;
    // The peer's T is that of its last round.
    const bool peer =
        number_at(result, "cusolver/seconds") || number_at(result, "cusolver_nondeterministic/seconds");
    if (peer) checks["eigenvalues"] = eigenvalue_distance();
    if (!peer || !wanted_.brief) check_reduction(checks);
    if (wanted_.breakdown) result["breakdown"] = breakdown(*total);
  }

 private:
  struct Tridiagonal {  // what one reduction leaves
    explicit Tridiagonal(std::int64_t n) : d(n), e(n), tau(n) {}
    DeviceBuffer<double> d, e, tau;
  };

  static std::int64_t scratch_doubles(const Queue& queue, std::int64_t n) {
    return std::max(tridiagonalize_workspace(n, queue.multiprocessors()),
                    divide_and_conquer_workspace(n, false));
  }

  // The lower triangle at random, the rows behind n zero.
  void make_matrix() const {
    blas2::fill_random(queue_, a_.data, a_.lda * n_, seed);
    pack_lower(queue_, Uplo::lower, a_, a_);
  }
  void reduce() const {
    tridiagonalize(queue_, a_, own_.d.data(), own_.e.data(), own_.tau.data(), scratch_.data());
  }
  std::vector<double> on_host(const DeviceBuffer<double>& from, std::int64_t count) const {
    std::vector<double> to(static_cast<std::size_t>(count));
    if (count > 0) download(queue_, {from.data(), count, 1, count}, {to.data(), count, 1, count});
    return to;
  }

  void check_reduction(Json& checks) const {
    const auto once = [&] {
      make_matrix();
      reduce();
      return std::array{on_host(own_.d, n_), on_host(own_.e, n_ - 1), on_host(own_.tau, n_ - 1)};
    };
    const auto first = once(), second = once();
    checks["bit_for_bit"] =
        std::equal(first.begin(), first.end(), second.begin(), [](const auto& x, const auto& y) {
          return x.empty() || std::memcmp(x.data(), y.data(), sizeof(double) * x.size()) == 0;
        });
    HostArray<double> q;
    if (n_ <= wanted_.check) q = form_q();
    make_matrix();
    const auto matrix = host_array<double>(n_ * n_);
    const MatrixView<double> a{matrix.get(), n_, n_, n_};
    download(queue_, a_, a);
    compare_norms(a, first[0], first[1], checks);
    if (!q) return;
    const ReductionRatios ratios =
        verify_reduction(Uplo::lower, a, first[0].data(), first[1].data(), {q.get(), n_, n_, n_});
    checks["backward"] = ratios.backward;
    checks["orthogonality"] = ratios.orthogonality;
  }

  // Q I from the reflectors that the last reduce() left.
  HostArray<double> form_q() const {
    auto q = host_array<double>(n_ * n_);
    std::fill(q.get(), q.get() + n_ * n_, 0.0);
    for (std::int64_t j = 0; j < n_; ++j) q[static_cast<std::size_t>(j * (n_ + 1))] = 1;
    const DeviceBuffer<double> z(n_ * n_), workspace(back_transform_workspace(n_, n_));
    const MatrixView<double> z_dev{z.data(), n_, n_, n_}, q_host{q.get(), n_, n_, n_};
    upload(queue_, Part::all, q_host, z_dev);
    back_transform(queue_, a_, own_.tau.data(), z_dev, workspace.data());
    download(queue_, z_dev, q_host);
    return q;
  }

  // |trace T - trace A| / (n ulp ||A||_F) and | ||T||_F^2 - ||A||_F^2 | / (n ulp ||A||_F^2)
  void compare_norms(MatrixView<const double> a, const std::vector<double>& d, const std::vector<double>& e,
                     Json& checks) const {
    double trace = 0, squares = 0;
#pragma omp parallel for reduction(+ : trace, squares) schedule(dynamic, 64)
    for (std::int64_t j = 0; j < n_; ++j) {
      double sum = 0;
      for (std::int64_t i = j + 1; i < n_; ++i) sum += a(i, j) * a(i, j);
      trace += a(j, j);
      squares += 2 * sum + a(j, j) * a(j, j);
    }
    const double reduced_trace = std::accumulate(d.begin(), d.end(), 0.0);
    const double reduced_squares = std::inner_product(d.begin(), d.end(), d.begin(), 0.0) +
                                   2 * std::inner_product(e.begin(), e.end(), e.begin(), 0.0);
    const double unit = static_cast<double>(n_) * DBL_EPSILON;
    checks["trace"] = std::fabs(reduced_trace - trace) / (unit * std::sqrt(squares));
    checks["squares"] = std::fabs(reduced_squares - squares) / (unit * squares);
  }

  // max |w - w'| / (n ulp max |w|) of the eigenvalues of both T, which it destroys
  double eigenvalue_distance() const {
    std::array<std::vector<double>, 2> values;
    for (int side = 0; side < 2; ++side) {
      const Tridiagonal& t = side == 0 ? own_ : peer_;
      if (divide_and_conquer(queue_, n_, t.d.data(), t.e.data(), {}, scratch_.data()).status !=
          Status::converged)
        return std::nan("");
      values[static_cast<std::size_t>(side)] = on_host(t.d, n_);
    }
    double distance = 0, largest = 0;
    for (std::size_t k = 0; k < values[0].size(); ++k) {
      largest = std::max(largest, std::fabs(values[0][k]));
      distance = std::max(distance, std::fabs(values[0][k] - values[1][k]));
    }
    return distance / (static_cast<double>(n_) * DBL_EPSILON * largest);
  }

  // Pieces of the reduction by themselves: the end on the chip, and what comes before at a few orders of the trailing
  // matrix from the smallest on, added up over the columns, linear between them.
  Json breakdown(double total) const {
    constexpr int intervals = 12;
    const int blocks = 2 * queue_.multiprocessors();
    const std::int64_t on_chip_order = std::min(n_, most_on_chip(queue_.multiprocessors())),
                       rest = n_ - on_chip_order;
    const double on_chip = on_chip_seconds(on_chip_order);
    const double synchronisation =
        rest > 0 ? 2 * grid_barrier_seconds(queue_, blocks, 256) * static_cast<double>(rest) : 0;
    double product = 0, update = 0, product_before = 0, update_before = 0;
    std::int64_t order_before = 0;
    int measured = 0;
    make_matrix();
    const DeviceBuffer<double> x(n_), y(n_), v(a_.lda * panel_columns), w(a_.lda * panel_columns);
    for (const auto* buffer : {&x, &y, &v, &w})
      blas2::fill_random(queue_, buffer->data(), buffer->size(), seed);
    blas2::SymvWorkspace workspace;
    workspace.reserve(blas2::SymvType::d, n_);
    for (int k = intervals; rest > 0 && k >= 0; --k) {
      const std::int64_t order = n_ - rest * k / intervals / panel_columns * panel_columns;
      if (order == order_before) continue;
      const MatrixView<double> c = a_.block(n_ - order, n_ - order, order, order);
      const double product_now =
          seconds_of({"product", [&](std::int64_t) {
                        blas2::symv<double>(queue_.stream(), Uplo::lower, order, 1, c.data, c.lda, x.data(),
                                            1, 0, y.data(), 1, workspace);
                      }});
      const double update_now =
          seconds_of({"update", [&](std::int64_t) {
                        syr2k_lower(queue_, -1, {v.data(), order, panel_columns, a_.lda},
                                    {w.data(), order, panel_columns, a_.lda}, 1, c);
                      }});
      const double half = measured++ > 0 ? static_cast<double>(order - order_before) / 2 : 0;
      product += half * (product_now + product_before);
      update += half * (update_now + update_before) / panel_columns;
      product_before = product_now, update_before = update_now, order_before = order;
    }
    return {{"total", total},
            {"on_chip", on_chip},
            {"product", product},
            {"update", update},
            {"synchronisation", synchronisation},
            {"panel", total - on_chip - product - update - synchronisation},
            {"on_chip_order", on_chip_order},
            {"panel_columns", panel_columns},
            {"blocks", blocks},
            {"sizes_measured", measured}};
  }

  double on_chip_seconds(std::int64_t order) const {
    if (order == 0) return 0;
    const std::int64_t first = n_ - order;
    const auto reduce_on_chip = [&](std::int64_t) {
      tridiagonalize_on_chip(queue_, a_.block(first, first, order, order), own_.d.data() + first,
                             own_.e.data() + first, own_.tau.data() + first, scratch_.data(),
                             queue_.multiprocessors());
    };
    return seconds_of({"on_chip", reduce_on_chip, [&] { make_matrix(); }});
  }

  double seconds_of(const Call& call) const {
    TimingRule rule;
    rule.rounds = 5;
    const Timing timing = time_in_turns(queue_, {call}, rule)[0];
    if (!timing.failure.empty()) throw DeviceError(timing.failure);
    return timing.median;
  }

  static constexpr std::uint64_t seed = 4;
  static constexpr int panel_columns = 64;
  const Queue& queue_;
  Cusolver* cusolver_;
  std::int64_t n_;
  Wanted wanted_;
  DeviceBuffer<double> memory_;
  MatrixView<double> a_;
  Tridiagonal own_, peer_;
  DeviceBuffer<double> scratch_;
  std::uint64_t peer_bytes_ = 0;
};

#endif

class Tridiagonalize final : public Benchmark {
 public:
  Tridiagonalize()
      : Benchmark({"tridiagonalize",
                   "Reduction to tridiagonal form against cuSOLVER's sytrd: seconds and GB/s over n.", R"(
  eigen_g bench tridiagonalize                        512 to 10000, half a minute
  eigen_g bench tridiagonalize --sizes 2000,20000,32768 --brief
  eigen_g bench tridiagonalize --json t.json && scripts/plot_solver.py t.json -o figures)"}) {}

  void add_options(CLI::App& command) override {
    add_sizes(command, "--sizes", "512,1000,2000,4000,10000",
              "Numbers and ranges from:to:step (default: 512 to 10000)");
    add_rounds(command, "Timed rounds a call (default: 7, but 3 where they take long, 1 with --brief)", 1);
    command.add_option("--check", check_, "Form Q and check it for n up to this, on the CPU (default: 4000)")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{100000}))
        ->option_text("N");
    command.add_flag("--breakdown", breakdown_,
                     "Also time products, updates and synchronisation by themselves");
    command.add_flag(
        "--brief", brief,
        "For large sizes: one cuSOLVER mode (the non-deterministic), no warm-up but of the first size, and "
        "no check but of the eigenvalues against cuSOLVER's");
  }

#ifdef EIGEN_G_HAVE_CUDA
  std::vector<CasePlan> cases(const Session& session, Json& head) override {
    head["cusolver"] = Cusolver::version();
    head["limits"] = {{"reduction", reduction_limit},
                      {"small_reduction", small_reduction_limit},
                      {"identity", identity_limit}};
    std::vector<CasePlan> plans;
    for (const std::int64_t n : sizes)
      plans.push_back({{{"n", n}, {"lda", TridiagonalizeCase::padded(n)}, {"brief", brief}},
                       rule_for_long_calls(n),
                       [=, wanted = Wanted{brief, breakdown_, check_}] {
                         return std::make_unique<TridiagonalizeCase>(session, n, wanted);
                       },
                       too_large(TridiagonalizeCase::bytes(session.queue, n))});
    return plans;
  }
#endif

  void conclude(Json& c) const override {
    const double bytes = 4.0 / 3 * std::pow(c["n"].get<double>(), 3);  // that must be read of the matrix
    const auto seconds = number_at(c, "eigen_g/seconds");
    c["bytes"] = bytes;
    c["gbytes_per_second"] = seconds ? Json(bytes / *seconds * 1e-9) : Json();
    c["ratio"] = quotient(c, {"cusolver/seconds", "cusolver_nondeterministic/seconds"}, "eigen_g/seconds");
  }

  std::vector<Limit> limits(const Json& c) const override {
    const bool compared = !at(c, "checks/eigenvalues").is_null();
    std::vector<Limit> limits{{"eigen_g/seconds"}, {"checks/eigenvalues", identity_limit, true}};
    if (compared && c["brief"] == true) return limits;
    const double reduction = c["n"] < 64 ? small_reduction_limit : reduction_limit;
    for (const char* name : {"backward", "orthogonality"})
      limits.push_back({std::string("checks/") + name, reduction, true});
    for (const char* name : {"trace", "squares"})
      limits.push_back({std::string("checks/") + name, identity_limit});
    limits.push_back({"checks/bit_for_bit"});
    return limits;
  }

  std::vector<Table> tables(const Json&) const override {
    return {
        {R"(n = n; eigen_g = eigen_g/seconds time; GB/s = gbytes_per_second %.0f; cuSOLVER = cusolver/seconds time;
      non-det. = cusolver_nondeterministic/seconds time; x = ratio %.2f; backward = checks/backward %.2g;
      orthog. = checks/orthogonality %.2g; trace = checks/trace %.2g; squares = checks/squares %.2g;
      values = checks/eigenvalues %.2g; bits = checks/bit_for_bit bits)",
         "GB/s: 4/3 n^3 bytes over eigen_g's time; x: the faster cuSOLVER mode's time over eigen_g's.\n"
         "Ratios in n ulp units; limits: backward, orthogonality 1, the others 3.\n"},
        {R"(n = n; total ms = breakdown/total %.2f 1e3; on chip = breakdown/on_chip %.2f 1e3;
      product = breakdown/product %.2f 1e3; panel = breakdown/panel %.2f 1e3; update = breakdown/update %.2f 1e3;
      synchronisation = breakdown/synchronisation %.2f 1e3)",
         "product, update and synchronisation measured alone on the same shapes; panel is what is left,\n"
         "less the products that updates of large matrices make on their way.\n",
         "breakdown"}};
  }

 private:
  std::int64_t check_ = 4000;
  bool breakdown_ = false;
};

}  // namespace

std::shared_ptr<Benchmark> tridiagonalize_benchmark() {
  return std::make_shared<Tridiagonalize>();
}

}  // namespace eigen_g::apps::bench
