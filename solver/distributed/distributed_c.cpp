// The C interface to distributed matrices.
#include <initializer_list>

#include "hybrid/c_info.hpp"
#include "solver/c/c_arguments.hpp"
#include "solver/distributed/distributed.h"
#include "solver/distributed/distributed.hpp"

namespace {

using namespace eigen_g;
using c_arguments::of_c;

distributed::Options options_of(char jobz, char range, char uplo, double vl, double vu, std::int64_t il,
                                std::int64_t iu) {
  distributed::Options options;
  options.vectors = c_arguments::vectors_of(jobz);
  options.uplo = c_info::uplo_of(uplo);
  options.subset = c_arguments::subset_of(range, vl, vu, il, iu);
  return options;
}

// Returns the info of a call. For a wrong argument this is minus its position in `names`, from 1.
template <class Call>
std::int64_t info_of(std::initializer_list<const char*> names, std::int64_t* m, const Call& call) {
  return c_info::of(names, [&] {
    if (!m) throw InvalidArgument(Argument::m, "is null");
    const distributed::Report report = call();
    *m = report.m;
    return report.status == Status::converged ? 0 : report.info;
  });
}

template <class T>
std::int64_t syevdx(MPI_Comm comm, char jobz, char range, char uplo, std::int64_t n, T* a, const int* desca,
                    real_t<T> vl, real_t<T> vu, std::int64_t il, std::int64_t iu, std::int64_t* m,
                    real_t<T>* w, T* z, const int* descz) {
  return info_of({"comm", "job", "range", "uplo", "n", "a", "desca", "subset.above", "subset.upto",
                  "subset.first", "subset.last", "m", "w", "z", "descz"},
                 m, [&] {
                   return distributed::eigen_g(comm, n, a, desca, w, z, descz,
                                               options_of(jobz, range, uplo, vl, vu, il, iu));
                 });
}

template <class T>
std::int64_t sygvdx(MPI_Comm comm, int itype, char jobz, char range, char uplo, std::int64_t n, T* a,
                    const int* desca, T* b, const int* descb, real_t<T> vl, real_t<T> vu, std::int64_t il,
                    std::int64_t iu, std::int64_t* m, real_t<T>* w, T* z, const int* descz) {
  return info_of({"comm", "itype", "job", "range", "uplo", "n", "a", "desca", "b", "descb", "subset.above",
                  "subset.upto", "subset.first", "subset.last", "m", "w", "z", "descz"},
                 m, [&] {
                   return distributed::sygvd(comm, itype, n, a, desca, b, descb, w, z, descz,
                                             options_of(jobz, range, uplo, vl, vu, il, iu));
                 });
}

}  // namespace

extern "C" {

std::int64_t eigen_g_pdsyevdx(MPI_Comm comm, char jobz, char range, char uplo, std::int64_t n, double* a,
                              const int* desca, double vl, double vu, std::int64_t il, std::int64_t iu,
                              std::int64_t* m, double* w, double* z, const int* descz) {
  return syevdx(comm, jobz, range, uplo, n, a, desca, vl, vu, il, iu, m, w, z, descz);
}
std::int64_t eigen_g_pssyevdx(MPI_Comm comm, char jobz, char range, char uplo, std::int64_t n, float* a,
                              const int* desca, float vl, float vu, std::int64_t il, std::int64_t iu,
                              std::int64_t* m, float* w, float* z, const int* descz) {
  return syevdx(comm, jobz, range, uplo, n, a, desca, vl, vu, il, iu, m, w, z, descz);
}
std::int64_t eigen_g_pzheevdx(MPI_Comm comm, char jobz, char range, char uplo, std::int64_t n,
                              eigen_g_double_complex* a, const int* desca, double vl, double vu,
                              std::int64_t il, std::int64_t iu, std::int64_t* m, double* w,
                              eigen_g_double_complex* z, const int* descz) {
  return syevdx(comm, jobz, range, uplo, n, of_c(a), desca, vl, vu, il, iu, m, w, of_c(z), descz);
}
std::int64_t eigen_g_pcheevdx(MPI_Comm comm, char jobz, char range, char uplo, std::int64_t n,
                              eigen_g_complex* a, const int* desca, float vl, float vu, std::int64_t il,
                              std::int64_t iu, std::int64_t* m, float* w, eigen_g_complex* z,
                              const int* descz) {
  return syevdx(comm, jobz, range, uplo, n, of_c(a), desca, vl, vu, il, iu, m, w, of_c(z), descz);
}
std::int64_t eigen_g_pdsygvdx(MPI_Comm comm, int itype, char jobz, char range, char uplo, std::int64_t n,
                              double* a, const int* desca, double* b, const int* descb, double vl, double vu,
                              std::int64_t il, std::int64_t iu, std::int64_t* m, double* w, double* z,
                              const int* descz) {
  return sygvdx(comm, itype, jobz, range, uplo, n, a, desca, b, descb, vl, vu, il, iu, m, w, z, descz);
}
std::int64_t eigen_g_pssygvdx(MPI_Comm comm, int itype, char jobz, char range, char uplo, std::int64_t n,
                              float* a, const int* desca, float* b, const int* descb, float vl, float vu,
                              std::int64_t il, std::int64_t iu, std::int64_t* m, float* w, float* z,
                              const int* descz) {
  return sygvdx(comm, itype, jobz, range, uplo, n, a, desca, b, descb, vl, vu, il, iu, m, w, z, descz);
}
std::int64_t eigen_g_pzhegvdx(MPI_Comm comm, int itype, char jobz, char range, char uplo, std::int64_t n,
                              eigen_g_double_complex* a, const int* desca, eigen_g_double_complex* b,
                              const int* descb, double vl, double vu, std::int64_t il, std::int64_t iu,
                              std::int64_t* m, double* w, eigen_g_double_complex* z, const int* descz) {
  return sygvdx(comm, itype, jobz, range, uplo, n, of_c(a), desca, of_c(b), descb, vl, vu, il, iu, m, w,
                of_c(z), descz);
}
std::int64_t eigen_g_pchegvdx(MPI_Comm comm, int itype, char jobz, char range, char uplo, std::int64_t n,
                              eigen_g_complex* a, const int* desca, eigen_g_complex* b, const int* descb,
                              float vl, float vu, std::int64_t il, std::int64_t iu, std::int64_t* m, float* w,
                              eigen_g_complex* z, const int* descz) {
  return sygvdx(comm, itype, jobz, range, uplo, n, of_c(a), desca, of_c(b), descb, vl, vu, il, iu, m, w,
                of_c(z), descz);
}

}  // extern "C"
