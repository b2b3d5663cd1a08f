// The solvers that a distributed call can take, one file each.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "solver/api/types.hpp"
#include "solver/distributed/grid.hpp"

namespace eigen_g::distributed {

// A = Z diag(w) Z^T. A's entries are finite, both triangles are set, and squares of them neither overflow nor vanish.
//   a  n x n, in square blocks, destroyed        w  n values, on every process, out
//   z  n x n in a's layout, its first Outcome::m columns out; with vectors false nothing
struct Task {
  const Grid& grid;
  LocalView a, z;
  double* w = nullptr;
  Subset subset = {};
  bool vectors = true;
  Path path = Path::automatic;
  int scale = 0;  // A was multiplied by 2^scale, which a subset by value is not
};

struct Outcome {
  Status status = Status::converged;
  std::int64_t failed = 0;        // not_converged: the engine's own number
  std::int64_t m = 0, first = 1;  // as in Report; values 1 to m of w
  Path path = Path::one_stage;
  std::string routine;  // that did it: "pdsyevd"
  int gpu = -1;         // CUDA's number of this process' GPU; -1: the CPUs did it
};

struct DistributedEngine {
  const char* name;         // "elpa"
  const char* description;  // for people
  bool two_stages;          // does Path::two_stage
  // Collective. Throws OutOfMemory, DeviceError (what the engine said).
  Outcome (*solve)(const Task& task);
  // Why these processes cannot use it, the same on every one; "": they can. Collective. Null: they always can.
  std::string (*why_not)(MPI_Comm comm) = nullptr;
};

// Those that this build has, the preferred one first.
std::span<const DistributedEngine> distributed_engines();
// Null: not in this build.
const DistributedEngine* find_distributed_engine(const std::string& name);

// Of n values and, with vectors, n columns of z, only those of the subset, brought to the front.
void keep_subset(const Task& task, Outcome& outcome);

}  // namespace eigen_g::distributed
