// Loads cuSOLVERMp and finds its functions.
#include "solver/distributed/cusolvermp_library.hpp"

#include "hybrid/error.hpp"
#include "hybrid/machine/shared_library.hpp"

namespace eigen_g::distributed {

const CusolverMp& CusolverMp::get() {
  static const CusolverMp library;
  return library;
}

CusolverMp::CusolverMp() {
  try {
    const std::string file = "libcusolverMp.so." + std::to_string(CUSOLVERMP_VER_MAJOR);
    const SharedLibrary library({EIGEN_G_CUSOLVERMP_FOLDER + file, file});
    // The names of NCCL are found in the libraries that cuSOLVERMp was loaded with, so NCCL is its own.
    const auto find = [&]<class Call>(Call& call, const char* name) {
      call = reinterpret_cast<Call>(library.find(name));
    };
    find(create, "cusolverMpCreate");
    find(destroy, "cusolverMpDestroy");
    find(create_grid, "cusolverMpCreateDeviceGrid");
    find(destroy_grid, "cusolverMpDestroyGrid");
    find(create_descriptor, "cusolverMpCreateMatrixDesc");
    find(destroy_descriptor, "cusolverMpDestroyMatrixDesc");
    find(syevd_bytes, "cusolverMpSyevd_bufferSize");
    find(syevd, "cusolverMpSyevd");
    find(unique_id, "ncclGetUniqueId");
    find(comm_init, "ncclCommInitRank");
    find(comm_destroy, "ncclCommDestroy");
    find(comm_abort, "ncclCommAbort");
    find(error_string, "ncclGetErrorString");
  } catch (const DeviceError& error) {
    why_not = error.what();
  }
}

void CusolverMp::check(cusolverStatus_t status, const char* call) const {
  if (status != CUSOLVER_STATUS_SUCCESS)
    throw DeviceError(std::string(call) + " failed with cuSOLVER's status " + std::to_string(status));
}

void CusolverMp::check(ncclResult_t result, const char* call) const {
  if (result != ncclSuccess) throw DeviceError(std::string(call) + " failed: " + error_string(result));
}

}  // namespace eigen_g::distributed
