#include "solver/reduction/one_stage/tridiagonalize.hpp"

#include <complex>

#include "hybrid/instantiate.hpp"
#include "solver/prepare/lapack.hpp"

namespace eigen_g {

namespace {

// Number of workspace values that sytrd asks for. Complex matrices get one column more: hetrd passes the workspace to OpenBLAS 0.3.21's
// zgemv and cgemv, which read up to one column beyond its end.
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
void tridiagonalize_on_cpu(Uplo uplo, MatrixView<T> a, real_t<T>* d, real_t<T>* e, T* tau, Arena scratch) {
  const lapack_int n = lapack_size(a.rows, "n");
  const lapack_int values = tridiagonalize_values<T>(n);
  check_lapack(lapack::sytrd(static_cast<char>(uplo), n, a.data, lapack_size(a.lda, "lda"), d, e, tau,
                             scratch.take<T>(values), values),
               "sytrd");
}

EIGEN_G_INSTANTIATE(all_types, tridiagonalize_on_cpu, tridiagonalize_bytes_on_cpu);

}  // namespace eigen_g
