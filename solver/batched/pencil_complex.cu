// The kernels of batches of generalised problems for complex types.
#include "solver/batched/pencil_kernels.cuh"

namespace eigen_g::batched {

EIGEN_G_INSTANTIATE(complex_types, enqueue_pencil_chunk, pencil_shared_bytes);

}  // namespace eigen_g::batched
