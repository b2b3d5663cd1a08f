#include "hybrid/c_info.hpp"
#include "solver/api/stages.h"
#include "solver/api/stages.hpp"
#include "solver/c/c_arguments.hpp"

namespace {

using namespace eigen_g;
using c_arguments::info_of;
using Arg = Argument;

// 'N': values only, 'I': with vectors.
bool vectors_of(char compz) {
  if (c_info::upper(compz) != 'N' && c_info::upper(compz) != 'I')
    throw InvalidArgument(Argument::job, "must be 'N' or 'I'");
  return c_info::upper(compz) == 'I';
}

// If vectors are requested, a null z is an error. It does not mean values only.
double* wanted(bool vectors, std::int64_t n, double* z) {
  if (vectors && !z && n > 0)
    throw InvalidArgument(Argument::z, "is null; must be an array, unless only values are requested");
  return vectors ? z : nullptr;
}

}  // namespace

extern "C" {

std::int64_t eigen_g_dsytrd(char uplo, std::int64_t n, double* a, std::int64_t lda, double* d, double* e,
                            double* tau) {
  return c_info::of({Arg::uplo, Arg::n, Arg::a, Arg::lda, Arg::d, Arg::e, Arg::tau},
                    [&] { return info_of(sytrd(c_info::uplo_of(uplo), n, a, lda, d, e, tau)); });
}

std::int64_t eigen_g_dsytrd_device(char uplo, std::int64_t n, double* a_dev, std::int64_t lda, double* d_dev,
                                   double* e_dev, double* tau_dev, CUstream_st* stream) {
  return c_info::of({Arg::uplo, Arg::n, Arg::a, Arg::lda, Arg::d, Arg::e, Arg::tau}, [&] {
    return info_of(sytrd(c_info::uplo_of(uplo), n, device(a_dev), lda, device(d_dev), device(e_dev),
                         device(tau_dev), stream));
  });
}

std::int64_t eigen_g_dstedc(char compz, std::int64_t n, double* d, double* e, double* z, std::int64_t ldz) {
  return c_info::of({Arg::job, Arg::n, Arg::d, Arg::e, Arg::z, Arg::ldz},
                    [&] { return info_of(stedc(n, d, e, wanted(vectors_of(compz), n, z), ldz)); });
}

std::int64_t eigen_g_dstedc_device(char compz, std::int64_t n, double* d_dev, double* e_dev, double* z_dev,
                                   std::int64_t ldz, CUstream_st* stream) {
  return c_info::of({Arg::job, Arg::n, Arg::d, Arg::e, Arg::z, Arg::ldz}, [&] {
    return info_of(
        stedc(n, device(d_dev), device(e_dev), device(wanted(vectors_of(compz), n, z_dev)), ldz, stream));
  });
}

std::int64_t eigen_g_dormtr(char uplo, std::int64_t n, std::int64_t m, const double* a, std::int64_t lda,
                            const double* tau, double* z, std::int64_t ldz) {
  return c_info::of({Arg::uplo, Arg::n, Arg::m, Arg::a, Arg::lda, Arg::tau, Arg::z, Arg::ldz},
                    [&] { return info_of(ormtr(c_info::uplo_of(uplo), n, m, a, lda, tau, z, ldz)); });
}

std::int64_t eigen_g_dormtr_device(char uplo, std::int64_t n, std::int64_t m, const double* a_dev,
                                   std::int64_t lda, const double* tau_dev, double* z_dev, std::int64_t ldz,
                                   CUstream_st* stream) {
  return c_info::of({Arg::uplo, Arg::n, Arg::m, Arg::a, Arg::lda, Arg::tau, Arg::z, Arg::ldz}, [&] {
    return info_of(
        ormtr(c_info::uplo_of(uplo), n, m, device(a_dev), lda, device(tau_dev), device(z_dev), ldz, stream));
  });
}

std::int64_t eigen_g_dsytrd_sy2sb(char uplo, std::int64_t n, std::int64_t kd, double* a, std::int64_t lda,
                                  double* ab, std::int64_t ldab, double* tau) {
  return c_info::of({"uplo", "n", "kd", "a", "lda", "ab", "ldab", "tau"}, [&] {
    return info_of(sytrd_sy2sb(c_info::uplo_of(uplo), n, kd, a, lda, ab, ldab, tau));
  });
}

std::int64_t eigen_g_dsytrd_sy2sb_device(char uplo, std::int64_t n, std::int64_t kd, double* a_dev,
                                         std::int64_t lda, double* ab_dev, std::int64_t ldab, double* tau_dev,
                                         CUstream_st* stream) {
  return c_info::of({"uplo", "n", "kd", "a", "lda", "ab", "ldab", "tau"}, [&] {
    return info_of(sytrd_sy2sb(c_info::uplo_of(uplo), n, kd, device(a_dev), lda, device(ab_dev), ldab,
                               device(tau_dev), stream));
  });
}

std::int64_t eigen_g_dsytrd_sb2st(char uplo, std::int64_t n, std::int64_t kd, const double* ab,
                                  std::int64_t ldab, double* d, double* e, double* hous) {
  return c_info::of({"uplo", "n", "kd", "ab", "ldab", "d", "e", "hous"},
                    [&] { return info_of(sytrd_sb2st(c_info::uplo_of(uplo), n, kd, ab, ldab, d, e, hous)); });
}

std::int64_t eigen_g_dsytrd_sb2st_device(char uplo, std::int64_t n, std::int64_t kd, const double* ab_dev,
                                         std::int64_t ldab, double* d_dev, double* e_dev, double* hous_dev,
                                         CUstream_st* stream) {
  return c_info::of({"uplo", "n", "kd", "ab", "ldab", "d", "e", "hous"}, [&] {
    return info_of(sytrd_sb2st(c_info::uplo_of(uplo), n, kd, device(ab_dev), ldab, device(d_dev),
                               device(e_dev), device(hous_dev), stream));
  });
}

std::int64_t eigen_g_dsytrd_sb2st_hous(std::int64_t n, std::int64_t kd) {
  return c_info::of({"n", "kd"}, [&] { return sytrd_sb2st_hous(n, kd); });
}

std::int64_t eigen_g_dormtr_sb2st(std::int64_t n, std::int64_t m, std::int64_t kd, const double* hous,
                                  double* z, std::int64_t ldz) {
  return c_info::of({"n", "m", "kd", "hous", "z", "ldz"},
                    [&] { return info_of(ormtr_sb2st(n, m, kd, hous, z, ldz)); });
}

std::int64_t eigen_g_dormtr_sb2st_device(std::int64_t n, std::int64_t m, std::int64_t kd,
                                         const double* hous_dev, double* z_dev, std::int64_t ldz,
                                         CUstream_st* stream) {
  return c_info::of({"n", "m", "kd", "hous", "z", "ldz"}, [&] {
    return info_of(ormtr_sb2st(n, m, kd, device(hous_dev), device(z_dev), ldz, stream));
  });
}

std::int64_t eigen_g_dormtr_sy2sb(char uplo, std::int64_t n, std::int64_t m, std::int64_t kd, const double* a,
                                  std::int64_t lda, const double* tau, double* z, std::int64_t ldz) {
  return c_info::of({"uplo", "n", "m", "kd", "a", "lda", "tau", "z", "ldz"}, [&] {
    return info_of(ormtr_sy2sb(c_info::uplo_of(uplo), n, m, kd, a, lda, tau, z, ldz));
  });
}

std::int64_t eigen_g_dormtr_sy2sb_device(char uplo, std::int64_t n, std::int64_t m, std::int64_t kd,
                                         const double* a_dev, std::int64_t lda, const double* tau_dev,
                                         double* z_dev, std::int64_t ldz, CUstream_st* stream) {
  return c_info::of({"uplo", "n", "m", "kd", "a", "lda", "tau", "z", "ldz"}, [&] {
    return info_of(ormtr_sy2sb(c_info::uplo_of(uplo), n, m, kd, device(a_dev), lda, device(tau_dev),
                               device(z_dev), ldz, stream));
  });
}

}  // extern "C"
