// A few eigenpairs of a large sparse real symmetric matrix A, or of a pencil K - w M of two such matrices. A can also be given by its
// products alone. T is double, except where float and complex are named:
//
//   A z_i = w_i z_i,     |z_i| = 1           i = 1 ... count
//   K z_i = w_i M z_i,   z_i^T M z_i = 1     M is positive semidefinite
//
// solve_few() and SparseSolver also take float and complex Hermitian matrices in CSR form, and complex double operators. They are solved in double, a
// Hermitian problem of order n as a real symmetric one of order 2 n that has each pair twice. The problem costs as much as a real one of order 2 n with
// 2 count pairs. A start vector has 2 n doubles then, real and imaginary part in turns. The default tolerance of float types is 2^-23.
//
// Pairs of A at an end of the spectrum come from block Lanczos with thick restarts and a Chebyshev filter; a small A goes to the dense
// solver. For each converged pair |A z - w z| <= tolerance |A|, measured by a product with A itself.
//
// Pairs near a value, and all pairs of a pencil, come from block Lanczos with (K - s M)^-1 M for a shift s near the wanted values. A
// library factorises K - s M = L D L^T with pivoting. The signs of D also show how many eigenvalues are below s (Sylvester's law of
// inertia). Two such counts, on both sides of the pairs that were found, prove that none is missing.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <eigen_g/device_pointer.hpp>
#include <eigen_g/error.hpp>
#include <eigen_g/types.hpp>

namespace eigen_g {

// A in CSR form, host memory, both triangles stored; not changed.
//   row_offsets      n + 1 offsets, ascending from row_offsets[0]: row i has the entries row_offsets[i] <= p < row_offsets[i + 1]
//   column_indices   column of each entry, from 0; strictly ascending within a row
//   values           value of each entry
template <class T>
struct CsrMatrix {
  std::int64_t n = 0;
  const std::int64_t* row_offsets = nullptr;
  const std::int32_t* column_indices = nullptr;
  const T* values = nullptr;
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
  DevicePointer<const std::int32_t> column_indices;
  DevicePointer<const T> values;
};
// As SparseOperator in device memory, without blocking: multiply must queue its work on `stream`.
template <class T>
struct DeviceSparseOperator {
  std::int64_t n = 0;
  std::function<void(const T* x, T* y, CUstream_st* stream)> multiply;
};

// M of a pencil K - w M: a sparse matrix, or a diagonal one (a lumped mass matrix), in host memory. M is positive semidefinite.
// Exactly one of the two forms is given.
template <class T>
struct SparseMass {
  CsrMatrix<T> matrix = {};             // n x n, not given if row_offsets is null
  const real_t<T>* diagonal = nullptr;  // n values, not given if null
};

// The wanted pairs. nearest, above, below and both go by FewOptions::target.
enum class End {
  lowest,
  highest,
  nearest,  // the values nearest to the target
  above,    // the values above the target that are nearest to it
  below,    // the values below the target that are nearest to it
  both      // count / 2 values below the target, the others above it
};
enum class FewMethod { automatic, dense, lanczos, shift_invert };
const char* name(FewMethod method);  // "auto", "dense", "lanczos", "shift-invert"

// How it is established that no wanted pair is missing.
enum class Proof {
  automatic,  // counts with a factorisation, else the probe
  counts,  // counts of the eigenvalues below two points around the wanted ones; refused without a factorisation
  probe,  // one cycle with random vectors in addition to the found pairs
  none
};
const char* name(Proof proof);  // "auto", "counts", "probe", "none"
std::optional<Proof> proof_of(std::string_view name);

// The library that factorises a sparse K - s M.
enum class FactorLibrary {
  automatic,  // the first one that is available
  none,       // no factorisation: what needs one is refused
  own,        // eigen_g's own code; METIS (libmetis.so.5) is loaded at run time for the order of elimination
  mumps,      // MUMPS, sequential, with METIS; found when eigen_g is built (EIGEN_G_MUMPS)
  pardiso,    // PARDISO of Intel's MKL, which is loaded at run time (libmkl_rt.so)
  cudss  // NVIDIA cuDSS 1 on the current GPU, loaded at run time (libcudss.so.1); never the automatic one
};
const char* name(FactorLibrary library);  // "auto", "none", "own", "mumps", "pardiso", "cudss"
std::optional<FactorLibrary> factor_library_of(std::string_view name);
// True if this build and this machine have the library. automatic: any of them. none: true.
[[nodiscard]] bool available(FactorLibrary library);
// Its version, "5.5.1" for example; empty: not available.
[[nodiscard]] std::string version(FactorLibrary library);

struct FewOptions {
  std::int64_t count = 1;  // 1 <= count <= n
  End end = End::lowest;
  // With nearest, above, below and both: the value by which pairs are chosen. It is also the first shift.
  double target = 0;
  // automatic: for an end of one matrix the dense solver if n <= 1000 (CPU) or n <= 4000 (GPU), else Lanczos. The dense solver follows Lanczos
  // when Lanczos has cost as much as the dense solver would. This has three conditions: n <= 20000, two dense matrices fit into host memory,
  // and the dense solver would cost less than max_products products. If count is a large part of n, the dense solver is used with every
  // method but shift_invert.
  // For a target, automatic is the dense solver if n is that small, else shift_invert. Without a factor library it is the dense solver if that
  // is predicted to take less than 10 seconds; longer solves are refused. For a pencil it is shift_invert, on the CPU. The ends of a pencil whose M is
  // given as a positive diagonal also have the method lanczos, by the filter for M^-1/2 K M^-1/2. It is the automatic one without a factor library.
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

  // The rest is for shift_invert.
  Proof proof = Proof::automatic;
  FactorLibrary library = FactorLibrary::automatic;
  // The pencil K - w M is that of buckling: K is positive definite, M may be indefinite. The target must not be 0. Pairs have
  // z^T K z = 1, and "nearest" means the largest |w / (w - target)|.
  bool buckling = false;
};

// The default tolerance of the products' methods: 5 sqrt(n) 2^-52, at least 1e-14. Converged pairs of Lanczos then pass verify(), because the 1-norm of a
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

  // The rest is for shift_invert. There `residuals` has |K z - w M z|, `norm` has |K|_1, and `products` counts the vectors that were solved for.
  FactorLibrary library = FactorLibrary::none;  // the library that factorised
  double mass_norm = 0;                         // |M|_1
  // Bound of the distance between w and an eigenvalue, for each pair: delta (w - s)^2 / (1 - delta |w - s|), where delta is the norm
  // of (K - s M)^-1 M z - z / (w - s), measured.
  std::vector<double> error_bounds;
  // |K z - w M z| / ((|K|_1 + |w| |M|_1) |z|) of each pair, which the tolerance limits. Also for Lanczos with a lumped M.
  std::vector<double> backward_errors;
  double shift_wished = 0, shift_used = 0;
  std::string shift_reason;  // why the shift was moved; empty: it was not
  // Completeness: the numbers of eigenvalues below two points around the wanted ones. proven: the number of pairs that were found
  // between the points is the difference of the counts, so that no wanted pair is missing.
  bool proven = false;
  double low = 0, high = 0;  // the two points; low is minus infinity where nothing below them was counted
  std::int64_t count_low = 0, count_high = 0;  // numbers of eigenvalues below them
  std::int64_t found = 0;                      // number of pairs found between them
  std::int64_t repaired = 0;                   // number of found pairs that were missing before the counts
  std::string proof_reason;                    // why nothing is proven; empty: it is proven, or Proof::none
  std::int64_t factorisations = 0;
  std::int64_t factor_entries = 0;  // number of entries of L
  std::uint64_t factor_bytes = 0;   // memory of the factorisation
  double analysis_seconds = 0, factorisation_seconds = 0, solve_seconds = 0;
};

// The report of all pairs in an interval.
struct IntervalReport : FewReport {
  std::int64_t expected =
      0;  // number of pairs in the interval by the counts at its ends, known before any pair is computed
  std::vector<double> shifts;  // the shifts in the order of their use
};

// The number of eigenvalues of a pencil below a point.
struct EigenvalueCount {
  std::int64_t below = 0;
  double at =
      0;  // the point: the one asked for, or one next to it if that is an eigenvalue to working accuracy
  bool moved = false;
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
//   end     a target without a factor library, if the dense solver would take too long
// Cost: the products, and about 60 n flops per product for the basis. Memory: 8 n values per pair, and 100 n values more.
template <class T>
[[nodiscard]] FewReport solve_few(const CsrMatrix<T>& a, same_t<real_t<T>>* w, same_t<T>* z, std::int64_t ldz,
                                  const FewOptions& options, const Devices& devices = {});
template <class T>
[[nodiscard]] FewReport solve_few(const SparseOperator<T>& a, same_t<real_t<T>>* w, same_t<T>* z,
                                  std::int64_t ldz, const FewOptions& options, const Devices& devices = {});

[[nodiscard]] FewReport solve_few(const SparseGrid& a, double* w, double* z, std::int64_t ldz,
                                  const FewOptions& options, const Devices& devices = {});

// The pairs of the pencil K - w M. Vectors have z^T M z = 1. K and M are checked as A above. A singular M has infinite eigenvalues, which
// are never found nor counted. Pairs are accurate to working precision where the report says converged. The limit of
// |K z - w M z| / ((|K|_1 + |w| |M|_1) |z|) is options.tolerance. By default the limit is 4 sqrt(n) 2^-52, at least 1e-13 or 10 n 2^-52 if that is less, and
// at most 1e-12; for buckling it is 10 n 2^-52, at most 1e-12. If K is indefinite, the lowest pairs come from an interval below which there are no
// eigenvalues. Throws InvalidArgument also for
//   m         a negative entry on its diagonal; not positive semidefinite; a common null vector of K and M
//   library   no factor library is available, and the dense solver would take too long
//   count     fewer finite eigenvalues than count
template <class T>
[[nodiscard]] FewReport solve_few(const CsrMatrix<T>& k, const SparseMass<T>& m, same_t<real_t<T>>* w,
                                  same_t<T>* z, std::int64_t ldz, const FewOptions& options,
                                  const Devices& devices = {});
// As above, by products alone. op_inverse.multiply sets Y := (K - target M)^-1 X. m.multiply may be empty: M = I. k.multiply may be empty: the
// residuals are then |(w - s) M (y - z / (w - s))| with y = op_inverse M z. There are no counts.
template <class T>
[[nodiscard]] FewReport solve_few(const SparseOperator<T>& k, const SparseOperator<T>& m,
                                  const SparseOperator<T>& op_inverse, same_t<real_t<T>>* w, same_t<T>* z,
                                  std::int64_t ldz, const FewOptions& options, const Devices& devices = {});

// A pencil that is analysed once, for several counts and solves. K and M are copied, so the caller's arrays may change.
// Calls of one object must not overlap.
template <class T>
class SparseSolver {
 public:
  // The solver takes library, buckling, tolerance and proof from the options. m without a matrix and a diagonal: M = I.
  SparseSolver(const CsrMatrix<T>& k, const SparseMass<T>& m, const FewOptions& options = {},
               const Devices& devices = {});
  ~SparseSolver();
  SparseSolver(SparseSolver&&) noexcept;
  SparseSolver& operator=(SparseSolver&&) noexcept;

  std::int64_t order() const;
  // Memory of the factorisation as the analysis predicts it: number of entries of L, and bytes in all.
  std::int64_t factor_entries() const;
  std::uint64_t factor_bytes() const;

  // The number of eigenvalues below s.
  [[nodiscard]] EigenvalueCount count(double s);
  // Pairs by options.end, target and count, as solve_few(). w, z, ldz as there.
  [[nodiscard]] FewReport solve(const FewOptions& options, real_t<T>* w, T* z, std::int64_t ldz);
  // All pairs with a <= w < b, ascending. z null: values only; else it becomes n x m, column-major. If there are more than max_pairs pairs,
  // throws InvalidArgument (max_pairs) with their number, before any pair is computed. max_pairs = 0: the number that a quarter of the free memory holds.
  [[nodiscard]] IntervalReport interval(double a, double b, std::int64_t max_pairs, std::vector<real_t<T>>& w,
                                        std::vector<T>* z);
  // Other values for K and M with the same patterns. m null: M stays.
  void set_values(const T* k, const T* m);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

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
