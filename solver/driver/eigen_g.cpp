#include "solver/api/eigen_g.hpp"

#include <algorithm>
#include <complex>

#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"
#include "solver/driver/call.hpp"

#ifdef EIGEN_G_HAVE_CUDA
#include "hybrid/memory/resources.hpp"
#endif

namespace eigen_g {

template <class T>
Report eigen_g(std::int64_t n, const T* a, std::int64_t lda, same_t<real_t<T>>* w, same_t<T>* z,
               std::int64_t ldz, const Options& options, const Devices& devices) {
  const Plan plan{n, options, devices, Pointers::host};
  return Call<T>(plan, resources_of_this_thread()).solve(a, lda, w, z, ldz);
}

template <class T>
Report eigen_g(std::int64_t n, DevicePointer<T> a, std::int64_t lda, same_t<DevicePointer<real_t<T>>> w,
               same_t<DevicePointer<T>> z, std::int64_t ldz, CUstream_st* stream, const Options& options,
               const Devices& devices) {
  const Plan plan{n, options, devices, Pointers::device};
  return Call<T>(plan, resources_of_this_thread()).solve(a, lda, w, z, ldz, stream);
}

template <class T>
Solution<T> solve(std::int64_t n, const T* a, std::int64_t lda, const Options& options,
                  const Devices& devices) {
  const std::int64_t ldz = std::max<std::int64_t>(1, n);
  check_plan({n, options, devices, Pointers::host});
  check_matrices({n, options, devices, Pointers::host}, a, lda, &lda, &lda, ldz);
  const auto vector_values = [&](std::int64_t columns) {
    return options.vectors ? static_cast<std::size_t>(n) * static_cast<std::size_t>(columns) : 0;
  };
  const std::int64_t most = options.subset.most(n);
  const auto order = static_cast<std::uint64_t>(n), columns = static_cast<std::uint64_t>(most);
  require_host_memory(columns * (sizeof(real_t<T>) + (options.vectors ? order * sizeof(T) : 0)));
  Solution<T> solution;
  solution.values.resize(static_cast<std::size_t>(most));
  solution.vectors.resize(vector_values(most));
  solution.report =
      eigen_g(n, a, lda, solution.values.data(), solution.vectors.data(), ldz, options, devices);
  solution.values.resize(static_cast<std::size_t>(solution.report.m));
  solution.vectors.resize(vector_values(solution.report.m));
  return solution;
}

template <class T>
WorkspaceBytes workspace_bytes(std::int64_t n, const Options& options, bool on_gpu, Pointers pointers) {
  const Plan plan{n, options, {}, pointers};
  check_plan(plan);
  return plan_bytes<T>(plan, on_gpu, MatrixLayout::packed);
}

void start_gpu() {
#ifdef EIGEN_G_HAVE_CUDA
  if (gpu_count() > 0) start_device();
#endif
}

void release_kept() {
#ifdef EIGEN_G_HAVE_CUDA
  Resources::of_this_thread().release();
#endif
}

template WorkspaceBytes workspace_bytes<double>(std::int64_t, const Options&, bool, Pointers);
template WorkspaceBytes workspace_bytes<float>(std::int64_t, const Options&, bool, Pointers);
template Report eigen_g(std::int64_t, const double*, std::int64_t, double*, double*, std::int64_t,
                        const Options&, const Devices&);
template Report eigen_g(std::int64_t, DevicePointer<double>, std::int64_t, DevicePointer<double>,
                        DevicePointer<double>, std::int64_t, CUstream_st*, const Options&, const Devices&);
template Solution<double> solve(std::int64_t, const double*, std::int64_t, const Options&, const Devices&);
template Report eigen_g(std::int64_t, const float*, std::int64_t, float*, float*, std::int64_t,
                        const Options&, const Devices&);
template Report eigen_g(std::int64_t, DevicePointer<float>, std::int64_t, DevicePointer<float>,
                        DevicePointer<float>, std::int64_t, CUstream_st*, const Options&, const Devices&);
template Solution<float> solve(std::int64_t, const float*, std::int64_t, const Options&, const Devices&);
template WorkspaceBytes workspace_bytes<std::complex<double>>(std::int64_t, const Options&, bool, Pointers);
template Report eigen_g(std::int64_t, const std::complex<double>*, std::int64_t, double*,
                        std::complex<double>*, std::int64_t, const Options&, const Devices&);
template Report eigen_g(std::int64_t, DevicePointer<std::complex<double>>, std::int64_t,
                        DevicePointer<double>, DevicePointer<std::complex<double>>, std::int64_t,
                        CUstream_st*, const Options&, const Devices&);
template Solution<std::complex<double>> solve(std::int64_t, const std::complex<double>*, std::int64_t,
                                              const Options&, const Devices&);
template WorkspaceBytes workspace_bytes<std::complex<float>>(std::int64_t, const Options&, bool, Pointers);
template Report eigen_g(std::int64_t, const std::complex<float>*, std::int64_t, float*, std::complex<float>*,
                        std::int64_t, const Options&, const Devices&);
template Report eigen_g(std::int64_t, DevicePointer<std::complex<float>>, std::int64_t, DevicePointer<float>,
                        DevicePointer<std::complex<float>>, std::int64_t, CUstream_st*, const Options&,
                        const Devices&);
template Solution<std::complex<float>> solve(std::int64_t, const std::complex<float>*, std::int64_t,
                                             const Options&, const Devices&);

}  // namespace eigen_g
