// The pipeline on the CPU: every stage is a LAPACK routine.
#include <algorithm>
#include <cstring>

#include "hybrid/cpu.hpp"
#include "solver/back_transform.hpp"
#include "solver/check_input.hpp"
#include "solver/pipeline.hpp"
#include "solver/scale.hpp"
#include "solver/tridiagonalize.hpp"

namespace eigen_g {

namespace {

class HostPipeline final : public Pipeline {
 public:
  explicit HostPipeline(const Problem& problem)
      : p_(problem),
        matrix_(host_array<double>(p_.n * p_.n)),
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
    eigen_g::tridiagonalize(p_.uplo, a_, p_.w, off_diagonal_.get(), tau_.get());
  }
  Outcome divide_and_conquer() override {
    return eigen_g::divide_and_conquer(p_.n, p_.w, off_diagonal_.get(), p_.z);
  }
  void back_transform() override {
    if (p_.z.data) eigen_g::back_transform(p_.uplo, a_, tau_.get(), p_.z);
  }
  void unscale(int k) override {
    scale_values(p_.n, p_.w, -k);
  }
  void store() override {}  // the stages write into the caller's w and z
  void wait() override {}
  WorkspaceBytes bytes() const override {
    return host_pipeline_bytes(p_.n, p_.z.data != nullptr);
  }

 private:
  Problem p_;
  HostArray<double> matrix_, off_diagonal_, tau_;
  MatrixView<double> a_;
};

}  // namespace

WorkspaceBytes host_pipeline_bytes(std::int64_t n, bool vectors) {
  const std::uint64_t matrix = static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(n) * sizeof(double);
  const std::uint64_t vectors_and_blocks = static_cast<std::uint64_t>(n) * (2 + 64) * sizeof(double);
  return {matrix + (vectors ? matrix : 0) + vectors_and_blocks, 0};
}

std::unique_ptr<Pipeline> host_pipeline(const Problem& problem) {
  require_host_memory(host_pipeline_bytes(problem.n, problem.z.data != nullptr).host);
  return std::make_unique<HostPipeline>(problem);
}

}  // namespace eigen_g
