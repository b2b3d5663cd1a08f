// eigen_g.jax.eigh on the CPU: a handler that XLA calls. (A JAX callback into Python can wait forever in a process with one core: it
// reads its argument by means of the thread on which it runs itself. JAX issues 24255, 25861.)
#include <algorithm>
#include <limits>

#include <eigen_g/eigen_g.hpp>

#include "apps/python/jax.hpp"
#include "apps/python/jax_call.hpp"

namespace eigen_g::python {

namespace {

// A matrix with a NaN or an infinity gets NaNs as its result.
template <class T>
void solve_one(std::int64_t n, const T* a, real_t<T>* w, T* v, const Options& options) {
  try {
    if (eigen_g<T>(n, a, n, w, v, n, options).status == Status::converged) return;
  } catch (const NonFiniteEntry&) {
  }
  constexpr auto nan = std::numeric_limits<real_t<T>>::quiet_NaN();
  std::fill_n(w, n, nan);
  std::fill_n(reinterpret_cast<real_t<T>*>(v), n * n * static_cast<std::int64_t>(sizeof(T) / sizeof(nan)),
              nan);
}

ffi::Error eigh_on_cpu(ffi::AnyBuffer matrices, ffi::Result<ffi::AnyBuffer> values,
                       ffi::Result<ffi::AnyBuffer> vectors, bool lower) {
  const Options options{.uplo = lower ? Uplo::upper : Uplo::lower};  // the solver reads the transpose
  return solved(matrices, values, vectors,
                [&]<class T>(std::int64_t n, std::int64_t count, const T* a, real_t<T>* w, T* v) {
                  for (std::int64_t k = 0; k < count; ++k, a += n * n, w += n, v += n * n)
                    solve_one(n, a, w, v, options);
                  return ffi::Error::Success();
                });
}

XLA_FFI_DEFINE_HANDLER(
    cpu_handler, eigh_on_cpu,
    ffi::Ffi::Bind().Arg<ffi::AnyBuffer>().Ret<ffi::AnyBuffer>().Ret<ffi::AnyBuffer>().Attr<bool>("lower"));

}  // namespace

void* jax_cpu_handler() {
  return reinterpret_cast<void*>(cpu_handler);
}

}  // namespace eigen_g::python
