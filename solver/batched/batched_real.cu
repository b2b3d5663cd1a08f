// The batched kernels for float and double.
#include "solver/batched/batched_kernels.cuh"

namespace eigen_g::batched {

EIGEN_G_INSTANTIATE(real_types, enqueue_chunk, place_chunk_work, shared_bytes);

}  // namespace eigen_g::batched
