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
struct ReductionCase {
  std::int64_t n = 0;
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

struct ReducedMatrix {  // result of one reduction
  explicit ReducedMatrix(std::int64_t n) : memory(3 * round_up(n, 32)) {}
  DeviceBuffer<double> memory;
  double *const d = memory.data(), *const e = d + memory.size() / 3, *const tau = e + memory.size() / 3;
};

// The memory of one size: its matrix, which is generated again before each call, and the results of the reductions.
struct ReductionMemory {
  static constexpr std::uint64_t seed = 4;
  const Queue& queue;
  const std::int64_t n, b = band_width<double>(n);
  const DeviceBuffer<double> memory{padded(n) * n};
  const MatrixView<double> a{memory.data(), n, n, padded(n)};
  const ReducedMatrix own{n}, banded{n}, peer{n};
  const DeviceBuffer<std::byte> scratch{scratch_bytes(queue, n)};
  const DeviceBuffer<double> band;
  const DeviceBuffer<std::byte> two_stage_scratch;

  ReductionMemory(const Queue& on, std::int64_t order, bool two_stage)
      : queue(on),
        n(order),
        band(two_stage ? (b + 1) * n : 0),
        two_stage_scratch(two_stage ? static_cast<std::int64_t>(std::max(
                                          full_to_band_bytes<double>(n, b, queue.multiprocessors()),
                                          band_to_tridiagonal_bytes<double>(n, b, queue.multiprocessors())))
                                    : 0) {}
  static std::int64_t scratch_bytes(const Queue& queue, std::int64_t n) {
    return static_cast<std::int64_t>(std::max(tridiagonalize_bytes<double>(n, queue.multiprocessors()),
                                              divide_and_conquer_bytes<double>(n, 0)));
  }
  static std::uint64_t bytes(const Queue& queue, std::int64_t n) {
    return static_cast<std::uint64_t>(padded(n) * n + 6 * n) * sizeof(double) +
           static_cast<std::uint64_t>(scratch_bytes(queue, n));
  }

  // Random lower triangle; rows from n on are zero.
  void make_matrix() const {
    blas2::fill_random(queue, a.data, a.lda * n, seed);
    pack_lower<double>(queue, Uplo::lower, a, a);
  }
  void reduce() const { tridiagonalize<double>(queue, a, own.d, own.e, own.tau, arena(scratch)); }
  void reduce_in_two_stages() const {
    const MatrixView<double> of_band{band.data(), b + 1, n, b + 1};
    full_to_band<double>(queue, b, a, of_band, banded.tau, arena(two_stage_scratch));
    band_to_tridiagonal<double>(queue, b, of_band, banded.d, banded.e, {}, arena(two_stage_scratch));
  }
};

std::vector<double> on_host(const Queue& queue, const double* from, std::int64_t count) {
  std::vector<double> to(static_cast<std::size_t>(count));
  if (count > 0) download<double>(queue, {from, count, 1, count}, {to.data(), count, 1, count});
  return to;
}

// Forms Q in q_dev, by the reflectors of the last reduce() applied to the identity.
void form_q(const ReductionMemory& x, MatrixView<double> q_dev) {
  const DeviceBuffer<std::byte> memory(static_cast<std::int64_t>(back_transform_bytes<double>(x.n, x.n)));
  const std::vector<double> ones(static_cast<std::size_t>(x.n), 1);
  const MatrixView<double> diagonal{q_dev.data, 1, x.n, x.n + 1};
  EIGEN_G_CUDA(cudaMemsetAsync(q_dev.data, 0, sizeof(double) * ones.size() * ones.size(), x.queue.stream()));
  upload<double>(x.queue, Part::all, {ones.data(), 1, x.n, 1}, diagonal);
  back_transform<double>(x.queue, x.a, x.own.tau, q_dev, arena(memory));
  x.queue.wait();
}

// Checks T of the last reduce(), and Q if it is to be formed.
void check_reduction(const ReductionMemory& x, bool with_q, Json& checks) {
  const std::int64_t n = x.n;
  const std::vector<double> d = on_host(x.queue, x.own.d, n), e = on_host(x.queue, x.own.e, n - 1);
  const DeviceBuffer<double> z(with_q ? n * n : 0);
  if (z.size() > 0) form_q(x, {z.data(), n, n, n});
  x.make_matrix();
  const auto matrix = host_array<double>(n * n), q = host_array<double>(z.size());
  const MatrixView<double> a{matrix.get(), n, n, n}, q_host{q.get(), n, n, n};
  download<double>(x.queue, x.a, a);
  // |trace T - trace A| / (n ulp ||A||_F) and | ||T||_F^2 - ||A||_F^2 | / (n ulp ||A||_F^2)
  double trace = 0, squares = 0;
#pragma omp parallel for reduction(+ : trace, squares) schedule(dynamic, 64)
  for (std::int64_t j = 0; j < n; ++j) {
    trace += a(j, j);
    squares += 2 * std::inner_product(&a(j, j), &a(j, j) + n - j, &a(j, j), 0.0) - a(j, j) * a(j, j);
  }
  const double reduced = std::inner_product(d.begin(), d.end(), d.begin(), 0.0) +
                         2 * std::inner_product(e.begin(), e.end(), e.begin(), 0.0);
  const double unit = static_cast<double>(n) * DBL_EPSILON;
  checks["trace"] = std::fabs(std::accumulate(d.begin(), d.end(), 0.0) - trace) / (unit * std::sqrt(squares));
  checks["squares"] = std::fabs(reduced - squares) / (unit * squares);
  if (z.size() == 0) return;
  download<double>(x.queue, {z.data(), n, n, n}, q_host);
  const ReductionRatios ratios = verify_reduction(Uplo::lower, a, d.data(), e.data(), q_host);
  checks["backward"] = ratios.backward;
  checks["orthogonality"] = ratios.orthogonality;
}

// Distance of the eigenvalues of two T. Destroys both.
double eigenvalue_distance(const ReductionMemory& x, const ReducedMatrix& one, const ReducedMatrix& other) {
  std::vector<std::vector<double>> values;
  for (const ReducedMatrix* t : {&one, &other}) {
    const auto outcome = divide_and_conquer<double>(x.queue, x.n, t->d, t->e, {}, arena(x.scratch));
    if (outcome.status != Status::converged) return std::nan("");
    values.push_back(on_host(x.queue, t->d, x.n));
  }
  return distance(values[0], values[1]);
}

std::vector<double> seconds_of(const Queue& queue, const std::vector<Call>& calls) {
  std::vector<double> seconds;
  for (const Timing& timing : time_in_turns(queue, calls, {.rounds = 5})) {
    if (!timing.failure.empty()) throw DeviceError(timing.failure);
    seconds.push_back(timing.median);
  }
  return seconds;
}

// Times parts of the reduction separately: its end on the chip, and products and updates at several orders of the trailing matrix. The
// sum over the columns interpolates linearly between these orders. If all of the matrix is reduced on the chip, there are no other parts.
Json breakdown(const ReductionMemory& memory, double total) {
  constexpr int intervals = 12, columns = 64;
  const Queue& queue = memory.queue;
  const MatrixView<double> a = memory.a;
  const ReducedMatrix& own = memory.own;
  const std::int64_t n = memory.n;
  const int blocks = 2 * queue.multiprocessors();
  const std::int64_t on_chip_order = std::min(n, max_on_chip<double>(queue.multiprocessors())),
                     rest = n - on_chip_order;
  const auto reduce_on_chip = [&](std::int64_t) {
    tridiagonalize<double>(queue, a.block(rest, rest, on_chip_order, on_chip_order), own.d + rest,
                           own.e + rest, own.tau + rest, arena(memory.scratch));
  };
  const double on_chip =
      on_chip_order > 0 ? seconds_of(queue, {{"on_chip", reduce_on_chip, [&] { memory.make_matrix(); }}})[0]
                        : 0;
  Json parts{{"total", total},    {"on_chip", on_chip},         {"product", nullptr},
             {"update", nullptr}, {"synchronisation", nullptr}, {"panel", nullptr}};
  parts["on_chip_order"] = on_chip_order, parts["panel_columns"] = columns;
  parts["blocks"] = blocks, parts["sizes_measured"] = 0;
  if (rest == 0) return parts;
  memory.make_matrix();
  const DeviceBuffer<double> x(n), y(n), v(a.lda * columns), w(a.lda * columns);
  for (const auto* buffer : {&x, &y, &v, &w})
    blas2::fill_random(queue, buffer->data(), buffer->size(), ReductionMemory::seed);
  blas2::SymvWorkspace workspace;
  workspace.reserve(blas2::SymvType::d, n);
  std::vector<double> before;
  std::int64_t order_before = -1;
  double product = 0, update = 0;
  for (int k = intervals; k >= 0; --k) {
    const std::int64_t order = n - rest * k / intervals / columns * columns;
    if (order == order_before) continue;
    const MatrixView<double> c = a.block(n - order, n - order, order, order);
    const auto multiply = [&](std::int64_t) {
      blas2::symv<double>(queue.stream(), Uplo::lower, order, 1, c.data, c.lda, x.data(), 1, 0, y.data(), 1,
                          workspace);
    };
    const auto update_c = [&](std::int64_t) {
      syr2k_lower(queue, -1, {v.data(), order, columns, a.lda}, {w.data(), order, columns, a.lda}, 1, c);
    };
    const std::vector<double> now = seconds_of(queue, {{"product", multiply}, {"update", update_c}});
    const double half = before.empty() ? 0 : static_cast<double>(order - order_before) / 2;
    if (before.empty()) before = now;
    product += half * (now[0] + before[0]);
    update += half * (now[1] + before[1]) / columns;
    order_before = order;
    before = now;
    parts["sizes_measured"] = parts["sizes_measured"].get<int>() + 1;
  }
  const double barrier = grid_barrier_seconds(queue, blocks, 256);  // two for each column
  parts.update({{"product", product},
                {"update", update},
                {"synchronisation", 2 * barrier * static_cast<double>(rest)}});
  return parts;
}

// The contenders are rows: eigen_g's one-stage reduction, on demand its two-stage reduction, and the modes of cuSOLVER.
Case tridiagonalize_case(const Session& session, const ReductionCase& plan) {
  const auto x = std::make_shared<ReductionMemory>(session.queue, plan.n, plan.two_stage);
  Cusolver* const cusolver = session.cusolver;
  std::vector<Call> calls;
  std::vector<std::uint64_t> device_bytes;  // one for each call
  const auto add = [&](const std::string& name, std::uint64_t bytes, auto reduce, auto prepare) {
    calls.push_back({.name = name,
                     .enqueue = [=](std::int64_t) { reduce(); },
                     .prepare =
                         [=] {
                           prepare();
                           x->make_matrix();
                         }});
    device_bytes.push_back(bytes);
  };
  const auto nothing = [] {};
  add(
      "eigen_g", x->scratch.bytes(), [x] { x->reduce(); }, nothing);
  calls.back().bytes = reduction_cost(plan.n);
  if (plan.two_stage) {
    add(
        "two_stage", x->band.bytes() + x->two_stage_scratch.bytes(), [x] { x->reduce_in_two_stages(); },
        nothing);
    calls.back().flops = reduction_cost(plan.n);
  }
  if (cusolver) {
    const std::uint64_t bytes = cusolver->sytrd_bytes(plan.n, x->a.data, x->a.lda);
    for (const bool deterministic : {true, false})
      if (!plan.brief || !deterministic)
        add(
            deterministic ? "cusolver" : "cusolver_nondeterministic", bytes,
            [=] { cusolver->sytrd(x->n, x->a.data, x->a.lda, x->peer.d, x->peer.e, x->peer.tau); },
            [=] {
              cusolver->choose(deterministic);
              cusolver->reserve(bytes);
            });
  }
  const Call own = calls.front();
  return {calls, [=](Json& result) {
            if (cusolver) cusolver->release();
            for (std::size_t i = 0; i < device_bytes.size(); ++i)
              result["calls"][i]["device_bytes"] = device_bytes[i];
            Json& checks = result["checks"] = Json::object();
            result["breakdown"] = nullptr;
            const auto total = number_at(result, "eigen_g/seconds");
            if (!total) return;
            // The peer's T is the result of its last round.
            const bool peer = number_at(result, "cusolver/seconds") ||
                              number_at(result, "cusolver_nondeterministic/seconds");
            if (number_at(result, "two_stage/seconds")) {
              checks["two_stage"] = eigenvalue_distance(*x, x->own, x->banded);
              x->make_matrix();
              x->reduce();
            }
            if (peer) checks["eigenvalues"] = eigenvalue_distance(*x, x->own, x->peer);
            if (!peer || !plan.brief) {
              checks["bit_for_bit"] =
                  Result{x->queue, x->own.memory.data(), x->own.memory.bytes()}.same_bits(own, 2);
              check_reduction(*x, plan.n <= plan.check, checks);
            }
            if (plan.breakdown) result["breakdown"] = breakdown(*x, *total);
          }};
}

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
      return {{{"n", n}, {"lda", padded(n)}, {"brief", brief}, {"bytes", reduction_cost(n)}},
              rule_for_long_calls(n),
              [session, plan = plan_] { return tridiagonalize_case(session, plan); },
              too_large(ReductionMemory::bytes(session.queue, n))};
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
  ReductionCase plan_;
  std::vector<std::string> paths_{"one"};
};

}  // namespace

std::shared_ptr<Benchmark> tridiagonalize_benchmark() {
  return std::make_shared<Tridiagonalize>();
}

}  // namespace eigen_g::apps::bench
