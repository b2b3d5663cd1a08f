// in_kernels(): the address of pinned host memory in kernels. CUDA builds only.
#pragma once

namespace eigen_g {

// Pinned memory of memory.hpp, of the current GPU. A store of a kernel to it takes less time than a copy of few bytes, for which the next kernel
// waits several microseconds. Throws DeviceError.
void* address_in_kernels(void* pinned);
template <class T>
T* in_kernels(T* pinned) {
  return static_cast<T*>(address_in_kernels(pinned));
}

}  // namespace eigen_g
