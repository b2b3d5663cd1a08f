// One case of eigen_g selftest: solves a matrix with one set of options, and checks the pairs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/cli/selftest_matrices.hpp"
#include "solver/api/eigen_g.hpp"

namespace eigen_g::apps {

// Options of a solve. A member that is not set has its default.
struct SelftestVariant {
  std::string name;
  Options options = {};
  Ratio ratio = {};
  std::int64_t padding = 0;  // added to n in both leading dimensions
  bool in_place = false;     // z and a are the same array
};

// All ways to solve a matrix of type T on a device: triangles, strides, subsets; on a GPU also paths, engines, shares of a CPU and
// mixed precision.
template <class T>
std::vector<SelftestVariant> selftest_variants(std::int64_t n, bool on_gpu);

struct SelftestCase {
  char type = 'd';
  std::string family, variant;
  std::int64_t n = 0, m = 0;
  double residual = 0, orthogonality = 0;  // LAPACK's test ratios, by verify()
  // max |w_k - v_k| / (n ulp max |v|); v: the exact values, or the values of a solve on the CPU. 0: neither is known.
  double values = 0;
  bool passed = false;
};

// Limit of `values`; the limit of the two test ratios is lapack_ratio_limit. All are in units of T's roundoff, so all types have the
// same limits.
inline constexpr double selftest_values_limit = 3;

// Solves and checks. The other triangle, the padding and the imaginary parts of a complex diagonal hold NaN: the solver must not read
// them.
template <class T>
SelftestCase solved(const std::string& family, const SelftestMatrix<T>& matrix, std::int64_t n,
                    const SelftestVariant& variant, Devices devices, bool on_gpu);

// Solves and checks the matrices of all families in one batch. The result has the worst ratios.
template <class T>
SelftestCase solved_batch(std::int64_t n, const Devices& devices, bool on_gpu);

}  // namespace eigen_g::apps
