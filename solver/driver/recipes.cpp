// The recipes. A recipe is the order of the stages of one kind of solve: standard, generalised or mixed precision. Its code has one stage a line.
// A recipe is the same on CPU and GPU and for both paths. It calls the stages of a Backend, and allocates no memory of order n^2.
#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include "hybrid/instantiate.hpp"
#include "solver/driver/backend.hpp"
#include "solver/prepare/scale.hpp"

namespace eigen_g {

namespace {

[[noreturn]] void overflow(const char* of) {
  throw InvalidArgument(Argument::b, std::string("is so small, or A so large, that ") + of + " overflow");
}

// Solves C = Y W Y^H, the standard problem to which a generalised problem is reduced (solver/api/generalised.hpp).
// A and B are finite, so a NaN or an infinity in C is an overflow.
template <class T>
GeneralisedReport solve_standard(GeneralisedBackend<T>& on) {
  try {
    return on.solve();
  } catch (const NonFiniteEntry&) {
    overflow("entries of the standard form");
  }
}

}  // namespace

template <class T>
GeneralisedReport StandardBackend<T>::run(StageRunner& run_stage) {
  run_stage(Stage::load, [&] { load(); });
  run_stage(Stage::check, [&] { check(); });
  run_stage(Stage::scale, [&] { scale(); });  // A := 2^k A
  reduce(run_stage);                          // A = Q T Q^H, which overwrites A with the reflectors of Q
  const int k = exponent();
  DivideAndConquerResult outcome = run_stage(Stage::divide_and_conquer, [&](const StageProgress& progress) {
    return divide_and_conquer(k, progress);  // T = U W U^T
  });
  if (plan_.options.vectors) back_transform(run_stage);  // Z = Q U
  run_stage(Stage::unscale, [&] { unscale(k); });        // W := 2^-k W
  run_stage(Stage::store, [&] { store(); });
  finish(outcome);

  GeneralisedReport report;
  report.status = outcome.status;
  report.info = outcome.info;
  report.m = outcome.found.count;
  report.first_index = outcome.found.first + 1;
  return report;
}

// B = L L^H. Returns bad_minor (GeneralisedReport) of the last factorization. If may_order() is false, the rows have the caller's order. Otherwise
// factor_b() can choose another order, so that small eigenvalues have small relative errors (order.hpp). It makes up to three tries:
//   1. the order of B's descending diagonal, or the caller's order if the diagonal varies little
//   2. diagonal pivoting, if try 1 fails or rows are nearly dependent
//   3. the caller's order, if try 2 fails
template <class T>
std::int64_t GeneralisedBackend<T>::factor_b(const PencilFacts<real_t<T>>& facts) {
  if (!may_order()) return cholesky();
  // facts.largest_b is the largest diagonal entry, because the largest entry of a positive definite B is on its diagonal.
  if (facts.largest_b >= 4 * facts.smallest_diagonal_of_b) {
    order_ = descending_order(diagonal_of_b());
    order_b();
  }
  if (cholesky() == 0 || pivoted_cholesky()) return 0;
  order_.clear();
  order_b();
  return std::max<std::int64_t>(0, cholesky());
}

// The solutions X and W have A X = B X W for itype 1. The standard problem is C = Y W Y^H.
template <class T>
GeneralisedReport GeneralisedBackend<T>::run(StageRunner& run_stage) {
  std::int64_t bad_minor = 0;
  run_stage(Stage::load, [&] { load(); });
  const PencilFacts<real_t<T>> facts = run_stage(Stage::check, [&] { return check(); });
  scale_ = scale_of(generalised(), facts);
  order_.clear();
  if (generalised().factor != CholeskyFactor::reuse)
    bad_minor = run_stage(Stage::cholesky, [&] { return factor_b(facts); });  // B = L L^H
  if (bad_minor > 0) {
    GeneralisedReport report;
    report.bad_minor = bad_minor;
    report.status = Status::not_converged;
    report.info = plan_.n + bad_minor;
    return report;
  }
  if (better_on_host()) {
    GeneralisedReport report = run_stage.within([&] { return solve_on_host(); });
    if (report.bad_minor == 0) run_stage(Stage::store, [&] { store(report.m); });
    return report;
  }
  run_stage(Stage::standard_form, [&] { standard_form(); });                           // A := C
  GeneralisedReport report = run_stage.within([&] { return solve_standard(*this); });  // C = Y W Y^H
  if (plan_.options.vectors) run_stage(Stage::back_substitute, [&] { back_substitute(report.m); });  // Y -> X
  if (scale_.a != 0 && report.m > 0) {
    // W := 2^-scale_.a W
    const real_t<T> largest = run_stage(Stage::unscale, [&] { return unscale(report.m); });
    if (std::isinf(largest)) overflow("eigenvalues");
  }
  run_stage(Stage::store, [&] { store(report.m); });
  return report;
}

GeneralisedReport MixedBackend::run(StageRunner& run_stage) {
  run_stage(Stage::load, [&] { load(); });
  const int k = -std::ilogb(run_stage(Stage::check, [&] { return check(); }));
  run_stage(Stage::scale, [&] { scale(k); });  // A := 2^k A, max |a_ij| in [1, 2)
  GeneralisedReport report = run_stage.within([&] { return solve_in_float(); });  // float(A) = Z W Z^T
  Refinement refinement;
  refinement.result = Refinement::Result::float_failed;  // unless refine() replaces it
  const double float_seconds = report.seconds;
  if (report.status == Status::converged) {
    refinement = run_stage(
        Stage::refine, [&](const StageProgress& progress) { return refine(progress); });  // Z -> X in double
    refinement.seconds = run_stage.finish();
  }
  refinement.float_seconds = float_seconds;
  // native(): the float solve or the refinement failed.
  if (refinement.native()) report = run_stage.within([&] { return solve_in_double(); });  // A = X W X^T
  run_stage(Stage::unscale, [&] { unscale(k, report.m); });                               // W := 2^-k W
  run_stage(Stage::store, [&] { store(report.m); });
  run_stage.finish();
  report.refinement = refinement;
  return report;
}

EIGEN_G_INSTANTIATE_CLASS(all_types, StandardBackend, GeneralisedBackend);

}  // namespace eigen_g
