// FullToBandOnTeam, Q^H A Q = B: full_to_band() by a team of GPUs, each with a part of the columns of A (dealt_columns.hpp). A team of one GPU has
// all columns, and the matrix takes 0.55 n^2 values if the part is packed. CUDA builds only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "gemm_df/engines/products.hpp"
#include "hybrid/matrix_view.hpp"
#include "hybrid/memory/arena.hpp"
#include "hybrid/scalar.hpp"
#include "hybrid/team/gpu_team.hpp"
#include "solver/reduction/two_stage/dealt_columns.hpp"

namespace eigen_g {

// The data of one member, in its device memory.
//   products   on the member's queue. Its engine computes the large products
//   part       the member's part of A; columns 16-byte aligned. in: A; the stored rows above the diagonal are in, too. out: rows j + b ... n - 1 of column
//              j <= n - b - 2 hold v_j, beginning with its 1; the rest is undefined
//   band       (b + 1) x n. out, member 0: B(i, j) at (i - j, j) for 0 <= i - j <= b, i < n; the others: undefined
//   tau        n values, out: tau_j of all columns
//   scratch    FullToBandOnTeam::bytes() bytes
//   second_queue  in double, half of the products with A are native ones in a queue of their own, at the same time as the other half
template <class T>
struct BandMember {
  const Products<T>* products = nullptr;
  DealtPart<T> part;
  MatrixView<T> band;
  T* tau = nullptr;
  Arena scratch;
  bool second_queue = true;
};

// A panel is factored by the member that has its columns. The other members copy V and W = V T. Each member multiplies its part of A by W: its
// columns below a strip's diagonal block serve twice, as they are and as the rows of the upper triangle. Each member adds the partial sums of all
// members in their order, and computes Z = A W - ... with the same operations, so that all members have all pending columns.
// Repeated runs with the same number of members and the same GPUs give the same bits.
// Accuracy and cost of a member: as full_to_band(), with 1 / size() of the products with A. Copies to each member: 2 n b elements for every panel of
// another member, and n b elements for every panel from each other member.
// Source: Yamazaki et al. 2013 (partial sums of symmetric products over GPUs).
template <class T>
class FullToBandOnTeam {
 public:
  // b and T as for full_to_band(). deal.parts = team.size(), and deal.width is a multiple of b. `members` in the team's order; what they name must
  // outlive the object, which makes events from the resources of their queues.
  FullToBandOnTeam(GpuTeam& team, const DealtColumns& deal, std::int64_t b,
                   const std::vector<BandMember<T>>& members);
  ~FullToBandOnTeam();
  static std::uint64_t bytes(const DealtColumns& deal, std::int64_t b, int multiprocessors);

  // The work of one member, within GpuTeam::run(); each member calls it once. Ordered on the member's queue: it returns when the work is queued.
  // Waits for the queue once, at the beginning.
  //   progress   called by member 0 with the fraction of the work that is done; member 0 then blocks until the end
  //   reached    as for full_to_band(); its columns are columns of A
  // Throws DeviceError, and as GpuTeam::check().
  void run(int member, const std::function<void(double)>& progress = {},
           const std::function<void(std::int64_t columns)>& reached = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace eigen_g
