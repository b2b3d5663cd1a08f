// The Himeno benchmark (himeno.hpp) on one or several GPUs of a machine, by slabs of planes. CUDA builds only.
//
// Each GPU holds a slab of interior planes, and a copy of the neighbouring plane on each side. A sweep has two parts at the same time:
// one stream computes the first and the last plane of the slab and sends them to the neighbours (by peer access if the GPUs have it);
// another stream computes the planes between them.
#pragma once

#include <memory>
#include <vector>

#include "apps/papers/himeno.hpp"

namespace eigen_g::papers {

class HimenoOnDevices {
 public:
  // gpus: numbers of CUDA devices; a device that is named twice holds two slabs. A slab has at least two planes.
  // Throws InvalidArgument (gpus), OutOfMemory, DeviceError.
  HimenoOnDevices(const HimenoGrid& grid, const std::vector<int>& gpus);
  ~HimenoOnDevices();
  // Computes `count` further sweeps and returns gosa of the last one. Blocks.
  double sweep(int count);
  // Seconds of the sweeps of the last call, from the first start to the last end.
  double seconds() const { return seconds_; }

 private:
  struct Slab;
  void sweep_once(bool with_gosa);
  HimenoGrid grid_;
  HimenoLayout layout_;
  std::vector<std::unique_ptr<Slab>> slabs_;
  double seconds_ = 0;
};

}  // namespace eigen_g::papers
