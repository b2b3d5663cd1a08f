#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "solver/distributed/engines.hpp"
#include "solver/distributed/scalapack_calls.hpp"

namespace eigen_g::distributed {

namespace {

constexpr int one = 1;

// Doubles of the workspace that a query asked for.
int work_length(double asked) {
  if (asked > std::numeric_limits<int>::max())
    throw DeviceError("ScaLAPACK's workspace is beyond its 32-bit integers: take more processes");
  return std::max(1, static_cast<int>(asked));
}

// Calls routine(work, lwork, iwork, liwork, info) for its workspace, then with `more` doubles beyond it. Returns info.
template <class Routine>
int with_workspace(const char* name, std::int64_t more, const Routine& routine) {
  constexpr int query = -1;
  std::vector<double> asked(8);
  std::vector<int> integers(8);
  int info = 0;
  routine(asked.data(), query, integers.data(), query, info);
  if (info == 0) {
    const int doubles = work_length(asked[0] + static_cast<double>(more)), ints = std::max(1, integers[0]);
    const HostArray<double> work = host_array<double>(doubles);
    const HostArray<int> iwork = host_array<int>(ints);
    routine(work.get(), doubles, iwork.get(), ints, info);
  }
  if (info < 0)
    throw DeviceError(std::string(name) + " refused its argument " +
                      std::to_string(info <= -100 ? -info / 100 : -info));
  return info;
}

}  // namespace

Outcome solve_by_scalapack(const Task& t) {
  const int n = static_cast<int>(t.a.layout.rows.n);
  const int* const da = t.a.descriptor.data();
  Outcome outcome;
  int info = 0;
  // ScaLAPACK 2.2.1 leaves pdormtr too little: its own need is on top.
  const std::int64_t block = t.a.layout.rows.block;
  const std::int64_t more = (t.a.layout.rows.count() + t.a.layout.cols.count() + 2 * block) * block;
  if (!t.vectors) {
    outcome.routine = "pdsyev";
    double no_vectors = 0;
    info = with_workspace("pdsyev", 0, [&](double* work, int lwork, int*, int, int& status) {
      pdsyev_("N", "L", &n, t.a.data, &one, &one, da, t.w, &no_vectors, &one, &one, da, work, &lwork,
              &status);
    });
  } else {
    outcome.routine = "pdsyevd";
    info = with_workspace("pdsyevd", more, [&](double* work, int lwork, int* iwork, int liwork, int& status) {
      pdsyevd_("V", "L", &n, t.a.data, &one, &one, da, t.w, t.z.data, &one, &one, t.z.descriptor.data(), work,
               &lwork, iwork, &liwork, &status);
    });
  }
  outcome.failed = info;
  outcome.status = info == 0 ? Status::converged : Status::not_converged;
  if (info == 0) keep_subset(t, outcome);
  return outcome;
}

}  // namespace eigen_g::distributed
