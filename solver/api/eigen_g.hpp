// All eigenvalues, and if wanted all eigenvectors, of a dense real symmetric or complex Hermitian matrix:
//
//   A = Z diag(w) Z^H,   w_1 <= w_2 <= ... <= w_n,   Z^H Z = I.
//
// Householder tridiagonalization, at once or on a GPU by way of a band (Options::path), divide and conquer, back-transformation; on a GPU
// where there is one and n is at least 72, else on the CPU through OpenBLAS and LAPACK. In C: eigen_g.h. Generalised problems, few pairs
// of a sparse matrix and single stages have headers of their own: generalised.hpp, sparse.hpp, stages.hpp.
//
// T is double, float or std::complex of one; a Hermitian diagonal's imaginary part is not read. Complex matrices take one GPU, on
// which complex arrays are aligned to their entries, and native products. Any number of threads
// may call at the same time; each keeps something between its calls (release_kept), and results are those of one thread bit for
// bit. Sizes are 64-bit. No call prints, exits, or leaves the process' threads, locale, signal handling or current GPU changed.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include <eigen_g/device_pointer.hpp>
#include <eigen_g/error.hpp>
#include <eigen_g/solver.hpp>
#include <eigen_g/types.hpp>

namespace eigen_g {

// Host pointers.
//   a       n x n, leading dimension lda >= max(1, n), host memory, in, not changed; only options.uplo's
//           triangle is read
//   w       n values, host, out, ascending
//   z       n x n, leading dimension ldz >= max(1, n), host, out: column k belongs to w[k], 2-norm 1, sign free.
//           With options.vectors false neither read nor written; may then be null. z may be a itself.
// With options.subset the first report.m values and columns hold what was found; w and z need room for
// subset.most(n) of them, and what lies behind the m-th within that room is undefined.
// Blocks until done.
// Throws InvalidArgument (NonFiniteEntry for a NaN or an infinity in the triangle), OutOfMemory, DeviceError; std::bad_alloc where an
// allocation on the host fails that is not of the matrix' size.
// Device memory is an InvalidArgument here, host memory that the GPU cannot use is one below.
// Cost: 4/3 n^3 flops and 4/3 n^3 bytes for the tridiagonalization, at most 4/3 n^3 flops for the divide and
// conquer, 2 n^3 for the back-transformation.
// LAPACK: dsyevd (dsytrd, dstedc, dormtr); Eigen-G (IPSJ SIG).
template <class T>
[[nodiscard]] Report eigen_g(std::int64_t n, const T* a, std::int64_t lda, same_t<real_t<T>>* w, same_t<T>* z,
                             std::int64_t ldz, const Options& options = {}, const Devices& devices = {});

// Device pointers, on the GPU that holds them: eigen_g(n, device(a), lda, device(w), device(z), ldz, stream).
//   a       n x n, lda, device memory, in; destroyed (both triangles)
//   w       n values, device, out
//   z       n x n, ldz, device, out; null with options.vectors false. z may be a itself with ldz = lda; else the
//           two must not overlap. Even leading dimensions and 16-byte alignment of both are fastest.
//   stream  the work is ordered after what the stream holds and is complete when the call returns; null: the
//           default stream
// Blocks: for max |a_ij|, in the divide and conquer, and at the end, where its memory ends; Solver::enqueue does not wait there,
// and says what the others wait for. devices.place cpu is an InvalidArgument. Everything else as above.
template <class T>
[[nodiscard]] Report eigen_g(std::int64_t n, DevicePointer<T> a, std::int64_t lda,
                             same_t<DevicePointer<real_t<T>>> w, same_t<DevicePointer<T>> z, std::int64_t ldz,
                             CUstream_st* stream, const Options& options = {}, const Devices& devices = {});

// Values and vectors with their memory, for callers who do not want to keep their own.
template <class T>
struct Solution {
  std::vector<real_t<T>> values;
  std::vector<T> vectors;  // n x report.m column-major, empty without vectors
  Report report;
};
template <class T>
[[nodiscard]] Solution<T> solve(std::int64_t n, const T* a, std::int64_t lda, const Options& options = {},
                                const Devices& devices = {});

// Bytes that eigen_g() takes at most for itself beyond a, w, z; on device pointers of MatrixLayout::packed ones. With these three, an n x n
// solve on a GPU needs
//
//   all vectors   3.2 n^2 values of device memory for n >= 6000, 3.07 n^2 for n = 65000, 3 n^2 + 1220 n for smaller ones; two stages
//                 of floats and complex numbers up to 1 GiB more (complex double 2.7 n^2 at n = 10000)
//   values only   n^2 + O(n) (two stages 1.07 n^2 at n = 10000, 1.04 n^2 at 32768)
//
// and on device pointers
//
//   n^2 more      for values only where a's columns do not serve (one stage wants n a multiple of 64, two stages columns on 32 bytes);
//                 for a subset by number; for z in a's place, as much as it saves the caller; in two stages for z whose columns are not
//                 on 16 bytes, as with odd n (where there is less, that is slower)
//   .6 n^2 more   with vectors where lda > n
//
// Where more is needed than is free on the GPU, what was left to choose gives way: mixed precision to native, two
// stages to one (path automatic), the GPU to the CPU (host pointers, place automatic); the report tells. Otherwise eigen_g() throws
// OutOfMemory with both figures before any work.
//   on_gpu   the current GPU; throws DeviceError where there is none
template <class T = double>
[[nodiscard]] WorkspaceBytes workspace_bytes(std::int64_t n, const Options& options, bool on_gpu,
                                             Pointers pointers = Pointers::host);

// Starts the current GPU and loads what a first solve otherwise waits for (0.2 to 0.4 s on an H200). For a thread of its own
// beside other work, such as reading the matrix; no solve needs it. Does nothing where there is no GPU. Throws DeviceError.
void start_gpu();

// Between calls a thread keeps for each GPU that it used: a stream, a cuBLAS handle, at most 64 MiB of device memory and
// 64 MiB and 36 n bytes of pinned host memory; and for all of them together up to seven sleeping threads, for transfers
// from and to host pointers. This frees what the calling thread keeps; its end does so too.
void release_kept();

// "0.2.0"
const char* version();

}  // namespace eigen_g
