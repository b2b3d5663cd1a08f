// The stages of mixed precision on one GPU:
//
//   scale    A := 2^k A, max |a_ij| in [1, 2)
//   solve    float(A) = Z W Z^T in float
//   refine   X := double(Z), refined
//
// If this does not succeed, A = X W X^T is solved in double. The float solve, the refinement and the solve in double use the same memory, one after
// the other.
#include <algorithm>
#include <optional>

#include "hybrid/transfer/transfer.hpp"
#include "solver/driver/backend.hpp"
#include "solver/driver/device_frame.hpp"
#include "solver/driver/frame.hpp"
#include "solver/prepare/check_input.hpp"
#include "solver/prepare/mirror.hpp"
#include "solver/prepare/scale.hpp"
#include "solver/refine/columns.hpp"
#include "solver/refine/refine.hpp"

namespace eigen_g {

namespace {

template <class T>
Plan plan_in(const Plan& plan) {
  Plan within = plan_within(plan);
  within.options.precision = Precision::native;
  if (sizeof(T) == sizeof(float)) within.options.engine = Engine::native;
  return plan_on<T>(within, true);
}

struct InFloat {
  MatrixView<float> a, z;
  float* w;
  Arena call;

  InFloat(Arena& arena, std::int64_t n, std::uint64_t call_bytes)
      : a(arena.matrix<float>(n, n, n)),
        z(arena.matrix<float>(n, n, n)),
        w(arena.take<float>(n)),
        call(arena.part(call_bytes)) {}
};

// The buffers of the workspace. A matrix that is in the caller's memory has null data.
struct MixedParts {
  MatrixView<double> a, z;
  double* w = nullptr;
  Arena checking, work;

  MixedParts(Arena& arena, const Plan& plan, bool own_z) {
    const std::int64_t n = plan.n;
    if (plan.on_host_pointers()) {
      a = arena.matrix<double>(n, n, n);
      w = arena.take<double>(n);
    }
    if (own_z) z = arena.matrix<double>(n, n, n);
    checking = arena.part(check_input_bytes);
    const std::uint64_t in_float =
        bytes_taken([&](Arena& of) { InFloat(of, n, plan_bytes<float>(plan_in<float>(plan)).device); });
    work =
        arena.part(std::max({in_float, refine_bytes(n), plan_bytes<double>(plan_in<double>(plan)).device}));
  }
};

class MixedDevice final : public MixedBackend {
 public:
  MixedDevice(const Plan& plan, Resources& resources)
      : MixedBackend(plan),
        frame_(plan, resources),
        in_float_(plan_in<float>(plan), &resources),
        in_double_(plan_in<double>(plan), &resources) {}
  ~MixedDevice() override { end(); }

  void set_workspace(const Workspace& workspace) override { frame_.memory.set_workspace(workspace); }
  void begin(const CallerMatrices<double>& problem) override {
    p_ = problem;
    frame_.begin(p_.stream);
    const bool own_z = on_host_ || p_.z.data == p_.a.data;
    parts_ = frame_.take<MixedParts>(plan_, own_z);
    more_ = 0;
    a_ = on_host_ ? parts_->a : p_.a;
    z_ = own_z ? parts_->z : p_.z;
    w_ = on_host_ ? parts_->w : p_.w;
  }
  void end() noexcept override { frame_.end(); }
  Clock& clock() override { return frame_.clock; }

  void load() override {
    if (on_host_) upload<double>(queue_, part_of(plan_.options.uplo), p_.a, a_);
    if (plan_.options.uplo == Uplo::upper) mirror(queue_, Uplo::upper, a_);
  }
  double check() override {
    const double found = check_input<double>(queue_, plan_.options.uplo, a_, parts_->checking).largest;
    return found > 0 ? found : 1;
  }
  void scale(int k) override {
    eigen_g::scale<double>(queue_, a_, k);
    mirror(queue_, Uplo::lower, a_);
  }
  GeneralisedReport solve_in_float() override {
    return timed(true, plan_.devices.threads, [&] {
      Arena arena = parts_->work;
      const std::int64_t n = plan_.n;
      const InFloat in(arena, n, in_float_.workspace().device);
      z_in_float_ = in.z;
      w_in_float_ = {in.w, n, 1, n};
      convert(queue_, a_, in.a);
      in_float_.take_workspace(in.call);
      return in_float_.solve(Pointers::device, in.a.data, n, nullptr, 0, in.w, in.z.data, n, queue_.stream());
    });
  }
  Refinement refine(const StageProgress& progress) override {
    convert(queue_, z_in_float_, z_);
    convert(queue_, w_in_float_, MatrixView<double>{w_, plan_.n, 1, plan_.n});
    return eigen_g::refine(frame_.products, plan_.options.engine, a_, z_, w_, parts_->work,
                           progress ? progress : StageProgress([](double) {}));
  }
  GeneralisedReport solve_in_double() override {
    in_double_.take_workspace(parts_->work);
    const GeneralisedReport report =
        in_double_.solve(Pointers::device, a_.data, a_.lda, nullptr, 0, w_, z_.data, z_.lda, queue_.stream());
    const std::uint64_t planned = in_double_.workspace().device;
    more_ = std::max(report.bytes.device, planned) - planned;
    return report;
  }
  void unscale(int k, std::int64_t count) override { scale_values(queue_, count, w_, -k); }
  void store(std::int64_t count) override {
    frame_.store(z_, p_.z);
    if (on_host_) copy_values(queue_, p_.w, w_, count);
  }
  void account(Report& report) override {
    report.bytes = {mixed_bytes_on_gpu(plan_).host, frame_.used + frame_.products.scratch_bytes() + more_};
  }

 private:
  DeviceFrame<double> frame_;
  const bool on_host_ = frame_.on_host;
  Queue& queue_ = frame_.queue;
  SolveFrame<float> in_float_;
  SolveFrame<double> in_double_;
  std::uint64_t more_ = 0;  // bytes that the solve in double used in addition to its planned workspace
  std::optional<MixedParts> parts_;
  CallerMatrices<double> p_;
  MatrixView<double> a_, z_;
  MatrixView<float> z_in_float_, w_in_float_;
  double* w_ = nullptr;
};

}  // namespace

WorkspaceBytes mixed_bytes_on_gpu(const Plan& plan) {
  const bool own_z = plan.on_host_pointers();
  return {std::max(plan_bytes<float>(plan_in<float>(plan)).host + refine_host_bytes(plan.n),
                   plan_bytes<double>(plan_in<double>(plan)).host),
          bytes_taken([&](Arena& arena) { MixedParts(arena, plan, own_z); })};
}

std::unique_ptr<Backend<double>> mixed_on_gpu(const Plan& plan, Resources& resources) {
  return std::make_unique<MixedDevice>(plan, resources);
}

}  // namespace eigen_g
