// The acts of a generalised solve on a GPU, all of them on lower triangles. The standard solve works in its own part of the memory,
// where before it the reduction to standard form keeps what it has to.
#include <algorithm>
#include <cstring>
#include <optional>

#include "gemm_df/products.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/transfer/transfer.hpp"
#include "solver/driver/call.hpp"
#include "solver/driver/generalised_backend.hpp"
#include "solver/driver/held_memory.hpp"
#include "solver/generalised/cholesky.hpp"
#include "solver/generalised/diagonal_blocks.hpp"
#include "solver/generalised/standard_form.hpp"
#include "solver/path/device_clock.hpp"
#include "solver/prepare/check_input.hpp"

namespace eigen_g {

namespace {

Plan standard_plan_on_gpu(const GeneralisedPlan& plan) {
  Plan standard = plan;
  standard.options.uplo = Uplo::lower;
  standard.pointers = Pointers::device;
  return standard;
}

// Parts of the workspace; those that the caller brings are null.
template <class T>
struct GeneralisedParts {
  MatrixView<T> a, b, z;
  real_t<T>* w = nullptr;
  std::int64_t* minor;
  Arena checking, standard;  // the standard solve's, and before it of the reduction to standard form

  GeneralisedParts(Arena& arena, const GeneralisedPlan& plan, bool own_z, std::uint64_t standard_bytes) {
    const std::int64_t n = plan.n, m = plan.most();
    if (plan.pointers == Pointers::host) {
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

bool own_z(const GeneralisedPlan& plan) {
  return plan.options.vectors && plan.pointers == Pointers::host;
}

template <class T>
std::uint64_t generalised_parts_bytes(const GeneralisedPlan& plan, bool with_z) {
  const std::uint64_t standard = plan_bytes<T>(standard_plan_on_gpu(plan), true).device;
  return bytes_taken([&](Arena& arena) { GeneralisedParts<T>(arena, plan, with_z, standard); });
}

// The triangle `uplo` of a matrix on the host, of the GPU's whole one, a panel at a time.
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
  GeneralisedDeviceBackend(const GeneralisedPlan& plan, Resources& resources)
      : plan_(plan),
        on_host_(plan.pointers == Pointers::host),
        queue_(on_host_ ? Queue(resources) : Queue(resources, nullptr)),
        products_(queue_, plan.options.engine, plan.devices.engine_rates),
        clock_(queue_, products_),
        standard_(standard_plan_on_gpu(plan), &resources) {}
  ~GeneralisedDeviceBackend() override { end(); }

  WorkspaceBytes workspace() const override { return generalised_device_bytes<T>(plan_); }
  void use(const Workspace& workspace) override { memory_.use(workspace); }
  void choose(CholeskyFactor factor) override { plan_.problem.factor = factor; }

  void begin(const GeneralisedMatrices<T>& matrices) override {
    cudaGetLastError();  // what an earlier failure left
    p_ = matrices;
    if (!on_host_) queue_.use(p_.stream);
    const bool with_z = own_z(plan_) || (plan_.options.vectors && p_.z.data == p_.a.data);
    used_ = generalised_parts_bytes<T>(plan_, with_z);
    Arena arena = memory_.arena(queue_, used_);
    parts_.emplace(arena, plan_, with_z, plan_bytes<T>(standard_.plan(), true).device);
    a_ = on_host_ ? parts_->a : p_.a;
    b_ = on_host_ ? parts_->b : p_.b;
    z_ = with_z ? parts_->z : p_.z;
  }
  void end() noexcept override { cudaStreamSynchronize(queue_.stream()); }
  Clock& clock() override { return clock_; }

  void load() override {
    const Uplo uplo = plan_.options.uplo;
    if (on_host_) {
      const Part part = uplo == Uplo::lower ? Part::lower : Part::upper;
      upload<T>(queue_, part, p_.a, a_);
      upload<T>(queue_, part, p_.b, b_);
    }
    if (uplo == Uplo::lower && !is_complex<T>) return;
    mirror(queue_, uplo, a_);  // of complex ones the diagonal's imaginary part goes too
    if (plan_.problem.factor != CholeskyFactor::given || uplo == Uplo::upper) mirror(queue_, uplo, b_);
  }
  void check() override {
    check_input<T>(queue_, plan_.options.uplo, a_, parts_->checking);
    of_argument("b", [&] { check_input<T>(queue_, plan_.options.uplo, b_, parts_->checking); });
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
    to_standard_form(products_, plan_.problem.itype, b_, a_, arena.take<T>(standard_form_scratch(plan_.n)));
  }
  Report solve() override {
    Arena arena = parts_->standard;
    const std::uint64_t bytes = plan_bytes<T>(standard_.plan(), true).device;
    standard_.backend().use({arena.take<std::byte>(static_cast<std::int64_t>(bytes)), bytes});
    return standard_.solve(device(a_.data), a_.lda, device(on_host_ ? parts_->w : p_.w), device(z_.data),
                           std::max<std::int64_t>(1, z_.lda), queue_.stream());
  }
  void back_substitute(std::int64_t found) override {
    from_standard_form(products_, plan_.problem.itype, b_, z_.block(0, 0, plan_.n, found));
  }
  void store(std::int64_t found) override {
    const bool returned = plan_.problem.factor == CholeskyFactor::returned;
    if (returned && plan_.options.uplo == Uplo::upper) mirror(queue_, Uplo::lower, b_);
    if (on_host_ && returned) download_triangle<T>(queue_, plan_.options.uplo, b_, p_.b);
    if (plan_.options.vectors && z_.data != p_.z.data) {
      const MatrixView<const T> from = z_.block(0, 0, plan_.n, found);
      const MatrixView<T> to = p_.z.block(0, 0, plan_.n, found);
      if (on_host_)
        download<T>(queue_, from, to);
      else
        EIGEN_G_CUDA(cudaMemcpy2DAsync(to.data, sizeof(T) * to.lda, from.data, sizeof(T) * from.lda,
                                       sizeof(T) * to.rows, to.cols, cudaMemcpyDeviceToDevice,
                                       queue_.stream()));
    }
    if (on_host_)
      EIGEN_G_CUDA(cudaMemcpyAsync(p_.w, parts_->w, sizeof(real_t<T>) * static_cast<std::size_t>(found),
                                   cudaMemcpyDeviceToHost, queue_.stream()));
  }
  void account(Report& report) override {
    report.bytes.device = used_;
    if (!report.devices.empty()) return;
    const Device& gpu = gpu_facts(current_gpu());
    report.devices = {{gpu.name, gpu.index, gpu.cores, 1, 0}};
  }

 private:
  GeneralisedPlan plan_;
  bool on_host_;
  Queue queue_;
  Products<T> products_;
  DeviceClock<T> clock_;
  Call<T> standard_;
  HeldMemory memory_;
  std::uint64_t used_ = 0;  // bytes that the problem takes
  std::optional<GeneralisedParts<T>> parts_;
  GeneralisedMatrices<T> p_;
  MatrixView<T> a_, b_, z_;
};

}  // namespace

template <class T>
WorkspaceBytes generalised_device_bytes(const GeneralisedPlan& plan) {
  return {plan_bytes<T>(standard_plan_on_gpu(plan), true).host,
          generalised_parts_bytes<T>(plan, own_z(plan))};
}

template <class T>
std::unique_ptr<GeneralisedBackend<T>> generalised_device_backend(const GeneralisedPlan& plan,
                                                                  Resources& resources) {
  return std::make_unique<GeneralisedDeviceBackend<T>>(plan, resources);
}

template WorkspaceBytes generalised_device_bytes<double>(const GeneralisedPlan&);
template std::unique_ptr<GeneralisedBackend<double>> generalised_device_backend(const GeneralisedPlan&,
                                                                                Resources&);
template WorkspaceBytes generalised_device_bytes<float>(const GeneralisedPlan&);
template std::unique_ptr<GeneralisedBackend<float>> generalised_device_backend(const GeneralisedPlan&,
                                                                               Resources&);
template WorkspaceBytes generalised_device_bytes<std::complex<double>>(const GeneralisedPlan&);
template std::unique_ptr<GeneralisedBackend<std::complex<double>>> generalised_device_backend(
    const GeneralisedPlan&, Resources&);
template WorkspaceBytes generalised_device_bytes<std::complex<float>>(const GeneralisedPlan&);
template std::unique_ptr<GeneralisedBackend<std::complex<float>>> generalised_device_backend(
    const GeneralisedPlan&, Resources&);

}  // namespace eigen_g
