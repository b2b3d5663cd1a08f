// The stages of a generalised solve on the CPU, through LAPACK.
#include <algorithm>
#include <cstring>

#include "hybrid/instantiate.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/team/loops.hpp"
#include "solver/driver/backend.hpp"
#include "solver/driver/frame.hpp"
#include "solver/generalised/cholesky.hpp"
#include "solver/generalised/standard_form.hpp"
#include "solver/path/host_clock.hpp"
#include "solver/prepare/check_input.hpp"

namespace eigen_g {

namespace {

template <class T>
void copy_triangle(Uplo uplo, MatrixView<const T> from, MatrixView<T> to) {
  const std::int64_t n = from.rows;
  for_each(n, threads_if(n >= smallest_parallel_order), [&](std::int64_t j) {
    const std::int64_t first = uplo == Uplo::lower ? j : 0, last = uplo == Uplo::lower ? n : j + 1;
    std::memcpy(&to(first, j), &from(first, j), sizeof(T) * static_cast<std::size_t>(last - first));
  });
}

Plan standard_plan(const Plan& plan) {
  Plan standard = plan;
  standard.generalised.reset();
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
    if (own_b(plan_)) copy_triangle<T>(plan_.options.uplo, p_.b, b_);
    for (std::int64_t j = 0; is_complex<T> && j < plan_.n;
         ++j) {  // the diagonal's imaginary parts are not read
      a_(j, j) = std::real(a_(j, j));
      if (generalised().factor != CholeskyFactor::reuse) b_(j, j) = std::real(b_(j, j));
    }
  }
  void check() override {
    check_input<T>(plan_.options.uplo, a_);
    check_input<T>(plan_.options.uplo, b_, Argument::b);
  }
  std::int64_t cholesky() override { return eigen_g::cholesky(plan_.options.uplo, b_); }
  void standard_form() override { to_standard_form<T>(generalised().itype, plan_.options.uplo, a_, b_); }
  GeneralisedReport solve() override {
    return standard_.solve(Pointers::host, a_.data, a_.lda, nullptr, 0, p_.w, p_.z.data, p_.z.lda);
  }
  void back_substitute(std::int64_t found) override {
    from_standard_form<T>(generalised().itype, plan_.options.uplo, b_, p_.z.block(0, 0, plan_.n, found));
  }
  void store(std::int64_t) override {}  // all results are in the caller's memory already
  void account(Report& report) override { report.bytes = generalised_bytes_on_cpu<T>(plan_); }

 private:
  using GeneralisedBackend<T>::plan_;
  using GeneralisedBackend<T>::generalised;
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
