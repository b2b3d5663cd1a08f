#include "apps/papers/minres.hpp"

#include <cfloat>
#include <cmath>
#include <utility>

namespace eigen_g::papers {

KrylovResult minres(KrylovSpace& space, const double* b, double* x, const KrylovRule& rule) {
  // Lanczos vectors v and directions d: the last two of each, and the new one.
  double *v_old = space.vector(), *v = space.vector(), *v_new = space.vector();
  double *d_old = space.vector(), *d = space.vector(), *d_new = space.vector();
  const auto norm = [&](const double* z) { return std::sqrt(space.dot(z, z)); };
  KrylovResult result;
  const double size = norm(b);
  const auto finish = [&](KrylovEnd end) {
    space.multiply(x, v_new);
    ++result.products;
    space.combine(1, b, -1, v_new);
    result.end = end;
    result.residual = size > 0 ? norm(v_new) / size : 0;
    return result;
  };
  if (size == 0) {
    space.combine(0, b, 0, x);
    return finish(KrylovEnd::converged);
  }
  space.multiply(x, v);
  ++result.products;
  space.combine(1, b, -1, v);
  double beta = norm(v), eta = beta, largest = 0;
  result.recurrence = beta / size;
  double c = 1, c_old = 1, s = 0, s_old = 0;  // cosines and sines of the last two rotations
  if (beta > 0) space.combine(0, v, 1 / beta, v);
  beta = 0;  // above the diagonal of the first column of T
  while (result.recurrence > rule.tolerance) {
    if (result.iterations == rule.max_iterations) return finish(KrylovEnd::max_iterations);
    ++result.iterations;
    // v_new := A v - alpha v - beta v_old, |v_new| = beta_new
    space.multiply(v, v_new);
    ++result.products;
    const double alpha = space.dot(v, v_new);
    space.combine(-alpha, v, 1, v_new);
    space.combine(-beta, v_old, 1, v_new);
    const double beta_new = norm(v_new);
    if (!std::isfinite(alpha) || !std::isfinite(beta_new)) return finish(KrylovEnd::breakdown);
    // The new column of T after the rotations: gamma on the diagonal, `above` and `second` over it.
    const double diagonal = c * alpha - c_old * s * beta;
    const double gamma = std::hypot(diagonal, beta_new);
    const double above = s * alpha + c_old * c * beta, second = s_old * beta;
    largest = std::fmax(largest, std::fmax(gamma, std::fabs(above)));
    if (gamma <= DBL_EPSILON * largest) return finish(KrylovEnd::breakdown);
    c_old = std::exchange(c, diagonal / gamma);
    s_old = std::exchange(s, beta_new / gamma);
    // d_new := (v - above d - second d_old) / gamma
    space.combine(1 / gamma, v, 0, d_new);
    space.combine(-above / gamma, d, 1, d_new);
    space.combine(-second / gamma, d_old, 1, d_new);
    space.combine(c * eta, d_new, 1, x);
    eta *= -s;
    result.recurrence = std::fabs(eta) / size;
    if (beta_new > 0) space.combine(0, v_new, 1 / beta_new, v_new);
    beta = beta_new;
    double* const free_v = std::exchange(v_old, std::exchange(v, v_new));
    v_new = free_v;
    double* const free_d = std::exchange(d_old, std::exchange(d, d_new));
    d_new = free_d;
  }
  return finish(KrylovEnd::converged);
}

}  // namespace eigen_g::papers
