#include "solver/back/back_transform.hpp"

#include <algorithm>
#include <complex>

#include "solver/prepare/lapack.hpp"

namespace eigen_g {

namespace {

// dormtr asks for m nb values and forgets the 65 x 64 in which dormqr and dormql form T: with them missing, blocks shrink,
// and below n of about 130 nothing is blocked.
template <class T>
lapack_int workspace_values(lapack_int n, lapack_int m) {
  constexpr lapack_int factors = 65 * 64;
  T query{};
  const lapack_int ld = std::max<lapack_int>(1, n);
  check_lapack(lapack::ormtr('L', n, m, nullptr, ld, nullptr, nullptr, ld, &query, -1), "ormtr");
  return static_cast<lapack_int>(std::real(query)) + factors;
}

}  // namespace

template <class T>
std::uint64_t back_transform_bytes_on_cpu(std::int64_t n, std::int64_t m) {
  return bytes_taken(
      [&](Arena& arena) { arena.take<T>(workspace_values<T>(lapack_size(n, "n"), lapack_size(m, "m"))); });
}

template <class T>
void back_transform(Uplo uplo, MatrixView<const same_t<T>> a, const T* tau, MatrixView<same_t<T>> z,
                    Arena scratch) {
  const lapack_int n = lapack_size(z.rows, "n");
  const lapack_int m = lapack_size(z.cols, "m");
  const lapack_int values = workspace_values<T>(n, m);
  check_lapack(lapack::ormtr(static_cast<char>(uplo), n, m, a.data, lapack_size(a.lda, "lda"), tau, z.data,
                             lapack_size(z.lda, "ldz"), scratch.take<T>(values), values),
               "ormtr");
}

template void back_transform(Uplo, MatrixView<const double>, const double*, MatrixView<double>, Arena);
template std::uint64_t back_transform_bytes_on_cpu<double>(std::int64_t, std::int64_t);
template void back_transform(Uplo, MatrixView<const float>, const float*, MatrixView<float>, Arena);
template std::uint64_t back_transform_bytes_on_cpu<float>(std::int64_t, std::int64_t);
template void back_transform(Uplo, MatrixView<const std::complex<double>>, const std::complex<double>*,
                             MatrixView<std::complex<double>>, Arena);
template std::uint64_t back_transform_bytes_on_cpu<std::complex<double>>(std::int64_t, std::int64_t);
template void back_transform(Uplo, MatrixView<const std::complex<float>>, const std::complex<float>*,
                             MatrixView<std::complex<float>>, Arena);
template std::uint64_t back_transform_bytes_on_cpu<std::complex<float>>(std::int64_t, std::int64_t);

}  // namespace eigen_g
