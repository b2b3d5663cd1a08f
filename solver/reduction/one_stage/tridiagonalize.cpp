#include "solver/reduction/one_stage/tridiagonalize.hpp"

#include <complex>

#include "solver/prepare/lapack.hpp"

namespace eigen_g {

namespace {

// Values of workspace that sytrd asks for, and of complex ones a column more: OpenBLAS 0.3.21's zgemv and cgemv, which hetrd
// calls with it, read up to a column beyond its end.
template <class T>
lapack_int tridiagonalize_values(lapack_int n) {
  T query{};
  check_lapack(
      lapack::sytrd('L', n, nullptr, std::max<lapack_int>(1, n), nullptr, nullptr, nullptr, &query, -1),
      "sytrd");
  return static_cast<lapack_int>(std::real(query)) + (is_complex<T> ? n + 16 : 0);
}

}  // namespace

template <class T>
std::uint64_t tridiagonalize_bytes_on_cpu(std::int64_t n) {
  return bytes_taken([&](Arena& arena) { arena.take<T>(tridiagonalize_values<T>(lapack_size(n, "n"))); });
}

template <class T>
void tridiagonalize(Uplo uplo, MatrixView<T> a, real_t<T>* d, real_t<T>* e, T* tau, Arena scratch) {
  const lapack_int n = lapack_size(a.rows, "n");
  const lapack_int values = tridiagonalize_values<T>(n);
  check_lapack(lapack::sytrd(static_cast<char>(uplo), n, a.data, lapack_size(a.lda, "lda"), d, e, tau,
                             scratch.take<T>(values), values),
               "sytrd");
}

template void tridiagonalize(Uplo, MatrixView<double>, double*, double*, double*, Arena);
template std::uint64_t tridiagonalize_bytes_on_cpu<double>(std::int64_t);
template void tridiagonalize(Uplo, MatrixView<float>, float*, float*, float*, Arena);
template std::uint64_t tridiagonalize_bytes_on_cpu<float>(std::int64_t);
template void tridiagonalize(Uplo, MatrixView<std::complex<double>>, double*, double*, std::complex<double>*,
                             Arena);
template std::uint64_t tridiagonalize_bytes_on_cpu<std::complex<double>>(std::int64_t);
template void tridiagonalize(Uplo, MatrixView<std::complex<float>>, float*, float*, std::complex<float>*,
                             Arena);
template std::uint64_t tridiagonalize_bytes_on_cpu<std::complex<float>>(std::int64_t);

}  // namespace eigen_g
