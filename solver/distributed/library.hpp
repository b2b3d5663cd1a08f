// DistributedLibrary: a library that solves a distributed matrix, with its argument LocalProblem and its result LibraryResult. Each library has one file.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>

#include "solver/api/types.hpp"
#include "solver/distributed/grid.hpp"

namespace eigen_g::distributed {

// A = Z diag(w) Z^H. A's entries are finite and both triangles are set. The diagonal is real. Squares of entries neither overflow nor
// underflow. T is float, double, std::complex<float> or std::complex<double>.
//   a  n x n, in square blocks, in, destroyed
//   w  n values, on every process, out
//   z  n x n in a's layout, out: its first LibraryResult::m columns; not used if vectors is false
template <class T>
struct LocalProblem {
  const Grid& grid;
  LocalView<T> a, z;
  real_t<T>* w = nullptr;
  Subset subset = {};
  bool vectors = true;
  Path path = Path::automatic;
  int scale = 0;  // A was multiplied by 2^scale; a subset by value refers to A before that
};

struct LibraryResult {
  Status status = Status::converged;
  std::int64_t info = 0;                // if not converged: the library's own info
  std::int64_t m = 0, first_index = 1;  // as in Report; the first m values of w are the values found
  Path path = Path::one_stage;
  std::string routine;  // name of the routine, such as "pdsyevd"
  int gpu = -1;         // CUDA's number of this process's GPU; -1: the CPUs worked
};

struct DistributedLibrary {
  const char* name;         // name of the option, such as "elpa"
  const char* description;  // text for users
  bool two_stages;          // true: it has Path::two_stage
  // Collective. Throws OutOfMemory, DeviceError (the library's error). Null: the library does not have this type.
  template <class T>
  using Solve = LibraryResult (*)(const LocalProblem<T>& task);
  std::tuple<Solve<double>, Solve<std::complex<double>>, Solve<float>, Solve<std::complex<float>>> solves;

  template <class T>
  Solve<T> solve() const {
    return std::get<Solve<T>>(solves);
  }
  // Returns the reason why these processes cannot use the library, equal on every process; empty: they can. Collective. Null pointer: they
  // always can.
  std::string (*why_not)(MPI_Comm comm) = nullptr;
};

// The libraries of this build, the preferred one first.
std::span<const DistributedLibrary> distributed_libraries();
// Returns null if this build does not have the library.
const DistributedLibrary* find_distributed_library(const std::string& name);

// Moves the pairs of the subset to the front of the n values and, with vectors, of the n columns of z. Sets outcome.m and outcome.first_index.
template <class T>
void keep_subset(const LocalProblem<T>& task, LibraryResult& outcome);

}  // namespace eigen_g::distributed
