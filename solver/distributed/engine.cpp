#include "solver/distributed/engine.hpp"

#include <algorithm>
#include <array>

#include "solver/distributed/engines.hpp"
#include "solver/distributed/panels.hpp"
#include "solver/prepare/subset.hpp"

namespace eigen_g::distributed {

namespace {

constexpr std::array engines_here{
#ifdef EIGEN_G_HAVE_CUSOLVERMP
    DistributedEngine{"cusolvermp",
                      "cuSOLVERMp, a GPU a process",
                      false,
                      {solve_by_cusolvermp<double>, solve_by_cusolvermp<std::complex<double>>,
                       solve_by_cusolvermp<float>, solve_by_cusolvermp<std::complex<float>>},
                      why_not_cusolvermp},
#endif
#ifdef EIGEN_G_HAVE_ELPA
    DistributedEngine{"elpa",
                      "ELPA, one stage or two, of doubles",
                      true,
                      {solve_by_elpa<double>, solve_by_elpa<std::complex<double>>, nullptr, nullptr}},
#endif
    DistributedEngine{"scalapack",
                      "ScaLAPACK's pdsyevd, pzheevd, pssyevd, pcheevd",
                      false,
                      {solve_by_scalapack<double>, solve_by_scalapack<std::complex<double>>,
                       solve_by_scalapack<float>, solve_by_scalapack<std::complex<float>>}},
};

}  // namespace

std::span<const DistributedEngine> distributed_engines() {
  return engines_here;
}

const DistributedEngine* find_distributed_engine(const std::string& name) {
  const auto found = std::find_if(engines_here.begin(), engines_here.end(),
                                  [&](const DistributedEngine& e) { return name == e.name; });
  return found == engines_here.end() ? nullptr : &*found;
}

template <class T>
void keep_subset(const Task<T>& task, Outcome& outcome) {
  const std::int64_t n = task.a.layout.rows.n;
  const Selected kept = select(task.subset, n, task.w, 0, -task.scale);
  outcome.m = kept.count;
  outcome.first = kept.first + 1;
  std::copy_n(task.w + kept.first, kept.count, task.w);
  if (task.vectors) shift_columns(task.z, kept.first, kept.count);
}

template void keep_subset(const Task<double>&, Outcome&);
template void keep_subset(const Task<std::complex<double>>&, Outcome&);
template void keep_subset(const Task<float>&, Outcome&);
template void keep_subset(const Task<std::complex<float>>&, Outcome&);

}  // namespace eigen_g::distributed
