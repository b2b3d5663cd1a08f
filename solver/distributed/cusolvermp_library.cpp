#include "solver/distributed/cusolvermp_library.hpp"

#include <dlfcn.h>

#include "hybrid/error.hpp"

namespace eigen_g::distributed {

namespace {

// The first of them that can be loaded, for as long as the process lives.
void* load(const std::string& file, std::string& why_not) {
  for (const std::string& path : {EIGEN_G_CUSOLVERMP_FOLDER + file, file}) {
    if (void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    why_not = dlerror();
  }
  return nullptr;
}

}  // namespace

const CusolverMp& CusolverMp::get() {
  static const CusolverMp library;
  return library;
}

CusolverMp::CusolverMp() {
  void* const library = load("libcusolverMp.so." + std::to_string(CUSOLVERMP_VER_MAJOR), why_not);
  if (!library) return;
  why_not.clear();
  // NCCL's names are found in what cuSOLVERMp was loaded with: its own NCCL.
  const auto find = [&]<class Call>(Call& call, const char* name) {
    call = reinterpret_cast<Call>(dlsym(library, name));
    if (!call && why_not.empty()) why_not = std::string("no ") + name + " in it";
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
}

void CusolverMp::check(cusolverStatus_t status, const char* call) const {
  if (status != CUSOLVER_STATUS_SUCCESS)
    throw DeviceError(std::string(call) + " failed with cuSOLVER's status " + std::to_string(status));
}

void CusolverMp::check(ncclResult_t result, const char* call) const {
  if (result != ncclSuccess) throw DeviceError(std::string(call) + " failed: " + error_string(result));
}

}  // namespace eigen_g::distributed
