// Symmetric test matrices by name, many with a spectrum known beforehand (Hermitian ones: hermitian.hpp):
//
//   A = scale * K(n; parameters),   lambda(A) = scale * lambda(K).
//
// Prescribed spectra: K = Q diag(d) Q^T with Q from the Haar measure on the orthogonal group, the product of
// n - 1 Householder reflectors of normal vectors (Stewart 1980; LAPACK's dlagsy). Rounding moves the spectrum
// of such a K from d by at most a small multiple of n eps max|d|. Random entries depend on the seed and their
// position alone, not on threads or n.
//
// The names, their parameters and which of them have a known spectrum: kinds().
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace eigen_g::generate {

struct Spec {
  std::string kind = "random";
  std::int64_t n = 0;
  std::uint64_t seed = 1;
  double scale = 1;            // every kind
  double cond = 1e6;           // arithmetic, geometric, clustered: max|d| / min|d|, at least 1
  bool random_signs = false;   // arithmetic, geometric, clustered: each d with a random sign
  bool rotate = true;          // prescribed spectra: false leaves the diagonal matrix
  double rho = 0.5;            // kms, 0 < rho < 1
  double gamma = 1e-14;        // glued-wilkinson: the glue
  double alpha = 0;            // hueckel-*: the Coulomb integral (diagonal)
  double beta = -1;            // hueckel-*: the resonance integral (neighbours)
  double flux = 1;             // Hermitian kinds: the phase, in radians
  std::vector<double> values;  // values: the spectrum, n values in any order
};

struct Kind {
  std::string_view name;
  std::string_view alias;       // "" or a second name
  std::string_view what;        // one line for people
  std::string_view parameters;  // fields of Spec that matter beside n and scale: "seed, cond"
  std::string_view n_rule;      // "" or which n are allowed: "a multiple of 21"
  bool spectrum_known;          // exact() gives it
};

std::span<const Kind> kinds();

// By name or alias, Hermitian ones too; throws InvalidArgument for a name that is not in the tables.
const Kind& find_kind(std::string_view name);

// Throws InvalidArgument as fill() does, but for lda and the range of double.
void check_spec(const Spec& spec);

// Writes both triangles.
//   a  n x n, leading dimension lda >= max(1, n), host memory, out
// Throws InvalidArgument (kind, also a Hermitian one; n against the kind's rule, lda, a parameter out of its range, a scale or parameter that takes
// entries beyond the range of double), OutOfMemory.
// Cost: O(n^2); prescribed spectra with rotation 4 n^3 flops in BLAS 3 and n^2 workspace.
void fill(const Spec& spec, double* a, std::int64_t lda);

// The spectrum, ascending, each value accurate to a few units of roundoff of the norm; nullopt where it is
// not known. Closed forms; the Wilkinson kinds, which have none, by Sturm bisection in long double (cost 64
// n^2). Throws InvalidArgument as fill does.
std::optional<std::vector<double>> exact(const Spec& spec);

// LAPACK's test scalings for a matrix of norm about 1: sqrt(overflow) ulp / n and sqrt(underflow) n / ulp.
double huge_scale(std::int64_t n);
double tiny_scale(std::int64_t n);

}  // namespace eigen_g::generate
