// symv(): checks the arguments, chooses the configuration, lets the workspace grow and queues the kernels. One .cu file for
// each type includes this header and instantiates it.
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "blas2/symv/symv_kernel.cuh"
#include "blas2/symv/symv_workspace.hpp"
#include "hybrid/cuda_check.hpp"

namespace eigen_g::blas2 {

template <class Call>
using SymvKernel = void (*)(const Call);

template <class Call>
struct SymvInstance {
  SymvKernel<Call> walk = nullptr;
  SymvKernel<Call> sum = nullptr;
  int threads = 0;
};

template <class T, bool aligned, std::size_t i>
SymvInstance<SymvCall<T>> symv_instance() {
  constexpr SymvShapeParameters p = symv_shapes[i];
  using Shape = SymvShape<T, p.row_warps, p.column_warps, p.loads, p.columns, aligned>;
  return {symv_kernel<Shape>, symv_sum_kernel<Shape>, Shape::threads};
}

template <class T, std::size_t... i>
SymvInstance<SymvCall<T>> find_symv_instance(const SymvConfig& config, bool aligned,
                                             std::index_sequence<i...>) {
  SymvInstance<SymvCall<T>> found;
  const auto take = [&](const SymvShapeParameters& p, auto with, auto without) {
    if (p.row_warps == config.row_warps && p.column_warps == config.column_warps && p.loads == config.loads &&
        p.columns == config.columns)
      found = aligned ? with() : without();
  };
  (take(symv_shapes[i], symv_instance<T, true, i>, symv_instance<T, false, i>), ...);
  if (!found.walk) throw InvalidArgument("config", name(config) + ": must be one of symv_candidates()");
  return found;
}

enum class LaunchMode { plain, after_prologue, cooperative };

template <class Call>
void queue_kernel(SymvKernel<Call> kernel, int blocks, int threads, cudaStream_t stream, LaunchMode mode,
                  const Call& call) {
  cudaLaunchAttribute attribute{};
  if (mode == LaunchMode::cooperative) {
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
  } else {
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
  }
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = mode == LaunchMode::plain ? 0 : 1;
  EIGEN_G_CUDA(cudaLaunchKernelEx(&config, kernel, call));
}

template <class T>
bool is_aligned_16(const T* a, std::int64_t lda) {
  return reinterpret_cast<std::uintptr_t>(a) % 16 == 0 &&
         lda * static_cast<std::int64_t>(sizeof(T)) % 16 == 0;
}

// The element that BLAS counts as x(0) with this step: x(i) = first_element(x, n, incx)[i * incx].
template <class T>
T* first_element(T* x, std::int64_t n, std::int64_t step) {
  return step < 0 ? x - (n - 1) * step : x;
}

constexpr int scale_threads = 256;

template <class T>
void queue_symv(cudaStream_t stream, Uplo uplo, std::int64_t n, SymvCall<T> call, SymvWorkspace& workspace,
                const SymvConfig& config) {
  using Sum = typename Scalar<T>::Sum;
  SymvWorkspace::Impl& state = workspace.state();
  const auto instance = find_symv_instance<T>(config, is_aligned_16(call.input.a, call.input.lda),
                                              std::make_index_sequence<symv_shapes.size()>());

  const auto [known, is_new] =
      state.resident_blocks.try_emplace(reinterpret_cast<const void*>(instance.walk), 0);
  if (is_new)
    EIGEN_G_CUDA(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&known->second, instance.walk, instance.threads, 0));
  const int resident = std::clamp(config.blocks_per_multiprocessor, 1, std::max(1, known->second));

  constexpr SymvType type = symv_device_type<T>;
  const int strip_rows = static_cast<int>(rows_per_strip(type, config));
  const bool lower = uplo == Uplo::lower;
  const std::int32_t shift = symv_shift(lower, n, strip_rows, config.columns);
  call.partition = SymvPartition(lower, n + shift, strip_rows, config.columns,
                                 resident * state.multiprocessors, shift, config.column_warps);
  call.input.shift = shift;
  call.input.a -= shift * (1 + call.input.lda);
  call.input.x -= shift * call.input.incx;
  call.y -= shift * call.incy;
  workspace.reserve(type, n, config);
  call.partials.columns = reinterpret_cast<Sum*>(state.partials.data());
  call.partials.column_stride = symv_column_stride(n + shift);
  call.partials.rows = call.partials.columns + call.partition.strips() * call.partials.column_stride;
  call.barrier = state.arrived.data();
  call.arrived = state.arrived.data() + grid_barrier_words;
  call.finish = config.finish;
  const bool fits_in_l2 = static_cast<std::uint64_t>(n * n / 2) * sizeof(T) <= state.l2_bytes / 2;
  call.input.kept_of_256 = fits_in_l2 ? 256 : 0;

  const LaunchMode early = dependent_launches() ? LaunchMode::after_prologue : LaunchMode::plain;
  queue_kernel(instance.walk, call.partition.blocks(), instance.threads, stream,
               config.finish == SymvFinish::grid_barrier ? LaunchMode::cooperative : early, call);
  if (config.finish == SymvFinish::second_kernel)
    queue_kernel(instance.sum, static_cast<int>((n + 31) / 32), 32 * symv_sum_warps, stream, early, call);
}

inline void check_symv_arguments(bool reads_matrix, std::int64_t n, const void* a, std::int64_t lda,
                                 const void* x, std::int64_t incx, const void* y, std::int64_t incy) {
  const auto must = [](bool good, const char* argument, const std::string& what) {
    if (!good) throw InvalidArgument(argument, what);
  };
  must(n >= 0, "n", "is " + std::to_string(n) + ", must not be negative");
  must(n <= SymvPartition::max_n, "n",
       "is " + std::to_string(n) + ", must not exceed " + std::to_string(SymvPartition::max_n));
  must(lda >= std::max<std::int64_t>(1, n), "lda",
       "is " + std::to_string(lda) +
           ", must be at least max(1, n) = " + std::to_string(std::max<std::int64_t>(1, n)));
  must(incx != 0, "incx", "is 0, must not be 0");
  must(incy != 0, "incy", "is 0, must not be 0");
  if (n == 0) return;
  must(a || !reads_matrix, "a", "is null");
  must(x || !reads_matrix, "x", "is null");
  must(y, "y", "is null");
}

template <class H>
void run_symv(CUstream_st* stream, Uplo uplo, std::int64_t n, H alpha, const H* a, std::int64_t lda,
              const H* x, std::int64_t incx, H beta, H* y, std::int64_t incy, SymvWorkspace& workspace,
              const SymvConfig* config) {
  using T = typename DeviceTypeOf<H>::type;
  const bool reads_matrix = !(alpha == H(0));
  check_symv_arguments(reads_matrix, n, a, lda, x, incx, y, incy);
  if (n == 0 || (!reads_matrix && beta == H(1))) return;

  SymvCall<T> call;
  std::memcpy(&call.alpha, &alpha, sizeof alpha);
  std::memcpy(&call.beta, &beta, sizeof beta);
  call.y = reinterpret_cast<T*>(first_element(y, n, incy));
  call.incy = incy;
  if (!reads_matrix) {
    const auto blocks = static_cast<unsigned>((n + scale_threads - 1) / scale_threads);
    symv_scale_kernel<T>
        <<<blocks, scale_threads, 0, stream>>>(static_cast<std::int32_t>(n), call.beta, call.y, call.incy);
    EIGEN_G_LAUNCHED();
    return;
  }
  call.input = {reinterpret_cast<const T*>(a), lda, reinterpret_cast<const T*>(first_element(x, n, incx)),
                incx};
  SymvWorkspace::Impl& state = workspace.state();
  state.bind();
  const SymvType type = symv_type_of<H>;
  queue_symv<T>(stream, uplo, n, call, workspace,
                config ? *config : state.choose(workspace.table, type, uplo, n));
}

template <class T>
void symv(CUstream_st* stream, Uplo uplo, std::int64_t n, T alpha, const T* a, std::int64_t lda, const T* x,
          std::int64_t incx, T beta, T* y, std::int64_t incy, SymvWorkspace& workspace) {
  run_symv(stream, uplo, n, alpha, a, lda, x, incx, beta, y, incy, workspace, nullptr);
}

template <class T>
void symv(CUstream_st* stream, Uplo uplo, std::int64_t n, T alpha, const T* a, std::int64_t lda, const T* x,
          std::int64_t incx, T beta, T* y, std::int64_t incy, SymvWorkspace& workspace,
          const SymvConfig& config) {
  run_symv(stream, uplo, n, alpha, a, lda, x, incx, beta, y, incy, workspace, &config);
}

}  // namespace eigen_g::blas2

// Instantiates both overloads of symv() for the element type T.
#define EIGEN_G_INSTANTIATE_SYMV(T)                                                                \
  template void eigen_g::blas2::symv<T>(CUstream_st*, eigen_g::Uplo, std::int64_t, T, const T*,    \
                                        std::int64_t, const T*, std::int64_t, T, T*, std::int64_t, \
                                        eigen_g::blas2::SymvWorkspace&);                           \
  template void eigen_g::blas2::symv<T>(CUstream_st*, eigen_g::Uplo, std::int64_t, T, const T*,    \
                                        std::int64_t, const T*, std::int64_t, T, T*, std::int64_t, \
                                        eigen_g::blas2::SymvWorkspace&, const eigen_g::blas2::SymvConfig&);
