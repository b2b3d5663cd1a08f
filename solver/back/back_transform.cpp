#include "solver/back/back_transform.hpp"

#include <algorithm>
#include <complex>

#include "solver/prepare/lapack.hpp"

namespace eigen_g {

namespace {

// dormtr asks for m nb values and forgets the 65 x 64 in which dormqr and dormql form T: with them missing, blocks shrink,
// and below n of about 130 nothing is blocked.
template <class T>
lapack_int back_transform_values(lapack_int n, lapack_int m) {
  constexpr lapack_int factors = 65 * 64;
  T query{};
  const lapack_int ld = std::max<lapack_int>(1, n);
  check_lapack(lapack::ormtr('L', n, m, nullptr, ld, nullptr, nullptr, ld, &query, -1), "ormtr");
  return static_cast<lapack_int>(std::real(query)) + factors;
}

}  // namespace

template <class T>
std::uint64_t back_transform_bytes_on_cpu(std::int64_t n, std::int64_t m) {
  return bytes_taken([&](Arena& arena) {
    arena.take<T>(back_transform_values<T>(lapack_size(n, "n"), lapack_size(m, "m")));
  });
}

template <class T>
void back_transform(Uplo uplo, MatrixView<const same_t<T>> a, const T* tau, MatrixView<same_t<T>> z,
                    Arena scratch) {
  const lapack_int n = lapack_size(z.rows, "n");
  const lapack_int m = lapack_size(z.cols, "m");
  const lapack_int values = back_transform_values<T>(n, m);
  check_lapack(lapack::ormtr(static_cast<char>(uplo), n, m, a.data, lapack_size(a.lda, "lda"), tau, z.data,
                             lapack_size(z.lda, "ldz"), scratch.take<T>(values), values),
               "ormtr");
}

namespace {

// dormqr of A's part below row kd, or dormlq of the part right of column kd; a query where work is null.
template <class T>
T from_band(Uplo uplo, std::int64_t kd, MatrixView<const T> a, const T* tau, MatrixView<T> z, T* work,
            lapack_int values) {
  const lapack_int n = lapack_size(a.cols - kd, "n"), m = lapack_size(z.cols, "m"),
                   lda = lapack_size(a.lda, "lda"), ldz = lapack_size(z.lda, "ldz");
  const bool upper = uplo == Uplo::upper;
  T query{};
  const auto apply = upper ? lapack::ormlq_transposed : lapack::ormqr;
  check_lapack(apply(n, m, n, work ? (upper ? &a(0, kd) : &a(kd, 0)) : nullptr, lda, tau,
                     work ? &z(kd, 0) : nullptr, ldz, work ? work : &query, values),
               upper ? "ormlq" : "ormqr");
  return query;
}

}  // namespace

template <class T>
std::uint64_t back_transform_from_band_bytes_on_cpu(std::int64_t n, std::int64_t kd, std::int64_t m) {
  if (n <= kd || m == 0) return 0;
  T most = 0;
  for (const Uplo uplo : {Uplo::lower, Uplo::upper})
    most =
        std::max(most, from_band<T>(uplo, kd, {nullptr, n, n, n}, nullptr, {nullptr, n, m, n}, nullptr, -1));
  return bytes_taken([&](Arena& arena) { arena.take<T>(static_cast<std::int64_t>(most)); });
}

template <class T>
void back_transform_from_band(Uplo uplo, std::int64_t kd, MatrixView<const same_t<T>> a, const T* tau,
                              MatrixView<same_t<T>> z, Arena scratch) {
  if (a.cols <= kd || z.cols == 0) return;
  const auto values =
      static_cast<std::int64_t>(back_transform_from_band_bytes_on_cpu<T>(a.cols, kd, z.cols) / sizeof(T));
  from_band<T>(uplo, kd, a, tau, z, scratch.take<T>(values), lapack_size(values, "the workspace of ormqr"));
}

template void back_transform(Uplo, MatrixView<const double>, const double*, MatrixView<double>, Arena);
template void back_transform_from_band(Uplo, std::int64_t, MatrixView<const double>, const double*,
                                       MatrixView<double>, Arena);
template std::uint64_t back_transform_from_band_bytes_on_cpu<double>(std::int64_t, std::int64_t,
                                                                     std::int64_t);
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
