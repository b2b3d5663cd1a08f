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
struct Solver<T>::Impl {
  SolveFrame<T> frame;
};

template <class T>
Solver<T>::Solver(Context& context, std::int64_t n, const Options& options, Pointers pointers)
    : impl_(new Impl{{{n, options, context.devices(), pointers}, context.resources()}}) {
  impl_->frame.set_workspace({});
}
template <class T>
Solver<T>::~Solver() = default;
template <class T>
Solver<T>::Solver(Solver&&) noexcept = default;
template <class T>
Solver<T>& Solver<T>::operator=(Solver&&) noexcept = default;

template <class T>
WorkspaceBytes Solver<T>::workspace(MatrixLayout layout) const {
  return impl_->frame.workspace(layout);
}
template <class T>
bool Solver<T>::on_gpu() const {
  return impl_->frame.plan().on_gpu;
}
template <class T>
Path Solver<T>::path() const {
  return impl_->frame.plan().path;
}
template <class T>
void Solver<T>::set_workspace(const Workspace& given) {
  impl_->frame.set_workspace(given);
}

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
struct GeneralisedSolver<T>::Impl {
  std::optional<Context> own;  // outlives the frame
  SolveFrame<T> frame;
};

template <class T>
GeneralisedSolver<T>::GeneralisedSolver(Context& context, std::int64_t n, const GeneralisedProblem& problem,
                                        const Options& options, Pointers pointers)
    : impl_(new Impl{{}, {{n, options, context.devices(), pointers, problem}, context.resources()}}) {
  impl_->frame.set_workspace({});
}
template <class T>
GeneralisedSolver<T>::GeneralisedSolver(std::int64_t n, const GeneralisedProblem& problem,
                                        const Options& options, Pointers pointers, const Devices& devices,
                                        const Allocator& allocator) {
  Context own(devices, allocator);
  Resources* const resources = own.resources();
  impl_.reset(new Impl{std::move(own), {{n, options, devices, pointers, problem}, resources}});
  impl_->frame.set_workspace({});
}
template <class T>
GeneralisedSolver<T>::~GeneralisedSolver() = default;
template <class T>
GeneralisedSolver<T>::GeneralisedSolver(GeneralisedSolver&&) noexcept = default;
template <class T>
GeneralisedSolver<T>& GeneralisedSolver<T>::operator=(GeneralisedSolver&&) noexcept = default;

template <class T>
WorkspaceBytes GeneralisedSolver<T>::workspace() const {
  return impl_->frame.workspace();
}
template <class T>
bool GeneralisedSolver<T>::on_gpu() const {
  return impl_->frame.plan().on_gpu;
}
template <class T>
Path GeneralisedSolver<T>::path() const {
  return impl_->frame.plan().path;
}
template <class T>
void GeneralisedSolver<T>::set_factor(CholeskyFactor factor) {
  impl_->frame.set_factor(factor);
}
template <class T>
void GeneralisedSolver<T>::set_workspace(const Workspace& given) {
  impl_->frame.set_workspace(given);
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

EIGEN_G_INSTANTIATE_CLASS(all_types, Solver, GeneralisedSolver);

}  // namespace eigen_g
