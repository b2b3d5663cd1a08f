// The Himeno benchmark (himeno.hpp) on one or several GPUs of this machine, by slabs of planes. CUDA builds only.
//
// Each GPU has a slab of interior planes and a plane of its neighbours on either side. A sweep: the slab's first and last plane on
// one stream, which then sends them to the neighbours (peer access where the GPUs have it); the planes between on another stream
// meanwhile.
#pragma once

#include <memory>
#include <vector>

#include "blas2/spmv/himeno.hpp"

namespace eigen_g::blas2 {

class HimenoOnDevices {
 public:
  // gpus: CUDA's numbers, each with at least two planes; one may be named twice (then the slabs share it). Throws
  // InvalidArgument, OutOfMemory, DeviceError.
  HimenoOnDevices(const HimenoGrid& grid, const std::vector<int>& gpus);
  ~HimenoOnDevices();
  // So many further sweeps; gosa of the last one. Blocks.
  double sweep(int count);
  // Seconds of the last call's sweeps, from the first start to the last end.
  double seconds() const { return seconds_; }

 private:
  struct Slab;
  void sweep_once(bool with_gosa);
  HimenoGrid grid_;
  HimenoLayout layout_;
  std::vector<std::unique_ptr<Slab>> slabs_;
  double seconds_ = 0;
};

}  // namespace eigen_g::blas2
