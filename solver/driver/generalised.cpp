#include "solver/api/generalised.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/nvtx.hpp"
#include "solver/driver/arguments.hpp"
#include "solver/driver/call.hpp"
#include "solver/driver/generalised_backend.hpp"
#include "solver/path/choice.hpp"

#ifdef EIGEN_G_HAVE_CUDA
#include "hybrid/memory/resources.hpp"
#endif

namespace eigen_g {

namespace {

template <class T>
struct GeneralisedEnding {
  GeneralisedBackend<T>& on;
  ~GeneralisedEnding() { on.end(); }
};

// C = Y W Y^H.
template <class T>
Report solve_standard(GeneralisedBackend<T>& on) {
  try {
    return on.solve();
  } catch (const NonFiniteEntry&) {
    throw InvalidArgument("b", "is so small, or A so large, that the standard form of the problem overflows");
  }
}

// Acts between moments of a clock, which finish() reads.
class Acts {
 public:
  Acts(Clock& clock, std::vector<GeneralisedReport::Act>& acts)
      : clock_(clock), acts_(acts), first_(acts.size()) {
    clock_.begin();
    clock_.mark();
  }
  template <class Act>
  auto operator()(const char* name, Act&& act) {
    const ProfilerRange range(name);
    if constexpr (std::is_void_v<decltype(act())>) {
      act();
      end(name);
    } else {
      auto value = act();
      end(name);
      return value;
    }
  }
  void finish() {
    clock_.wait();
    for (std::size_t i = first_; i < acts_.size(); ++i) acts_[i].seconds = clock_.lap(i - first_);
  }

 private:
  void end(const char* name) {
    clock_.mark();
    acts_.push_back({name, 0});
  }
  Clock& clock_;
  std::vector<GeneralisedReport::Act>& acts_;
  std::size_t first_;
};

// A generalised solve, an act a line, on the problem that the backend has begun.
template <class T>
GeneralisedReport solve_on(GeneralisedBackend<T>& on, const GeneralisedPlan& plan) {
  const GeneralisedEnding<T> ending{on};
  GeneralisedReport report;
  Acts act(on.clock(), report.acts);
  act("load", [&] { on.load(); });
  act("check", [&] { on.check(); });
  if (plan.problem.factor != CholeskyFactor::given)
    report.bad_minor = act("cholesky", [&] { return on.cholesky(); });           // B = L L^H
  if (report.bad_minor == 0) act("standard_form", [&] { on.standard_form(); });  // A := C
  act.finish();

  if (report.bad_minor == 0) {
    static_cast<Report&>(report) = solve_standard(on);  // C = Y W Y^H
    Acts back(on.clock(), report.acts);
    if (plan.options.vectors) back("back_substitute", [&] { on.back_substitute(report.m); });  // X of Y
    back("store", [&] { on.store(report.m); });
    back.finish();
  } else {
    report.status = Status::not_converged;
    report.failed = plan.n + report.bad_minor;
  }
  on.account(report);
  return report;
}

void check_problem(const Generalised& problem) {
  if (problem.itype < 1 || problem.itype > 3)
    throw InvalidArgument("itype", "is " + std::to_string(problem.itype) + ", must be 1, 2 or 3");
}

template <class T>
class GeneralisedCall {
 public:
  GeneralisedCall(const GeneralisedPlan& plan, Resources* resources)
      : plan_(plan), resources_(resources), gpu_(Call<T>(plan, resources).on_gpu()) {
    check_problem(plan.problem);
  }

  const GeneralisedPlan& plan() const { return plan_; }
  bool on_gpu() const { return gpu_; }
  void choose(CholeskyFactor factor) {
    plan_.problem.factor = factor;
    if (backend_) backend_->choose(factor);
  }
  GeneralisedBackend<T>& backend() {
#ifdef EIGEN_G_HAVE_CUDA
    if (!backend_ && gpu_) {
      require_gpu();
      backend_ = generalised_device_backend<T>(plan_, *resources_);
    }
#endif
    if (!backend_) backend_ = generalised_host_backend<T>(plan_);
    return *backend_;
  }

  GeneralisedReport solve(const GeneralisedMatrices<T>& p) {
    check_matrices(plan_, p.a.data, p.a.lda, p.w, p.z.data, p.z.lda);
    of_argument("b", [&] { require_pointer(p.b.data, plan_.n > 0, Argument::other); });
    of_argument("ldb", [&] { require_leading_dimension(p.b.lda, plan_.n, Argument::other); });
    if (plan_.n > 0 && p.b.data == p.z.data) throw InvalidArgument("b", "is z");
    const auto where = [&](std::initializer_list<NamedPointer> pointers) {
      plan_.pointers == Pointers::host ? require_on_host(pointers) : require_on_gpu(pointers);
    };
    where({{Argument::a, p.a.data}, {Argument::w, p.w}, {Argument::z, p.z.data}});
    of_argument("b", [&] { where({{Argument::other, p.b.data}}); });

    const auto start = std::chrono::steady_clock::now();
    const ThreadLimit limit(plan_.devices.threads);
    if (plan_.n == 0) {
      GeneralisedReport nothing;
      static_cast<Report&>(nothing) = Call<T>(plan_, resources_).solve(Problem<T>{});
      return nothing;
    }
    begin(p);
    GeneralisedReport report = solve_on(*backend_, plan_);
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return report;
  }

 private:
  // As Call's: one stage takes the place of two, and then the CPU the GPU's.
  void begin(const GeneralisedMatrices<T>& p) {
    try {
      backend().begin(p);
    } catch (const OutOfMemory& trouble) {
      if (!gpu_ || !trouble.on_device()) throw;
      const bool free_path = plan_.options.path == Path::automatic;
      if (wants_mixed<T>(plan_))
        plan_.options.precision = Precision::native;
      else if (free_path && path_on_gpu<T>(plan_.options, plan_.n) == Path::two_stage)
        plan_.options.path = Path::one_stage;
      else if (plan_.pointers == Pointers::host && plan_.devices.place == Place::automatic &&
               plan_.options.path != Path::two_stage)
        gpu_ = false;
      else
        throw;
      backend_.reset();
      begin(p);
    }
  }

  GeneralisedPlan plan_;
  Resources* resources_;
  bool gpu_;
  std::unique_ptr<GeneralisedBackend<T>> backend_;
};

template <class T>
GeneralisedMatrices<T> matrices(const GeneralisedPlan& plan, T* a, std::int64_t lda, T* b, std::int64_t ldb,
                                real_t<T>* w, T* z, std::int64_t ldz, CUstream_st* stream = nullptr) {
  const std::int64_t n = plan.n;
  GeneralisedMatrices<T> p{{a, n, n, lda}, {b, n, n, ldb}, w, {}, stream};
  if (plan.options.vectors) p.z = {z, n, plan.most(), ldz};
  return p;
}

GeneralisedPlan plan_of(std::int64_t n, const Generalised& problem, const Options& options,
                        const Devices& devices, Pointers pointers) {
  return {{n, options, devices, pointers}, problem};
}

}  // namespace

double GeneralisedReport::seconds_of_act(const char* wanted) const {
  double sum = 0;
  for (const Act& act : acts)
    if (std::string_view(act.name) == wanted) sum += act.seconds;
  return sum;
}

template <class T>
GeneralisedReport sygvd(const Generalised& problem, std::int64_t n, const T* a, std::int64_t lda,
                        same_t<T>* b, std::int64_t ldb, same_t<real_t<T>>* w, same_t<T>* z, std::int64_t ldz,
                        const Options& options, const Devices& devices) {
  GeneralisedCall<T> call(plan_of(n, problem, options, devices, Pointers::host), resources_of_this_thread());
  return call.solve(matrices<T>(call.plan(), const_cast<T*>(a), lda, b, ldb, w, z, ldz));
}

template <class T>
GeneralisedReport sygvd(const Generalised& problem, std::int64_t n, DevicePointer<T> a, std::int64_t lda,
                        same_t<DevicePointer<T>> b, std::int64_t ldb, same_t<DevicePointer<real_t<T>>> w,
                        same_t<DevicePointer<T>> z, std::int64_t ldz, CUstream_st* stream,
                        const Options& options, const Devices& devices) {
  GeneralisedCall<T> call(plan_of(n, problem, options, devices, Pointers::device),
                          resources_of_this_thread());
  return call.solve(matrices<T>(call.plan(), a.get(), lda, b.get(), ldb, w.get(), z.get(), ldz, stream));
}

template <class T>
WorkspaceBytes generalised_workspace_bytes(std::int64_t n, const Generalised& problem, const Options& options,
                                           [[maybe_unused]] bool on_gpu, Pointers pointers) {
  const GeneralisedPlan plan = plan_of(n, problem, options, {}, pointers);
  check_plan(plan);
  check_problem(problem);
  if (n == 0) return {};
#ifdef EIGEN_G_HAVE_CUDA
  if (on_gpu) return generalised_device_bytes<T>(plan);
#else
  if (on_gpu) throw DeviceError("built without CUDA");
#endif
  return generalised_host_backend<T>(plan)->workspace();
}

template <class T>
struct GeneralisedSolver<T>::State {
#ifdef EIGEN_G_HAVE_CUDA
  State(const GeneralisedPlan& plan, const Allocator& allocator)
      : resources(allocator), call(plan, &resources) {}
  Resources resources;
#else
  State(const GeneralisedPlan& plan, const Allocator&) : call(plan, nullptr) {}
#endif
  GeneralisedCall<T> call;
};

template <class T>
GeneralisedSolver<T>::GeneralisedSolver(std::int64_t n, const Generalised& problem, const Options& options,
                                        Pointers pointers, const Devices& devices, const Allocator& allocator)
    : state_(new State(plan_of(n, problem, options, devices, pointers), allocator)) {
  if (n > 0) state_->call.backend().use({});
}
template <class T>
GeneralisedSolver<T>::~GeneralisedSolver() = default;
template <class T>
GeneralisedSolver<T>::GeneralisedSolver(GeneralisedSolver&&) noexcept = default;
template <class T>
GeneralisedSolver<T>& GeneralisedSolver<T>::operator=(GeneralisedSolver&&) noexcept = default;

template <class T>
WorkspaceBytes GeneralisedSolver<T>::workspace() const {
  return state_->call.plan().n > 0 ? state_->call.backend().workspace() : WorkspaceBytes{};
}
template <class T>
bool GeneralisedSolver<T>::on_gpu() const {
  return state_->call.on_gpu();
}
template <class T>
Path GeneralisedSolver<T>::path() const {
  const Plan& plan = state_->call.plan();
  return on_gpu() ? path_on_gpu<T>(plan.options, plan.n) : Path::one_stage;
}
template <class T>
void GeneralisedSolver<T>::choose(CholeskyFactor factor) {
  state_->call.choose(factor);
}
template <class T>
void GeneralisedSolver<T>::use(const Workspace& given) {
  const std::uint64_t needed = workspace().device;
  if (given.device && given.device_bytes < needed)
    throw InvalidArgument(Argument::workspace, "has " + std::to_string(given.device_bytes) + " bytes, " +
                                                   std::to_string(needed) + " are needed");
  if (state_->call.plan().n > 0) state_->call.backend().use(given);
}

template <class T>
GeneralisedReport GeneralisedSolver<T>::solve(const T* a, std::int64_t lda, T* b, std::int64_t ldb,
                                              real_t<T>* w, T* z, std::int64_t ldz) {
  require(state_->call.plan().pointers == Pointers::host, Argument::a,
          "is host memory; the solver is planned for device pointers");
  return state_->call.solve(matrices<T>(state_->call.plan(), const_cast<T*>(a), lda, b, ldb, w, z, ldz));
}
template <class T>
GeneralisedReport GeneralisedSolver<T>::solve(DevicePointer<T> a, std::int64_t lda, DevicePointer<T> b,
                                              std::int64_t ldb, DevicePointer<real_t<T>> w,
                                              DevicePointer<T> z, std::int64_t ldz, CUstream_st* stream) {
  require(state_->call.plan().pointers == Pointers::device, Argument::a,
          "is device memory; the solver is planned for host pointers");
  return state_->call.solve(
      matrices<T>(state_->call.plan(), a.get(), lda, b.get(), ldb, w.get(), z.get(), ldz, stream));
}

template GeneralisedReport sygvd(const Generalised&, std::int64_t, const double*, std::int64_t, double*,
                                 std::int64_t, double*, double*, std::int64_t, const Options&,
                                 const Devices&);
template GeneralisedReport sygvd(const Generalised&, std::int64_t, DevicePointer<double>, std::int64_t,
                                 DevicePointer<double>, std::int64_t, DevicePointer<double>,
                                 DevicePointer<double>, std::int64_t, CUstream_st*, const Options&,
                                 const Devices&);
template WorkspaceBytes generalised_workspace_bytes<double>(std::int64_t, const Generalised&, const Options&,
                                                            bool, Pointers);
template class GeneralisedSolver<double>;
template GeneralisedReport sygvd(const Generalised&, std::int64_t, const float*, std::int64_t, float*,
                                 std::int64_t, float*, float*, std::int64_t, const Options&, const Devices&);
template GeneralisedReport sygvd(const Generalised&, std::int64_t, DevicePointer<float>, std::int64_t,
                                 DevicePointer<float>, std::int64_t, DevicePointer<float>,
                                 DevicePointer<float>, std::int64_t, CUstream_st*, const Options&,
                                 const Devices&);
template WorkspaceBytes generalised_workspace_bytes<float>(std::int64_t, const Generalised&, const Options&,
                                                           bool, Pointers);
template class GeneralisedSolver<float>;
template GeneralisedReport sygvd(const Generalised&, std::int64_t, const std::complex<double>*, std::int64_t,
                                 std::complex<double>*, std::int64_t, double*, std::complex<double>*,
                                 std::int64_t, const Options&, const Devices&);
template GeneralisedReport sygvd(const Generalised&, std::int64_t, DevicePointer<std::complex<double>>,
                                 std::int64_t, DevicePointer<std::complex<double>>, std::int64_t,
                                 DevicePointer<double>, DevicePointer<std::complex<double>>, std::int64_t,
                                 CUstream_st*, const Options&, const Devices&);
template WorkspaceBytes generalised_workspace_bytes<std::complex<double>>(std::int64_t, const Generalised&,
                                                                          const Options&, bool, Pointers);
template class GeneralisedSolver<std::complex<double>>;
template GeneralisedReport sygvd(const Generalised&, std::int64_t, const std::complex<float>*, std::int64_t,
                                 std::complex<float>*, std::int64_t, float*, std::complex<float>*,
                                 std::int64_t, const Options&, const Devices&);
template GeneralisedReport sygvd(const Generalised&, std::int64_t, DevicePointer<std::complex<float>>,
                                 std::int64_t, DevicePointer<std::complex<float>>, std::int64_t,
                                 DevicePointer<float>, DevicePointer<std::complex<float>>, std::int64_t,
                                 CUstream_st*, const Options&, const Devices&);
template WorkspaceBytes generalised_workspace_bytes<std::complex<float>>(std::int64_t, const Generalised&,
                                                                         const Options&, bool, Pointers);
template class GeneralisedSolver<std::complex<float>>;

}  // namespace eigen_g
