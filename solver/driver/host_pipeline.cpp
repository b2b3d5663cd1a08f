// The pipeline on the CPU: every stage is a LAPACK routine.
#include <algorithm>
#include <chrono>
#include <cstring>

#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"
#include "solver/back/back_transform.hpp"
#include "solver/driver/pipeline.hpp"
#include "solver/prepare/check_input.hpp"
#include "solver/prepare/scale.hpp"
#include "solver/reduction/one_stage/tridiagonalize.hpp"

namespace eigen_g {

namespace {

class HostPipeline final : public Pipeline {
 public:
  explicit HostPipeline(const Problem& problem)
      : p_(problem),
        matrix_(host_array<double>(p_.n * p_.n)),
        values_(host_array<double>(p_.n)),
        off_diagonal_(host_array<double>(p_.n)),
        tau_(host_array<double>(p_.n)),
        a_{matrix_.get(), p_.n, p_.n, std::max<std::int64_t>(p_.n, 1)} {}

  void load() override {
    const bool lower = p_.uplo == Uplo::lower;
#pragma omp parallel for schedule(dynamic, 32) if (p_.n >= smallest_parallel_order)
    for (std::int64_t j = 0; j < p_.n; ++j) {
      const std::int64_t first = lower ? j : 0;
      const std::int64_t last = lower ? p_.n : j + 1;
      std::memcpy(&a_(first, j), &p_.a(first, j), sizeof(double) * static_cast<std::size_t>(last - first));
    }
  }
  double check() override {
    return check_input(p_.uplo, a_);
  }
  void scale(int k) override {
    eigen_g::scale(p_.uplo, a_, k);
  }
  void tridiagonalize(const std::function<void(double)>&) override {
    eigen_g::tridiagonalize(p_.uplo, a_, values_.get(), off_diagonal_.get(), tau_.get());
  }
  Outcome divide_and_conquer(int k) override {
    const Outcome outcome =
        eigen_g::divide_and_conquer(p_.n, values_.get(), off_diagonal_.get(), p_.z, {p_.subset, -k});
    found_ = outcome.found.count;
    return outcome;
  }
  void back_transform() override {
    if (p_.z.data && found_ > 0)
      eigen_g::back_transform(p_.uplo, a_, tau_.get(), p_.z.block(0, 0, p_.n, found_));
  }
  void unscale(int k) override {
    scale_values(found_, values_.get(), -k);
  }
  void store() override {  // the stages write into the caller's z
    std::copy_n(values_.get(), found_, p_.w);
  }
  void wait() override {}
  void mark() override {
    moments_.push_back(Clock::now());
  }
  std::vector<double> laps() const override {
    std::vector<double> seconds;
    for (std::size_t i = 1; i < moments_.size(); ++i)
      seconds.push_back(std::chrono::duration<double>(moments_[i] - moments_[i - 1]).count());
    return seconds;
  }
  WorkspaceBytes bytes() const override {
    return host_pipeline_bytes(p_.n, p_.z.data != nullptr, p_.subset);
  }
  std::string engine() const override {
    return name(Engine::native);
  }
  std::vector<DeviceWork> work() override {
    return {{cpu_name(), 1, 0, engine()}};
  }

 private:
  using Clock = std::chrono::steady_clock;
  Problem p_;
  HostArray<double> matrix_, values_, off_diagonal_, tau_;
  MatrixView<double> a_;
  std::int64_t found_ = 0;
  std::vector<Clock::time_point> moments_;
};

}  // namespace

WorkspaceBytes host_pipeline_bytes(std::int64_t n, bool vectors, const Subset& subset) {
  const std::uint64_t matrix = static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(n) * sizeof(double);
  const std::uint64_t vectors_and_blocks = static_cast<std::uint64_t>(n) * (3 + 64) * sizeof(double);
  const std::uint64_t matrices = !vectors ? 1 : subset.most(n) < n ? 3 : 2;  // A, dstedc's work, its Z
  return {matrices * matrix + vectors_and_blocks, 0};
}

std::unique_ptr<Pipeline> host_pipeline(const Problem& problem) {
  require_host_memory(host_pipeline_bytes(problem.n, problem.z.data != nullptr, problem.subset).host);
  return std::make_unique<HostPipeline>(problem);
}

}  // namespace eigen_g
