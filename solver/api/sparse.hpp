// A few eigenpairs at one end of the spectrum of a large sparse real symmetric matrix A. A can also be given by its products alone.
// T is double:
//
//   A z_i = w_i z_i,   i = 1 ... count,   |z_i| = 1
//
// The method is block Lanczos with thick restarts and a Chebyshev filter; a small A goes to the dense solver. For each converged pair
// |A z - w z| <= tolerance |A|, measured by a product with A itself.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <eigen_g/device_pointer.hpp>
#include <eigen_g/error.hpp>
#include <eigen_g/types.hpp>

namespace eigen_g {

// A in CSR form, host memory, both triangles stored; not changed.
//   row_offsets  n + 1 offsets, ascending from row_offsets[0]: row i has the entries row_offsets[i] <= p < row_offsets[i + 1]
//   column     column of each entry, from 0; strictly ascending within a row
//   value      value of each entry
template <class T>
struct CsrMatrix {
  std::int64_t n = 0;
  const std::int64_t* row_offsets = nullptr;
  const std::int32_t* column = nullptr;
  const T* value = nullptr;
};

// A by its products: multiply(x, y) sets Y := A X in host memory. X and Y are n x 4 and row-major: element (i, j) is x[4 i + j]. They
// do not overlap. A must be symmetric, and the same at every call. multiply is called from the calling thread, one call at a time.
// Its exceptions reach the caller of solve_few().
template <class T>
struct SparseOperator {
  std::int64_t n = 0;
  std::function<void(const T* x, T* y)> multiply;
};

// A stencil on a box with zero outside, without a matrix. Point (i, j, k) is row i + nx (j + ny k).
//   7 points    6 on the diagonal; -1 for the six neighbours along an axis
//   19 points   24 on the diagonal; -2 for the six neighbours along an axis; -1 for the twelve along the diagonal of a face
// With c_m = cos(pi p / (m + 1)), p = 1 ... m for each side m, the eigenvalues are 6 - 2 (c_x + c_y + c_z) and
// 24 - 4 (c_x + c_y + c_z) - 4 (c_x c_y + c_y c_z + c_z c_x).
struct SparseGrid {
  std::int64_t nx = 0, ny = 0, nz = 0;  // each at most 2^20
  int points = 7;                       // or 19
};

// As CsrMatrix in device memory of the current GPU, all arrays 16-byte aligned. row_offsets[0] = 0 and nnz = row_offsets[n]. The offsets
// are not checked.
template <class T>
struct DeviceCsrMatrix {
  std::int64_t n = 0, nnz = 0;
  DevicePointer<const std::int64_t> row_offsets;
  DevicePointer<const std::int32_t> column;
  DevicePointer<const T> value;
};
// As SparseOperator in device memory, without blocking: multiply must queue its work on `stream`.
template <class T>
struct DeviceSparseOperator {
  std::int64_t n = 0;
  std::function<void(const T* x, T* y, CUstream_st* stream)> multiply;
};

enum class End { lowest, highest, nearest };
enum class FewMethod { automatic, dense, lanczos };
const char* name(FewMethod method);  // "auto", "dense", "lanczos"

struct FewOptions {
  std::int64_t count = 1;  // 1 <= count <= n
  End end = End::lowest;
  double target = 0;  // with End::nearest: finds the pairs with the values nearest to it, by the dense solver
  // automatic: the dense solver if n <= 1000 (CPU) or n <= 4000 (GPU); else Lanczos. The dense solver follows Lanczos when Lanczos has
  // cost as much as the dense solver would. This has three conditions: n <= 20000, two dense matrices fit into host memory, and the
  // dense solver would cost less than max_products products. If count is a large part of n, the dense solver is used with every method.
  FewMethod method = FewMethod::automatic;
  // Limit of |A z - w z| / |A| (2-norm, estimated from below), from 1e-14 to 1. 0: few_tolerance(n).
  double tolerance = 0;
  // Limit for products of A with one vector. If it is reached, the unconverged pairs are the result; no other method follows. It is
  // checked between cycles, so a run can exceed it, and at least one basis is built for `count` pairs. Lanczos stops early if it
  // predicts more than twice this number.
  std::int64_t max_products = 200000;
  // Start vectors in addition to random ones, such as the vectors of a similar matrix: n x start_count, leading dimension
  // start_ld >= max(1, n), host memory, column-major. Null: random vectors alone, always the same.
  const double* start = nullptr;
  std::int64_t start_count = 0, start_ld = 0;
  // Called with the progress towards the tolerance, 0 to 1. Its exceptions reach the caller.
  std::function<void(double fraction)> progress = {};
  // Called before a dense solve. Its exceptions reach the caller, so it can refuse the solve.
  std::function<void()> before_dense = {};
};

// The default tolerance: 5 sqrt(n) 2^-52, at least 1e-14. Converged pairs of Lanczos then pass verify(), because the 1-norm of a
// residual is at most sqrt(n) times its 2-norm.
double few_tolerance(std::int64_t n);

struct FewReport {
  Status status = Status::converged;  // all `count` residuals are within the tolerance
  FewMethod method = FewMethod::lanczos;
  bool on_gpu = false;
  std::int64_t m = 0;             // number of pairs returned: count, converged or not
  double tolerance = 0;           // limit of |A z - w z| / |A| that was used
  std::vector<double> residuals;  // |A z - w z| of each pair
  double norm = 0;                // |A|, estimated
  double orthogonality = 0;       // max |Z^T Z - I|
  std::int64_t products = 0;      // number of products of A with one vector
  std::int64_t restarts = 0;
  double predicted_products = 0;            // last prediction of the total number of products
  double filter_cut = 0, filter_upper = 0;  // the Chebyshev filter damps the spectrum between these values
  int filter_degree = 0;
  // Completeness probe: one cycle with random vectors in addition to the pairs that were found. It shows a missed pair with high
  // probability, not with certainty. The dense solver needs no probe.
  bool probed = false;           // the last probe found no missed pair
  std::int64_t probe_found = 0;  // number of missed pairs that probes found
  double seconds = 0;
  WorkspaceBytes bytes;  // memory in addition to A, w and z
};

// Prediction of a call of solve_few() by a model of the machine. Nothing is measured or allocated.
struct FewPrediction {
  FewMethod method = FewMethod::lanczos;  // the first method
  // The dense solver follows if Lanczos has not converged after max_products, which is then less than FewOptions::max_products.
  bool dense_follows = false;
  std::int64_t max_products = 0;  // limit of Lanczos
  // Time of the dense solve; time of one product of Lanczos and its share of the other work.
  double dense_seconds = 0, product_seconds = 0;
  int gpus = 1;  // number of GPUs that share the rows of A in Lanczos
  // Time of the exchange between GPUs for one product. The exchange runs at the same time as the product.
  double halo_seconds = 0;
  // Memory in addition to A, w and z: of the dense solver (host), and of Lanczos (on its device).
  std::uint64_t dense_bytes = 0, lanczos_bytes = 0;
};
//   nnz   number of entries of both triangles; -1: A is a SparseGrid or a SparseOperator
// Without a calibration, exchanges between GPUs are predicted with the rates of two H200s. Throws InvalidArgument.
[[nodiscard]] FewPrediction predict_few(std::int64_t n, std::int64_t nnz, const FewOptions& options,
                                        const Devices& devices = {});

// Finds options.count pairs of A, with A, w and z in host memory.
//   w   count values, out, ascending
//   z   n x count, leading dimension ldz >= max(1, n), out; null: values only
// With CsrMatrix, devices.gpus GPUs share the rows: each has a range with the same number of entries, and they exchange the rows of X
// that they need. Pairs that have not converged are returned too. The report says so, and each residual bounds the distance of its
// value from an eigenvalue. Blocks until done. Two calls with the same arguments on the same kind of device give the same bits.
// Throws OutOfMemory, DeviceError, and InvalidArgument for
//   a       an offset or column out of order; a NaN or an infinity; a product that is not finite; A not symmetric. The dense solver
//           compares all entries (limit 1e-12 max |a_ij|). Lanczos compares products with random vectors, which shows one differing
//           entry from about 1e-11 n |A|
//   start, start_ld   a null pointer with start_count > 0; a NaN or an infinity; start_ld < max(1, n)
//   end     End::nearest if two dense matrices do not fit into host memory
// Cost: the products, and about 60 n flops per product for the basis. Memory: 8 n values per pair, and 100 n values more.
template <class T>
[[nodiscard]] FewReport solve_few(const CsrMatrix<T>& a, same_t<real_t<T>>* w, same_t<T>* z, std::int64_t ldz,
                                  const FewOptions& options, const Devices& devices = {});
template <class T>
[[nodiscard]] FewReport solve_few(const SparseOperator<T>& a, same_t<real_t<T>>* w, same_t<T>* z,
                                  std::int64_t ldz, const FewOptions& options, const Devices& devices = {});

[[nodiscard]] FewReport solve_few(const SparseGrid& a, double* w, double* z, std::int64_t ldz,
                                  const FewOptions& options, const Devices& devices = {});

// As above, with A and z in device memory of the current GPU, and w in host memory. The solve starts after all work that is in the stream.
// The projected problem is solved on the CPU. The call therefore blocks in each cycle, and in each block step for its coefficients.
template <class T>
[[nodiscard]] FewReport solve_few(const DeviceCsrMatrix<T>& a, same_t<real_t<T>>* w,
                                  same_t<DevicePointer<T>> z, std::int64_t ldz, CUstream_st* stream,
                                  const FewOptions& options);
template <class T>
[[nodiscard]] FewReport solve_few(const DeviceSparseOperator<T>& a, same_t<real_t<T>>* w,
                                  same_t<DevicePointer<T>> z, std::int64_t ldz, CUstream_st* stream,
                                  const FewOptions& options);

}  // namespace eigen_g
