// in_kernels(): the address of pinned host memory in kernels. CUDA builds only.
#pragma once

namespace eigen_g {

// Pinned memory of memory.hpp, of the current GPU. A kernel's store to it takes less time than a copy of few bytes, because the next kernel waits
// for the end of a copy. Throws DeviceError.
void* address_in_kernels(void* pinned);
template <class T>
T* in_kernels(T* pinned) {
  return static_cast<T*>(address_in_kernels(pinned));
}

}  // namespace eigen_g
