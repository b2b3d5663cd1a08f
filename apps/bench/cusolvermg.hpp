// CusolverMg: cuSOLVERMg's syevd on several GPUs, with its matrix and workspace. CUDA builds only.
#pragma once

#include "apps/bench/peers.hpp"

#if defined(EIGEN_G_HAVE_CUSOLVER) && __has_include(<cusolverMg.h>)
#define DISABLE_CUSOLVERMG_DEPRECATED
#include <cusolverMg.h>
#define EIGEN_G_HAVE_CUSOLVERMG
#endif

namespace eigen_g::apps::bench {

#ifdef EIGEN_G_HAVE_CUSOLVERMG

inline const SharedLibrary& cusolvermg_library() {
  static const SharedLibrary library = SharedLibrary::of_toolkit("cusolverMg", CUSOLVER_VER_MAJOR);
  return library;
}
template <auto* function>
using MgCall = LateCall<cusolvermg_library, symbol_name<function>(), decltype(function)>;

// The lower triangle of a Hermitian matrix, dealt out to the GPUs in blocks of columns.
template <class T>
class CusolverMg {
 public:
  static bool found() {
    try {
      cusolvermg_library();
      return true;
    } catch (const DeviceError&) {
      return false;
    }
  }
  // Allocates the matrix and the workspace. Throws DeviceError, OutOfMemory.
  CusolverMg(std::int64_t n, std::vector<int> gpus) : n_(n), gpus_(std::move(gpus)) {
    EIGEN_G_CUSOLVER(MgCall<cusolverMgCreate>::call(&handle_));
    EIGEN_G_CUSOLVER(MgCall<cusolverMgDeviceSelect>::call(handle_, count(), gpus_.data()));
    EIGEN_G_CUSOLVER(MgCall<cusolverMgCreateDeviceGrid>::call(&grid_, 1, count(), gpus_.data(),
                                                              CUDALIBMG_GRID_MAPPING_COL_MAJOR));
    EIGEN_G_CUSOLVER(MgCall<cusolverMgCreateMatrixDesc>::call(&matrix_, n_, n_, n_, width, type<T>, grid_));
    const std::int64_t blocks = (n_ + width - 1) / width;
    each_gpu([&](std::size_t) {
      parts_.emplace_back(n_ * width * std::max<std::int64_t>(1, (blocks + count() - 1) / count()));
    });
    for (const DeviceBuffer<T>& part : parts_) part_addresses_.push_back(part.data());
    std::int64_t elements = 0;
    std::vector<real_t<T>> w(static_cast<std::size_t>(n_));
    EIGEN_G_CUSOLVER(MgCall<cusolverMgSyevd_bufferSize>::call(
        handle_, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, static_cast<int>(n_),
        part_addresses_.data(), 1, 1, matrix_, w.data(), type<real_t<T>>, type<T>, &elements));
    elements_ = elements;
    each_gpu([&](std::size_t) { workspaces_.emplace_back(std::max<std::int64_t>(1, elements)); });
    for (const DeviceBuffer<T>& workspace : workspaces_) workspace_addresses_.push_back(workspace.data());
  }
  CusolverMg(const CusolverMg&) = delete;
  CusolverMg& operator=(const CusolverMg&) = delete;
  ~CusolverMg() {
    if (matrix_) MgCall<cusolverMgDestroyMatrixDesc>::call(matrix_);
    if (grid_) MgCall<cusolverMgDestroyGrid>::call(grid_);
    if (handle_) MgCall<cusolverMgDestroy>::call(handle_);
    each_gpu([&](std::size_t k) {
      if (k < parts_.size()) parts_[k] = DeviceBuffer<T>();
      if (k < workspaces_.size()) workspaces_[k] = DeviceBuffer<T>();
    });
  }

  // a and z: n x n in host memory.
  void set(const T* a) {
    each_block([&](T* block, std::int64_t column, std::int64_t columns) {
      EIGEN_G_CUDA(cudaMemcpy(block, a + column * n_, bytes(columns), cudaMemcpyHostToDevice));
    });
  }
  void syevd(real_t<T>* w) {
    int info = 0;
    EIGEN_G_CUSOLVER(MgCall<cusolverMgSyevd>::call(handle_, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER,
                                                   static_cast<int>(n_), part_addresses_.data(), 1, 1,
                                                   matrix_, w, type<real_t<T>>, type<T>,
                                                   workspace_addresses_.data(), elements_, &info));
    each_gpu([](std::size_t) { EIGEN_G_CUDA(cudaDeviceSynchronize()); });
    if (info != 0) throw Error("cusolverMgSyevd: info " + std::to_string(info));
  }
  void get(T* z) {
    each_block([&](const T* block, std::int64_t column, std::int64_t columns) {
      EIGEN_G_CUDA(cudaMemcpy(z + column * n_, block, bytes(columns), cudaMemcpyDeviceToHost));
    });
  }

 private:
  static constexpr std::int64_t width = 256;
  template <class X>
  static constexpr cudaDataType type = std::get<place_of<X>>(std::tuple{CUDA_R_32F, CUDA_R_64F, CUDA_C_32F,
                                                                        CUDA_C_64F});
  int count() const { return static_cast<int>(gpus_.size()); }
  std::size_t bytes(std::int64_t columns) const {
    return sizeof(T) * static_cast<std::size_t>(columns) * static_cast<std::size_t>(n_);
  }
  template <class Work>
  void each_gpu(const Work& work) {
    for (std::size_t k = 0; k < gpus_.size(); ++k) {
      const CurrentGpu on(gpus_[k]);
      work(k);
    }
  }
  template <class Work>
  void each_block(const Work& work) {
    for (std::int64_t block = 0; block * width < n_; ++block) {
      const auto k = static_cast<std::size_t>(block % count());
      const CurrentGpu on(gpus_[k]);
      work(parts_[k].data() + block / count() * width * n_, block * width,
           std::min(width, n_ - block * width));
    }
  }

  std::int64_t n_, elements_ = 0;
  std::vector<int> gpus_;
  cusolverMgHandle_t handle_ = nullptr;
  cudaLibMgGrid_t grid_ = nullptr;
  cudaLibMgMatrixDesc_t matrix_ = nullptr;
  std::vector<DeviceBuffer<T>> parts_, workspaces_;
  std::vector<void*> part_addresses_, workspace_addresses_;
};

#else

template <class T>
class CusolverMg {  // without its header
 public:
  static bool found() { return false; }
  CusolverMg(auto&&...) {}
  void set(auto&&...) {}
  void syevd(auto&&...) {}
  void get(auto&&...) {}
};

#endif

}  // namespace eigen_g::apps::bench
