#include <algorithm>
#include <complex>
#include <memory>
#include <new>
#include <vector>

#include "hybrid/c_info.hpp"
#include "solver/api/eigen_g.h"
#include "solver/api/eigen_g.hpp"
#include "solver/api/shards.hpp"
#include "solver/c/c_arguments.hpp"

struct eigen_g_solver {
  eigen_g::Context context;
  eigen_g::Solver<double> solver;  // ends before its context
  bool device;
};

namespace {

using namespace eigen_g;
using c_arguments::devices_of;
using c_arguments::info_of;
using c_arguments::of_c;
using c_arguments::options_of;
using c_arguments::subset_of;
using c_arguments::whole_options;

Pointers pointers_of(int on_device) {
  return on_device ? Pointers::device : Pointers::host;
}

std::int64_t info_of(const Report& report, eigen_g_result* result) {
  if (result) *result = {report.m, report.first_index, report.seconds};
  return info_of(report);
}

template <class S>
S& not_null(S* solver) {
  if (!solver) throw InvalidArgument("solver", "is null");
  return *solver;
}

using Arg = Argument;

// The arguments of eigen_g_?syevd and ?syevdx, and of their device forms, which alone have the last two.
constexpr auto evd_arguments = {Arg::job, Arg::uplo, Arg::n, Arg::a, Arg::lda, Arg::w, Arg::z, Arg::ldz};
constexpr auto evdx_arguments = {
    Arg::job,         Arg::range,        Arg::uplo,        Arg::n, Arg::a, Arg::lda, Arg::subset_above,
    Arg::subset_upto, Arg::subset_first, Arg::subset_last, Arg::m, Arg::w, Arg::z,   Arg::ldz};

// The function behind all entries of a type. C is the entries' type in C, R the values'.
template <class C, class R>
std::int64_t syevdx(std::initializer_list<Arg> arguments, Pointers pointers, char jobz, char range, char uplo,
                    std::int64_t n, C* a, std::int64_t lda, R vl, R vu, std::int64_t il, std::int64_t iu,
                    std::int64_t* m, R* w, C* z, std::int64_t ldz, CUstream_st* stream) {
  return c_info::of(arguments, [&] {
    const Options options = options_of(jobz, uplo, subset_of(range, vl, vu, il, iu));
    if (!m) throw InvalidArgument(Argument::m, "is null");
    const Report report =
        standard_solve(pointers, n, of_c(a), lda, w, of_c(z), ldz, stream, options, Devices());
    *m = report.m;
    return info_of(report);
  });
}
template <class C, class R>
std::int64_t syevd(Pointers pointers, char jobz, char uplo, std::int64_t n, C* a, std::int64_t lda, R* w,
                   C* z, std::int64_t ldz, CUstream_st* stream) {
  std::int64_t m = 0;
  return syevdx(evd_arguments, pointers, jobz, 'A', uplo, n, a, lda, R(), R(), 0, 0, &m, w, z, ldz, stream);
}

// An error in a piece is an error of the list.
template <class T>
std::vector<Shard<T>> shards_of(std::int64_t n, std::int64_t count, const eigen_g_shard* shards,
                                Argument of) {
  if (count < 0 || (count > 0 && !shards)) throw InvalidArgument(of, "has no valid list of pieces");
  std::vector<Shard<T>> list;
  for (std::int64_t k = 0; k < count; ++k) {
    if (shards[k].ld < std::max<std::int64_t>(1, n)) throw InvalidArgument(of, "has a piece with a small ld");
    list.push_back({static_cast<T*>(shards[k].data_dev), shards[k].ld, shards[k].columns, shards[k].stream});
  }
  return list;
}

template <class T>
std::int64_t solve_shards(std::int64_t n, std::int64_t count_a, const eigen_g_shard* a, real_t<T>* w,
                          std::int64_t count_z, const eigen_g_shard* z, const eigen_g_options* given,
                          eigen_g_result* result) {
  return c_info::of({Arg::n, Arg::other, Arg::a, Arg::w, Arg::other, Arg::z, Arg::options}, [&] {
    const eigen_g_options o = whole_options(given);
    const Options options = options_of(o);
    const std::vector<Shard<T>> of_a = shards_of<T>(n, count_a, a, Argument::a);  // its error comes first
    std::vector<Shard<T>> of_z;
    if (options.vectors) of_z = shards_of<T>(n, count_z, z, Argument::z);
    return info_of(eigen_g::eigen_g(n, of_a, w, of_z, options, devices_of(o)), result);
  });
}

}  // namespace

#define EIGEN_G_SOLVE_SHARDS(name, T, R)                                                                  \
  std::int64_t eigen_g_##name##solve_shards(std::int64_t n, std::int64_t count_a, const eigen_g_shard* a, \
                                            R* w, std::int64_t count_z, const eigen_g_shard* z,           \
                                            const eigen_g_options* options, eigen_g_result* result) {     \
    return solve_shards<T>(n, count_a, a, w, count_z, z, options, result);                                \
  }

#define EIGEN_G_SYEVD(name, C, R)                                                                           \
  std::int64_t eigen_g_##name##evd(char jobz, char uplo, std::int64_t n, C* a, std::int64_t lda, R* w) {    \
    return syevd(Pointers::host, jobz, uplo, n, a, lda, w, a, lda, nullptr);                                \
  }                                                                                                         \
  std::int64_t eigen_g_##name##evd_device(char jobz, char uplo, std::int64_t n, C* a_dev, std::int64_t lda, \
                                          R* w_dev, C* z_dev, std::int64_t ldz, CUstream_st* stream) {      \
    return syevd(Pointers::device, jobz, uplo, n, a_dev, lda, w_dev, z_dev, ldz, stream);                   \
  }                                                                                                         \
  std::int64_t eigen_g_##name##evdx(char jobz, char range, char uplo, std::int64_t n, C* a,                 \
                                    std::int64_t lda, R vl, R vu, std::int64_t il, std::int64_t iu,         \
                                    std::int64_t* m, R* w) {                                                \
    return syevdx(evdx_arguments, Pointers::host, jobz, range, uplo, n, a, lda, vl, vu, il, iu, m, w, a,    \
                  lda, nullptr);                                                                            \
  }                                                                                                         \
  std::int64_t eigen_g_##name##evdx_device(char jobz, char range, char uplo, std::int64_t n, C* a_dev,      \
                                           std::int64_t lda, R vl, R vu, std::int64_t il, std::int64_t iu,  \
                                           std::int64_t* m, R* w_dev, C* z_dev, std::int64_t ldz,           \
                                           CUstream_st* stream) {                                           \
    return syevdx(evdx_arguments, Pointers::device, jobz, range, uplo, n, a_dev, lda, vl, vu, il, iu, m,    \
                  w_dev, z_dev, ldz, stream);                                                               \
  }

extern "C" {

EIGEN_G_SYEVD(dsy, double, double)
EIGEN_G_SYEVD(ssy, float, float)
EIGEN_G_SYEVD(zhe, eigen_g_double_complex, double)
EIGEN_G_SYEVD(che, eigen_g_complex, float)

EIGEN_G_SOLVE_SHARDS(d, double, double)
EIGEN_G_SOLVE_SHARDS(s, float, float)
EIGEN_G_SOLVE_SHARDS(z, std::complex<double>, double)
EIGEN_G_SOLVE_SHARDS(c, std::complex<float>, float)

void eigen_g_default_options(eigen_g_options* options) {
  if (!options) return;
  *options = {sizeof *options, 'V',      'L',    'A', 'A', 0, 0,        1, 0,
              "auto",          "native", "auto", 1,   0,   0, "native", 0};
}

std::int64_t eigen_g_dsolve(std::int64_t n, double* a, std::int64_t lda, double* w, double* z,
                            std::int64_t ldz, int on_device, CUstream_st* stream,
                            const eigen_g_options* options, eigen_g_result* result) {
  return c_info::of(
      {Arg::n, Arg::a, Arg::lda, Arg::w, Arg::z, Arg::ldz, Arg::device, Arg::stream, Arg::options}, [&] {
        const eigen_g_options o = whole_options(options);
        return info_of(standard_solve(pointers_of(on_device), n, a, lda, w, z, ldz, stream, options_of(o),
                                      devices_of(o)),
                       result);
      });
}

std::int64_t eigen_g_dsolver_create(eigen_g_solver** solver, std::int64_t n, int on_device,
                                    const eigen_g_options* options, const eigen_g_allocator* allocator) {
  if (!solver) return -1;
  *solver = nullptr;
  return c_info::of({Arg::other, Arg::n, Arg::device, Arg::options}, [&]() -> std::int64_t {
    const eigen_g_options o = whole_options(options);
    Allocator own;
    if (allocator) own = {allocator->allocate, allocator->release, allocator->context};
    Context context(devices_of(o), own);
    Solver<double> planned(context, n, options_of(o), pointers_of(on_device));
    *solver = new eigen_g_solver{std::move(context), std::move(planned), on_device != 0};
    return 0;
  });
}

std::int64_t eigen_g_dsolver_workspace(const eigen_g_solver* solver, std::uint64_t* host_bytes,
                                       std::uint64_t* device_bytes) {
  return c_info::of({Arg::other}, [&]() -> std::int64_t {
    const WorkspaceBytes bytes = not_null(solver).solver.workspace();
    if (host_bytes) *host_bytes = bytes.host;
    if (device_bytes) *device_bytes = bytes.device;
    return 0;
  });
}

std::int64_t eigen_g_dsolver_set_workspace(eigen_g_solver* solver, void* workspace_dev, std::uint64_t bytes) {
  return c_info::of({Arg::other, Arg::workspace}, [&]() -> std::int64_t {
    not_null(solver).solver.set_workspace({workspace_dev, workspace_dev ? bytes : 0});
    return 0;
  });
}

std::int64_t eigen_g_dsolver_solve(eigen_g_solver* solver, double* a, std::int64_t lda, double* w, double* z,
                                   std::int64_t ldz, CUstream_st* stream, eigen_g_result* result) {
  return c_info::of({Arg::other, Arg::a, Arg::lda, Arg::w, Arg::z, Arg::ldz}, [&] {
    Solver<double>& planned = not_null(solver).solver;
    if (!solver->device) return info_of(planned.solve(a, lda, w, z, ldz), result);
    return info_of(planned.solve(device(a), lda, device(w), device(z), ldz, stream), result);
  });
}

std::int64_t eigen_g_dsolver_enqueue(eigen_g_solver* solver, double* a_dev, std::int64_t lda, double* w_dev,
                                     double* z_dev, std::int64_t ldz, CUstream_st* stream,
                                     eigen_g_result* result) {
  return c_info::of({Arg::other, Arg::a, Arg::lda, Arg::w, Arg::z, Arg::ldz}, [&] {
    return info_of(
        not_null(solver).solver.enqueue(device(a_dev), lda, device(w_dev), device(z_dev), ldz, stream),
        result);
  });
}

void eigen_g_dsolver_destroy(eigen_g_solver* solver) {
  delete solver;
}

void eigen_g_release_thread_cache(void) {
  eigen_g::release_thread_cache();
}

const char* eigen_g_info_text(std::int64_t info) {
  if (info > 0)
    return "no convergence; of a generalised problem, beyond n: B is not positive definite; of a batch: the "
           "number of failed matrices";
  switch (info) {
    case 0:
      return "done";
    case c_info::host_memory:
      return "not enough host memory";
    case c_info::device_memory:
      return "not enough device memory";
    case c_info::device_failure:
      return "CUDA, cuBLAS or LAPACK failed, or there is no GPU";
    case c_info::internal:
      return "internal error";
    default:
      return info > -20 ? "an argument is wrong; minus info is its position" : "unknown info";
  }
}

const char* eigen_g_version(void) {
  return eigen_g::version();
}

}  // extern "C"
