#include "solver/reduction/two_stage/full_to_band.hpp"

#include <algorithm>

#include "hybrid/instantiate.hpp"
#include "solver/devices/two_stage_tuning.hpp"
#include "solver/prepare/lapack.hpp"
#include "solver/reduction/two_stage/chase_tiles.hpp"

namespace eigen_g {

namespace {

template <class T>
lapack_int full_to_band_values(std::int64_t n, std::int64_t b) {
  const lapack_int order = lapack_size(n, "n"), width = lapack_size(b, "kd");
  T query{};
  check_lapack(lapack::sytrd_sy2sb('L', order, width, nullptr, std::max(order, 1), nullptr, width + 1,
                                   nullptr, &query, -1),
               "sytrd_sy2sb");
  return lapack_size(static_cast<std::int64_t>(query), "the workspace of sytrd_sy2sb");
}

}  // namespace

template <class T>
std::uint64_t full_to_band_bytes_on_cpu(std::int64_t n, std::int64_t b) {
  return bytes_taken([&](Arena& arena) { arena.take<T>(full_to_band_values<T>(n, b)); });
}

template <class T>
void full_to_band_on_cpu(Uplo uplo, std::int64_t b, MatrixView<same_t<T>> a, MatrixView<same_t<T>> ab, T* tau,
                         Arena scratch) {
  const std::int64_t n = a.cols;
  const lapack_int values = full_to_band_values<T>(n, b);
  // With one reflector or none LAPACK does not write tau.
  std::fill_n(tau, std::max<std::int64_t>(n - b, 0), T{});
  check_lapack(lapack::sytrd_sy2sb(static_cast<char>(uplo), lapack_size(n, "n"), lapack_size(b, "kd"), a.data,
                                   lapack_size(a.lda, "lda"), ab.data, lapack_size(ab.lda, "ldab"), tau,
                                   scratch.take<T>(values), values),
               "sytrd_sy2sb");
}

EIGEN_G_INSTANTIATE(double_type, full_to_band_on_cpu, full_to_band_bytes_on_cpu);

std::int64_t widest_given_band(std::int64_t n, bool vectors) {
  const GivenBands& widest = two_stage_tuning().max_given_band;
  const bool may_be_full = n <= 2 * widest.of_values;
  return std::min(vectors || may_be_full ? widest.with_vectors : widest.of_values, max_chase_bandwidth);
}

}  // namespace eigen_g
