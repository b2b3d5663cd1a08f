// The device memory of a planned solve: the caller's, or its own. CUDA builds only.
#pragma once

#include <cstdint>
#include <string>

#include "hybrid/memory/arena.hpp"
#include "hybrid/memory/memory.hpp"
#include "solver/api/solver.hpp"
#include "solver/driver/arguments.hpp"

namespace eigen_g {

class HeldMemory {
 public:
  // The caller's from now on; empty: own memory, taken when it is needed first and kept.
  void use(const Workspace& given) {
    given_ = given;
    if (given.device) let_go();
  }
  bool may_hold(std::uint64_t bytes) const { return !given_.device || given_.device_bytes >= bytes; }
  // Whether arena() takes memory, and lets go of what it has.
  bool would_take(std::uint64_t bytes) const { return !given_.device && held_ < bytes; }
  // `bytes` of it. Throws OutOfMemory, InvalidArgument (workspace).
  Arena arena(const Queue& queue, std::uint64_t bytes) {
    require(
        may_hold(bytes), Argument::workspace,
        "has " + std::to_string(given_.device_bytes) + " bytes, " + std::to_string(bytes) + " are needed");
    if (would_take(bytes)) {
      let_go();
      memory_ = WorkMemory(queue, bytes);
      held_ = bytes;
    }
    return Arena(given_.device ? given_.device : memory_.data(), bytes);
  }

 private:
  void let_go() {
    memory_ = WorkMemory();
    held_ = 0;
  }
  Workspace given_;
  WorkMemory memory_;
  std::uint64_t held_ = 0;
};

}  // namespace eigen_g
