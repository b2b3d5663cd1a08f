// A solve of a matrix in pieces (shards.hpp): the GPUs of the pieces become the team of TeamBackend.
#include "solver/api/shards.hpp"

#include <algorithm>
#include <complex>
#include <string>

#include "hybrid/instantiate.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/driver/arguments.hpp"
#include "solver/driver/frame.hpp"

namespace eigen_g {

namespace {

// The GPU of each piece with columns. Pieces without columns are dropped, because they have no memory.
template <class T>
Pieces<T> located(const std::vector<Shard<T>>& pieces, Argument of) {
  Pieces<T> found;
  for (const Shard<T>& piece : pieces) {
    if (piece.columns == 0) continue;
    require_pointer(piece.data, true, of);
    const MemoryOwner owner = memory_of(piece.data);
    require(owner.type == MemoryType::device, of, "has a piece that is not memory of a GPU");
    found.list.push_back(piece);
    found.gpus.push_back(owner.gpu);
  }
  return found;
}

}  // namespace

template <class T>
Report solve_in_pieces(std::int64_t n, const std::vector<Shard<T>>& a, real_t<T>* w,
                       const std::vector<Shard<T>>& z, const Options& options, const Devices& devices) {
  Plan plan{n, options, devices, Pointers::device};
  plan.devices.gpus = 1;
  check_plan(plan);
  if (n == 0) return {};
  require_gpu();
  CallerMatrices<T> problem;
  problem.a_pieces = located(a, Argument::a);
  problem.z_pieces = located(z, Argument::z);
  problem.w = w;
  std::vector<int>& gpus = plan.gpus_of_pieces;
  const auto has = [&](int gpu) { return std::find(gpus.begin(), gpus.end(), gpu) != gpus.end(); };
  for (const int gpu : problem.a_pieces.gpus)
    if (!has(gpu)) gpus.push_back(gpu);
  require(!gpus.empty(), Argument::a, "has pieces of 0 columns together, must be " + std::to_string(n));
  for (const int gpu : problem.z_pieces.gpus)
    require(has(gpu), Argument::z, "has a piece on GPU " + std::to_string(gpu) + ", which has no piece of a");
  plan.devices.gpus = static_cast<int>(gpus.size());
  problem.stream = problem.a_pieces.list.front().stream;
  const CurrentGpu on(gpus.front());
  return SolveFrame<T>(plan, resources_of_this_thread()).solve(problem);
}

EIGEN_G_INSTANTIATE(all_types, solve_in_pieces);

}  // namespace eigen_g
