// Eigenvalues and eigenvectors of a generalised symmetric-definite problem. B = L L^H (upper triangle: U^H U) is positive definite:
//
//   itype 1   A x = w B x      C = L^-1 A L^-H   x = L^-H y   X^H B X = I
//   itype 2   A B x = w x      C = L^H A L       x = L^-H y   X^H B X = I
//   itype 3   B A x = w x      C = L^H A L       x = L y      X^H B^-1 X = I
//
// eigen_g() solves C y = w y. A solve runs on a GPU if there is one and n >= 72, else on the CPU.
//
//   eigen_g::GeneralisedReport r = eigen_g::sygvd({.itype = 1}, n, a, lda, b, ldb, w, z, ldz);
//   if (r.bad_minor > 0) ...   // B is not positive definite: its first such leading minor has this order
//
// If B is ill-conditioned, the order of its rows decides how many digits the small eigenvalues keep. With CholeskyFactor::compute B is therefore
// factored in the order of its descending diagonal, if its diagonal entries differ by a factor of 4 or more. If rows are then still nearly
// dependent, it is factored again in the order of diagonal pivoting. If one of the two is the case and n < 72, the problem is solved on the CPU even
// if a GPU was requested, because a GPU's divide and conquer has an error near ulp |C| in each eigenvalue. The report then names the CPU.
// A and B may have any scale. They are multiplied by powers of two if their entries or the entries of the factor would lose digits.
//
// T is double, float, std::complex<double> or std::complex<float>. The imaginary parts of a Hermitian diagonal are not read.
// Complex problems are solved on one GPU.
#pragma once

#include <cstdint>
#include <memory>

#include <eigen_g/device_pointer.hpp>
#include <eigen_g/solver.hpp>
#include <eigen_g/types.hpp>

namespace eigen_g {

// Source and destination of B's Cholesky factor.
enum class CholeskyFactor {
  compute,             // computed for this call and not returned; rows in the most accurate order
  compute_and_return,  // computed in the caller's order of rows and stored in the triangle of b, for later calls
  reuse                // b holds the factor from an earlier call; B is not factored again
};

struct GeneralisedProblem {
  int itype = 1;
  CholeskyFactor factor = CholeskyFactor::compute;
};

// The report of the whole call. Its stages are load, check, cholesky (except with CholeskyFactor::reuse), standard_form, all stages of
// the standard solve C y = w y, back_substitute (with vectors), unscale (only if A or B was scaled), and store. The standard solve has
// another load and another store.
struct GeneralisedReport : Report {
  // Order of B's first leading minor that is not positive definite; 0: B is positive definite. If bad_minor > 0, status is
  // not_converged, info is LAPACK's n + bad_minor, m is 0, and the call ended after the factorization.
  std::int64_t bad_minor = 0;
};

// The common implementation of the two forms of sygvd() below. Programs call sygvd() instead.
template <class T>
GeneralisedReport generalised_solve(const GeneralisedProblem& problem, Pointers pointers, std::int64_t n,
                                    const T* a, std::int64_t lda, T* b, std::int64_t ldb, real_t<T>* w, T* z,
                                    std::int64_t ldz, CUstream_st* stream, const Options& options,
                                    const Devices& devices);

// Solves the problem of problem.itype on host pointers. w, z, options and devices as in eigen_g(); options.uplo is for A and B.
//   a    n x n, lda >= max(1, n), host memory, in, not changed
//   b    n x n, ldb >= max(1, n), host memory, in: B, or its factor with CholeskyFactor::reuse. Changed only with
//        CholeskyFactor::compute_and_return. The other triangle is neither read nor written
//   w    values of the subset, host memory, out, ascending
//   z    n x n, ldz >= max(1, n), host memory, out: the vectors X; null if options.vectors is false. z may be a itself, but not b
// If B is not positive definite, report.bad_minor > 0, and w and z are undefined. With CholeskyFactor::compute_and_return the
// triangle of b is then undefined too.
// options.progress is called for the stages of the standard solve only.
// Blocks until done.
// Throws as eigen_g(). NonFiniteEntry names a or b. InvalidArgument also names itype, ldb or b. It names b if B is so small or A so
// large that eigenvalues overflow.
// The accuracy is at least LAPACK's. cond = cond_2(B), and c is a moderate constant. For each pair one of the two bounds of r holds:
//   r = |A x - w B x| <= c n ulp |A| |X| sqrt(cond), or r <= c n ulp (|A| + |w| |B|) |x|
//   |X^H B X - I| <= c n ulp cond
//   |w_k - w_k'| <= c n ulp (|A| |B^-1| + cond |w_k|)          itype 1
//   |w_k - w_k'| <= c n ulp (|A| |B| + cond |w_k|)             itypes 2 and 3
// Rounding B by ulp |B| alone moves w_k by up to ulp cond |w_k| (LAPACK Users' Guide, 4.10). With CholeskyFactor::compute the values that are
// small by modulus are far better than these bounds.
// Cost: n^3 / 3 flops for the factor, n^3 for C (2 n^3 on a GPU up to 6144 rows), n^2 m for the vectors, and eigen_g() for C.
// Source: LAPACK dsygvd (dpotrf, dsygst, dsyevd, dtrsm); for a subset dsygvx.
template <class T>
[[nodiscard]] GeneralisedReport sygvd(const GeneralisedProblem& problem, std::int64_t n, const T* a,
                                      std::int64_t lda, same_t<T>* b, std::int64_t ldb, same_t<real_t<T>>* w,
                                      same_t<T>* z, std::int64_t ldz, const Options& options = {},
                                      const Devices& devices = {}) {
  return generalised_solve(problem, Pointers::host, n, a, lda, b, ldb, w, z, ldz, nullptr, options, devices);
}

// sygvd() on device pointers, on the current GPU. Memory of another GPU throws InvalidArgument. The solve starts after all work that is in the
// stream, and is complete on return.
//   a    n x n, lda, device memory, in, destroyed (both triangles)
//   b    n x n, ldb, device memory, in. Afterwards, by CholeskyFactor:
//          compute              destroyed (both triangles)
//          compute_and_return   the factor is in its triangle; the other triangle is destroyed
//          reuse                the factor is unchanged; the lower triangle is overwritten if options.uplo is upper
//   w    values of the subset, device memory, out
//   z    as in eigen_g(): may be a itself if ldz = lda. Even leading dimensions and 16-byte alignment are fastest
// Blocks as eigen_g() does, and also for max |a_ij|, max |b_ij| and the result of the Cholesky factorization.
template <class T>
[[nodiscard]] GeneralisedReport sygvd(const GeneralisedProblem& problem, std::int64_t n, DevicePointer<T> a,
                                      std::int64_t lda, same_t<DevicePointer<T>> b, std::int64_t ldb,
                                      same_t<DevicePointer<real_t<T>>> w, same_t<DevicePointer<T>> z,
                                      std::int64_t ldz, CUstream_st* stream, const Options& options = {},
                                      const Devices& devices = {}) {
  return generalised_solve(problem, Pointers::device, n, a.get(), lda, b.get(), ldb, w.get(), z.get(), ldz,
                           stream, options, devices);
}

// A generalised solve that is planned once and runs any number of times. Its workspace on a GPU is as large as Solver's, but at least n x n
// values. With host pointers the workspace has n x n values for each of A, B and Z in addition. solve() is as in Solver.
template <class T>
class GeneralisedSolver : public PlannedSolver<T> {
 public:
  // Plans, and allocates nothing of order n^2. Throws as Solver().
  explicit GeneralisedSolver(Context& context, std::int64_t n, const GeneralisedProblem& problem = {},
                             const Options& options = {}, Pointers pointers = Pointers::host);
  // With a context of its own.
  explicit GeneralisedSolver(std::int64_t n, const GeneralisedProblem& problem = {},
                             const Options& options = {}, Pointers pointers = Pointers::host,
                             const Devices& devices = {}, const Allocator& allocator = {});

  // Sets the factor option of the next solves: compute_and_return for the first A and reuse for all others with the same B.
  void set_factor(CholeskyFactor factor);

  [[nodiscard]] GeneralisedReport solve(const T* a, std::int64_t lda, T* b, std::int64_t ldb, real_t<T>* w,
                                        T* z, std::int64_t ldz);
  [[nodiscard]] GeneralisedReport solve(DevicePointer<T> a, std::int64_t lda, DevicePointer<T> b,
                                        std::int64_t ldb, DevicePointer<real_t<T>> w, DevicePointer<T> z,
                                        std::int64_t ldz, CUstream_st* stream);

 private:
  using PlannedSolver<T>::impl_;
};

// Upper bound of the memory that sygvd() uses in addition to a, b, w and z; as workspace_bytes().
template <class T = double>
[[nodiscard]] WorkspaceBytes generalised_workspace_bytes(std::int64_t n, const GeneralisedProblem& problem,
                                                         const Options& options, bool on_gpu,
                                                         Pointers pointers = Pointers::host);

}  // namespace eigen_g
