// The options and the data of a solve by several processes, and the functions that both kinds of problem share.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "apps/cli/generalised_report.hpp"
#include "apps/cli/solve_options.hpp"
#include "apps/distributed/collective.hpp"
#include "apps/distributed/matrix_source.hpp"
#include "apps/distributed/result_writer.hpp"
#include "apps/support/stopwatch.hpp"
#include "hybrid/machine/cpu.hpp"
#include "solver/distributed/distributed.hpp"
#include "solver/distributed/grid.hpp"
#include "solver/distributed/panels.hpp"

namespace eigen_g::apps {

struct DistributedOptions {
  SolveOptions solve;
  std::string library = "auto";
  int block = 0;                      // rows and columns of a block; 0: chosen from n
  std::vector<std::string> generate;  // KIND N
  std::uint64_t seed = 1;
  bool seed_given = false;
};

// Process grid and block size. The grid is nearly square and has no more rows and columns than the matrix has block rows.
struct Shape {
  int rows = 1, cols = 1;
  std::int64_t block = 1;
  int processes() const { return rows * cols; }
};
Shape shape_of(std::int64_t n, int processes, int block);

// The problem of one solve, as each of the processes in `comm` sees it. They hold the matrix.
struct DistributedSolve {
  MPI_Comm comm;
  const DistributedOptions& options;
  Shape shape;
  MatrixSource& a;
  MatrixSource* b;  // null: a standard problem
  io::ScalarType type;
  Subset subset;
  Progress& progress;
  int threads;
  bool vectors() const { return !options.solve.values_only; }
};

// Solve, verify and write, collectively. The report is complete on rank 0 only. Both throw AgreedFailure.
SolveReport solve_standard(const DistributedSolve& problem);
GeneralisedFound solve_generalised(const DistributedSolve& problem);

MPI_Comm node_communicator(MPI_Comm comm);  // the processes of `comm` on this node

// Memory of the process that used the most, as the system reports it. Collective.
std::uint64_t peak_bytes(MPI_Comm comm);

// options_of(): the library call's options. take(): copies the library's results into `report`, and returns the facts about the
// library and the process grid.
distributed::Options options_of(const DistributedSolve& problem, Uplo uplo);
Distributed take(const distributed::Report& from, const Shape& shape, Report& report);

// A; B of a generalised problem; Z if vectors are wanted. T is float, double, std::complex<float> or std::complex<double>.
template <class T>
struct Matrices {
  std::optional<distributed::LocalMatrix<T>> a, b, z;
  const distributed::LocalView<T> z_view() const { return z ? view(*z) : distributed::LocalView<T>(); }
};

// Throws before any memory is touched if the node has too little memory for all of its processes together. Collective.
void require_room(MPI_Comm comm, std::uint64_t bytes);
template <class T>
Matrices<T> allocate(const DistributedSolve& problem, const distributed::Grid& grid) {
  const std::int64_t n = problem.a.n();
  const distributed::BlockCyclic layout = distributed::layout_of(grid, n, n, problem.shape.block);
  Matrices<T> m;
  const int count = 1 + (problem.b ? 1 : 0) + (problem.vectors() ? 1 : 0);
  require_room(problem.comm, static_cast<std::uint64_t>(layout.entries()) * sizeof(T) * count);
  agree(problem.comm, [&] {
    m.a.emplace(grid.context(), layout);
    if (problem.b) m.b.emplace(grid.context(), layout);
    if (problem.vectors()) m.z.emplace(grid.context(), layout);
  });
  return m;
}

// The data that both kinds of problem need: the process grid, the result files (opened before the work) and the matrices.
template <class T>
struct Held {
  explicit Held(const DistributedSolve& p)
      : grid(p.comm, p.shape.rows, p.shape.cols),
        names(result_names(p.options.solve.prefix, ResultFormat::npy, p.vectors())),
        results(p.comm, names, p.a.n(), p.subset.by == Subset::By::value ? 0 : p.subset.max_count(p.a.n()),
                existing_files(p.options.solve.run.force)),
        m(allocate<T>(p, grid)) {}

  // Writes the results if -o is given, and stores the files' names in `found`. Returns the seconds it took.
  template <class Found>
  std::optional<double> write(const DistributedSolve& p, Found& found) {
    if (p.options.solve.prefix.empty()) return std::nullopt;
    const Stopwatch writing;
    p.progress.at("write");
    const distributed::LocalView<T> z = m.z_view();
    results.write(found.values, m.z ? &z : nullptr);
    results.commit();
    found.values_file = names.values;
    found.vectors_file = names.vectors;
    return writing.seconds();
  }

  distributed::Grid grid;
  ResultNames names;
  ResultWriter<T> results;
  Matrices<T> m;
};

// Throws the error for an entry that is NaN or infinite; any process may hold the entry. Collective.
template <class T>
[[noreturn]] void refuse(MPI_Comm comm, const MatrixSource& source, const distributed::LocalView<T>& a,
                         const NonFiniteEntry& entry) {
  const distributed::Deal &rows = a.layout.rows, &cols = a.layout.cols;
  const bool here = entry.row() / rows.block % rows.parts == rows.part &&
                    entry.col() / cols.block % cols.parts == cols.part;
  const T found = here ? a(rows.below(entry.row()), cols.below(entry.col())) : T{};
  double value = std::isfinite(std::real(found)) ? std::imag(found) : std::real(found);
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, comm);
  agree(comm, [&] { throw source.not_finite(entry.row(), entry.col(), value); });
  throw entry;  // not reached: agree() has thrown
}

// Throws for a NaN or an infinity in the triangle. Collective.
template <class T>
void require_finite(MPI_Comm comm, const MatrixSource& source, Uplo uplo,
                    const distributed::LocalView<T>& a) {
  try {
    distributed::largest_entry(comm, uplo, a);
  } catch (const NonFiniteEntry& entry) {
    refuse(comm, source, a, entry);
  }
}

// Calls check(view) with the matrix in double: the matrix itself, or a converted copy. After a copy the matrix is freed unless `kept`.
template <class T, class Check>
void in_double(MPI_Comm comm, std::optional<distributed::LocalMatrix<T>>& m, bool kept, const Check& check) {
  using W = std::conditional_t<is_complex<T>, std::complex<double>, double>;
  if constexpr (std::is_same_v<T, W>) {
    check(view(*m));
  } else {
    std::optional<distributed::LocalMatrix<W>> wide;
    const std::int64_t entries = m->layout.entries();
    agree(comm, [&] { wide.emplace(m->descriptor[1], m->layout); });
    std::copy_n(m->data.get(), entries, wide->data.get());
    if (!kept) m.reset();
    check(view(*wide));
  }
}

// Distance from 1 to the next larger T: 2^-52 or 2^-23.
template <class T>
inline constexpr double ulp_of = std::numeric_limits<real_t<T>>::epsilon();

}  // namespace eigen_g::apps
