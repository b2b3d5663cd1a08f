// Apart from device.cpp: who asks for GPUs alone does not load cuBLAS.
#include <string>

#include "hybrid/machine/device.hpp"

#ifdef EIGEN_G_HAVE_CUDA
#include <cublas_v2.h>
#endif

namespace eigen_g {

std::string cublas_version() {
  std::string text;
#ifdef EIGEN_G_HAVE_CUDA
  for (const auto part : {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL}) {
    int value = 0;
    if (cublasGetProperty(part, &value) != CUBLAS_STATUS_SUCCESS) return "";
    text += (text.empty() ? "" : ".") + std::to_string(value);
  }
#endif
  return text;
}

}  // namespace eigen_g
