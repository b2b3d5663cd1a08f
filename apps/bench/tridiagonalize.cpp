// eigen_g bench tridiagonalize: the reduction of uniform random matrices, compared with cuSOLVER's sytrd.
#include <CLI/CLI.hpp>
#include <cmath>

#include "apps/bench/benchmarks.hpp"

#include "hybrid/round_up.hpp"

#ifdef EIGEN_G_HAVE_CUDA
#include <algorithm>
#include <cfloat>
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
#include "solver/path/two_stage.hpp"
#include "solver/prepare/pack.hpp"
#include "solver/reduction/one_stage/tridiagonalize.hpp"
#include "solver/reduction/one_stage/tridiagonalize_on_chip.hpp"
#include "solver/reduction/two_stage/band_to_tridiagonal.hpp"
#include "solver/reduction/two_stage/full_to_band.hpp"
#include "solver/tridiagonal/divide_and_conquer.hpp"
#include "solver/verify/verify_reduction.hpp"
#endif

namespace eigen_g::apps::bench {

namespace {

constexpr double reduction_limit = 1;         // backward error and orthogonality for a random matrix
constexpr double small_reduction_limit = 10;  // for n < 64, where the bound on random matrices is loose
constexpr double identity_limit = 3;          // trace, squares, eigenvalues

// The options of a case.
struct Plan {
  std::int64_t n = 0;
  std::int64_t check = 4000;  // Q is formed and checked for n up to this
  bool two_stage = false, brief = false, breakdown = false;
};

#ifdef EIGEN_G_HAVE_CUDA

// Flops of the reduction, and the bytes that the one-stage reduction must read.
double reduction_cost(std::int64_t n) {
  return 4.0 / 3 * std::pow(n, 3);
}

// One size: its matrix, generated again before each call, and the results of each contender.
class TridiagonalizeCase {
 public:
  TridiagonalizeCase(const Session& session, const Plan& plan)
      : queue_(session.queue), cusolver_(session.cusolver), plan_(plan) {}

  static std::uint64_t bytes(const Queue& queue, std::int64_t n) {
    return static_cast<std::uint64_t>(padded(n) * n + 6 * n) * sizeof(double) +
           static_cast<std::uint64_t>(scratch_bytes(queue, n));
  }
  static std::int64_t padded(std::int64_t n) { return round_up(n, tridiagonalize_row_multiple); }

  std::vector<Call> calls() {
    std::vector<Call> calls{reduction_};
    if (plan_.two_stage) {
      calls.push_back({"two_stage", [this](std::int64_t) { reduce_in_two_stages(); }, reduction_.prepare});
      calls.back().flops = reduction_cost(n_);
    }
    if (!cusolver_) return calls;
    peer_bytes_ = cusolver_->sytrd_bytes(n_, a_.data, a_.lda);
    const auto reduce_by_peer = [this](std::int64_t) {
      cusolver_->sytrd(n_, a_.data, a_.lda, peer_.d, peer_.e, peer_.tau);
    };
    for (const bool deterministic : {true, false})
      if (!plan_.brief || !deterministic)
        calls.push_back({deterministic ? "cusolver" : "cusolver_nondeterministic", reduce_by_peer, [=, this] {
                           cusolver_->choose(deterministic);
                           cusolver_->reserve(peer_bytes_);
                           make_matrix();
                         }});
    return calls;
  }

  void check(Json& result) {
    if (cusolver_) cusolver_->release();
    for (Json& call : result["calls"])
      call["device_bytes"] = call["name"] == "eigen_g"     ? scratch_.bytes()
                             : call["name"] == "two_stage" ? band_.bytes() + two_stage_scratch_.bytes()
                                                           : peer_bytes_;
    Json& checks = result["checks"] = Json::object();
    result["breakdown"] = nullptr;
    const auto total = number_at(result, "eigen_g/seconds");
    if (!total) return;
    // The peer's T is the result of its last round.
    const bool peer =
        number_at(result, "cusolver/seconds") || number_at(result, "cusolver_nondeterministic/seconds");
    if (number_at(result, "two_stage/seconds")) {
      checks["two_stage"] = eigenvalue_distance(own_, banded_);
      make_matrix();
      reduce();
    }
    if (peer) checks["eigenvalues"] = eigenvalue_distance(own_, peer_);
    if (!peer || !plan_.brief) check_reduction(checks);
    if (plan_.breakdown) result["breakdown"] = breakdown(*total);
  }

 private:
  struct Tridiagonal {  // result of one reduction
    explicit Tridiagonal(std::int64_t n) : memory(3 * round_up(n, 32)) {}
    DeviceBuffer<double> memory;
    double *const d = memory.data(), *const e = d + memory.size() / 3, *const tau = e + memory.size() / 3;
  };

  static std::int64_t scratch_bytes(const Queue& queue, std::int64_t n) {
    return static_cast<std::int64_t>(std::max(tridiagonalize_bytes<double>(n, queue.multiprocessors()),
                                              divide_and_conquer_bytes<double>(n, false)));
  }
  static Arena arena(const DeviceBuffer<std::byte>& memory) { return {memory.data(), memory.bytes()}; }

  // Random lower triangle; rows from n on are zero.
  void make_matrix() const {
    blas2::fill_random(queue_, a_.data, a_.lda * n_, seed);
    pack_lower<double>(queue_, Uplo::lower, a_, a_);
  }
  void reduce() const { tridiagonalize<double>(queue_, a_, own_.d, own_.e, own_.tau, arena(scratch_)); }
  void reduce_in_two_stages() const {
    const MatrixView<double> band{band_.data(), band_width_ + 1, n_, band_width_ + 1};
    full_to_band<double>(queue_, band_width_, a_, band, banded_.tau, arena(two_stage_scratch_));
    band_to_tridiagonal<double>(queue_, band_width_, band, banded_.d, banded_.e, {},
                                arena(two_stage_scratch_));
  }
  std::vector<double> on_host(const double* from, std::int64_t count) const {
    std::vector<double> to(static_cast<std::size_t>(count));
    if (count > 0) download<double>(queue_, {from, count, 1, count}, {to.data(), count, 1, count});
    return to;
  }

  void check_reduction(Json& checks) {
    checks["bit_for_bit"] = Result{queue_, own_.memory.data(), own_.memory.bytes()}.same_bits(reduction_, 2);
    const std::vector<double> d = on_host(own_.d, n_), e = on_host(own_.e, n_ - 1);
    const DeviceBuffer<double> z(n_ <= plan_.check ? n_ * n_ : 0);
    if (z.size() > 0) form_q({z.data(), n_, n_, n_});
    make_matrix();
    const auto matrix = host_array<double>(n_ * n_), q = host_array<double>(z.size());
    const MatrixView<double> a{matrix.get(), n_, n_, n_}, q_host{q.get(), n_, n_, n_};
    download<double>(queue_, a_, a);
    // |trace T - trace A| / (n ulp ||A||_F) and | ||T||_F^2 - ||A||_F^2 | / (n ulp ||A||_F^2)
    double trace = 0, squares = 0;
#pragma omp parallel for reduction(+ : trace, squares) schedule(dynamic, 64)
    for (std::int64_t j = 0; j < n_; ++j) {
      trace += a(j, j);
      squares += 2 * std::inner_product(&a(j, j), &a(j, j) + n_ - j, &a(j, j), 0.0) - a(j, j) * a(j, j);
    }
    const double reduced = std::inner_product(d.begin(), d.end(), d.begin(), 0.0) +
                           2 * std::inner_product(e.begin(), e.end(), e.begin(), 0.0);
    const double unit = static_cast<double>(n_) * DBL_EPSILON;
    checks["trace"] =
        std::fabs(std::accumulate(d.begin(), d.end(), 0.0) - trace) / (unit * std::sqrt(squares));
    checks["squares"] = std::fabs(reduced - squares) / (unit * squares);
    if (z.size() == 0) return;
    download<double>(queue_, {z.data(), n_, n_, n_}, q_host);
    const ReductionRatios ratios = verify_reduction(Uplo::lower, a, d.data(), e.data(), q_host);
    checks["backward"] = ratios.backward;
    checks["orthogonality"] = ratios.orthogonality;
  }

  // Forms Q in q_dev, by the reflectors of the last reduce() applied to the identity.
  void form_q(MatrixView<double> q_dev) const {
    const DeviceBuffer<std::byte> memory(static_cast<std::int64_t>(back_transform_bytes<double>(n_, n_)));
    const std::vector<double> ones(static_cast<std::size_t>(n_), 1);
    const MatrixView<double> diagonal{q_dev.data, 1, n_, n_ + 1};
    EIGEN_G_CUDA(cudaMemsetAsync(q_dev.data, 0, sizeof(double) * ones.size() * ones.size(), queue_.stream()));
    upload<double>(queue_, Part::all, {ones.data(), 1, n_, 1}, diagonal);
    back_transform<double>(queue_, a_, own_.tau, q_dev, arena(memory));
    queue_.wait();
  }

  // Distance of the eigenvalues of two T. Destroys both.
  double eigenvalue_distance(const Tridiagonal& x, const Tridiagonal& y) const {
    std::vector<std::vector<double>> values;
    for (const Tridiagonal* t : {&x, &y}) {
      const auto outcome = divide_and_conquer<double>(queue_, n_, t->d, t->e, {}, arena(scratch_));
      if (outcome.status != Status::converged) return std::nan("");
      values.push_back(on_host(t->d, n_));
    }
    return distance(values[0], values[1]);
  }

  // Times parts of the reduction separately: its end on the chip, and products and updates at several orders of the trailing matrix. The
  // sum over the columns interpolates linearly between these orders. If all of the matrix is reduced on the chip, there are no other parts.
  Json breakdown(double total) const {
    constexpr int intervals = 12, columns = 64;
    const int blocks = 2 * queue_.multiprocessors();
    const std::int64_t on_chip_order = std::min(n_, max_on_chip<double>(queue_.multiprocessors())),
                       rest = n_ - on_chip_order;
    const auto reduce_on_chip = [&](std::int64_t) {
      tridiagonalize_on_chip(queue_, a_.block(rest, rest, on_chip_order, on_chip_order), own_.d + rest,
                             own_.e + rest, own_.tau + rest, arena(scratch_).take<double>(1),
                             queue_.multiprocessors());
    };
    const double on_chip =
        on_chip_order > 0 ? seconds_of({{"on_chip", reduce_on_chip, reduction_.prepare}})[0] : 0;
    Json parts{{"total", total},    {"on_chip", on_chip},         {"product", nullptr},
               {"update", nullptr}, {"synchronisation", nullptr}, {"panel", nullptr}};
    parts["on_chip_order"] = on_chip_order, parts["panel_columns"] = columns;
    parts["blocks"] = blocks, parts["sizes_measured"] = 0;
    if (rest == 0) return parts;
    make_matrix();
    const DeviceBuffer<double> x(n_), y(n_), v(a_.lda * columns), w(a_.lda * columns);
    for (const auto* buffer : {&x, &y, &v, &w})
      blas2::fill_random(queue_, buffer->data(), buffer->size(), seed);
    blas2::SymvWorkspace workspace;
    workspace.reserve(blas2::SymvType::d, n_);
    std::vector<double> before;
    std::int64_t order_before = -1;
    double product = 0, update = 0;
    for (int k = intervals; k >= 0; --k) {
      const std::int64_t order = n_ - rest * k / intervals / columns * columns;
      if (order == order_before) continue;
      const MatrixView<double> c = a_.block(n_ - order, n_ - order, order, order);
      const auto multiply = [&](std::int64_t) {
        blas2::symv<double>(queue_.stream(), Uplo::lower, order, 1, c.data, c.lda, x.data(), 1, 0, y.data(),
                            1, workspace);
      };
      const auto update_c = [&](std::int64_t) {
        syr2k_lower(queue_, -1, {v.data(), order, columns, a_.lda}, {w.data(), order, columns, a_.lda}, 1, c);
      };
      const std::vector<double> now = seconds_of({{"product", multiply}, {"update", update_c}});
      const double half = before.empty() ? 0 : static_cast<double>(order - order_before) / 2;
      if (before.empty()) before = now;
      product += half * (now[0] + before[0]);
      update += half * (now[1] + before[1]) / columns;
      order_before = order;
      before = now;
      parts["sizes_measured"] = parts["sizes_measured"].get<int>() + 1;
    }
    const double barrier = grid_barrier_seconds(queue_, blocks, 256);  // two for each column
    parts.update({{"product", product},
                  {"update", update},
                  {"synchronisation", 2 * barrier * static_cast<double>(rest)}});
    return parts;
  }

  std::vector<double> seconds_of(const std::vector<Call>& calls) const {
    std::vector<double> seconds;
    for (const Timing& timing : time_in_turns(queue_, calls, {.rounds = 5})) {
      if (!timing.failure.empty()) throw DeviceError(timing.failure);
      seconds.push_back(timing.median);
    }
    return seconds;
  }

  static constexpr std::uint64_t seed = 4;
  const Queue& queue_;
  Cusolver* const cusolver_;
  const Plan plan_;
  const std::int64_t n_ = plan_.n, band_width_ = band_width<double>(n_);
  const DeviceBuffer<double> memory_{padded(n_) * n_}, band_{plan_.two_stage ? (band_width_ + 1) * n_ : 0};
  const MatrixView<double> a_{memory_.data(), n_, n_, padded(n_)};
  const Call reduction_{.name = "eigen_g",
                        .enqueue = [this](std::int64_t) { reduce(); },
                        .prepare = [this] { make_matrix(); },
                        .bytes = reduction_cost(n_)};
  const Tridiagonal own_{n_}, banded_{n_}, peer_{n_};
  const DeviceBuffer<std::byte> scratch_{scratch_bytes(queue_, n_)};
  const DeviceBuffer<std::byte> two_stage_scratch_{
      plan_.two_stage ? static_cast<std::int64_t>(std::max(
                            full_to_band_bytes<double>(n_, band_width_, queue_.multiprocessors()),
                            band_to_tridiagonal_bytes<double>(n_, band_width_, queue_.multiprocessors())))
                      : 0};
  std::uint64_t peer_bytes_ = 0;
};

#endif

class Tridiagonalize final : public Benchmark {
 public:
  Tridiagonalize()
      : Benchmark({"tridiagonalize",
                   "Reduction to tridiagonal form, compared with cuSOLVER's sytrd: seconds and GB/s by n.",
                   R"(
  eigen_g bench tridiagonalize                        512 to 10000, half a minute
  eigen_g bench tridiagonalize --sizes 2000,20000,32768 --brief
  eigen_g bench tridiagonalize --path one,two         also through a band, with TFLOP/s of 4/3 n^3
  eigen_g bench tridiagonalize --json t.json && scripts/plot_solver.py t.json -o figures)"}) {}

  void add_options(CLI::App& command) override {
    add_sizes(command, "--sizes", "512,1000,2000,4000,10000",
              "Numbers and ranges from:to:step (default: 512 to 10000)");
    add_rounds(command, "Timed rounds of each call (default: 7; 3 if they take long; 1 with --brief)", 1);
    command
        .add_option("--check", plan_.check,
                    "Form Q and check it for n up to this, on the CPU (default: 4000)")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{100000}))
        ->option_text("N");
    command
        .add_option("--path", paths_,
                    "Paths of the reduction: one (default; always included, because it checks the other), "
                    "two (through "
                    "a band, on the same matrices)")
        ->delimiter(',')
        ->check(CLI::IsMember({"one", "two"}))
        ->option_text("LIST");
    command.add_flag("--breakdown", plan_.breakdown,
                     "Also time products, updates and synchronisation by themselves");
    command.add_flag(
        "--brief", brief,
        "For large sizes: only the non-deterministic mode of cuSOLVER, one round, beyond n = 20000 a "
        "warm-up for the first size only, and only the eigenvalues are checked, with cuSOLVER's");
  }

#ifdef EIGEN_G_HAVE_CUDA
  std::vector<CaseOptions> cases(const Session& session, Json& head) override {
    head["cusolver"] = Cusolver::version();
    head["limits"] = {{"reduction", reduction_limit},
                      {"small_reduction", small_reduction_limit},
                      {"identity", identity_limit}};
    plan_.two_stage = std::ranges::count(paths_, "two") > 0;
    plan_.brief = brief;
    return each_case([&](char, std::int64_t n) -> CaseOptions {
      plan_.n = n;
      return {
          {{"n", n}, {"lda", TridiagonalizeCase::padded(n)}, {"brief", brief}, {"bytes", reduction_cost(n)}},
          rule_for_long_calls(n),
          [session, plan = plan_] { return case_of<TridiagonalizeCase>(session, plan); },
          too_large(TridiagonalizeCase::bytes(session.queue, n))};
    });
  }
#endif

  void conclude(Json& c) const override {
    c["gbytes_per_second"] = at(c, "eigen_g/gbytes_per_second");
    c["ratio"] = quotient(c, {"cusolver/seconds", "cusolver_nondeterministic/seconds"}, "eigen_g/seconds");
    const auto part = [&](const char* name) { return number_at(c, std::string("breakdown/") + name); };
    if (part("on_chip") && part("product"))
      c["breakdown"]["panel"] =
          *part("total") - *part("on_chip") - *part("product") - *part("update") - *part("synchronisation");
  }

  std::vector<Limit> limits(const Json& c) const override {
    const bool compared = !at(c, "checks/eigenvalues").is_null();
    std::vector<Limit> limits{{"eigen_g/seconds"},
                              {"checks/eigenvalues", identity_limit, true},
                              {"checks/two_stage", identity_limit, true}};
    if (compared && c["brief"] == true) return limits;
    const double reduction = c["n"] < 64 ? small_reduction_limit : reduction_limit;
    for (const char* check : {"checks/backward", "checks/orthogonality"})
      limits.push_back({check, reduction, true});
    for (const char* check : {"checks/trace", "checks/squares"}) limits.push_back({check, identity_limit});
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
        {R"(n = n; one-stage = eigen_g/seconds time; two-stage = two_stage/seconds time;
      TFLOP/s = two_stage/gflops %.1f 1e-3; cuSOLVER = cusolver/seconds time;
      non-det. = cusolver_nondeterministic/seconds time; values = checks/two_stage %.2g)",
         "TFLOP/s: 4/3 n^3 flops divided by the time of the two-stage path; values: compared with the "
         "one-stage path.\n",
         "two_stage"},
        {R"(n = n; total ms = breakdown/total %.2f 1e3; on chip = breakdown/on_chip %.2f 1e3;
      product = breakdown/product %.2f 1e3; panel = breakdown/panel %.2f 1e3; update = breakdown/update %.2f 1e3;
      synchronisation = breakdown/synchronisation %.2f 1e3)",
         "product, update and synchronisation measured alone on the same shapes; panel is what is left,\n"
         "less the products that updates of large matrices make on their way.\n",
         "breakdown"}};
  }

 private:
  Plan plan_;
  std::vector<std::string> paths_{"one"};
};

}  // namespace

std::shared_ptr<Benchmark> tridiagonalize_benchmark() {
  return std::make_shared<Tridiagonalize>();
}

}  // namespace eigen_g::apps::bench
