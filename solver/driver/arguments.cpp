#include "solver/driver/arguments.hpp"

#include <algorithm>
#include <limits>

#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/team/split.hpp"
#include "solver/devices/tuning.hpp"

namespace eigen_g {

void require(bool good, ArgumentName argument, const std::string& what) {
  if (good) return;
  if (argument.argument == Argument::other) throw InvalidArgument(argument.text, what);
  throw InvalidArgument(argument.argument, what);
}

void require(bool good, ArgumentName argument, std::int64_t is, const std::string& must) {
  require(good, argument, "is " + std::to_string(is) + ", " + must);
}

void require_workspace(std::uint64_t has_bytes, std::uint64_t needed_bytes) {
  require(has_bytes >= needed_bytes, Argument::workspace,
          "has " + std::to_string(has_bytes) + " bytes, " + std::to_string(needed_bytes) + " are needed");
}

void require_size(std::int64_t n, ArgumentName argument) {
  require(n >= 0, argument, n, "must not be negative");
  require(n <= largest_order, argument, n, "must be at most " + std::to_string(largest_order));
}

void require_uplo(Uplo uplo) {
  require(uplo == Uplo::lower || uplo == Uplo::upper, Argument::uplo, "is neither lower nor upper");
}

void require_pointer(const void* p, bool needed, ArgumentName argument) {
  require(p || !needed, argument, "is null");
}

void require_leading_dimension(std::int64_t ld, std::int64_t n, ArgumentName argument) {
  const std::int64_t least = std::max<std::int64_t>(1, n);
  require(ld >= least, argument, ld, "must be at least max(1, n) = " + std::to_string(least));
  require(ld <= std::numeric_limits<std::int64_t>::max() / 16 / least, argument,
          "is " + std::to_string(ld) + "; the matrix would reach beyond all addresses");
}

void require_on_gpu(std::initializer_list<NamedPointer> pointers) {
  require_gpu();
  for (const auto& [argument, p] : pointers) {
    if (!p) continue;
    const MemoryOwner owner = memory_of(p);
    require(owner.type != MemoryType::unregistered || gpu_reads_all_host_memory(), argument,
            "is host memory; device() is for memory of a GPU");
    require(owner.type != MemoryType::device || owner.gpu == current_gpu(), argument,
            "is memory of GPU " + std::to_string(owner.gpu) + ", the current one is " +
                std::to_string(current_gpu()));
  }
}

void require_on_host(std::initializer_list<NamedPointer> pointers) {
  for (const auto& [argument, p] : pointers)
    require(!p || !is_gpu_memory(p), argument, "is device memory; pass it as device(p)");
}

void require_in_memory(Pointers pointers, std::initializer_list<NamedPointer> named) {
  pointers == Pointers::host ? require_on_host(named) : require_on_gpu(named);
}

void require_gpus(int gpus) {
  const int there = gpus > 1 ? gpu_count() : 1;
  require(gpus <= std::max(1, there), Argument::gpus,
          "is " + std::to_string(gpus) + "; this machine has " + std::to_string(there) +
              (there == 1 ? " GPU" : " GPUs"));
}

std::vector<int> helper_gpus(int gpus) {
  require_gpus(gpus);
  const int here = current_gpu();
  std::vector<int> further;
  for (int gpu = 0; static_cast<int>(further.size()) + 1 < gpus; ++gpu)
    if (gpu != here) further.push_back(gpu);
  return further;
}

void check_devices(const Devices& d) {
  require(
      d.device == DeviceChoice::automatic || d.device == DeviceChoice::cpu || d.device == DeviceChoice::gpu,
      Argument::device, "must be automatic, cpu or gpu");
  require(d.gpus >= 0, Argument::gpus, d.gpus, "must not be negative");
  require(d.gpus > 0 || d.ratio.automatic(), Argument::ratio,
          to_text(d.ratio) + " must be automatic, because gpus is 0");
  require(d.multiprocessors >= 0, Argument::multiprocessors, d.multiprocessors, "must not be negative");
  require_threads(d.threads);
  if (!d.ratio.automatic()) {
    const std::size_t count = static_cast<std::size_t>(d.gpus) + 1;
    require(d.ratio.shares.size() == count, Argument::ratio,
            to_text(d.ratio) + " has " + std::to_string(d.ratio.shares.size()) + " shares; there are " +
                std::to_string(count) +
                " devices: " + (d.gpus == 1 ? "the GPU" : std::to_string(d.gpus) + " GPUs") + " and the CPU");
    split_columns(0, d.ratio.shares);  // throws if one is not a valid share
  }
  if (d.device != DeviceChoice::cpu) return;
  require(d.ratio.automatic(), Argument::ratio,
          to_text(d.ratio) + " must be automatic, because the device is the CPU");
  require(d.gpus <= 1, Argument::gpus, d.gpus, "must be 1, because the device is the CPU");
  require(d.multiprocessors == 0, Argument::multiprocessors, d.multiprocessors,
          "must be 0, because the device is the CPU");
}

bool use_gpu(DeviceChoice device, std::int64_t n) {
  if (device == DeviceChoice::cpu) return false;
  if (device == DeviceChoice::automatic) return gpu_count() > 0 && n >= solver_tuning().min_order_on_gpu;
  require_gpu();
  return true;
}

}  // namespace eigen_g
