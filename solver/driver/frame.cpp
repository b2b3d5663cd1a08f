#include "solver/driver/frame.hpp"

#include <complex>
#include <string>
#include <utility>

#include "hybrid/instantiate.hpp"
#include "solver/driver/arguments.hpp"

namespace eigen_g {

namespace {

// Calls Backend::end() in its destructor, also after an exception, unless `ended` is true.
template <class T>
struct Ending {
  Backend<T>& on;
  bool ended = false;
  ~Ending() {
    if (!ended) on.end();
  }
};

// Returns the plan, or the first of its fallbacks that needs no more than Devices::memory_limit. If each of them needs more, returns the last
// one, and begin() throws.
template <class T>
Plan within_limit(Plan plan) {
  const std::uint64_t limit = plan.devices.memory_limit;
  while (limit > 0 && plan.on_gpu && plan_bytes<T>(plan, MatrixLayout::contiguous).device > limit) {
    const std::optional<Plan> smaller = smaller_plan<T>(plan);
    if (!smaller) break;
    plan = *smaller;
  }
  return plan;
}

}  // namespace

template <class T>
SolveFrame<T>::SolveFrame(const Plan& asked, Resources* resources)
    : plan_(within_limit<T>(make_plan<T>(asked))),
      resources_(resources),
      mixed_(asked.options.precision == Precision::mixed) {}

template <class T>
Backend<T>& SolveFrame<T>::backend() {
  if (!backend_) backend_ = plan_.on_gpu ? backend_on_gpu<T>(plan_, resources_) : backend_on_cpu<T>(plan_);
  return *backend_;
}

template <class T>
void SolveFrame<T>::set_workspace(const Workspace& given) {
  const std::uint64_t needed = given.device ? workspace(MatrixLayout::contiguous).device : 0;
  require_workspace(given.device_bytes, needed);
  if (plan_.n > 0) backend().set_workspace(given);
}

template <class T>
void SolveFrame<T>::take_workspace(Arena memory) {
  const std::uint64_t bytes = workspace().device;
  set_workspace({memory.take<std::byte>(static_cast<std::int64_t>(bytes)), bytes});
}

template <class T>
void SolveFrame<T>::set_factor(CholeskyFactor factor) {
  plan_.generalised->factor = factor;
  if (backend_) backend_->set_factor(factor);
}

template <class T>
void SolveFrame<T>::begin(const CallerMatrices<T>& problem) {
  try {
    backend().begin(problem);
  } catch (const OutOfMemory& error) {
    std::optional<Plan> smaller;
    // In block columns the slabs are as large as memory_limit allows. Without a limit they have their smallest size. If the GPU has fewer free
    // bytes than the limit, the next try is therefore the same plan without a limit. A limit below the smallest size stays.
    const bool fills_limit =
        error.on_device() && plan_.mode == MemoryMode::block_columns && plan_.devices.memory_limit > 0 &&
        plan_bytes<T>(plan_, MatrixLayout::contiguous).device <= plan_.devices.memory_limit;
    if (fills_limit) plan_.devices.memory_limit = 0;
    if (error.on_device()) smaller = fills_limit ? plan_ : smaller_plan<T>(plan_);
    if (!smaller) throw;
    backend_.reset();
    plan_ = *std::move(smaller);
    begin(problem);
  }
}

template <class T>
GeneralisedReport SolveFrame<T>::run(bool wait) {
  Ending<T> ending{*backend_};
  const Progress silent;  // a generalised solve reports progress only in its standard solve
  std::vector<StageWork> stages;
  StageRunner run_stage(backend_->clock(), plan_.generalised ? silent : plan_.options.progress, stages);
  GeneralisedReport report = backend_->run(run_stage);
  if (wait) run_stage.finish();
  report.stages = std::move(stages);
  backend_->account(report);
  if (!wait) {
    backend_->end_async();
    ending.ended = true;
  }
  return report;
}

template <class T>
GeneralisedReport SolveFrame<T>::solve(const CallerMatrices<T>& problem, bool wait) {
  check_problem(plan_, problem);
  return timed(plan_.on_gpu, plan_.devices.threads, [&] {
    GeneralisedReport report;
    if (plan_.n > 0) {
      begin(problem);
      report = run(wait);
    }
    if (mixed_ && report.refinement.result == Refinement::Result::native)
      report.refinement.result = Refinement::Result::out_of_scope;
    // `report` may have the fallbacks of a standard solve that the recipe ran. The fallbacks of this frame come before them.
    report.fallbacks.insert(report.fallbacks.begin(), plan_.fallbacks.begin(), plan_.fallbacks.end());
    return report;
  });
}

template <class T>
GeneralisedReport SolveFrame<T>::solve(Pointers pointers, const T* a, std::int64_t lda, T* b,
                                       std::int64_t ldb, real_t<T>* w, T* z, std::int64_t ldz,
                                       CUstream_st* stream, bool wait) {
  require(pointers == plan_.pointers, Argument::a,
          pointers == Pointers::host ? "is host memory; the solver is planned for device pointers"
                                     : "is device memory; the solver is planned for host pointers");
  return solve(problem_of(plan_, a, lda, b, ldb, w, z, ldz, stream), wait);
}

EIGEN_G_INSTANTIATE_CLASS(all_types, SolveFrame);

}  // namespace eigen_g
