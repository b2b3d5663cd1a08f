// All eigenvalues and, on request, all eigenvectors of a dense real symmetric or complex Hermitian matrix:
//
//   A = Z diag(w) Z^H,   w_1 <= w_2 <= ... <= w_n,   Z^H Z = I.
//
// The method is Householder tridiagonalization (directly or through a band: Options::path), divide and conquer, and
// back-transformation. A solve on device pointers runs on the GPU. By default a solve on host pointers runs on a GPU if there is one and
// n >= 72 (with Path::two_stage: any n), and otherwise on the CPU.
// Headers of related problems: eigen_g.h (from C), generalised.hpp (A x = w B x), batched.hpp (many small matrices),
// sparse.hpp (few pairs of a sparse matrix), stages.hpp (single stages), shards.hpp (a matrix in pieces on several GPUs).
//
// The following complete program is a part of apps/example/first_solve.cpp, where a mark [first-solve] precedes it:
//
//   #include <cstdio>
//   #include <eigen_g/eigen_g.hpp>
//   #include <eigen_g/verify.hpp>
//
//   int main() {
//     const int n = 3;
//     const double a[] = {2, -1, 0, 0, 2, -1, 0, 0, 2};  // column-major; the lower triangle is read
//     const auto x = eigen_g::solve(n, a, n);
//     for (const double w : x.values) std::printf("%.6f\n", w);  // 2 - sqrt(2), 2, 2 + sqrt(2)
//     const auto check = eigen_g::verify(eigen_g::Uplo::lower, n, a, n, n, x.values.data(), x.vectors.data(), n);
//     std::printf("%s on %s\n", passed(check) ? "verified" : "wrong", x.report.devices.front().name.c_str());
//     return passed(check) ? 0 : 1;
//   }
//
// T is double, float, std::complex<double> or std::complex<float>. The imaginary parts of a Hermitian diagonal are not read.
// Complex arrays in device memory must be aligned to sizeof(T). An engine is an implementation of the large matrix products. Options::engine
// lists the engines for complex matrices. Devices::gpus says when several GPUs can divide a problem with a complex matrix.
//
// Any number of threads may call at the same time. Each result has the same bits as in a serial program. A thread keeps some
// resources between its calls; release_thread_cache() frees them. Sizes are 64-bit.
// No call prints or exits. Every call leaves the thread counts of OpenMP and OpenBLAS, the locale, the signal handlers and the current GPU
// as they were.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include <eigen_g/device_pointer.hpp>
#include <eigen_g/error.hpp>
#include <eigen_g/solver.hpp>
#include <eigen_g/types.hpp>

namespace eigen_g {

// The common implementation of the two forms of eigen_g() below. Programs call eigen_g() instead.
template <class T>
Report standard_solve(Pointers pointers, std::int64_t n, const T* a, std::int64_t lda, real_t<T>* w, T* z,
                      std::int64_t ldz, CUstream_st* stream, const Options& options, const Devices& devices);

// A = Z diag(w) Z^H on host pointers.
//   a   n x n, leading dimension lda >= max(1, n), host memory, in. It is not changed unless z is a. Only the triangle
//       options.uplo is read
//   w   n values, host memory, out, ascending
//   z   n x n, leading dimension ldz >= max(1, n), host memory, out. Column k belongs to w[k]; its 2-norm is 1 and its sign is
//       arbitrary. z may be a itself. If options.vectors is false, z is neither read nor written and may be null
// With options.subset, w needs room for subset.max_count(n) values and z for the same number of columns. The first report.m values and
// columns are the pairs found; the others are undefined.
// Blocks until done.
// Throws InvalidArgument (also for a pointer to device memory; NonFiniteEntry for a NaN or an infinity in the triangle), OutOfMemory and
// DeviceError. OutOfMemory is for allocations of order n^2. A failed smaller allocation on the host throws std::bad_alloc.
// Cost of the one-stage path in double:
//   tridiagonalization     4/3 n^3 flops; 4/3 n^3 bytes of A are read
//   divide and conquer     at most 4/3 n^3 flops
//   back-transformation    2 n^3 flops
// Source: LAPACK dsyevd (dsytrd, dstedc, dormtr); Eigen-G (IPSJ SIG).
template <class T>
[[nodiscard]] Report eigen_g(std::int64_t n, const T* a, std::int64_t lda, same_t<real_t<T>>* w, same_t<T>* z,
                             std::int64_t ldz, const Options& options = {}, const Devices& devices = {}) {
  return standard_solve(Pointers::host, n, a, lda, w, z, ldz, nullptr, options, devices);
}

// A = Z diag(w) Z^H on device pointers, on the current GPU: eigen_g(n, device(a), lda, device(w), device(z), ldz, stream).
// Memory of another GPU throws InvalidArgument.
//   a       n x n, lda >= max(1, n), device memory, in, destroyed (both triangles)
//   w       n values, device memory, out
//   z       n x n, ldz >= max(1, n), device memory, out. If options.vectors is false, z is not used and may be null. z may be a
//           itself if ldz = lda. If z and a are different arrays, they must not overlap. A solve is fastest if lda and ldz are
//           even and a and z are 16-byte aligned
//   stream  the solve starts after all work that is in the stream, and is complete when the call returns; null: default stream
// The host waits for max |a_ij| and for the end of the solve. With vectors the divide and conquer makes the host wait once for each level that has
// merges of more than 512 rows. A subset can need up to three more waits. The call waits for the end because it frees its device memory then.
// Solver::enqueue() does not wait for the end.
// Throws InvalidArgument (also for DeviceChoice::cpu and for a pointer to host memory that the GPU cannot use; NonFiniteEntry as above),
// OutOfMemory and DeviceError. The cost is as above.
template <class T>
[[nodiscard]] Report eigen_g(std::int64_t n, DevicePointer<T> a, std::int64_t lda,
                             same_t<DevicePointer<real_t<T>>> w, same_t<DevicePointer<T>> z, std::int64_t ldz,
                             CUstream_st* stream, const Options& options = {}, const Devices& devices = {}) {
  return standard_solve(Pointers::device, n, a.get(), lda, w.get(), z.get(), ldz, stream, options, devices);
}

// Values and vectors of a solve, with their memory.
template <class T>
struct Solution {
  std::vector<real_t<T>> values;
  std::vector<T> vectors;  // n x report.m, column-major; empty without vectors
  Report report;
};
// eigen_g() on host pointers that also allocates w and z.
template <class T>
[[nodiscard]] Solution<T> solve(std::int64_t n, const T* a, std::int64_t lda, const Options& options = {},
                                const Devices& devices = {});

// Returns an upper bound of the memory that eigen_g() allocates. The bound does not contain the caller's a, w and z. It does not contain the additional
// memory of other engines than native (Options::engine) or of shared products (Devices::ratio) either. For device pointers the bound is
// for lda = n, a 16-byte aligned a, and z other than a (MatrixLayout::contiguous in types.hpp).
//   on_gpu   true: for the current GPU; throws DeviceError if there is none
//   mode     the bound is for a solve in this mode on a GPU. Throws InvalidArgument (mode) if a solve with these arguments cannot have it.
//            To make a solve use this mode, set Devices::memory_limit to WorkspaceBytes::device of the result
//
// The table shows all device memory of a solve. Unlike the bound, the table also counts the caller's a, w and z if they are in device
// memory. The unit is a value of sizeof(T) bytes:
//
//   all vectors   3 n^2 + 1220 n   n < 6000
//                 3.2 n^2          n >= 6000; 3.07 n^2 at n = 65000
//   values only   n^2 + O(n)       one-stage path
//                 1.07 n^2         two-stage path, n = 10000; 1.04 n^2 at n = 32768
//                 0.6 n^2          two-stage path, MemoryMode::block_columns
//
// On the two-stage path float and complex matrices can need up to 1 GiB more than the table says. They can also need less: complex
// double needs 2.7 n^2 at n = 10000 with all vectors.
// Device pointers need more than the table says in these cases:
//
//   n^2      values only or a complex matrix, if the reduction cannot work in the caller's array a
//   n^2      vectors of a subset by index
//   n^2      two-stage path and a real type, if z is not 16-byte aligned or ldz is odd. If the GPU does not have this memory, the solve works
//            without it, but is slower
//   0.6 n^2  vectors and a real type, and lda > n
//
// The reduction works in the caller's array a if lda = n, a is 16-byte aligned, z is not a, and one of two more conditions holds:
//
//   - n is a multiple of 64;
//   - the path is two-stage, n sizeof(T) is a multiple of 32, and n - b > 1056. The bandwidth b is 64 for real and 32 for complex matrices
//
// On device pointers z == a saves the caller one array of n^2 values. A solve with z == a can allocate n^2 values more than the bound of
// workspace_bytes(), so the total can stay the same. On host pointers z == a changes nothing.
//
// If the GPU has too little memory, the solve falls back in this order, and Report::fallbacks lists the fallbacks. MemoryMode in types.hpp
// explains "in core", "parked", "slabs" and "block columns".
//
//   mixed precision -> native precision
//   in core         -> parked            with vectors, gpus = 1 and n >= 128
//   parked          -> slabs             with host pointers
//   slabs           -> block columns     with host pointers, on the two-stage path
//   in core         -> block columns     for values only, with host pointers, gpus = 1 and n >= 128, on the two-stage path
//   two-stage path  -> one-stage path    with Path::automatic
//   GPU             -> CPU               with host pointers and DeviceChoice::automatic
//
// If no fallback is left, eigen_g() throws OutOfMemory with the needed and the free bytes, before any work. It also throws OutOfMemory before
// any work if the host has too little memory for a mode. Engines other than native, and shared products, allocate their additional memory during
// the solve. If there is too little of it, eigen_g() can throw OutOfMemory in the middle of the solve.
template <class T = double>
[[nodiscard]] WorkspaceBytes workspace_bytes(std::int64_t n, const Options& options, bool on_gpu,
                                             Pointers pointers = Pointers::host,
                                             MemoryMode mode = MemoryMode::in_core);

// Starts the current GPU and loads what a first solve would wait for (0.2 to 0.4 s on an H200). No solve needs this call. A program saves
// this time if it calls start_gpu() in a second thread while its first thread reads the matrix. Does nothing if there is no GPU.
// Throws DeviceError.
void start_gpu();

// Frees what the calling thread keeps between its calls. For each GPU that it used: streams, a cuBLAS handle, up to 64 MiB of
// device memory, and up to 64 MiB + 36 n bytes of pinned host memory (complex double: 128 MiB + 36 n), after a
// solve by several GPUs up to 96 MiB + 36 n (complex double: 192 MiB + 36 n). For each GPU of such a solve up to eleven sleeping threads that
// copy host memory, otherwise for all GPUs together up to eight. A solve that copies matrices to host memory while it runs (MemoryMode) can double the
// pinned memory and these threads. A batch can solve up to four large problems on one GPU at the same time (batched.hpp). For each problem
// that runs at the same time the calling thread keeps a further set of these resources, and one more host thread. A thread that ends frees
// its cache without this call. This call also frees the device memory that the process keeps for large solves of any thread: one block for
// each GPU, of at most 1/64 of its memory. If the GPU has too little free memory for the workspace of a solve, the solve frees this block
// by itself.
void release_thread_cache();

// "0.2.0"
const char* version();

}  // namespace eigen_g
