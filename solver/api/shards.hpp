// A solve of a matrix that lies in pieces in the memory of several GPUs of one host. The results are in pieces, too.
//
//   std::vector<eigen_g::Shard<double>> a(2), z(2);          // columns 0 ... n/2 - 1 on GPU 0, the others on GPU 1
//   a[0] = {a0_dev, n, n / 2}, a[1] = {a1_dev, n, n - n / 2};
//   z[0] = {z0_dev, n, n / 2}, z[1] = {z1_dev, n, n - n / 2};
//   eigen_g::Report r = eigen_g::eigen_g(n, a, w, z);
#pragma once

#include <cstdint>
#include <vector>

#include <eigen_g/scalar.hpp>
#include <eigen_g/types.hpp>

namespace eigen_g {

// A piece of a matrix: some consecutive columns with all their rows, in the memory of one GPU. The piece of a real symmetric matrix that has
// some rows, row by row, has the same numbers in the same order, for the other triangle.
//   data      n x columns, column-major, leading dimension lda >= max(1, n), device memory. Null if columns = 0
//   stream    the solve starts after all work that is in this stream of the piece's GPU; null: its default stream
template <class T>
struct Shard {
  T* data = nullptr;
  std::int64_t lda = 0;
  std::int64_t columns = 0;
  CUstream_st* stream = nullptr;
};

// The implementation of eigen_g() below.
template <class T>
Report solve_in_pieces(std::int64_t n, const std::vector<Shard<T>>& a, real_t<T>* w,
                       const std::vector<Shard<T>>& z, const Options& options, const Devices& devices);

// A = Z diag(w) Z^H by the GPUs that have the pieces of A, which divide all stages (Devices::gpus). One piece on one GPU is allowed.
//   a   the pieces of A in the order of the columns, n columns together, in; not changed, unless z has the same memory. Only the triangle
//       options.uplo is read. The solve takes the GPUs of the pieces with columns, in their order, 1 to 8 of one model. Pieces may be of different sizes,
//       and several may be on one GPU; a solve is fastest if each GPU has one piece and all pieces have about the same size
//   w   n values, out, ascending: host memory, or memory of the first piece's GPU
//   z   the pieces of Z in the order of the columns, out, options.subset.max_count(n) columns together, on GPUs that have pieces of A; empty if
//       options.vectors is false. z may be the pieces of a
// With options.subset the first report.m values and columns are the pairs found; the others are undefined.
// devices.gpus, device and calibration are not used. The path is the two-stage path for every n. Blocks until done.
// Memory of each GPU in addition to a, w and z: about 3/P n^2 values with vectors, and (1/2 + 3/P) n^2 on the first GPU (P: number of GPUs).
// Throws InvalidArgument (a, z: also for memory of the host; NonFiniteEntry for a NaN or an infinity in the triangle), OutOfMemory and DeviceError.
// T is double, float, std::complex<double> or std::complex<float>. Cost: as eigen_g() on the two-stage path, divided by the number of GPUs, and
// copies of 2 n^2 values between the GPUs.
template <class T>
[[nodiscard]] Report eigen_g(std::int64_t n, const std::vector<Shard<T>>& a, same_t<real_t<T>>* w,
                             const std::vector<Shard<same_t<T>>>& z = {}, const Options& options = {},
                             const Devices& devices = {}) {
  return solve_in_pieces<T>(n, a, w, z, options, devices);
}

}  // namespace eigen_g
