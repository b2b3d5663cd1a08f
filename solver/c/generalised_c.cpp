#include <initializer_list>

#include "hybrid/c_info.hpp"
#include "solver/api/generalised.h"
#include "solver/api/generalised.hpp"
#include "solver/c/c_arguments.hpp"

namespace {

using namespace eigen_g;
using c_arguments::of_c;
using c_arguments::options_of;
using c_arguments::subset_of;

constexpr auto compute_and_return = CholeskyFactor::compute_and_return, reuse = CholeskyFactor::reuse;

// The arguments of eigen_g_?sygvd and ?sygvd_device, and of eigen_g_?sygvdx, ?sygvdx_factored and their device forms.
constexpr auto gvd_arguments = {"itype", "job", "uplo", "n", "a", "lda", "b", "ldb", "w", "z", "ldz"};
constexpr auto gvdx_arguments = {
    "itype",        "job",         "range",        "uplo",        "n", "a", "lda", "b",  "ldb",
    "subset.above", "subset.upto", "subset.first", "subset.last", "m", "w", "z",   "ldz"};

// The function behind all entries of a type. C is the entries' type in C, R the values'.
template <class C, class R>
std::int64_t sygvdx(std::initializer_list<const char*> arguments, Pointers pointers, CholeskyFactor factor,
                    int itype, char jobz, char range, char uplo, std::int64_t n, C* a, std::int64_t lda, C* b,
                    std::int64_t ldb, R vl, R vu, std::int64_t il, std::int64_t iu, std::int64_t* m, R* w,
                    C* z, std::int64_t ldz, CUstream_st* stream) {
  return c_info::of(arguments, [&] {
    if (!m) throw InvalidArgument(Argument::m, "is null");
    const Options options = options_of(jobz, uplo, subset_of(range, vl, vu, il, iu));
    const Report report = generalised_solve({itype, factor}, pointers, n, of_c(a), lda, of_c(b), ldb, w,
                                            of_c(z), ldz, stream, options, Devices());
    *m = report.m;
    return c_arguments::info_of(report);
  });
}
template <class C, class R>
std::int64_t sygvd(Pointers pointers, int itype, char jobz, char uplo, std::int64_t n, C* a, std::int64_t lda,
                   C* b, std::int64_t ldb, R* w, C* z, std::int64_t ldz, CUstream_st* stream) {
  std::int64_t m = 0;
  return sygvdx(gvd_arguments, pointers, compute_and_return, itype, jobz, 'A', uplo, n, a, lda, b, ldb, R(),
                R(), 0, 0, &m, w, z, ldz, stream);
}

}  // namespace

#define EIGEN_G_SYGVDX(name, factor, C, R)                                                                  \
  std::int64_t eigen_g_##name(int itype, char jobz, char range, char uplo, std::int64_t n, C* a,            \
                              std::int64_t lda, C* b, std::int64_t ldb, R vl, R vu, std::int64_t il,        \
                              std::int64_t iu, std::int64_t* m, R* w) {                                     \
    return sygvdx(gvdx_arguments, Pointers::host, factor, itype, jobz, range, uplo, n, a, lda, b, ldb, vl,  \
                  vu, il, iu, m, w, a, lda, nullptr);                                                       \
  }                                                                                                         \
  std::int64_t eigen_g_##name##_device(int itype, char jobz, char range, char uplo, std::int64_t n,         \
                                       C* a_dev, std::int64_t lda, C* b_dev, std::int64_t ldb, R vl, R vu,  \
                                       std::int64_t il, std::int64_t iu, std::int64_t* m, R* w_dev,         \
                                       C* z_dev, std::int64_t ldz, CUstream_st* stream) {                   \
    return sygvdx(gvdx_arguments, Pointers::device, factor, itype, jobz, range, uplo, n, a_dev, lda, b_dev, \
                  ldb, vl, vu, il, iu, m, w_dev, z_dev, ldz, stream);                                       \
  }
#define EIGEN_G_SYGVD(name, C, R)                                                                            \
  std::int64_t eigen_g_##name##gvd(int itype, char jobz, char uplo, std::int64_t n, C* a, std::int64_t lda,  \
                                   C* b, std::int64_t ldb, R* w) {                                           \
    return sygvd(Pointers::host, itype, jobz, uplo, n, a, lda, b, ldb, w, a, lda, nullptr);                  \
  }                                                                                                          \
  std::int64_t eigen_g_##name##gvd_device(int itype, char jobz, char uplo, std::int64_t n, C* a_dev,         \
                                          std::int64_t lda, C* b_dev, std::int64_t ldb, R* w_dev, C* z_dev,  \
                                          std::int64_t ldz, CUstream_st* stream) {                           \
    return sygvd(Pointers::device, itype, jobz, uplo, n, a_dev, lda, b_dev, ldb, w_dev, z_dev, ldz, stream); \
  }                                                                                                          \
  EIGEN_G_SYGVDX(name##gvdx, compute_and_return, C, R)                                                       \
  EIGEN_G_SYGVDX(name##gvdx_factored, reuse, C, R)

extern "C" {

EIGEN_G_SYGVD(dsy, double, double)
EIGEN_G_SYGVD(ssy, float, float)
EIGEN_G_SYGVD(zhe, eigen_g_double_complex, double)
EIGEN_G_SYGVD(che, eigen_g_complex, float)

}  // extern "C"
