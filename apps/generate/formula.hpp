// Entries of the kinds of matrices.hpp that have a formula for each of them.
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
Tridiagonal wilkinson_of(const Spec& spec);          // wilkinson, glued-wilkinson
CounterRandom entries_of(const Spec& spec);          // random, uniform
std::int64_t square_root(std::int64_t n);            // of a square
std::int64_t cube_root(std::int64_t n);              // of a cube
inline constexpr std::int64_t wilkinson_block = 21;  // glued-wilkinson's

class Formula {
 public:
  explicit Formula(
      const Spec& spec);  // with its kind's name in place of an alias, and within its bounds: formula_of()
  // out[i - first] := entry (i, j) for first <= i < first + count. From any thread.
  void column(std::int64_t j, std::int64_t first, std::int64_t count, double* out) const;

 private:
  // Calls put(i, value) with the entries of column j that are not zero, once each.
  using Put = std::function<void(std::int64_t i, double value)>;
  void sparse_column(std::int64_t j, const Put& put) const;

  Spec spec_;
  std::function<double(std::int64_t i, std::int64_t j)> dense_;  // i >= j; empty: by sparse_column()
  Tridiagonal t_;
  std::vector<std::pair<int, int>> atoms_;  // hueckel-c60's
};

// The same of the kinds as complex matrices (hermitian.hpp).
class HermitianFormula {
 public:
  explicit HermitianFormula(const Spec& spec);  // throws as formula_of()
  void column(std::int64_t j, std::int64_t first, std::int64_t count, std::complex<double>* out) const;

 private:
  Spec spec_;
  std::function<std::complex<double>(std::int64_t i, std::int64_t j)> entry_;  // i >= j, of hermitian_kinds()
  std::function<double(std::int64_t i, std::int64_t j)> imaginary_;            // i > j; empty: 0
  std::optional<Formula> real_;
};

}  // namespace eigen_g::generate
