#include "solver/distributed/distributed.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "solver/distributed/engine.hpp"
#include "solver/distributed/panels.hpp"
#include "solver/distributed/scalapack_calls.hpp"
#include "solver/prepare/scale.hpp"
#include "solver/prepare/subset.hpp"

namespace eigen_g::distributed {

namespace {

void require(bool met, Argument argument, const std::string& reason) {
  if (!met) throw InvalidArgument(argument, reason);
}

const DistributedEngine& engine_named(const std::string& name) {
  const DistributedEngine* const engine = find_distributed_engine(name);
  std::string known;
  for (const std::string& other : engines()) known += " " + other;
  require(engine, Argument::engine, "is " + name + "; this build has" + known);
  return *engine;
}

std::string why_not(MPI_Comm comm, const DistributedEngine& engine) {
  return engine.why_not ? engine.why_not(comm) : "";
}

// The one asked for; else the first that does what is asked for, and can be used. Collective.
const DistributedEngine& engine_of(MPI_Comm comm, const Options& options) {
  if (options.engine == "auto") {
    for (const DistributedEngine& engine : distributed_engines())
      if ((options.path != Path::two_stage || engine.two_stages) && why_not(comm, engine).empty())
        return engine;
    throw InvalidArgument(Argument::path, "is two stages, which no engine of this build has");
  }
  const DistributedEngine& engine = engine_named(options.engine);
  require(options.path != Path::two_stage || engine.two_stages, Argument::path,
          std::string("is two stages, which ") + engine.name + " does not have");
  if (const std::string reason = why_not(comm, engine); !reason.empty())
    throw DeviceError(options.engine + ": " + reason);
  return engine;
}

// One dimension of the descriptor: 0 rows, 1 columns.
Deal deal_of(const int* descriptor, int dimension, int parts, int part) {
  return {descriptor[2 + dimension], descriptor[4 + dimension], parts, part};
}

LocalView checked_view(const Grid& grid, Argument argument, std::int64_t n, double* data, const int* desc) {
  require(desc[0] == 1, argument, "has a descriptor of type " + std::to_string(desc[0]) + ", must be 1");
  require(desc[1] == grid.context(), argument, "has another BLACS context");
  require(desc[2] == n && desc[3] == n, argument, "has a descriptor that is not n x n");
  require(desc[4] >= 1 && desc[4] == desc[5], argument, "has blocks that are not square");
  require(desc[6] == 0 && desc[7] == 0, argument, "must begin at process (0, 0)");
  const BlockCyclic layout{deal_of(desc, 0, grid.rows(), grid.row()),
                           deal_of(desc, 1, grid.cols(), grid.col())};
  require(desc[8] >= layout.ld(), argument, "has a leading dimension of " + std::to_string(desc[8]));
  require(data || layout.rows.count() * layout.cols.count() == 0, argument, "is null");
  LocalView local{layout, {}, data, desc[8]};
  std::copy_n(desc, local.descriptor.size(), local.descriptor.begin());
  return local;
}

// What a process refuses ends the call on all of them.
template <class Check>
void on_all(MPI_Comm comm, const Check& check) {
  int refused = 0;
  std::string reason;
  Argument argument = Argument::other;
  try {
    check();
  } catch (const InvalidArgument& error) {
    refused = 1;
    reason = error.reason();
    argument = error.argument();
  }
  int anywhere = refused;
  MPI_Allreduce(MPI_IN_PLACE, &anywhere, 1, MPI_INT, MPI_MAX, comm);
  if (refused) throw InvalidArgument(argument, reason);
  if (anywhere) throw InvalidArgument(Argument::options, "was refused by another process");
}

// Largest entry of the triangle. Throws NonFiniteEntry for the first one in the order of columns that is not finite.
double largest_entry(MPI_Comm comm, Uplo uplo, const LocalView& a) {
  const std::int64_t n = a.layout.rows.n, rows = a.layout.rows.count(), cols = a.layout.cols.count();
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  enum { nan, infinite, minus_infinite, kinds };
  double largest = 0;
  std::int64_t worst = none;  // (j n + i) kinds + kind
  for (std::int64_t l = 0; l < cols && worst == none; ++l)
    for (std::int64_t k = 0; k < rows && worst == none; ++k) {
      const std::int64_t i = a.layout.rows.global(k), j = a.layout.cols.global(l);
      if (uplo == Uplo::lower ? i < j : i > j) continue;
      const double x = a(k, l);
      if (std::isfinite(x))
        largest = std::max(largest, std::fabs(x));
      else
        worst = (j * n + i) * kinds + (std::isnan(x) ? nan : x > 0 ? infinite : minus_infinite);
    }
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, comm);
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT64_T, MPI_MIN, comm);
  if (worst == none) return largest;
  constexpr double values[] = {std::numeric_limits<double>::quiet_NaN(),
                               std::numeric_limits<double>::infinity(),
                               -std::numeric_limits<double>::infinity()};
  throw NonFiniteEntry(worst / kinds % n, worst / kinds / n, values[worst % kinds]);
}

void scale_local(const LocalView& a, int k) {
  if (k == 0) return;
  for (std::int64_t l = 0; l < a.layout.cols.count(); ++l)
    for (std::int64_t i = 0; i < a.layout.rows.count(); ++i) a(i, l) = std::ldexp(a(i, l), k);
}

}  // namespace

std::vector<std::string> engines() {
  std::vector<std::string> names;
  for (const DistributedEngine& engine : distributed_engines()) names.emplace_back(engine.name);
  return names;
}

bool has_engine(const std::string& name) {
  return find_distributed_engine(name) != nullptr;
}

std::string why_not(MPI_Comm comm, const std::string& engine) {
  return engine == "auto" ? "" : why_not(comm, engine_named(engine));
}

Report eigen_g(MPI_Comm comm, std::int64_t n, double* a, const int* desca, double* w, double* z,
               const int* descz, const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  Report report;
  const Grid grid(comm, desca[1]);
  Task task{grid, {}, {}, w, options.subset, options.vectors, options.path};
  const DistributedEngine& engine = engine_of(comm, options);
  on_all(comm, [&] {
    require(n >= 0 && n <= std::numeric_limits<int>::max(), Argument::n, "is " + std::to_string(n));
    require(w || n == 0, Argument::w, "is null");
    check_subset(n, options.subset);
    task.a = checked_view(grid, Argument::a, n, a, desca);
    if (!options.vectors) return;
    task.z = checked_view(grid, Argument::z, n, z, descz);
    require(task.z.layout.rows.block == task.a.layout.rows.block && task.z.ld == task.a.ld, Argument::z,
            "must be dealt out as a is, with the same leading dimension");
  });
  report.engine = engine.name;
  if (n == 0) return report;

  task.scale = scale_exponent(largest_entry(comm, options.uplo, task.a));
  mirror(task.a, options.uplo);
  scale_local(task.a, task.scale);
  const Outcome outcome = engine.solve(task);
  scale_values(outcome.m, w, -task.scale);
  report.status = outcome.status;
  report.failed = outcome.failed;
  report.m = outcome.m;
  report.first = outcome.first;
  report.path = outcome.path;
  report.routine = outcome.routine;
  report.gpu = outcome.gpu;
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace eigen_g::distributed
