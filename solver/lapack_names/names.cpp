// The exported names of libeigen_g_lapack: every routine in every form of its name.
#include <cstdint>
#include <iterator>

#include "solver/lapack_names/call.hpp"
#include "solver/lapack_names/routine.hpp"

// Each routine's arguments in LAPACK's order, and the least lengths of work, rwork and iwork: for every call, or first without and then
// with vectors, and last with compz 'V'. The least length of a two-stage routine's work is what LAPACK's query answers, and it has no vectors.
namespace eigen_g::lapack_names::families {

constexpr bool two_stage = true;

namespace real {

constexpr Family syev("jobz uplo n a lda w work lwork info", Lengths{{-1, 3}});
constexpr Family syevd("jobz uplo n a lda w work lwork iwork liwork info", Lengths{{1, 2}, {}, {1}},
                       Lengths{{1, 6, 2}, {}, {3, 5}});
constexpr Family syevr(
    "jobz range uplo n a lda vl vu il iu abstol m w z ldz isuppz work lwork iwork liwork info",
    Lengths{{0, 26}, {}, {0, 10}});
constexpr Family syevx("jobz range uplo n a lda vl vu il iu abstol m w z ldz work lwork iwork ifail info",
                       Lengths{{0, 8}});
constexpr Family syev_2stage("jobz uplo n a lda w work lwork info", {}, {}, two_stage);
constexpr Family syevd_2stage("jobz uplo n a lda w work lwork iwork liwork info", Lengths{{}, {}, {1}}, {},
                              two_stage);
constexpr Family syevr_2stage(
    "jobz range uplo n a lda vl vu il iu abstol m w z ldz isuppz work lwork iwork liwork info",
    Lengths{{}, {}, {0, 10}}, {}, two_stage);
constexpr Family syevx_2stage(
    "jobz range uplo n a lda vl vu il iu abstol m w z ldz work lwork iwork ifail info", {}, {}, two_stage);
constexpr Family sygv("itype jobz uplo n a lda b ldb w work lwork info", Lengths{{-1, 3}});
constexpr Family sygvd("itype jobz uplo n a lda b ldb w work lwork iwork liwork info",
                       Lengths{{1, 2}, {}, {1}}, Lengths{{1, 6, 2}, {}, {3, 5}});
constexpr Family sygvx(
    "itype jobz range uplo n a lda b ldb vl vu il iu abstol m w z ldz work lwork iwork ifail info",
    Lengths{{0, 8}});
constexpr Family sygv_2stage("itype jobz uplo n a lda b ldb w work lwork info", {}, {}, two_stage);
constexpr Family spev("jobz uplo n ap w z ldz work info");
constexpr Family spevd("jobz uplo n ap w z ldz work lwork iwork liwork info", Lengths{{0, 2}, {}, {1}},
                       Lengths{{1, 6, 1}, {}, {3, 5}});
constexpr Family spevx("jobz range uplo n ap vl vu il iu abstol m w z ldz work iwork ifail info");
constexpr Family spgv("itype jobz uplo n ap bp w z ldz work info");
constexpr Family spgvd("itype jobz uplo n ap bp w z ldz work lwork iwork liwork info",
                       Lengths{{0, 2}, {}, {1}}, Lengths{{1, 6, 2}, {}, {3, 5}});
constexpr Family spgvx("itype jobz range uplo n ap bp vl vu il iu abstol m w z ldz work iwork ifail info");
constexpr Family sbev("jobz uplo n kd ab ldab w z ldz work info");
constexpr Family sbevd("jobz uplo n kd ab ldab w z ldz work lwork iwork liwork info",
                       Lengths{{0, 2}, {}, {1}}, Lengths{{1, 5, 2}, {}, {3, 5}});
constexpr Family sbevx(
    "jobz range uplo n kd ab ldab q ldq vl vu il iu abstol m w z ldz work iwork ifail info");
constexpr Family sbev_2stage("jobz uplo n kd ab ldab w z ldz work lwork info", {}, {}, two_stage);
constexpr Family sbevd_2stage("jobz uplo n kd ab ldab w z ldz work lwork iwork liwork info",
                              Lengths{{}, {}, {1}}, {}, two_stage);
constexpr Family sbevx_2stage(
    "jobz range uplo n kd ab ldab q ldq vl vu il iu abstol m w z ldz work lwork iwork ifail info", {}, {},
    two_stage);
constexpr Family sbgv("jobz uplo n ka kb ab ldab bb ldbb w z ldz work info");
constexpr Family sbgvd("jobz uplo n ka kb ab ldab bb ldbb w z ldz work lwork iwork liwork info",
                       Lengths{{0, 2}, {}, {1}}, Lengths{{1, 5, 2}, {}, {3, 5}});
constexpr Family sbgvx(
    "jobz range uplo n ka kb ab ldab bb ldbb q ldq vl vu il iu abstol m w z ldz work iwork ifail info");

constexpr Family stev("jobz n d e z ldz work info");
constexpr Family stevd("jobz n d e z ldz work lwork iwork liwork info", Lengths{{1}, {}, {1}},
                       Lengths{{1, 4, 1}, {}, {3, 5}});
constexpr Family stevr("jobz range n d e vl vu il iu abstol m w z ldz isuppz work lwork iwork liwork info",
                       Lengths{{0, 20}, {}, {0, 10}});
constexpr Family stevx("jobz range n d e vl vu il iu abstol m w z ldz work iwork ifail info");
constexpr Family sytrd("uplo n a lda d e tau work lwork info", Lengths{{1}});
constexpr Family ormtr("side uplo trans rows cols a lda tau c ldc work lwork info", Lengths{{0, 1}});
constexpr Family orgtr("uplo n a lda tau work lwork info", Lengths{{-1, 1}});
constexpr Family stedc("compz n d e z ldz work lwork iwork liwork info", Lengths{{1}, {}, {1}},
                       Lengths{{1, 4, 1}, {}, {3, 5}}, false, Lengths{{1, 3, 4, 2}, {}, {6, 6, 0, 5}});
constexpr Family sterf("n d e info");

}  // namespace real

namespace complex {

constexpr Family hetrd("uplo n a lda d e tau work lwork info", Lengths{{1}});
constexpr Family unmtr("side uplo trans rows cols a lda tau c ldc work lwork info", Lengths{{0, 1}});
constexpr Family ungtr("uplo n a lda tau work lwork info", Lengths{{-1, 1}});
constexpr Family heev("jobz uplo n a lda w work lwork rwork info", Lengths{{-1, 2}});
constexpr Family heevd("jobz uplo n a lda w work lwork rwork lrwork iwork liwork info",
                       Lengths{{1, 1}, {0, 1}, {1}}, Lengths{{0, 2, 1}, {1, 5, 2}, {3, 5}});
constexpr Family heevr(
    "jobz range uplo n a lda vl vu il iu abstol m w z ldz isuppz work lwork rwork lrwork iwork liwork info",
    Lengths{{0, 2}, {0, 24}, {0, 10}});
constexpr Family heevx(
    "jobz range uplo n a lda vl vu il iu abstol m w z ldz work lwork rwork iwork ifail info",
    Lengths{{0, 2}});
constexpr Family heev_2stage("jobz uplo n a lda w work lwork rwork info", {}, {}, two_stage);
constexpr Family heevd_2stage("jobz uplo n a lda w work lwork rwork lrwork iwork liwork info",
                              Lengths{{}, {0, 1}, {1}}, {}, two_stage);
constexpr Family heevr_2stage(
    "jobz range uplo n a lda vl vu il iu abstol m w z ldz isuppz work lwork rwork lrwork iwork liwork info",
    Lengths{{}, {0, 24}, {0, 10}}, {}, two_stage);
constexpr Family heevx_2stage(
    "jobz range uplo n a lda vl vu il iu abstol m w z ldz work lwork rwork iwork ifail info", {}, {},
    two_stage);
constexpr Family hegv("itype jobz uplo n a lda b ldb w work lwork rwork info", Lengths{{-1, 2}});
constexpr Family hegvd("itype jobz uplo n a lda b ldb w work lwork rwork lrwork iwork liwork info",
                       Lengths{{1, 1}, {0, 1}, {1}}, Lengths{{0, 2, 1}, {1, 5, 2}, {3, 5}});
constexpr Family hegvx(
    "itype jobz range uplo n a lda b ldb vl vu il iu abstol m w z ldz work lwork rwork iwork ifail info",
    Lengths{{0, 2}});
constexpr Family hegv_2stage("itype jobz uplo n a lda b ldb w work lwork rwork info", {}, {}, two_stage);
constexpr Family hpev("jobz uplo n ap w z ldz work rwork info");
constexpr Family hpevd("jobz uplo n ap w z ldz work lwork rwork lrwork iwork liwork info",
                       Lengths{{0, 1}, {0, 1}, {1}}, Lengths{{0, 2}, {1, 5, 2}, {3, 5}});
constexpr Family hpevx("jobz range uplo n ap vl vu il iu abstol m w z ldz work rwork iwork ifail info");
constexpr Family hpgv("itype jobz uplo n ap bp w z ldz work rwork info");
constexpr Family hpgvd("itype jobz uplo n ap bp w z ldz work lwork rwork lrwork iwork liwork info",
                       Lengths{{0, 1}, {0, 1}, {1}}, Lengths{{0, 2}, {1, 5, 2}, {3, 5}});
constexpr Family hpgvx(
    "itype jobz range uplo n ap bp vl vu il iu abstol m w z ldz work rwork iwork ifail info");
constexpr Family hbev("jobz uplo n kd ab ldab w z ldz work rwork info");
constexpr Family hbevd("jobz uplo n kd ab ldab w z ldz work lwork rwork lrwork iwork liwork info",
                       Lengths{{0, 1}, {0, 1}, {1}}, Lengths{{0, 0, 2}, {1, 5, 2}, {3, 5}});
constexpr Family hbevx(
    "jobz range uplo n kd ab ldab q ldq vl vu il iu abstol m w z ldz work rwork iwork ifail info");
constexpr Family hbev_2stage("jobz uplo n kd ab ldab w z ldz work lwork rwork info", {}, {}, two_stage);
constexpr Family hbevd_2stage("jobz uplo n kd ab ldab w z ldz work lwork rwork lrwork iwork liwork info",
                              Lengths{{}, {0, 1}, {1}}, {}, two_stage);
constexpr Family hbevx_2stage(
    "jobz range uplo n kd ab ldab q ldq vl vu il iu abstol m w z ldz work lwork rwork iwork ifail info", {},
    {}, two_stage);
constexpr Family hbgv("jobz uplo n ka kb ab ldab bb ldbb w z ldz work rwork info");
constexpr Family hbgvd("jobz uplo n ka kb ab ldab bb ldbb w z ldz work lwork rwork lrwork iwork liwork info",
                       Lengths{{0, 1}, {0, 1}, {1}}, Lengths{{0, 0, 2}, {1, 5, 2}, {3, 5}});
constexpr Family hbgvx(
    "jobz range uplo n ka kb ab ldab bb ldbb q ldq vl vu il iu abstol m w z ldz work rwork iwork ifail info");

constexpr Family stedc("compz n d e z ldz work lwork rwork lrwork iwork liwork info", Lengths{{1}, {1}, {1}},
                       Lengths{{1}, {1, 4, 2}, {3, 5}}, false,
                       Lengths{{0, 0, 1}, {1, 3, 4, 2}, {6, 6, 0, 5}});

}  // namespace complex

namespace s = real;
namespace d = real;
namespace c = complex;
namespace z = complex;

}  // namespace eigen_g::lapack_names::families

// ENTRY(FORM, INTEGER, TYPE, name, number of arguments) for each routine. FORM(name, NAME) makes the exported name from a routine's
// name in lower and in upper case.
// clang-format off
#define EIGEN_G_REAL_NAMES(E, F, I, t, T) \
  E(F, I, t, T, syev, SYEV, 9) E(F, I, t, T, syevd, SYEVD, 11) E(F, I, t, T, syevr, SYEVR, 21) \
  E(F, I, t, T, syevx, SYEVX, 20) E(F, I, t, T, syev_2stage, SYEV_2STAGE, 9) \
  E(F, I, t, T, syevd_2stage, SYEVD_2STAGE, 11) E(F, I, t, T, syevr_2stage, SYEVR_2STAGE, 21) \
  E(F, I, t, T, syevx_2stage, SYEVX_2STAGE, 20) E(F, I, t, T, sygv, SYGV, 12) E(F, I, t, T, sygvd, SYGVD, 14) \
  E(F, I, t, T, sygvx, SYGVX, 23) E(F, I, t, T, sygv_2stage, SYGV_2STAGE, 12) E(F, I, t, T, spev, SPEV, 9) \
  E(F, I, t, T, spevd, SPEVD, 12) E(F, I, t, T, spevx, SPEVX, 18) E(F, I, t, T, spgv, SPGV, 11) \
  E(F, I, t, T, spgvd, SPGVD, 14) E(F, I, t, T, spgvx, SPGVX, 20) E(F, I, t, T, sbev, SBEV, 11) \
  E(F, I, t, T, sbevd, SBEVD, 14) E(F, I, t, T, sbevx, SBEVX, 22) E(F, I, t, T, sbev_2stage, SBEV_2STAGE, 12) \
  E(F, I, t, T, sbevd_2stage, SBEVD_2STAGE, 14) E(F, I, t, T, sbevx_2stage, SBEVX_2STAGE, 23) \
  E(F, I, t, T, sbgv, SBGV, 14) E(F, I, t, T, sbgvd, SBGVD, 17) E(F, I, t, T, sbgvx, SBGVX, 25)
#define EIGEN_G_STAGE_NAMES(E, F, I, t, T) \
  E(F, I, t, T, stev, STEV, 8) E(F, I, t, T, stevd, STEVD, 11) E(F, I, t, T, stevr, STEVR, 20) \
  E(F, I, t, T, stevx, STEVX, 18) E(F, I, t, T, sytrd, SYTRD, 10) E(F, I, t, T, ormtr, ORMTR, 13) \
  E(F, I, t, T, orgtr, ORGTR, 8) E(F, I, t, T, stedc, STEDC, 11) E(F, I, t, T, sterf, STERF, 4)
#define EIGEN_G_COMPLEX_NAMES(E, F, I, t, T) \
  E(F, I, t, T, hetrd, HETRD, 10) E(F, I, t, T, unmtr, UNMTR, 13) E(F, I, t, T, ungtr, UNGTR, 8) \
  E(F, I, t, T, heev, HEEV, 10) E(F, I, t, T, heevd, HEEVD, 13) E(F, I, t, T, heevr, HEEVR, 23) \
  E(F, I, t, T, heevx, HEEVX, 21) E(F, I, t, T, heev_2stage, HEEV_2STAGE, 10) \
  E(F, I, t, T, heevd_2stage, HEEVD_2STAGE, 13) E(F, I, t, T, heevr_2stage, HEEVR_2STAGE, 23) \
  E(F, I, t, T, heevx_2stage, HEEVX_2STAGE, 21) E(F, I, t, T, hegv, HEGV, 13) E(F, I, t, T, hegvd, HEGVD, 16) \
  E(F, I, t, T, hegvx, HEGVX, 24) E(F, I, t, T, hegv_2stage, HEGV_2STAGE, 13) E(F, I, t, T, hpev, HPEV, 10) \
  E(F, I, t, T, hpevd, HPEVD, 14) E(F, I, t, T, hpevx, HPEVX, 19) E(F, I, t, T, hpgv, HPGV, 12) \
  E(F, I, t, T, hpgvd, HPGVD, 16) E(F, I, t, T, hpgvx, HPGVX, 21) E(F, I, t, T, hbev, HBEV, 12) \
  E(F, I, t, T, hbevd, HBEVD, 16) E(F, I, t, T, hbevx, HBEVX, 23) E(F, I, t, T, hbev_2stage, HBEV_2STAGE, 13) \
  E(F, I, t, T, hbevd_2stage, HBEVD_2STAGE, 16) E(F, I, t, T, hbevx_2stage, HBEVX_2STAGE, 24) \
  E(F, I, t, T, hbgv, HBGV, 15) E(F, I, t, T, hbgvd, HBGVD, 19) E(F, I, t, T, hbgvx, HBGVX, 26) \
  E(F, I, t, T, stedc, STEDC, 13)

// PARAMETERS_k declares p1 to pk, ARGUMENTS_k lists them.
#define EIGEN_G_PARAMETERS_1 void* p1
#define EIGEN_G_PARAMETERS_2 EIGEN_G_PARAMETERS_1, void* p2
#define EIGEN_G_PARAMETERS_3 EIGEN_G_PARAMETERS_2, void* p3
#define EIGEN_G_PARAMETERS_4 EIGEN_G_PARAMETERS_3, void* p4
#define EIGEN_G_PARAMETERS_5 EIGEN_G_PARAMETERS_4, void* p5
#define EIGEN_G_PARAMETERS_6 EIGEN_G_PARAMETERS_5, void* p6
#define EIGEN_G_PARAMETERS_7 EIGEN_G_PARAMETERS_6, void* p7
#define EIGEN_G_PARAMETERS_8 EIGEN_G_PARAMETERS_7, void* p8
#define EIGEN_G_PARAMETERS_9 EIGEN_G_PARAMETERS_8, void* p9
#define EIGEN_G_PARAMETERS_10 EIGEN_G_PARAMETERS_9, void* p10
#define EIGEN_G_PARAMETERS_11 EIGEN_G_PARAMETERS_10, void* p11
#define EIGEN_G_PARAMETERS_12 EIGEN_G_PARAMETERS_11, void* p12
#define EIGEN_G_PARAMETERS_13 EIGEN_G_PARAMETERS_12, void* p13
#define EIGEN_G_PARAMETERS_14 EIGEN_G_PARAMETERS_13, void* p14
#define EIGEN_G_PARAMETERS_15 EIGEN_G_PARAMETERS_14, void* p15
#define EIGEN_G_PARAMETERS_16 EIGEN_G_PARAMETERS_15, void* p16
#define EIGEN_G_PARAMETERS_17 EIGEN_G_PARAMETERS_16, void* p17
#define EIGEN_G_PARAMETERS_18 EIGEN_G_PARAMETERS_17, void* p18
#define EIGEN_G_PARAMETERS_19 EIGEN_G_PARAMETERS_18, void* p19
#define EIGEN_G_PARAMETERS_20 EIGEN_G_PARAMETERS_19, void* p20
#define EIGEN_G_PARAMETERS_21 EIGEN_G_PARAMETERS_20, void* p21
#define EIGEN_G_PARAMETERS_22 EIGEN_G_PARAMETERS_21, void* p22
#define EIGEN_G_PARAMETERS_23 EIGEN_G_PARAMETERS_22, void* p23
#define EIGEN_G_PARAMETERS_24 EIGEN_G_PARAMETERS_23, void* p24
#define EIGEN_G_PARAMETERS_25 EIGEN_G_PARAMETERS_24, void* p25
#define EIGEN_G_PARAMETERS_26 EIGEN_G_PARAMETERS_25, void* p26
#define EIGEN_G_ARGUMENTS_1 p1
#define EIGEN_G_ARGUMENTS_2 EIGEN_G_ARGUMENTS_1, p2
#define EIGEN_G_ARGUMENTS_3 EIGEN_G_ARGUMENTS_2, p3
#define EIGEN_G_ARGUMENTS_4 EIGEN_G_ARGUMENTS_3, p4
#define EIGEN_G_ARGUMENTS_5 EIGEN_G_ARGUMENTS_4, p5
#define EIGEN_G_ARGUMENTS_6 EIGEN_G_ARGUMENTS_5, p6
#define EIGEN_G_ARGUMENTS_7 EIGEN_G_ARGUMENTS_6, p7
#define EIGEN_G_ARGUMENTS_8 EIGEN_G_ARGUMENTS_7, p8
#define EIGEN_G_ARGUMENTS_9 EIGEN_G_ARGUMENTS_8, p9
#define EIGEN_G_ARGUMENTS_10 EIGEN_G_ARGUMENTS_9, p10
#define EIGEN_G_ARGUMENTS_11 EIGEN_G_ARGUMENTS_10, p11
#define EIGEN_G_ARGUMENTS_12 EIGEN_G_ARGUMENTS_11, p12
#define EIGEN_G_ARGUMENTS_13 EIGEN_G_ARGUMENTS_12, p13
#define EIGEN_G_ARGUMENTS_14 EIGEN_G_ARGUMENTS_13, p14
#define EIGEN_G_ARGUMENTS_15 EIGEN_G_ARGUMENTS_14, p15
#define EIGEN_G_ARGUMENTS_16 EIGEN_G_ARGUMENTS_15, p16
#define EIGEN_G_ARGUMENTS_17 EIGEN_G_ARGUMENTS_16, p17
#define EIGEN_G_ARGUMENTS_18 EIGEN_G_ARGUMENTS_17, p18
#define EIGEN_G_ARGUMENTS_19 EIGEN_G_ARGUMENTS_18, p19
#define EIGEN_G_ARGUMENTS_20 EIGEN_G_ARGUMENTS_19, p20
#define EIGEN_G_ARGUMENTS_21 EIGEN_G_ARGUMENTS_20, p21
#define EIGEN_G_ARGUMENTS_22 EIGEN_G_ARGUMENTS_21, p22
#define EIGEN_G_ARGUMENTS_23 EIGEN_G_ARGUMENTS_22, p23
#define EIGEN_G_ARGUMENTS_24 EIGEN_G_ARGUMENTS_23, p24
#define EIGEN_G_ARGUMENTS_25 EIGEN_G_ARGUMENTS_24, p25
#define EIGEN_G_ARGUMENTS_26 EIGEN_G_ARGUMENTS_25, p26
// clang-format on

#define EIGEN_G_TEXT(text) EIGEN_G_TEXT_OF(text)
#define EIGEN_G_TEXT_OF(text) #text
#define EIGEN_G_ROUTINE(FORM, INTEGER, t, T, name, NAME, COUNT, bare)                               \
  using namespace eigen_g::lapack_names;                                                            \
  static constinit Routine routine{EIGEN_G_TEXT(FORM(t##name, T##NAME)), &families::t::name, #t[0], \
                                   sizeof(INTEGER) == 8, bare};                                     \
  void* const arguments[] = {EIGEN_G_ARGUMENTS_##COUNT};                                            \
  static_assert(std::size(arguments) == families::t::name.count)
#define EIGEN_G_ENTRY(FORM, INTEGER, t, T, name, NAME, COUNT)                                         \
  extern "C" [[gnu::visibility("default")]] void FORM(t##name, T##NAME)(EIGEN_G_PARAMETERS_##COUNT) { \
    EIGEN_G_ROUTINE(FORM, INTEGER, t, T, name, NAME, COUNT, false);                                   \
    run_call(routine, arguments);                                                                     \
  }
// A name without an underscore may be a function with other arguments (run_bare_call()). x0 ... x7 are the registers of real arguments.
#define EIGEN_G_BARE_ENTRY(FORM, INTEGER, t, T, name, NAME, COUNT)                                  \
  extern "C" [[gnu::visibility("default"), gnu::weak]] void* FORM(t##name, T##NAME)(                \
      EIGEN_G_PARAMETERS_##COUNT, double x0, double x1, double x2, double x3, double x4, double x5, \
      double x6, double x7) {                                                                       \
    EIGEN_G_ROUTINE(FORM, INTEGER, t, T, name, NAME, COUNT, true);                                  \
    const double reals[] = {x0, x1, x2, x3, x4, x5, x6, x7};                                        \
    return run_bare_call(routine, arguments, reals);                                                \
  }
#define EIGEN_G_NAMES(ENTRY, FORM, INTEGER)         \
  EIGEN_G_REAL_NAMES(ENTRY, FORM, INTEGER, s, S)    \
  EIGEN_G_REAL_NAMES(ENTRY, FORM, INTEGER, d, D)    \
  EIGEN_G_STAGE_NAMES(ENTRY, FORM, INTEGER, s, S)   \
  EIGEN_G_STAGE_NAMES(ENTRY, FORM, INTEGER, d, D)   \
  EIGEN_G_COMPLEX_NAMES(ENTRY, FORM, INTEGER, c, C) \
  EIGEN_G_COMPLEX_NAMES(ENTRY, FORM, INTEGER, z, Z)

// The forms of a name: LAPACK's own, which MKL and OpenBLAS have too; with 64-bit integers, as in Julia; the names in the wheels of SciPy
// and NumPy; MKL's further names.
#define EIGEN_G_PLAIN(name, NAME) name##_
#define EIGEN_G_PLAIN_64(name, NAME) name##_64_
#define EIGEN_G_SCIPY(name, NAME) scipy_##name##_
#define EIGEN_G_SCIPY_64(name, NAME) scipy_##name##_64_
#define EIGEN_G_BARE(name, NAME) name
#define EIGEN_G_BARE_64(name, NAME) name##_64
#define EIGEN_G_UPPER(name, NAME) NAME
#define EIGEN_G_UPPER_64(name, NAME) NAME##_64

EIGEN_G_NAMES(EIGEN_G_ENTRY, EIGEN_G_PLAIN, std::int32_t)
EIGEN_G_NAMES(EIGEN_G_ENTRY, EIGEN_G_PLAIN_64, std::int64_t)
EIGEN_G_NAMES(EIGEN_G_ENTRY, EIGEN_G_SCIPY, std::int32_t)
EIGEN_G_NAMES(EIGEN_G_ENTRY, EIGEN_G_SCIPY_64, std::int64_t)
EIGEN_G_NAMES(EIGEN_G_BARE_ENTRY, EIGEN_G_BARE, std::int32_t)
EIGEN_G_NAMES(EIGEN_G_BARE_ENTRY, EIGEN_G_BARE_64, std::int64_t)
EIGEN_G_NAMES(EIGEN_G_BARE_ENTRY, EIGEN_G_UPPER, std::int32_t)
EIGEN_G_NAMES(EIGEN_G_BARE_ENTRY, EIGEN_G_UPPER_64, std::int64_t)
