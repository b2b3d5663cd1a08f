// One reflector applied by BLAS, for truths that take reflectors one after the other.
#pragma once

#include <cblas.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace support {

// Z := (I - tau v v^H) Z
//
//   v     `rows` entries, with its 1
//   z     rows x columns, with leading dimension ldz; column-major
//   work  any vector; it grows to `columns` entries
template <class S>
void apply_reflector(std::int64_t rows, const S* v, S tau, std::int64_t columns, S* z, std::int64_t ldz,
                     std::vector<S>& work) {
  const auto m = static_cast<int>(rows), n = static_cast<int>(columns), ld = static_cast<int>(ldz);
  if (m == 0 || n == 0 || tau == S(0)) return;
  if (work.size() < static_cast<std::size_t>(n)) work.resize(static_cast<std::size_t>(n));
  S* const w = work.data();  // Z^H v
  const S one = 1, zero = 0, minus = -tau;
  if constexpr (std::is_same_v<S, double>) {
    cblas_dgemv(CblasColMajor, CblasTrans, m, n, 1, z, ld, v, 1, 0, w, 1);
    cblas_dger(CblasColMajor, m, n, minus, v, 1, w, 1, z, ld);
  } else if constexpr (std::is_same_v<S, float>) {
    cblas_sgemv(CblasColMajor, CblasTrans, m, n, 1, z, ld, v, 1, 0, w, 1);
    cblas_sger(CblasColMajor, m, n, minus, v, 1, w, 1, z, ld);
  } else if constexpr (std::is_same_v<S, std::complex<double>>) {
    cblas_zgemv(CblasColMajor, CblasConjTrans, m, n, &one, z, ld, v, 1, &zero, w, 1);
    cblas_zgerc(CblasColMajor, m, n, &minus, v, 1, w, 1, z, ld);
  } else {
    cblas_cgemv(CblasColMajor, CblasConjTrans, m, n, &one, z, ld, v, 1, &zero, w, 1);
    cblas_cgerc(CblasColMajor, m, n, &minus, v, 1, w, 1, z, ld);
  }
}

}  // namespace support
