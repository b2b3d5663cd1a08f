// One case of eigen_g selftest: a matrix solved in one way, and the pairs checked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/cli/selftest_matrices.hpp"
#include "solver/api/eigen_g.hpp"

namespace eigen_g::apps {

// How a matrix is asked for; what is not named is as usual.
struct SelftestWay {
  std::string name;
  Options options = {};
  Ratio ratio = {};
  std::int64_t padding = 0;  // of both leading dimensions
  bool in_place = false;     // z is a itself
};

// All that T has on a device: triangles, strides, subsets, and on a GPU paths, engines, a ratio, mixed precision.
template <class T>
std::vector<SelftestWay> selftest_ways(std::int64_t n, bool on_gpu);

struct SelftestCase {
  char type = 'd';
  std::string family, way;
  std::int64_t n = 0, m = 0;
  double residual = 0, orthogonality = 0;  // verify()'s ratios by LAPACK
  double values =
      0;  // max |w_k - v_k| / (n ulp max |v|), v the exact ones or those of a solve on the CPU; 0: neither
  bool passed = false;
};

// Of values, the ratios' is lapack_ratio_limit. Ratios are in T's unit, so that all types have the same limits.
inline constexpr double selftest_values_limit = 3;

// Solves and checks. The triangle that is not asked for, the padding and a complex diagonal's imaginary part hold NaN.
template <class T>
SelftestCase solved(const std::string& family, const SelftestMatrix<T>& matrix, std::int64_t n,
                    const SelftestWay& way, Devices devices, bool on_gpu);

}  // namespace eigen_g::apps
