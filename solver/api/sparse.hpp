// A few eigenpairs at an end of the spectrum of a large sparse real symmetric A, or of an A that is known by its products alone, in
// double (T below):
//
//   A z_i = w_i z_i,   i = 1 ... count,   |z_i| = 1
//
// Block Lanczos with thick restarts on a Chebyshev filter; what is small enough goes through the dense solver. Every pair that is
// told as converged has |A z - w z| <= tolerance |A| by a product with A itself.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <eigen_g/device_pointer.hpp>
#include <eigen_g/error.hpp>
#include <eigen_g/types.hpp>

namespace eigen_g {

// A in compressed rows, host memory, both triangles stored; not changed.
//   row_begin  n + 1 offsets, ascending from row_begin[0]: row i has the entries row_begin[i] <= p < row_begin[i + 1]
//   column     of each entry, from 0, ascending within a row, none twice
template <class T>
struct SparseRows {
  std::int64_t n = 0;
  const std::int64_t* row_begin = nullptr;
  const std::int32_t* column = nullptr;
  const T* value = nullptr;
};

// A by its products: Y := A X of host memory, X and Y n x 4, row-major (element (i, j) is x[4 i + j]), without overlap. A must be
// symmetric, and the same at every call. Called from the calling thread, one call at a time; an exception of it reaches the
// caller of solve_few().
template <class T>
struct SparseProduct {
  std::int64_t n = 0;
  std::function<void(const T* x, T* y)> multiply;
};

// The operator of a box with zero outside, without a matrix. Point (i, j, k) is row i + nx (j + ny k).
//   7 points    6 on the diagonal, -1 to the six neighbours along an axis
//   19 points   24, -2 to those, -1 to the twelve along the diagonal of a face
// With c_m = cos(pi p / (m + 1)), p = 1 ... m of each side m, the values are 6 - 2 (c_x + c_y + c_z) and
// 24 - 4 (c_x + c_y + c_z) - 4 (c_x c_y + c_y c_z + c_z c_x).
struct SparseGrid {
  std::int64_t nx = 0, ny = 0, nz = 0;  // each at most 2^20
  int points = 7;                       // or 19
};

// The same as SparseRows on the current GPU, all arrays in its memory, 16-byte aligned; the offsets are not checked. nnz = row_begin[n], and
// row_begin[0] = 0.
template <class T>
struct DeviceSparseRows {
  std::int64_t n = 0, nnz = 0;
  DevicePointer<const std::int64_t> row_begin;
  DevicePointer<const std::int32_t> column;
  DevicePointer<const T> value;
};
// x and y are device memory; the product is to be queued on `stream`.
template <class T>
struct DeviceSparseProduct {
  std::int64_t n = 0;
  std::function<void(const T* x, T* y, CUstream_st* stream)> multiply;
};

enum class End { lowest, highest, near };
enum class FewMethod { automatic, dense, lanczos };
const char* name(FewMethod method);  // "auto", "dense", "lanczos"

struct FewOptions {
  std::int64_t count = 1;  // 1 <= count <= n
  End end = End::lowest;
  double near = 0;  // end near: the pairs whose values are nearest to it; through the dense solver alone
  // Automatic: dense for orders up to 1000 on the CPU and 4000 on a GPU, where count is a large part of n, and up to 20000, where
  // it fits, for what Lanczos will not resolve with the products that cost as much.
  FewMethod method = FewMethod::automatic;
  double tolerance = 1e-9;  // of |A z - w z| relative to |A| (2-norm, estimated from within); from 1e-14 to 1
  // Products of A with one vector, about: a cycle that has begun is measured, and `count` pairs take a basis of as many vectors. Lanczos
  // ends before where its prediction is beyond twice this.
  std::int64_t max_products = 200000;
  // Vectors to begin with beside random ones, host memory, n x start_count column-major: of a similar matrix, say. Null: random ones
  // alone, always the same.
  const double* start = nullptr;
  std::int64_t start_count = 0, start_ld = 0;
  std::function<void(double fraction)> progress =
      {};  // of the way to the tolerance; its exceptions pass through
};

struct FewReport {
  Status status = Status::converged;  // all `count` residuals are within the tolerance
  FewMethod method = FewMethod::lanczos;
  bool on_gpu = false;
  std::int64_t m = 0;             // pairs given back, ascending: `count` of them, converged or not
  std::vector<double> residuals;  // |A z - w z|
  double norm = 0;                // of A, estimated
  double orthogonality = 0;       // max |Z^T Z - I|
  std::int64_t products = 0;      // of A with one vector
  std::int64_t restarts = 0;
  double predicted_products = 0;            // that it takes in all, as last predicted
  double filter_cut = 0, filter_upper = 0;  // the Chebyshev filter damps what lies between
  int filter_degree = 0;
  // The completeness probe: random vectors beside the pairs that were found, for a cycle. A pair that was missed shows in it with
  // high probability, not with certainty. The dense solver needs none.
  bool probed = false;
  std::int64_t probe_found = 0;  // pairs that were missed before, and found so
  double seconds = 0;
  WorkspaceBytes bytes;  // beside A, w and z
};

// What solve_few() will do, by a model of the machine alone: nothing is measured, nothing is taken.
struct FewPlan {
  FewMethod method = FewMethod::lanczos;  // taken first
  bool dense_follows = false;     // the dense path takes what Lanczos has not resolved by max_products
  std::int64_t max_products = 0;  // of Lanczos
  double dense_seconds = 0,
         product_seconds = 0;  // all of the dense path; a product of Lanczos with its share of the rest
  int gpus = 1;                // that Lanczos cuts A's rows over
  double halo_seconds =
      0;  // of a product, beside it: what those send each other, by the calibration's halo figures
  std::uint64_t dense_bytes = 0, lanczos_bytes = 0;  // beside A, w and z: in host memory; where Lanczos works
};
// nnz: entries of both triangles; -1: A is a grid or a product. Without a calibration an exchange between GPUs counts as on two
// H200s. Throws InvalidArgument.
[[nodiscard]] FewPlan plan_few(std::int64_t n, std::int64_t nnz, const FewOptions& options,
                               const Devices& devices = {});

// Host memory.
//   w   count values, out, ascending
//   z   n x count, leading dimension ldz >= max(1, n), out; null: values only
// Of rows in host memory devices.gpus GPUs take a range each, of equal entries, and send each other what of X they need.
// Unconverged pairs are given back as they are: the report tells, and its residuals bound the distance of each value from an
// eigenvalue. Blocks until done. Same bits for the same arguments, on the same kind of device.
// Throws InvalidArgument (a: an offset or column out of order, NaN or infinity, two triangles that differ: dense in any entry by
// 1e-12 max |a_ij|, in Lanczos by what products with random vectors show, one entry by about 1e-11 n |A|; start; end: near a value where
// n is too large to be dense; a product that is not finite), OutOfMemory, DeviceError.
// Cost: the products, and about 60 n flops a product for the basis. Memory: 8 n values a wanted pair and 100 n values more.
template <class T>
[[nodiscard]] FewReport solve_few(const SparseRows<T>& a, same_t<real_t<T>>* w, same_t<T>* z,
                                  std::int64_t ldz, const FewOptions& options, const Devices& devices = {});
template <class T>
[[nodiscard]] FewReport solve_few(const SparseProduct<T>& a, same_t<real_t<T>>* w, same_t<T>* z,
                                  std::int64_t ldz, const FewOptions& options, const Devices& devices = {});

[[nodiscard]] FewReport solve_few(const SparseGrid& a, double* w, double* z, std::int64_t ldz,
                                  const FewOptions& options, const Devices& devices = {});

// Device memory, on the current GPU, ordered after what the stream holds: w in host memory, z in device memory. Anything else as
// above; the projected problem is solved on the CPU, for which each cycle blocks, and each block step for its coefficients.
template <class T>
[[nodiscard]] FewReport solve_few(const DeviceSparseRows<T>& a, same_t<real_t<T>>* w,
                                  same_t<DevicePointer<T>> z, std::int64_t ldz, CUstream_st* stream,
                                  const FewOptions& options);
template <class T>
[[nodiscard]] FewReport solve_few(const DeviceSparseProduct<T>& a, same_t<real_t<T>>* w,
                                  same_t<DevicePointer<T>> z, std::int64_t ldz, CUstream_st* stream,
                                  const FewOptions& options);

}  // namespace eigen_g
