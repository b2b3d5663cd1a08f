// The pipeline on one GPU: every stage in device memory.
#include <algorithm>

#include "hybrid/cuda_check.hpp"
#include "hybrid/device.hpp"
#include "hybrid/memory.hpp"
#include "hybrid/queue.hpp"
#include "solver/back_transform.hpp"
#include "solver/check_input.hpp"
#include "solver/pack.hpp"
#include "solver/pipeline.hpp"
#include "solver/scale.hpp"
#include "solver/tridiagonalize.hpp"

namespace eigen_g {

namespace {

std::int64_t padded_rows(std::int64_t n) {
  constexpr std::int64_t multiple = tridiagonalize_row_multiple;
  return (n + multiple - 1) / multiple * multiple;
}

// Doubles of each part of the workspace: the one place that knows them.
struct Sizes {
  std::int64_t matrix, vectors, values, scratch;

  Sizes(std::int64_t n, bool with_vectors, Pointers pointers, int multiprocessors)
      : matrix(padded_rows(n) * n),
        vectors(with_vectors && pointers == Pointers::host ? n * n : 0),
        values(n),
        scratch(std::max({tridiagonalize_workspace(n, multiprocessors),
                          divide_and_conquer_workspace(n, with_vectors),
                          with_vectors ? back_transform_workspace(n, n) : 0})) {}
  WorkspaceBytes bytes(std::int64_t n) const {
    const auto of = [](std::int64_t count) { return static_cast<std::uint64_t>(count) * sizeof(double); };
    const std::int64_t host = 4 * n;  // the divide and conquer's d, e and tree
    return {of(host), of(matrix + vectors + 3 * values + scratch)};
  }
};

class DevicePipeline final : public Pipeline {
 public:
  DevicePipeline(const Problem& problem, Pointers pointers, CUstream_st* stream)
      : p_(problem),
        on_host_(pointers == Pointers::host),
        queue_(on_host_ ? Queue() : Queue(stream)),
        sizes_(p_.n, p_.z.data != nullptr, pointers, queue_.multiprocessors()) {
    const std::uint64_t needed = bytes().device;
    const Device gpu = gpu_device(current_gpu());
    if (needed > gpu.memory_free)
      throw OutOfMemory(OutOfMemory::Where::device, gpu.name, needed, gpu.memory_free);
    matrix_ = DeviceBuffer<double>(sizes_.matrix);
    vectors_ = DeviceBuffer<double>(sizes_.vectors);
    values_ = DeviceBuffer<double>(sizes_.values);
    off_diagonal_ = DeviceBuffer<double>(sizes_.values);
    tau_ = DeviceBuffer<double>(sizes_.values);
    scratch_ = DeviceBuffer<double>(sizes_.scratch);
    a_ = {matrix_.data(), p_.n, p_.n, padded_rows(p_.n)};
    if (p_.z.data) z_ = on_host_ ? MatrixView<double>{vectors_.data(), p_.n, p_.n, p_.n} : p_.z;
  }

  void load() override {
    MatrixView<const double> source = p_.a;
    if (on_host_) {
      copy_columns(p_.a, a_, cudaMemcpyHostToDevice);
      source = a_;
    }
    pack_lower(queue_, p_.uplo, source, a_);
  }
  double check() override { return check_input(queue_, p_.uplo, a_); }
  void scale(int k) override { eigen_g::scale(queue_, a_, k); }
  void tridiagonalize(const std::function<void(double)>& progress) override {
    eigen_g::tridiagonalize(queue_, a_, values_.data(), off_diagonal_.data(), tau_.data(), scratch_.data(),
                            progress);
  }
  Outcome divide_and_conquer() override {
    return eigen_g::divide_and_conquer(queue_, p_.n, values_.data(), off_diagonal_.data(), z_,
                                       scratch_.data());
  }
  void back_transform() override {
    if (z_.data) eigen_g::back_transform(queue_, a_, tau_.data(), z_, scratch_.data());
  }
  void unscale(int k) override { scale_values(queue_, p_.n, values_.data(), -k); }
  void store() override {
    EIGEN_G_CUDA(cudaMemcpyAsync(p_.w, values_.data(), values_.bytes(), cudaMemcpyDefault, queue_.stream()));
    if (z_.data && on_host_) copy_columns(z_, p_.z, cudaMemcpyDeviceToHost);
  }
  void wait() override { queue_.wait(); }
  WorkspaceBytes bytes() const override { return sizes_.bytes(p_.n); }

 private:
  void copy_columns(MatrixView<const double> from, MatrixView<double> to, cudaMemcpyKind kind) {
    const auto width = [](std::int64_t count) { return sizeof(double) * static_cast<std::size_t>(count); };
    EIGEN_G_CUDA(cudaMemcpy2DAsync(to.data, width(to.lda), from.data, width(from.lda), width(from.rows),
                                   static_cast<std::size_t>(from.cols), kind, queue_.stream()));
  }

  Problem p_;
  bool on_host_;
  Queue queue_;
  Sizes sizes_;
  DeviceBuffer<double> matrix_, vectors_, values_, off_diagonal_, tau_, scratch_;
  MatrixView<double> a_, z_;
};

}  // namespace

WorkspaceBytes device_pipeline_bytes(std::int64_t n, bool vectors, Pointers pointers) {
  return Sizes(n, vectors, pointers, gpu_device(current_gpu()).cores).bytes(n);
}

std::unique_ptr<Pipeline> device_pipeline(const Problem& problem, Pointers pointers, CUstream_st* stream) {
  return std::make_unique<DevicePipeline>(problem, pointers, stream);
}

}  // namespace eigen_g
