// DynamicShared<T> of a kernel that runs under emulation: the block's shared memory.
#pragma once

#include "tests/support/emulation.hpp"

namespace eigen_g {

template <class T>
struct DynamicShared {
  static T* memory() { return reinterpret_cast<T*>(emulation::shared_of[emulation::block.rank]); }
};

}  // namespace eigen_g
