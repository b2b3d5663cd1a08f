// The stages of a generalised solve on a GPU. All of them work on lower triangles.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "hybrid/instantiate.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/transfer/transfer.hpp"
#include "solver/devices/tuning.hpp"
#include "solver/driver/backend.hpp"
#include "solver/driver/device_frame.hpp"
#include "solver/driver/frame.hpp"
#include "solver/generalised/cholesky.hpp"
#include "solver/generalised/standard_form.hpp"
#include "solver/prepare/check_input.hpp"
#include "solver/prepare/mirror.hpp"
#include "solver/prepare/scale.hpp"

namespace eigen_g {

namespace {

// The buffers of the workspace. A matrix that is in the caller's memory has null data.
template <class T>
struct GeneralisedParts {
  MatrixView<T> a, b, z;
  real_t<T>* w = nullptr;
  std::int64_t* minor;
  // The order of the rows (order.hpp), its inverse, and n - 1 ... 0, one after the other.
  std::int64_t *order, *inverse, *reverse;
  // `standard` is memory for data that are needed at different times: first a copy of the caller's B with scratch memory, then the data of the
  // reduction to standard form, then the workspace of the standard solve, then a copy of the vectors.
  Arena checking, standard;

  GeneralisedParts(Arena& arena, const Plan& plan, bool own_z, std::uint64_t standard_bytes) {
    const std::int64_t n = plan.n, m = plan.max_count();
    if (plan.on_host_pointers()) {
      a = arena.matrix<T>(n, n, n);
      b = arena.matrix<T>(n, n, n);
      w = arena.take<real_t<T>>(n);
    }
    if (own_z) z = arena.matrix<T>(n, m, n);
    minor = arena.take<std::int64_t>(1);
    order = arena.take<std::int64_t>(3 * n);
    inverse = order + n;
    reverse = inverse + n;
    checking = arena.part(check_input_bytes);
    const bool may_order = plan.generalised->factor == CholeskyFactor::compute;
    const std::uint64_t of_form = sizeof(T) * static_cast<std::uint64_t>(standard_form_scratch(n));
    standard =
        arena.part(std::max(standard_bytes, bytes_taken([=](Arena& of) {
                              if (may_order) of.matrix<T>(n, n, n);
                              of.part(may_order ? std::max(pivoted_order_scratch<T>(n), of_form) : of_form);
                            })));
  }
};

// Z is in the workspace with host pointers, and with device pointers if the caller's z is a itself.
template <class T>
bool own_z(const Plan& plan, const CallerMatrices<T>& p) {
  return plan.options.vectors && (plan.on_host_pointers() || p.z.data == p.a.data);
}

template <class T>
class GeneralisedDeviceBackend final : public GeneralisedBackend<T> {
 public:
  GeneralisedDeviceBackend(const Plan& plan, Resources& resources)
      : GeneralisedBackend<T>(plan),
        resources_(resources),
        frame_(plan, resources),
        standard_(plan_within(plan), &resources) {}
  ~GeneralisedDeviceBackend() override { end(); }

  void set_workspace(const Workspace& workspace) override { frame_.memory.set_workspace(workspace); }
  void begin(const CallerMatrices<T>& problem) override {
    p_ = problem;
    frame_.begin(p_.stream);
    const bool with_z = own_z(plan_, p_);
    parts_ = frame_.template take<GeneralisedParts<T>>(plan_, with_z, standard_.workspace().device);
    a_ = on_host_ ? parts_->a : p_.a;
    b_ = on_host_ ? parts_->b : p_.b;
    z_ = with_z ? parts_->z : p_.z;
    w_ = on_host_ ? parts_->w : p_.w;
  }
  void end() noexcept override { frame_.end(); }
  Clock& clock() override { return frame_.clock; }

  void load() override {
    const Uplo uplo = plan_.options.uplo;
    if (on_host_) {
      upload<T>(queue_, part_of(uplo), p_.a, a_);
      upload<T>(queue_, part_of(uplo), p_.b, b_);
    }
    if (uplo == Uplo::lower && !is_complex<T>) return;
    mirror(queue_, uplo, a_);  // clears the imaginary parts of a complex diagonal too
    if (generalised().factor != CholeskyFactor::reuse || uplo == Uplo::upper) mirror(queue_, uplo, b_);
  }
  PencilFacts<real_t<T>> check() override {
    constexpr auto all = std::numeric_limits<std::int64_t>::max();
    const real_t<T> largest_a = check_input<T>(queue_, plan_.options.uplo, a_, parts_->checking).largest;
    const InputFacts<real_t<T>> of_b =
        check_input<T>(queue_, plan_.options.uplo, b_, parts_->checking, all, Argument::b);
    if (may_order())
      take_in_order<T>(queue_, nullptr, b_,
                       scratch(plan_.n));  // a copy of B, because factor_b() may need B again
    return {largest_a, of_b.largest, of_b.smallest_diagonal};
  }
  std::vector<real_t<T>> diagonal_of_b() override {
    const std::int64_t n = plan_.n;
    Arena arena = scratch_after_b();
    const MatrixView<T> packed{arena.take<T>(n), 1, n, 1};
    take_rows<T>(queue_, nullptr, {b_.data, 1, n, b_.lda + 1}, packed);
    std::vector<T> entries(static_cast<std::size_t>(n));
    copy_values(queue_, entries.data(), packed.data, n);
    queue_.wait();
    std::vector<real_t<T>> diagonal(entries.size());
    std::transform(entries.begin(), entries.end(), diagonal.begin(), [](T x) { return std::real(x); });
    return diagonal;
  }
  void order_b() override {
    if (!order_.empty()) {
      const RowOrder rows = with_inverse_and_reverse(order_);
      copy_values(queue_, parts_->order, rows.data(), 3 * plan_.n);
      queue_.wait();
    }
    take_in_order<T>(queue_, order_dev(), scratch(plan_.n), b_);
  }
  std::int64_t cholesky() override {
    scale(queue_, b_, scale_.b);
    eigen_g::cholesky(products_, b_, parts_->minor);
    scale(queue_, b_, -scale_.b / 2);
    if (may_order()) find_nearly_dependent<T>(queue_, order_dev(), scratch(plan_.n), b_, parts_->minor);
    std::int64_t minor = 0;
    copy_values(queue_, &minor, parts_->minor, 1);
    queue_.wait();
    return minor;
  }
  bool pivoted_cholesky() override {
    order_b();
    scale(queue_, b_, scale_.b);
    mirror(queue_, Uplo::lower, b_);
    Arena arena = scratch_after_b();
    const auto bytes = static_cast<std::int64_t>(pivoted_order_scratch<T>(plan_.n));
    RowOrder pivots = pivoted_order(products_, b_, arena.take<std::byte>(bytes));
    if (!order_.empty())
      for (std::int64_t& row : pivots) row = order_[row];
    order_ = std::move(pivots);
    order_b();
    return cholesky() <= 0;
  }
  // If B was factored in another order of its rows, C is graded, and its small eigenvalues can keep their digits (order.hpp). A GPU's divide and
  // conquer has an error near ulp |C| in each eigenvalue, and loses these digits. For small n the CPU uses the QL method of LAPACK's dsteqr. This
  // method keeps the digits.
  bool better_on_host() const override {
    return !order_.empty() && plan_.n < solver_tuning().min_order_on_gpu;
  }
  GeneralisedReport solve_on_host() override {
    const std::int64_t n = plan_.n;
    Plan plan;
    plan.n = n;
    plan.options.vectors = plan_.options.vectors;
    plan.options.subset = plan_.options.subset;
    plan.devices.device = DeviceChoice::cpu;
    plan.devices.threads = plan_.devices.threads;
    plan.generalised = generalised();
    const HostArray<T> a = host_array<T>(n * n), b = host_array<T>(n * n), z = host_array<T>(n * n);
    const HostArray<real_t<T>> w = host_array<real_t<T>>(n);
    for (const auto& [from, to] : {std::pair(a_, a.get()), std::pair(scratch(n), b.get())}) {
      mirror(queue_, Uplo::lower, from);
      download<T>(queue_, from, {to, n, n, n});
    }
    GeneralisedReport report =
        SolveFrame<T>(plan, nullptr).solve(Pointers::host, a.get(), n, b.get(), n, w.get(), z.get(), n);
    copy_values(queue_, w_, w.get(), report.m);
    if (plan.options.vectors) copy_on_gpu<T>(queue_, z_.block(0, 0, n, report.m), {z.get(), n, report.m, n});
    queue_.wait();
    return report;
  }
  void standard_form() override {
    const bool ordered = !order_.empty();
    Arena arena = parts_->standard;
    const MatrixView<T> c = ordered ? arena.matrix<T>(plan_.n, plan_.n, plan_.n) : a_;
    if (ordered) take_in_order<T>(queue_, parts_->order, a_, c);
    scale(queue_, c, scale_.a);
    to_standard_form(products_, generalised().itype, b_, c, arena.take<T>(standard_form_scratch(plan_.n)));
    // The GPU's reduction begins at the first row. C's rows and columns are therefore reversed, so that its small eigenvalues keep their digits
    // (order.hpp).
    if (ordered) take_in_order<T>(queue_, parts_->reverse, c, a_);
  }
  GeneralisedReport solve() override {
    if (!this->scales_subset()) return solve_by(standard_);
    SolveFrame<T> standard(this->scaled(standard_.plan()), &resources_);
    return solve_by(standard);
  }
  void back_substitute(std::int64_t found) override {
    const bool ordered = !order_.empty();
    const MatrixView<T> z = z_.block(0, 0, plan_.n, found), x = ordered ? scratch(found) : z;
    if (ordered) take_rows<T>(queue_, parts_->reverse, z, x);
    from_standard_form(products_, generalised().itype, b_, x);
    if (ordered) take_rows<T>(queue_, parts_->inverse, x, z);
  }
  real_t<T> unscale(std::int64_t found) override {
    scale_values(queue_, found, w_, -scale_.a);
    real_t<T> first = 0, last = 0;
    copy_values(queue_, &first, w_, 1);
    copy_values(queue_, &last, w_ + found - 1, 1);
    queue_.wait();
    return std::max(std::fabs(first), std::fabs(last));
  }
  void store(std::int64_t found) override {
    const bool returned = generalised().factor == CholeskyFactor::compute_and_return;
    if (returned && plan_.options.uplo == Uplo::upper) mirror(queue_, Uplo::lower, b_);
    if (on_host_ && returned) download_triangle<T>(queue_, plan_.options.uplo, b_, p_.b);
    if (plan_.options.vectors) frame_.store(z_.block(0, 0, plan_.n, found), p_.z.block(0, 0, plan_.n, found));
    if (on_host_) copy_values(queue_, p_.w, w_, found);
  }
  void account(Report& report) override { report.bytes.device = frame_.used; }

 private:
  using GeneralisedBackend<T>::plan_;
  using GeneralisedBackend<T>::generalised;
  using GeneralisedBackend<T>::may_order;
  using GeneralisedBackend<T>::order_;
  using GeneralisedBackend<T>::scale_;

  MatrixView<T> scratch(std::int64_t columns) {
    Arena arena = parts_->standard;
    return arena.matrix<T>(plan_.n, columns, plan_.n);
  }
  Arena scratch_after_b() {
    Arena arena = parts_->standard;
    arena.matrix<T>(plan_.n, plan_.n, plan_.n);
    return arena;
  }
  const std::int64_t* order_dev() const { return order_.empty() ? nullptr : parts_->order; }
  GeneralisedReport solve_by(SolveFrame<T>& standard) {
    standard.take_workspace(parts_->standard);
    return standard.solve(Pointers::device, a_.data, a_.lda, nullptr, 0, w_, z_.data,
                          std::max<std::int64_t>(1, z_.lda), queue_.stream());
  }

  Resources& resources_;
  DeviceFrame<T> frame_;
  const bool on_host_ = frame_.on_host;
  Queue& queue_ = frame_.queue;
  Products<T>& products_ = frame_.products;
  SolveFrame<T> standard_;
  std::optional<GeneralisedParts<T>> parts_;
  CallerMatrices<T> p_;
  MatrixView<T> a_, b_, z_;
  real_t<T>* w_ = nullptr;
};

}  // namespace

template <class T>
WorkspaceBytes generalised_bytes_on_gpu(const Plan& plan) {
  const WorkspaceBytes standard = plan_bytes<T>(plan_on<T>(plan_within(plan), true));
  const bool with_z = plan.options.vectors && plan.on_host_pointers();
  return {standard.host,
          bytes_taken([&](Arena& arena) { GeneralisedParts<T>(arena, plan, with_z, standard.device); })};
}

template <class T>
std::unique_ptr<Backend<T>> generalised_on_gpu(const Plan& plan, Resources& resources) {
  return std::make_unique<GeneralisedDeviceBackend<T>>(plan, resources);
}

EIGEN_G_INSTANTIATE(all_types, generalised_bytes_on_gpu, generalised_on_gpu);

}  // namespace eigen_g
