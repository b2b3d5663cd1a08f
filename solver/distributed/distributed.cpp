// The calls on distributed matrices: check the arguments, choose the library, scale, solve and unscale.
#include "solver/distributed/distributed.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <limits>
#include <optional>

#include "hybrid/instantiate.hpp"
#include "solver/distributed/generalised.hpp"
#include "solver/distributed/library.hpp"
#include "solver/distributed/panels.hpp"
#include "solver/distributed/scalapack_calls.hpp"
#include "solver/prepare/scale.hpp"
#include "solver/prepare/subset.hpp"

namespace eigen_g::distributed {

namespace {

void require(bool met, Argument argument, const std::string& reason) {
  if (!met) throw InvalidArgument(argument, reason);
}

const DistributedLibrary& library_named(const std::string& name) {
  const DistributedLibrary* const library = find_distributed_library(name);
  std::string known;
  for (const std::string& other : libraries()) known += " " + other;
  require(library, Argument::library, "is " + name + ", must be one of" + known);
  return *library;
}

std::string why_not(MPI_Comm comm, const DistributedLibrary& library) {
  return library.why_not ? library.why_not(comm) : "";
}

// Returns the library that was asked for. With "auto" it is the first one that can do the call and can be used. Collective; all processes
// throw the same exception.
template <class T>
const DistributedLibrary& library_of(MPI_Comm comm, const Options& options) {
  const auto has_path = [&](const DistributedLibrary& library) {
    return library.two_stages || options.path != Path::two_stage;
  };
  if (options.library == "auto") {
    for (const DistributedLibrary& library : distributed_libraries())
      if (library.solve<T>() && has_path(library) && why_not(comm, library).empty()) return library;
    throw InvalidArgument(
        Argument::path, "is two_stage; no library here has it for this type; must be automatic or one_stage");
  }
  const DistributedLibrary& library = library_named(options.library);
  require(library.solve<T>(), Argument::library,
          "is " + options.library + ", which does not support matrices of this type");
  require(has_path(library), Argument::path,
          std::string("is two_stage; must be automatic or one_stage, because ") + library.name +
              " does not have it");
  if (const std::string reason = why_not(comm, library); !reason.empty())
    throw DeviceError(options.library + ": " + reason);
  return library;
}

// One dimension of the descriptor; 0: rows, 1: columns.
Deal deal_of(const int* descriptor, int dimension, int parts, int part) {
  return {descriptor[2 + dimension], descriptor[4 + dimension], parts, part};
}

template <class T>
LocalView<T> checked_view(const Grid& grid, Argument argument, std::int64_t n, T* data, const int* desc) {
  require(desc[0] == 1, argument, "has a descriptor of type " + std::to_string(desc[0]) + ", must be 1");
  require(desc[1] == grid.context(), argument, "must have the BLACS context of a");
  require(desc[2] == n && desc[3] == n, argument, "must have a descriptor of an n x n matrix");
  require(desc[4] >= 1 && desc[4] == desc[5], argument, "must have square blocks");
  require(desc[6] == 0 && desc[7] == 0, argument, "must begin at process (0, 0)");
  const BlockCyclic layout{deal_of(desc, 0, grid.rows(), grid.row()),
                           deal_of(desc, 1, grid.cols(), grid.col())};
  require(desc[8] >= layout.ld(), argument,
          "must have a leading dimension of at least max(1, local rows), has " + std::to_string(desc[8]));
  require(data || layout.rows.count() * layout.cols.count() == 0, argument, "is null");
  LocalView<T> local{layout, {}, data, desc[8]};
  std::copy_n(desc, local.descriptor.size(), local.descriptor.begin());
  return local;
}

// Calls check() on all processes. If it throws on one of them, all throw.
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
  if (anywhere) throw InvalidArgument(Argument::options, "an argument of another process is not valid");
}

// Replaces the argument of an InvalidArgument of check() by b.
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

// A = Z diag(w) Z^H, where task.a has the triangle `uplo` of A.
template <class T>
void solve_standard(const DistributedLibrary& library, Uplo uplo, LocalProblem<T>& task, Report& report) {
  task.scale = scale_exponent(static_cast<real_t<T>>(largest_entry(task.grid.comm(), uplo, task.a)));
  mirror(task.a, uplo);
  scale_local(task.a, task.scale);
  const LibraryResult outcome = library.solve<T>()(task);
  scale_values(outcome.m, task.w, -task.scale);
  report.status = outcome.status;
  report.info = outcome.info;
  report.m = outcome.m;
  report.first_index = outcome.first_index;
  report.path = outcome.path;
  report.routine = outcome.routine;
  report.gpu = outcome.gpu;
}

}  // namespace

std::vector<std::string> libraries() {
  std::vector<std::string> names;
  for (const DistributedLibrary& library : distributed_libraries()) names.emplace_back(library.name);
  return names;
}

bool has_library(const std::string& name, bool single, bool complex) {
  const DistributedLibrary* const library = find_distributed_library(name);
  if (!library) return false;
  const auto has = [library]<class T>(T) { return library->solve<T>() != nullptr; };
  if (single) return complex ? has(std::complex<float>{}) : has(float{});
  return complex ? has(std::complex<double>{}) : has(double{});
}

std::string why_not(MPI_Comm comm, const std::string& library) {
  return library == "auto" ? "" : why_not(comm, library_named(library));
}

namespace {

// The frame of both calls: checks the common arguments and calls check(task) for the others. Then it calls work(library, task, report).
template <class T, class Check, class Work>
Report call(const Grid& grid, std::int64_t n, T* a, const int* desca, real_t<T>* w, T* z, const int* descz,
            const Options& options, const Check& check, const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  Report report;
  LocalProblem<T> task{grid, {}, {}, w, options.subset, options.vectors, options.path};
  const DistributedLibrary& library = library_of<T>(grid.comm(), options);
  on_all(grid.comm(), [&] {
    require(n >= 0 && n <= std::numeric_limits<int>::max(), Argument::n,
            "must be from 0 to 2147483647, is " + std::to_string(n));
    require(w || n == 0, Argument::w, "is null");
    check_subset(n, options.subset);
    task.a = checked_view(grid, Argument::a, n, a, desca);
    check(task);
    if (!options.vectors) return;
    task.z = checked_view(grid, Argument::z, n, z, descz);
    require(task.z.layout.rows.block == task.a.layout.rows.block && task.z.ld == task.a.ld, Argument::z,
            "must have the blocks and the leading dimension of a");
  });
  report.library = library.name;
  if (n > 0) work(library, task, report);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace

template <class T>
Report eigen_g(MPI_Comm comm, std::int64_t n, T* a, const int* desca, same_t<real_t<T>>* w, same_t<T>* z,
               const int* descz, const Options& options) {
  const Grid grid(comm, desca[1]);
  return call(
      grid, n, a, desca, w, z, descz, options, [](const LocalProblem<T>&) {},
      [&](const DistributedLibrary& library, LocalProblem<T>& task, Report& report) {
        solve_standard(library, options.uplo, task, report);
      });
}

template <class T>
Report sygvd(MPI_Comm comm, int itype, std::int64_t n, T* a, const int* desca, same_t<T>* b, const int* descb,
             same_t<real_t<T>>* w, same_t<T>* z, const int* descz, const Options& options) {
  const Grid grid(comm, desca[1]);
  LocalView<T> factor;
  const auto check = [&](const LocalProblem<T>& task) {
    if (itype < 1 || itype > 3)
      throw InvalidArgument("itype", "is " + std::to_string(itype) + ", must be 1, 2 or 3");
    of_b([&] {
      factor = checked_view(grid, Argument::other, n, b, descb);
      require(factor.layout.rows.block == task.a.layout.rows.block, Argument::other,
              "must have the blocks of a");
    });
  };
  return call(grid, n, a, desca, w, z, descz, options, check,
              [&](const DistributedLibrary& library, LocalProblem<T>& task, Report& report) {
                largest_entry(comm, options.uplo, task.a);
                of_b([&] { largest_entry(comm, options.uplo, factor); });
                mirror(task.a, options.uplo);
                mirror(factor, options.uplo);
                report.bad_minor = cholesky(factor);
                if (report.bad_minor > 0) {
                  report.status = Status::not_converged;
                  report.info = n + report.bad_minor;
                  return;
                }
                to_standard_form(itype, task.a, factor);
                try {
                  solve_standard(library, Uplo::lower, task, report);
                } catch (const NonFiniteEntry&) {
                  throw InvalidArgument(
                      "b", "is so small, or A so large, that the standard form of the problem overflows");
                }
                if (report.status == Status::converged && options.vectors)
                  from_standard_form(itype, factor, task.z, report.m);
              });
}

EIGEN_G_INSTANTIATE(all_types, eigen_g, sygvd);

}  // namespace eigen_g::distributed
