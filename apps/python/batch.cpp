#include "apps/python/batch.hpp"

#include <complex>

#include <eigen_g/eigen_g.hpp>

#include "apps/python/gil.hpp"
#include "apps/python/types.hpp"

namespace eigen_g::python {

namespace {

// Up to this order the CPU solves the matrices of a batch without LAPACK.
constexpr std::int64_t largest_order_without_lapack = 48;

template <class T>
T* const* pointers(const std::vector<std::uintptr_t>& addresses) {
  static_assert(sizeof(T*) == sizeof(std::uintptr_t));
  return addresses.empty() ? nullptr : reinterpret_cast<T* const*>(addresses.data());
}

// Engine and precision have no effect on the CPU.
Options options_of_batch(const CallOptions& plan) {
  return {.uplo = plan.options.uplo, .vectors = plan.options.vectors, .subset = plan.options.subset};
}

BatchStrides strides_of(const BatchArrays& x) {
  return {.a = x.stride_a, .z = x.stride_z, .b = x.stride_b};
}

// A visitor with two functions.
template <class First, class Second>
struct EitherOf : First, Second {
  using First::operator(), Second::operator();
};
template <class First, class Second>
EitherOf(First, Second) -> EitherOf<First, Second>;

}  // namespace

BatchReport solve_batch_on_host(const CallOptions& plan, const BatchArrays& x) {
  const GilReleased free;
  return with_type(plan.dtype, [&]<class T>() {
    auto* const w = pointer<real_t<T>>(x.w);
    auto* const status = pointer<std::int32_t>(x.status);
    if (plan.itype > 0)
      return sygvd_batched<T>(x.n, x.count, pointer<const T>(x.a), x.lda, pointer<const T>(x.b), x.ldb, w,
                              pointer<T>(x.z), x.ldz, status, strides_of(x), plan.options, plan.devices);
    return eigen_g_batched<T>(x.n, x.count, pointer<const T>(x.a), x.lda, w, pointer<T>(x.z), x.ldz, status,
                              strides_of(x), plan.options, plan.devices);
  });
}

PythonBatchedSolver::PythonBatchedSolver(PythonContext& context, const CallOptions& plan, std::int64_t n,
                                         std::int64_t most, int gpu)
    : gpu_(gpu) {
  const GilReleased free;
  const OnGpu on(gpu_);
  solver_.emplace(with_type(plan.dtype, [&]<class T>() -> Any {
    if (plan.itype > 0) return GeneralisedBatchedSolver<T>(context.get(), n, most, plan.options);
    return BatchedSolver<T>(context.get(), n, most, plan.options);
  }));
}
WorkspaceBytes PythonBatchedSolver::workspace() const {
  const OnGpu on(gpu_);
  return std::visit([](const auto& solver) { return solver.workspace(); }, *solver_);
}
void PythonBatchedSolver::set_workspace(std::uintptr_t memory, std::uint64_t bytes) {
  const GilReleased free;
  const OnGpu on(gpu_);
  std::visit([&](auto& solver) { solver.set_workspace({pointer<void>(memory), bytes}); }, *solver_);
}
BatchReport PythonBatchedSolver::solve(const BatchArrays& x, std::uintptr_t stream) {
  const GilReleased free;
  const OnGpu on(gpu_);
  auto* const queue = pointer<CUstream_st>(stream);
  const auto status = device(pointer<std::int32_t>(x.status));
  return std::visit(
      EitherOf{[&]<class T>(BatchedSolver<T>& solver) {
                 return solver.solve(x.count, device(pointer<T>(x.a)), x.lda, device(pointer<real_t<T>>(x.w)),
                                     device(pointer<T>(x.z)), x.ldz, status, queue, strides_of(x));
               },
               [&]<class T>(GeneralisedBatchedSolver<T>& solver) {
                 return solver.solve(x.count, device(pointer<T>(x.a)), x.lda, device(pointer<T>(x.b)), x.ldb,
                                     device(pointer<real_t<T>>(x.w)), device(pointer<T>(x.z)), x.ldz, status,
                                     queue, strides_of(x));
               }},
      *solver_);
}

BatchReport solve_ragged(const CallOptions& plan, const std::vector<std::int64_t>& n,
                         const std::vector<std::uintptr_t>& a, const std::vector<std::int64_t>& lda,
                         const std::vector<std::uintptr_t>& w, const std::vector<std::uintptr_t>& z,
                         std::uintptr_t status, int gpu, std::uintptr_t stream) {
  const GilReleased free;
  const OnGpu on(gpu);
  return with_type(plan.dtype, [&]<class T>() {
    const RaggedBatch<T> batch{.count = static_cast<std::int64_t>(n.size()),
                               .n = n.data(),
                               .a = pointers<const T>(a),
                               .lda = lda.data(),
                               .w = pointers<real_t<T>>(w),
                               .z = pointers<T>(z)};
    return eigen_g_ragged<T>(batch, gpu < 0 ? Pointers::host : Pointers::device, pointer<CUstream_st>(stream),
                             pointer<std::int32_t>(status), plan.options, plan.devices);
  });
}

bool is_batch_of_one(const CallOptions& plan, std::int64_t n, bool progress) {
  const Devices& devices = plan.devices;
  return !progress && n >= 0 && n <= largest_order_without_lapack && plan.itype == 0 &&
         plan.options.subset.by != Subset::By::value && plan.options.path != Path::two_stage &&
         devices.device != DeviceChoice::gpu && devices.gpus <= 1 && devices.ratio.automatic() &&
         devices.multiprocessors == 0;
}

PythonReport solve_batch_of_one(const CallOptions& plan, std::int64_t n, std::uintptr_t a, std::int64_t lda,
                                std::uintptr_t w, std::uintptr_t z, std::int64_t ldz) {
  const Options options = options_of_batch(plan);
  return with_type(plan.dtype, [&]<class T>() {
    const T* matrix = pointer<const T>(a);
    std::vector<T> copy;
    if (a == z && n > 0) {  // for the error after the solve
      copy.assign(matrix, matrix + lda * (n - 1) + n);
      matrix = copy.data();
    }
    std::int32_t status = 0;
    BatchReport batch = eigen_g_batched<T>(n, 1, matrix, lda, pointer<real_t<T>>(w), pointer<T>(z), ldz,
                                           &status, {}, options, plan.devices);
    if (status < 0)  // throws an error with the entry that is not finite
      return reported(
          eigen_g<T>(n, matrix, lda, pointer<real_t<T>>(w), pointer<T>(z), ldz, plan.options, plan.devices));
    Report report;
    report.status = status == 0 ? Status::converged : Status::not_converged;
    report.info = status;
    report.m = batch.m;
    report.first_index = options.subset.by == Subset::By::index ? options.subset.first : 1;
    report.seconds = batch.seconds;
    report.devices = std::move(batch.devices);
    report.bytes = batch.bytes;
    if (plan.options.precision == Precision::mixed)
      report.refinement.result = Refinement::Result::out_of_scope;
    return reported(std::move(report));
  });
}

WorkspaceBytes batch_of_one_workspace(const CallOptions& plan, std::int64_t n) {
  return with_type(
      plan.dtype, [&]<class T>() { return batched_workspace_bytes<T>(n, 1, options_of_batch(plan), false); });
}

}  // namespace eigen_g::python
