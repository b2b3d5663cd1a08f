// The acts of a generalised solve on the CPU, LAPACK's.
#include <algorithm>
#include <cstring>
#include <optional>

#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"
#include "solver/driver/call.hpp"
#include "solver/driver/generalised_backend.hpp"
#include "solver/generalised/cholesky.hpp"
#include "solver/generalised/standard_form.hpp"
#include "solver/path/host_clock.hpp"
#include "solver/prepare/check_input.hpp"

namespace eigen_g {

namespace {

template <class T>
void copy_triangle(Uplo uplo, MatrixView<const T> from, MatrixView<T> to) {
  const std::int64_t n = from.rows;
#pragma omp parallel for schedule(dynamic, 32) if (n >= smallest_parallel_order)
  for (std::int64_t j = 0; j < n; ++j) {
    const std::int64_t first = uplo == Uplo::lower ? j : 0, last = uplo == Uplo::lower ? n : j + 1;
    std::memcpy(&to(first, j), &from(first, j), sizeof(T) * static_cast<std::size_t>(last - first));
  }
}

Plan standard_plan_on_cpu(const GeneralisedPlan& plan) {
  Plan standard = plan;
  standard.devices = {};
  standard.devices.place = Place::cpu;
  standard.devices.threads = plan.devices.threads;
  return standard;
}

template <class T>
class GeneralisedHostBackend final : public GeneralisedBackend<T> {
 public:
  explicit GeneralisedHostBackend(const GeneralisedPlan& plan)
      : plan_(plan), standard_(standard_plan_on_cpu(plan), nullptr) {}

  WorkspaceBytes workspace() const override {
    return {plan_bytes<T>(standard_.plan(), false).host + own_bytes(), 0};
  }
  void use(const Workspace&) override {}
  void choose(CholeskyFactor factor) override { plan_.problem.factor = factor; }

  void begin(const GeneralisedMatrices<T>& matrices) override {
    p_ = matrices;
    const std::int64_t n = plan_.n;
    require_host_memory(own_bytes());
    if (!a_memory_) a_memory_ = host_array<T>(n * n);
    if (own_b() && !b_memory_) b_memory_ = host_array<T>(n * n);
    a_ = {a_memory_.get(), n, n, n};
    b_ = own_b() ? MatrixView<T>{b_memory_.get(), n, n, n} : p_.b;
  }
  void end() noexcept override {}
  Clock& clock() override { return clock_; }

  void load() override {
    copy_triangle<T>(plan_.options.uplo, p_.a, a_);
    if (own_b()) copy_triangle<T>(plan_.options.uplo, p_.b, b_);
    for (std::int64_t j = 0; is_complex<T> && j < plan_.n;
         ++j) {  // what the diagonal's imaginary parts hold is not read
      a_(j, j) = std::real(a_(j, j));
      if (plan_.problem.factor != CholeskyFactor::given) b_(j, j) = std::real(b_(j, j));
    }
  }
  void check() override {
    check_input<T>(plan_.options.uplo, a_);
    of_argument("b", [&] { check_input<T>(plan_.options.uplo, b_); });
  }
  std::int64_t cholesky() override { return eigen_g::cholesky(plan_.options.uplo, b_); }
  void standard_form() override { to_standard_form<T>(plan_.problem.itype, plan_.options.uplo, a_, b_); }
  Report solve() override { return standard_.solve(a_.data, a_.lda, p_.w, p_.z.data, p_.z.lda); }
  void back_substitute(std::int64_t found) override {
    from_standard_form<T>(plan_.problem.itype, plan_.options.uplo, b_, p_.z.block(0, 0, plan_.n, found));
  }
  void store(std::int64_t) override {}  // all of it is in the caller's memory
  void account(Report& report) override {
    report.bytes = workspace();
    report.devices = {{cpu_name(), -1, 0, 1, 0}};
  }

 private:
  bool own_b() const { return plan_.problem.factor == CholeskyFactor::made; }
  std::uint64_t own_bytes() const {
    const auto n = static_cast<std::uint64_t>(plan_.n);
    return n * n * sizeof(T) * (own_b() ? 2 : 1);
  }
  GeneralisedPlan plan_;
  Call<T> standard_;
  HostArray<T> a_memory_, b_memory_;
  GeneralisedMatrices<T> p_;
  MatrixView<T> a_, b_;
  HostClock clock_;
};

}  // namespace

template <class T>
std::unique_ptr<GeneralisedBackend<T>> generalised_host_backend(const GeneralisedPlan& plan) {
  return std::make_unique<GeneralisedHostBackend<T>>(plan);
}

template std::unique_ptr<GeneralisedBackend<double>> generalised_host_backend(const GeneralisedPlan&);
template std::unique_ptr<GeneralisedBackend<float>> generalised_host_backend(const GeneralisedPlan&);
template std::unique_ptr<GeneralisedBackend<std::complex<double>>> generalised_host_backend(
    const GeneralisedPlan&);
template std::unique_ptr<GeneralisedBackend<std::complex<float>>> generalised_host_backend(
    const GeneralisedPlan&);

}  // namespace eigen_g
