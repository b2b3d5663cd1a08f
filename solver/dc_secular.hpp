// The roots of the secular equation
//
//   f(x) = 1/rho + sum_i w_i^2 / (p_i - x) = 0,   p_1 < ... < p_k,   rho > 0:
//
// root j in (p_j, p_j+1), the last one in (p_k, p_k + rho sum w^2]; f rises from -inf to +inf in each interval.
//
// A root is kept as base + tau with base the nearest pole, so p_i - root = (p_i - base) - tau has full relative
// accuracy. The step is the middle way: with psi the sum over the poles up to the interval's left end l and phi over
// the others, f is replaced by c + s/(p_l - x) + t/(p_l+1 - x) that agrees with psi, psi', phi, phi'; where that
// shrinks |f| by less than ten, the next step fixes the weight of the nearest pole instead. Every step stays in a
// bracket [low, high] of the root; one that would leave it is a Newton step, or halves the bracket.
//
// Sources: Li, LAPACK Working Note 89, 1993 (middle way, fixed weight, stopping rule); LAPACK dlaed4.
#pragma once

#include <cmath>

#include "solver/dc_arrays.hpp"

namespace eigen_g::dc {

inline constexpr int secular_steps = 120;

struct Secular {
  const double *pole, *weight;
  Index k;
  double rho;
};

struct Root {
  double base, tau;
  int steps;  // evaluations of f; more than secular_steps: not converged
};

struct Sums {
  double psi, psi_slope, phi, phi_slope;
};

// psi over poles [0, psi_end), phi over [phi_begin, k), at origin + tau.
template <class Team>
EIGEN_G_HOST_DEVICE Sums secular_sums(const Team& team, const Secular& f, double origin, double tau,
                                      Index psi_end, Index phi_begin) {
  Sums sums{};
  for (Index i = team.rank(); i < psi_end; i += team.size()) {
    const double t = f.weight[i] / ((f.pole[i] - origin) - tau);
    sums.psi += f.weight[i] * t;
    sums.psi_slope += t * t;
  }
  for (Index i = phi_begin + team.rank(); i < f.k; i += team.size()) {
    const double t = f.weight[i] / ((f.pole[i] - origin) - tau);
    sums.phi += f.weight[i] * t;
    sums.phi_slope += t * t;
  }
  return {team.sum(sums.psi), team.sum(sums.psi_slope), team.sum(sums.phi), team.sum(sums.phi_slope)};
}

// Where f is looked for: poles left and left + 1 rule it, the root is in origin + (low, high).
struct Bracket {
  Index left, origin;
  double low, high, tau;
  EIGEN_G_HOST_DEVICE bool holds(double x) const { return x > low && x < high; }  // false for NaN
  EIGEN_G_HOST_DEVICE double middle() const { return 0.5 * (low + high); }
};

// The half of the interval that holds the root, and a first guess: f with all but the two ruling poles frozen at the
// middle of the interval.
template <class Team>
EIGEN_G_HOST_DEVICE Bracket secular_guess(const Team& team, const Secular& f, Index j) {
  const double inverse_rho = 1 / f.rho;
  const bool last = j == f.k - 1;
  Bracket bracket{};
  bracket.left = last ? j - 1 : j;
  const double gap = f.pole[bracket.left + 1] - f.pole[bracket.left];
  const double w_l = f.weight[bracket.left] * f.weight[bracket.left];
  const double w_r = f.weight[bracket.left + 1] * f.weight[bracket.left + 1];

  double beyond = 0;  // of the middle, from the left pole
  double length = 0;
  if (last) {
    double squares = 0;
    for (Index i = team.rank(); i < f.k; i += team.size()) squares += f.weight[i] * f.weight[i];
    length = f.rho * team.sum(squares) * (1 + 8 * unit_roundoff);  // f(high) > 0 in spite of rounding
    beyond = gap + 0.5 * length;
  } else {
    beyond = 0.5 * gap;
  }
  const Sums rest = secular_sums(team, f, f.pole[bracket.left], beyond, bracket.left, bracket.left + 2);
  const double c = inverse_rho + rest.psi + rest.phi;
  const double f_middle = c - w_l / beyond + w_r / (gap - beyond);

  if (!last && f_middle > 0) {  // c tau^2 - a tau + b = 0
    bracket.origin = bracket.left;
    bracket.high = beyond;
    const double a = c * gap + w_l + w_r, b = w_l * gap;
    const double root = sqrt(fabs(a * a - 4 * b * c));
    bracket.tau = a > 0 ? 2 * b / (a + root) : (a - root) / (2 * c);
  } else {  // c tau^2 + a tau - b = 0
    bracket.origin = bracket.left + 1;
    const double a = c * gap - w_l - w_r, b = w_r * gap;
    const double root = sqrt(fabs(a * a + 4 * b * c));
    if (last) {
      bracket.low = f_middle > 0 ? 0 : 0.5 * length;
      bracket.high = f_middle > 0 ? 0.5 * length : length;
      bracket.tau = a > 0 ? 2 * b / (a + root) : (root - a) / (2 * c);
    } else {
      bracket.low = -beyond;
      bracket.tau = a < 0 ? 2 * b / (a - root) : -(a + root) / (2 * c);
    }
  }
  if (!bracket.holds(bracket.tau)) bracket.tau = bracket.middle();
  return bracket;
}

// Root j of f, by one team; every member returns the same.
template <class Team>
EIGEN_G_HOST_DEVICE Root secular_root(const Team& team, const Secular& f, Index j) {
  if (f.k == 1) return {f.pole[0], f.rho * f.weight[0] * f.weight[0], 1};
  const double inverse_rho = 1 / f.rho;
  const bool last = j == f.k - 1;
  Bracket bracket = secular_guess(team, f, j);
  const Index l = bracket.left;
  const double origin = f.pole[bracket.origin], gap = f.pole[l + 1] - f.pole[l];
  bool fixed_weight = false;
  double before = 0;

  for (int step = 1; step <= secular_steps; ++step) {
    const double tau = bracket.tau;
    const Sums sums = secular_sums(team, f, origin, tau, l + 1, l + 1);
    const double value = inverse_rho + sums.psi + sums.phi, slope = sums.psi_slope + sums.phi_slope;
    const double noise = 8 * (fabs(sums.psi) + fabs(sums.phi)) + inverse_rho + fabs(tau) * slope;
    if (fabs(value) <= unit_roundoff * noise) return {origin, tau, step};
    (value < 0 ? bracket.low : bracket.high) = tau;
    if (bracket.high - bracket.low <= 4 * unit_roundoff * fabs(tau)) return {origin, tau, step};

    if (step > 1 && fabs(value) > 0.1 * fabs(before)) fixed_weight = !fixed_weight;
    before = value;

    // c eta^2 - a eta + b = 0
    const double to_l = (f.pole[l] - origin) - tau, to_r = (f.pole[l + 1] - origin) - tau;
    const double a = (to_l + to_r) * value - to_l * to_r * slope, b = to_l * to_r * value;
    double c = value - to_l * sums.psi_slope - to_r * sums.phi_slope;
    if (fixed_weight) {
      const bool from_left = bracket.origin == l;
      const double t = from_left ? f.weight[l] / to_l : f.weight[l + 1] / to_r;
      c = from_left ? value - to_r * slope + gap * t * t : value - to_l * slope - gap * t * t;
    }
    const double root = sqrt(fabs(a * a - 4 * b * c));
    double eta;
    if (last)
      eta = a >= 0 ? (a + root) / (2 * fabs(c)) : 2 * b / (a - root);
    else
      eta = a <= 0 ? (a - root) / (2 * c) : 2 * b / (a + root);
    bracket.tau = tau + eta;
    if (!bracket.holds(bracket.tau)) bracket.tau = tau - value / slope;
    if (!bracket.holds(bracket.tau)) bracket.tau = bracket.middle();
  }
  return {origin, bracket.tau, secular_steps + 1};
}

// Root j to its place. Returns false where it has not converged.
//   x  the arrays at the merge's first row
template <class Team>
EIGEN_G_HOST_DEVICE bool solve_secular(const Team& team, const Shape& shape, const Arrays& x, Index j) {
  const Root root = secular_root(team, {x.pole, x.weight, shape.k, shape.rho}, j);
  if (team.rank() == 0) {
    x.base[j] = root.base;
    x.tau[j] = root.tau;
    x.root[j] = root.base + root.tau;
  }
  return root.steps <= secular_steps;
}

}  // namespace eigen_g::dc
