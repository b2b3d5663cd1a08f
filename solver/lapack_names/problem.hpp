// eigen_g_lapack_solve(): libeigen_g_lapack calls this function of the library eigen_g for every solve. libeigen_g_lapack looks the function up in the
// shared library, so the argument is a plain struct.
#pragma once

#include <cstdint>

namespace eigen_g::lapack_names {

enum class Task : char {
  standard,     // A = Z diag(w) Z^H
  generalised,  // itype 1, 2, 3; b receives the Cholesky factor
  band,         // a real double band matrix in a, of width kd; b receives the Q of the reduction, or is null
  tridiagonal,  // T = Z diag(d) Z^T; without vectors z is null. multiply: Z := Z U
  reduction,    // sytrd: A = Q T Q^T
  transformation,  // ormtr: Z := Q Z, Q^H Z, Z Q or Z Q^H. Q has the order n, the other size of Z is m
  orthogonal       // orgtr: A := Q
};

// All matrices are column-major, in host memory.
struct Problem {
  Task task = Task::standard;
  char type = 'd';                           // s, d, c, z
  char jobz = 'N', range = 'A', uplo = 'L';  // LAPACK's letters, upper case
  char side = 'L', trans = 'N';              // trans: C instead of T too
  bool multiply = false;
  bool require_gpu = false, require_cpu = false;  // neither: the library chooses
  int gpus = 1, itype = 1;
  int threads = 0;  // that the program's LAPACK would take; 0: not known
  std::int64_t n = 0, m = 0, kd = 0;
  void *a = nullptr, *b = nullptr, *w = nullptr, *z = nullptr, *d = nullptr, *e = nullptr, *tau = nullptr;
  std::int64_t lda = 0, ldb = 0, ldz = 0;
  double vl = 0, vu = 0;
  std::int64_t il = 1, iu = 0;
  // Out
  std::int64_t found = 0;  // number of pairs
  double seconds = 0;
  bool on_gpu = false;
};

// Negative results of the function: nothing was computed.
enum : std::int64_t { refused = -1, no_host_memory = -1001, no_device_memory = -1002 };

}  // namespace eigen_g::lapack_names

extern "C" {
// Returns LAPACK's info; negative: refused (a NaN, an infinity, or a size that the library does not take), or a code of eigen_g.h.
std::int64_t eigen_g_lapack_solve(eigen_g::lapack_names::Problem* problem);
// Returns 1 if this process can use a GPU.
int eigen_g_lapack_gpu();
}
