// Computes the roots of the secular equation
//
//   f(x) = 1/rho + sum_i w_i^2 / (p_i - x) = 0,   p_1 < ... < p_k,   rho > 0:
//
// root j is in (p_j, p_j+1), and the last one in (p_k, p_k + rho sum w^2]. In each interval f rises from -inf to +inf.
//
// A root is stored as base + tau, where base is the nearest pole. Then p_i - root = (p_i - base) - tau has full relative accuracy.
//
// The usual step is the middle way. Let l be the pole at the interval's left end. The sum over the poles up to l is psi, and the sum over
// the others is phi. f is replaced by the function c + s/(p_l - x) + t/(p_l+1 - x) that agrees with psi, psi', phi and phi' at the
// current point. All steps stay in a bracket (low, high) of the root. A middle-way step that would leave it is replaced by a Newton step.
// If the Newton step leaves it too, the bracket is halved.
//
// A step may reduce |f| by less than a factor of ten, for example if a pole with a small weight is next to one with a large weight.
// The step after it uses a model with three poles. In two cases it halves the bracket instead: in every fourth step, and if the base is
// the first or the last pole.
//
// Sources: Li, LAPACK Working Note 89, 1993 (middle way, stopping rule); LAPACK dlaed4.
#pragma once

#include <math.h>

#include <limits>

#include "solver/tridiagonal/dc_arrays.hpp"
#include "solver/tridiagonal/dc_quotient.hpp"

namespace eigen_g::dc {

inline constexpr int secular_steps = 120;
template <class R>
inline constexpr R infinite = std::numeric_limits<R>::infinity();

template <class R>
struct Secular {
  const R *pole, *weight;
  Index k;
  R rho;
};

template <class R>
struct Root {
  R base, tau;
  int steps;  // number of evaluations of f; more than secular_steps: not converged
};

template <class R>
struct Sums {
  R psi, psi_slope, phi, phi_slope;
};

// At x = origin + tau: psi, the sum over poles 0 ... psi_end - 1, and phi, the sum over poles phi_begin ... k - 1, with their derivatives.
template <class Crew, class R>
EIGEN_G_HOST_DEVICE Sums<R> secular_sums(const Crew& crew, const Secular<R>& f, R origin, R tau,
                                         Index psi_end, Index phi_begin) {
  Sums<R> sums{};
  for (Index i = crew.rank(); i < psi_end; i += crew.size()) {
    const R t = quotient(f.weight[i], (f.pole[i] - origin) - tau);
    sums.psi += f.weight[i] * t;
    sums.psi_slope += t * t;
  }
  for (Index i = phi_begin + crew.rank(); i < f.k; i += crew.size()) {
    const R t = quotient(f.weight[i], (f.pole[i] - origin) - tau);
    sums.phi += f.weight[i] * t;
    sums.phi_slope += t * t;
  }
  return {crew.sum(sums.psi), crew.sum(sums.psi_slope), crew.sum(sums.phi), crew.sum(sums.phi_slope)};
}

// The interval that contains the root: origin's pole + (low, high). The poles left and left + 1 define the middle-way model.
template <class R>
struct Bracket {
  Index left, origin;
  R low, high, tau;
  EIGEN_G_HOST_DEVICE bool holds(R x) const { return x > low && x < high; }  // false for NaN
  // The point that halves the bracket. It is the geometric mean if the ends differ by at least a factor of four, because tau may be much
  // smaller than the bracket's width.
  EIGEN_G_HOST_DEVICE R between() const {
    const R near = fmin(fabs(low), fabs(high)), far = fmax(fabs(low), fabs(high));
    if (near > R(0.25) * far) return R(0.5) * (low + high);
    return copysign(near > 0 ? sqrt(near) * sqrt(far) : R(0x1p-10) * far, low + high);
  }
};

// Chooses the half of the interval that contains the root, and a first guess of tau. The guess is a root of f with all terms frozen at
// the interval's middle, except the terms of poles left and left + 1.
template <class Crew, class R>
EIGEN_G_HOST_DEVICE Bracket<R> secular_guess(const Crew& crew, const Secular<R>& f, Index j) {
  const R inverse_rho = 1 / f.rho;
  const bool last = j == f.k - 1;
  Bracket<R> bracket{};
  bracket.left = last ? j - 1 : j;
  const R gap = f.pole[bracket.left + 1] - f.pole[bracket.left];
  const R w_l = f.weight[bracket.left] * f.weight[bracket.left];
  const R w_r = f.weight[bracket.left + 1] * f.weight[bracket.left + 1];

  R beyond = 0;  // distance of the middle from the left pole
  R length = 0;
  if (last) {
    R squares = 0;
    for (Index i = crew.rank(); i < f.k; i += crew.size()) squares += f.weight[i] * f.weight[i];
    length = f.rho * crew.sum(squares) * (1 + 8 * unit_roundoff<R>);  // ensures f(high) > 0 despite rounding
    beyond = gap + R(0.5) * length;
  } else {
    beyond = R(0.5) * gap;
  }
  const Sums<R> rest = secular_sums(crew, f, f.pole[bracket.left], beyond, bracket.left, bracket.left + 2);
  const R c = inverse_rho + rest.psi + rest.phi;
  const R f_middle = c - w_l / beyond + w_r / (gap - beyond);

  const R half = beyond * (1 + R(0x1p-7));  // rounding in f_middle must not exclude the root
  if (!last && f_middle > 0) {              // c tau^2 - a tau + b = 0
    bracket.origin = bracket.left;
    bracket.high = half;
    const R a = c * gap + w_l + w_r, b = w_l * gap;
    const R root = sqrt(fabs(a * a - 4 * b * c));
    bracket.tau = a > 0 ? 2 * b / (a + root) : (a - root) / (2 * c);
  } else {  // c tau^2 + a tau - b = 0
    bracket.origin = bracket.left + 1;
    const R a = c * gap - w_l - w_r, b = w_r * gap;
    const R root = sqrt(fabs(a * a + 4 * b * c));
    if (last) {
      bracket.high = length;
      bracket.tau = a > 0 ? 2 * b / (a + root) : (root - a) / (2 * c);
    } else {
      bracket.low = -half;
      bracket.tau = a < 0 ? 2 * b / (a - root) : -(a + root) / (2 * c);
    }
  }
  if (!bracket.holds(bracket.tau)) bracket.tau = R(0.5) * (bracket.low + bracket.high);
  return bracket;
}

// f at the current tau.
template <class R>
struct Sample {
  R value, psi_slope, phi_slope;
  R to_l, to_r;  // distances of poles left and left + 1 from the current point
  EIGEN_G_HOST_DEVICE R slope() const { return psi_slope + phi_slope; }
};

// Returns the next tau inside the bracket. The bracket has already been narrowed by the sample.
template <class R>
EIGEN_G_HOST_DEVICE R middle_way(const Sample<R>& at, const Bracket<R>& bracket, bool last) {
  // c eta^2 - a eta + b = 0
  const R a = (at.to_l + at.to_r) * at.value - at.to_l * at.to_r * at.slope();
  const R b = at.to_l * at.to_r * at.value;
  const R c = at.value - at.to_l * at.psi_slope - at.to_r * at.phi_slope;
  const R root = sqrt(fabs(a * a - 4 * b * c));
  R eta;
  if (last)
    eta = a >= 0 ? (a + root) / (2 * fabs(c)) : 2 * b / (a - root);
  else
    eta = a <= 0 ? (a - root) / (2 * c) : 2 * b / (a + root);
  R next = bracket.tau + eta;
  if (!bracket.holds(next)) next = bracket.tau - at.value / at.slope();
  return bracket.holds(next) ? next : bracket.between();
}

// A model of f with three poles instead of two: the origin's pole with its own weight, and its two neighbours. Each neighbour represents
// all poles on its side. Returns the root of this model to a few digits, found by the middle way.
template <class R>
EIGEN_G_HOST_DEVICE R three_poles(const Secular<R>& f, const Sample<R>& at, Bracket<R> bracket,
                                  Index origin_pole) {
  const R tau = bracket.tau, origin = f.pole[origin_pole];
  const R pole[] = {f.pole[origin_pole - 1] - origin, 0, f.pole[origin_pole + 1] - origin};
  const R own = f.weight[origin_pole] / -tau, own_slope = own * own;
  const bool left = origin_pole == bracket.left;  // the origin's term belongs to psi
  const R below = fmax(left ? at.psi_slope - own_slope : at.psi_slope, R(0));
  const R above = fmax(left ? at.phi_slope : at.phi_slope - own_slope, R(0));
  const R to_below = pole[0] - tau, to_above = pole[2] - tau;
  const R square[] = {below * to_below * to_below, f.weight[origin_pole] * f.weight[origin_pole],
                      above * to_above * to_above};
  const R c = at.value - to_below * below - to_above * above - f.weight[origin_pole] * own;
  const int psi_end = left ? 2 : 1;

  R before = infinite<R>;
  bracket.tau = bracket.between();
  for (int step = 1; step <= 40; ++step) {
    Sample<R> model{c, 0, 0, pole[psi_end - 1] - bracket.tau, pole[psi_end] - bracket.tau};
    for (int i = 0; i < 3; ++i) {
      const R t = 1 / (pole[i] - bracket.tau);
      model.value += square[i] * t;
      (i < psi_end ? model.psi_slope : model.phi_slope) += square[i] * t * t;
    }
    if (fabs(model.value) <= R(0x1p-10) * fabs(at.value)) break;
    (model.value < 0 ? bracket.low : bracket.high) = bracket.tau;
    const bool slow = fabs(model.value) > R(0.1) * before;
    before = slow ? infinite<R> : fabs(model.value);
    const R next = slow ? bracket.between() : middle_way(model, bracket, false);
    if (!bracket.holds(next)) break;
    bracket.tau = next;
  }
  return bracket.tau;
}

// Returns root j of f, computed by one crew; all threads return the same value.
template <class Crew, class R>
EIGEN_G_HOST_DEVICE Root<R> secular_root(const Crew& crew, const Secular<R>& f, Index j) {
  if (f.k == 1) return {f.pole[0], f.rho * f.weight[0] * f.weight[0], 1};
  const R inverse_rho = 1 / f.rho;
  const bool last = j == f.k - 1;
  Bracket<R> bracket = secular_guess(crew, f, j);
  const Index l = bracket.left;
  const R origin = f.pole[bracket.origin];
  const bool inner = bracket.origin > 0 && bracket.origin + 1 < f.k;
  R before = infinite<R>;  // |f| before the last step, if that was not a halving; else infinite

  for (int step = 1; step <= secular_steps; ++step) {
    const R tau = bracket.tau;
    const Sums<R> sums = secular_sums(crew, f, origin, tau, l + 1, l + 1);
    const Sample<R> at{inverse_rho + sums.psi + sums.phi, sums.psi_slope, sums.phi_slope,
                       (f.pole[l] - origin) - tau, (f.pole[l + 1] - origin) - tau};
    const R noise = 8 * (fabs(sums.psi) + fabs(sums.phi)) + inverse_rho + fabs(tau) * at.slope();
    if (fabs(at.value) <= unit_roundoff<R> * noise) return {origin, tau, step};
    (at.value < 0 ? bracket.low : bracket.high) = tau;
    if (bracket.high - bracket.low <= 4 * unit_roundoff<R> * fabs(tau)) return {origin, tau, step};

    if (fabs(at.value) <= R(0.1) * before) {
      bracket.tau = middle_way(at, bracket, last);
      before = fabs(at.value);
    } else if (inner && step % 4 != 0) {
      bracket.tau = three_poles(f, at, bracket, bracket.origin);
      before = fabs(at.value);
    } else {
      bracket.tau = bracket.between();
      before = infinite<R>;
    }
  }
  return {origin, bracket.tau, secular_steps + 1};
}

// Computes root j and stores its base, tau and value. Returns false if it has not converged.
//   x  the arrays at the merge's first row
template <class Crew, class R>
EIGEN_G_HOST_DEVICE bool solve_secular(const Crew& crew, const Shape<R>& shape, const Arrays<R>& x, Index j) {
  const Root<R> root = secular_root(crew, Secular<R>{x.pole, x.weight, shape.k, shape.rho}, j);
  if (crew.rank() == 0) {
    x.base[j] = root.base;
    x.tau[j] = root.tau;
    x.root[j] = root.base + root.tau;
  }
  return root.steps <= secular_steps;
}

}  // namespace eigen_g::dc
