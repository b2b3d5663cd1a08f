// Declarations of the routines of ScaLAPACK, PBLAS and BLACS that are called here, because these libraries have no C header. The
// routines of the four types have one name, such as pgemm<T>. Integers have 32 bits.
#pragma once

#include <mpi.h>

#include <complex>
#include <type_traits>

#include "hybrid/scalar.hpp"

extern "C" {
int Csys2blacs_handle(MPI_Comm comm);
void Cfree_blacs_system_handle(int handle);
void Cblacs_gridinit(int* context, const char* order, int rows, int cols);
void Cblacs_gridinfo(int context, int* rows, int* cols, int* row, int* col);
void Cblacs_gridexit(int context);
}

namespace eigen_g::distributed {

inline constexpr int one = 1;  // the first row or column, as an argument

// A matrix argument consists of its local part, the first row and column, and its descriptor.
//   op_a op_b m n k alpha a b beta c
template <class T>
using Pgemm = void(const char*, const char*, const int*, const int*, const int*, const T*, const T*,
                   const int*, const int*, const int*, const T*, const int*, const int*, const int*, const T*,
                   T*, const int*, const int*, const int*);
//   m n alpha a beta c
template <class T>
using Ptranc = void(const int*, const int*, const T*, const T*, const int*, const int*, const int*, const T*,
                    T*, const int*, const int*, const int*);
//   trans m n alpha a beta c
template <class T>
using Pgeadd = void(const char*, const int*, const int*, const T*, const T*, const int*, const int*,
                    const int*, const T*, T*, const int*, const int*, const int*);
//   side uplo trans diag m n alpha a b
template <class T>
using Ptrxm = void(const char*, const char*, const char*, const char*, const int*, const int*, const T*,
                   const T*, const int*, const int*, const int*, T*, const int*, const int*, const int*);
//   uplo n a info
template <class T>
using Ppotrf = void(const char*, const int*, T*, const int*, const int*, const int*, int*);
//   itype uplo n a b scale work lwork info
template <class T>
using Pngst = void(const int*, const char*, const int*, T*, const int*, const int*, const int*, const T*,
                   const int*, const int*, const int*, real_t<T>*, T*, const int*, int*);
//   uplo n a norm rcond work lwork, then integers (real T) or reals (complex T) and their number, info
template <class T>
using Ppocon = void(const char*, const int*, const T*, const int*, const int*, const int*, const real_t<T>*,
                    real_t<T>*, T*, const int*, std::conditional_t<is_complex<T>, real_t<T>, int>*,
                    const int*, int*);
//   jobz uplo n a w z work lwork info; for complex matrices rwork lrwork before info
template <class R>
using Psyev = void(const char*, const char*, const int*, R*, const int*, const int*, const int*, R*, R*,
                   const int*, const int*, const int*, R*, const int*, int*);
template <class R>
using Pheev = void(const char*, const char*, const int*, std::complex<R>*, const int*, const int*, const int*,
                   R*, std::complex<R>*, const int*, const int*, const int*, std::complex<R>*, const int*, R*,
                   const int*, int*);
//   jobz uplo n a w z work lwork iwork liwork info; for complex matrices rwork lrwork before iwork
template <class R>
using Psyevd = void(const char*, const char*, const int*, R*, const int*, const int*, const int*, R*, R*,
                    const int*, const int*, const int*, R*, const int*, int*, const int*, int*);
template <class R>
using Pheevd = void(const char*, const char*, const int*, std::complex<R>*, const int*, const int*,
                    const int*, R*, std::complex<R>*, const int*, const int*, const int*, std::complex<R>*,
                    const int*, R*, const int*, int*, const int*, int*);

extern "C" {
Pgemm<float> psgemm_;
Pgemm<double> pdgemm_;
Pgemm<std::complex<float>> pcgemm_;
Pgemm<std::complex<double>> pzgemm_;
Ptranc<float> pstran_;
Ptranc<double> pdtran_;
Ptranc<std::complex<float>> pctranc_;
Ptranc<std::complex<double>> pztranc_;
Pgeadd<float> psgeadd_;
Pgeadd<double> pdgeadd_;
Pgeadd<std::complex<float>> pcgeadd_;
Pgeadd<std::complex<double>> pzgeadd_;
Ptrxm<float> pstrsm_, pstrmm_;
Ptrxm<double> pdtrsm_, pdtrmm_;
Ptrxm<std::complex<float>> pctrsm_, pctrmm_;
Ptrxm<std::complex<double>> pztrsm_, pztrmm_;
Ppotrf<float> pspotrf_;
Ppotrf<double> pdpotrf_;
Ppotrf<std::complex<float>> pcpotrf_;
Ppotrf<std::complex<double>> pzpotrf_;
Pngst<float> pssyngst_;
Pngst<double> pdsyngst_;
Pngst<std::complex<float>> pchengst_;
Pngst<std::complex<double>> pzhengst_;
Ppocon<double> pdpocon_;
Ppocon<std::complex<double>> pzpocon_;
Psyev<float> pssyev_;
Psyev<double> pdsyev_;
Pheev<float> pcheev_;
Pheev<double> pzheev_;
Psyevd<float> pssyevd_;
Psyevd<double> pdsyevd_;
Pheevd<float> pcheevd_;
Pheevd<double> pzheevd_;
}

template <class T, class S, class D, class C, class Z>
constexpr auto of_type(S s, D d, C c, Z z) {
  if constexpr (std::is_same_v<T, float>)
    return s;
  else if constexpr (std::is_same_v<T, double>)
    return d;
  else if constexpr (std::is_same_v<T, std::complex<float>>)
    return c;
  else
    return z;
}

template <class T>
inline constexpr auto pgemm = of_type<T>(psgemm_, pdgemm_, pcgemm_, pzgemm_);
template <class T>
inline constexpr auto ptranc = of_type<T>(pstran_, pdtran_, pctranc_, pztranc_);  // C := beta C + alpha A^H
template <class T>
inline constexpr auto pgeadd = of_type<T>(psgeadd_, pdgeadd_, pcgeadd_, pzgeadd_);
template <class T>
inline constexpr auto ptrsm = of_type<T>(pstrsm_, pdtrsm_, pctrsm_, pztrsm_);
template <class T>
inline constexpr auto ptrmm = of_type<T>(pstrmm_, pdtrmm_, pctrmm_, pztrmm_);
template <class T>
inline constexpr auto ppotrf = of_type<T>(pspotrf_, pdpotrf_, pcpotrf_, pzpotrf_);
template <class T>
inline constexpr auto pngst = of_type<T>(pssyngst_, pdsyngst_, pchengst_, pzhengst_);
template <class T>
inline constexpr auto psyev = of_type<T>(pssyev_, pdsyev_, pcheev_, pzheev_);
template <class T>
inline constexpr auto psyevd = of_type<T>(pssyevd_, pdsyevd_, pcheevd_, pzheevd_);

// MPI's name of the type T.
template <class T>
MPI_Datatype mpi_type() {
  return of_type<T>(MPI_FLOAT, MPI_DOUBLE, MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX);
}

}  // namespace eigen_g::distributed
