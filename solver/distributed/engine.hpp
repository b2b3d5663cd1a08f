// The solvers that a distributed call can take, one file each.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>

#include "solver/api/types.hpp"
#include "solver/distributed/grid.hpp"

namespace eigen_g::distributed {

// A = Z diag(w) Z^H. A's entries are finite, both triangles are set, a diagonal is real, and squares of entries neither overflow nor
// vanish. T is float, double or std::complex of one.
//   a  n x n, in square blocks, destroyed        w  n values, on every process, out
//   z  n x n in a's layout, its first Outcome::m columns out; with vectors false nothing
template <class T>
struct Task {
  const Grid& grid;
  LocalView<T> a, z;
  real_t<T>* w = nullptr;
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
  // Collective. Throws OutOfMemory, DeviceError (what the engine said). Null: it does not have that type.
  template <class T>
  using Solve = Outcome (*)(const Task<T>& task);
  std::tuple<Solve<double>, Solve<std::complex<double>>, Solve<float>, Solve<std::complex<float>>> solves;

  template <class T>
  Solve<T> solve() const {
    return std::get<Solve<T>>(solves);
  }
  // Why these processes cannot use it, the same on every one; "": they can. Collective. Null: they always can.
  std::string (*why_not)(MPI_Comm comm) = nullptr;
};

// Those that this build has, the preferred one first.
std::span<const DistributedEngine> distributed_engines();
// Null: not in this build.
const DistributedEngine* find_distributed_engine(const std::string& name);

// Of n values and, with vectors, n columns of z, only those of the subset, brought to the front.
template <class T>
void keep_subset(const Task<T>& task, Outcome& outcome);

}  // namespace eigen_g::distributed
