#include <initializer_list>
#include <type_traits>

#include "hybrid/c_info.hpp"
#include "solver/api/stages.h"
#include "solver/api/stages.hpp"
#include "solver/c/c_arguments.hpp"

namespace {

using namespace eigen_g;

// The arguments of the entries on host pointers. The device forms have a stream after them.
constexpr auto sytrd_arguments = {"uplo", "n", "a", "lda", "d", "e", "tau"};
constexpr auto stedc_arguments = {"job", "n", "d", "e", "z", "ldz"};
constexpr auto ormtr_arguments = {"side", "uplo", "trans", "n", "m", "a", "lda", "tau", "z", "ldz"};
constexpr auto orgtr_arguments = {"uplo", "n", "a", "lda", "tau"};
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

// The type of C++ for a type of C.
template <class C>
using Cpp = std::remove_pointer_t<decltype(c_arguments::of_c(static_cast<C*>(nullptr)))>;

template <class C, class R>
std::int64_t sytrd_info(const StageCall& call, char uplo, std::int64_t n, C* a, std::int64_t lda, R* d, R* e,
                        C* tau) {
  return info(sytrd_arguments, sytrd_stage<Cpp<C>>, call, uplo, n, c_arguments::of_c(a), lda, d, e,
              c_arguments::of_c(tau));
}

// stedc with compz 'N': values only, 'I': with vectors, 'V': Z := Z U. If vectors are requested, a null z is an error. It does not mean
// values only.
template <class C, class R>
std::int64_t stedc_info(const StageCall& call, char compz, std::int64_t n, R* d, R* e, C* z,
                        std::int64_t ldz) {
  return c_info::of(stedc_arguments, [&] {
    const char letter = c_arguments::one_of("NIV", compz, Argument::job);
    if (letter != 'N' && !z && n > 0)
      throw InvalidArgument(Argument::z, "is null; must be an array, unless only values are requested");
    TridiagonalVectors vectors;
    if (letter == 'V') vectors.compz = TridiagonalVectors::Compz::multiply;
    return c_arguments::info_of(
        stedc_stage(call, vectors, n, d, e, letter == 'N' ? nullptr : c_arguments::of_c(z), ldz));
  });
}

// trans is 'N', or 'T' for a real matrix and 'C' for a complex one.
template <class C>
std::int64_t ormtr_info(const StageCall& call, char side, char uplo, char trans, std::int64_t n,
                        std::int64_t m, const C* a, std::int64_t lda, const C* tau, C* z, std::int64_t ldz) {
  return c_info::of(ormtr_arguments, [&] {
    const auto of_side = static_cast<Side>(c_info::upper(side));
    const char letter = c_info::upper(trans), adjoint = is_complex<Cpp<C>> ? 'C' : 'T';
    const Trans of_trans = letter == 'N' ? Trans::none
                           : letter == adjoint
                               ? Trans::adjoint
                               : throw InvalidArgument("trans", "must be 'N', or 'T' (real), 'C' (complex)");
    return c_arguments::info_of(
        ormtr_stage<Cpp<C>>(call, of_side, of_c(uplo), of_trans, n, m, reinterpret_cast<const Cpp<C>*>(a),
                            lda, reinterpret_cast<const Cpp<C>*>(tau), c_arguments::of_c(z), ldz));
  });
}

template <class C>
std::int64_t orgtr_info(const StageCall& call, char uplo, std::int64_t n, C* a, std::int64_t lda,
                        const C* tau) {
  return info(orgtr_arguments, orgtr_stage<Cpp<C>>, call, uplo, n, c_arguments::of_c(a), lda,
              reinterpret_cast<const Cpp<C>*>(tau));
}

}  // namespace

#define EIGEN_G_SYTRD(name, C, R)                                                                       \
  std::int64_t eigen_g_##name(char uplo, std::int64_t n, C* a, std::int64_t lda, R* d, R* e, C* tau) {  \
    return sytrd_info(StageCall(), uplo, n, a, lda, d, e, tau);                                         \
  }                                                                                                     \
  std::int64_t eigen_g_##name##_device(char uplo, std::int64_t n, C* a_dev, std::int64_t lda, R* d_dev, \
                                       R* e_dev, C* tau_dev, CUstream_st* stream) {                     \
    return sytrd_info(stream, uplo, n, a_dev, lda, d_dev, e_dev, tau_dev);                              \
  }
#define EIGEN_G_STEDC(name, C, R)                                                                \
  std::int64_t eigen_g_##name(char compz, std::int64_t n, R* d, R* e, C* z, std::int64_t ldz) {  \
    return stedc_info(StageCall(), compz, n, d, e, z, ldz);                                      \
  }                                                                                              \
  std::int64_t eigen_g_##name##_device(char compz, std::int64_t n, R* d_dev, R* e_dev, C* z_dev, \
                                       std::int64_t ldz, CUstream_st* stream) {                  \
    return stedc_info(stream, compz, n, d_dev, e_dev, z_dev, ldz);                               \
  }
#define EIGEN_G_ORMTR(name, C)                                                                              \
  std::int64_t eigen_g_##name(char side, char uplo, char trans, std::int64_t n, std::int64_t m, const C* a, \
                              std::int64_t lda, const C* tau, C* z, std::int64_t ldz) {                     \
    return ormtr_info(StageCall(), side, uplo, trans, n, m, a, lda, tau, z, ldz);                           \
  }                                                                                                         \
  std::int64_t eigen_g_##name##_device(char side, char uplo, char trans, std::int64_t n, std::int64_t m,    \
                                       const C* a_dev, std::int64_t lda, const C* tau_dev, C* z_dev,        \
                                       std::int64_t ldz, CUstream_st* stream) {                             \
    return ormtr_info(stream, side, uplo, trans, n, m, a_dev, lda, tau_dev, z_dev, ldz);                    \
  }
#define EIGEN_G_ORGTR(name, C)                                                                   \
  std::int64_t eigen_g_##name(char uplo, std::int64_t n, C* a, std::int64_t lda, const C* tau) { \
    return orgtr_info(StageCall(), uplo, n, a, lda, tau);                                        \
  }                                                                                              \
  std::int64_t eigen_g_##name##_device(char uplo, std::int64_t n, C* a_dev, std::int64_t lda,    \
                                       const C* tau_dev, CUstream_st* stream) {                  \
    return orgtr_info(stream, uplo, n, a_dev, lda, tau_dev);                                     \
  }

extern "C" {

EIGEN_G_SYTRD(dsytrd, double, double)
EIGEN_G_SYTRD(ssytrd, float, float)
EIGEN_G_SYTRD(zhetrd, eigen_g_double_complex, double)
EIGEN_G_SYTRD(chetrd, eigen_g_complex, float)

EIGEN_G_STEDC(dstedc, double, double)
EIGEN_G_STEDC(sstedc, float, float)
EIGEN_G_STEDC(zstedc, eigen_g_double_complex, double)
EIGEN_G_STEDC(cstedc, eigen_g_complex, float)

EIGEN_G_ORMTR(dormtr, double)
EIGEN_G_ORMTR(sormtr, float)
EIGEN_G_ORMTR(zunmtr, eigen_g_double_complex)
EIGEN_G_ORMTR(cunmtr, eigen_g_complex)

EIGEN_G_ORGTR(dorgtr, double)
EIGEN_G_ORGTR(sorgtr, float)
EIGEN_G_ORGTR(zungtr, eigen_g_double_complex)
EIGEN_G_ORGTR(cungtr, eigen_g_complex)

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
