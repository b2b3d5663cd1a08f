// The queue of kernels that run under emulation, at once.
#pragma once

namespace eigen_g {

class Queue {
 public:
  static int multiprocessors() { return 3; }
};

}  // namespace eigen_g
