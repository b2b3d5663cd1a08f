// The QL method without square roots, and LAPACK's dsteqr for the matrices that it cannot solve.
#include "solver/tridiagonal/tridiagonal_values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hybrid/instantiate.hpp"
#include "solver/prepare/lapack.hpp"
#include "solver/prepare/scale.hpp"

namespace eigen_g {

namespace {

template <class R>
constexpr R unit = std::numeric_limits<R>::epsilon() / 2;
// Smaller squares of off-diagonal entries count as zero. From here on a sum with a subnormal number keeps all of its digits.
template <class R>
constexpr R least = std::numeric_limits<R>::min() / unit<R>;
// The largest entry of the scaled T is in [2^top, 2^(top + 1)). Sums of a few squares of such numbers are in range.
template <class R>
constexpr int top = 480;
template <>
constexpr int top<float> = 56;

// True for a subnormal number, x >= 0.
template <class R>
bool loses_digits(R x) {
  return x != 0 && x < std::numeric_limits<R>::min();
}

// sqrt(x^2 + y^2), as LAPACK's dlapy2.
template <class R>
R length(R x, R y) {
  const R w = std::max(std::fabs(x), std::fabs(y)), z = std::min(std::fabs(x), std::fabs(y));
  return w * std::sqrt(1 + (z / w) * (z / w));
}

// Replaces a and c by the eigenvalues of (a, b; b, c), as LAPACK's dlae2.
template <class R>
void solve_pair(R& a, R b, R& c) {
  const R sum = a + c, difference = std::fabs(a - c), twice = std::fabs(b + b);
  const R larger = std::fabs(a) > std::fabs(c) ? a : c, smaller = std::fabs(a) > std::fabs(c) ? c : a;
  const R root = difference == twice ? twice * std::sqrt(R(2)) : length(difference, twice);
  const R first = sum < 0 ? R(0.5) * (sum - root) : sum > 0 ? R(0.5) * (sum + root) : R(0.5) * root;
  c = sum == 0 ? R(-0.5) * root : (larger / first) * smaller - (b / first) * b;
  a = first;
}

// One sweep over rows l to m of a block; e has squares. Returns false if a number loses digits.
template <class R>
bool sweep(std::int64_t l, std::int64_t m, R* d, R* e) {
  const R root = std::sqrt(e[l]), half = (d[l + 1] - d[l]) / (2 * root);
  const R shift = d[l] - root / (half + std::copysign(length(half, R(1)), half));
  R c = 1, s = 0, gamma = d[m] - shift, p = gamma * gamma;
  bool lost = loses_digits(p);
  for (std::int64_t i = m - 1; i >= l; --i) {
    const R square = e[i], r = p + square;
    if (i != m - 1) e[i + 1] = s * r;
    const R last_c = c, last_gamma = gamma, here = d[i];
    c = p / r;
    s = square / r;
    gamma = c * (here - shift) - s * last_gamma;
    d[i + 1] = last_gamma + (here - gamma);
    const R gamma_square = gamma * gamma;
    p = c != 0 ? gamma_square / c : last_c * square;
    lost = lost || loses_digits(c) || loses_digits(gamma_square) || loses_digits(p);
  }
  e[l] = s * p;
  d[l] = shift + gamma;
  return !lost;
}

// Replaces d by the eigenvalues, unsorted, and destroys e. Returns false if a number loses digits or no convergence is in sight.
template <class R>
bool root_free_ql(std::int64_t n, R* d, R* e) {
  std::int64_t sweeps = 30 * n;
  for (std::int64_t first = 0, last = 0; first < n; first = last + 1) {
    for (last = first; last + 1 < n; ++last)
      if (std::fabs(e[last]) <= std::sqrt(std::fabs(d[last])) * std::sqrt(std::fabs(d[last + 1])) * unit<R> ||
          e[last] * e[last] < least<R>)
        break;
    for (std::int64_t i = first; i < last; ++i) e[i] *= e[i];
    if (std::fabs(d[last]) < std::fabs(d[first])) {  // begins at the end with the smaller entry
      std::reverse(d + first, d + last + 1);
      std::reverse(e + first, e + last);
    }
    for (std::int64_t l = first; l <= last;) {
      std::int64_t m = l;
      while (m < last && !(e[m] <= unit<R> * unit<R> * std::fabs(d[m] * d[m + 1]) || e[m] < least<R>)) ++m;
      if (m < last) e[m] = 0;
      if (m == l) {
        ++l;
      } else if (m == l + 1) {
        solve_pair(d[l], std::sqrt(e[l]), d[m]);
        l += 2;
      } else if (sweeps-- == 0 || !sweep(l, m, d, e)) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

template <class R>
std::int64_t tridiagonal_values(std::int64_t n, R* d, same_t<R>* e, same_t<R>* copy) {
  if (n <= 0) return 0;
  R largest = 0;
  for (std::int64_t i = 0; i < n; ++i) largest = std::max(largest, std::fabs(d[i]));
  for (std::int64_t i = 0; i + 1 < n; ++i) largest = std::max(largest, std::fabs(e[i]));
  const int k = largest > 0 && std::isfinite(largest) ? top<R> - std::ilogb(largest) : 0;
  scale_values(n, d, k);
  scale_values(n - 1, e, k);
  std::copy_n(d, n, copy);
  std::copy_n(e, n - 1, copy + n);
  lapack_int info = 0;
  if (root_free_ql(n, d, e)) {
    std::sort(d, d + n);
  } else {
    std::copy_n(copy, n, d);
    // The limit below which dsteqr takes entries for zero is made for a norm near 1.
    scale_values(n, d, -top<R>);
    scale_values(n - 1, copy + n, -top<R>);
    info = lapack::steqr(lapack_size(n, "n"), d, copy + n);
    check_lapack(info, "steqr");
    scale_values(n, d, top<R>);
  }
  scale_values(n, d, -k);
  return info;
}

EIGEN_G_INSTANTIATE(real_types, tridiagonal_values);

}  // namespace eigen_g
