// eigen_g.jax.eigh on the CPU: a handler that XLA calls. A matrix that fails gets NaNs as its result. (A JAX callback into Python can wait forever in a process with one core: it
// reads its argument by means of the thread on which it runs itself. JAX issues 24255, 25861.)
#include <algorithm>
#include <limits>
#include <vector>

#include <eigen_g/batched.hpp>

#include "apps/python/jax.hpp"
#include "apps/python/jax_call.hpp"

namespace eigen_g::python {

namespace {

template <class X>
void fill_with_nan(X* first, std::int64_t count) {
  constexpr auto nan = std::numeric_limits<real_t<X>>::quiet_NaN();
  std::fill_n(reinterpret_cast<real_t<X>*>(first), count * static_cast<std::int64_t>(sizeof(X) / sizeof(nan)),
              nan);
}

ffi::Error eigh_on_cpu(ffi::AnyBuffer matrices, ffi::Result<ffi::AnyBuffer> values,
                       ffi::Result<ffi::AnyBuffer> vectors, bool lower) {
  const Options options{.uplo = lower ? Uplo::upper : Uplo::lower};  // the solver reads the transpose
  return solved(matrices, values, vectors,
                [&]<class T>(std::int64_t n, std::int64_t count, const T* a, real_t<T>* w, T* v) {
                  std::vector<std::int32_t> status(static_cast<std::size_t>(count));
                  const BatchReport report =
                      eigen_g_batched<T>(n, count, a, n, w, v, n, status.data(), {}, options);
                  for (std::int64_t k = 0; report.failed > 0 && k < count; ++k)
                    if (status[static_cast<std::size_t>(k)] != 0) {
                      fill_with_nan(w + k * n, n);
                      fill_with_nan(v + k * n * n, n * n);
                    }
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
