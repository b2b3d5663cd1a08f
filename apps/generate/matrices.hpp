// Symmetric test matrices by name; the exact spectrum of many is known (Hermitian matrices: hermitian.hpp):
//
//   A = scale * K(n; parameters),   lambda(A) = scale * lambda(K).
//
// Prescribed spectra: K = Q diag(d) Q^T with Q from the Haar measure on the orthogonal group, the product of n - 1 Householder
// reflectors of normal vectors (Stewart 1980; LAPACK's dlagsy). Rounding changes the spectrum of such a K by at most a small multiple
// of n eps max|d|. A random entry depends only on the seed and its position, not on n or the number of threads.
//
// kinds() lists the names, their parameters, and if their spectrum is known.
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
  double scale = 1;           // every kind
  double cond = 1e6;          // arithmetic, geometric, clustered: max|d| / min|d|, at least 1
  bool random_signs = false;  // arithmetic, geometric, clustered: each d with a random sign
  bool rotate = true;         // prescribed spectra; false: K = diag(d)
  double rho = 0.5;           // kms, 0 < rho < 1
  double gamma = 1e-14;       // glued-wilkinson: the entries that join the blocks
  double alpha = 0;           // hueckel-*, flux-ring, hofstadter: diagonal entry (the Coulomb integral)
  double beta = -1;  // hueckel-*, flux-ring, hofstadter: entry between neighbours (the resonance integral)
  double flux = 1;   // Hermitian kinds: the phase, in radians
  std::vector<double> values;  // values: the spectrum, n values in any order
};

struct Kind {
  std::string_view name;
  std::string_view alias;       // a second name, or ""
  std::string_view what;        // one line for --list
  std::string_view parameters;  // fields of Spec that matter in addition to n and scale: "seed, cond"
  std::string_view n_rule;      // rule for n, "a multiple of 21", or ""
  bool spectrum_known;          // exact() returns the spectrum
};

std::span<const Kind> kinds();

// Finds a real or Hermitian kind by name or alias. Throws InvalidArgument for an unknown name.
const Kind& find_kind(std::string_view name);

// Throws the InvalidArguments of fill(), except for lda and for entries beyond the range of double.
void check_spec(const Spec& spec);

// Writes both triangles.
//   a  n x n, leading dimension lda >= max(1, n), host memory, out
// Throws InvalidArgument: an unknown or Hermitian kind; an n that the kind does not have; lda; a parameter out of its range; a scale or
// parameter that makes entries exceed the range of double. Throws OutOfMemory.
// Cost: O(n^2). Prescribed spectra with rotation: 4 n^3 flops in BLAS 3 and n^2 workspace.
void fill(const Spec& spec, double* a, std::int64_t lda);

// The entries of a kind one by one, without scale, so that no process needs the whole matrix. Throws what fill() throws, and
// InvalidArgument for a prescribed spectrum.
class Formula;  // formula.hpp
Formula formula_of(const Spec& spec);

// The spectrum in ascending order; nullopt: unknown. The error of each value is a few units of roundoff of the norm. It comes from a
// closed form. The Wilkinson kinds have none; their spectrum comes from Sturm bisection in long double (cost 64 n^2). Throws what fill()
// throws.
std::optional<std::vector<double>> exact(const Spec& spec);

// LAPACK's test scalings for a matrix of norm about 1: sqrt(overflow) ulp / n and sqrt(underflow) n / ulp.
double huge_scale(std::int64_t n);
double tiny_scale(std::int64_t n);

}  // namespace eigen_g::generate
