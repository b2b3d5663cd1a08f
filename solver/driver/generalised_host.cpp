// The stages of a generalised solve on the CPU. LAPACK factors B and forms C. The standard solve of C is a SolveFrame.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "hybrid/instantiate.hpp"
#include "hybrid/machine/cpu.hpp"
#include "solver/driver/backend.hpp"
#include "solver/driver/frame.hpp"
#include "solver/generalised/cholesky.hpp"
#include "solver/generalised/standard_form.hpp"
#include "solver/path/host_clock.hpp"
#include "solver/prepare/check_input.hpp"
#include "solver/prepare/mirror.hpp"
#include "solver/prepare/scale.hpp"

namespace eigen_g {

namespace {

// Sets the imaginary parts of the diagonal to zero, because the caller's may hold anything.
template <class T>
void make_diagonal_real(MatrixView<T> a) {
  for (std::int64_t j = 0; is_complex<T> && j < a.rows; ++j) a(j, j) = std::real(a(j, j));
}

Plan standard_plan(const Plan& plan) {
  Plan standard = plan;
  standard.generalised.reset();
  // The reduction of an upper triangle begins at the last row, as LAPACK's does. C's small eigenvalues then keep their digits (order.hpp).
  standard.options.uplo = Uplo::upper;
  standard.devices = {};
  standard.devices.device = DeviceChoice::cpu;
  standard.devices.threads = plan.devices.threads;
  return standard;
}

bool own_b(const Plan& plan) {
  return plan.generalised->factor == CholeskyFactor::compute;
}
template <class T>
std::uint64_t own_bytes(const Plan& plan) {
  const auto n = static_cast<std::uint64_t>(plan.n);
  return n * n * sizeof(T) * (own_b(plan) ? 2 : 1);
}

template <class T>
class GeneralisedHostBackend final : public GeneralisedBackend<T> {
 public:
  explicit GeneralisedHostBackend(const Plan& plan)
      : GeneralisedBackend<T>(plan), standard_(standard_plan(plan), nullptr) {}

  void begin(const CallerMatrices<T>& problem) override {
    p_ = problem;
    const std::int64_t n = plan_.n;
    require_host_memory(own_bytes<T>(plan_));
    if (!a_memory_) a_memory_ = host_array<T>(n * n);
    if (own_b(plan_) && !b_memory_) b_memory_ = host_array<T>(n * n);
    a_ = {a_memory_.get(), n, n, n};
    b_ = own_b(plan_) ? MatrixView<T>{b_memory_.get(), n, n, n} : p_.b;
  }
  Clock& clock() override { return clock_; }

  void load() override {
    copy_triangle<T>(plan_.options.uplo, p_.a, a_);
    make_diagonal_real(a_);
    load_b();
  }
  PencilFacts<real_t<T>> check() override {
    const real_t<T> largest_a = check_input<T>(plan_.options.uplo, a_),
                    largest_b = check_input<T>(plan_.options.uplo, b_, Argument::b);
    real_t<T> smallest = largest_b;
    for (const real_t<T> entry : diagonal_of_b()) smallest = std::min(smallest, std::fabs(entry));
    return {largest_a, largest_b, smallest};
  }
  std::vector<real_t<T>> diagonal_of_b() override {
    std::vector<real_t<T>> diagonal(static_cast<std::size_t>(plan_.n));
    for (std::int64_t i = 0; i < plan_.n; ++i) diagonal[i] = std::real(b_(i, i));
    return diagonal;
  }
  void order_b() override {
    if (order_.empty())
      load_b();
    else
      take_in_order<T>(order_, plan_.options.uplo, p_.b, b_);
  }
  std::int64_t cholesky() override {
    scale<T>(uplo(), b_, scale_.b);
    const std::int64_t bad_minor = eigen_g::cholesky(uplo(), b_);
    scale<T>(uplo(), b_, -scale_.b / 2);
    if (bad_minor > 0 || !may_order()) return bad_minor;
    return rows_are_nearly_dependent<T>(order_, p_.b, b_) ? nearly_dependent : 0;
  }
  bool pivoted_cholesky() override {
    if (order_.empty()) {
      order_.resize(static_cast<std::size_t>(plan_.n));
      std::iota(order_.begin(), order_.end(), 0);
    }
    order_b();
    scale<T>(uplo(), b_, scale_.b);
    RowOrder pivots = eigen_g::pivoted_cholesky<T>(b_);
    scale<T>(uplo(), b_, -scale_.b / 2);
    for (std::int64_t& row : pivots) row = order_[row];
    order_ = std::move(pivots);
    return !order_.empty();
  }
  void standard_form() override {
    if (!order_.empty()) take_in_order<T>(order_, plan_.options.uplo, p_.a, a_);
    // LAPACK squares entries of L, so L is scaled to entries near 1 here. The caller's own factor must not change, so a copy of it is
    // scaled.
    const bool reuse = generalised().factor == CholeskyFactor::reuse;
    HostArray<T> memory;
    MatrixView<T> l = b_;
    if (reuse && scale_.b != 0) {
      memory = host_array<T>(plan_.n * plan_.n);
      l = {memory.get(), plan_.n, plan_.n, plan_.n};
      copy_triangle<T>(uplo(), b_, l);
    }
    scale<T>(uplo(), l, scale_.b / 2);
    scale<T>(uplo(), a_, scale_.a + (generalised().itype == 1 ? scale_.b : -scale_.b));
    to_standard_form<T>(generalised().itype, uplo(), a_, l);
    if (!reuse) scale<T>(uplo(), l, -scale_.b / 2);
    if (uplo() == Uplo::lower) mirror_lower(a_);
  }
  GeneralisedReport solve() override {
    if (!this->scales_subset()) return solve_by(standard_);
    SolveFrame<T> standard(this->scaled(standard_.plan()), nullptr);
    return solve_by(standard);
  }
  void back_substitute(std::int64_t found) override {
    const MatrixView<T> x = p_.z.block(0, 0, plan_.n, found);
    from_standard_form<T>(generalised().itype, uplo(), b_, x);
    if (!order_.empty()) restore_rows(order_, x);
  }
  real_t<T> unscale(std::int64_t found) override {
    scale_values(found, p_.w, -scale_.a);
    return std::max(std::fabs(p_.w[0]), std::fabs(p_.w[found - 1]));
  }
  void store(std::int64_t) override {}  // all results are in the caller's memory already
  void account(Report& report) override { report.bytes = generalised_bytes_on_cpu<T>(plan_); }

 private:
  using GeneralisedBackend<T>::plan_;
  using GeneralisedBackend<T>::generalised;
  using GeneralisedBackend<T>::may_order;
  using GeneralisedBackend<T>::order_;
  using GeneralisedBackend<T>::scale_;
  // The triangle of b_ that has L or U. a_ has A in the same triangle, and then C.
  Uplo uplo() const { return order_.empty() ? plan_.options.uplo : Uplo::upper; }
  GeneralisedReport solve_by(SolveFrame<T>& standard) {
    return standard.solve(Pointers::host, a_.data, a_.lda, nullptr, 0, p_.w, p_.z.data, p_.z.lda);
  }
  void load_b() {
    if (own_b(plan_)) copy_triangle<T>(plan_.options.uplo, p_.b, b_);
    if (generalised().factor != CholeskyFactor::reuse) make_diagonal_real(b_);
  }
  SolveFrame<T> standard_;
  HostArray<T> a_memory_, b_memory_;
  CallerMatrices<T> p_;
  MatrixView<T> a_, b_;
  HostClock clock_;
};

}  // namespace

template <class T>
WorkspaceBytes generalised_bytes_on_cpu(const Plan& plan) {
  return {standard_bytes_on_cpu<T>(standard_plan(plan)).host + own_bytes<T>(plan), 0};
}

template <class T>
std::unique_ptr<Backend<T>> generalised_on_cpu(const Plan& plan) {
  return std::make_unique<GeneralisedHostBackend<T>>(plan);
}

EIGEN_G_INSTANTIATE(all_types, generalised_bytes_on_cpu, generalised_on_cpu);

}  // namespace eigen_g
