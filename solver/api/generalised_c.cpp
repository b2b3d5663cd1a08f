#include <initializer_list>

#include "hybrid/c_info.hpp"
#include "solver/api/c_arguments.hpp"
#include "solver/api/generalised.h"
#include "solver/api/generalised.hpp"

namespace {

using namespace eigen_g;
using c_arguments::of_c;
using c_arguments::options_of;
using c_arguments::subset_of;

// The info of a solve; of a wrong argument minus its position among the names.
template <class Call>
std::int64_t solve_info(std::initializer_list<const char*> names, Call&& call) {
  return c_info::of(names, [&] { return c_arguments::info_of(call()); });
}

constexpr auto returned = CholeskyFactor::returned, given = CholeskyFactor::given;

template <class T>
std::int64_t sygvd_of(int itype, char jobz, char uplo, std::int64_t n, T* a, std::int64_t lda, T* b,
                      std::int64_t ldb, real_t<T>* w) {
  return solve_info({"itype", "job", "uplo", "n", "a", "lda", "b", "ldb", "w"}, [&] {
    const Options options = options_of(jobz, uplo);
    return sygvd({itype, returned}, n, a, lda, b, ldb, w, options.vectors ? a : nullptr, lda, options);
  });
}

template <class T>
std::int64_t sygvd_device(int itype, char jobz, char uplo, std::int64_t n, T* a_dev, std::int64_t lda,
                          T* b_dev, std::int64_t ldb, real_t<T>* w_dev, T* z_dev, std::int64_t ldz,
                          CUstream_st* stream) {
  return solve_info({"itype", "job", "uplo", "n", "a", "lda", "b", "ldb", "w", "z", "ldz"}, [&] {
    return sygvd({itype, returned}, n, device(a_dev), lda, device(b_dev), ldb, device(w_dev), device(z_dev),
                 ldz, stream, options_of(jobz, uplo));
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

extern "C" {

std::int64_t eigen_g_dsygvd(int itype, char jobz, char uplo, std::int64_t n, double* a, std::int64_t lda,
                            double* b, std::int64_t ldb, double* w) {
  return sygvd_of(itype, jobz, uplo, n, a, lda, b, ldb, w);
}
std::int64_t eigen_g_dsygvd_device(int itype, char jobz, char uplo, std::int64_t n, double* a_dev,
                                   std::int64_t lda, double* b_dev, std::int64_t ldb, double* w_dev,
                                   double* z_dev, std::int64_t ldz, CUstream_st* stream) {
  return sygvd_device(itype, jobz, uplo, n, a_dev, lda, b_dev, ldb, w_dev, z_dev, ldz, stream);
}
std::int64_t eigen_g_dsygvdx(int itype, char jobz, char range, char uplo, std::int64_t n, double* a,
                             std::int64_t lda, double* b, std::int64_t ldb, double vl, double vu,
                             std::int64_t il, std::int64_t iu, std::int64_t* m, double* w) {
  return sygvdx(returned, itype, jobz, range, uplo, n, a, lda, b, ldb, vl, vu, il, iu, m, w);
}
std::int64_t eigen_g_dsygvdx_device(int itype, char jobz, char range, char uplo, std::int64_t n,
                                    double* a_dev, std::int64_t lda, double* b_dev, std::int64_t ldb,
                                    double vl, double vu, std::int64_t il, std::int64_t iu, std::int64_t* m,
                                    double* w_dev, double* z_dev, std::int64_t ldz, CUstream_st* stream) {
  return sygvdx_device(returned, itype, jobz, range, uplo, n, a_dev, lda, b_dev, ldb, vl, vu, il, iu, m,
                       w_dev, z_dev, ldz, stream);
}
std::int64_t eigen_g_dsygvdx_factored(int itype, char jobz, char range, char uplo, std::int64_t n, double* a,
                                      std::int64_t lda, double* b, std::int64_t ldb, double vl, double vu,
                                      std::int64_t il, std::int64_t iu, std::int64_t* m, double* w) {
  return sygvdx(given, itype, jobz, range, uplo, n, a, lda, b, ldb, vl, vu, il, iu, m, w);
}
std::int64_t eigen_g_dsygvdx_factored_device(int itype, char jobz, char range, char uplo, std::int64_t n,
                                             double* a_dev, std::int64_t lda, double* b_dev, std::int64_t ldb,
                                             double vl, double vu, std::int64_t il, std::int64_t iu,
                                             std::int64_t* m, double* w_dev, double* z_dev, std::int64_t ldz,
                                             CUstream_st* stream) {
  return sygvdx_device(given, itype, jobz, range, uplo, n, a_dev, lda, b_dev, ldb, vl, vu, il, iu, m, w_dev,
                       z_dev, ldz, stream);
}
std::int64_t eigen_g_ssygvd(int itype, char jobz, char uplo, std::int64_t n, float* a, std::int64_t lda,
                            float* b, std::int64_t ldb, float* w) {
  return sygvd_of(itype, jobz, uplo, n, a, lda, b, ldb, w);
}
std::int64_t eigen_g_ssygvd_device(int itype, char jobz, char uplo, std::int64_t n, float* a_dev,
                                   std::int64_t lda, float* b_dev, std::int64_t ldb, float* w_dev,
                                   float* z_dev, std::int64_t ldz, CUstream_st* stream) {
  return sygvd_device(itype, jobz, uplo, n, a_dev, lda, b_dev, ldb, w_dev, z_dev, ldz, stream);
}
std::int64_t eigen_g_ssygvdx(int itype, char jobz, char range, char uplo, std::int64_t n, float* a,
                             std::int64_t lda, float* b, std::int64_t ldb, float vl, float vu,
                             std::int64_t il, std::int64_t iu, std::int64_t* m, float* w) {
  return sygvdx(returned, itype, jobz, range, uplo, n, a, lda, b, ldb, vl, vu, il, iu, m, w);
}
std::int64_t eigen_g_ssygvdx_device(int itype, char jobz, char range, char uplo, std::int64_t n, float* a_dev,
                                    std::int64_t lda, float* b_dev, std::int64_t ldb, float vl, float vu,
                                    std::int64_t il, std::int64_t iu, std::int64_t* m, float* w_dev,
                                    float* z_dev, std::int64_t ldz, CUstream_st* stream) {
  return sygvdx_device(returned, itype, jobz, range, uplo, n, a_dev, lda, b_dev, ldb, vl, vu, il, iu, m,
                       w_dev, z_dev, ldz, stream);
}
std::int64_t eigen_g_ssygvdx_factored(int itype, char jobz, char range, char uplo, std::int64_t n, float* a,
                                      std::int64_t lda, float* b, std::int64_t ldb, float vl, float vu,
                                      std::int64_t il, std::int64_t iu, std::int64_t* m, float* w) {
  return sygvdx(given, itype, jobz, range, uplo, n, a, lda, b, ldb, vl, vu, il, iu, m, w);
}
std::int64_t eigen_g_ssygvdx_factored_device(int itype, char jobz, char range, char uplo, std::int64_t n,
                                             float* a_dev, std::int64_t lda, float* b_dev, std::int64_t ldb,
                                             float vl, float vu, std::int64_t il, std::int64_t iu,
                                             std::int64_t* m, float* w_dev, float* z_dev, std::int64_t ldz,
                                             CUstream_st* stream) {
  return sygvdx_device(given, itype, jobz, range, uplo, n, a_dev, lda, b_dev, ldb, vl, vu, il, iu, m, w_dev,
                       z_dev, ldz, stream);
}
std::int64_t eigen_g_zhegvd(int itype, char jobz, char uplo, std::int64_t n, eigen_g_double_complex* a,
                            std::int64_t lda, eigen_g_double_complex* b, std::int64_t ldb, double* w) {
  return sygvd_of(itype, jobz, uplo, n, of_c(a), lda, of_c(b), ldb, w);
}
std::int64_t eigen_g_zhegvd_device(int itype, char jobz, char uplo, std::int64_t n,
                                   eigen_g_double_complex* a_dev, std::int64_t lda,
                                   eigen_g_double_complex* b_dev, std::int64_t ldb, double* w_dev,
                                   eigen_g_double_complex* z_dev, std::int64_t ldz, CUstream_st* stream) {
  return sygvd_device(itype, jobz, uplo, n, of_c(a_dev), lda, of_c(b_dev), ldb, w_dev, of_c(z_dev), ldz,
                      stream);
}
std::int64_t eigen_g_zhegvdx(int itype, char jobz, char range, char uplo, std::int64_t n,
                             eigen_g_double_complex* a, std::int64_t lda, eigen_g_double_complex* b,
                             std::int64_t ldb, double vl, double vu, std::int64_t il, std::int64_t iu,
                             std::int64_t* m, double* w) {
  return sygvdx(returned, itype, jobz, range, uplo, n, of_c(a), lda, of_c(b), ldb, vl, vu, il, iu, m, w);
}
std::int64_t eigen_g_zhegvdx_device(int itype, char jobz, char range, char uplo, std::int64_t n,
                                    eigen_g_double_complex* a_dev, std::int64_t lda,
                                    eigen_g_double_complex* b_dev, std::int64_t ldb, double vl, double vu,
                                    std::int64_t il, std::int64_t iu, std::int64_t* m, double* w_dev,
                                    eigen_g_double_complex* z_dev, std::int64_t ldz, CUstream_st* stream) {
  return sygvdx_device(returned, itype, jobz, range, uplo, n, of_c(a_dev), lda, of_c(b_dev), ldb, vl, vu, il,
                       iu, m, w_dev, of_c(z_dev), ldz, stream);
}
std::int64_t eigen_g_zhegvdx_factored(int itype, char jobz, char range, char uplo, std::int64_t n,
                                      eigen_g_double_complex* a, std::int64_t lda, eigen_g_double_complex* b,
                                      std::int64_t ldb, double vl, double vu, std::int64_t il,
                                      std::int64_t iu, std::int64_t* m, double* w) {
  return sygvdx(given, itype, jobz, range, uplo, n, of_c(a), lda, of_c(b), ldb, vl, vu, il, iu, m, w);
}
std::int64_t eigen_g_zhegvdx_factored_device(int itype, char jobz, char range, char uplo, std::int64_t n,
                                             eigen_g_double_complex* a_dev, std::int64_t lda,
                                             eigen_g_double_complex* b_dev, std::int64_t ldb, double vl,
                                             double vu, std::int64_t il, std::int64_t iu, std::int64_t* m,
                                             double* w_dev, eigen_g_double_complex* z_dev, std::int64_t ldz,
                                             CUstream_st* stream) {
  return sygvdx_device(given, itype, jobz, range, uplo, n, of_c(a_dev), lda, of_c(b_dev), ldb, vl, vu, il, iu,
                       m, w_dev, of_c(z_dev), ldz, stream);
}
std::int64_t eigen_g_chegvd(int itype, char jobz, char uplo, std::int64_t n, eigen_g_complex* a,
                            std::int64_t lda, eigen_g_complex* b, std::int64_t ldb, float* w) {
  return sygvd_of(itype, jobz, uplo, n, of_c(a), lda, of_c(b), ldb, w);
}
std::int64_t eigen_g_chegvd_device(int itype, char jobz, char uplo, std::int64_t n, eigen_g_complex* a_dev,
                                   std::int64_t lda, eigen_g_complex* b_dev, std::int64_t ldb, float* w_dev,
                                   eigen_g_complex* z_dev, std::int64_t ldz, CUstream_st* stream) {
  return sygvd_device(itype, jobz, uplo, n, of_c(a_dev), lda, of_c(b_dev), ldb, w_dev, of_c(z_dev), ldz,
                      stream);
}
std::int64_t eigen_g_chegvdx(int itype, char jobz, char range, char uplo, std::int64_t n, eigen_g_complex* a,
                             std::int64_t lda, eigen_g_complex* b, std::int64_t ldb, float vl, float vu,
                             std::int64_t il, std::int64_t iu, std::int64_t* m, float* w) {
  return sygvdx(returned, itype, jobz, range, uplo, n, of_c(a), lda, of_c(b), ldb, vl, vu, il, iu, m, w);
}
std::int64_t eigen_g_chegvdx_device(int itype, char jobz, char range, char uplo, std::int64_t n,
                                    eigen_g_complex* a_dev, std::int64_t lda, eigen_g_complex* b_dev,
                                    std::int64_t ldb, float vl, float vu, std::int64_t il, std::int64_t iu,
                                    std::int64_t* m, float* w_dev, eigen_g_complex* z_dev, std::int64_t ldz,
                                    CUstream_st* stream) {
  return sygvdx_device(returned, itype, jobz, range, uplo, n, of_c(a_dev), lda, of_c(b_dev), ldb, vl, vu, il,
                       iu, m, w_dev, of_c(z_dev), ldz, stream);
}
std::int64_t eigen_g_chegvdx_factored(int itype, char jobz, char range, char uplo, std::int64_t n,
                                      eigen_g_complex* a, std::int64_t lda, eigen_g_complex* b,
                                      std::int64_t ldb, float vl, float vu, std::int64_t il, std::int64_t iu,
                                      std::int64_t* m, float* w) {
  return sygvdx(given, itype, jobz, range, uplo, n, of_c(a), lda, of_c(b), ldb, vl, vu, il, iu, m, w);
}
std::int64_t eigen_g_chegvdx_factored_device(int itype, char jobz, char range, char uplo, std::int64_t n,
                                             eigen_g_complex* a_dev, std::int64_t lda, eigen_g_complex* b_dev,
                                             std::int64_t ldb, float vl, float vu, std::int64_t il,
                                             std::int64_t iu, std::int64_t* m, float* w_dev,
                                             eigen_g_complex* z_dev, std::int64_t ldz, CUstream_st* stream) {
  return sygvdx_device(given, itype, jobz, range, uplo, n, of_c(a_dev), lda, of_c(b_dev), ldb, vl, vu, il, iu,
                       m, w_dev, of_c(z_dev), ldz, stream);
}

}  // extern "C"
