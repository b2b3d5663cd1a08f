#include "solver/api/solver.hpp"

#include <complex>

#include "solver/driver/call.hpp"
#include "solver/path/choice.hpp"

#ifdef EIGEN_G_HAVE_CUDA
#include "hybrid/memory/resources.hpp"
#endif

namespace eigen_g {

struct Context::State {
  State(const Devices& given, [[maybe_unused]] const Allocator& allocator)
      : devices(given)
#ifdef EIGEN_G_HAVE_CUDA
        ,
        resources(allocator)
#endif
  {
  }
  Devices devices;
#ifdef EIGEN_G_HAVE_CUDA
  Resources resources;
#endif
};

Context::Context(const Devices& devices, const Allocator& allocator)
    : state_(std::make_unique<State>(devices, allocator)) {}
Context::~Context() = default;
Context::Context(Context&&) noexcept = default;
Context& Context::operator=(Context&&) noexcept = default;

const Devices& Context::devices() const {
  return state_->devices;
}

Resources* Context::resources() const {
#ifdef EIGEN_G_HAVE_CUDA
  return &state_->resources;
#else
  return nullptr;
#endif
}

void Context::release() {
#ifdef EIGEN_G_HAVE_CUDA
  state_->resources.release();
#endif
}

template <class T>
struct Solver<T>::State {
  Call<T> call;
};

template <class T>
Solver<T>::Solver(Context& context, std::int64_t n, const Options& options, Pointers pointers)
    : state_(new State{Call<T>({n, options, context.devices(), pointers}, context.resources())}) {
  if (n > 0) state_->call.backend().use({});
}
template <class T>
Solver<T>::~Solver() = default;
template <class T>
Solver<T>::Solver(Solver&&) noexcept = default;
template <class T>
Solver<T>& Solver<T>::operator=(Solver&&) noexcept = default;

template <class T>
WorkspaceBytes Solver<T>::workspace(MatrixLayout layout) const {
  return state_->call.plan().n > 0 ? state_->call.backend().workspace(layout) : WorkspaceBytes{};
}
template <class T>
bool Solver<T>::on_gpu() const {
  return state_->call.on_gpu();
}
template <class T>
Path Solver<T>::path() const {
  const Plan& plan = state_->call.plan();
  return on_gpu() ? path_on_gpu<T>(plan.options, plan.n) : Path::one_stage;
}

template <class T>
void Solver<T>::use(const Workspace& given) {
  const std::uint64_t needed = workspace(MatrixLayout::packed).device;
  if (given.device && given.device_bytes < needed)
    throw InvalidArgument(Argument::workspace, "has " + std::to_string(given.device_bytes) + " bytes, " +
                                                   std::to_string(needed) + " are needed");
  if (state_->call.plan().n > 0) state_->call.backend().use(given);
}

template <class T>
Report Solver<T>::solve(const T* a, std::int64_t lda, real_t<T>* w, T* z, std::int64_t ldz) {
  return state_->call.solve(a, lda, w, z, ldz);
}
template <class T>
Report Solver<T>::solve(DevicePointer<T> a, std::int64_t lda, DevicePointer<real_t<T>> w, DevicePointer<T> z,
                        std::int64_t ldz, CUstream_st* stream) {
  return state_->call.solve(a, lda, w, z, ldz, stream);
}
template <class T>
Report Solver<T>::enqueue(DevicePointer<T> a, std::int64_t lda, DevicePointer<real_t<T>> w,
                          DevicePointer<T> z, std::int64_t ldz, CUstream_st* stream) {
  return state_->call.solve(a, lda, w, z, ldz, stream, false);
}

template class Solver<double>;
template class Solver<float>;
template class Solver<std::complex<double>>;
template class Solver<std::complex<float>>;

}  // namespace eigen_g
