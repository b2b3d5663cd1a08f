// The factor, the points and the operator of PencilSolver, and what all its calls share.
#include "solver/sparse/pencil_solver.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "hybrid/error.hpp"
#include "hybrid/team/loops.hpp"
#include "solver/api/argument.hpp"
#include "solver/sparse/search_tools.hpp"

namespace eigen_g {

PencilSolver::PencilSolver(Pencil pencil, const FewOptions& options)
    : pencil_(std::move(pencil)),
      buckling_(options.buckling),
      library_(require_library(options.library, "pairs of a pencil need a factorisation")) {
  const Stopwatch watch(analysis_seconds_);
  factorisation_ = analyse(library_, pencil_.pattern());
  values_.resize(pencil_.pattern().row.size());
}

PencilSolver::PencilSolver(Pencil pencil, const FewOptions& options, const SparseOperator<double>& op_inverse)
    : pencil_(std::move(pencil)), buckling_(options.buckling), op_inverse_(op_inverse) {}

void PencilSolver::set_values(const double* k, const double* m) {
  factored_.reset();
  pencil_.set_values(k, m);
}

double PencilSolver::value_of(double theta, double s) const {
  return buckling_ ? s * theta / (theta - 1) : s + 1 / theta;
}
double PencilSolver::theta_of(double w, double s) const {
  return buckling_ ? w / (w - s) : 1 / (w - s);
}

// After the purification the backward error of a pair at the distance d from the shift is at most about d |M| / (|K| + |s| |M|) of delta / |theta|, where
// d = 1 / |theta|. With this slope of InverseLanczos::ritz() the backward error is at most half of the goal.
double PencilSolver::slope_at(double s) const {
  if (buckling_) return infinity;
  return goal_ / 2 * (pencil_.k_norm() + std::abs(s) * pencil_.m_norm()) / pencil_.m_norm();
}

Pivots PencilSolver::factor(double s) {
  if (factored_ == s) return pivots_;
  const Stopwatch watch(factorisation_seconds_);
  factored_.reset();
  pencil_.shifted(s, values_.data());
  pivots_ = factorisation_->factor(values_.data());
  factored_ = s;
  ++factorisations_;
  return pivots_;
}

std::int64_t PencilSolver::number_of(double s, std::int64_t negative) const {
  return buckling_ && s < 0 ? -negative : negative;
}

// Counts at s. A point with null pivots is moved by multiples of `step`.
PencilSolver::Point PencilSolver::point(double s, double step) {
  for (int move = 0; move <= max_moves; ++move) {
    const double at = s + step * (std::ldexp(1.0, move) - 1);
    const Pivots pivots = factor(at);
    if (pivots.null == 0) return {at, number_of(at, pivots.negative)};
  }
  throw InvalidArgument(
      "m", "K - s M is singular for every s: K and M have a common null vector" +
               (pivots_.null_row >= 0 ? ", with an entry in row " + std::to_string(pivots_.null_row + 1)
                                      : std::string()));
}

// Factorises at a point without null pivots near `wished`.
PencilSolver::Point PencilSolver::shift_near(double wished, double direction, FewReport& report) {
  if (!factorisation_) return {wished, 0};
  const double step = wished == 0 ? 1e-10 * pencil_.k_norm() / pencil_.m_norm() : 1e-6 * std::abs(wished);
  const Pivots at_wish = factor(wished);
  if (at_wish.null == 0) return {wished, number_of(wished, at_wish.negative)};
  report.shift_reason =
      "K - " + text_of(pencil_.unscaled(wished)) + " M has " + std::to_string(at_wish.null) + " null pivots";
  return point(wished + direction * step, direction * step);
}

InverseOperator PencilSolver::inverse() {
  InverseOperator op;
  op.solve = [this](std::int64_t blocks, const double* x, double* y) {
    const Stopwatch watch(solve_seconds_);
    const std::int64_t n = pencil_.n();
    if (!factorisation_) {
      for (std::int64_t p = 0; p < blocks; ++p)
        op_inverse_.multiply(x + p * n * block_width, y + p * n * block_width);
      solved_ += blocks * block_width;
      return;
    }
    factorisation_->solve(blocks, x, y);
    solved_ += blocks * block_width;
  };
  if (buckling_) {
    op.inner = [this](std::int64_t blocks, const double* x, double* y) { pencil_.multiply_k(blocks, x, y); };
    op.inner_norm = pencil_.k_norm();
  } else if (!pencil_.identity()) {
    op.inner = [this](std::int64_t blocks, const double* x, double* y) { pencil_.multiply_m(blocks, x, y); };
    op.inner_norm = pencil_.m_norm();
  }
  return op;
}

void PencilSolver::begin_call(double tolerance) {
  // By default what verify() accepts, as far as rounding errors of a solve allow it. For buckling these errors grow with |w / s|.
  const double n = static_cast<double>(pencil_.n());
  const double accepted = 10 * n * double_ulp;
  goal_ = tolerance > 0 ? tolerance
          : buckling_   ? std::min(accepted, 1e-12)
                        : std::clamp(4 * std::sqrt(n) * double_ulp, std::min(1e-13, accepted), 1e-12);
  // verify() of one matrix judges the 1-norm of a residual, which can be sqrt(n) times its 2-norm.
  aim_ = tolerance == 0 && pencil_.identity() ? std::min(goal_, 4 * std::sqrt(n) * double_ulp) : goal_;
  on_ = std::make_unique<CpuExecutor<double>>(pencil_.n(), MatrixOperator<double>());
  factorisations_ = solved_ = 0;
  factorisation_seconds_ = solve_seconds_ = 0;
}

void PencilSolver::write(const FoundPairs& found, const std::vector<std::int64_t>& chosen, double* w,
                         double* z, std::int64_t ldz, FewReport& report) {
  const std::int64_t n = pencil_.n();
  const int vector_exponent = -(buckling_ ? pencil_.k_exponent() : pencil_.m_exponent()) / 2;
  for (std::size_t c = 0; c < chosen.size(); ++c) {
    const std::int64_t j = chosen[c];
    w[c] = pencil_.unscaled(found.w[j]);
    report.residuals.push_back(std::ldexp(found.residual[j], pencil_.k_exponent() + vector_exponent));
    report.error_bounds.push_back(pencil_.unscaled(found.bound[j]));
    report.backward_errors.push_back(backward(found, j));
    if (!z) continue;
    double* const to = z + static_cast<std::int64_t>(c) * ldz;
    on_->column(found.vectors, j, to);
    for (std::int64_t i = 0; i < n && vector_exponent != 0; ++i) to[i] = std::ldexp(to[i], vector_exponent);
  }
  report.m += static_cast<std::int64_t>(chosen.size());
  report.orthogonality = std::max(report.orthogonality, found.orthogonality);
}

void PencilSolver::report_costs(FewReport& report) const {
  report.method = FewMethod::shift_invert;
  report.library = library_;
  report.norm = std::ldexp(pencil_.k_norm(), pencil_.k_exponent());
  report.mass_norm = std::ldexp(pencil_.m_norm(), pencil_.m_exponent());
  report.factorisations = factorisations_;
  if (factorisation_) {
    report.factor_entries = factorisation_->entries();
    report.factor_bytes = factorisation_->bytes();
  }
  report.products = solved_;
  report.analysis_seconds = analysis_seconds_;
  report.factorisation_seconds = factorisation_seconds_;
  report.solve_seconds = solve_seconds_;
  report.bytes.host = (on_ ? on_->bytes() : 0) + report.factor_bytes;
}

EigenvalueCount PencilSolver::count(double s) {
  const double at = pencil_.scaled(s);
  const Point found = point(at, at == 0 ? -1e-10 * pencil_.k_norm() / pencil_.m_norm() : 1e-8 * std::abs(at));
  return {std::abs(found.number), found.s == at ? s : pencil_.unscaled(found.s), found.s != at};
}

}  // namespace eigen_g
