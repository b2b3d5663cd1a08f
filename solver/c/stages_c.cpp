#include <initializer_list>

#include "hybrid/c_info.hpp"
#include "solver/api/stages.h"
#include "solver/api/stages.hpp"
#include "solver/c/c_arguments.hpp"

namespace {

using namespace eigen_g;

// The arguments of the entries on host pointers. The device forms have a stream after them.
constexpr auto sytrd_arguments = {"uplo", "n", "a", "lda", "d", "e", "tau"};
constexpr auto stedc_arguments = {"job", "n", "d", "e", "z", "ldz"};
constexpr auto ormtr_arguments = {"uplo", "n", "m", "a", "lda", "tau", "z", "ldz"};
constexpr auto sytrd_sy2sb_arguments = {"uplo", "n", "kd", "a", "lda", "ab", "ldab", "tau"};
constexpr auto sytrd_sb2st_arguments = {"uplo", "n", "kd", "ab", "ldab", "d", "e", "hous"};
constexpr auto ormtr_sb2st_arguments = {"n", "m", "kd", "hous", "z", "ldz"};
constexpr auto ormtr_sy2sb_arguments = {"uplo", "n", "m", "kd", "a", "lda", "tau", "z", "ldz"};

// An argument of C as the argument of C++: a letter is a triangle.
template <class X>
X of_c(X x) {
  return x;
}
Uplo of_c(char uplo) {
  return c_info::uplo_of(uplo);
}

// The info of stage(call, given...).
template <class Stage, class... Given>
std::int64_t info(std::initializer_list<const char*> arguments, Stage* stage, const StageCall& call,
                  Given... given) {
  return c_info::of(arguments, [&] { return c_arguments::info_of(stage(call, of_c(given)...)); });
}

// stedc with compz 'N': values only, or 'I': with vectors. If vectors are requested, a null z is an error. It does not mean values only.
std::int64_t stedc_info(const StageCall& call, char compz, std::int64_t n, double* d, double* e, double* z,
                        std::int64_t ldz) {
  return c_info::of(stedc_arguments, [&] {
    const bool vectors = c_arguments::vectors_of(compz, "NI");
    if (vectors && !z && n > 0)
      throw InvalidArgument(Argument::z, "is null; must be an array, unless only values are requested");
    return c_arguments::info_of(stedc_stage(call, n, d, e, vectors ? z : nullptr, ldz));
  });
}

}  // namespace

extern "C" {

std::int64_t eigen_g_dsytrd(char uplo, std::int64_t n, double* a, std::int64_t lda, double* d, double* e,
                            double* tau) {
  return info(sytrd_arguments, sytrd_stage, StageCall(), uplo, n, a, lda, d, e, tau);
}
std::int64_t eigen_g_dsytrd_device(char uplo, std::int64_t n, double* a_dev, std::int64_t lda, double* d_dev,
                                   double* e_dev, double* tau_dev, CUstream_st* stream) {
  return info(sytrd_arguments, sytrd_stage, stream, uplo, n, a_dev, lda, d_dev, e_dev, tau_dev);
}

std::int64_t eigen_g_dstedc(char compz, std::int64_t n, double* d, double* e, double* z, std::int64_t ldz) {
  return stedc_info(StageCall(), compz, n, d, e, z, ldz);
}
std::int64_t eigen_g_dstedc_device(char compz, std::int64_t n, double* d_dev, double* e_dev, double* z_dev,
                                   std::int64_t ldz, CUstream_st* stream) {
  return stedc_info(stream, compz, n, d_dev, e_dev, z_dev, ldz);
}

std::int64_t eigen_g_dormtr(char uplo, std::int64_t n, std::int64_t m, const double* a, std::int64_t lda,
                            const double* tau, double* z, std::int64_t ldz) {
  return info(ormtr_arguments, ormtr_stage, StageCall(), uplo, n, m, a, lda, tau, z, ldz);
}
std::int64_t eigen_g_dormtr_device(char uplo, std::int64_t n, std::int64_t m, const double* a_dev,
                                   std::int64_t lda, const double* tau_dev, double* z_dev, std::int64_t ldz,
                                   CUstream_st* stream) {
  return info(ormtr_arguments, ormtr_stage, stream, uplo, n, m, a_dev, lda, tau_dev, z_dev, ldz);
}

std::int64_t eigen_g_dsytrd_sy2sb(char uplo, std::int64_t n, std::int64_t kd, double* a, std::int64_t lda,
                                  double* ab, std::int64_t ldab, double* tau) {
  return info(sytrd_sy2sb_arguments, sytrd_sy2sb_stage, StageCall(), uplo, n, kd, a, lda, ab, ldab, tau);
}
std::int64_t eigen_g_dsytrd_sy2sb_device(char uplo, std::int64_t n, std::int64_t kd, double* a_dev,
                                         std::int64_t lda, double* ab_dev, std::int64_t ldab, double* tau_dev,
                                         CUstream_st* stream) {
  return info(sytrd_sy2sb_arguments, sytrd_sy2sb_stage, stream, uplo, n, kd, a_dev, lda, ab_dev, ldab,
              tau_dev);
}

std::int64_t eigen_g_dsytrd_sb2st(char uplo, std::int64_t n, std::int64_t kd, const double* ab,
                                  std::int64_t ldab, double* d, double* e, double* hous) {
  return info(sytrd_sb2st_arguments, sytrd_sb2st_stage, StageCall(), uplo, n, kd, ab, ldab, d, e, hous);
}
std::int64_t eigen_g_dsytrd_sb2st_device(char uplo, std::int64_t n, std::int64_t kd, const double* ab_dev,
                                         std::int64_t ldab, double* d_dev, double* e_dev, double* hous_dev,
                                         CUstream_st* stream) {
  return info(sytrd_sb2st_arguments, sytrd_sb2st_stage, stream, uplo, n, kd, ab_dev, ldab, d_dev, e_dev,
              hous_dev);
}

std::int64_t eigen_g_dsytrd_sb2st_hous(std::int64_t n, std::int64_t kd) {
  return c_info::of({"n", "kd"}, [&] { return sytrd_sb2st_hous(n, kd); });
}

std::int64_t eigen_g_dormtr_sb2st(std::int64_t n, std::int64_t m, std::int64_t kd, const double* hous,
                                  double* z, std::int64_t ldz) {
  return info(ormtr_sb2st_arguments, ormtr_sb2st_stage, StageCall(), n, m, kd, hous, z, ldz);
}
std::int64_t eigen_g_dormtr_sb2st_device(std::int64_t n, std::int64_t m, std::int64_t kd,
                                         const double* hous_dev, double* z_dev, std::int64_t ldz,
                                         CUstream_st* stream) {
  return info(ormtr_sb2st_arguments, ormtr_sb2st_stage, stream, n, m, kd, hous_dev, z_dev, ldz);
}

std::int64_t eigen_g_dormtr_sy2sb(char uplo, std::int64_t n, std::int64_t m, std::int64_t kd, const double* a,
                                  std::int64_t lda, const double* tau, double* z, std::int64_t ldz) {
  return info(ormtr_sy2sb_arguments, ormtr_sy2sb_stage, StageCall(), uplo, n, m, kd, a, lda, tau, z, ldz);
}
std::int64_t eigen_g_dormtr_sy2sb_device(char uplo, std::int64_t n, std::int64_t m, std::int64_t kd,
                                         const double* a_dev, std::int64_t lda, const double* tau_dev,
                                         double* z_dev, std::int64_t ldz, CUstream_st* stream) {
  return info(ormtr_sy2sb_arguments, ormtr_sy2sb_stage, stream, uplo, n, m, kd, a_dev, lda, tau_dev, z_dev,
              ldz);
}

}  // extern "C"
