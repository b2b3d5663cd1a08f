// Batches on a GPU. The kernels of solver/batched solve the problems that BatchOnDevice::supports(). batched_in_lanes.hpp has the solver of the others.
#include "solver/batched/batched_device.hpp"

#include <cstring>
#include <map>
#include <numeric>
#include <optional>
#include <vector>

#include "hybrid/instantiate.hpp"
#include "hybrid/team/loops.hpp"
#include "hybrid/transfer/transfer.hpp"
#include "solver/batched/small_on_cpu.hpp"
#include "solver/driver/batched.hpp"
#include "solver/driver/batched_in_lanes.hpp"
#include "solver/driver/device_frame.hpp"
#include "solver/driver/frame.hpp"

namespace eigen_g {

namespace {

using batched::BatchOnDevice;

constexpr std::int64_t largest_short_ld = std::numeric_limits<std::int32_t>::max();

// Returns true if the kernels solve problems of order n. All orders with the same padded order have the same answer.
template <class T>
bool kernels_solve(std::int64_t n, bool vectors, bool generalised) {
  return n <= batched::largest_order &&
         BatchOnDevice<T>::supports(batched::padded_order(static_cast<int>(n)), vectors, generalised);
}

// Returns a chunk with the sizes and options of the batch, for `count` matrices of order up to n. Its arrays are not set.
template <class T>
batched::Chunk<T> chunk_of(const Batch<T>& batch, std::int64_t n, std::int64_t count) {
  batched::Chunk<T> chunk;
  chunk.count = count;
  chunk.n = static_cast<int>(n);
  chunk.upper = batch.upper();
  const Selected pairs = batch.pairs(n);
  chunk.from = static_cast<int>(pairs.first);
  chunk.to = static_cast<int>(pairs.first + pairs.count);
  return chunk;
}

// Solves strided batches on device pointers with the kernels for batches. Their leading dimensions have 32 bits, so a batch with a longer one is
// solved by batch_in_lanes().
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

// Matrices of a batch: matrices of one padded order, which one BatchOnDevice solves, or matrices of one order, which are solved in lanes. The bits of
// a matrix do not depend on the other matrices of its group.
struct Group {
  std::int64_t n = 0;  // the largest order
  bool by_kernels = false;
  std::vector<std::int64_t> members;
};

// Returns the groups of a batch on the current GPU. Matrices of order 0 are in no group.
template <class T>
std::vector<Group> groups_of(const Batch<T>& batch) {
  std::map<std::int64_t, Group> groups;
  const bool vectors = batch.options.vectors;
  for (std::int64_t k = 0; k < batch.count; ++k) {
    const BatchMatrix<T> x = batch[k];
    if (x.n == 0) continue;
    const bool short_ld =
        batch.on_host() || std::max({x.lda, x.b ? x.ldb : 1, vectors ? x.ldz : 1}) <= largest_short_ld;
    const int padded = x.n <= batched::largest_order ? batched::padded_order(static_cast<int>(x.n)) : 0;
    const bool by_kernels = short_ld && padded > 0 &&
                            (groups.count(padded) > 0 || kernels_solve<T>(x.n, vectors, batch.generalised));
    Group& group = groups[by_kernels ? padded : -x.n];
    group.by_kernels = by_kernels;
    group.n = std::max(group.n, x.n);
    group.members.push_back(k);
  }
  std::vector<Group> list;
  list.reserve(groups.size());
  for (auto& [key, group] : groups) list.push_back(std::move(group));
  return list;
}

// Returns the indices of the matrices that the kernels do not solve.
std::vector<std::int64_t> problems_in_lanes(const std::vector<Group>& groups) {
  std::vector<std::int64_t> list;
  for (const Group& group : groups)
    if (!group.by_kernels) list.insert(list.end(), group.members.begin(), group.members.end());
  return list;
}

// Returns a copy of a host array in the arena's memory. After the call the host array may change.
template <class X>
X* placed(Arena& arena, const Queue& queue, const std::vector<X>& from) {
  X* const to = arena.take<X>(static_cast<std::int64_t>(from.size()));
  copy_values(queue, to, from.data(), static_cast<std::int64_t>(from.size()));
  return to;
}

// The destructor waits for all queued work, also after an exception, because the memory that the work uses is freed afterwards.
struct WaitAtEnd {
  const Queue& queue;
  ~WaitAtEnd() { cudaStreamSynchronize(queue.stream()); }
};

}  // namespace

template <class T>
std::unique_ptr<BatchOnGpu<T>> batch_on_gpu(std::int64_t n, std::int64_t most, const Options& options,
                                            const Devices& devices, bool generalised, Resources* resources) {
  require_gpu();
  Plan plan{n, options, devices, Pointers::device};
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
  const std::vector<Group> groups = groups_of(batch);
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
  for (const Group& group : groups)
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
    for (const Group& group : groups) {
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

// ---- Host pointers

namespace {

// Bytes of the matrices of one chunk. While the GPU solves one chunk, the next one is copied.
constexpr std::int64_t chunk_bytes = std::int64_t{64} << 20;

template <class T>
std::int64_t chunk_matrices(std::int64_t n, std::int64_t count) {
  return std::clamp<std::int64_t>(chunk_bytes / (n * n * static_cast<std::int64_t>(sizeof(T))), 1, count);
}

// The arrays on the GPU of a chunk of up to `most` matrices of order up to n.
template <class T>
struct ChunkArrays {
  T *a, *b;
  real_t<T>* w;
  std::int32_t *orders, *status;
  std::byte* work;
  ChunkArrays(Arena& arena, std::int64_t n, std::int64_t most, bool generalised, std::uint64_t work_bytes)
      : a(arena.take<T>(most * n * n)),
        b(generalised ? arena.take<T>(most * n * n) : nullptr),
        w(arena.take<real_t<T>>(most * n)),
        orders(arena.take<std::int32_t>(most)),
        status(arena.take<std::int32_t>(most)),
        work(arena.take<std::byte>(static_cast<std::int64_t>(work_bytes))) {}
};
template <class T>
std::uint64_t chunk_bytes_on_gpu(const BatchOnDevice<T>& kernels, std::int64_t n, std::int64_t most,
                                 bool generalised) {
  return bytes_taken(
      [&](Arena& arena) { ChunkArrays<T>(arena, n, most, generalised, kernels.workspace_bytes()); });
}

// A chunk of a batch on host pointers: matrices begin ... begin + count - 1 of a group. start() copies A to the GPU and queues the solves.
// finish() copies the results to the caller.
//
//   start()    caller's a  ->  packed_, if the matrices have gaps or different orders  ->  on_gpu_.a, n x n each
//   kernels    on_gpu_.a   ->  Z in on_gpu_.a, on_gpu_.w, on_gpu_.status
//   finish()   on_gpu_     ->  packed_, if z has gaps  ->  caller's w, z, status
template <class T>
class HostChunk {
 public:
  HostChunk(Resources& resources, const Batch<T>& batch, const Group& group, std::int64_t most)
      : batch_(batch),
        group_(group),
        n_(group.n),
        pairs_(batch.pairs(group.n)),
        queue_(resources),
        kernels_(resources, static_cast<int>(group.n), most, batch.options.vectors, batch.generalised),
        bytes_(chunk_bytes_on_gpu(kernels_, group.n, most, batch.generalised)),
        memory_(queue_, bytes_),
        arena_(memory_.data(), bytes_),
        on_gpu_(arena_, group.n, most, batch.generalised, kernels_.workspace_bytes()) {
    const bool vectors = batch.options.vectors;
    packs_a_ = batch.ragged || batch.strides.a != batch.lda * n_;
    packs_z_ = vectors && (batch.ragged || pairs_.count != n_ || batch.strides.z != batch.ldz * n_);
    if (packs_a_ || packs_z_) packed_ = host_array<T>(most * n_ * n_);
    if (batch.generalised && (batch.ragged || batch.strides.b != batch.ldb * n_))
      packed_b_ = host_array<T>(most * n_ * n_);
    if (batch.ragged) packed_w_ = host_array<real_t<T>>(most * n_);
    status_.resize(static_cast<std::size_t>(most));
  }
  ~HostChunk() { cudaStreamSynchronize(queue_.stream()); }
  HostChunk(const HostChunk&) = delete;
  HostChunk& operator=(const HostChunk&) = delete;

  std::uint64_t device_bytes() const { return bytes_; }
  std::uint64_t host_bytes(std::int64_t most) const {
    return ((packed_ ? 1 : 0) + (packed_b_ ? 1 : 0)) * sizeof(T) *
               static_cast<std::uint64_t>(most * n_ * n_) +
           (packed_w_ ? sizeof(real_t<T>) * static_cast<std::uint64_t>(most * n_) : 0);
  }

  void start(std::int64_t begin, std::int64_t count) {
    begin_ = begin;
    count_ = count;
    bring(packs_a_ ? packed_.get() : nullptr, batch_.lda, on_gpu_.a,
          [](const BatchMatrix<T>& x) { return std::pair(x.a, x.lda); });
    if (batch_.generalised)
      bring(packed_b_.get(), batch_.ldb, on_gpu_.b,
            [](const BatchMatrix<T>& x) { return std::pair(x.b, x.ldb); });
    batched::Chunk<T> chunk = chunk_of(batch_, n_, count);
    if (batch_.ragged) {
      std::vector<std::int32_t> orders(static_cast<std::size_t>(count));
      for (std::int64_t k = 0; k < count; ++k)
        orders[static_cast<std::size_t>(k)] = static_cast<std::int32_t>(batch_.order(member(k)));
      copy_values(queue_, on_gpu_.orders, orders.data(), count);
      chunk.orders = on_gpu_.orders;
    }
    chunk.a = {on_gpu_.a, n_ * n_};
    chunk.b = {on_gpu_.b, n_ * n_};
    if (batch_.options.vectors) chunk.z = chunk.a;
    chunk.w = {on_gpu_.w, pairs_.count};
    chunk.lda.all = chunk.ldb.all = chunk.ldz.all = static_cast<std::int32_t>(n_);
    chunk.status = on_gpu_.status;
    kernels_.enqueue(chunk, on_gpu_.work, queue_.stream());
  }

  // Waits for the solves of the chunk, and writes the caller's arrays.
  void finish() {
    const MatrixView<const real_t<T>> w_dev{on_gpu_.w, pairs_.count, count_,
                                            std::max<std::int64_t>(1, pairs_.count)};
    if (batch_.ragged)
      download<real_t<T>>(queue_, w_dev,
                          MatrixView<real_t<T>>{packed_w_.get(), pairs_.count, count_, pairs_.count});
    else
      download<real_t<T>>(queue_, w_dev,
                          MatrixView<real_t<T>>{batch_[member(0)].w, pairs_.count, count_, batch_.strides.w});
    if (batch_.options.vectors) {
      const MatrixView<const T> z_dev{on_gpu_.a, n_, n_ * count_, n_};
      if (packs_z_)
        download<T>(queue_, z_dev, MatrixView<T>{packed_.get(), n_, n_ * count_, n_});
      else
        download<T>(queue_, z_dev, MatrixView<T>{batch_[member(0)].z, n_, n_ * count_, batch_.ldz});
    }
    if (packs_z_ || batch_.ragged)
      each([&](const BatchMatrix<T>& x, std::int64_t place) {
        const std::int64_t m = batch_.pairs(x.n).count;
        if (batch_.ragged) std::copy_n(packed_w_.get() + place * pairs_.count, m, x.w);
        for (std::int64_t j = 0; packs_z_ && j < m; ++j)
          std::copy_n(packed_.get() + (place * n_ + j) * n_, x.n, x.z + j * x.ldz);
      });
    copy_values(queue_, status_.data(), on_gpu_.status, count_);
    queue_.wait();
    for (std::int64_t k = 0; k < count_; ++k) batch_.status[member(k)] = status_[static_cast<std::size_t>(k)];
  }

 private:
  // Returns the index in the batch of matrix k of the chunk. A strided batch has one group, with all matrices in order.
  std::int64_t member(std::int64_t k) const {
    return batch_.ragged ? group_.members[static_cast<std::size_t>(begin_ + k)] : begin_ + k;
  }
  // Copies a matrix of each problem x of the chunk to the GPU, through `packed` unless that is null. matrix_of(x) returns the address and the
  // leading dimension of the matrix.
  template <class MatrixOf>
  void bring(T* packed, std::int64_t ld, T* to_dev, const MatrixOf& matrix_of) const {
    if (packed)
      each([&](const BatchMatrix<T>& x, std::int64_t place) {
        const auto [from, ld_of_x] = matrix_of(x);
        for (std::int64_t j = 0; j < x.n; ++j)
          std::copy_n(from + j * ld_of_x, x.n, packed + (place * n_ + j) * n_);
      });
    const T* const from = packed ? packed : matrix_of(batch_[member(0)]).first;
    upload<T>(queue_, Part::all, MatrixView<const T>{from, n_, n_ * count_, packed ? n_ : ld},
              MatrixView<T>{to_dev, n_, n_ * count_, n_});
  }
  // Calls act(problem, index in the chunk) for each problem of the chunk, on several threads.
  template <class Act>
  void each(const Act& act) const {
    for_each(count_, threads_if(count_ * n_ * n_ > 1 << 18),
             [&](std::int64_t k) { act(batch_[member(k)], k); });
  }

  const Batch<T>& batch_;
  const Group& group_;
  std::int64_t n_;
  Selected pairs_;
  Queue queue_;
  BatchOnDevice<T> kernels_;
  std::uint64_t bytes_;
  WorkMemory memory_;
  Arena arena_;
  ChunkArrays<T> on_gpu_;
  bool packs_a_ = false, packs_z_ = false;
  HostArray<T> packed_, packed_b_;
  HostArray<real_t<T>> packed_w_;
  std::vector<std::int32_t> status_;
  std::int64_t begin_ = 0, count_ = 0;
};

// Solves a group on host pointers with the kernels. Two HostChunk take turns.
template <class T>
void solve_in_chunks(const Batch<T>& batch, const Group& group, BatchReport& report) {
  const auto count = static_cast<std::int64_t>(group.members.size());
  const std::int64_t most = chunk_matrices<T>(group.n, count);
  std::optional<HostChunk<T>> lanes[2];
  std::uint64_t device = 0, host = 0;
  const auto lane_of = [&](std::int64_t begin) -> HostChunk<T>& { return *lanes[begin / most % 2]; };
  for (std::int64_t begin = 0; begin < count; begin += most) {
    std::optional<HostChunk<T>>& lane = lanes[begin / most % 2];
    if (!lane) {
      lane.emplace(Resources::of_this_thread(), batch, group, most);
      device += lane->device_bytes();
      host += lane->host_bytes(most);
    }
    lane->start(begin, std::min(most, count - begin));
    if (begin > 0) lane_of(begin - most).finish();
  }
  lane_of((count - 1) / most * most).finish();
  report.bytes.device = std::max(report.bytes.device, device);
  report.bytes.host = std::max(report.bytes.host, host);
}

}  // namespace

template <class T>
void host_batch_on_gpu(const Batch<T>& batch, BatchReport& report) {
  const std::vector<Group> groups = groups_of(batch);
  for (const Group& group : groups)
    if (group.by_kernels) solve_in_chunks(batch, group, report);
  const WorkspaceBytes bytes = solve_in_lanes(batch, problems_in_lanes(groups), batch.status);
  report.bytes = {std::max(report.bytes.host, bytes.host), std::max(report.bytes.device, bytes.device)};
  for (std::int64_t k = 0; k < batch.count; ++k)
    if (batch.order(k) == 0) batch.status[k] = 0;
}

template <class T>
WorkspaceBytes host_batch_bytes_on_gpu(std::int64_t n, std::int64_t count, const Options& options,
                                       bool generalised) {
  if (!kernels_solve<T>(n, options.vectors, generalised))
    return host_bytes_in_lanes<T>(n, count, options, generalised);
  const std::int64_t most = chunk_matrices<T>(n, count), lanes = count > most ? 2 : 1;
  const BatchOnDevice<T> kernels(Resources::of_this_thread(), static_cast<int>(n), most, options.vectors,
                                 generalised);
  const auto values = static_cast<std::uint64_t>(most * n);
  return {static_cast<std::uint64_t>(lanes) * values *
              (static_cast<std::uint64_t>(generalised ? 2 * n : n) * sizeof(T) + sizeof(real_t<T>)),
          static_cast<std::uint64_t>(lanes) * chunk_bytes_on_gpu(kernels, n, most, generalised)};
}

EIGEN_G_INSTANTIATE(all_types, batch_on_gpu, ragged_on_gpu, host_batch_on_gpu, host_batch_bytes_on_gpu);

}  // namespace eigen_g
