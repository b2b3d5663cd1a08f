// Eigenvalues and eigenvectors of a real symmetric or complex Hermitian matrix that is distributed over the processes of an MPI
// communicator, and of generalised problems: A = Z diag(w) Z^H, w_1 <= ... <= w_n. The libraries cuSOLVERMp, ELPA and ScaLAPACK
// compute them. It is part of builds with MPI, and the command eigen_g_mpi uses it. It is not installed yet.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include <eigen_g/types.hpp>

namespace eigen_g::distributed {

struct Options {
  Uplo uplo = Uplo::lower;  // the triangle of A that is read
  bool vectors = true;
  Subset subset = {};
  Path path = Path::automatic;   // two_stage: only ELPA has it
  std::string library = "auto";  // "auto": the first of libraries() that can do the call and can be used
};

struct Report {
  Status status = Status::converged;
  std::int64_t info = 0;  // not converged: the library's info, or n + bad_minor
  std::int64_t bad_minor =
      0;  // order of B's first leading minor that is not positive definite, and then nothing else is computed; 0: none
  std::int64_t m = 0,
               first_index = 1;  // number of pairs found, and the index of the first one among all, from 1
  Path path = Path::one_stage;
  std::string library, routine;  // "scalapack", "pdsyevd"
  int gpu = -1;                  // CUDA's number of this process's GPU; -1: the CPUs worked
  double seconds = 0;
};

//   comm        all processes of the descriptors' BLACS context, in any order of ranks
//   n           0 <= n < 2^31
//   a, desca    local part and ScaLAPACK's descriptor: n x n, square blocks, the first at process (0, 0); in, destroyed. Only the
//               triangle options.uplo is read, and only the real parts of a complex diagonal
//   w           n values on every process, out: the first report.m are the values found, ascending
//   z, descz    n x n, distributed as a, with the same leading dimension; out: the first report.m columns. Not used without vectors
// T is double, float, std::complex<double> or std::complex<float>; ELPA has double and std::complex<double>.
// Collective: every process calls it with the same arguments, except a, z and the local leading dimensions. Blocks.
// If one process throws, all do: InvalidArgument (NonFiniteEntry), OutOfMemory if the library reports it, DeviceError (a library's error,
// or the reason why it cannot be used). If only another process has a wrong argument, the InvalidArgument is for `options`.
// Memory: that of the library, and the local part of an n x 256 panel.
// Cost: the library's, about 4/3 n^3 flops to tridiagonal form and 2 to 4 n^2 m for the vectors; complex matrices four times this.
template <class T>
Report eigen_g(MPI_Comm comm, std::int64_t n, T* a, const int* desca, same_t<real_t<T>>* w, same_t<T>* z,
               const int* descz, const Options& options = {});

// The generalised problems of solver/api/generalised.hpp with B = L L^H positive definite: itype 1 A x = w B x, 2 A B x = w x,
// 3 B A x = w x. The vectors have X^H B X = I; for itype 3 X^H B^-1 X = I.
//   b, descb    n x n, distributed as a; in: only the triangle options.uplo is read; out: L in the lower triangle
// The other arguments are as in eigen_g().
// If B is not positive definite, report.bad_minor > 0, and a, b, w and z are undefined. Throws as eigen_g(), and InvalidArgument (b) if
// an entry of B is not finite or the standard form overflows because of the scales of A and B.
// ScaLAPACK computes the Cholesky factor, the standard form and x from y (pdpotrf, pdsyngst, pdtrsm): n^3 / 3 + n^3 + n^2 m flops in
// addition to the cost of eigen_g().
template <class T>
Report sygvd(MPI_Comm comm, int itype, std::int64_t n, T* a, const int* desca, same_t<T>* b, const int* descb,
             same_t<real_t<T>>* w, same_t<T>* z, const int* descz, const Options& options = {});

// Names of the libraries of this build, the preferred one first.
std::vector<std::string> libraries();
// True if this build has the library and it has matrices of this type: float (single) or double, real or complex.
bool has_library(const std::string& name, bool single = false, bool complex = false);

// Returns the reason why these processes cannot use a library of this build; empty: they can, or the argument is "auto". cusolvermp needs
// its libraries and a GPU for each process. The result is equal on every process. Collective. Throws InvalidArgument (library) if this
// build does not have the library.
std::string why_not(MPI_Comm comm, const std::string& library);

}  // namespace eigen_g::distributed
