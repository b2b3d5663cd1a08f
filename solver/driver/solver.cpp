#include "solver/api/solver.hpp"

#include <complex>
#include <optional>

#include "hybrid/instantiate.hpp"
#include "solver/driver/frame.hpp"

namespace eigen_g {

struct Context::Impl {
  Devices devices;
  std::shared_ptr<Resources> resources;
};

Context::Context(const Devices& devices, const Allocator& allocator)
    : impl_(new Impl{devices, new_resources(allocator)}) {}
Context::~Context() = default;
Context::Context(Context&&) noexcept = default;
Context& Context::operator=(Context&&) noexcept = default;

const Devices& Context::devices() const {
  return impl_->devices;
}

Resources* Context::resources() const {
  return impl_->resources.get();
}

void Context::release() {
  eigen_g::release(resources());
}

template <class T>
struct PlannedSolver<T>::Impl {
  std::unique_ptr<Context> own;  // outlives the frame
  SolveFrame<T> frame;
};

template <class T>
PlannedSolver<T>::PlannedSolver(std::unique_ptr<Context> own, Context* shared, std::int64_t n,
                                const Options& options, Pointers pointers,
                                const GeneralisedProblem* problem) {
  const Context& context = own ? *own : *shared;
  const auto generalised = problem ? std::optional(*problem) : std::nullopt;
  Resources* const resources = context.resources();
  impl_.reset(new Impl{std::move(own), {{n, options, context.devices(), pointers, generalised}, resources}});
  impl_->frame.set_workspace({});
}
template <class T>
PlannedSolver<T>::~PlannedSolver() = default;
template <class T>
PlannedSolver<T>::PlannedSolver(PlannedSolver&&) noexcept = default;
template <class T>
PlannedSolver<T>& PlannedSolver<T>::operator=(PlannedSolver&&) noexcept = default;

template <class T>
WorkspaceBytes PlannedSolver<T>::workspace(MatrixLayout layout) const {
  return impl_->frame.workspace(layout);
}
template <class T>
bool PlannedSolver<T>::on_gpu() const {
  return impl_->frame.plan().on_gpu;
}
template <class T>
Path PlannedSolver<T>::path() const {
  return impl_->frame.plan().path;
}
template <class T>
void PlannedSolver<T>::set_workspace(const Workspace& given) {
  impl_->frame.set_workspace(given);
}

template <class T>
Solver<T>::Solver(Context& context, std::int64_t n, const Options& options, Pointers pointers)
    : PlannedSolver<T>(nullptr, &context, n, options, pointers, nullptr) {}

template <class T>
Report Solver<T>::solve(const T* a, std::int64_t lda, real_t<T>* w, T* z, std::int64_t ldz) {
  return impl_->frame.solve(Pointers::host, a, lda, nullptr, 0, w, z, ldz);
}
template <class T>
Report Solver<T>::solve(DevicePointer<T> a, std::int64_t lda, DevicePointer<real_t<T>> w, DevicePointer<T> z,
                        std::int64_t ldz, CUstream_st* stream) {
  return impl_->frame.solve(Pointers::device, a.get(), lda, nullptr, 0, w.get(), z.get(), ldz, stream);
}
template <class T>
Report Solver<T>::enqueue(DevicePointer<T> a, std::int64_t lda, DevicePointer<real_t<T>> w,
                          DevicePointer<T> z, std::int64_t ldz, CUstream_st* stream) {
  return impl_->frame.solve(Pointers::device, a.get(), lda, nullptr, 0, w.get(), z.get(), ldz, stream, false);
}

template <class T>
GeneralisedSolver<T>::GeneralisedSolver(Context& context, std::int64_t n, const GeneralisedProblem& problem,
                                        const Options& options, Pointers pointers)
    : PlannedSolver<T>(nullptr, &context, n, options, pointers, &problem) {}
template <class T>
GeneralisedSolver<T>::GeneralisedSolver(std::int64_t n, const GeneralisedProblem& problem,
                                        const Options& options, Pointers pointers, const Devices& devices,
                                        const Allocator& allocator)
    : PlannedSolver<T>(std::make_unique<Context>(devices, allocator), nullptr, n, options, pointers,
                       &problem) {}

template <class T>
void GeneralisedSolver<T>::set_factor(CholeskyFactor factor) {
  impl_->frame.set_factor(factor);
}
template <class T>
GeneralisedReport GeneralisedSolver<T>::solve(const T* a, std::int64_t lda, T* b, std::int64_t ldb,
                                              real_t<T>* w, T* z, std::int64_t ldz) {
  return impl_->frame.solve(Pointers::host, a, lda, b, ldb, w, z, ldz);
}
template <class T>
GeneralisedReport GeneralisedSolver<T>::solve(DevicePointer<T> a, std::int64_t lda, DevicePointer<T> b,
                                              std::int64_t ldb, DevicePointer<real_t<T>> w,
                                              DevicePointer<T> z, std::int64_t ldz, CUstream_st* stream) {
  return impl_->frame.solve(Pointers::device, a.get(), lda, b.get(), ldb, w.get(), z.get(), ldz, stream);
}

EIGEN_G_INSTANTIATE_CLASS(all_types, PlannedSolver, Solver, GeneralisedSolver);

}  // namespace eigen_g
