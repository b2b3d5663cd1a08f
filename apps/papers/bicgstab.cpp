#include "apps/papers/bicgstab.hpp"

#include <cmath>

namespace eigen_g::papers {

KrylovResult bicgstab(KrylovSpace& space, const double* b, double* x, const KrylovRule& rule) {
  double *r = space.vector(), *shadow = space.vector(), *p = space.vector(), *v = space.vector(),
         *t = space.vector();
  const auto norm = [&](const double* z) { return std::sqrt(space.dot(z, z)); };
  KrylovResult result;
  const double size = norm(b);
  const auto finish = [&](KrylovEnd end) {  // r := b - A x
    space.multiply(x, r);
    ++result.products;
    space.combine(1, b, -1, r);
    result.end = end;
    result.residual = size > 0 ? norm(r) / size : 0;
    return result;
  };
  if (size == 0) {
    space.combine(0, b, 0, x);
    return finish(KrylovEnd::converged);
  }
  space.multiply(x, r);
  ++result.products;
  space.combine(1, b, -1, r);
  space.combine(1, r, 0, shadow);
  result.recurrence = norm(r) / size;
  double rho = 1, alpha = 1, omega = 1;
  while (result.recurrence > rule.tolerance) {
    if (result.iterations == rule.max_iterations) return finish(KrylovEnd::max_iterations);
    ++result.iterations;
    const double rho_before = rho;
    rho = space.dot(shadow, r);
    if (rho == 0 || omega == 0 || !std::isfinite(rho)) return finish(KrylovEnd::breakdown);
    const double beta = rho / rho_before * (alpha / omega);
    // p := r + beta (p - omega v)
    space.combine(-omega, v, 1, p);
    space.combine(1, r, beta, p);
    space.multiply(p, v);
    ++result.products;
    const double along = space.dot(shadow, v);
    if (along == 0 || !std::isfinite(along)) return finish(KrylovEnd::breakdown);
    alpha = rho / along;
    space.combine(-alpha, v, 1, r);  // from here on r holds s
    space.combine(alpha, p, 1, x);
    result.recurrence = norm(r) / size;
    if (result.recurrence <= rule.tolerance) break;
    space.multiply(r, t);
    ++result.products;
    const double length = space.dot(t, t);
    if (length == 0 || !std::isfinite(length)) return finish(KrylovEnd::breakdown);
    omega = space.dot(t, r) / length;
    space.combine(omega, r, 1, x);
    space.combine(-omega, t, 1, r);
    result.recurrence = norm(r) / size;
  }
  return finish(KrylovEnd::converged);
}

}  // namespace eigen_g::papers
