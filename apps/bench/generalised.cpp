// eigen_g bench generalised: A x = w B x, compared with cuSOLVER's sygvd.
#include <CLI/CLI.hpp>

#include "apps/bench/benchmarks.hpp"
#include "apps/support/text.hpp"
#include "solver/verify/verify_generalised.hpp"

#ifdef EIGEN_G_HAVE_CUDA
#include <cmath>
#include <cstring>
#include <utility>

#include "apps/bench/peers.hpp"
#include "apps/io/scalar_type.hpp"
#include "blas2/symv/symv_truth.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/transfer/transfer.hpp"
#include "solver/api/eigen_g.hpp"
#include "solver/api/generalised.hpp"
#endif

namespace eigen_g::apps::bench {

namespace {

#ifdef EIGEN_G_HAVE_CUDA

// A is random, B = I + R / (2 sqrt n) with R random; the condition of B is about 4.
template <class T>
class GeneralisedCase {
  using R = real_t<T>;

 public:
  GeneralisedCase(const Session& session, std::int64_t n, bool brief)
      : queue_(session.queue), cusolver_(session.cusolver), brief_(brief), n_(n) {
    blas2::fill_random(queue_, a_start_.data(), a_start_.size(), std::uint64_t{5});
    blas2::fill_random(queue_, b_start_.data(), b_start_.size(), std::uint64_t{7});
    download<T>(queue_, square(a_start_), host(a_));
    download<T>(queue_, square(b_start_), host(b_));
    const R scale = (is_complex<T> ? R(0.35) : R(0.5)) /
                    std::sqrt(static_cast<R>(n));  // a complex entry is larger by sqrt 2
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < n; ++i) b_[i + j * n] = scale * b_[i + j * n] + T(i == j ? 1 : 0);
    upload<T>(queue_, Part::all, host(b_), square(b_start_));
    queue_.wait();
  }

  std::vector<Call> calls() {
    std::vector<Call> calls;
    const auto add = [&](const std::string& name, std::function<void()> run, std::function<void()> prepare) {
      calls.push_back({name, [run](std::int64_t) { run(); },
                       [this, prepare] {
                         prepare();
                         copy(a_start_, a_dev_);
                         copy(b_start_, b_dev_);
                       }});
    };
    for (const bool deterministic : {true, false}) {
      if (!cusolver_ || (brief_ && deterministic)) continue;
      add(
          deterministic ? "cusolver_vectors" : "cusolver_nondeterministic_vectors",
          [this] { cusolver_->sygvd(n_, a_dev_.data(), n_, b_dev_.data(), n_, w_dev_.data()); },
          [this, deterministic] {
            cusolver_->choose(deterministic);
            cusolver_->reserve(
                cusolver_->sygvd_bytes(n_, a_dev_.data(), n_, b_dev_.data(), n_, w_dev_.data()));
          });
    }
    add(
        "standard_vectors", [this] { standard(); }, [] {});
    add(
        "device_values", [this] { solve(false); }, [] {});
    add(
        "device_vectors", [this] { solve(true); }, [] {});
    return calls;
  }

  void check(Json& result) {
    if (cusolver_) cusolver_->release();
    result["bit_for_bit"] = nullptr;
    for (Json& call : result["calls"]) {
      call["residual"] = call["orthogonality"] = nullptr;
      if (call["name"] != "device_vectors" || !call["failure"].is_null()) continue;
      for (const StageWork& work : report_.stages)
        call["stages"][name(work.stage)] = report_.seconds_of(work.stage);
      solve_again();
      const HostArray<T> z = std::exchange(z_, host_array<T>(n_ * n_));
      const std::vector<R> w = w_;
      solve_again();
      result["bit_for_bit"] = std::memcmp(z.get(), z_.get(), sizeof(T) * w.size() * w.size()) == 0 &&
                              std::memcmp(w.data(), w_.data(), sizeof(R) * w.size()) == 0;
      const GeneralisedVerification v =
          verify_generalised<T>(1, Uplo::lower, n_, a_.get(), n_, b_.get(), n_, n_, w_.data(), z_.get(), n_);
      call.update({{"residual", v.residual},
                   {"orthogonality", v.orthogonality},
                   {"condition", v.condition},
                   {"passed", passed(v)}});
    }
  }

 private:
  using Memory = DeviceBuffer<T>;
  MatrixView<T> square(const Memory& memory) const { return {memory.data(), n_, n_, n_}; }
  MatrixView<T> host(const HostArray<T>& memory) const { return {memory.get(), n_, n_, n_}; }
  void copy(const Memory& from, const Memory& to) const {
    EIGEN_G_CUDA(
        cudaMemcpyAsync(to.data(), from.data(), from.bytes(), cudaMemcpyDeviceToDevice, queue_.stream()));
  }
  void solve(bool vectors) {
    report_ = sygvd({}, n_, device(a_dev_.data()), n_, device(b_dev_.data()), n_, device(w_dev_.data()),
                    device(vectors ? z_dev_.data() : nullptr), n_, queue_.stream(), {.vectors = vectors});
    if (report_.status != Status::converged) throw Error("failed: " + std::to_string(report_.info));
  }
  void standard() {
    static_cast<void>(eigen_g::eigen_g(n_, device(a_dev_.data()), n_, device(w_dev_.data()),
                                       device(z_dev_.data()), n_, queue_.stream()));
  }
  void solve_again() {
    EIGEN_G_CUDA(cudaMemsetAsync(z_dev_.data(), 0xff, z_dev_.bytes(), queue_.stream()));
    EIGEN_G_CUDA(cudaMemsetAsync(w_dev_.data(), 0xff, w_dev_.bytes(), queue_.stream()));
    copy(a_start_, a_dev_);
    copy(b_start_, b_dev_);
    solve(true);
    download<T>(queue_, square(z_dev_), host(z_));
    download<R>(queue_, {w_dev_.data(), n_, 1, n_}, {w_.data(), n_, 1, n_});
  }

  const Queue& queue_;
  Cusolver* const cusolver_;
  const bool brief_;
  const std::int64_t n_;
  const Memory a_start_{n_ * n_}, b_start_{n_ * n_}, a_dev_{n_ * n_}, b_dev_{n_ * n_}, z_dev_{n_ * n_};
  const DeviceBuffer<R> w_dev_{n_};
  HostArray<T> a_ = host_array<T>(n_ * n_), b_ = host_array<T>(n_ * n_), z_ = host_array<T>(n_ * n_);
  std::vector<R> w_ = std::vector<R>(static_cast<std::size_t>(n_));
  GeneralisedReport report_;
};

#endif

class GeneralisedBenchmark final : public Benchmark {
 public:
  GeneralisedBenchmark()
      : Benchmark(
            {"generalised",
             "A x = w B x, compared with cuSOLVER's sygvd: seconds by stage and n, and verification.",
             R"(
  eigen_g bench generalised                           1000 to 10000
  eigen_g bench generalised --types sdcz              float, double and complex, each beside cuSOLVER in its type
  eigen_g bench generalised --sizes 2000,20000 --brief)",
             "calls",
             2,
             {{"device_vectors/seconds"},
              {"device_values/seconds"},
              {"device_vectors/passed"},
              {"bit_for_bit"}},
             {{R"(type = type; n = n; eigen_g = device_vectors/seconds time; cuSOLVER = cusolver_vectors/seconds time;
      non-det. = cusolver_nondeterministic_vectors/seconds time; x = ratio %.2f; values only = device_values/seconds time;
      A alone = standard_vectors/seconds time; residual = device_vectors/residual %.2g;
      orthog. = device_vectors/orthogonality %.2g; bits = bit_for_bit bits)",
               R"(x: the faster cuSOLVER mode's time over eigen_g's on device pointers. A alone: eigen_g's standard solve of A.
residual, orthog.: verify_generalised.hpp's ratios. eigen_g allocates within its time, cuSOLVER's workspace is there before.
)"},
              {R"(ms a stage = name; type = type; n = n; Cholesky = stages/cholesky %.3f 1e3;
      standard form = stages/standard_form %.3f 1e3; back = stages/back_substitute %.3f 1e3)",
               "", "stages", true}}}) {}

  void add_options(CLI::App& command) override {
    add_sizes(command, "--sizes", "1000,2000,4000,10000",
              "Numbers and ranges from:to:step (default: 1000 to 10000)");
    add_rounds(command, "Timed rounds a call (default: 7, but 3 where they take long, 1 with --brief)", 1);
    add_types(command, "a generalised solve");
    command.add_flag("--brief", brief,
                     "For large sizes: one cuSOLVER mode (the non-deterministic), one round, beyond n = "
                     "20000 no warm-up but "
                     "of the first size");
  }

#ifdef EIGEN_G_HAVE_CUDA
  std::vector<CaseOptions> cases(const Session& session, Json& head) override {
    head["cusolver"] = Cusolver::version();
    std::vector<CaseOptions> plans;
    for (const char type : scalar_types)
      for (const std::int64_t n : sizes) {
        const Json parameters{{"n", n}, {"type", std::string(1, type)}, {"brief", brief}};
        const auto add = [&]<class T>(T) {
          const std::uint64_t bytes =
              5 * sizeof(T) * static_cast<std::uint64_t>(n * n) +
              generalised_workspace_bytes<T>(n, {}, {}, true, Pointers::device).device;
          plans.push_back(
              {parameters, rule_for_long_calls(n),
               [session, n, is_brief = brief] { return case_of<GeneralisedCase<T>>(session, n, is_brief); },
               too_large(bytes)});
        };
        io::with_type(io::ScalarType{type}, add);
      }
    return plans;
  }
#endif

  void conclude(Json& c) const override {
    c["ratio"] = quotient(c, {"cusolver_vectors/seconds", "cusolver_nondeterministic_vectors/seconds"},
                          "device_vectors/seconds");
  }

  std::string title(const Json& c) const override {
    return "type " + c.value("type", "d") + ", n = " + c["n"].dump();
  }
};

}  // namespace

std::shared_ptr<Benchmark> generalised_benchmark() {
  return std::make_shared<GeneralisedBenchmark>();
}

}  // namespace eigen_g::apps::bench
