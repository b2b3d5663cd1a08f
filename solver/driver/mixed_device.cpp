// Mixed precision on one GPU: all pairs of A in float, refined to double; and where that does not succeed, the plain solver of
// double on the A that was kept.
//
//   A := 2^k A, max |a_ij| in [1, 2)     float(A) = Z diag(w) Z^T by a call in float     X := double(Z), refined
//
// The calls in float and in double and the refinement take the same memory one after the other.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "gemm_df/engines/engine_rates.hpp"
#include "gemm_df/products.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/transfer/transfer.hpp"
#include "solver/driver/call.hpp"
#include "solver/driver/held_memory.hpp"
#include "solver/generalised/diagonal_blocks.hpp"
#include "solver/path/device_clock.hpp"
#include "solver/prepare/check_input.hpp"
#include "solver/prepare/scale.hpp"
#include "solver/refine/columns.hpp"
#include "solver/refine/refine.hpp"

namespace eigen_g {

namespace {

// Of both calls: device pointers, the lower triangle.
Plan plan_of_call(const Plan& plan, Engine engine) {
  Plan call = plan;
  call.options.uplo = Uplo::lower;
  call.options.precision = Precision::native;
  call.options.engine = engine;
  call.pointers = Pointers::device;
  return call;
}
Plan plan_in_float(const Plan& plan) {
  return plan_of_call(plan, Engine::native);
}
Plan plan_in_double(const Plan& plan) {
  return plan_of_call(plan, plan.options.engine);
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

// Parts of the workspace; those that the caller brings are null.
struct MixedParts {
  MatrixView<double> a, z;
  double* w = nullptr;
  Arena checking, work;

  MixedParts(Arena& arena, const Plan& plan, bool own_z) {
    const std::int64_t n = plan.n;
    if (plan.pointers == Pointers::host) {
      a = arena.matrix<double>(n, n, n);
      w = arena.take<double>(n);
    }
    if (own_z) z = arena.matrix<double>(n, n, n);
    checking = arena.part(check_input_bytes);
    const std::uint64_t in_float =
        bytes_taken([&](Arena& of) { InFloat(of, n, plan_bytes<float>(plan_in_float(plan), true).device); });
    work = arena.part(
        std::max({in_float, refine_bytes(n), plan_bytes<double>(plan_in_double(plan), true).device}));
  }
};

std::uint64_t mixed_parts_bytes(const Plan& plan, bool own_z) {
  return bytes_taken([&](Arena& arena) { MixedParts(arena, plan, own_z); });
}

// The memory that the call's next solve takes.
template <class T>
void give(Call<T>& call, Arena memory) {
  const std::uint64_t bytes = plan_bytes<T>(call.plan(), true).device;
  call.backend().use({memory.take<std::byte>(static_cast<std::int64_t>(bytes)), bytes});
}

class MixedDevice final : public PlannedSolve<double> {
 public:
  MixedDevice(const Plan& plan, Resources& resources)
      : plan_(plan),
        on_host_(plan.pointers == Pointers::host),
        queue_(on_host_ ? Queue(resources) : Queue(resources, nullptr)),
        products_(queue_, plan.options.engine,
                  rates_to_choose_by(queue_, plan.options.engine, plan.devices.engine_rates)),
        clock_(queue_, products_),
        in_float_(plan_in_float(plan), &resources),
        in_double_(plan_in_double(plan), &resources) {}
  ~MixedDevice() override { cudaStreamSynchronize(queue_.stream()); }

  WorkspaceBytes workspace(MatrixLayout) const override { return mixed_device_bytes(plan_); }
  void use(const Workspace& workspace) override { memory_.use(workspace); }

  void begin(const Problem<double>& problem) override {
    cudaGetLastError();  // what an earlier failure left
    p_ = problem;
    if (!on_host_) queue_.use(p_.stream);
    const bool own_z = on_host_ || p_.z.data == p_.spare.data;
    used_ = mixed_parts_bytes(plan_, own_z);
    Arena arena = memory_.arena(queue_, used_);
    parts_.emplace(arena, plan_, own_z);
    a_ = on_host_ ? parts_->a : p_.spare;
    z_ = own_z ? parts_->z : p_.z;
    w_ = on_host_ ? parts_->w : p_.w;
  }

  Report solve(const Options& options, bool) override {
    const Ending ending{queue_};
    Report report;
    std::vector<StageWork> before, after;
    Steps prepare(clock_, options.progress, before);
    prepare(Stage::transfer, [&] { load(); });
    const int k = -std::ilogb(prepare(Stage::check, [&] { return largest(); }));
    prepare(Stage::scale, [&] { scale(k); });
    prepare.finish();

    const auto start = std::chrono::steady_clock::now();
    report = solve_in_float();
    const double float_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    Refinement refinement;
    refinement.way = Refinement::Way::not_in_float;
    std::vector<StageWork> refining;
    if (report.status == Status::converged) {
      Steps step(clock_, options.progress, refining);
      refinement = step(Stage::refine, [&](const StageProgress& tell) {
        convert(queue_, z_in_float_, z_);
        convert(queue_, w_in_float_, MatrixView<double>{w_, plan_.n, 1, plan_.n});
        return refine(products_, options.engine, a_, z_, w_, parts_->work,
                      tell ? tell : StageProgress([](double) {}));
      });
      step.finish();
      refinement.seconds = refining.front().seconds;
    }
    refinement.float_seconds = float_seconds;
    std::vector<StageWork> stages = std::move(before);
    stages.insert(stages.end(), report.stages.begin(), report.stages.end());
    stages.insert(stages.end(), refining.begin(), refining.end());
    std::uint64_t more = products_.scratch_bytes();
    if (refinement.plain()) {
      report = solve_in_double();
      stages.insert(stages.end(), report.stages.begin(), report.stages.end());
      const std::uint64_t planned = plan_bytes<double>(in_double_.plan(), true).device;
      more += std::max(report.bytes.device, planned) - planned;
    }

    Steps finish(clock_, options.progress, after);
    finish(Stage::unscale, [&] { scale_values(queue_, report.m, w_, -k); });
    finish(Stage::transfer, [&] { store(report.m); });
    finish.finish();
    stages.insert(stages.end(), after.begin(), after.end());
    report.stages = std::move(stages);
    report.refinement = refinement;
    report.bytes = {mixed_device_bytes(plan_).host, used_ + more};
    return report;
  }

 private:
  struct Ending {
    const Queue& queue;
    ~Ending() {
      cudaStreamSynchronize(queue.stream());
    }  // an exception may have left work that uses the memory
  };

  void load() {
    if (on_host_)
      upload<double>(queue_, plan_.options.uplo == Uplo::lower ? Part::lower : Part::upper, p_.a, a_);
    if (plan_.options.uplo == Uplo::upper) mirror(queue_, Uplo::upper, a_);
  }
  // 1 for a matrix of zeros.
  double largest() {
    const double found = check_input<double>(queue_, plan_.options.uplo, a_, parts_->checking).largest;
    return found > 0 ? found : 1;
  }
  void scale(int k) {
    eigen_g::scale<double>(queue_, a_, k);
    mirror(queue_, Uplo::lower, a_);
  }
  Report solve_in_float() {
    Arena arena = parts_->work;
    const std::int64_t n = plan_.n;
    const InFloat in(arena, n, plan_bytes<float>(in_float_.plan(), true).device);
    z_in_float_ = in.z;
    w_in_float_ = {in.w, n, 1, n};
    convert(queue_, a_, in.a);
    give(in_float_, in.call);
    return in_float_.solve(device(in.a.data), n, device(in.w), device(in.z.data), n, queue_.stream());
  }
  Report solve_in_double() {
    give(in_double_, parts_->work);
    return in_double_.solve(device(a_.data), a_.lda, device(w_), device(z_.data), z_.lda, queue_.stream());
  }
  void store(std::int64_t found) {
    if (z_.data != p_.z.data) {
      if (on_host_)
        download<double>(queue_, z_, p_.z);
      else
        EIGEN_G_CUDA(cudaMemcpy2DAsync(p_.z.data, sizeof(double) * p_.z.lda, z_.data, sizeof(double) * z_.lda,
                                       sizeof(double) * plan_.n, plan_.n, cudaMemcpyDeviceToDevice,
                                       queue_.stream()));
    }
    if (on_host_)
      EIGEN_G_CUDA(cudaMemcpyAsync(p_.w, w_, sizeof(double) * static_cast<std::size_t>(found),
                                   cudaMemcpyDeviceToHost, queue_.stream()));
  }

  Plan plan_;
  bool on_host_;
  Queue queue_;
  Products<double> products_;
  DeviceClock<double> clock_;
  Call<float> in_float_;
  Call<double> in_double_;
  HeldMemory memory_;
  std::uint64_t used_ = 0;  // bytes that the problem takes
  std::optional<MixedParts> parts_;
  Problem<double> p_;
  MatrixView<double> a_, z_;
  MatrixView<float> z_in_float_, w_in_float_;
  double* w_ = nullptr;
};

}  // namespace

WorkspaceBytes mixed_device_bytes(const Plan& plan) {
  return {std::max(plan_bytes<float>(plan_in_float(plan), true).host + refine_host_bytes(plan.n),
                   plan_bytes<double>(plan_in_double(plan), true).host),
          mixed_parts_bytes(plan, plan.pointers == Pointers::host)};
}

std::unique_ptr<PlannedSolve<double>> mixed_device(const Plan& plan, Resources& resources) {
  return std::make_unique<MixedDevice>(plan, resources);
}

}  // namespace eigen_g
