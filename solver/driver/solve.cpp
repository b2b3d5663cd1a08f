// One solve, a step a line, whatever the machine and the path.
#include <complex>

#include "solver/driver/backend.hpp"
#include "solver/prepare/scale.hpp"

namespace eigen_g {

namespace {

template <class T>
struct SolveEnding {
  Backend<T>& on;
  bool left = false;
  ~SolveEnding() {
    if (!left) on.end();
  }
};

}  // namespace

template <class T>
Report Backend<T>::solve(const Options& options, bool wait) {
  Backend& on = *this;
  Report report;
  SolveEnding<T> ending{on};
  Steps step(on.clock(), options.progress, report.stages);

  step(Stage::transfer, [&] { on.load(); });
  const int k = scale_exponent(step(Stage::check, [&] { return on.check(); }));
  step(Stage::scale, [&] { on.scale(k); });  // A := 2^k A
  Factor<T>& q = on.reduce(step);            // A = Q T Q^H
  const Outcome outcome =
      step(Stage::divide_and_conquer, [&] { return on.divide_and_conquer(k); });  // T = U W U^T
  if (options.vectors) on.back_transform(step, q);                                // Z = Q U
  step(Stage::unscale, [&] { on.unscale(k); });                                   // W := 2^-k W
  step(Stage::transfer, [&] { on.store(); });
  if (wait) step.finish();

  report.status = outcome.status;
  report.failed = outcome.failed;
  report.m = outcome.found.count;
  report.first = outcome.found.first + 1;
  on.account(report);
  if (!wait) {
    on.leave();
    ending.left = true;
  }
  return report;
}

template Report Backend<double>::solve(const Options&, bool);
template Report Backend<float>::solve(const Options&, bool);
template Report Backend<std::complex<double>>::solve(const Options&, bool);
template Report Backend<std::complex<float>>::solve(const Options&, bool);

}  // namespace eigen_g
