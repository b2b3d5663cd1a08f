#include "hybrid/c_info.hpp"
#include "solver/api/stages.h"
#include "solver/api/stages.hpp"

namespace {

using namespace eigen_g;
using Arg = Argument;

// Whether vectors are wanted.
bool vectors_of(char compz) {
  if (c_info::upper(compz) != 'N' && c_info::upper(compz) != 'I')
    throw InvalidArgument(Argument::job, "must be 'N' or 'I'");
  return c_info::upper(compz) == 'I';
}

std::int64_t info_of(const Report& report) {
  return report.status == Status::converged ? 0 : report.failed;
}

// Where vectors are wanted a null z is a mistake, not a wish for values only.
double* wanted(bool vectors, std::int64_t n, double* z) {
  if (vectors && !z && n > 0) throw InvalidArgument(Argument::z, "is null, but vectors are wanted");
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

}  // extern "C"
