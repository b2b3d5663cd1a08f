// Solves a distributed matrix by ScaLAPACK.
#include <algorithm>
#include <complex>
#include <limits>
#include <string>
#include <type_traits>

#include "hybrid/instantiate.hpp"
#include "solver/distributed/libraries.hpp"
#include "solver/distributed/scalapack_calls.hpp"

namespace eigen_g::distributed {

namespace {

// Length of a workspace: the queried length and `more` entries. R may have rounded the queried length down.
template <class R>
int work_length(R asked, std::int64_t more) {
  const auto length =
      static_cast<double>(asked) * (1 + std::numeric_limits<R>::epsilon()) + static_cast<double>(more);
  if (length > std::numeric_limits<int>::max())
    throw DeviceError("ScaLAPACK's workspace is too large for its 32-bit integers; use more processes");
  return std::max(1, static_cast<int>(length));
}

// The workspaces of an eigensolver for complex matrices. One for real matrices has no real_work.
template <class T>
struct Work {
  HostArray<T> work = host_array<T>(8);
  HostArray<real_t<T>> real_work = host_array<real_t<T>>(8);
  HostArray<int> integers = host_array<int>(8);
  int length = -1, real_length = -1, integer_length = -1;  // -1: a query

  Work() {
    work[0] = 0;
    real_work[0] = 0;
    integers[0] = 0;
  }
  // Allocates the queried lengths and `more` entries.
  void take(std::int64_t more) {
    length = work_length(std::real(work[0]), more);
    real_length = work_length(real_work[0], more);
    integer_length = std::max(1, integers[0]);
    work = host_array<T>(length);
    if (is_complex<T>) real_work = host_array<real_t<T>>(real_length);
    integers = host_array<int>(integer_length);
  }
};

// Calls routine(work, info) twice: to query the workspace, and with the workspace. Returns info.
template <class T, class Routine>
int with_workspace(const std::string& name, std::int64_t more, const Routine& routine) {
  Work<T> work;
  int info = 0;
  routine(work, info);
  if (info == 0) {
    work.take(more);
    routine(work, info);
  }
  if (info < 0)
    throw DeviceError(name + ": invalid argument " + std::to_string(info <= -100 ? -info / 100 : -info));
  return info;
}

}  // namespace

template <class T>
LibraryResult solve_by_scalapack(const LocalProblem<T>& t) {
  const int n = static_cast<int>(t.a.layout.rows.n);
  const int* const da = t.a.descriptor.data();
  LibraryResult outcome;
  const std::string prefix =
      std::string("p") + of_type<T>('s', 'd', 'c', 'z') + (is_complex<T> ? "he" : "sy");
  outcome.routine = prefix + (t.vectors ? "evd" : "ev");
  // ScaLAPACK 2.2.1 passes too little workspace to pdormtr, so the need of pdormtr is added.
  const std::int64_t block = t.a.layout.rows.block,
                     more = (t.a.layout.rows.count() + t.a.layout.cols.count() + 2 * block) * block;
  const int info = with_workspace<T>(outcome.routine, t.vectors ? more : 0, [&](Work<T>& w, int& status) {
    const int* const dz = t.z.descriptor.data();
    if (t.vectors) {
      if constexpr (is_complex<T>)
        psyevd<T>("V", "L", &n, t.a.data, &one, &one, da, t.w, t.z.data, &one, &one, dz, w.work.get(),
                  &w.length, w.real_work.get(), &w.real_length, w.integers.get(), &w.integer_length, &status);
      else
        psyevd<T>("V", "L", &n, t.a.data, &one, &one, da, t.w, t.z.data, &one, &one, dz, w.work.get(),
                  &w.length, w.integers.get(), &w.integer_length, &status);
      return;
    }
    T no_vectors = 0;
    if constexpr (is_complex<T>)
      psyev<T>("N", "L", &n, t.a.data, &one, &one, da, t.w, &no_vectors, &one, &one, da, w.work.get(),
               &w.length, w.real_work.get(), &w.real_length, &status);
    else
      psyev<T>("N", "L", &n, t.a.data, &one, &one, da, t.w, &no_vectors, &one, &one, da, w.work.get(),
               &w.length, &status);
  });
  outcome.info = info;
  outcome.status = info == 0 ? Status::converged : Status::not_converged;
  if (info == 0) keep_subset(t, outcome);
  return outcome;
}

EIGEN_G_INSTANTIATE(all_types, solve_by_scalapack);

}  // namespace eigen_g::distributed
