#include "solver/batched/batched_device.hpp"

#include <algorithm>
#include <vector>

#include "hybrid/cuda_check.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/memory/arena.hpp"
#include "hybrid/memory/resources.hpp"
#include "solver/batched/pencil_work.hpp"

namespace eigen_g::batched {

namespace {

// A lane (BatchTuning): a stream and an event, from Resources.
class Lane {
 public:
  explicit Lane(Resources& resources)
      : resources_(&resources), gpu_(current_gpu()), event_(resources.take_event()) {
    try {
      stream_ = resources.take_stream();
    } catch (...) {
      resources.give(gpu_, event_);
      throw;
    }
  }
  ~Lane() {
    resources_->give(gpu_, stream_);
    resources_->give(gpu_, event_);
  }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  cudaStream_t stream() const { return stream_; }
  // Work that is queued in `later` from now on starts after the work that is now in `earlier`.
  void order(cudaStream_t earlier, cudaStream_t later) const {
    EIGEN_G_CUDA(cudaEventRecord(event_, earlier));
    EIGEN_G_CUDA(cudaStreamWaitEvent(later, event_, 0));
  }

 private:
  Resources* resources_;
  int gpu_;
  cudaEvent_t event_;
  cudaStream_t stream_ = nullptr;
};

template <class T>
Method method_on_gpu(int n, bool vectors) {
  return method_of<T>(n, vectors, gpu_facts(current_gpu()).compute_major >= 8);
}

}  // namespace

BatchTuning batch_tuning_by(TuningValues values) {
  BatchTuning t;
  values.replace("matrices_to_32", t.matrices_to_32);
  values.replace("matrices_to_64", t.matrices_to_64);
  values.replace("matrices_to_128", t.matrices_to_128);
  values.replace("matrices_to_256", t.matrices_to_256);
  values.replace("matrices_to_512", t.matrices_to_512);
  values.replace("lanes", t.lanes);
  values.finish(std::min({t.matrices_to_32, t.matrices_to_64, t.matrices_to_128, t.matrices_to_256,
                          t.matrices_to_512, t.lanes}) > 0);
  return t;
}

const BatchTuning& batch_tuning() {
  static const BatchTuning tuning = batch_tuning_by(TuningValues::of_environment("batched"));
  return tuning;
}

template <class T>
struct BatchOnDevice<T>::Impl {
  int n = 0, multiprocessors = 0;
  bool vectors = true, pencils = false;
  Method method = Method::rows;
  std::int64_t chunk = 0;                    // matrices of a chunk
  std::vector<std::unique_ptr<Lane>> lanes;  // empty: all work runs in the caller's stream
  std::uint64_t lane_bytes = 0;

  struct LaneWork {
    Work<T> standard;
    PencilWork<T> pencil;
  };
  LaneWork place(Arena& arena) const {
    LaneWork work;
    work.standard = place_chunk_work<T>(arena, method, n, vectors, chunk);
    if (pencils) work.pencil = place_pencil_work<T>(arena, n, vectors, chunk);
    return work;
  }
};

template <class T>
BatchOnDevice<T>::BatchOnDevice(Resources& resources, int n, std::int64_t most, bool vectors, bool pencils)
    : impl_(new Impl) {
  impl_->n = n;
  impl_->multiprocessors = gpu_facts(current_gpu()).multiprocessors;
  impl_->vectors = vectors;
  impl_->pencils = pencils;
  impl_->method = method_on_gpu<T>(n, vectors);
  const BatchTuning& tuning = batch_tuning();
  const std::int64_t matrices = n > 256   ? tuning.matrices_to_512
                                : n > 128 ? tuning.matrices_to_256
                                : n > 64  ? tuning.matrices_to_128
                                : n > 32  ? tuning.matrices_to_64
                                          : tuning.matrices_to_32;
  // Jacobi has no work arrays. Its chunks only keep the number of blocks within CUDA's limit.
  impl_->chunk = impl_->method == Method::jacobi ? std::int64_t{1} << 30 : matrices * impl_->multiprocessors;
  impl_->chunk = std::clamp<std::int64_t>(impl_->chunk, 1, std::max<std::int64_t>(1, most));
  const std::int64_t chunks = (most + impl_->chunk - 1) / impl_->chunk;
  // For orders above 128 the work arrays of a lane have about a gigabyte.
  const std::int64_t max_lanes = n > 128 ? std::min<std::int64_t>(tuning.lanes, 4) : tuning.lanes;
  if (chunks > 1 && impl_->method != Method::jacobi)
    for (std::int64_t lane = 0; lane < std::min(chunks, max_lanes); ++lane)
      impl_->lanes.push_back(std::make_unique<Lane>(resources));
  impl_->lane_bytes = bytes_taken([&](Arena& arena) { impl_->place(arena); });
}

template <class T>
BatchOnDevice<T>::~BatchOnDevice() = default;
template <class T>
BatchOnDevice<T>::BatchOnDevice(BatchOnDevice&&) noexcept = default;
template <class T>
BatchOnDevice<T>& BatchOnDevice<T>::operator=(BatchOnDevice&&) noexcept = default;

template <class T>
bool BatchOnDevice<T>::supports(int n, bool vectors, bool pencils) {
  if (pencils && n > largest_pencil_order) return false;
  if (n > 128 && gpu_facts(current_gpu()).compute_major < 9) return false;  // no clusters of blocks
  int available = 0;
  EIGEN_G_CUDA(cudaDeviceGetAttribute(&available, cudaDevAttrMaxSharedMemoryPerBlockOptin, current_gpu()));
  return n <= largest_order && shared_bytes<T>(n, method_on_gpu<T>(n, vectors), vectors) <= available &&
         !(pencils && pencil_shared_bytes<T>(n) > available);
}

template <class T>
std::uint64_t BatchOnDevice<T>::workspace_bytes() const {
  return impl_->lane_bytes * std::max<std::size_t>(1, impl_->lanes.size());
}

template <class T>
void BatchOnDevice<T>::enqueue(const Chunk<T>& batch, void* workspace, CUstream_st* stream) {
  const std::size_t lanes = impl_->lanes.size();
  try {
    for (const auto& lane : impl_->lanes) lane->order(stream, lane->stream());
    std::size_t turn = 0;
    for (std::int64_t first = 0; first < batch.count; first += impl_->chunk, ++turn) {
      const std::size_t lane = lanes > 0 ? turn % lanes : 0;
      Arena arena(static_cast<std::byte*>(workspace) + lane * impl_->lane_bytes, impl_->lane_bytes);
      Chunk<T> chunk = batch;
      chunk.first = batch.first + first;
      chunk.count = std::min(impl_->chunk, batch.count - first);
      const typename Impl::LaneWork work = impl_->place(arena);
      const cudaStream_t of_lane = lanes > 0 ? impl_->lanes[lane]->stream() : stream;
      if (impl_->pencils)
        enqueue_pencil_chunk(of_lane, impl_->method, chunk, work.standard, work.pencil,
                             impl_->multiprocessors);
      else
        enqueue_chunk(of_lane, impl_->method, chunk, work.standard, impl_->vectors, impl_->multiprocessors);
    }
    for (const auto& lane : impl_->lanes) lane->order(lane->stream(), stream);
  } catch (...) {  // the owner of the workspace may free it now
    for (const auto& lane : impl_->lanes) cudaStreamSynchronize(lane->stream());
    throw;
  }
}

EIGEN_G_INSTANTIATE_CLASS(all_types, BatchOnDevice);

}  // namespace eigen_g::batched
