// Macros that check CUDA and cuBLAS calls. Every such call of the project is made through EIGEN_G_CUDA or EIGEN_G_CUBLAS. A
// failure throws a DeviceError with the call, the API's name of the error, the file and the line. EIGEN_G_LAUNCHED checks a
// kernel launch.
//
// cuBLAS is not linked. A function f of cuBLAS is called as Cublas<f>::call(...), and the first such call loads the library.
// This header is included in CUDA builds only.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <string>

#include "hybrid/error.hpp"
#include "hybrid/machine/fork.hpp"
#include "hybrid/machine/shared_library.hpp"

namespace eigen_g {

[[noreturn]] inline void throw_device_error(const char* call, const std::string& name, const char* file,
                                            int line) {
  throw DeviceError(std::string(call) + " failed with " + name + " (" + file + ":" + std::to_string(line) +
                    ")");
}

inline void check_cuda(cudaError_t status, const char* call, const char* file, int line) {
  if (status != cudaSuccess)
    throw_device_error(
        call,
        std::string(cudaGetErrorName(status)) + ": " + cudaGetErrorString(status) + no_cuda_after_fork(),
        file, line);
}

inline const SharedLibrary& cublas_library() {
  static const SharedLibrary library = SharedLibrary::of_toolkit("cublas", CUBLAS_VER_MAJOR);
  return library;
}
template <auto* function>
using Cublas = LateCall<cublas_library, symbol_name<function>(), decltype(function)>;

inline void check_cublas(cublasStatus_t status, const char* call, const char* file, int line) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw_device_error(call, Cublas<cublasGetStatusName>::call(status), file, line);
}

}  // namespace eigen_g

#define EIGEN_G_CUDA(call) ::eigen_g::check_cuda((call), #call, __FILE__, __LINE__)
#define EIGEN_G_CUBLAS(call) ::eigen_g::check_cublas((call), #call, __FILE__, __LINE__)
#define EIGEN_G_LAUNCHED() ::eigen_g::check_cuda(cudaGetLastError(), __func__, __FILE__, __LINE__)
