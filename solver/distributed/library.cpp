// The table of the libraries of this build.
#include "solver/distributed/library.hpp"

#include <algorithm>
#include <array>

#include "hybrid/instantiate.hpp"
#include "solver/distributed/libraries.hpp"
#include "solver/distributed/panels.hpp"
#include "solver/prepare/subset.hpp"

namespace eigen_g::distributed {

namespace {

constexpr std::array libraries_here{
#ifdef EIGEN_G_HAVE_CUSOLVERMP
    DistributedLibrary{"cusolvermp",
                       "cuSOLVERMp, one GPU for each process",
                       false,
                       {solve_by_cusolvermp<double>, solve_by_cusolvermp<std::complex<double>>,
                        solve_by_cusolvermp<float>, solve_by_cusolvermp<std::complex<float>>},
                       why_not_cusolvermp},
#endif
#ifdef EIGEN_G_HAVE_ELPA
    DistributedLibrary{"elpa",
                       "ELPA, one-stage and two-stage path, double and complex double",
                       true,
                       {solve_by_elpa<double>, solve_by_elpa<std::complex<double>>, nullptr, nullptr}},
#endif
    DistributedLibrary{"scalapack",
                       "ScaLAPACK's pdsyevd, pzheevd, pssyevd, pcheevd",
                       false,
                       {solve_by_scalapack<double>, solve_by_scalapack<std::complex<double>>,
                        solve_by_scalapack<float>, solve_by_scalapack<std::complex<float>>}},
};

}  // namespace

std::span<const DistributedLibrary> distributed_libraries() {
  return libraries_here;
}

const DistributedLibrary* find_distributed_library(const std::string& name) {
  const auto found = std::find_if(libraries_here.begin(), libraries_here.end(),
                                  [&](const DistributedLibrary& e) { return name == e.name; });
  return found == libraries_here.end() ? nullptr : &*found;
}

template <class T>
void keep_subset(const LocalProblem<T>& task, LibraryResult& outcome) {
  const std::int64_t n = task.a.layout.rows.n;
  const Selected kept = select(task.subset, n, task.w, 0, -task.scale);
  outcome.m = kept.count;
  outcome.first_index = kept.first + 1;
  std::copy_n(task.w + kept.first, kept.count, task.w);
  if (task.vectors) shift_columns(task.z, kept.first, kept.count);
}

EIGEN_G_INSTANTIATE(all_types, keep_subset);

}  // namespace eigen_g::distributed
