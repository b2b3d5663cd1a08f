// The distributed call, under mpirun: every engine, every grid of so many processes (of more than 4 those with two sides), blocks
// that do not divide n, both triangles with the other one poisoned, subsets, values alone, scales, refusals. An argument: of this
// engine alone. Exit code 1 and a line for each case that fails.
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "apps/generate/formula.hpp"
#include "solver/distributed/distributed.hpp"
#include "solver/distributed/grid.hpp"
#include "solver/distributed/panels.hpp"
#include "solver/distributed/verify.hpp"

namespace {

using namespace eigen_g;
using distributed::Grid;
using distributed::LocalMatrix;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Case {
  std::string kind = "minij";
  std::int64_t n = 0, block = 1;
  distributed::Options options;
  double scale = 1;
};

std::string words(const Case& c, const Grid& grid) {
  return c.options.engine + " " + c.kind + " n = " + std::to_string(c.n) + " block " +
         std::to_string(c.block) + " grid " + std::to_string(grid.rows()) + " x " +
         std::to_string(grid.cols()) + " triangle " + static_cast<char>(c.options.uplo) + " subset " +
         std::to_string(c.options.subset.first) + ":" + std::to_string(c.options.subset.last) +
         (c.options.vectors ? "" : " values") + " scale " + std::to_string(c.scale);
}

void fill(const Case& c, const generate::Formula& formula, const distributed::LocalView& a) {
  for (std::int64_t l = 0; l < a.layout.cols.count(); ++l)
    for (std::int64_t k = 0; k < a.layout.rows.count(); ++k) {
      const std::int64_t i = a.layout.rows.global(k), j = a.layout.cols.global(l);
      formula.column(j, i, 1, &a(k, l));
      a(k, l) *= c.scale;
      if (c.options.uplo == Uplo::lower ? i < j : i > j) a(k, l) = nan;
    }
}

// What is wrong, on every process; "": nothing.
std::string fault_of(const Case& c, const Grid& grid) {
  generate::Spec spec;
  spec.kind = c.kind;
  spec.n = c.n;
  const generate::Formula formula = generate::formula_of(spec);
  const distributed::BlockCyclic layout = distributed::layout_of(grid, c.n, c.n, c.block);
  const LocalMatrix a(grid.context(), layout), z(grid.context(), layout);
  std::fill_n(z.data.get(), layout.entries(), nan);
  fill(c, formula, view(a));
  std::vector<double> w(static_cast<std::size_t>(c.n), nan);
  const distributed::Report report =
      distributed::eigen_g(grid.comm(), c.n, a.data.get(), a.descriptor.data(), w.data(), z.data.get(),
                           z.descriptor.data(), c.options);
  if (report.status != Status::converged) return "did not converge: " + std::to_string(report.failed);
  const Subset& subset = c.options.subset;
  if (subset.by == Subset::By::number &&
      (report.m != subset.last - subset.first + 1 || report.first != subset.first))
    return "found " + std::to_string(report.m) + " from " + std::to_string(report.first);
  w.resize(static_cast<std::size_t>(report.m));
  if (const auto exact = generate::exact(spec))
    for (std::int64_t k = 0; k < report.m; ++k) {
      const double error = std::fabs(w[k] / c.scale - (*exact)[report.first - 1 + k]);
      const double limit = static_cast<double>(c.n) * std::numeric_limits<double>::epsilon() * exact->back();
      if (!(error <= limit))
        return "value " + std::to_string(k) + " is off by " + std::to_string(error / limit) + " limits";
    }
  if (!c.options.vectors) return "";
  fill(c, formula, view(a));
  mirror(view(a), c.options.uplo);
  const Verification check = distributed::verify(grid.comm(), view(a), w, view(z));
  if (passed(check)) return "";
  return "residual " + std::to_string(check.lapack_residual) + ", orthogonality " +
         std::to_string(check.lapack_orthogonality);
}

// A NaN in the triangle, on one process: named on all, before any work.
std::string fault_of_refusal(const Grid& grid) {
  Case c{"random", 40, 3, {}, 1};
  c.options.engine = "scalapack";
  generate::Spec spec;
  spec.n = c.n;
  const LocalMatrix a(grid.context(), distributed::layout_of(grid, c.n, c.n, c.block));
  fill(c, generate::formula_of(spec), view(a));
  const distributed::Deal &rows = a.layout.rows, &cols = a.layout.cols;
  if (30 / rows.block % rows.parts == rows.part && 20 / cols.block % cols.parts == cols.part)
    view(a)(rows.below(30), cols.below(20)) = nan;
  std::vector<double> w(40);
  try {
    const distributed::Report report =
        distributed::eigen_g(grid.comm(), c.n, a.data.get(), a.descriptor.data(), w.data(), nullptr,
                             a.descriptor.data(), c.options);
    return "null z: no refusal, m = " + std::to_string(report.m);
  } catch (const NonFiniteEntry&) {
    return "null z: the entry was looked at first";
  } catch (const InvalidArgument&) {
  }
  c.options.vectors = false;
  try {
    const distributed::Report report = distributed::eigen_g(
        grid.comm(), c.n, a.data.get(), a.descriptor.data(), w.data(), nullptr, nullptr, c.options);
    return "NaN: no refusal, m = " + std::to_string(report.m);
  } catch (const NonFiniteEntry& entry) {
    return entry.row() == 30 && entry.col() == 20 ? "" : std::string("NaN: ") + entry.what();
  }
}

// An engine that cannot be used here says so on all processes; auto takes another one.
std::string fault_of_unusable(const Grid& grid, const std::string& engine) {
  Case c{"minij", 6, 1, {}, 1};
  c.options.vectors = false;
  const LocalMatrix a(grid.context(), distributed::layout_of(grid, c.n, c.n, c.block));
  std::vector<double> w(6);
  const auto solve = [&] {
    generate::Spec spec;
    spec.kind = c.kind;
    spec.n = c.n;
    fill(c, generate::formula_of(spec), view(a));
    return distributed::eigen_g(grid.comm(), c.n, a.data.get(), a.descriptor.data(), w.data(), nullptr,
                                nullptr, c.options);
  };
  if (solve().engine == engine) return "auto takes it";
  c.options.engine = engine;
  try {
    return "no refusal, m = " + std::to_string(solve().m);
  } catch (const DeviceError& error) {
    return std::string(error.what()).rfind(engine + ": process ", 0) == 0 ? "" : error.what();
  }
}

std::vector<Case> cases_of(const std::string& engine, int rows, int cols) {
  std::vector<Case> cases;
  const auto add = [&](Case c) {
    c.options.engine = engine;
    // Each process has a block of rows and one of columns, as eigen_g_mpi chooses grids.
    if ((c.n + c.block - 1) / c.block >= std::max(rows, cols)) cases.push_back(c);
  };
  // ScaLAPACK sends messages column by column, which costs where there are more processes than processors.
  for (const auto& [n, block] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 1}, {2, 1}, {3, 2}, {17, 4}, {40, 7}, {70, 16}})
    for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
      if (n > 50 && engine == "scalapack") continue;
      Case c{n % 2 ? "minij" : "random", n, block, {}, 1};
      c.options.uplo = uplo;
      add(c);
    }
  Case subset{"minij", 33, 4, {}, 1};
  for (const auto& [first, last] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 12}, {14, 27}, {33, 33}}) {
    subset.options.subset = Subset::numbers(first, last);
    add(subset);
  }
  subset.options.vectors = false;
  add(subset);
  Case large{"wilkinson", 21, 3, {}, 0x1p900};
  add(large);
  Case small{"1-2-1", 30, 4, {}, 0x1p-900};
  add(small);
  if (engine != "scalapack" && rows * cols <= 4) {
    Case two{"random", 500, 64, {}, 1};
    add(two);
    if (engine == "cusolvermp") {
      for (const auto& [n, block] :
           std::vector<std::pair<std::int64_t, std::int64_t>>{{131, 32}, {257, 50}, {499, 128}})
        add({"random", n, block, {}, 1});
      return cases;
    }
    two.options.path = Path::two_stage;
    add(two);
  }
  return cases;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 1, faults = 0, done = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const auto tell = [&](const std::string& what, const std::string& fault) {
    ++done;
    if (fault.empty()) return;
    ++faults;
    if (rank == 0) std::printf("FAILED: %s: %s\n", what.c_str(), fault.c_str());
  };
  for (int rows = 1; rows <= size; ++rows) {
    if (size % rows != 0 || (size > 4 && (rows == 1 || rows == size))) continue;
    const Grid grid(MPI_COMM_WORLD, rows, size / rows);
    tell("refusals", fault_of_refusal(grid));
    for (const std::string& engine : distributed::engines()) {
      if (argc > 1 && engine != argv[1]) continue;
      if (const std::string reason = distributed::why_not(MPI_COMM_WORLD, engine); !reason.empty()) {
        tell(engine, fault_of_unusable(grid, engine));
        if (rank == 0) std::printf("skipped: %s: %s\n", engine.c_str(), reason.c_str());
        continue;
      }
      for (const Case& c : cases_of(engine, grid.rows(), grid.cols()))
        tell(words(c, grid), fault_of(c, grid));
    }
  }
  if (rank == 0) std::printf("%d cases, %d failed\n", done, faults);
  MPI_Finalize();
  return faults > 0 || done < 10;
}
