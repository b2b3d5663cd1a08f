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

// Returns the info of a call. For an invalid argument this is minus its position in the list of names.
template <class Call>
std::int64_t solve_info(std::initializer_list<const char*> names, Call&& call) {
  return c_info::of(names, [&] { return c_arguments::info_of(call()); });
}

constexpr auto compute_and_return = CholeskyFactor::compute_and_return, reuse = CholeskyFactor::reuse;

template <class T>
std::int64_t sygvd_of(int itype, char jobz, char uplo, std::int64_t n, T* a, std::int64_t lda, T* b,
                      std::int64_t ldb, real_t<T>* w) {
  return solve_info({"itype", "job", "uplo", "n", "a", "lda", "b", "ldb", "w"}, [&] {
    const Options options = options_of(jobz, uplo);
    return sygvd({itype, compute_and_return}, n, a, lda, b, ldb, w, options.vectors ? a : nullptr, lda,
                 options);
  });
}

template <class T>
std::int64_t sygvd_device(int itype, char jobz, char uplo, std::int64_t n, T* a_dev, std::int64_t lda,
                          T* b_dev, std::int64_t ldb, real_t<T>* w_dev, T* z_dev, std::int64_t ldz,
                          CUstream_st* stream) {
  return solve_info({"itype", "job", "uplo", "n", "a", "lda", "b", "ldb", "w", "z", "ldz"}, [&] {
    return sygvd({itype, compute_and_return}, n, device(a_dev), lda, device(b_dev), ldb, device(w_dev),
                 device(z_dev), ldz, stream, options_of(jobz, uplo));
  });
}

template <class Call>
std::int64_t subset_info(std::int64_t* m, Call&& call) {
  return solve_info({"itype", "job", "range", "uplo", "n", "a", "lda", "b", "ldb", "subset.above",
                     "subset.upto", "subset.first", "subset.last", "m", "w", "z", "ldz"},
                    [&] {
                      if (!m) throw InvalidArgument(Argument::m, "is null");
                      GeneralisedReport report = call();
                      *m = report.m;
                      return report;
                    });
}

template <class T>
std::int64_t sygvdx(CholeskyFactor factor, int itype, char jobz, char range, char uplo, std::int64_t n, T* a,
                    std::int64_t lda, T* b, std::int64_t ldb, real_t<T> vl, real_t<T> vu, std::int64_t il,
                    std::int64_t iu, std::int64_t* m, real_t<T>* w) {
  return subset_info(m, [&] {
    const Options options = options_of(jobz, uplo, subset_of(range, vl, vu, il, iu));
    return sygvd({itype, factor}, n, a, lda, b, ldb, w, options.vectors ? a : nullptr, lda, options);
  });
}

template <class T>
std::int64_t sygvdx_device(CholeskyFactor factor, int itype, char jobz, char range, char uplo, std::int64_t n,
                           T* a_dev, std::int64_t lda, T* b_dev, std::int64_t ldb, real_t<T> vl, real_t<T> vu,
                           std::int64_t il, std::int64_t iu, std::int64_t* m, real_t<T>* w_dev, T* z_dev,
                           std::int64_t ldz, CUstream_st* stream) {
  return subset_info(m, [&] {
    return sygvd({itype, factor}, n, device(a_dev), lda, device(b_dev), ldb, device(w_dev), device(z_dev),
                 ldz, stream, options_of(jobz, uplo, subset_of(range, vl, vu, il, iu)));
  });
}

}  // namespace

// The entries of one type: C is the entries' type in C, R the values'.
#define EIGEN_G_SYGVDX(name, factor, C, R)                                                                 \
  std::int64_t eigen_g_##name(int itype, char jobz, char range, char uplo, std::int64_t n, C* a,           \
                              std::int64_t lda, C* b, std::int64_t ldb, R vl, R vu, std::int64_t il,       \
                              std::int64_t iu, std::int64_t* m, R* w) {                                    \
    return sygvdx(factor, itype, jobz, range, uplo, n, of_c(a), lda, of_c(b), ldb, vl, vu, il, iu, m, w);  \
  }                                                                                                        \
  std::int64_t eigen_g_##name##_device(int itype, char jobz, char range, char uplo, std::int64_t n,        \
                                       C* a_dev, std::int64_t lda, C* b_dev, std::int64_t ldb, R vl, R vu, \
                                       std::int64_t il, std::int64_t iu, std::int64_t* m, R* w_dev,        \
                                       C* z_dev, std::int64_t ldz, CUstream_st* stream) {                  \
    return sygvdx_device(factor, itype, jobz, range, uplo, n, of_c(a_dev), lda, of_c(b_dev), ldb, vl, vu,  \
                         il, iu, m, w_dev, of_c(z_dev), ldz, stream);                                      \
  }
#define EIGEN_G_SYGVD(name, C, R)                                                                           \
  std::int64_t eigen_g_##name##gvd(int itype, char jobz, char uplo, std::int64_t n, C* a, std::int64_t lda, \
                                   C* b, std::int64_t ldb, R* w) {                                          \
    return sygvd_of(itype, jobz, uplo, n, of_c(a), lda, of_c(b), ldb, w);                                   \
  }                                                                                                         \
  std::int64_t eigen_g_##name##gvd_device(int itype, char jobz, char uplo, std::int64_t n, C* a_dev,        \
                                          std::int64_t lda, C* b_dev, std::int64_t ldb, R* w_dev, C* z_dev, \
                                          std::int64_t ldz, CUstream_st* stream) {                          \
    return sygvd_device(itype, jobz, uplo, n, of_c(a_dev), lda, of_c(b_dev), ldb, w_dev, of_c(z_dev), ldz,  \
                        stream);                                                                            \
  }                                                                                                         \
  EIGEN_G_SYGVDX(name##gvdx, compute_and_return, C, R)                                                      \
  EIGEN_G_SYGVDX(name##gvdx_factored, reuse, C, R)

extern "C" {

EIGEN_G_SYGVD(dsy, double, double)
EIGEN_G_SYGVD(ssy, float, float)
EIGEN_G_SYGVD(zhe, eigen_g_double_complex, double)
EIGEN_G_SYGVD(che, eigen_g_complex, float)

}  // extern "C"
