// Permission for kernels to use more than 48 KB of dynamic shared memory. CUDA builds only.
#pragma once

#include <cstddef>

namespace eigen_g {

// Lets `kernel` be launched with up to `bytes` of dynamic shared memory on the current GPU. The limit belongs to the function,
// not to the launch, and all threads of the process share it. It therefore only rises: no thread can lower it between another
// thread's call and launch.
// Throws DeviceError.
void allow_shared_memory(const void* kernel, std::size_t bytes);

template <class... Parameters>
void allow_shared_memory(void (*kernel)(Parameters...), std::size_t bytes) {
  allow_shared_memory(reinterpret_cast<const void*>(kernel), bytes);
}

}  // namespace eigen_g
