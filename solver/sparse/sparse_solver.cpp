// SparseSolver, and solve_few() and verify() of a pencil.
#include <algorithm>
#include <cmath>
#include <string>

#include "hybrid/instantiate.hpp"
#include "solver/api/sparse.hpp"
#include "solver/driver/arguments.hpp"
#include "solver/sparse/few_options.hpp"
#include "solver/sparse/pencil_solver.hpp"

namespace eigen_g {

namespace {

// The highest pairs of K - w M are the lowest ones of -K - w M.
FewReport solve_highest(const Pencil& pencil, FewOptions options, double* w, double* z, std::int64_t ldz) {
  Pencil negative = pencil;
  negative.negate();
  PencilSolver solver(std::move(negative), options);
  options.end = End::lowest;
  FewReport report = solver.solve(options, w, z, ldz);
  const std::int64_t n = pencil.n(), m = report.m;
  std::reverse(w, w + m);
  std::for_each(w, w + m, [](double& value) { value = -value; });
  std::reverse(report.residuals.begin(), report.residuals.end());
  std::reverse(report.error_bounds.begin(), report.error_bounds.end());
  for (std::int64_t j = 0; z && j < m / 2; ++j)
    std::swap_ranges(z + j * ldz, z + j * ldz + n, z + (m - 1 - j) * ldz);
  // N counts from below for -K, from above for K.
  std::swap(report.low, report.high);
  report.low = -report.low;
  report.high = -report.high;
  std::swap(report.count_low, report.count_high);
  report.count_low = n - report.count_low;
  report.count_high = n - report.count_high;
  report.shift_used = -report.shift_used;
  return report;
}

FewReport solve_pencil(PencilSolver& solver, const FewOptions& options, double* w, double* z,
                       std::int64_t ldz) {
  check_few(solver.pencil().n(), options, ldz);
  require_pointer(w, solver.pencil().n() > 0, Argument::w);
  require_on_host({{Argument::w, w}, {Argument::z, z}});
  if (solver.pencil().n() == 0) return {};
  return options.end == End::highest ? solve_highest(solver.pencil(), options, w, z, ldz)
                                     : solver.solve(options, w, z, ldz);
}

}  // namespace

template <class T>
struct SparseSolver<T>::Impl {
  PencilSolver solver;
  int threads;
};

template <class T>
SparseSolver<T>::SparseSolver(const CsrMatrix<T>& k, const SparseMass<T>& m, const FewOptions& options,
                              const Devices& devices) {
  check_devices(devices);
  const ThreadLimit limit(devices.threads);
  impl_ =
      std::make_unique<Impl>(Impl{PencilSolver(Pencil(k, m, options.buckling), options), devices.threads});
}
template <class T>
SparseSolver<T>::~SparseSolver() = default;
template <class T>
SparseSolver<T>::SparseSolver(SparseSolver&&) noexcept = default;
template <class T>
SparseSolver<T>& SparseSolver<T>::operator=(SparseSolver&&) noexcept = default;
template <class T>
std::int64_t SparseSolver<T>::order() const {
  return impl_->solver.pencil().n();
}
template <class T>
std::int64_t SparseSolver<T>::factor_entries() const {
  return impl_->solver.factorisation().entries();
}
template <class T>
std::uint64_t SparseSolver<T>::factor_bytes() const {
  return impl_->solver.factorisation().bytes();
}
template <class T>
EigenvalueCount SparseSolver<T>::count(double s) {
  require(std::isfinite(s), "s", "must be finite");
  const ThreadLimit limit(impl_->threads);
  return impl_->solver.count(s);
}
template <class T>
FewReport SparseSolver<T>::solve(const FewOptions& options, real_t<T>* w, T* z, std::int64_t ldz) {
  const ThreadLimit limit(impl_->threads);
  return solve_pencil(impl_->solver, options, w, z, ldz);
}
template <class T>
IntervalReport SparseSolver<T>::interval(double a, double b, std::int64_t max_pairs,
                                         std::vector<real_t<T>>& w, std::vector<T>* z) {
  const ThreadLimit limit(impl_->threads);
  return impl_->solver.interval(a, b, max_pairs, w, z);
}
template <class T>
void SparseSolver<T>::set_values(const T* k, const T* m) {
  impl_->solver.set_values(k, m);
}

template <class T>
FewReport solve_few(const CsrMatrix<T>& k, const SparseMass<T>& m, same_t<real_t<T>>* w, same_t<T>* z,
                    std::int64_t ldz, const FewOptions& options, const Devices& devices) {
  require(m.matrix.row_offsets || m.diagonal, "m", "has neither a matrix nor a diagonal");
  SparseSolver<T> solver(k, m, options, devices);
  return solver.solve(options, w, z, ldz);
}
template <class T>
FewReport solve_few(const SparseOperator<T>& k, const SparseOperator<T>& m,
                    const SparseOperator<T>& op_inverse, same_t<real_t<T>>* w, same_t<T>* z, std::int64_t ldz,
                    const FewOptions& options, const Devices& devices) {
  check_devices(devices);
  require(static_cast<bool>(op_inverse.multiply), "op_inverse", "has no multiply function");
  require(options.end != End::lowest && options.end != End::highest, "end", "must be one of a target");
  require(options.proof != Proof::counts, "proof", "is counts, which need a factorisation");
  SparseOperator<T> of_k = k;
  of_k.n = op_inverse.n;
  require(!k.multiply || k.n == op_inverse.n, Argument::a, "has another order than op_inverse");
  const ThreadLimit limit(devices.threads);
  PencilSolver solver(Pencil(of_k, m), options, op_inverse);
  return solve_pencil(solver, options, w, z, ldz);
}

EIGEN_G_INSTANTIATE_CLASS(double_type, SparseSolver);
EIGEN_G_INSTANTIATE_OVERLOAD(double_type, solve_few,
                             FewReport(const CsrMatrix<T>&, const SparseMass<T>&, T*, T*, std::int64_t,
                                       const FewOptions&, const Devices&));
EIGEN_G_INSTANTIATE_OVERLOAD(double_type, solve_few,
                             FewReport(const SparseOperator<T>&, const SparseOperator<T>&,
                                       const SparseOperator<T>&, T*, T*, std::int64_t, const FewOptions&,
                                       const Devices&));

}  // namespace eigen_g
