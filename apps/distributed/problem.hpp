// What the processes of a solve are asked for, and what they hold.
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
#include "apps/cli/stopwatch.hpp"
#include "apps/distributed/collective.hpp"
#include "apps/distributed/matrix_source.hpp"
#include "apps/distributed/result_writer.hpp"
#include "hybrid/machine/cpu.hpp"
#include "solver/distributed/distributed.hpp"
#include "solver/distributed/grid.hpp"
#include "solver/distributed/panels.hpp"

namespace eigen_g::apps {

struct DistributedOptions {
  SolveOptions solve;
  std::string engine = "auto";
  int block = 0;                      // 0: by n
  std::vector<std::string> generate;  // KIND N
  std::uint64_t seed = 1;
  bool seed_given = false;
};

// The shape of the grid and its blocks: nearly square, of no more processes than there are blocks in a row and a column.
struct Shape {
  int rows = 1, cols = 1;
  std::int64_t block = 1;
  int processes() const { return rows * cols; }
};
Shape shape_of(std::int64_t n, int processes, int block);

// The processes that hold the matrix, and what they solve.
struct Problem {
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

// Solves, checks and writes, collectively; the report is whole on rank 0. Throw AgreedFailure.
SolveReport solve_standard(const Problem& problem);
GeneralisedFound solve_generalised(const Problem& problem);

MPI_Comm of_host(MPI_Comm comm);  // the processes of it on this process' host

// Of the process with the most, as the system counts it. Collective.
std::uint64_t peak_bytes(MPI_Comm comm);

// The library's options of it, and what the library reports, in the command's terms: into `report`, and the engine and the grid.
distributed::Options options_of(const Problem& problem, Uplo uplo);
Distributed take(const distributed::Report& from, const Shape& shape, Report& report);

// A, B of a generalised problem, and with vectors Z. T is float, double or std::complex of one.
template <class T>
struct Matrices {
  std::optional<distributed::LocalMatrix<T>> a, b, z;
  const distributed::LocalView<T> z_view() const { return z ? view(*z) : distributed::LocalView<T>(); }
};

// Refused before they are touched where the processes of a host have not room for them together.
void require_room(MPI_Comm comm, std::uint64_t bytes);
template <class T>
Matrices<T> allocate(const Problem& problem, const distributed::Grid& grid) {
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

// What a driver holds of either kind of problem: the result's files, which are refused before the work, and the matrices.
template <class T>
struct Held {
  explicit Held(const Problem& p)
      : grid(p.comm, p.shape.rows, p.shape.cols),
        names(result_names(p.options.solve.prefix, ResultFormat::npy, p.vectors())),
        results(p.comm, names, p.a.n(), p.subset.by == Subset::By::value ? 0 : p.subset.most(p.a.n()),
                existing_files(p.options.solve.run.force)),
        m(allocate<T>(p, grid)) {}

  // What was found, where it is asked for, and the names of the files into it. Returns seconds.
  template <class Found>
  std::optional<double> write(const Problem& p, Found& found) {
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

// Names the entry that is not finite, whatever process holds it.
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

// Refuses what is not finite in the triangle. Collective.
template <class T>
void require_finite(MPI_Comm comm, const MatrixSource& source, Uplo uplo,
                    const distributed::LocalView<T>& a) {
  try {
    distributed::largest_entry(comm, uplo, a);
  } catch (const NonFiniteEntry& entry) {
    refuse(comm, source, a, entry);
  }
}

// Calls check(view) of the matrix in double: of itself, or of a copy, for which it is given up where it is not `kept`.
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

// The smallest double after which a T's sum of 1 is not 1: 2^-52, 2^-23.
template <class T>
inline constexpr double ulp_of = std::numeric_limits<real_t<T>>::epsilon();

}  // namespace eigen_g::apps
