#include "hybrid/transfer/peer.hpp"

#include <map>
#include <mutex>
#include <utility>

#include "hybrid/cuda_check.hpp"
#include "hybrid/stream/queue.hpp"

namespace eigen_g {

namespace {

bool enable(int from, int to) {
  int possible = 0;
  if (from == to) return false;
  EIGEN_G_CUDA(cudaDeviceCanAccessPeer(&possible, from, to));
  if (!possible) return false;
  const CurrentGpu here(from);
  const cudaError_t status = cudaDeviceEnablePeerAccess(to, 0);
  if (status == cudaErrorPeerAccessAlreadyEnabled) {  // the program itself enabled it
    static_cast<void>(cudaGetLastError());
  } else {
    EIGEN_G_CUDA(status);
  }
  return true;
}

}  // namespace

bool reach_peer(int from, int to) {
  static std::mutex mutex;
  static std::map<std::pair<int, int>, bool> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find({from, to});
  if (found != known.end()) return found->second;
  return known[{from, to}] = enable(from, to);
}

}  // namespace eigen_g
