#ifdef EIGEN_G_HAVE_CUDA

#include "apps/bench/energy.hpp"

#include <chrono>
#include <string>

#include "hybrid/cuda_check.hpp"
#include "hybrid/error.hpp"
#include "hybrid/machine/shared_library.hpp"

namespace eigen_g::apps::bench {

namespace {

// The functions of NVML. Each returns 0 for success.
class EnergyCounter {
 public:
  EnergyCounter() {
    check(init_(), "nvmlInit");
    int device = 0;
    char bus[32] = "";
    EIGEN_G_CUDA(cudaGetDevice(&device));
    EIGEN_G_CUDA(cudaDeviceGetPCIBusId(bus, sizeof bus, device));
    check(device_(bus, &gpu_), "nvmlDeviceGetHandleByPciBusId");
  }
  double joules() const {
    unsigned long long millijoules = 0;
    check(energy_(gpu_, &millijoules), "nvmlDeviceGetTotalEnergyConsumption");
    return 1e-3 * static_cast<double>(millijoules);
  }

 private:
  template <class Function>
  Function function(const char* name) const {
    return reinterpret_cast<Function>(library_.find(name));
  }
  void check(int status, const char* call) const {
    if (status != 0) throw DeviceError(std::string(call) + " failed: " + text_(status));
  }

  SharedLibrary library_{{"libnvidia-ml.so.1"}};
  int (*init_)() = function<int (*)()>("nvmlInit_v2");
  int (*device_)(const char*,
                 void**) = function<int (*)(const char*, void**)>("nvmlDeviceGetHandleByPciBusId_v2");
  int (*energy_)(void*, unsigned long long*) =
      function<int (*)(void*, unsigned long long*)>("nvmlDeviceGetTotalEnergyConsumption");
  const char* (*text_)(int) = function<const char* (*)(int)>("nvmlErrorString");
  void* gpu_ = nullptr;
};

}  // namespace

double joules_of(const std::function<void()>& call, double seconds) {
  using Clock = std::chrono::steady_clock;
  static const EnergyCounter counter;
  EIGEN_G_CUDA(cudaDeviceSynchronize());
  const double before = counter.joules();
  const auto start = Clock::now();
  int calls = 0;
  do {
    call();
    EIGEN_G_CUDA(cudaDeviceSynchronize());
    ++calls;
  } while (std::chrono::duration<double>(Clock::now() - start).count() < seconds);
  return (counter.joules() - before) / calls;
}

}  // namespace eigen_g::apps::bench

#endif
