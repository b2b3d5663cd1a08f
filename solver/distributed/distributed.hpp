// Eigenvalues and eigenvectors of a real symmetric or complex Hermitian matrix that is dealt out to the processes of an MPI
// communicator, by cuSOLVERMp, ELPA or ScaLAPACK: A = Z diag(w) Z^H, w_1 <= ... <= w_n; and those of generalised problems.
// In builds with MPI; eigen_g_mpi stands on it. It is not installed yet.
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
  Path path = Path::automatic;  // two stages: ELPA alone
  std::string engine = "auto";  // the first of engines() that does what is asked for, and can be used
};

struct Report {
  Status status = Status::converged;
  std::int64_t failed = 0;  // not_converged: the engine's number
  std::int64_t bad_minor =
      0;  // not 0: the order of B's first leading minor that is not positive definite; nothing else is done
  std::int64_t m = 0, first = 1;  // pairs found, and the number of the first of them among all, from 1
  Path path = Path::one_stage;
  std::string engine, routine;  // "scalapack", "pdsyevd"
  int gpu = -1;                 // CUDA's number of this process' GPU; -1: the CPUs did it
  double seconds = 0;
};

//   comm        its processes are those of the descriptors' BLACS context, all of them, rank by rank along the rows or however
//   n           from 0 to 2^31 - 1
//   a, desca    local part and ScaLAPACK's descriptor: n x n, square blocks, the first at process (0, 0); in, destroyed. Only the
//               entries of options.uplo's triangle are read, of a complex diagonal the real parts.
//   w           n values on every process, out: ascending, the first report.m count
//   z, descz    n x n, dealt out as A is; out: the first report.m columns. With options.vectors false neither is read.
// T is double, float or std::complex of one; ELPA has those of double.
// Collective: every process calls it with the same arguments but for a, z and local leading dimensions. Blocks.
// Throws, on every process alike: InvalidArgument (NonFiniteEntry), OutOfMemory of the engine where it says so, DeviceError (an
// engine's complaint, or why it cannot be used). Memory: that of the engine, and the local part of an n x 256 panel.
// Cost: the engine's, about 4/3 n^3 flops to tridiagonal form, and 2 to 4 n^2 m for the vectors; of complex matrices four times.
template <class T>
Report eigen_g(MPI_Comm comm, std::int64_t n, T* a, const int* desca, same_t<real_t<T>>* w, same_t<T>* z,
               const int* descz, const Options& options = {});

// The problems of solver/api/generalised.hpp, B = L L^H positive definite: itype 1 A x = w B x, 2 A B x = w x, 3 B A x = w x; vectors
// with X^H B X = I, of itype 3 X^H B^-1 X = I.
//   b, descb    n x n, dealt out as A is; in, of its triangle options.uplo; out: L in the lower triangle
// Where B is not positive definite the report says so, and a, b, w, z are undefined. Throws and costs as eigen_g(); InvalidArgument (b)
// of an entry of B that is not finite, and where A and B are scaled so that the standard form overflows. Its
// Cholesky factor, standard form and x of y are ScaLAPACK's (pdpotrf, pdsyngst, pdtrsm): n^3 / 3 + n^3 + n^2 m flops.
template <class T>
Report sygvd(MPI_Comm comm, int itype, std::int64_t n, T* a, const int* desca, same_t<T>* b, const int* descb,
             same_t<real_t<T>>* w, same_t<T>* z, const int* descz, const Options& options = {});

// Names of the engines of this build, the preferred one first.
std::vector<std::string> engines();
// In this build, and has matrices of this type: of float or double, real or complex.
bool has_engine(const std::string& name, bool single = false, bool complex = false);

// Why these processes cannot use an engine of this build: cusolvermp needs its libraries and a GPU for each. The same on every
// process; "": they can, or it is "auto". Collective. Throws InvalidArgument(engine) for one that this build does not have.
std::string why_not(MPI_Comm comm, const std::string& engine);

}  // namespace eigen_g::distributed
