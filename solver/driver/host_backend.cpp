// The stages of a standard solve on the CPU.
#include <algorithm>
#include <complex>
#include <memory>
#include <optional>

#include "hybrid/instantiate.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/round_up.hpp"
#include "hybrid/team/loops.hpp"
#include "hybrid/team/team.hpp"
#include "solver/driver/backend.hpp"
#include "solver/driver/places.hpp"
#include "solver/path/host_clock.hpp"
#include "solver/path/one_stage.hpp"
#include "solver/path/two_stage.hpp"
#include "solver/prepare/check_input.hpp"
#include "solver/prepare/scale.hpp"
#include "solver/tridiagonal/widen.hpp"

namespace eigen_g {

namespace {

// The buffers of the workspace.
template <class T>
struct HostParts {
  MatrixView<T> a;
  Tridiagonal<real_t<T>> t;
  MatrixView<real_t<T>> u;  // if T is complex
  Arena kept, scratch;      // for the path (PathBytes); scratch also for the divide and conquer

  // Returns a leading dimension of an odd number of cache lines. The entries of a row then lie in different sets of a cache.
  static std::int64_t apart(std::int64_t n) {
    constexpr std::int64_t line = 64 / std::int64_t{sizeof(T)};
    return round_up(n, 2 * line) + line;
  }

  HostParts(Arena& arena, const Plan& plan) {
    const std::int64_t n = plan.n, m = plan.max_count();
    const bool two_stage = plan.path == Path::two_stage;
    const PathBytes path =
        two_stage ? TwoStageOnCpu<T>::bytes(n, plan.options.vectors ? m : 0) : OneStageOnCpu<T>::bytes(n, m);
    a = arena.matrix<T>(n, n, two_stage ? apart(n) : n);
    t = {arena.take<real_t<T>>(n), arena.take<real_t<T>>(n)};
    if (places_of<T>(plan, {}).u.where == Where::own) u = arena.matrix<real_t<T>>(n, m, n);
    kept = arena.part(path.kept);
    scratch = arena.part(std::max(
        path.scratch, divide_and_conquer_bytes_on_cpu<real_t<T>>(n, plan.options.vectors ? n : 0, m)));
  }
};

template <class T>
class HostBackend final : public StandardBackend<T> {
 public:
  explicit HostBackend(const Plan& plan)
      : StandardBackend<T>(plan), bytes_(standard_bytes_on_cpu<T>(plan).host) {}

  void begin(const CallerMatrices<T>& problem) override {
    p_ = problem;
    if (memory_) return;
    memory_ = host_array<std::byte>(static_cast<std::int64_t>(bytes_));
    Arena arena(memory_.get(), bytes_);
    parts_.emplace(arena, plan_);
    const Uplo uplo = plan_.options.uplo;
    if (plan_.path == Path::two_stage)
      path_ = std::make_unique<TwoStageOnCpu<T>>(uplo, plan_.n, plan_.options.vectors ? plan_.max_count() : 0,
                                                 parts_->kept, parts_->scratch);
    else
      path_ = std::make_unique<OneStageOnCpu<T>>(uplo, plan_.n, parts_->kept, parts_->scratch);
  }
  Clock& clock() override { return clock_; }

  void load() override {
    const std::int64_t n = plan_.n;
    const bool lower = plan_.options.uplo == Uplo::lower;
    for_each(n, team_threads(n), [&](std::int64_t j) {
      const std::int64_t first = lower ? j : 0;
      const std::int64_t last = lower ? n : j + 1;
      std::copy_n(&p_.a(first, j), last - first, &parts_->a(first, j));
      if constexpr (is_complex<T>) parts_->a(j, j) = std::real(parts_->a(j, j));
    });
  }
  void check() override { k_ = scale_exponent(check_input<T>(plan_.options.uplo, parts_->a)); }
  void scale() override { eigen_g::scale<T>(plan_.options.uplo, parts_->a, k_); }
  int exponent() override { return k_; }
  void reduce(StageRunner& run_stage) override { q_ = &path_->run(run_stage, parts_->a, parts_->t, {}); }
  DivideAndConquerResult divide_and_conquer(int k, const StageProgress& progress) override {
    MatrixView<real_t<T>> u = parts_->u;
    if constexpr (!is_complex<T>) u = p_.z;
    const DivideAndConquerResult outcome =
        divide_and_conquer_on_cpu(plan_.n, parts_->t.d, parts_->t.e, u, parts_->scratch,
                                  {.subset = plan_.options.subset, .scale = -k, .progress = progress});
    found_ = outcome.found.count;
    if constexpr (is_complex<T>)
      if (plan_.options.vectors) widen<T>(u.block(0, 0, plan_.n, found_), p_.z);
    return outcome;
  }
  void back_transform(StageRunner& run_stage) override {
    q_->apply(run_stage, p_.z.block(0, 0, plan_.n, plan_.options.vectors ? found_ : 0));
  }
  void unscale(int k) override { scale_values(found_, parts_->t.d, -k); }
  void store() override {
    std::copy_n(parts_->t.d, found_, p_.w);
  }  // the vectors are in the caller's z already
  void account(Report& report) override {
    report.path = plan_.path;
    report.bytes = {bytes_, 0};
    report.devices = {{cpu_name(), -1, 0, 1, 0}};
  }

 private:
  using StandardBackend<T>::plan_;
  std::uint64_t bytes_;
  HostArray<std::byte> memory_;
  std::optional<HostParts<T>> parts_;
  std::unique_ptr<Reduction<T>> path_;
  ImplicitQ<T>* q_ = nullptr;  // set by reduce()
  CallerMatrices<T> p_;
  int k_ = 0;  // the scaled matrix is 2^k A
  std::int64_t found_ = 0;
  HostClock clock_;
};

}  // namespace

template <class T>
WorkspaceBytes standard_bytes_on_cpu(const Plan& plan) {
  return {bytes_taken([&](Arena& arena) { HostParts<T>(arena, plan); }), 0};
}
template <class T>
WorkspaceBytes bytes_on_cpu(const Plan& plan) {
  return plan.generalised ? generalised_bytes_on_cpu<T>(plan) : standard_bytes_on_cpu<T>(plan);
}

template <class T>
std::unique_ptr<Backend<T>> backend_on_cpu(const Plan& plan) {
  if (plan.generalised) return generalised_on_cpu<T>(plan);
  return std::make_unique<HostBackend<T>>(plan);
}

EIGEN_G_INSTANTIATE(all_types, standard_bytes_on_cpu, bytes_on_cpu, backend_on_cpu);

}  // namespace eigen_g
