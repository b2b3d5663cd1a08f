// CusolverMp: NVIDIA's cuSOLVERMp with its NCCL, loaded at the first use. One eigen_g_mpi therefore runs on nodes that have them and on
// nodes without a GPU, which cannot load them. In builds that found cusolverMp.h and nccl.h.
#pragma once

#include <cusolverMp.h>

#include <string>

namespace eigen_g::distributed {

static_assert(NCCL_VERSION_CODE >= NCCL_VERSION(2, 18, 0), "cuSOLVERMp 0.7 and later stand on NCCL");

struct CusolverMp {
  // Loads libcusolverMp once a process: from the folder where CMake found it, or else by the loader's usual search.
  static const CusolverMp& get();
  std::string why_not;  // the loader's error message; empty: the functions below can be called

  decltype(&cusolverMpCreate) create = nullptr;
  decltype(&cusolverMpDestroy) destroy = nullptr;
  decltype(&cusolverMpCreateDeviceGrid) create_grid = nullptr;
  decltype(&cusolverMpDestroyGrid) destroy_grid = nullptr;
  decltype(&cusolverMpCreateMatrixDesc) create_descriptor = nullptr;
  decltype(&cusolverMpDestroyMatrixDesc) destroy_descriptor = nullptr;
  decltype(&cusolverMpSyevd_bufferSize) syevd_bytes = nullptr;
  decltype(&cusolverMpSyevd) syevd = nullptr;
  decltype(&ncclGetUniqueId) unique_id = nullptr;
  decltype(&ncclCommInitRank) comm_init = nullptr;
  decltype(&ncclCommDestroy) comm_destroy = nullptr;
  decltype(&ncclCommAbort) comm_abort = nullptr;
  decltype(&ncclGetErrorString) error_string = nullptr;

  // Both throw DeviceError with the name of the call.
  void check(cusolverStatus_t status, const char* call) const;
  void check(ncclResult_t result, const char* call) const;

 private:
  CusolverMp();
};

}  // namespace eigen_g::distributed
