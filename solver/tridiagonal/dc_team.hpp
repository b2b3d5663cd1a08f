// Threads that carry out one act of the divide and conquer together. An act is written once, for any team:
//
//   rank(), size()        this thread's number and how many there are
//   sync()                what any member wrote before it, every member reads after it
//   sum(x), product(x), largest(x)   over the members, the same bits for each of them
//   scan(x, total)        sum of x over the members of lower rank; total over all
//
// On the host the team is one thread; on the device it is some lanes of a warp, a warp or a block (dc_team.cuh).
#pragma once

#include <cstdint>

#include "hybrid/host_device.hpp"

namespace eigen_g::dc {

struct OneThread {
  EIGEN_G_HOST_DEVICE static constexpr std::int32_t rank() { return 0; }
  EIGEN_G_HOST_DEVICE static constexpr std::int32_t size() { return 1; }
  EIGEN_G_HOST_DEVICE static void sync() {}
  template <class R>
  EIGEN_G_HOST_DEVICE static R sum(R x) {
    return x;
  }
  template <class R>
  EIGEN_G_HOST_DEVICE static R product(R x) {
    return x;
  }
  template <class R>
  EIGEN_G_HOST_DEVICE static R largest(R x) {
    return x;
  }
  EIGEN_G_HOST_DEVICE static std::int64_t scan(std::int64_t x, std::int64_t& total) {
    total = x;
    return 0;
  }
};

}  // namespace eigen_g::dc
