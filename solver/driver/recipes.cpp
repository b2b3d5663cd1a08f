// The recipes: the stages of each kind of solve in their order, one stage a line. A recipe is the same on CPU and GPU and for both
// paths. It names stages and allocates nothing.
#include <cmath>
#include <complex>

#include "hybrid/instantiate.hpp"
#include "solver/driver/backend.hpp"
#include "solver/prepare/scale.hpp"

namespace eigen_g {

namespace {

// Solves C = Y W Y^H, the standard problem of a generalised one (generalised.hpp).
// A and B are finite, so a NaN or an infinity in C is an overflow.
template <class T>
GeneralisedReport solve_standard(GeneralisedBackend<T>& on) {
  try {
    return on.solve();
  } catch (const NonFiniteEntry&) {
    throw InvalidArgument(Argument::b,
                          "is so small, or A so large, that the standard form of the problem overflows");
  }
}

}  // namespace

template <class T>
GeneralisedReport StandardBackend<T>::run(StageRunner& run_stage) {
  run_stage(Stage::load, [&] { load(); });
  const int k = scale_exponent(run_stage(Stage::check, [&] { return check(); }));
  run_stage(Stage::scale, [&] { scale(k); });  // A := 2^k A
  ImplicitQ<T>& q = reduce(run_stage);         // A = Q T Q^H
  const DivideAndConquerResult outcome =
      run_stage(Stage::divide_and_conquer, [&] { return divide_and_conquer(k); });  // T = U W U^T
  if (plan_.options.vectors) back_transform(run_stage, q);                          // Z = Q U
  run_stage(Stage::unscale, [&] { unscale(k); });                                   // W := 2^-k W
  run_stage(Stage::store, [&] { store(); });

  GeneralisedReport report;
  report.status = outcome.status;
  report.info = outcome.info;
  report.m = outcome.found.count;
  report.first_index = outcome.found.first + 1;
  return report;
}

template <class T>
GeneralisedReport GeneralisedBackend<T>::run(StageRunner& run_stage) {
  std::int64_t bad_minor = 0;
  run_stage(Stage::load, [&] { load(); });
  run_stage(Stage::check, [&] { check(); });
  if (generalised().factor != CholeskyFactor::reuse)
    bad_minor = run_stage(Stage::cholesky, [&] { return cholesky(); });  // B = L L^H
  if (bad_minor > 0) {
    GeneralisedReport report;
    report.bad_minor = bad_minor;
    report.status = Status::not_converged;
    report.info = plan_.n + bad_minor;
    return report;
  }
  run_stage(Stage::standard_form, [&] { standard_form(); });                           // A := C
  GeneralisedReport report = run_stage.within([&] { return solve_standard(*this); });  // C = Y W Y^H
  if (plan_.options.vectors) run_stage(Stage::back_substitute, [&] { back_substitute(report.m); });  // Y -> X
  run_stage(Stage::store, [&] { store(report.m); });
  return report;
}

GeneralisedReport MixedBackend::run(StageRunner& run_stage) {
  run_stage(Stage::load, [&] { load(); });
  const int k = -std::ilogb(run_stage(Stage::check, [&] { return check(); }));
  run_stage(Stage::scale, [&] { scale(k); });  // A := 2^k A, max |a_ij| in [1, 2)
  GeneralisedReport report = run_stage.within([&] { return solve_in_float(); });  // float(A) = Z W Z^T
  Refinement refinement;
  refinement.result = Refinement::Result::float_failed;
  refinement.float_seconds = report.seconds;
  if (report.status == Status::converged) {
    const double seconds = refinement.float_seconds;
    refinement = run_stage(
        Stage::refine, [&](const StageProgress& progress) { return refine(progress); });  // double(Z) -> X
    refinement.float_seconds = seconds;
    refinement.seconds = run_stage.finish();
  }
  if (refinement.native()) report = run_stage.within([&] { return solve_in_double(); });  // A = X W X^T
  run_stage(Stage::unscale, [&] { unscale(k, report.m); });                               // W := 2^-k W
  run_stage(Stage::store, [&] { store(report.m); });
  run_stage.finish();
  report.refinement = refinement;
  return report;
}

EIGEN_G_INSTANTIATE_CLASS(all_types, StandardBackend, GeneralisedBackend);

}  // namespace eigen_g
