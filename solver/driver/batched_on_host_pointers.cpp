// Batches on host pointers, solved on a GPU. A group of a batch is copied to the GPU in chunks, and the kernels of solver/batched solve a chunk while
// the next one is copied. Matrices for which there is no kernel are solved in lanes of the GPU (batched_in_lanes.hpp).
#include <algorithm>
#include <optional>
#include <vector>

#include "hybrid/instantiate.hpp"
#include "hybrid/team/loops.hpp"
#include "hybrid/transfer/transfer.hpp"
#include "solver/driver/batched_groups.hpp"
#include "solver/driver/batched_in_lanes.hpp"

namespace eigen_g {

namespace {

using batched::BatchOnDevice;

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

// A chunk of a batch on host pointers: matrices begin ... begin + count - 1 of a group.
//
//   start()    copies A to on_gpu_.a and B to on_gpu_.b, n x n each, and queues the solves. If the batch is ragged or its matrices have gaps between
//              them, they go through packed_ and packed_b_
//   kernels    write Z to on_gpu_.a, the values to on_gpu_.w and the status to on_gpu_.status
//   finish()   copies the results to the caller. Z goes through packed_ if the batch is ragged, if its arrays z have gaps between them, or if fewer
//              than n pairs are selected. The values of a ragged batch go through packed_w_
template <class T>
class HostChunk {
 public:
  HostChunk(Resources& resources, const Batch<T>& batch, const BatchGroup& group, std::int64_t most)
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
  const BatchGroup& group_;
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
void solve_in_chunks(const Batch<T>& batch, const BatchGroup& group, BatchReport& report) {
  const auto count = static_cast<std::int64_t>(group.members.size());
  const std::int64_t most = chunk_matrices<T>(group.n, count);
  std::optional<HostChunk<T>> chunks[2];
  std::uint64_t device = 0, host = 0;
  const auto chunk_of = [&](std::int64_t begin) -> HostChunk<T>& { return *chunks[begin / most % 2]; };
  for (std::int64_t begin = 0; begin < count; begin += most) {
    std::optional<HostChunk<T>>& chunk = chunks[begin / most % 2];
    if (!chunk) {
      chunk.emplace(Resources::of_this_thread(), batch, group, most);
      device += chunk->device_bytes();
      host += chunk->host_bytes(most);
    }
    chunk->start(begin, std::min(most, count - begin));
    if (begin > 0) chunk_of(begin - most).finish();
  }
  chunk_of((count - 1) / most * most).finish();
  report.bytes.device = std::max(report.bytes.device, device);
  report.bytes.host = std::max(report.bytes.host, host);
}

}  // namespace

template <class T>
void host_batch_on_gpu(const Batch<T>& batch, BatchReport& report) {
  const std::vector<BatchGroup> groups = groups_of(batch);
  for (const BatchGroup& group : groups)
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
  const std::int64_t most = chunk_matrices<T>(n, count), chunks = count > most ? 2 : 1;
  const BatchOnDevice<T> kernels(Resources::of_this_thread(), static_cast<int>(n), most, options.vectors,
                                 generalised);
  const auto values = static_cast<std::uint64_t>(most * n);
  return {static_cast<std::uint64_t>(chunks) * values *
              (static_cast<std::uint64_t>(generalised ? 2 * n : n) * sizeof(T) + sizeof(real_t<T>)),
          static_cast<std::uint64_t>(chunks) * chunk_bytes_on_gpu(kernels, n, most, generalised)};
}

EIGEN_G_INSTANTIATE(all_types, host_batch_on_gpu, host_batch_bytes_on_gpu);

}  // namespace eigen_g
