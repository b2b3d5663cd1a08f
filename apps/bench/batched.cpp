// eigen_g bench batched: batches of small matrices, compared with cuSOLVER's XsyevBatched and syevjBatched; on the CPU with a loop of LAPACKE.
// Batches of generalised problems are compared with a loop of sygvd, because cuSOLVER has no call for them.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>
#include <optional>

#include "apps/bench/benchmarks.hpp"
#include "apps/generate/random.hpp"
#include "apps/io/scalar_type.hpp"
#include "apps/support/lists.hpp"
#include "apps/support/stopwatch.hpp"
#include "apps/support/text.hpp"
#include "solver/api/batched.hpp"
#include "solver/prepare/lapack.hpp"
#include "solver/verify/verify.hpp"
#include "solver/verify/verify_batched.hpp"

#ifdef EIGEN_G_HAVE_CUDA
#include "apps/bench/peers.hpp"
#include "blas2/symv/symv_truth.hpp"
#include "hybrid/cuda_check.hpp"
#endif

namespace eigen_g::apps::bench {

namespace {

constexpr double batch_value_limit = 3;  // limit of max |w - w'| / (n ulp max |w|), w' computed with vectors

// Matrices of one order that follow each other.
struct Group {
  std::int64_t n, count;
};
struct BatchShape {
  std::string set =
      "";  // name of the set that has this batch; "": a batch of the options --sizes and --batch
  char type = 'd';
  std::vector<Group> groups;  // several: a ragged batch
  bool generalised = false;

  std::int64_t count() const {
    return std::accumulate(groups.begin(), groups.end(), std::int64_t{0},
                           [](std::int64_t sum, const Group& g) { return sum + g.count; });
  }
  std::int64_t entries() const {
    return std::accumulate(groups.begin(), groups.end(), std::int64_t{0},
                           [](std::int64_t sum, const Group& g) { return sum + g.n * g.n * g.count; });
  }
  std::int64_t rows() const {
    return std::accumulate(groups.begin(), groups.end(), std::int64_t{0},
                           [](std::int64_t sum, const Group& g) { return sum + g.n * g.count; });
  }
  std::int64_t n() const {
    return std::max_element(groups.begin(), groups.end(), [](auto& x, auto& y) { return x.n < y.n; })->n;
  }
  BatchShape beginning(std::int64_t most) const {  // the first matrices
    BatchShape first = *this;
    first.groups.front().count = std::min(most, first.groups.front().count);
    return first;
  }
  Json parameters() const {
    Json orders = Json::array();
    for (const Group& g : groups) orders.push_back({g.n, g.count});
    return {{"set", set},       {"type", std::string(1, type)}, {"n", n()}, {"batch", count()},
            {"orders", orders}, {"generalised", generalised}};
  }
};

// The worst results of several verifications, as JSON.
struct WorstPairs {
  double residual = 0, orthogonality = 0;
  std::int64_t failed = 0;
  void add(const BatchVerification& v) {
    const auto raise = [](double& worst, double x) {
      if (!(x <= worst)) worst = x;
    };
    raise(residual, v.lapack_residual);
    raise(orthogonality, v.lapack_orthogonality);
    failed += v.failed;
  }
  void put(Json& call) const {
    call.update({{"residual", residual}, {"orthogonality", orthogonality}, {"wrong", failed}});
  }
};

// The largest distance of the values of a matrix.
template <class R>
double largest_distance(const BatchShape& shape, const std::vector<R>& w, const std::vector<R>& other) {
  double worst = 0;
  auto at = w.begin();
  for (const Group& g : shape.groups)
    for (std::int64_t k = 0; k < g.count; ++k, at += g.n) {
      const auto same = other.begin() + (at - w.begin());
      const double d = distance<R>({at, at + g.n}, {same, same + g.n});
      if (!(d <= worst)) worst = d;
    }
  return worst;
}

// Positive definite matrices B with a condition below 10. They repeat after `period` matrices.
constexpr std::int64_t period_of_b = 16;
template <class T>
std::vector<T> positive_definite_matrices(std::int64_t n, std::int64_t count) {
  const generate::CounterRandom re(2, generate::entry_stream), im(2, generate::imaginary_stream);
  std::vector<T> b(static_cast<std::size_t>(n * n * count));
  const double size = 0.5 / std::sqrt(static_cast<double>(n));
  for (std::size_t e = 0; e < b.size(); ++e) {
    const auto entry = static_cast<std::int64_t>(e), within = entry % (n * n);
    const std::int64_t i = within % n, j = within / n, drawn = entry % (period_of_b * n * n);
    b[e] = i == j ? io::scalar_of<T>(1.5, 0)
                  : io::scalar_of<T>(size * (2 * re.uniform(drawn, 0) - 1),
                                     size * (2 * im.uniform(drawn, 0) - 1));
  }
  return b;
}

// A batch on the CPU. Each call is timed here, because the runner times work on a GPU.
template <class T>
void check_on_host(const BatchShape& shape, int rounds, int threads, Json& result) {
  using R = real_t<T>;
  const auto [n, count] = shape.groups.front();
  const std::int64_t square = n * n;
  std::vector<T> a(static_cast<std::size_t>(shape.entries())), z(a.size()), factor;
  std::vector<R> w(static_cast<std::size_t>(shape.rows())), reference;
  const std::vector<T> b = shape.generalised ? positive_definite_matrices<T>(n, count) : std::vector<T>();
  const generate::CounterRandom re(1, generate::entry_stream), im(1, generate::imaginary_stream);
  for (std::size_t e = 0; e < a.size(); ++e) {
    const auto entry = static_cast<std::int64_t>(e);
    const bool diagonal = entry % square / n == entry % n;
    a[e] = io::scalar_of<T>(2 * re.uniform(entry, 0) - 1, diagonal ? 0 : 2 * im.uniform(entry, 0) - 1);
  }
  const auto measure = [&](const char* name, bool vectors, const auto& solve) {
    std::vector<double> seconds;
    for (int round = 0; round < rounds; ++round) {
      std::fill(w.begin(), w.end(), std::numeric_limits<R>::quiet_NaN());
      const Stopwatch watch;
      solve();
      seconds.push_back(watch.seconds());
    }
    Json& call = result["calls"].emplace_back(
        Json{{"name", name}, {"rounds", rounds}, {"seconds", median(seconds)}, {"failure", nullptr}});
    if (vectors) {
      WorstPairs worst;
      worst.add(shape.generalised
                    ? verify_generalised_batched<T>(Uplo::lower, n, count, a.data(), n, b.data(), n, n,
                                                    w.data(), z.data(), n, {}, threads)
                    : verify_batched<T>(Uplo::lower, n, count, a.data(), n, n, w.data(), z.data(), n, {},
                                        DeviceChoice::cpu, threads));
      worst.put(call);
    }
    if (reference.empty()) reference = w;
    call["values"] = largest_distance(shape, w, reference);
  };
  const auto ours = [&](bool vectors) {
    Options options;
    options.vectors = vectors;
    Devices devices;
    devices.device = DeviceChoice::cpu;
    devices.threads = threads;
    static_cast<void>(shape.generalised ? sygvd_batched<T>(n, count, a.data(), n, b.data(), n, w.data(),
                                                           z.data(), n, nullptr, {}, options, devices)
                                        : eigen_g_batched<T>(n, count, a.data(), n, w.data(), z.data(), n,
                                                             nullptr, {}, options, devices));
  };
  const auto lapack = [&](char jobz) {
    constexpr auto syevd =
        lapack::routine<T>(&LAPACKE_dsyevd, &LAPACKE_ssyevd, &LAPACKE_zheevd, &LAPACKE_cheevd);
    constexpr auto sygvd =
        lapack::routine<T>(&LAPACKE_dsygvd, &LAPACKE_ssygvd, &LAPACKE_zhegvd, &LAPACKE_chegvd);
    const auto order = static_cast<lapack_int>(n);
    std::copy(a.begin(), a.end(), z.begin());
    factor = b;
    for (std::int64_t k = 0; k < count && shape.generalised; ++k)
      sygvd(LAPACK_COL_MAJOR, 1, jobz, 'L', order, lapack::of_lapack(z.data() + k * square), order,
            lapack::of_lapack(factor.data() + k * square), order, w.data() + k * n);
    for (std::int64_t k = 0; k < count && !shape.generalised; ++k)
      syevd(LAPACK_COL_MAJOR, jobz, 'L', static_cast<lapack_int>(n), lapack::of_lapack(z.data() + k * square),
            static_cast<lapack_int>(n), w.data() + k * n);
  };
  measure("vectors", true, [&] { ours(true); });
  measure("values", false, [&] { ours(false); });
  measure("lapack_vectors", true, [&] { lapack('V'); });
  measure("lapack_values", false, [&] { lapack('N'); });
}

#ifdef EIGEN_G_HAVE_CUDA

// Batches of optimisers (Shampoo, SOAP, K-FAC), which take the eigenvectors of their preconditioners in float.
std::vector<BatchShape> optimiser_batches() {
  std::vector<BatchShape> batches;
  for (const Group g : {Group{32, 20}, {176, 40}, {352, 40}, {512, 640}, {1024, 60}})
    batches.push_back({"optimiser", 's', {g}});
  batches.push_back({"optimiser",
                     's',
                     {{128, 24}, {256, 16}, {384, 8}, {512, 8}, {768, 4}, {1024, 4}}});  // a step of Shampoo
  return batches;
}

// A batch on the GPU, strided or ragged, on device pointers.
template <class T>
class BatchCase {
  using R = real_t<T>;

 public:
  BatchCase(const Session& session, const BatchShape& shape)
      : queue_(session.queue), cusolver_(session.cusolver), shape_(shape) {
    blas2::fill_random(queue_, a_.data(), a_.size(), std::uint64_t{5});
    if (shape.generalised) fill_b();
    std::int64_t entries = 0, rows = 0;
    for (const Group& g : shape.groups)
      for (std::int64_t k = 0; k < g.count; ++k, entries += g.n * g.n, rows += g.n) {
        if (shape.groups.size() == 1) break;
        orders_.push_back(g.n);
        a_of_.push_back(a_.data() + entries);
        z_of_.push_back(z_.data() + entries);
        w_of_.push_back(w_.data() + rows);
      }
    queue_.wait();
  }

  std::vector<Call> calls() {
    std::vector<Call> calls;
    const auto add = [&](const char* name, bool vectors, auto solve) {
      calls.push_back({name, [=, this](std::int64_t) { (this->*solve)(vectors); }, [this] { prepare(); }});
    };
    if (cusolver_ && shape_.generalised) {
      add("cusolver_vectors", true, &BatchCase::by_loop_of_cusolver);
    } else if (cusolver_) {
      add("cusolver_vectors", true, &BatchCase::by_cusolver);
      add("cusolver_values", false, &BatchCase::by_cusolver);
      if (shape_.n() <= 32) {
        add("jacobi_vectors", true, &BatchCase::by_jacobi);
        add("jacobi_values", false, &BatchCase::by_jacobi);
      }
    }
    add("values", false, &BatchCase::by_eigen_g);
    add("vectors", true, &BatchCase::by_eigen_g);
    calls_ = calls;
    return calls;
  }

  void check(Json& result) {
    std::vector<R> reference;
    for (std::size_t k = calls_.size(); k-- > 0;) {  // the last call is eigen_g's with vectors
      Json& call = result["calls"][k];
      call["residual"] = call["orthogonality"] = call["wrong"] = call["values"] = nullptr;
      if (!call["failure"].is_null()) continue;
      const Call& again = calls_[k];
      EIGEN_G_CUDA(cudaMemsetAsync(w_.data(), 0xff, w_.bytes(), queue_.stream()));
      again.prepare();
      again.enqueue(0);
      queue_.wait();
      BatchShape solved = shape_;
      if (again.name == "cusolver_vectors" && shape_.generalised) {
        solved = shape_.beginning(max_of_loop);
        call["matrices"] = solved.count();
      }
      if (again.name.ends_with("vectors"))
        (shape_.generalised ? verified_pencils(solved) : verified()).put(call);
      std::vector<R> w(static_cast<std::size_t>(w_.size()));
      EIGEN_G_CUDA(cudaMemcpy(w.data(), w_.data(), w_.bytes(), cudaMemcpyDeviceToHost));
      if (reference.empty()) reference = w;
      call["values"] = largest_distance(solved, w, reference);
    }
  }

 private:
  static constexpr std::int64_t max_of_loop = 64;     // matrices that a loop of cuSOLVER solves
  static constexpr std::int64_t max_verified = 1024;  // generalised problems; the CPU verifies them

  // cuSOLVER works in place in z, and sygvd also in B.
  void prepare() const {
    EIGEN_G_CUDA(
        cudaMemcpyAsync(z_.data(), a_.data(), a_.bytes(), cudaMemcpyDeviceToDevice, queue_.stream()));
    if (shape_.generalised)
      EIGEN_G_CUDA(cudaMemcpyAsync(factors_.data(), b_.data(), factors_.bytes(), cudaMemcpyDeviceToDevice,
                                   queue_.stream()));
  }
  void fill_b() const {
    const auto [n, count] = shape_.groups.front();
    const std::vector<T> first = positive_definite_matrices<T>(n, std::min(period_of_b, count));
    const auto square = static_cast<std::size_t>(n * n);
    EIGEN_G_CUDA(cudaMemcpy(b_.data(), first.data(), first.size() * sizeof(T), cudaMemcpyHostToDevice));
    for (std::size_t filled = first.size() / square, all = static_cast<std::size_t>(count); filled < all;
         filled *= 2)
      EIGEN_G_CUDA(cudaMemcpy(b_.data() + filled * square, b_.data(),
                              std::min(filled, all - filled) * square * sizeof(T), cudaMemcpyDeviceToDevice));
  }

  void by_eigen_g(bool vectors) {
    Options options;
    options.vectors = vectors;
    if (shape_.groups.size() > 1) {
      const RaggedBatch<T> batch{shape_.count(), orders_.data(), a_of_.data(), nullptr,
                                 w_of_.data(),   z_of_.data(),   nullptr};
      static_cast<void>(eigen_g_ragged(batch, Pointers::device, queue_.stream(), nullptr, options));
      return;
    }
    const auto [n, count] = shape_.groups.front();
    T* const z = vectors ? z_.data() : nullptr;
    if (shape_.generalised) {
      std::optional<GeneralisedBatchedSolver<T>>& solver = generalised_[vectors ? 1 : 0];
      if (!solver) solver.emplace(context_, n, count, options);
      return solver->enqueue(count, device(a_.data()), n, device(b_.data()), n, device(w_.data()), device(z),
                             n, device(status_.data()), queue_.stream());
    }
    std::optional<BatchedSolver<T>>& solver = solvers_[vectors ? 1 : 0];
    if (!solver) solver.emplace(context_, n, count, options);
    solver->enqueue(count, device(a_.data()), n, device(w_.data()), device(z), n, device(status_.data()),
                    queue_.stream());
  }

  // Calls solve(group, a, w) for each group, with the places of its arrays.
  template <class Solve>
  void each_group(const Solve& solve) const {
    std::int64_t entries = 0, rows = 0;
    for (const Group& g : shape_.groups) {
      solve(g, entries, rows);
      entries += g.n * g.n * g.count;
      rows += g.n * g.count;
    }
  }
  void by_cusolver(bool vectors) {
    each_group([&](const Group& g, std::int64_t entries, std::int64_t rows) {
      cusolver_->syev_batched(vectors, g.n, g.count, z_.data() + entries, w_.data() + rows, status_.data());
    });
  }
  void by_jacobi(bool vectors) {
    each_group([&](const Group& g, std::int64_t entries, std::int64_t rows) {
      cusolver_->syevj_batched(vectors, g.n, g.count, z_.data() + entries, w_.data() + rows, status_.data());
    });
  }

  void by_loop_of_cusolver(bool) {
    const auto [n, count] = shape_.beginning(max_of_loop).groups.front();
    cusolver_->reserve(cusolver_->sygvd_bytes(n, z_.data(), n, factors_.data(), n, w_.data()));
    for (std::int64_t k = 0; k < count; ++k)
      cusolver_->sygvd(n, z_.data() + k * n * n, n, factors_.data() + k * n * n, n, w_.data() + k * n);
  }

  // Verifies the first problems and the last ones.
  WorstPairs verified_pencils(const BatchShape& solved) const {
    const auto [n, count] = solved.groups.front();
    const std::int64_t at_once = std::min(count, max_verified);
    WorstPairs worst;
    for (const std::int64_t first : {std::int64_t{0}, count - at_once}) {
      const auto downloaded = [&, at = first]<class X>(const X* from, std::int64_t values) {
        std::vector<X> to(static_cast<std::size_t>(values * at_once));
        EIGEN_G_CUDA(
            cudaMemcpy(to.data(), from + at * values, to.size() * sizeof(X), cudaMemcpyDeviceToHost));
        return to;
      };
      const std::vector<T> a = downloaded(a_.data(), n * n), b = downloaded(b_.data(), n * n),
                           z = downloaded(z_.data(), n * n);
      const std::vector<R> w = downloaded(w_.data(), n);
      worst.add(verify_generalised_batched<T>(Uplo::lower, n, at_once, a.data(), n, b.data(), n, n, w.data(),
                                              z.data(), n));
      if (count == at_once) break;
    }
    return worst;
  }
  WorstPairs verified() const {
    WorstPairs worst;
    each_group([&](const Group& g, std::int64_t entries, std::int64_t rows) {
      worst.add(verify_batched(Uplo::lower, g.n, g.count, device(a_.data() + entries), g.n, g.n,
                               device(w_.data() + rows), device(z_.data() + entries), g.n, queue_.stream()));
    });
    return worst;
  }

  const Queue& queue_;
  Cusolver* const cusolver_;
  const BatchShape shape_;
  const DeviceBuffer<T> a_{shape_.entries()}, z_{shape_.entries()},
      b_{shape_.generalised ? shape_.entries() : 0},
      factors_{shape_.generalised ? shape_.beginning(max_of_loop).entries() : 0};
  const DeviceBuffer<R> w_{shape_.rows()};
  const DeviceBuffer<std::int32_t> status_{shape_.count()};
  std::vector<std::int64_t> orders_;  // this and the pointers: of a ragged batch
  std::vector<const T*> a_of_;
  std::vector<T*> z_of_;
  std::vector<R*> w_of_;
  Context context_;
  std::optional<BatchedSolver<T>> solvers_[2];  // values only, with vectors
  std::optional<GeneralisedBatchedSolver<T>> generalised_[2];
  std::vector<Call> calls_;
};

template <class T>
std::uint64_t bytes_of(const BatchShape& shape) {
  std::uint64_t bytes = (shape.generalised ? 3 : 2) * static_cast<std::uint64_t>(shape.entries()) * sizeof(T);
  for (const Group& g : shape.groups)
    for (const bool vectors : {false, true})
      bytes += batched_workspace_bytes<T>(g.n, g.count, {.vectors = vectors}, true, Pointers::device,
                                          shape.generalised)
                   .device;
  return bytes;
}

#endif

class Batched final : public Benchmark {
 public:
  Batched()
      : Benchmark(
            {"batched",
             "Batches of small matrices, compared with cuSOLVER's: microseconds a matrix, and verification.",
             R"(
  eigen_g bench batched                               orders 3 to 512, large batches, about two minutes
  eigen_g bench batched --types sdcz --sizes 16,64,128 --batch 132,1000,10000
  eigen_g bench batched --generalised                 A x = w B x, beside a loop of cuSOLVER's sygvd over at most 64 matrices
  eigen_g bench batched --set optimiser               batches of optimisers in float, and a step of mixed orders
  eigen_g bench batched --device cpu                  beside a loop of LAPACKE, without a GPU)",
             "calls",
             1,
             {{"vectors/seconds"},
              {"values/seconds"},
              {"vectors/residual", lapack_ratio_limit},
              {"vectors/orthogonality", lapack_ratio_limit},
              {"vectors/wrong", 0},
              {"values/values", batch_value_limit}}}) {}

  void add_options(CLI::App& command) override {
    add_sizes(command, "--sizes", "3,8,16,32,48,64,96,128,256,512",
              "Orders: numbers and ranges from:to:step (default: 3 to 512)", 1, 4096);
    command
        .add_option_function<std::string>(
            "--batch", [this](const std::string& text) { batches_ = parse_sizes(text, "--batch"); },
            "Numbers of matrices (default: enough of them to fill a GPU for some milliseconds)")
        ->option_text("LIST");
    command
        .add_option("--set", set_, "Instead of --sizes and --batch: the batches of optimiser users, in float")
        ->check(CLI::IsMember({"optimiser"}))
        ->option_text("optimiser");
    command.add_flag("--generalised", generalised_, "Generalised problems A x = w B x");
    command.add_option("--device", device_, "gpu (default), or cpu: beside a loop of LAPACKE")
        ->check(CLI::IsMember({"gpu", "cpu"}))
        ->option_text("gpu|cpu");
    add_types(command, "a batch");
    add_rounds(command, "Timed rounds a call (default: 7, but 3 where they take long)", 1, 1000);
    add_threads_option(command, run.threads);
  }

  bool on_host() const override { return device_ == "cpu"; }
  std::vector<CaseOptions> host_cases(Json& head) override {
    add_limits(head);
    if (!set_.empty()) throw UsageError("--set cannot be combined with --device cpu");
    std::vector<CaseOptions> plans;
    for (const BatchShape& shape : shapes(64))
      plans.push_back({shape.parameters(), {}, [shape, r = rounds > 0 ? rounds : 5, threads = run.threads] {
                         return Case{{}, [=](Json& result) {
                                       io::with_type(io::ScalarType{shape.type}, [&]<class T>(T) {
                                         check_on_host<T>(shape, r, threads, result);
                                       });
                                     }};
                       }});
    return plans;
  }

#ifdef EIGEN_G_HAVE_CUDA
  std::vector<CaseOptions> cases(const Session& session, Json& head) override {
    head["cusolver"] = Cusolver::version();
    add_limits(head);
    if (!set_.empty() && generalised_) throw UsageError("--set cannot be combined with --generalised");
    const TimingRule rule{.rounds = rounds > 0 ? rounds : 7,
                          .least_rounds = std::min(3, rounds > 0 ? rounds : 3),
                          .seconds = 4};
    std::vector<CaseOptions> plans;
    for (const BatchShape& shape : set_.empty() ? shapes(1) : optimiser_batches())
      plans.push_back(io::with_type(io::ScalarType{shape.type}, [&]<class T>(T) -> CaseOptions {
        return {shape.parameters(), rule, [=] { return case_of<BatchCase<T>>(session, shape); },
                too_large(bytes_of<T>(shape), 90)};
      }));
    return plans;
  }
#endif

  void conclude(Json& c) const override {
    for (Json& call : c["calls"])
      if (const auto seconds = number_at(call, "seconds"))
        call["us_per_matrix"] = *seconds * 1e6 / call.value("matrices", c["batch"].get<double>());
    for (const std::string what : {"vectors", "values"}) {
      const std::string us = what + "/us_per_matrix";
      c["ratios"][what] = quotient(c, {"cusolver_" + us, "jacobi_" + us, "lapack_" + us}, us);
    }
  }

  std::vector<Table> tables(const Json& report) const override {
    const Json& cases = report["cases"];
    const bool generalised = !cases.empty() && cases[0].value("generalised", false);
    const std::string peers = on_host()     ? R"(
      LAPACKE = lapack_vectors/us_per_matrix %.4g; x = ratios/vectors %.2f; values only = values/us_per_matrix %.4g;
      LAPACKE = lapack_values/us_per_matrix %.4g; x = ratios/values %.2f;)"
                              : generalised ? R"(
      sygvd, a loop = cusolver_vectors/us_per_matrix %.4g; x = ratios/vectors %.2f; values only = values/us_per_matrix %.4g;)"
                                            : R"(
      XsyevBatched = cusolver_vectors/us_per_matrix %.4g; syevjBatched = jacobi_vectors/us_per_matrix %.4g; x = ratios/vectors %.2f;
      values only = values/us_per_matrix %.4g; XsyevBatched = cusolver_values/us_per_matrix %.4g;
      syevjBatched = jacobi_values/us_per_matrix %.4g; x = ratios/values %.2f;)";
    const std::string peer = on_host()     ? "LAPACKE"
                             : generalised ? "sygvd"
                                           : "XsyevBatched",
                      of_peer = on_host() ? "lapack" : "cusolver";
    return {
        {"type = type; n = n; batch = batch; eigen_g = vectors/us_per_matrix %.4g;" + peers +
             " residual = vectors/residual %.2g; orthog. = vectors/orthogonality %.2g; values = "
             "values/values %.2g; " +
             peer + ": residual = " + of_peer + "_vectors/residual %.2g; orthog. = " + of_peer +
             "_vectors/orthogonality %.2g; wrong = " + of_peer + "_vectors/wrong",
         R"(Microseconds a matrix, medians. x: the faster peer's time over eigen_g's. residual, orthog.: LAPACK's ratios of the worst matrix, limit 10.
values: distance of the values from those with vectors, limit 3. wrong: matrices that fail the verification.
)"}};
  }

  std::string title(const Json& c) const override {
    return std::string(c.value("generalised", false) ? "generalised, " : "") + "type " +
           c["type"].get<std::string>() + ", n = " + c["n"].dump() + ", batch " + c["batch"].dump();
  }

 private:
  static void add_limits(Json& head) {
    head.update({{"limit", lapack_ratio_limit}, {"value_limit", batch_value_limit}});
  }

  // The batches of the options. The default numbers of matrices are divided by `divisor`.
  std::vector<BatchShape> shapes(std::int64_t divisor) const {
    std::vector<BatchShape> all;
    for (const char type : scalar_types)
      for (const std::int64_t n : sizes) {
        const std::int64_t many = n <= 4    ? 2'000'000
                                  : n <= 16 ? 200'000
                                  : n <= 32 ? 100'000
                                  : n <= 64 ? 33'792
                                            : std::max<std::int64_t>(1, 138'412'032 / (n * n));
        const std::vector<std::int64_t> usual{std::max<std::int64_t>(1, many / divisor)};
        for (const std::int64_t count : batches_.empty() ? usual : batches_)
          all.push_back({"", type, {{n, count}}, generalised_});
      }
    return all;
  }

  std::vector<std::int64_t> batches_;
  std::string set_, device_ = "gpu";
  bool generalised_ = false;
};

}  // namespace

std::shared_ptr<Benchmark> batched_benchmark() {
  return std::make_shared<Batched>();
}

}  // namespace eigen_g::apps::bench
