// The handlers that JAX registers for eigen_g.jax.eigh. The first needs a build with JAX's headers; the second one also needs CUDA.
#pragma once

namespace eigen_g::python {

void* jax_cpu_handler();
void* jax_cuda_handler();

}  // namespace eigen_g::python
