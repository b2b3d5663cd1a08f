#include "blas2/spmv/row_partition.hpp"

#include <algorithm>

#include "blas2/spmv/block_rows.cuh"
#include "blas2/spmv/crs_device.hpp"
#include "blas2/spmv/spmv.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/transfer/peer.hpp"

namespace eigen_g::blas2 {

namespace {

constexpr int threads = 256, width = 4;

unsigned blocks_for(std::int64_t count) {
  return static_cast<unsigned>((count + threads - 1) / threads);
}

template <class T>
__global__ void pack_kernel(std::int64_t values, const std::int32_t* row, const T* __restrict__ x, T* to) {
  const std::int64_t e = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (e < values) to[e] = x[std::int64_t{row[e / width]} * width + e % width];
}

// y(row[i], :) += alpha a(i, :) h. One thread computes a row.
template <class T>
__global__ void far_kernel(CrsView<T> a, const std::int32_t* row, T alpha, const T* __restrict__ h, T* y) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= a.rows) return;
  T sum[width] = {};
  for (std::int64_t p = a.row_offsets[i]; p < a.row_offsets[i + 1]; ++p)
    add_product<width>(sum, a.value[p], h, a.col[p]);
  store_row<width>(y, std::int64_t{row[i]}, sum, alpha, T(1), T(0), h);
}

DeviceBuffer<std::int32_t> on_device(const Queue& queue, const std::vector<std::int32_t>& host) {
  DeviceBuffer<std::int32_t> buffer(queue, std::max<std::int64_t>(1, static_cast<std::int64_t>(host.size())));
  EIGEN_G_CUDA(cudaMemcpyAsync(buffer.data(), host.data(), host.size() * sizeof(std::int32_t),
                               cudaMemcpyHostToDevice, queue.stream()));
  queue.wait();
  return buffer;
}

}  // namespace

template <class T>
struct RowPartition<T>::Member {
  int gpu;
  std::int64_t first, rows;
  Queue queue;
  Event sent;  // the member's messages have arrived
  CrsOnDevice<T> own_rows, far;
  DeviceBuffer<std::int32_t> far_rows;
  // The halo H, for even and for odd products. Product t + 1 overwrites the halo of product t - 1. Before a member sends for product
  // t + 1, it has waited for the messages of all others for product t. Each of them sent these messages after its product t - 1.
  DeviceBuffer<T> halo[2];
  SpmvOperator<T> own = {};
};

template <class T>
struct RowPartition<T>::Message {
  Member *from, *to;
  std::int64_t count, at;
  DeviceBuffer<std::int32_t> rows;
  DeviceBuffer<T> packed;  // staging without peer access from sender to receiver
};

template <class T>
RowPartition<T>::RowPartition(const CrsView<T>& a, const std::vector<int>& gpus) {
  const int count = static_cast<int>(gpus.size());
  const std::vector<std::int64_t> cuts = row_cuts(a, count);
  std::vector<RowPart<T>> parts;
  for (int m = 0; m < count; ++m) {
    const auto at = static_cast<std::size_t>(m);
    parts.push_back(row_part(a, cuts[at], cuts[at + 1] - cuts[at]));
    const RowPart<T>& part = parts.back();
    const CurrentGpu here(gpus[at]);
    members_.push_back(std::make_unique<Member>());
    Member& own = *members_.back();
    own.gpu = gpus[at];
    own.first = part.first;
    own.rows = part.rows;
    own.own_rows = {own.queue, part.own.view()};
    own.far = {own.queue, part.far.view()};
    own.far_rows = on_device(own.queue, part.far_rows);
    // By cudaMalloc: other GPUs cannot access the memory of a stream's pool.
    for (DeviceBuffer<T>& halo : own.halo)
      halo = DeviceBuffer<T>(std::max<std::int64_t>(1, part.far.cols * width));
    own.own = {own.queue, own.own_rows.view(), SpmvFormat::automatic, SpmvChoice::model, width};
  }
  for (const HaloMessage& m : halo_messages(parts)) {
    Member* const from = members_[static_cast<std::size_t>(m.from)].get();
    Member* const to = members_[static_cast<std::size_t>(m.to)].get();
    const bool reached = from->gpu == to->gpu || reach_peer(from->gpu, to->gpu);
    const CurrentGpu here(from->gpu);
    const auto rows = static_cast<std::int64_t>(m.rows.size());
    messages_.push_back(std::make_unique<Message>(
        Message{from, to, rows, m.at, on_device(from->queue, m.rows),
                DeviceBuffer<T>(from->queue, reached ? std::int64_t{0} : rows * width)}));
  }
}

template <class T>
RowPartition<T>::~RowPartition() = default;

template <class T>
int RowPartition<T>::members() const {
  return static_cast<int>(members_.size());
}
template <class T>
int RowPartition<T>::gpu(int member) const {
  return members_[static_cast<std::size_t>(member)]->gpu;
}
template <class T>
std::int64_t RowPartition<T>::first_row(int member) const {
  if (member == members()) return members_.back()->first + members_.back()->rows;
  return members_[static_cast<std::size_t>(member)]->first;
}
template <class T>
const Queue& RowPartition<T>::queue(int member) const {
  return members_[static_cast<std::size_t>(member)]->queue;
}
template <class T>
std::uint64_t RowPartition<T>::bytes(int member) const {
  const Member& m = *members_[static_cast<std::size_t>(member)];
  std::uint64_t bytes = m.own.bytes() + 2 * m.halo[0].bytes() + m.far_rows.bytes();
  for (const auto& message : messages_)
    if (message->from == &m) bytes += message->rows.bytes() + message->packed.bytes();
  return bytes;
}

template <class T>
void RowPartition<T>::multiply(T alpha, const std::vector<const T*>& x_dev, T gamma, T beta,
                               const std::vector<T*>& y_dev) {
  turn_ = 1 - turn_;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    Member& m = *members_[i];
    const CurrentGpu here(m.gpu);
    for (const auto& message : messages_) {
      if (message->from != &m) continue;
      const std::int64_t values = message->count * width;
      T* const there = message->to->halo[turn_].data() + message->at * width;
      T* const packed = message->packed.size() > 0 ? message->packed.data() : there;
      pack_kernel<<<blocks_for(values), threads, 0, m.queue.stream()>>>(values, message->rows.data(),
                                                                        x_dev[i], packed);
      EIGEN_G_LAUNCHED();
      if (packed != there)
        EIGEN_G_CUDA(cudaMemcpyPeerAsync(there, message->to->gpu, packed, m.gpu,
                                         static_cast<std::size_t>(values) * sizeof(T), m.queue.stream()));
    }
    m.sent.record(m.queue);
    m.own.multiply(m.queue, width, alpha, x_dev[i], beta, y_dev[i], gamma);
  }
  for (std::size_t i = 0; i < members_.size(); ++i) {
    Member& m = *members_[i];
    const CurrentGpu here(m.gpu);
    for (const auto& other : members_)
      if (other.get() != &m) other->sent.hold(m.queue);
    const CrsView<T> far = m.far.view();
    if (far.rows == 0) continue;
    far_kernel<<<blocks_for(far.rows), threads, 0, m.queue.stream()>>>(far, m.far_rows.data(), alpha,
                                                                       m.halo[turn_].data(), y_dev[i]);
    EIGEN_G_LAUNCHED();
  }
}

EIGEN_G_INSTANTIATE_CLASS(double_type, RowPartition);

}  // namespace eigen_g::blas2
