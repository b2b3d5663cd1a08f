// What JAX registers as the targets of eigen_g.jax.eigh; in builds with JAX's headers, on CUDA with that too.
#pragma once

namespace eigen_g::python {

void* jax_cpu_handler();
void* jax_cuda_handler();

}  // namespace eigen_g::python
