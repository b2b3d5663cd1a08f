// Verifies that no pair is missing among given ones: compares their number with the eigenvalues that a pencil has between two points.
#pragma once

#include <cstdint>

#include <eigen_g/sparse.hpp>

namespace eigen_g {

struct CountVerification {
  double low = 0, high = 0;              // the points
  std::int64_t below = 0;                // number of eigenvalues below `low`
  std::int64_t expected = 0, given = 0;  // number of eigenvalues between the points, and of given values
  // True: the points are outside all given values. False: the first or the last value is one of several almost equal ones, some of which
  // were not given. The points are then within the given values, next to these.
  bool all = true;
};
inline bool passed(const CountVerification& v) {
  return v.expected == v.given;
}

// Compares the m ascending values w with the counts of the pencil of `solver`. Cost: two to four factorisations. Throws InvalidArgument
// (w) if the values do not ascend or are not finite.
[[nodiscard]] CountVerification verify_counts(SparseSolver<double>& solver, std::int64_t m, const double* w);

}  // namespace eigen_g
