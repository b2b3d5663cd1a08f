// Batches on device pointers. The kernels of solver/batched solve the problems for which BatchOnDevice::supports() is true and whose leading dimensions
// have 32 bits. SolveFrame solves the others (batched_in_lanes.hpp).
#include <algorithm>
#include <optional>
#include <vector>

#include "hybrid/instantiate.hpp"
#include "hybrid/transfer/transfer.hpp"
#include "solver/driver/batched_groups.hpp"
#include "solver/driver/batched_in_lanes.hpp"
#include "solver/driver/frame.hpp"

namespace eigen_g {

namespace {

using batched::BatchOnDevice;

// Solves strided batches on device pointers with the kernels for batches. The kernels take leading dimensions of 32 bits. batch_in_lanes() is
// for a batch with a larger leading dimension.
template <class T>
class ByKernels final : public BatchOnGpu<T> {
 public:
  //   plan   the plan of a solve of one problem
  ByKernels(const Plan& plan, std::int64_t most, Resources& resources)
      : plan_(plan),
        most_(most),
        resources_(&resources),
        gpu_(current_gpu()),
        queue_(resources, nullptr),
        kernels_(resources, static_cast<int>(plan.n), most, plan.options.vectors,
                 plan.generalised.has_value()),
        end_(resources.take_event()) {}
  ~ByKernels() override {
    if (queued_) cudaEventSynchronize(end_);
    resources_->give(gpu_, end_);
  }

  WorkspaceBytes workspace() const override { return {0, bytes()}; }
  void set_workspace(const Workspace& given) override {
    if (queued_) EIGEN_G_CUDA(cudaEventSynchronize(end_));
    memory_.set_workspace(given);
  }
  void enqueue(const Batch<T>& batch) override { enqueue(batch, false); }
  BatchFailures solve(const Batch<T>& batch) override {
    if (!serves(batch)) return in_lanes().solve(batch);
    const Failures* const failures_dev = enqueue(batch, true);
    auto* const failures = reinterpret_cast<Failures*>(resources_->pinned(sizeof(Failures) / sizeof(double)));
    EIGEN_G_CUDA(
        cudaMemcpyAsync(failures, failures_dev, sizeof(Failures), cudaMemcpyDeviceToHost, batch.stream));
    EIGEN_G_CUDA(cudaStreamSynchronize(batch.stream));
    if (failures->count == 0) return {};
    return {static_cast<std::int64_t>(failures->count), static_cast<std::int64_t>(failures->first)};
  }

 private:
  struct Failures {  // as Chunk::failures
    unsigned long long count, first;
  };
  std::uint64_t bytes() const { return Arena::alignment + kernels_.workspace_bytes(); }
  bool serves(const Batch<T>& batch) const {
    return std::max({batch.lda, batch.ldb, batch.z ? batch.ldz : 1}) <= largest_short_ld;
  }
  BatchOnGpu<T>& in_lanes() {
    if (!in_lanes_) in_lanes_ = batch_in_lanes<T>(plan_, most_, *resources_);
    return *in_lanes_;
  }
  // Queues the solves. Returns the address of the failures in device memory. The kernels count them if count_failures is true.
  const Failures* enqueue(const Batch<T>& batch, bool count_failures) {
    if (!serves(batch)) {
      in_lanes().solve(batch);
      return nullptr;
    }
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    EIGEN_G_CUDA(cudaStreamIsCapturing(batch.stream, &capture));
    const bool captured = capture != cudaStreamCaptureStatusNone;
    // Solves share the workspace, so each waits for the one before. A captured solve does not, because the event is not part of the graph.
    if (!captured && queued_) EIGEN_G_CUDA(cudaStreamWaitEvent(batch.stream, end_, 0));
    Arena arena = memory_.arena(queue_, bytes());
    auto* const failures = arena.take<Failures>(1);
    batched::Chunk<T> chunk = chunk_of(batch, plan_.n, batch.count);
    chunk.a = {const_cast<T*>(batch.a), batch.strides.a};
    chunk.b = {const_cast<T*>(batch.b), batch.strides.b};
    chunk.ldb.all = static_cast<std::int32_t>(batch.ldb);
    chunk.w = {batch.w, batch.strides.w};
    if (plan_.options.vectors) chunk.z = {batch.z, batch.strides.z};
    chunk.lda.all = static_cast<std::int32_t>(batch.lda);
    chunk.ldz.all = static_cast<std::int32_t>(batch.ldz);
    chunk.status = batch.status;
    try {
      if (count_failures) {
        EIGEN_G_CUDA(cudaMemsetAsync(&failures->count, 0, sizeof failures->count, batch.stream));
        EIGEN_G_CUDA(cudaMemsetAsync(&failures->first, 0xff, sizeof failures->first, batch.stream));
        chunk.failures = &failures->count;
      }
      kernels_.enqueue(chunk, arena.template take<std::byte>(static_cast<std::int64_t>(arena.left())),
                       batch.stream);
      if (!captured) EIGEN_G_CUDA(cudaEventRecord(end_, batch.stream));
    } catch (...) {  // nothing may use the workspace afterwards
      cudaStreamSynchronize(batch.stream);
      throw;
    }
    if (!captured) queued_ = true;
    return failures;
  }

  Plan plan_;
  std::int64_t most_;
  Resources* resources_;
  int gpu_;
  Queue queue_;
  BatchOnDevice<T> kernels_;
  HeldMemory memory_;
  cudaEvent_t end_;  // the end of the last solve, if one was queued
  bool queued_ = false;
  std::unique_ptr<BatchOnGpu<T>> in_lanes_;  // for long leading dimensions
};

// Returns a copy of a host array in the arena's memory. After the call the host array may change.
template <class X>
X* placed(Arena& arena, const Queue& queue, const std::vector<X>& from) {
  X* const to = arena.take<X>(static_cast<std::int64_t>(from.size()));
  copy_values(queue, to, from.data(), static_cast<std::int64_t>(from.size()));
  return to;
}

}  // namespace

template <class T>
std::unique_ptr<BatchOnGpu<T>> batch_on_gpu(std::int64_t n, std::int64_t most, const Options& options,
                                            const Devices& devices, bool generalised, Resources* resources) {
  require_gpu();
  Plan plan{n, options, devices, Pointers::device};
  plan.devices.gpus = 1;
  if (generalised) plan.generalised.emplace();
  if (n > 0 && kernels_solve<T>(n, options.vectors, generalised))
    return std::make_unique<ByKernels<T>>(plan, most, *resources);
  return batch_in_lanes<T>(plan, most, *resources);
}

template <class T>
BatchFailures ragged_on_gpu(const Batch<T>& batch, BatchReport& report) {
  Resources& resources = Resources::of_this_thread();
  const Queue queue(resources, batch.stream);
  const auto count = static_cast<std::size_t>(batch.count);
  const bool vectors = batch.options.vectors;
  std::vector<std::int32_t> orders(count), lda(count), ldb(count), ldz(count), status(count);
  std::vector<std::uintptr_t> a(count), b(count), w(count), z(count);  // addresses
  const std::vector<BatchGroup> groups = groups_of(batch);
  std::vector<std::int64_t> members;
  for (std::size_t k = 0; k < count; ++k) {
    const BatchMatrix<T> x = batch[static_cast<std::int64_t>(k)];
    orders[k] = static_cast<std::int32_t>(x.n);
    lda[k] = static_cast<std::int32_t>(x.lda);
    ldb[k] = static_cast<std::int32_t>(x.ldb);
    ldz[k] = static_cast<std::int32_t>(x.ldz);
    a[k] = reinterpret_cast<std::uintptr_t>(x.a);
    b[k] = reinterpret_cast<std::uintptr_t>(x.b);
    w[k] = reinterpret_cast<std::uintptr_t>(x.w);
    z[k] = reinterpret_cast<std::uintptr_t>(x.z);
  }
  std::vector<BatchOnDevice<T>> kernels;
  std::uint64_t work_bytes = 0;
  for (const BatchGroup& group : groups)
    if (group.by_kernels) {
      members.insert(members.end(), group.members.begin(), group.members.end());
      kernels.emplace_back(resources, static_cast<int>(group.n),
                           static_cast<std::int64_t>(group.members.size()), vectors, batch.generalised);
      work_bytes = std::max(work_bytes, kernels.back().workspace_bytes());
    }
  const auto place_all = [&](Arena& arena, auto&& place) {
    batched::Chunk<T> all;
    all.members = place(arena, members);
    all.orders = place(arena, orders);
    all.lda.each = place(arena, lda);
    all.ldz.each = place(arena, ldz);
    all.a.pointers = reinterpret_cast<T* const*>(place(arena, a));
    if (batch.generalised) {
      all.ldb.each = place(arena, ldb);
      all.b.pointers = reinterpret_cast<T* const*>(place(arena, b));
    }
    all.w.pointers = reinterpret_cast<real_t<T>* const*>(place(arena, w));
    if (vectors) all.z.pointers = reinterpret_cast<T* const*>(place(arena, z));
    all.status = place(arena, status);
    return all;
  };
  const auto only_taken = [](Arena& arena, const auto& from) {
    return arena.take<typename std::decay_t<decltype(from)>::value_type>(
        static_cast<std::int64_t>(from.size()));
  };
  if (!kernels.empty()) {
    const std::uint64_t bytes = work_bytes + bytes_taken([&](Arena& arena) { place_all(arena, only_taken); });
    report.bytes.device = bytes;
    const WorkMemory memory(queue, bytes);
    const WaitAtEnd wait{queue};
    Arena arena(memory.data(), bytes);
    const batched::Chunk<T> all =
        place_all(arena, [&](Arena& of, const auto& from) { return placed(of, queue, from); });
    void* const work = arena.take<std::byte>(static_cast<std::int64_t>(work_bytes));
    std::int64_t first = 0;
    auto kernel = kernels.begin();
    for (const BatchGroup& group : groups) {
      if (!group.by_kernels) continue;
      const auto matrices = static_cast<std::int64_t>(group.members.size());
      batched::Chunk<T> chunk = all;
      const batched::Chunk<T> sizes = chunk_of(batch, group.n, matrices);
      chunk.count = matrices;
      chunk.first = first;
      chunk.n = sizes.n;
      chunk.upper = sizes.upper;
      chunk.from = sizes.from;
      chunk.to = sizes.to;
      (kernel++)->enqueue(chunk, work, batch.stream);
      first += matrices;
    }
    copy_values(queue, status.data(), all.status, batch.count);
    queue.wait();
  }
  report.bytes.device =
      std::max(report.bytes.device, solve_in_lanes(batch, problems_in_lanes(groups), status.data()).device);
  BatchFailures failures;
  for (std::size_t k = 0; k < count; ++k)
    if (status[k] != 0) failures.note(static_cast<std::int64_t>(k));
  if (batch.status) std::copy(status.begin(), status.end(), batch.status);
  return failures;
}

EIGEN_G_INSTANTIATE(all_types, batch_on_gpu, ragged_on_gpu);

}  // namespace eigen_g
