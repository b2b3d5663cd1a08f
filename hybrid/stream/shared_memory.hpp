// Dynamic shared memory beyond 48 KB. CUDA builds only.
#pragma once

#include <cstddef>

namespace eigen_g {

// Lets `kernel` be launched with up to `bytes` of dynamic shared memory on the current GPU. The limit is the function's, not
// the launch's, and all threads of the process share it: it only ever rises, so that no thread takes it from another between
// asking and launching. Throws DeviceError.
void allow_shared_memory(const void* kernel, std::size_t bytes);

template <class... Parameters>
void allow_shared_memory(void (*kernel)(Parameters...), std::size_t bytes) {
  allow_shared_memory(reinterpret_cast<const void*>(kernel), bytes);
}

}  // namespace eigen_g
