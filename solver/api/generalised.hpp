// Eigenvalues and eigenvectors of a generalised symmetric-definite problem, B = L L^H (upper triangle: U^H U) positive definite:
//
//   itype 1   A x = w B x      C = L^-1 A L^-H   x = L^-H y   X^H B X = I
//   itype 2   A B x = w x      C = L^H A L       x = L^-H y   X^H B X = I
//   itype 3   B A x = w x      C = L^H A L       x = L y      X^H B^-1 X = I
//
// with C y = w y solved by eigen_g() as it stands. On a GPU where there is one, else on the CPU through LAPACK.
//
//   eigen_g::GeneralisedReport r = eigen_g::sygvd({.itype = 1}, n, a, lda, b, ldb, w, z, ldz);
//   if (r.bad_minor > 0) ...   // the order of B's first leading minor that is not positive definite
//
// T is double, float or std::complex of one; a Hermitian diagonal's imaginary part is not read. Complex problems take one GPU.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <eigen_g/device_pointer.hpp>
#include <eigen_g/solver.hpp>
#include <eigen_g/types.hpp>

namespace eigen_g {

// What becomes of B's Cholesky factor.
enum class CholeskyFactor {
  made,      // for this call alone
  returned,  // over B, in its triangle: for the next call
  given      // b holds it, from a call that returned it: B is not factored again
};

struct Generalised {
  int itype = 1;
  CholeskyFactor factor = CholeskyFactor::made;
};

// The standard solve's report, with the seconds and the bytes of the whole call, and what was done around it.
struct GeneralisedReport : Report {
  // Not 0: the order of B's first leading minor that is not positive definite. Then status is not_converged, failed is LAPACK's
  // info n + bad_minor, m is 0, and nothing after the factorization was done.
  std::int64_t bad_minor = 0;
  struct Act {
    const char* name;  // "load", "check", "cholesky", "standard_form", "back_substitute", "store"
    double seconds;
  };
  std::vector<Act> acts;  // in their order; the stages stand between "standard_form" and what follows
  double seconds_of_act(const char* name) const;
};

// Host pointers. A, w, z, ldz, options and devices as in eigen_g(); options.uplo is A's and B's.
//   a    n x n, lda, host, in, not changed
//   b    n x n, ldb >= max(1, n), host, in: B, or its factor where that is given; changed where it is returned alone. The
//        triangle that options.uplo does not name is neither read nor written
//   w    values, ascending, of the options' subset
//   z    vectors as above, or null with options.vectors false. z may be a itself, not b
// Where B is not positive definite, the report says so, w and z are undefined, and of a B that was to be returned the triangle is.
// options.progress is told of the standard solve alone.
// Blocks until done.
// Throws as eigen_g(), NonFiniteEntry of A; InvalidArgument too, by its parameter(): itype, ldb, b, that where B holds a NaN or an
// infinity or is scaled so against A that C overflows.
// Accuracy, with cond = cond_2(B), c a moderate constant and norms of B = L L^H:
//   |A X - B X W| <= c n ulp |A| |X| sqrt(cond)                |X^H B X - I| <= c n ulp cond
//   |w_k - w_k'| <= c n ulp (|A| |B^-1| + cond |w_k|)          of itype 1
//   |w_k - w_k'| <= c n ulp (|A| |B| + cond |w_k|)             of itypes 2 and 3
// as LAPACK's: rounding B by ulp |B| alone moves w_k by as much as ulp cond |w_k|. Its source: LAPACK Users' Guide, 4.10.
// Cost: n^3 / 3 flops for the factor, n^3 for C (on a GPU 2 n^3 up to 6144 rows), n^2 m for the vectors, and eigen_g()'s.
// LAPACK: dsygvd (dpotrf, dsygst, dsyevd, dtrsm); of a subset dsygvx.
template <class T>
[[nodiscard]] GeneralisedReport sygvd(const Generalised& problem, std::int64_t n, const T* a,
                                      std::int64_t lda, same_t<T>* b, std::int64_t ldb, same_t<real_t<T>>* w,
                                      same_t<T>* z, std::int64_t ldz, const Options& options = {},
                                      const Devices& devices = {});

// Device pointers, on the GPU that holds them, ordered after what the stream holds, complete on return.
//   a    n x n, lda, device, in; destroyed (both triangles)
//   b    n x n, ldb, device, in; B is destroyed (both triangles) but for a factor that is returned, which stands in its triangle. A
//        factor that is given stays; with an upper one the other triangle is overwritten
//   w, z as in eigen_g(). z may be a itself with ldz = lda. Even leading dimensions and 16-byte alignment are fastest.
// Blocks, beside where eigen_g() does, for max |a_ij| and max |b_ij| and for whether B is positive definite.
template <class T>
[[nodiscard]] GeneralisedReport sygvd(const Generalised& problem, std::int64_t n, DevicePointer<T> a,
                                      std::int64_t lda, same_t<DevicePointer<T>> b, std::int64_t ldb,
                                      same_t<DevicePointer<real_t<T>>> w, same_t<DevicePointer<T>> z,
                                      std::int64_t ldz, CUstream_st* stream, const Options& options = {},
                                      const Devices& devices = {});

// Planned once, solved often, with a context of its own; else as Solver: what it tells and takes is told there.
template <class T>
class GeneralisedSolver {
 public:
  explicit GeneralisedSolver(std::int64_t n, const Generalised& problem = {}, const Options& options = {},
                             Pointers pointers = Pointers::host, const Devices& devices = {},
                             const Allocator& allocator = {});
  ~GeneralisedSolver();
  GeneralisedSolver(GeneralisedSolver&&) noexcept;
  GeneralisedSolver& operator=(GeneralisedSolver&&) noexcept;

  // Beside a, b, w and z. On a GPU Solver's, and n x n for each of A, B and Z from host pointers.
  WorkspaceBytes workspace() const;
  bool on_gpu() const;
  Path path() const;
  void use(const Workspace& workspace);
  // The next solves' factor: `returned` once and then `given`, where one B serves many A.
  void choose(CholeskyFactor factor);

  [[nodiscard]] GeneralisedReport solve(const T* a, std::int64_t lda, T* b, std::int64_t ldb, real_t<T>* w,
                                        T* z, std::int64_t ldz);
  [[nodiscard]] GeneralisedReport solve(DevicePointer<T> a, std::int64_t lda, DevicePointer<T> b,
                                        std::int64_t ldb, DevicePointer<real_t<T>> w, DevicePointer<T> z,
                                        std::int64_t ldz, CUstream_st* stream);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Bytes that sygvd() takes at most for itself beyond a, b, w, z, as workspace_bytes().
template <class T = double>
[[nodiscard]] WorkspaceBytes generalised_workspace_bytes(std::int64_t n, const Generalised& problem,
                                                         const Options& options, bool on_gpu,
                                                         Pointers pointers = Pointers::host);

}  // namespace eigen_g
