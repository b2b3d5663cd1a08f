// The libraries that eigen_g is compared with: cuBLAS and cuSOLVER. Their calls are queued on device pointers. CUDA builds only.
#pragma once

#include <algorithm>
#include <climits>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "hybrid/cuda_check.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/scalar.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/uplo.hpp"

#ifdef EIGEN_G_HAVE_CUSOLVER
#include <cusolverDn.h>
#endif

namespace eigen_g::apps::bench {

// cuBLAS's symv or hemv, and gemv, for float, double and their complex types.
inline constexpr std::tuple symv_routines{&Cublas<cublasSsymv_64>::call, &Cublas<cublasDsymv_64>::call,
                                          &Cublas<cublasChemv_64>::call, &Cublas<cublasZhemv_64>::call};
inline constexpr std::tuple gemv_routines{&Cublas<cublasSgemv_64>::call, &Cublas<cublasDgemv_64>::call,
                                          &Cublas<cublasCgemv_64>::call, &Cublas<cublasZgemv_64>::call};
using CublasTypes = std::tuple<float, double, cuComplex, cuDoubleComplex>;
template <class T>
inline constexpr std::size_t place_of = std::is_same_v<T, double>     ? 1
                                        : std::is_floating_point_v<T> ? 0
                                                                      : sizeof(T) / 8 + 1;
template <class T>
auto* cublas(const T* p) {
  using Type = std::tuple_element_t<place_of<T>, CublasTypes>;
  return reinterpret_cast<Type*>(const_cast<T*>(p));
}

// y := A x: cublas_symv reads one triangle of A, cublas_gemv the whole square.
template <class T>
void cublas_symv(const Queue& queue, Uplo uplo, std::int64_t n, const T* a, std::int64_t lda, const T* x,
                 T* y) {
  const T one{1}, zero{0};
  const auto fill = uplo == Uplo::lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
  EIGEN_G_CUBLAS(std::get<place_of<T>>(symv_routines)(queue.blas(), fill, n, cublas(&one), cublas(a), lda,
                                                      cublas(x), 1, cublas(&zero), cublas(y), 1));
}
template <class T>
void cublas_gemv(const Queue& queue, std::int64_t n, const T* a, std::int64_t lda, const T* x, T* y) {
  const T one{1}, zero{0};
  EIGEN_G_CUBLAS(std::get<place_of<T>>(gemv_routines)(queue.blas(), CUBLAS_OP_N, n, n, cublas(&one),
                                                      cublas(a), lda, cublas(x), 1, cublas(&zero), cublas(y),
                                                      1));
}

#ifdef EIGEN_G_HAVE_CUSOLVER

inline const SharedLibrary& cusolver_library() {
  static const SharedLibrary library = SharedLibrary::of_toolkit("cusolver", CUSOLVER_VER_MAJOR);
  return library;
}
template <auto* function>
using CusolverCall = LateCall<cusolver_library, symbol_name<function>(), decltype(function)>;

inline void check(cusolverStatus_t status, const char* call, const char* file, int line) {
  if (status != CUSOLVER_STATUS_SUCCESS)
    throw_device_error(call, "cuSOLVER status " + std::to_string(static_cast<int>(status)), file, line);
}
#define EIGEN_G_CUSOLVER(call) check((call), #call, __FILE__, __LINE__)

// cuSOLVER's tridiagonalization and eigensolvers of lower triangles, with their workspace, deterministic or not.
class Cusolver {
 public:
  explicit Cusolver(const Queue& queue) : info_(1) {
    EIGEN_G_CUSOLVER(CusolverCall<cusolverDnCreate>::call(&handle_));
    EIGEN_G_CUSOLVER(CusolverCall<cusolverDnSetStream>::call(handle_, queue.stream()));
    EIGEN_G_CUSOLVER(CusolverCall<cusolverDnCreateParams>::call(&parameters_));
  }
  ~Cusolver() {
    if (jacobi_) CusolverCall<cusolverDnDestroySyevjInfo>::call(jacobi_);
    if (parameters_) CusolverCall<cusolverDnDestroyParams>::call(parameters_);
    if (handle_) CusolverCall<cusolverDnDestroy>::call(handle_);
  }
  static int version() { return CUSOLVER_VERSION; }  // 12004 means 12.0.4
  static std::unique_ptr<Cusolver> open(const Queue& queue) { return std::make_unique<Cusolver>(queue); }

  // Chooses the deterministic mode (cuSOLVER's default) or the other one for later calls. Throws DeviceError if this version has no choice.
  void choose([[maybe_unused]] bool deterministic) {
#if CUSOLVER_VERSION >= 11600  // CUDA 12.4
    EIGEN_G_CUSOLVER(CusolverCall<cusolverDnSetDeterministicMode>::call(
        handle_, deterministic ? CUSOLVER_DETERMINISTIC_RESULTS : CUSOLVER_ALLOW_NON_DETERMINISTIC_RESULTS));
#else
    if (!deterministic) throw DeviceError("this cuSOLVER has no such mode");
#endif
  }
  void reserve(std::uint64_t device_bytes) {  // workspace for the calls below; throws OutOfMemory
    if (device_bytes <= workspace_.bytes()) return;
    release();
    workspace_ = DeviceBuffer<char>(static_cast<std::int64_t>(device_bytes));
  }
  void release() {
    workspace_ = DeviceBuffer<char>();
  }

  // T below is float, double, std::complex<float> or std::complex<double>. The *_bytes functions return the bytes to reserve().
  // sytrd is cusolverDnDsytrd, syevd cusolverDnXsyevd (64-bit sizes). They work in place and may block.
  std::uint64_t sytrd_bytes(std::int64_t n, double* a, std::int64_t lda) {
    int count = 0;
    EIGEN_G_CUSOLVER(CusolverCall<cusolverDnDsytrd_bufferSize>::call(handle_, lower, size(n), a, size(lda),
                                                                     nullptr, nullptr, nullptr, &count));
    return static_cast<std::uint64_t>(count) * sizeof(double);
  }
  void sytrd(std::int64_t n, double* a, std::int64_t lda, double* d, double* e, double* tau) {
    EIGEN_G_CUSOLVER(CusolverCall<cusolverDnDsytrd>::call(handle_, lower, size(n), a, size(lda), d, e, tau,
                                                          reinterpret_cast<double*>(workspace_.data()),
                                                          size(workspace_.size() / 8), info_.data()));
  }
  template <class T>
  std::uint64_t syevd_bytes(bool vectors, std::int64_t n, T* a, std::int64_t lda, real_t<T>* w) {
    std::size_t device = 0, host = 0;
    EIGEN_G_CUSOLVER(CusolverCall<cusolverDnXsyevd_bufferSize>::call(
        handle_, parameters_, mode_of(vectors), lower, n, type<T>, a, lda, type<real_t<T>>, w, type<T>,
        &device, &host));
    host_workspace_.resize(std::max(host_workspace_.size(), host));
    return device;
  }
  template <class T>
  void syevd(bool vectors, std::int64_t n, T* a, std::int64_t lda, real_t<T>* w) {
    EIGEN_G_CUSOLVER(CusolverCall<cusolverDnXsyevd>::call(
        handle_, parameters_, mode_of(vectors), lower, n, type<T>, a, lda, type<real_t<T>>, w, type<T>,
        workspace_.data(), workspace_.bytes(), host_workspace_.data(), host_workspace_.size(), info_.data()));
  }
  // cusolverDnSsygvd to cusolverDnZhegvd: A x = w B x with vectors, in place.
  template <class T>
  std::uint64_t sygvd_bytes(std::int64_t n, T* a, std::int64_t lda, T* b, std::int64_t ldb, real_t<T>* w) {
    constexpr std::tuple routines{
        &CusolverCall<cusolverDnSsygvd_bufferSize>::call, &CusolverCall<cusolverDnDsygvd_bufferSize>::call,
        &CusolverCall<cusolverDnChegvd_bufferSize>::call, &CusolverCall<cusolverDnZhegvd_bufferSize>::call};
    int count = 0;
    EIGEN_G_CUSOLVER(std::get<place_of<T>>(routines)(handle_, CUSOLVER_EIG_TYPE_1, CUSOLVER_EIG_MODE_VECTOR,
                                                     lower, size(n), cublas(a), size(lda), cublas(b),
                                                     size(ldb), w, &count));
    return static_cast<std::uint64_t>(count) * sizeof(T);
  }
  template <class T>
  void sygvd(std::int64_t n, T* a, std::int64_t lda, T* b, std::int64_t ldb, real_t<T>* w) {
    constexpr std::tuple routines{
        &CusolverCall<cusolverDnSsygvd>::call, &CusolverCall<cusolverDnDsygvd>::call,
        &CusolverCall<cusolverDnChegvd>::call, &CusolverCall<cusolverDnZhegvd>::call};
    EIGEN_G_CUSOLVER(std::get<place_of<T>>(routines)(
        handle_, CUSOLVER_EIG_TYPE_1, CUSOLVER_EIG_MODE_VECTOR, lower, size(n), cublas(a), size(lda),
        cublas(b), size(ldb), w, cublas(reinterpret_cast<T*>(workspace_.data())),
        size(workspace_.size() / static_cast<std::int64_t>(sizeof(T))), info_.data()));
  }
  // cusolverDnXsyevBatched and cusolverDn?syevjBatched (?heevjBatched) in place, in parts of the batch. They reserve their workspace at
  // their first call for a shape. info: count numbers in device memory.
  template <class T>
  void syev_batched([[maybe_unused]] bool vectors, [[maybe_unused]] std::int64_t n, std::int64_t count,
                    [[maybe_unused]] T* a, [[maybe_unused]] real_t<T>* w, [[maybe_unused]] int* info) {
#if CUSOLVER_VERSION >= 11701  // CUDA 12.6, update 2
    const auto bytes = [&](std::int64_t part) {
      std::size_t device = 0, host = 0;
      EIGEN_G_CUSOLVER(CusolverCall<cusolverDnXsyevBatched_bufferSize>::call(
          handle_, parameters_, mode_of(vectors), lower, n, type<T>, a, n, type<real_t<T>>, w, type<T>,
          &device, &host, part));
      host_workspace_.resize(std::max(host_workspace_.size(), host));
      return std::uint64_t{device};
    };
    in_parts(count, bytes, [&](std::int64_t k, std::int64_t part) {
      EIGEN_G_CUSOLVER(CusolverCall<cusolverDnXsyevBatched>::call(
          handle_, parameters_, mode_of(vectors), lower, n, type<T>, a + k * n * n, n, type<real_t<T>>,
          w + k * n, type<T>, workspace_.data(), workspace_.bytes(), host_workspace_.data(),
          host_workspace_.size(), info + k, part));
    });
#else
    throw DeviceError("this cuSOLVER has no XsyevBatched for " + std::to_string(count) + " matrices");
#endif
  }
  template <class T>
  void syevj_batched(bool vectors, std::int64_t n, std::int64_t count, T* a, real_t<T>* w, int* info) {
    constexpr std::tuple sizes{&CusolverCall<cusolverDnSsyevjBatched_bufferSize>::call,
                               &CusolverCall<cusolverDnDsyevjBatched_bufferSize>::call,
                               &CusolverCall<cusolverDnCheevjBatched_bufferSize>::call,
                               &CusolverCall<cusolverDnZheevjBatched_bufferSize>::call};
    constexpr std::tuple routines{
        &CusolverCall<cusolverDnSsyevjBatched>::call, &CusolverCall<cusolverDnDsyevjBatched>::call,
        &CusolverCall<cusolverDnCheevjBatched>::call, &CusolverCall<cusolverDnZheevjBatched>::call};
    if (!jacobi_) EIGEN_G_CUSOLVER(CusolverCall<cusolverDnCreateSyevjInfo>::call(&jacobi_));
    const auto bytes = [&](std::int64_t part) {
      int elements = 0;
      EIGEN_G_CUSOLVER(std::get<place_of<T>>(sizes)(handle_, mode_of(vectors), lower, size(n), cublas(a),
                                                    size(n), w, &elements, jacobi_, size(part)));
      return static_cast<std::uint64_t>(elements) * sizeof(T);
    };
    in_parts(count, bytes, [&](std::int64_t k, std::int64_t part) {
      EIGEN_G_CUSOLVER(std::get<place_of<T>>(routines)(
          handle_, mode_of(vectors), lower, size(n), cublas(a + k * n * n), size(n), w + k * n,
          cublas(reinterpret_cast<T*>(workspace_.data())),
          size(workspace_.size() / static_cast<std::int64_t>(sizeof(T))), info + k, jacobi_, size(part)));
    });
  }

 private:
  // Calls solve(first, part) for parts of the batch for which bytes(part) of workspace are there. A batch of more than 16384 matrices
  // is solved in parts, because the calls fail for larger ones.
  template <class Bytes, class Solve>
  void in_parts(std::int64_t count, const Bytes& bytes, const Solve& solve) {
    const std::int64_t most = std::min<std::int64_t>(count, 16384);
    reserve(bytes(most));
    for (std::int64_t k = 0; k < count; k += most) solve(k, std::min(most, count - k));
  }
  static constexpr auto lower = CUBLAS_FILL_MODE_LOWER;
  template <class T>
  static constexpr cudaDataType type = std::get<place_of<T>>(std::tuple{CUDA_R_32F, CUDA_R_64F, CUDA_C_32F,
                                                                        CUDA_C_64F});
  static cusolverEigMode_t mode_of(bool vectors) {
    return vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
  }
  static int size(std::int64_t n) {
    return static_cast<int>(std::min<std::int64_t>(n, INT_MAX));
  }
  cusolverDnHandle_t handle_ = nullptr;
  cusolverDnParams_t parameters_ = nullptr;
  syevjInfo_t jacobi_ = nullptr;
  DeviceBuffer<char> workspace_;
  DeviceBuffer<int> info_;
  std::vector<char> host_workspace_;
};

#else

class Cusolver {  // without cuSOLVER: open() returns null
 public:
  static int version() { return 0; }
  static std::unique_ptr<Cusolver> open(const Queue&) { return nullptr; }
  void choose(bool) {}
  void reserve(std::uint64_t) {}
  void release() {}
  std::uint64_t sytrd_bytes(auto&&...) { return 0; }
  std::uint64_t syevd_bytes(auto&&...) { return 0; }
  std::uint64_t sygvd_bytes(auto&&...) { return 0; }
  void sytrd(auto&&...) {}
  void syevd(auto&&...) {}
  void syev_batched(auto&&...) {}
  void syevj_batched(auto&&...) {}
  void sygvd(auto&&...) {}
};

#endif

}  // namespace eigen_g::apps::bench
