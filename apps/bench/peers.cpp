#ifdef EIGEN_G_HAVE_CUDA

#include "apps/bench/peers.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "hybrid/memory/memory.hpp"

#ifdef EIGEN_G_HAVE_CUSOLVER
#include <cusolverDn.h>
#endif

#define EIGEN_G_CUSOLVER(call) check((call), #call, __FILE__, __LINE__)

namespace eigen_g::apps::bench {

#ifdef EIGEN_G_HAVE_CUSOLVER

namespace {

void check(cusolverStatus_t status, const char* call, const char* file, int line) {
  if (status != CUSOLVER_STATUS_SUCCESS)
    throw_device_error(call, "cuSOLVER status " + std::to_string(static_cast<int>(status)), file, line);
}

class OpenCusolver final : public Cusolver {
 public:
  explicit OpenCusolver(const Queue& queue) : info_(1) {
    EIGEN_G_CUSOLVER(cusolverDnCreate(&handle_));
    EIGEN_G_CUSOLVER(cusolverDnSetStream(handle_, queue.stream()));
    EIGEN_G_CUSOLVER(cusolverDnCreateParams(&parameters_));
  }
  ~OpenCusolver() override {
    if (parameters_) cusolverDnDestroyParams(parameters_);
    if (handle_) cusolverDnDestroy(handle_);
  }

  void choose(bool deterministic) override {
#if CUSOLVER_VERSION >= 11600  // CUDA 12.4
    EIGEN_G_CUSOLVER(cusolverDnSetDeterministicMode(
        handle_, deterministic ? CUSOLVER_DETERMINISTIC_RESULTS : CUSOLVER_ALLOW_NON_DETERMINISTIC_RESULTS));
#else
    if (!deterministic) throw DeviceError("this cuSOLVER has no such mode");
#endif
  }

  std::uint64_t sytrd_bytes(std::int64_t n, double* a, std::int64_t lda) override {
    int count = 0;
    EIGEN_G_CUSOLVER(cusolverDnDsytrd_bufferSize(handle_, lower, size(n), a, size(lda), nullptr, nullptr,
                                                 nullptr, &count));
    return static_cast<std::uint64_t>(count) * sizeof(double);
  }
  std::uint64_t syevd_bytes(bool vectors, std::int64_t n, double* a, std::int64_t lda, double* w) override {
    std::size_t device = 0, host = 0;
    EIGEN_G_CUSOLVER(cusolverDnXsyevd_bufferSize(handle_, parameters_, mode_of(vectors), lower, n, CUDA_R_64F,
                                                 a, lda, CUDA_R_64F, w, CUDA_R_64F, &device, &host));
    host_workspace_.resize(std::max(host_workspace_.size(), host));
    return device;
  }

  void reserve(std::uint64_t device_bytes) override {
    if (device_bytes <= workspace_.bytes()) return;
    release();
    workspace_ = DeviceBuffer<char>(static_cast<std::int64_t>(device_bytes));
  }
  void release() override {
    workspace_ = DeviceBuffer<char>();
  }

  void sytrd(std::int64_t n, double* a, std::int64_t lda, double* d, double* e, double* tau) override {
    EIGEN_G_CUSOLVER(cusolverDnDsytrd(
        handle_, lower, size(n), a, size(lda), d, e, tau, reinterpret_cast<double*>(workspace_.data()),
        size(static_cast<std::int64_t>(workspace_.bytes() / sizeof(double))), info_.data()));
  }
  void syevd(bool vectors, std::int64_t n, double* a, std::int64_t lda, double* w) override {
    EIGEN_G_CUSOLVER(cusolverDnXsyevd(handle_, parameters_, mode_of(vectors), lower, n, CUDA_R_64F, a, lda,
                                      CUDA_R_64F, w, CUDA_R_64F, workspace_.data(), workspace_.bytes(),
                                      host_workspace_.data(), host_workspace_.size(), info_.data()));
  }

 private:
  static constexpr auto lower = CUBLAS_FILL_MODE_LOWER;
  static cusolverEigMode_t mode_of(bool vectors) {
    return vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
  }
  static int size(std::int64_t n) {
    return static_cast<int>(std::min<std::int64_t>(n, std::numeric_limits<int>::max()));
  }
  cusolverDnHandle_t handle_ = nullptr;
  cusolverDnParams_t parameters_ = nullptr;
  DeviceBuffer<char> workspace_;
  DeviceBuffer<int> info_;
  std::vector<char> host_workspace_;
};

}  // namespace

std::unique_ptr<Cusolver> Cusolver::open(const Queue& queue) {
  return std::make_unique<OpenCusolver>(queue);
}
int Cusolver::version() {
  return CUSOLVER_VERSION;
}

#else

std::unique_ptr<Cusolver> Cusolver::open(const Queue&) {
  return nullptr;
}
int Cusolver::version() {
  return 0;
}

#endif

}  // namespace eigen_g::apps::bench

#endif
