// DivideAndConquerEnd: the end of a divide and conquer on a GPU, for a host that waits later. CUDA builds only.
#pragma once

#include "hybrid/stream/queue.hpp"
#include "solver/tridiagonal/dc_device.hpp"

namespace eigen_g {

class DivideAndConquerEnd {
 public:
  explicit DivideAndConquerEnd(Resources& resources) : ready_(resources) {}

  // `findings`: pinned memory, in which a queued kernel stores them. It may not change before finish().
  void record(const Queue& queue, const dc::Findings* findings) {
    ready_.record(queue);
    findings_ = findings;
  }
  // Waits for the divide and conquer alone, and sets status and info. If it did not converge, no pair counts as found.
  void finish(DivideAndConquerResult& result) const {
    if (!findings_) return;
    ready_.wait();
    result = dc::result_of(*findings_, result.found);
  }

 private:
  Event ready_;
  const dc::Findings* findings_ = nullptr;
};

}  // namespace eigen_g
