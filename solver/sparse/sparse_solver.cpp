// SparseSolver, and solve_few() and verify() of a pencil.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "hybrid/instantiate.hpp"
#include "solver/api/sparse.hpp"
#include "solver/driver/arguments.hpp"
#include "solver/sparse/few_options.hpp"
#include "solver/sparse/pencil_solver.hpp"
#include "solver/sparse/real_form.hpp"

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
  std::reverse(report.backward_errors.begin(), report.backward_errors.end());
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
  // The real form, for other types than double, and the pattern of the caller's matrices for set_values().
  struct Source {
    RealPencil<T> pencil;
    std::vector<std::int64_t> k_offsets, m_offsets;
    std::vector<std::int32_t> k_column, m_column;
    bool identity = false;
  };
  struct Nothing {};
  std::conditional_t<std::is_same_v<T, double>, Nothing, Source> source;
  bool buckling;
  PencilSolver solver;
  int threads;
};

template <class T>
SparseSolver<T>::SparseSolver(const CsrMatrix<T>& k, const SparseMass<T>& m, const FewOptions& options,
                              const Devices& devices) {
  check_devices(devices);
  const ThreadLimit limit(devices.threads);
  if constexpr (std::is_same_v<T, double>) {
    impl_ = std::make_unique<Impl>(
        Impl{{}, options.buckling, PencilSolver(Pencil(k, m, options.buckling), options), devices.threads});
  } else {
    typename Impl::Source source{RealPencil<T>(k, m), {}, {}, {}, {}, !m.matrix.row_offsets && !m.diagonal};
    const auto keep = [](const CsrMatrix<T>& a, std::vector<std::int64_t>& offsets,
                         std::vector<std::int32_t>& column) {
      if (!a.row_offsets) return;
      offsets.assign(a.row_offsets, a.row_offsets + a.n + 1);
      column.assign(a.column_indices + offsets.front(), a.column_indices + offsets.back());
      for (std::int64_t& offset : offsets) offset -= a.row_offsets[0];
    };
    keep(k, source.k_offsets, source.k_column);
    keep(m.matrix, source.m_offsets, source.m_column);
    Pencil pencil(source.pencil.k.rows(), source.pencil.mass(), options.buckling);
    impl_ = std::make_unique<Impl>(
        Impl{std::move(source), options.buckling, PencilSolver(std::move(pencil), options), devices.threads});
  }
}
template <class T>
SparseSolver<T>::~SparseSolver() = default;
template <class T>
SparseSolver<T>::SparseSolver(SparseSolver&&) noexcept = default;
template <class T>
SparseSolver<T>& SparseSolver<T>::operator=(SparseSolver&&) noexcept = default;
template <class T>
std::int64_t SparseSolver<T>::order() const {
  return impl_->solver.pencil().n() / rows_of_one<T>;
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
  EigenvalueCount count = impl_->solver.count(s);
  count.below /= rows_of_one<T>;
  return count;
}
template <class T>
FewReport SparseSolver<T>::solve(const FewOptions& options, real_t<T>* w, T* z, std::int64_t ldz) {
  const ThreadLimit limit(impl_->threads);
  if constexpr (std::is_same_v<T, double>) {
    return solve_pencil(impl_->solver, options, w, z, ldz);
  } else {
    const std::int64_t n = order();
    FewOptions checked = options;  // the length of start vectors is that of the real form
    checked.start_ld /= rows_of_one<T>;
    check_few(n, checked, ldz);
    require_pointer(w, n > 0, Argument::w);
    require_on_host({{Argument::w, w}, {Argument::z, z}});
    if (n == 0) return {};
    return solve_by_real_form<T>(
        n, options, impl_->source.pencil.inner(impl_->buckling), w, z, ldz,
        [&](const FewOptions& real, double* values, double* vectors, std::int64_t ld) {
          return solve_pencil(impl_->solver, real, values, vectors, ld);
        });
  }
}
template <class T>
IntervalReport SparseSolver<T>::interval(double a, double b, std::int64_t max_pairs,
                                         std::vector<real_t<T>>& w, std::vector<T>* z) {
  const ThreadLimit limit(impl_->threads);
  if constexpr (std::is_same_v<T, double>) {
    return impl_->solver.interval(a, b, max_pairs, w, z);
  } else {
    const std::int64_t n = order();
    std::vector<double> values, vectors;
    constexpr double tolerance = std::is_same_v<real_t<T>, float> ? std::numeric_limits<float>::epsilon() : 0;
    IntervalReport report = impl_->solver.interval(a, b, rows_of_one<T> * max_pairs, values,
                                                   z || is_complex<T> ? &vectors : nullptr, tolerance);
    report.expected /= rows_of_one<T>;
    pairs_of_real_form<T>(n, impl_->source.pencil.inner(false), false, report, values, vectors);
    w.assign(values.begin(), values.end());
    if (!z) return report;
    z->resize(static_cast<std::size_t>(report.m * n));
    for (std::size_t e = 0; e < z->size(); ++e) {
      if constexpr (is_complex<T>)
        (*z)[e] = T(static_cast<real_t<T>>(vectors[2 * e]), static_cast<real_t<T>>(vectors[2 * e + 1]));
      else
        (*z)[e] = static_cast<T>(vectors[e]);
    }
    return report;
  }
}
template <class T>
void SparseSolver<T>::set_values(const T* k, const T* m) {
  if constexpr (std::is_same_v<T, double>) {
    impl_->solver.set_values(k, m);
  } else {
    auto& source = impl_->source;
    const std::int64_t n = order();
    require(!m || !source.identity, "m", "must be null, because M is I");
    if (k)
      source.pencil.k = real_form(CsrMatrix<T>{n, source.k_offsets.data(), source.k_column.data(), k}, "a");
    const double* real_m = nullptr;
    if (m && !source.m_offsets.empty()) {
      source.pencil.m = real_form(CsrMatrix<T>{n, source.m_offsets.data(), source.m_column.data(), m}, "m");
      real_m = source.pencil.m.value.data();
    } else if (m) {
      for (std::int64_t i = 0; i < n * rows_of_one<T>; ++i)
        source.pencil.diagonal[i] = static_cast<double>(std::real(m[i / rows_of_one<T>]));
      real_m = source.pencil.diagonal.data();
    }
    impl_->solver.set_values(k ? source.pencil.k.value.data() : nullptr, real_m);
  }
}

namespace {

std::string lumped_entry(std::int64_t i) {
  return "has the diagonal entry (" + std::to_string(i + 1) + ", " + std::to_string(i + 1) +
         "), which must be positive for the method lanczos";
}

// Pairs at an end of a pencil with a diagonal M = D, without a factorisation. They are the pairs (w, x) of D^-1/2 K D^-1/2, by the filter, with z = D^-1/2 x.
FewReport solve_lumped(const CsrMatrix<double>& k, const double* diagonal, double* w, double* z,
                       std::int64_t ldz, const FewOptions& options, const Devices& devices) {
  require(diagonal != nullptr, "method", "is lanczos, which needs an M that is given as a diagonal");
  require(options.end == End::lowest || options.end == End::highest, "method",
          "is lanczos, which finds the lowest and the highest pairs alone");
  require(!options.buckling, "method", "is lanczos, which does not solve buckling");
  check_few(k.n, options, ldz);
  const std::int64_t n = k.n;
  const Pencil pencil(k, {{}, diagonal}, false);  // checks K and M
  std::vector<double> root(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    require(diagonal[i] > 0, "m", lumped_entry(i));
    root[i] = 1 / std::sqrt(diagonal[i]);
  }
  if (n == 0) return {};
  std::vector<double> value(static_cast<std::size_t>(k.row_offsets[n])), vectors;
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t p = k.row_offsets[i]; p < k.row_offsets[i + 1]; ++p)
      value[p] = k.values[p] * (root[i] * root[k.column_indices[p]]);
  if (!z) {
    vectors.resize(static_cast<std::size_t>(options.count * n));
    z = vectors.data();
    ldz = n;
  }
  FewReport report = solve_few(CsrMatrix<double>{n, k.row_offsets, k.column_indices, value.data()}, w, z, ldz,
                               options, devices);
  report.norm = std::ldexp(pencil.k_norm(), pencil.k_exponent());
  report.mass_norm = *std::max_element(diagonal, diagonal + n);
  report.tolerance =
      std::max(report.tolerance, 10 * static_cast<double>(n) * std::numeric_limits<double>::epsilon());
  for (std::int64_t j = 0; j < report.m; ++j) {
    double* const x = z + j * ldz;
    for (std::int64_t i = 0; i < n; ++i) x[i] *= root[i];
    double squares = 0, length = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      double sum = -w[j] * diagonal[i] * x[i];
      for (std::int64_t p = k.row_offsets[i]; p < k.row_offsets[i + 1]; ++p)
        sum += k.values[p] * x[k.column_indices[p]];
      squares += sum * sum;
      length += x[i] * x[i];
    }
    if (report.residuals.size() > static_cast<std::size_t>(j)) report.residuals[j] = std::sqrt(squares);
    report.backward_errors.push_back(std::sqrt(squares) /
                                     ((report.norm + std::abs(w[j]) * report.mass_norm) * std::sqrt(length)));
    if (!(report.backward_errors.back() <= report.tolerance)) report.status = Status::not_converged;
  }
  return report;
}

}  // namespace

template <class T>
FewReport solve_few(const CsrMatrix<T>& k, const SparseMass<T>& m, same_t<real_t<T>>* w, same_t<T>* z,
                    std::int64_t ldz, const FewOptions& options, const Devices& devices) {
  require(m.matrix.row_offsets || m.diagonal, "m", "has neither a matrix nor a diagonal");
  const bool at_end = options.end == End::lowest || options.end == End::highest;
  const bool no_library = m.diagonal && at_end && !options.buckling &&
                          options.method == FewMethod::automatic &&
                          (options.library == FactorLibrary::none || !available(options.library));
  if (options.method == FewMethod::lanczos || no_library) {
    if constexpr (std::is_same_v<T, double>) {
      return solve_lumped(k, m.diagonal, w, z, ldz, options, devices);
    } else {
      FewOptions checked = options;
      checked.start_ld /= rows_of_one<T>;
      check_few(k.n, checked, ldz);
      for (std::int64_t i = 0; m.diagonal && i < k.n; ++i) require(m.diagonal[i] > 0, "m", lumped_entry(i));
      const RealPencil<T> pencil(k, m);
      const SparseMass<double> mass = pencil.mass();
      return solve_by_real_form<T>(
          k.n, options, pencil.inner(false), w, z, ldz,
          [&](const FewOptions& real, double* values, double* of_values, std::int64_t ld) {
            return solve_lumped(pencil.k.rows(), mass.diagonal, values, of_values, ld, real, devices);
          });
    }
  }
  SparseSolver<T> solver(k, m, options, devices);
  return solver.solve(options, w, z, ldz);
}
template <class T>
FewReport solve_few(const SparseOperator<T>& k, const SparseOperator<T>& m,
                    const SparseOperator<T>& op_inverse, same_t<real_t<T>>* w, same_t<T>* z, std::int64_t ldz,
                    const FewOptions& options, const Devices& devices) {
  check_devices(devices);
  require(static_cast<bool>(op_inverse.multiply), "op_inverse", "has no multiply function");
  if constexpr (!std::is_same_v<T, double>) {
    FewOptions checked = options;
    checked.start_ld /= rows_of_one<T>;
    check_few(op_inverse.n, checked, ldz);
    require_pointer(w, op_inverse.n > 0, Argument::w);
    const SparseOperator<double> real_k = real_form(k), real_m = real_form(m),
                                 real_inverse = real_form(op_inverse);
    return solve_by_real_form<T>(
        op_inverse.n, options, options.buckling ? real_k.multiply : real_m.multiply, w, z, ldz,
        [&](const FewOptions& real, double* values, double* vectors, std::int64_t ld) {
          return solve_few(real_k, real_m, real_inverse, values, vectors, ld, real, devices);
        });
  } else {
    require(options.end != End::lowest && options.end != End::highest, "end", "must be one of a target");
    require(options.proof != Proof::counts, "proof", "is counts, which need a factorisation");
    SparseOperator<T> of_k = k;
    of_k.n = op_inverse.n;
    require(!k.multiply || k.n == op_inverse.n, Argument::a, "has another order than op_inverse");
    const ThreadLimit limit(devices.threads);
    PencilSolver solver(Pencil(of_k, m), options, op_inverse);
    return solve_pencil(solver, options, w, z, ldz);
  }
}

EIGEN_G_INSTANTIATE_CLASS(all_types, SparseSolver);
EIGEN_G_INSTANTIATE_OVERLOAD(all_types, solve_few,
                             FewReport(const CsrMatrix<T>&, const SparseMass<T>&, real_t<T>*, T*,
                                       std::int64_t, const FewOptions&, const Devices&));
EIGEN_G_INSTANTIATE_OVERLOAD(double_type, solve_few,
                             FewReport(const SparseOperator<T>&, const SparseOperator<T>&,
                                       const SparseOperator<T>&, T*, T*, std::int64_t, const FewOptions&,
                                       const Devices&));
template FewReport solve_few(const SparseOperator<std::complex<double>>&,
                             const SparseOperator<std::complex<double>>&,
                             const SparseOperator<std::complex<double>>&, double*, std::complex<double>*,
                             std::int64_t, const FewOptions&, const Devices&);

}  // namespace eigen_g
