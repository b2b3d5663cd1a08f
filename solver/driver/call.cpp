#include "solver/driver/call.hpp"

#include <algorithm>
#include <chrono>
#include <complex>
#include <string>

#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"
#include "solver/driver/arguments.hpp"
#include "solver/path/choice.hpp"
#include "solver/prepare/subset.hpp"

#ifdef EIGEN_G_HAVE_CUDA
#include "hybrid/memory/resources.hpp"
#endif

namespace eigen_g {

Resources* resources_of_this_thread() {
#ifdef EIGEN_G_HAVE_CUDA
  return &Resources::of_this_thread();
#else
  return nullptr;
#endif
}

void check_plan(const Plan& plan) {
  require_size(plan.n, Argument::n);
  require_uplo(plan.options.uplo);
  require(static_cast<std::size_t>(plan.options.engine) <= engine_count, Argument::engine, "is no engine");
  check_subset(plan.n, plan.options.subset);
  check_devices(plan.devices);
  require(plan.pointers == Pointers::host || plan.devices.place != Place::cpu, Argument::place,
          "is cpu, but the pointers are a GPU's");
}

void check_matrices(const Plan& plan, const void* a, std::int64_t lda, const void* w, const void* z,
                    std::int64_t ldz) {
  const std::int64_t n = plan.n;
  require_pointer(a, n > 0, Argument::a);
  require_leading_dimension(lda, n, Argument::lda);
  require_pointer(w, n > 0, Argument::w);
  if (!plan.options.vectors) return;
  require(z || n == 0, Argument::z, "is null, but vectors are wanted");
  require_leading_dimension(ldz, n, Argument::ldz);
  require(plan.pointers == Pointers::host || z != a || ldz == lda, Argument::ldz,
          "is " + std::to_string(ldz) + ", must be lda = " + std::to_string(lda) + " where z is a itself");
}

template <class T>
WorkspaceBytes plan_bytes(const Plan& plan, [[maybe_unused]] bool on_gpu, MatrixLayout layout) {
  if (plan.n == 0) return {};
#ifdef EIGEN_G_HAVE_CUDA
  if (on_gpu) return wants_mixed<T>(plan) ? mixed_device_bytes(plan) : device_backend_bytes<T>(plan, layout);
#else
  if (on_gpu) throw DeviceError("built without CUDA");
#endif
  return host_backend<T>(plan)->workspace(layout);
}

template <class T>
Call<T>::Call(const Plan& plan, Resources* resources)
    : plan_(plan), resources_(resources), mixed_(plan.options.precision == Precision::mixed) {
  check_plan(plan_);
  const int gpus = plan_.devices.gpus, there = gpus > 1 ? gpu_count() : 1;
  require(gpus <= std::max(1, there), Argument::gpus,
          "is " + std::to_string(gpus) + "; there " + (there == 1 ? "is " : "are ") + std::to_string(there));
  const bool two_stage = plan_.options.path == Path::two_stage;
  require(!is_complex<T> || gpus == 1, Argument::gpus,
          "is " + std::to_string(gpus) + "; a complex matrix takes one");
  require(!is_complex<T> || plan_.devices.ratio.automatic(), Argument::ratio,
          to_text(plan_.devices.ratio) + " is for real matrices");
  gpu_ = plan_.pointers == Pointers::device || take_gpu(plan_.devices.place, plan_.n) ||
         (two_stage && plan_.devices.place == Place::automatic && gpu_count() > 0);
  require(gpu_ || !two_stage, Argument::path, "is two_stage, which is for a GPU");
  if (gpu_ && wants_mixed<T>(plan_) &&
      (gpus > 1 || !plan_.devices.ratio.automatic() || plan_.devices.multiprocessors > 0))
    throw InvalidArgument("precision", "is mixed, which takes one whole GPU, without a ratio");
}

template <class T>
PlannedSolve<T>& Call<T>::backend() {
  if (!backend_ && gpu_) {
    require_gpu();
#ifdef EIGEN_G_HAVE_CUDA
    if constexpr (std::is_same_v<T, double>)
      if (wants_mixed<T>(plan_)) backend_ = mixed_device(plan_, *resources_);
    if (!backend_) backend_ = device_backend<T>(plan_, *resources_);
#endif
  }
  if (!backend_) backend_ = host_backend<T>(plan_);
  return *backend_;
}

template <class T>
void Call<T>::begin(const Problem<T>& problem) {
  try {
    backend().begin(problem);
  } catch (const OutOfMemory& trouble) {
    if (!gpu_ || !trouble.on_device()) throw;
    const bool free_path = plan_.options.path == Path::automatic,
               free_place = plan_.pointers == Pointers::host && plan_.devices.place == Place::automatic;
    if (wants_mixed<T>(plan_))
      plan_.options.precision = Precision::native;
    else if (free_path && path_on_gpu<T>(plan_.options, plan_.n) == Path::two_stage)
      plan_.options.path = Path::one_stage;
    else if (free_place && plan_.options.path != Path::two_stage)
      gpu_ = false;
    else
      throw;
    backend_.reset();
    begin(problem);
  }
}

template <class T>
Report Call<T>::solve(const Problem<T>& problem, bool wait) {
  const auto start = std::chrono::steady_clock::now();
  const ThreadLimit limit(plan_.devices.threads);
  Report report;
  if (plan_.n > 0) {
    begin(problem);
    report = backend_->solve(plan_.options, wait);
  } else if (gpu_) {
    const Device& gpu = gpu_facts(current_gpu());
    report.devices = {{gpu.name, gpu.index, gpu.cores, 1, 0}};
  } else {
    report.devices = {{cpu_name(), -1, 0, 1, 0}};
  }
  if (mixed_ && report.refinement.way == Refinement::Way::native)
    report.refinement.way = Refinement::Way::out_of_scope;
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

template <class T>
Report Call<T>::solve(const T* a, std::int64_t lda, real_t<T>* w, T* z, std::int64_t ldz) {
  require(plan_.pointers == Pointers::host, Argument::a,
          "is host memory; the solver is planned for device pointers");
  check_matrices(plan_, a, lda, w, z, ldz);
  require_on_host({{Argument::a, a}, {Argument::w, w}, {Argument::z, plan_.options.vectors ? z : nullptr}});
  Problem<T> problem{{a, plan_.n, plan_.n, lda}, w, {}, {}, nullptr};
  if (plan_.options.vectors) problem.z = {z, plan_.n, plan_.most(), ldz};
  return solve(problem);
}

template <class T>
Report Call<T>::solve(DevicePointer<T> a, std::int64_t lda, DevicePointer<real_t<T>> w, DevicePointer<T> z,
                      std::int64_t ldz, CUstream_st* stream, bool wait) {
  require(plan_.pointers == Pointers::device, Argument::a,
          "is device memory; the solver is planned for host pointers");
  check_matrices(plan_, a.get(), lda, w.get(), z.get(), ldz);
  const auto aligned = [](const T* p) { return reinterpret_cast<std::uintptr_t>(p) % sizeof(T) == 0; };
  require(aligned(a.get()), Argument::a, "is not aligned to its entries");
  require(aligned(z.get()), Argument::z, "is not aligned to its entries");
  require_on_gpu({{Argument::a, a.get()},
                  {Argument::w, w.get()},
                  {Argument::z, plan_.options.vectors ? z.get() : nullptr}});
  Problem<T> problem{{a.get(), plan_.n, plan_.n, lda}, w.get(), {}, {a.get(), plan_.n, plan_.n, lda}, stream};
  if (plan_.options.vectors) problem.z = {z.get(), plan_.n, plan_.most(), ldz};
  return solve(problem, wait);
}

template WorkspaceBytes plan_bytes<double>(const Plan&, bool, MatrixLayout);
template class Call<double>;
template WorkspaceBytes plan_bytes<float>(const Plan&, bool, MatrixLayout);
template class Call<float>;
template WorkspaceBytes plan_bytes<std::complex<double>>(const Plan&, bool, MatrixLayout);
template class Call<std::complex<double>>;
template WorkspaceBytes plan_bytes<std::complex<float>>(const Plan&, bool, MatrixLayout);
template class Call<std::complex<float>>;

}  // namespace eigen_g
