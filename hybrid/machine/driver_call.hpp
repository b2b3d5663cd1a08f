// Functions of the CUDA driver, which the library does not link. CUDA builds only.
#pragma once

#include "hybrid/cuda_check.hpp"

namespace eigen_g {

// The driver's function `name`. Null if the driver or the toolkit of this build is too old.
template <class Function>
Function driver_call([[maybe_unused]] const char* name) {
#if CUDART_VERSION >= 12050
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  if (cudaGetDriverEntryPointByVersion(name, &entry, CUDART_VERSION, cudaEnableDefault, &found) !=
      cudaSuccess) {
    cudaGetLastError();
    return nullptr;
  }
  return found == cudaDriverEntryPointSuccess ? reinterpret_cast<Function>(entry) : nullptr;
#else
  return nullptr;
#endif
}

}  // namespace eigen_g
