// The stages of a generalised solve on a GPU. All of them work on lower triangles. One part of the workspace is for the standard solve.
// Before the standard solve, the reduction to standard form uses this part.
#include <algorithm>
#include <cstring>
#include <optional>

#include "hybrid/instantiate.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/transfer/transfer.hpp"
#include "solver/driver/backend.hpp"
#include "solver/driver/device_frame.hpp"
#include "solver/driver/frame.hpp"
#include "solver/generalised/cholesky.hpp"
#include "solver/generalised/diagonal_blocks.hpp"
#include "solver/generalised/standard_form.hpp"
#include "solver/prepare/check_input.hpp"

namespace eigen_g {

namespace {

// The buffers of the workspace. A matrix that is in the caller's memory has null data.
template <class T>
struct GeneralisedParts {
  MatrixView<T> a, b, z;
  real_t<T>* w = nullptr;
  std::int64_t* minor;
  Arena checking, standard;  // standard: for the reduction to standard form, then for the standard solve

  GeneralisedParts(Arena& arena, const Plan& plan, bool own_z, std::uint64_t standard_bytes) {
    const std::int64_t n = plan.n, m = plan.max_count();
    if (plan.on_host_pointers()) {
      a = arena.matrix<T>(n, n, n);
      b = arena.matrix<T>(n, n, n);
      w = arena.take<real_t<T>>(n);
    }
    if (own_z) z = arena.matrix<T>(n, m, n);
    minor = arena.take<std::int64_t>(1);
    checking = arena.part(check_input_bytes);
    standard = arena.part(
        std::max(standard_bytes, bytes_taken([n](Arena& of) { of.take<T>(standard_form_scratch(n)); })));
  }
};

// Z is in the workspace with host pointers, and with device pointers if the caller's z is a itself.
template <class T>
bool own_z(const Plan& plan, const CallerMatrices<T>& p) {
  return plan.options.vectors && (plan.on_host_pointers() || p.z.data == p.a.data);
}

// Copies the triangle `uplo` of a matrix to the host, a panel at a time.
template <class T>
void download_triangle(const Queue& queue, Uplo uplo, MatrixView<const T> from_dev, MatrixView<T> to) {
  const std::int64_t n = to.rows, width = std::min<std::int64_t>(n, 512);
  const HostArray<T> memory = host_array<T>(n * width);
  for (std::int64_t j0 = 0; j0 < n; j0 += width) {
    const std::int64_t cols = std::min(width, n - j0), first = uplo == Uplo::lower ? j0 : 0,
                       rows = (uplo == Uplo::lower ? n : j0 + cols) - first;
    const MatrixView<T> panel{memory.get(), rows, cols, rows};
    download<T>(queue, from_dev.block(first, j0, rows, cols), panel);
    for (std::int64_t j = j0; j < j0 + cols; ++j) {
      const std::int64_t begin = uplo == Uplo::lower ? j : 0, end = uplo == Uplo::lower ? n : j + 1;
      std::memcpy(&to(begin, j), &panel(begin - first, j - j0),
                  sizeof(T) * static_cast<std::size_t>(end - begin));
    }
  }
}

template <class T>
class GeneralisedDeviceBackend final : public GeneralisedBackend<T> {
 public:
  GeneralisedDeviceBackend(const Plan& plan, Resources& resources)
      : GeneralisedBackend<T>(plan), frame_(plan, resources), standard_(plan_within(plan), &resources) {}
  ~GeneralisedDeviceBackend() override { end(); }

  void set_workspace(const Workspace& workspace) override { frame_.memory.set_workspace(workspace); }
  void begin(const CallerMatrices<T>& problem) override {
    p_ = problem;
    frame_.begin(p_.stream);
    const bool with_z = own_z(plan_, p_);
    frame_.place(parts_, plan_, with_z, standard_.workspace().device);
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
      const Part part = uplo == Uplo::lower ? Part::lower : Part::upper;
      upload<T>(queue_, part, p_.a, a_);
      upload<T>(queue_, part, p_.b, b_);
    }
    if (uplo == Uplo::lower && !is_complex<T>) return;
    mirror(queue_, uplo, a_);  // clears the imaginary parts of a complex diagonal too
    if (generalised().factor != CholeskyFactor::reuse || uplo == Uplo::upper) mirror(queue_, uplo, b_);
  }
  void check() override {
    constexpr auto all = std::numeric_limits<std::int64_t>::max();
    check_input<T>(queue_, plan_.options.uplo, a_, parts_->checking);
    check_input<T>(queue_, plan_.options.uplo, b_, parts_->checking, all, Argument::b);
  }
  std::int64_t cholesky() override {
    eigen_g::cholesky(products_, b_, parts_->minor);
    std::int64_t minor = 0;
    EIGEN_G_CUDA(
        cudaMemcpyAsync(&minor, parts_->minor, sizeof minor, cudaMemcpyDeviceToHost, queue_.stream()));
    queue_.wait();
    return minor;
  }
  void standard_form() override {
    Arena arena = parts_->standard;
    to_standard_form(products_, generalised().itype, b_, a_, arena.take<T>(standard_form_scratch(plan_.n)));
  }
  GeneralisedReport solve() override {
    Arena arena = parts_->standard;
    const std::uint64_t bytes = standard_.workspace().device;
    standard_.set_workspace({arena.take<std::byte>(static_cast<std::int64_t>(bytes)), bytes});
    return standard_.solve(Pointers::device, a_.data, a_.lda, nullptr, 0, w_, z_.data,
                           std::max<std::int64_t>(1, z_.lda), queue_.stream());
  }
  void back_substitute(std::int64_t found) override {
    from_standard_form(products_, generalised().itype, b_, z_.block(0, 0, plan_.n, found));
  }
  void store(std::int64_t found) override {
    const bool returned = generalised().factor == CholeskyFactor::compute_and_return;
    if (returned && plan_.options.uplo == Uplo::upper) mirror(queue_, Uplo::lower, b_);
    if (on_host_ && returned) download_triangle<T>(queue_, plan_.options.uplo, b_, p_.b);
    if (plan_.options.vectors && z_.data != p_.z.data) {
      const MatrixView<const T> from = z_.block(0, 0, plan_.n, found);
      const MatrixView<T> to = p_.z.block(0, 0, plan_.n, found);
      if (on_host_)
        download<T>(queue_, from, to);
      else
        copy_on_gpu<T>(queue_, to, from);
    }
    if (on_host_) copy_values(queue_, p_.w, w_, found);
  }
  void account(Report& report) override { report.bytes.device = frame_.used; }

 private:
  using GeneralisedBackend<T>::plan_;
  using GeneralisedBackend<T>::generalised;
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
