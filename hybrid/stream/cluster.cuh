// Clusters of blocks (compute capability 9.0 or later), along x.
#pragma once

namespace eigen_g {

#ifdef __CUDACC__
// Barrier of all threads of the cluster. After it each thread can read what the other threads wrote before it, in shared and in global memory.
__device__ __forceinline__ void cluster_barrier() {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "barrier.cluster.arrive.release;\n\t"
      "barrier.cluster.wait.acquire;" ::
          : "memory");
#else
  __trap();
#endif
}
// Returns the address in the shared memory of block `rank` that corresponds to the address `mine` in the shared memory of the caller's block.
template <class T>
__device__ __forceinline__ const T* in_block_of_cluster(const T* mine, int rank) {
#if __CUDA_ARCH__ >= 900
  return static_cast<const T*>(__cluster_map_shared_rank(mine, static_cast<unsigned>(rank)));
#else
  __trap();
  return mine;
#endif
}
#endif

}  // namespace eigen_g
