// What JAX registers as the target of eigen_g.jax.eigh on CUDA; in builds with CUDA and JAX's headers.
#pragma once

namespace eigen_g::python {

void* jax_handler();

}  // namespace eigen_g::python
