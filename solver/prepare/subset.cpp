// Checks a Subset and selects its eigenvalues.
#include "solver/prepare/subset.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "hybrid/instantiate.hpp"

namespace eigen_g {

void check_subset(std::int64_t n, const Subset& subset) {
  const auto require = [](bool good, Argument argument, const std::string& what) {
    if (!good) throw InvalidArgument(argument, what);
  };
  const auto text = [](auto x) { return std::to_string(x); };
  if (subset.by == Subset::By::index) {
    // LAPACK: 1 <= il <= iu <= n, and il = 1, iu = 0 if n = 0
    require(subset.first >= 1 && subset.first <= std::max<std::int64_t>(1, n), Argument::subset_first,
            "is " + text(subset.first) + ", must be from 1 to n = " + text(n));
    require(
        subset.last >= std::min(n, subset.first) && subset.last <= n, Argument::subset_last,
        "is " + text(subset.last) + ", must be from first = " + text(subset.first) + " to n = " + text(n));
  } else if (subset.by == Subset::By::value) {
    require(!std::isnan(subset.above), Argument::subset_above, "is NaN");
    require(subset.upto > subset.above, Argument::subset_upto,
            "is " + text(subset.upto) + ", must be greater than above = " + text(subset.above));
  }
}

Subset scaled_subset(Subset subset, int k) {
  subset.above = std::ldexp(subset.above, k);
  subset.upto = std::ldexp(subset.upto, k);
  if (!(subset.above < subset.upto))  // both limits are 0 now, or beyond all values
    subset.upto = std::nextafter(subset.above, std::numeric_limits<double>::infinity());
  return subset;
}

template <class R>
Selected select(const Subset& subset, std::int64_t n, const R* d, int exponent, int scale) {
  switch (subset.by) {
    case Subset::By::all:
      break;
    case Subset::By::index:
      return {subset.first - 1, subset.last - subset.first + 1};
    case Subset::By::value: {
      const auto upto = [&](double bound) {
        return std::upper_bound(d, d + n, bound, [&](double x, R value) {
          return x < std::ldexp(std::ldexp(value, exponent), scale);
        });
      };
      const R* const first = upto(subset.above);
      return {first - d, upto(subset.upto) - first};
    }
  }
  return {0, n};
}

EIGEN_G_INSTANTIATE(real_types, select);

}  // namespace eigen_g
