// Factorisation: S = L D L^T of a sparse real symmetric matrix S by a library (FactorLibrary), with a symmetric permutation and pivots of
// order 1 and 2. The pattern of S is analysed once. Each factor() then takes other values. By Sylvester's law of inertia the number of
// negative eigenvalues of S is the number of negative eigenvalues of D.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "solver/api/sparse.hpp"

namespace eigen_g {

// The lower triangle of a symmetric pattern in CSC form: column j has the rows row[p], offsets[j] <= p < offsets[j + 1], ascending. The
// diagonal is complete, so row[offsets[j]] = j.
struct LowerPattern {
  std::int64_t n = 0;
  std::vector<std::int64_t> offsets;
  std::vector<std::int32_t> row;
  std::int64_t entries() const { return static_cast<std::int64_t>(row.size()); }
};

// The outcome of a numerical factorisation.
struct Pivots {
  std::int64_t negative = 0;
  // Pivots that are zero to working accuracy, or that the library has changed. The factor is then not S's, and nothing may be concluded
  // from it.
  std::int64_t null = 0;
  std::int64_t null_row = -1;  // row of the first of them; -1: not known
};

class Factorisation {
 public:
  virtual ~Factorisation() = default;
  // Factorises the matrix with these values of the pattern. Throws OutOfMemory.
  virtual Pivots factor(const double* values) = 0;
  // Y := S^-1 X with the last factor, for `blocks` blocks, n x 4 and row-major (gemm_df/tall_product.hpp). X and Y do not overlap.
  virtual void solve(std::int64_t blocks, const double* x, double* y) = 0;
  // Number of entries of L, and bytes of memory: predicted by the analysis, and measured after factor().
  virtual std::int64_t entries() const = 0;
  virtual std::uint64_t bytes() const = 0;
};

// A factorisation by a library that takes right-hand sides column by column.
class ColumnFactorisation : public Factorisation {
 public:
  void solve(std::int64_t blocks, const double* x, double* y) override;

 protected:
  // X := S^-1 X with the last factor. X is n x columns, column-major, contiguous.
  virtual void solve_columns(std::int64_t columns, double* x) = 0;
  virtual std::int64_t order() const = 0;

 private:
  std::vector<double> by_columns_;
};

// The library that `library` means on this machine: itself, or for automatic the first one that is available. Throws InvalidArgument
// (library) if it is not available; `purpose` begins the message, as "the pairs nearest 4.2 of order 60000 need a factorisation".
FactorLibrary require_library(FactorLibrary library, const std::string& purpose);
// Analyses the pattern. Throws OutOfMemory, before any allocation of a factor, if the memory of the host is too small for it.
std::unique_ptr<Factorisation> analyse(FactorLibrary library, const LowerPattern& pattern);

// A fill-reducing permutation by nested dissection of the graph of the pattern (METIS). Rows with equal neighbours, as the unknowns of one
// node of a finite-element mesh, are one vertex. Returns the new position of each row, from 0. Throws DeviceError if METIS cannot be loaded.
std::vector<std::int32_t> nested_dissection(const LowerPattern& pattern);

// Powers of two s_i that bring the largest entry of each row and column of diag(s) S diag(s) near 1.
std::vector<double> power_of_two_scaling(const LowerPattern& pattern, const double* values);

// For each library: why it cannot be used, empty if it can; its version; and its analysis.
std::string own_missing();  // without METIS with 32-bit integers
std::unique_ptr<Factorisation> analyse_by_own(const LowerPattern& pattern);
std::string mumps_missing();
std::string mumps_version();
std::unique_ptr<Factorisation> analyse_by_mumps(const LowerPattern& pattern);
std::string pardiso_missing();
std::string pardiso_version();
std::unique_ptr<Factorisation> analyse_by_pardiso(const LowerPattern& pattern);
std::string cudss_missing();
std::string cudss_version();
std::unique_ptr<Factorisation> analyse_by_cudss(const LowerPattern& pattern);

}  // namespace eigen_g
