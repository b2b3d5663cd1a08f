// The divide and conquer on the CPU.
#include "solver/tridiagonal/divide_and_conquer.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "hybrid/instantiate.hpp"
#include "hybrid/team/loops.hpp"
#include "solver/api/argument.hpp"
#include "solver/tridiagonal/dc_on_threads.hpp"

namespace eigen_g {

namespace {

// The deflation counts three kinds of entries in 21 bits each.
constexpr std::int64_t largest_order = (std::int64_t{1} << 21) - 1;

// More threads than these do not pay.
int threads_for(std::int64_t n) {
  if (n < 150) return 1;
  return std::min(loop_threads(), n < 300 ? 4 : n < 1500 ? 16 : std::numeric_limits<int>::max());
}

}  // namespace

template <class R>
std::uint64_t divide_and_conquer_bytes_on_cpu(std::int64_t n, bool with_vectors, std::int64_t most) {
  if (n > largest_order)
    throw InvalidArgument(Argument::n, "is " + std::to_string(n) +
                                           "; the divide and conquer on the CPU takes at most " +
                                           std::to_string(largest_order));
  return bytes_taken(
      [&](Arena& arena) { typename dc::OnThreads<R>::Workspace(arena, n, with_vectors, most); });
}

template <class R>
DivideAndConquerResult divide_and_conquer_on_cpu(std::int64_t n, R* d, R* e, MatrixView<same_t<R>> z,
                                                 Arena scratch, const Selection& selection) {
  if (n == 0) return {};
  std::vector<R> torn_d(d, d + n), torn_e(e, e + n - 1);
  const dc::Division division = dc::divide(torn_d, torn_e);
  if (division.not_finite >= 0) return {Status::not_converged, division.not_finite + 1, {}};
  const typename dc::OnThreads<R>::Workspace own(scratch, n, z.data != nullptr,
                                                 selection.subset.max_count(n));
  dc::OnThreads<R> on(division.tree, torn_d, torn_e, d, z, own, threads_for(n));
  return dc::solve_levels(on, division, static_cast<dc::Index>(n), dc::Rows{z.data != nullptr}, selection);
}

EIGEN_G_INSTANTIATE(real_types, divide_and_conquer_on_cpu, divide_and_conquer_bytes_on_cpu);

}  // namespace eigen_g
