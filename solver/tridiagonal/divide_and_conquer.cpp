// The divide and conquer on the CPU, by LAPACK.
#include "solver/tridiagonal/divide_and_conquer.hpp"

#include <algorithm>
#include <string>

#include "hybrid/instantiate.hpp"
#include "solver/prepare/lapack.hpp"
#include "solver/tridiagonal/tridiagonal_values.hpp"

namespace eigen_g {

namespace {

// The workspace of dstedc, or of tridiagonal_values(). For a subset by index it also has a matrix for all vectors.
template <class R>
struct Scratch {
  lapack_int values = 0, indices = 0;
  R *work = nullptr, *all = nullptr;
  lapack_int* integers = nullptr;

  Scratch(Arena& arena, std::int64_t n, bool vectors, std::int64_t most) {
    if (!vectors) {
      work = arena.take<R>(2 * n);
      return;
    }
    constexpr std::int64_t largest = 46338;  // 1 + 4 n + n^2 fits in 32 bits
    if (sizeof(lapack_int) < sizeof n && n > largest)
      throw InvalidArgument(Argument::n, "is " + std::to_string(n) +
                                             "; with vectors a LAPACK with 32-bit integers takes at most " +
                                             std::to_string(largest) + " on the CPU");
    values = lapack_size(1 + 4 * n + n * n, "the workspace of stedc");
    indices = lapack_size(3 + 5 * n, "the workspace of stedc");
    work = arena.take<R>(values);
    integers = arena.take<lapack_int>(indices);
    all = arena.take<R>(most < n ? n * n : 0);
  }
};

}  // namespace

template <class R>
std::uint64_t divide_and_conquer_bytes_on_cpu(std::int64_t n, bool with_vectors, std::int64_t most) {
  return bytes_taken([&](Arena& arena) { Scratch<R>(arena, n, with_vectors, most); });
}

template <class R>
DivideAndConquerResult divide_and_conquer_on_cpu(std::int64_t n, R* d, R* e, MatrixView<same_t<R>> z,
                                                 Arena scratch, const Selection& selection) {
  const lapack_int size = lapack_size(n, "n");
  const Scratch<R> own(scratch, n, z.data != nullptr, selection.subset.max_count(n));
  const MatrixView<R> all = own.all ? MatrixView<R>{own.all, n, n, n} : z;
  std::int64_t info = 0;
  if (z.data) {
    const lapack_int from_lapack = lapack::stedc(size, d, e, all.data, lapack_size(all.lda, "ldz"), own.work,
                                                 own.values, own.integers, own.indices);
    check_lapack(from_lapack, "stedc");
    info = from_lapack;
  } else {
    info = tridiagonal_values(n, d, e, own.work);
  }
  if (info > 0) return {Status::not_converged, info, {}};

  const Selected found = select(selection.subset, n, d, 0, selection.scale);
  std::copy(d + found.first, d + found.first + found.count, d);
  if (z.data && (all.data != z.data || found.first > 0))
    for (std::int64_t j = 0; j < found.count; ++j)  // ascending: reads a column before overwriting it
      std::copy_n(&all(0, found.first + j), n, &z(0, j));
  return {Status::converged, 0, found};
}

EIGEN_G_INSTANTIATE(real_types, divide_and_conquer_on_cpu, divide_and_conquer_bytes_on_cpu);

}  // namespace eigen_g
