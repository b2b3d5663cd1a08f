#include "hybrid/team/column_team.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <type_traits>

#include "hybrid/cuda_check.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/scalar.hpp"
#include "hybrid/team/worker.hpp"
#include "hybrid/transfer/copy_2d.hpp"
#include "hybrid/transfer/peer.hpp"

namespace eigen_g {

namespace {

using Clock = std::chrono::steady_clock;

// Elements in a cache line of 64 bytes. The columns of a copy start on cache lines.
template <class T>
constexpr std::int64_t line = 64 / sizeof(T);

// Leading dimension of a copy: rows rounded up to an odd number of cache lines, so that neighbouring columns begin in different
// cache sets.
template <class T>
std::int64_t padded(std::int64_t rows) {
  return rows == 0 ? 0 : ((rows + line<T> - 1) / line<T> | 1) * line<T>;
}

template <class T>
MatrixView<T> matrix_at(T* memory, std::int64_t rows, std::int64_t cols) {
  return {memory, rows, cols, std::max<std::int64_t>(1, padded<T>(rows))};
}

template <class T>
std::int64_t elements_of(const Blocks<T>& blocks) {
  std::int64_t count = 0;
  for (const auto& block : blocks) count += padded<T>(block.rows) * block.cols;
  return count;
}

// Copies of these blocks, one after another in memory.
template <class T>
std::vector<MatrixView<T>> places_at(T* memory, const Blocks<T>& blocks) {
  std::vector<MatrixView<T>> places;
  for (const auto& block : blocks) {
    places.push_back(matrix_at(memory, block.rows, block.cols));
    memory += padded<T>(block.rows) * block.cols;
  }
  return places;
}

// Step s uses one slot for its blocks while the blocks of step s + 1 arrive in the other.
constexpr std::size_t slots = 2;

// Layout of a device's staging memory: its columns, its scratch memory, the slots.
template <class T>
class Layout {
 public:
  Layout(const ColumnWork<T>& work, ColumnRange range)
      : rows_(work.columns_dev.rows), scratch_rows_(work.scratch_rows), cols_(range.count) {
    for (std::int64_t s = 0; s < work.steps; ++s)
      step_ = std::max(step_, elements_of<T>(work.blocks(s, range)));
  }
  std::int64_t elements() const { return slot(slots); }
  MatrixView<T> columns(T* memory) const { return matrix_at(memory, rows_, cols_); }
  MatrixView<T> scratch(T* memory) const {
    return matrix_at(memory + padded<T>(rows_) * cols_, scratch_rows_, cols_);
  }
  T* slot(T* memory, std::size_t s) const { return memory + slot(s); }

 private:
  std::int64_t slot(std::size_t s) const {
    return (padded<T>(rows_) + padded<T>(scratch_rows_)) * cols_ + static_cast<std::int64_t>(s) * step_;
  }
  std::int64_t rows_, scratch_rows_, cols_, step_ = 0;
};

// Memory that a device keeps and that can grow. To grow, reserve() first calls idle(), which waits for all work that may use
// the memory, then frees it, then allocates more.
template <class T, template <class> class Buffer>
class Kept {
  using Memory = Buffer<T>;

 public:
  Kept() = default;
  explicit Kept(const Queue* queue) : queue_(queue) {}  // device memory comes from this queue
  template <class Idle>
  T* reserve(std::int64_t count, Idle&& idle) {
    if (count > memory_.size()) {
      idle();
      memory_ = Memory();
      if constexpr (std::is_constructible_v<Memory, const Queue&, std::int64_t>)
        memory_ = Memory(*queue_, count);
      else
        memory_ = Memory(count);
    }
    return memory_.data();
  }
  T* data() const { return memory_.data(); }
  std::uint64_t bytes() const { return memory_.bytes(); }

 private:
  const Queue* queue_ = nullptr;
  Memory memory_;
};

template <class T>
void copy_between(MatrixView<const same_t<T>> from, int from_gpu, MatrixView<T> to, int to_gpu,
                  cudaStream_t stream) {
  if (from.rows == 0 || from.cols == 0) return;
  cudaMemcpy3DPeerParms copy{};
  copy.srcDevice = from_gpu;
  copy.srcPtr = make_cudaPitchedPtr(const_cast<T*>(from.data), bytes_of<T>(from.lda), bytes_of<T>(from.rows),
                                    static_cast<std::size_t>(from.cols));
  copy.dstDevice = to_gpu;
  copy.dstPtr = make_cudaPitchedPtr(to.data, bytes_of<T>(to.lda), bytes_of<T>(to.rows),
                                    static_cast<std::size_t>(to.cols));
  copy.extent = make_cudaExtent(bytes_of<T>(from.rows), static_cast<std::size_t>(from.cols), 1);
  EIGEN_G_CUDA(cudaMemcpy3DPeerAsync(&copy, stream));
}

template <class T>
Blocks<T> read_only(const std::vector<MatrixView<T>>& views) {
  return {views.begin(), views.end()};
}

template <class T>
MatrixView<T> columns_of(const ColumnWork<T>& work, ColumnRange range) {
  return work.columns_dev.block(0, range.first, work.columns_dev.rows, range.count);
}

struct Span {
  explicit Span(Resources& resources) : begin(resources), end(resources) {}
  Event begin, end;
};
using Events = std::array<Event, slots>;
Events events(Resources& resources) {
  return {Event(resources), Event(resources)};
}

// A helper GPU. The caller's thread queues all of its work.
template <class T>
struct PeerGpu {
  PeerGpu(Resources& resources, int gpu)
      : index(gpu),
        compute(resources),
        copies(resources),
        arrived(events(resources)),
        free(events(resources)),
        memory(&compute) {}
  int index;
  Queue compute, copies;  // streams of this GPU
  Events arrived, free;
  Kept<T, DeviceBuffer> memory;
  std::vector<Span> spans;

  void reserve(const Layout<T>& layout) {
    const CurrentGpu current(index);
    memory.reserve(layout.elements(), [this] {
      copies.wait();
      compute.wait();
    });
  }
  // Runs up to three steps on arbitrary data, which loads the kernels.
  void rehearse(const ColumnWork<T>& work, ColumnRange range) {
    const Layout<T> layout(work, range);
    reserve(layout);
    const CurrentGpu current(index);
    T* const at = memory.data();
    const OwnColumns<T> own{range, layout.columns(at), layout.scratch(at)};
    for (const std::int64_t s : {std::int64_t{0}, work.steps / 2, work.steps - 1})
      if (s >= 0 && s < work.steps)
        work.on_gpu(compute, s, read_only(places_at<T>(layout.slot(at, 0), work.blocks(s, range))), own);
    compute.wait();
  }
  // Queues the work. reserve() must have been called, and `begin` must have been recorded on the first GPU's queue.
  void enqueue(const ColumnWork<T>& work, ColumnRange range, int first_gpu, const Event& begin) {
    const CurrentGpu current(index);
    const Layout<T> layout(work, range);
    T* const at = memory.data();
    Span& span = spans.emplace_back(compute.resources());
    const MatrixView<T> part = columns_of(work, range);
    const OwnColumns<T> own{range, layout.columns(at), layout.scratch(at)};
    begin.hold(copies);
    span.begin.record(copies);
    if (work.reads_columns) copy_between(part, first_gpu, own.columns, index, copies.stream());
    for (std::int64_t s = 0; s < work.steps; ++s) {
      const auto slot = static_cast<std::size_t>(s) % slots;
      const Blocks<T> sources = work.blocks(s, range);
      const auto places = places_at<T>(layout.slot(at, slot), sources);
      if (s >= static_cast<std::int64_t>(slots)) free[slot].hold(copies);
      for (std::size_t i = 0; i < sources.size(); ++i)
        copy_between(sources[i], first_gpu, places[i], index, copies.stream());
      arrived[slot].record(copies);
      arrived[slot].hold(compute);
      work.on_gpu(compute, s, read_only(places), own);
      free[slot].record(compute);
    }
    if (work.steps == 0) {  // no step has waited for the columns
      arrived[0].record(copies);
      arrived[0].hold(compute);
    }
    copy_between(own.columns, index, part, first_gpu, compute.stream());
    span.end.record(compute);
  }
};

// The CPU of a team: a thread that waits for copies, works, and sends the result back.
template <class T>
struct Cpu {
  Cpu(Resources& resources, int of_threads)
      : threads(of_threads), copies(resources), arrived(events(resources)), returned(resources) {}
  int threads;
  Queue copies;  // a stream of the first GPU
  Events arrived;
  Kept<T, PinnedBuffer> memory;
  Event returned;
  double seconds = 0;
  bool preparing = false;
  Worker worker;

  void reserve(const Layout<T>& layout) {
    memory.reserve(layout.elements(), [this] { copies.wait(); });
  }

  void prepare(std::int64_t elements, int first_gpu) {
    finish_preparing();
    preparing = true;
    worker.start([this, elements, first_gpu] {
      const CurrentGpu current(first_gpu);
      memory.reserve(elements, [this] { copies.wait(); });
    });
  }
  void finish_preparing() {
    if (std::exchange(preparing, false)) worker.wait();
  }

  void do_share(const ColumnWork<T>& work, ColumnRange range, const Layout<T>& layout, int first_gpu) {
    const auto start = Clock::now();
    const CurrentGpu current(first_gpu);
    const ThreadLimit limit(threads);
    T* const at = memory.data();
    const MatrixView<T> part = columns_of(work, range);
    const OwnColumns<T> own{range, layout.columns(at), layout.scratch(at)};
    std::array<std::vector<MatrixView<T>>, slots> places;
    const auto send = [&](std::int64_t s) {
      const auto slot = static_cast<std::size_t>(s) % slots;
      const Blocks<T> sources = work.blocks(s, range);
      places[slot] = places_at<T>(layout.slot(at, slot), sources);
      for (std::size_t i = 0; i < sources.size(); ++i)
        copy_2d(sources[i], places[slot][i], cudaMemcpyDeviceToHost, copies.stream());
      arrived[slot].record(copies);
    };
    if (work.reads_columns) copy_2d(part, own.columns, cudaMemcpyDeviceToHost, copies.stream());
    if (work.steps > 0) send(0);
    for (std::int64_t s = 0; s < work.steps; ++s) {
      const auto slot = static_cast<std::size_t>(s) % slots;
      if (s + 1 < work.steps) send(s + 1);  // the slot is free: step s - 1, which used it, has ended
      arrived[slot].wait();
      work.on_cpu(s, read_only(places[slot]), own);
    }
    copy_2d(own.columns, part, cudaMemcpyHostToDevice, copies.stream());
    returned.record(copies);
    returned.wait();
    seconds += std::chrono::duration<double>(Clock::now() - start).count();
  }
};

}  // namespace

template <class T>
struct ColumnTeam<T>::Impl {
  const Queue* first;
  int first_gpu;
  std::deque<PeerGpu<T>> peers;
  std::unique_ptr<Cpu<T>> cpu;
  std::vector<Span> spans;  // on the first GPU
  Kept<T, DeviceBuffer> scratch;

  explicit Impl(const Queue& queue) : first(&queue), first_gpu(current_gpu()), scratch(&queue) {}

  ~Impl() {  // waits for all work that may use the staging memory
    cudaStreamSynchronize(first->stream());
    for (PeerGpu<T>& peer : peers) {
      cudaStreamSynchronize(peer.copies.stream());
      cudaStreamSynchronize(peer.compute.stream());
    }
    if (cpu) cudaStreamSynchronize(cpu->copies.stream());
  }
};

template <class T>
ColumnTeam<T>::ColumnTeam(const Queue& first, const Helpers& members) : impl_(std::make_unique<Impl>(first)) {
  std::set<int> taken{impl_->first_gpu};
  const int count = gpu_count();
  for (const int gpu : members.gpus) {
    if (gpu < 0 || gpu >= count)
      throw InvalidArgument("members",
                            "names GPU " + std::to_string(gpu) + ", must be below " + std::to_string(count));
    if (!taken.insert(gpu).second)
      throw InvalidArgument("members", "names GPU " + std::to_string(gpu) + " twice");
    reach_peer(impl_->first_gpu, gpu);
    reach_peer(gpu, impl_->first_gpu);
    const CurrentGpu current(gpu);
    impl_->peers.emplace_back(first.resources(), gpu);
  }
  if (members.cpu) impl_->cpu = std::make_unique<Cpu<T>>(first.resources(), members.cpu_threads);
}

template <class T>
ColumnTeam<T>::~ColumnTeam() = default;
template <class T>
ColumnTeam<T>::ColumnTeam(ColumnTeam&&) noexcept = default;
template <class T>
ColumnTeam<T>& ColumnTeam<T>::operator=(ColumnTeam&&) noexcept = default;

template <class T>
std::size_t ColumnTeam<T>::size() const {
  return 1 + impl_->peers.size() + (impl_->cpu ? 1 : 0);
}

template <class T>
void ColumnTeam<T>::prepare(const std::vector<ExpectedWork<T>>& expected, std::int64_t granularity) {
  std::int64_t of_cpu = 0;
  const auto ranges_of = [&](const ExpectedWork<T>& e) {
    return split_columns(e.work.columns_dev.cols, e.shares, granularity);
  };
  if (impl_->cpu)
    for (const ExpectedWork<T>& e : expected)
      if (const ColumnRange range = ranges_of(e).back(); range.count > 0)
        of_cpu = std::max(of_cpu, Layout<T>(e.work, range).elements());
  if (of_cpu > 0) impl_->cpu->prepare(of_cpu, impl_->first_gpu);
  for (const ExpectedWork<T>& e : expected) {
    const auto ranges = ranges_of(e);
    for (std::size_t i = 0; i < impl_->peers.size(); ++i)
      if (ranges.at(i + 1).count > 0) impl_->peers[i].rehearse(e.work, ranges[i + 1]);
  }
}

template <class T>
void ColumnTeam<T>::run(const ColumnWork<T>& work, const std::vector<double>& shares,
                        std::int64_t granularity) {
  if (shares.size() != size())
    throw InvalidArgument("shares", "has " + std::to_string(shares.size()) +
                                        " shares, must have one for each of " + std::to_string(size()) +
                                        " devices");
  const auto ranges = split_columns(work.columns_dev.cols, shares, granularity);
  if (work.columns_dev.rows == 0 || work.columns_dev.cols == 0) return;
  Impl& t = *impl_;
  Span& span = t.spans.emplace_back(t.first->resources());
  span.begin.record(*t.first);

  const ColumnRange cpu_range = t.cpu ? ranges.back() : ColumnRange{};
  std::optional<Layout<T>> cpu_layout;
  if (cpu_range.count > 0) {
    t.cpu->finish_preparing();
    cpu_layout.emplace(work, cpu_range);
    t.cpu->reserve(*cpu_layout);
    span.begin.hold(t.cpu->copies);
    t.cpu->worker.start([&] { t.cpu->do_share(work, cpu_range, *cpu_layout, t.first_gpu); });
  }
  std::exception_ptr thrown;
  try {
    for (std::size_t i = 0; i < t.peers.size(); ++i)
      if (ranges[i + 1].count > 0) t.peers[i].reserve(Layout<T>(work, ranges[i + 1]));
    if (ranges[0].count > 0) {
      T* const scratch =
          t.scratch.reserve(padded<T>(work.scratch_rows) * ranges[0].count, [&] { t.first->wait(); });
      work.on_first(*t.first, {ranges[0], columns_of(work, ranges[0]),
                               matrix_at(scratch, work.scratch_rows, ranges[0].count)});
    }
    span.end.record(*t.first);
    // After on_first(): the first GPU then need not wait until the helpers' work is queued.
    for (std::size_t i = 0; i < t.peers.size(); ++i)
      if (ranges[i + 1].count > 0) t.peers[i].enqueue(work, ranges[i + 1], t.first_gpu, span.begin);
  } catch (...) {
    thrown = std::current_exception();  // rethrown below, because the CPU's thread still uses `work`
  }
  if (cpu_range.count > 0) t.cpu->worker.wait();
  if (thrown) std::rethrow_exception(thrown);
  for (std::size_t i = 0; i < t.peers.size(); ++i)
    if (ranges[i + 1].count > 0) t.peers[i].spans.back().end.hold(*t.first);
}

template <class T>
std::vector<double> ColumnTeam<T>::take_seconds() {
  std::vector<double> seconds;
  const auto take = [&](std::vector<Span>& spans) {
    double sum = 0;
    for (const Span& span : spans) {
      span.end.wait();
      sum += span.end.seconds_since(span.begin);
    }
    spans.clear();
    seconds.push_back(sum);
  };
  take(impl_->spans);
  for (PeerGpu<T>& peer : impl_->peers) take(peer.spans);
  if (impl_->cpu) seconds.push_back(std::exchange(impl_->cpu->seconds, 0));
  return seconds;
}

template <class T>
std::uint64_t ColumnTeam<T>::device_bytes() const {
  std::uint64_t bytes = impl_->scratch.bytes();
  for (const PeerGpu<T>& peer : impl_->peers) bytes += peer.memory.bytes();
  return bytes;
}

template <class T>
std::uint64_t ColumnTeam<T>::pinned_bytes() const {
  if (!impl_->cpu) return 0;
  impl_->cpu->finish_preparing();
  return impl_->cpu->memory.bytes();
}

EIGEN_G_INSTANTIATE_CLASS(real_types, ColumnTeam);

}  // namespace eigen_g
