// Entry by entry: the kinds of matrices.hpp and hermitian.hpp whose entries have a formula.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "apps/generate/matrices.hpp"
#include "apps/generate/random.hpp"

namespace eigen_g::generate {

struct Tridiagonal {
  std::vector<double> d, e;
};
Tridiagonal wilkinson_of(const Spec& spec);          // kinds wilkinson, glued-wilkinson
CounterRandom entries_of(const Spec& spec);          // random numbers of the entries of random and uniform
std::int64_t square_root(std::int64_t n);            // n must be a square
std::int64_t cube_root(std::int64_t n);              // n must be a cube
inline constexpr std::int64_t wilkinson_block = 21;  // order of the blocks of glued-wilkinson

class Formula {
 public:
  // spec: with the kind's own name instead of an alias, and within the kind's bounds. formula_of() checks both.
  explicit Formula(const Spec& spec);
  // out[i - first] := entry (i, j) for first <= i < first + count. Any thread may call it.
  void column(std::int64_t j, std::int64_t first, std::int64_t count, double* out) const;

 private:
  // Calls put(i, value) once for each nonzero entry of column j.
  using Put = std::function<void(std::int64_t i, double value)>;
  void sparse_column(std::int64_t j, const Put& put) const;

  Spec spec_;
  std::function<double(std::int64_t i, std::int64_t j)> dense_;  // i >= j; empty: see sparse_column()
  Tridiagonal t_;
  std::vector<std::pair<int, int>> atoms_;  // atoms of hueckel-c60
};

// Formula for the kinds as complex matrices (hermitian.hpp).
class HermitianFormula {
 public:
  explicit HermitianFormula(const Spec& spec);  // throws what formula_of() throws
  void column(std::int64_t j, std::int64_t first, std::int64_t count, std::complex<double>* out) const;

 private:
  Spec spec_;
  std::function<std::complex<double>(std::int64_t i, std::int64_t j)> entry_;  // i >= j; of hermitian_kinds()
  std::function<double(std::int64_t i, std::int64_t j)> imaginary_;            // i > j; empty: 0
  std::optional<Formula> real_;
};

}  // namespace eigen_g::generate
