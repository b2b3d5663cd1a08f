// eigen_g bench tridiagonalize: the reduction of uniform random matrices, compared with cuSOLVER's sytrd.
#include <CLI/CLI.hpp>
#include <cmath>

#include "apps/bench/benchmarks.hpp"

#ifdef EIGEN_G_HAVE_CUDA
#include <algorithm>
#include <cfloat>
#include <numeric>

#include "apps/bench/peers.hpp"
#include "apps/bench/reduction_breakdown.hpp"
#include "blas2/symv/symv_truth.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/round_up.hpp"
#include "hybrid/transfer/transfer.hpp"
#include "solver/back/back_transform.hpp"
#include "solver/prepare/pack.hpp"
#include "solver/reduction/one_stage/tridiagonalize.hpp"
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

struct ReductionOptions {
  std::int64_t check = 4000;  // Q is formed and checked for n up to this
  bool two_stage = false, brief = false, breakdown = false;
};

#ifdef EIGEN_G_HAVE_CUDA

// Flops of the reduction, and the bytes that the one-stage reduction must read.
double reduction_cost(std::int64_t n) {
  return 4.0 / 3 * std::pow(n, 3);
}
std::int64_t padded(std::int64_t n) {
  return round_up(n, tridiagonalize_row_multiple);
}
Arena arena(const DeviceBuffer<std::byte>& memory) {
  return {memory.data(), memory.bytes()};
}
std::int64_t scratch_bytes(const Queue& queue, std::int64_t n) {
  return static_cast<std::int64_t>(std::max(tridiagonalize_bytes<double>(n, queue.multiprocessors()),
                                            divide_and_conquer_bytes<double>(n, 0)));
}
std::int64_t two_stage_bytes(const Queue& queue, std::int64_t n, std::int64_t b) {
  return static_cast<std::int64_t>(
      std::max(full_to_band_bytes<double>(n, b, queue.multiprocessors()),
               band_to_tridiagonal_bytes<double>(n, b, queue.multiprocessors())));
}

struct ReducedMatrix {  // result of one reduction
  explicit ReducedMatrix(std::int64_t n) : memory(3 * round_up(n, 32)) {}
  DeviceBuffer<double> memory;
  double *const d = memory.data(), *const e = d + memory.size() / 3, *const tau = e + memory.size() / 3;
};

std::vector<double> on_host(const Queue& queue, const double* from, std::int64_t count) {
  std::vector<double> to(static_cast<std::size_t>(count));
  if (count > 0) download<double>(queue, {from, count, 1, count}, {to.data(), count, 1, count});
  return to;
}

// A matrix of one size, which is generated again before each call, and the results of its reductions.
class ReductionCase {
 public:
  ReductionCase(const Session& session, std::int64_t n, const ReductionOptions& options)
      : queue_(session.queue), cusolver_(session.cusolver), n_(n), options_(options) {}

  static std::uint64_t bytes(const Queue& queue, std::int64_t n) {
    return static_cast<std::uint64_t>(padded(n) * n + 6 * n) * sizeof(double) +
           static_cast<std::uint64_t>(scratch_bytes(queue, n));
  }

  // The contenders are rows: eigen_g's one-stage reduction, on demand its two-stage reduction, and the modes of cuSOLVER.
  std::vector<Call> calls() {
    add("eigen_g", scratch_.bytes(), [this] { reduce(); });
    calls_.back().bytes = reduction_cost(n_);
    if (options_.two_stage) {
      add("two_stage", band_.bytes() + two_stage_scratch_.bytes(), [this] { reduce_in_two_stages(); });
      calls_.back().flops = reduction_cost(n_);
    }
    if (cusolver_ && !options_.brief) add_cusolver("cusolver", true);
    if (cusolver_) add_cusolver("cusolver_nondeterministic", false);
    return calls_;
  }

  void check(Json& result) {
    if (cusolver_) cusolver_->release();
    for (std::size_t i = 0; i < device_bytes_.size(); ++i)
      result["calls"][i]["device_bytes"] = device_bytes_[i];
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
    if (!peer || !options_.brief) {
      const Result own{queue_, own_.memory.data(), own_.memory.bytes()};
      checks["bit_for_bit"] = own.same_bits(calls_.front(), 2);
      check_reduction(checks);
    }
    if (options_.breakdown)
      result["breakdown"] = reduction_breakdown(
          queue_, {a_, own_.d, own_.e, own_.tau, arena(scratch_)}, [this] { make_matrix(); }, *total);
  }

 private:
  template <class Reduce>
  void add(const std::string& name, std::uint64_t bytes, Reduce reduce) {
    calls_.push_back({name, [=](std::int64_t) { reduce(); }, [this] { make_matrix(); }});
    device_bytes_.push_back(bytes);
  }
  void add_cusolver(const std::string& name, bool deterministic) {
    const std::uint64_t bytes = cusolver_->sytrd_bytes(n_, a_.data, a_.lda);
    add(name, bytes, [this] { cusolver_->sytrd(n_, a_.data, a_.lda, peer_.d, peer_.e, peer_.tau); });
    calls_.back().prepare = [=, this] {
      cusolver_->choose(deterministic);
      cusolver_->reserve(bytes);
      make_matrix();
    };
  }

  // Random lower triangle; rows from n on are zero.
  void make_matrix() const {
    blas2::fill_random(queue_, a_.data, a_.lda * n_, std::uint64_t{4});
    pack_lower<double>(queue_, Uplo::lower, a_, a_);
  }
  void reduce() const { tridiagonalize<double>(queue_, a_, own_.d, own_.e, own_.tau, arena(scratch_)); }
  void reduce_in_two_stages() const {
    const MatrixView<double> band{band_.data(), b_ + 1, n_, b_ + 1};
    full_to_band<double>(queue_, b_, a_, band, banded_.tau, arena(two_stage_scratch_));
    band_to_tridiagonal<double>(queue_, b_, band, banded_.d, banded_.e, {}, arena(two_stage_scratch_));
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

  // Checks T of the last reduce(), and Q if n is at most options_.check.
  void check_reduction(Json& checks) const {
    const std::vector<double> d = on_host(queue_, own_.d, n_), e = on_host(queue_, own_.e, n_ - 1);
    const DeviceBuffer<double> z(n_ <= options_.check ? n_ * n_ : 0);
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

  // Distance of the eigenvalues of two T. Destroys both.
  double eigenvalue_distance(const ReducedMatrix& one, const ReducedMatrix& other) const {
    std::vector<std::vector<double>> values;
    for (const ReducedMatrix* t : {&one, &other}) {
      const auto result = divide_and_conquer<double>(queue_, n_, t->d, t->e, {}, arena(scratch_));
      if (result.status != Status::converged) return std::nan("");
      values.push_back(on_host(queue_, t->d, n_));
    }
    return distance(values[0], values[1]);
  }

  const Queue& queue_;
  Cusolver* const cusolver_;
  const std::int64_t n_, b_ = band_width<double>(n_);
  const ReductionOptions options_;
  const DeviceBuffer<double> memory_{padded(n_) * n_};
  const MatrixView<double> a_{memory_.data(), n_, n_, padded(n_)};
  const ReducedMatrix own_{n_}, banded_{n_}, peer_{n_};
  const DeviceBuffer<std::byte> scratch_{scratch_bytes(queue_, n_)};
  const DeviceBuffer<double> band_{options_.two_stage ? (b_ + 1) * n_ : 0};
  const DeviceBuffer<std::byte> two_stage_scratch_{options_.two_stage ? two_stage_bytes(queue_, n_, b_) : 0};
  std::vector<Call> calls_;
  std::vector<std::uint64_t> device_bytes_;  // memory of each call
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
        .add_option("--check", options_.check,
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
    command.add_flag("--breakdown", options_.breakdown,
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
    options_.two_stage = std::ranges::count(paths_, "two") > 0;
    options_.brief = brief;
    return each_case([&](char, std::int64_t n) -> CaseOptions {
      return {{{"n", n}, {"lda", padded(n)}, {"brief", brief}, {"bytes", reduction_cost(n)}},
              rule_for_long_calls(n),
              [session, n, options = options_] { return case_of<ReductionCase>(session, n, options); },
              too_large(ReductionCase::bytes(session.queue, n))};
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
    const bool only_values = c["brief"] == true && !at(c, "checks/eigenvalues").is_null();
    const double reduction = c["n"] < 64 ? small_reduction_limit : reduction_limit;
    std::vector<Limit> limits{{"eigen_g/seconds"},
                              {"checks/eigenvalues", identity_limit, true},
                              {"checks/two_stage", identity_limit, true}};
    if (!only_values)
      limits.insert(limits.end(), {{"checks/backward", reduction, true},
                                   {"checks/orthogonality", reduction, true},
                                   {"checks/trace", identity_limit},
                                   {"checks/squares", identity_limit},
                                   {"checks/bit_for_bit"}});
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
  ReductionOptions options_;
  std::vector<std::string> paths_{"one"};
};

}  // namespace

std::shared_ptr<Benchmark> tridiagonalize_benchmark() {
  return std::make_shared<Tridiagonalize>();
}

}  // namespace eigen_g::apps::bench
