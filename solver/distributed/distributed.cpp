#include "solver/distributed/distributed.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <limits>
#include <optional>

#include "solver/distributed/engine.hpp"
#include "solver/distributed/generalised.hpp"
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

// The one asked for; else the first that does what is asked for, and can be used. Collective; throws the same on all processes.
template <class T>
const DistributedEngine& engine_of(MPI_Comm comm, const Options& options) {
  const auto has_path = [&](const DistributedEngine& engine) {
    return engine.two_stages || options.path != Path::two_stage;
  };
  if (options.engine == "auto") {
    for (const DistributedEngine& engine : distributed_engines())
      if (engine.solve<T>() && has_path(engine) && why_not(comm, engine).empty()) return engine;
    throw InvalidArgument(Argument::path,
                          "is two stages, which no engine here has for matrices of this type");
  }
  const DistributedEngine& engine = engine_named(options.engine);
  require(engine.solve<T>(), Argument::engine,
          "is " + options.engine + ", which has no matrices of this type");
  require(has_path(engine), Argument::path,
          std::string("is two stages, which ") + engine.name + " does not have");
  if (const std::string reason = why_not(comm, engine); !reason.empty())
    throw DeviceError(options.engine + ": " + reason);
  return engine;
}

// One dimension of the descriptor: 0 rows, 1 columns.
Deal deal_of(const int* descriptor, int dimension, int parts, int part) {
  return {descriptor[2 + dimension], descriptor[4 + dimension], parts, part};
}

template <class T>
LocalView<T> checked_view(const Grid& grid, Argument argument, std::int64_t n, T* data, const int* desc) {
  require(desc[0] == 1, argument, "has a descriptor of type " + std::to_string(desc[0]) + ", must be 1");
  require(desc[1] == grid.context(), argument, "has another BLACS context");
  require(desc[2] == n && desc[3] == n, argument, "has a descriptor that is not n x n");
  require(desc[4] >= 1 && desc[4] == desc[5], argument, "has blocks that are not square");
  require(desc[6] == 0 && desc[7] == 0, argument, "must begin at process (0, 0)");
  const BlockCyclic layout{deal_of(desc, 0, grid.rows(), grid.row()),
                           deal_of(desc, 1, grid.cols(), grid.col())};
  require(desc[8] >= layout.ld(), argument, "has a leading dimension of " + std::to_string(desc[8]));
  require(data || layout.rows.count() * layout.cols.count() == 0, argument, "is null");
  LocalView<T> local{layout, {}, data, desc[8]};
  std::copy_n(desc, local.descriptor.size(), local.descriptor.begin());
  return local;
}

// What a process refuses ends the call on all of them.
template <class Check>
void on_all(MPI_Comm comm, const Check& check) {
  std::optional<InvalidArgument> refused;
  try {
    check();
  } catch (const InvalidArgument& error) {
    refused = error;
  }
  int anywhere = refused ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &anywhere, 1, MPI_INT, MPI_MAX, comm);
  if (refused) throw InvalidArgument(*refused);
  if (anywhere) throw InvalidArgument(Argument::options, "was refused by another process");
}

// What is refused there is refused of b.
template <class Check>
void of_b(const Check& check) {
  try {
    check();
  } catch (const InvalidArgument& error) {
    throw InvalidArgument("b", error.reason());
  }
}

template <class T>
void scale_local(const LocalView<T>& a, int k) {
  if (k == 0) return;
  for (std::int64_t l = 0; l < a.layout.cols.count(); ++l)
    for (std::int64_t i = 0; i < a.layout.rows.count(); ++i) {
      if constexpr (is_complex<T>)
        a(i, l) = {std::ldexp(a(i, l).real(), k), std::ldexp(a(i, l).imag(), k)};
      else
        a(i, l) = std::ldexp(a(i, l), k);
    }
}

// A = Z diag(w) Z^H of the triangle `uplo` of task.a.
template <class T>
void solve_standard(const DistributedEngine& engine, Uplo uplo, Task<T>& task, Report& report) {
  task.scale = scale_exponent(static_cast<real_t<T>>(largest_entry(task.grid.comm(), uplo, task.a)));
  mirror(task.a, uplo);
  scale_local(task.a, task.scale);
  const Outcome outcome = engine.solve<T>()(task);
  scale_values(outcome.m, task.w, -task.scale);
  report.status = outcome.status;
  report.failed = outcome.failed;
  report.m = outcome.m;
  report.first = outcome.first;
  report.path = outcome.path;
  report.routine = outcome.routine;
  report.gpu = outcome.gpu;
}

}  // namespace

std::vector<std::string> engines() {
  std::vector<std::string> names;
  for (const DistributedEngine& engine : distributed_engines()) names.emplace_back(engine.name);
  return names;
}

bool has_engine(const std::string& name, bool single, bool complex) {
  const DistributedEngine* const engine = find_distributed_engine(name);
  if (!engine) return false;
  const auto has = [engine]<class T>(T) { return engine->solve<T>() != nullptr; };
  if (single) return complex ? has(std::complex<float>{}) : has(float{});
  return complex ? has(std::complex<double>{}) : has(double{});
}

std::string why_not(MPI_Comm comm, const std::string& engine) {
  return engine == "auto" ? "" : why_not(comm, engine_named(engine));
}

namespace {

// Checks what both calls are asked for, with a check of the rest, and calls work(engine, task, report).
template <class T, class Check, class Work>
Report call(const Grid& grid, std::int64_t n, T* a, const int* desca, real_t<T>* w, T* z, const int* descz,
            const Options& options, const Check& check, const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  Report report;
  Task<T> task{grid, {}, {}, w, options.subset, options.vectors, options.path};
  const DistributedEngine& engine = engine_of<T>(grid.comm(), options);
  on_all(grid.comm(), [&] {
    require(n >= 0 && n <= std::numeric_limits<int>::max(), Argument::n, "is " + std::to_string(n));
    require(w || n == 0, Argument::w, "is null");
    check_subset(n, options.subset);
    task.a = checked_view(grid, Argument::a, n, a, desca);
    check(task);
    if (!options.vectors) return;
    task.z = checked_view(grid, Argument::z, n, z, descz);
    require(task.z.layout.rows.block == task.a.layout.rows.block && task.z.ld == task.a.ld, Argument::z,
            "must be dealt out as a is, with the same leading dimension");
  });
  report.engine = engine.name;
  if (n > 0) work(engine, task, report);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace

template <class T>
Report eigen_g(MPI_Comm comm, std::int64_t n, T* a, const int* desca, same_t<real_t<T>>* w, same_t<T>* z,
               const int* descz, const Options& options) {
  const Grid grid(comm, desca[1]);
  return call(
      grid, n, a, desca, w, z, descz, options, [](const Task<T>&) {},
      [&](const DistributedEngine& engine, Task<T>& task, Report& report) {
        solve_standard(engine, options.uplo, task, report);
      });
}

template <class T>
Report sygvd(MPI_Comm comm, int itype, std::int64_t n, T* a, const int* desca, same_t<T>* b, const int* descb,
             same_t<real_t<T>>* w, same_t<T>* z, const int* descz, const Options& options) {
  const Grid grid(comm, desca[1]);
  LocalView<T> factor;
  const auto check = [&](const Task<T>& task) {
    if (itype < 1 || itype > 3)
      throw InvalidArgument("itype", "is " + std::to_string(itype) + ", must be 1, 2 or 3");
    of_b([&] {
      factor = checked_view(grid, Argument::other, n, b, descb);
      require(factor.layout.rows.block == task.a.layout.rows.block, Argument::other,
              "must be dealt out as a is");
    });
  };
  return call(grid, n, a, desca, w, z, descz, options, check,
              [&](const DistributedEngine& engine, Task<T>& task, Report& report) {
                largest_entry(comm, options.uplo, task.a);
                of_b([&] { largest_entry(comm, options.uplo, factor); });
                mirror(task.a, options.uplo);
                mirror(factor, options.uplo);
                report.bad_minor = cholesky(factor);
                if (report.bad_minor > 0) {
                  report.status = Status::not_converged;
                  report.failed = n + report.bad_minor;
                  return;
                }
                to_standard_form(itype, task.a, factor);
                try {
                  solve_standard(engine, Uplo::lower, task, report);
                } catch (const NonFiniteEntry&) {
                  throw InvalidArgument(
                      "b", "is so small, or A so large, that the standard form of the problem overflows");
                }
                if (report.status == Status::converged && options.vectors)
                  from_standard_form(itype, factor, task.z, report.m);
              });
}

template Report eigen_g(MPI_Comm, std::int64_t, double*, const int*, double*, double*, const int*,
                        const Options&);
template Report eigen_g(MPI_Comm, std::int64_t, float*, const int*, float*, float*, const int*,
                        const Options&);
template Report eigen_g(MPI_Comm, std::int64_t, std::complex<double>*, const int*, double*,
                        std::complex<double>*, const int*, const Options&);
template Report eigen_g(MPI_Comm, std::int64_t, std::complex<float>*, const int*, float*,
                        std::complex<float>*, const int*, const Options&);
template Report sygvd(MPI_Comm, int, std::int64_t, double*, const int*, double*, const int*, double*, double*,
                      const int*, const Options&);
template Report sygvd(MPI_Comm, int, std::int64_t, float*, const int*, float*, const int*, float*, float*,
                      const int*, const Options&);
template Report sygvd(MPI_Comm, int, std::int64_t, std::complex<double>*, const int*, std::complex<double>*,
                      const int*, double*, std::complex<double>*, const int*, const Options&);
template Report sygvd(MPI_Comm, int, std::int64_t, std::complex<float>*, const int*, std::complex<float>*,
                      const int*, float*, std::complex<float>*, const int*, const Options&);

}  // namespace eigen_g::distributed
