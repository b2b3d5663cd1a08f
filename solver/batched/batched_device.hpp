// Batches of matrices of order up to 512 on a GPU. CUDA builds only.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

#include "hybrid/machine/tuning_file.hpp"
#include "solver/batched/batch.hpp"

struct CUstream_st;

namespace eigen_g {
class Arena;
class Resources;
}  // namespace eigen_g

namespace eigen_g::batched {

inline constexpr int largest_order = 512;
// For generalised problems. A pencil is the pair of matrices A and B of such a problem.
inline constexpr int largest_pencil_order = 128;

// Orders that the kernels are compiled for. A matrix of another order is padded to the next order in the lists. The bits of its results depend
// on the padded order. A thread solves a matrix of ExactOrders. A warp has a matrix of OrdersInWarps in its registers, and a thread block a
// matrix of OrdersInBlocks. A matrix of OrdersInMemory is in device memory.
template <int... N>
struct PaddedOrders {};
using ExactOrders = PaddedOrders<1, 2, 3, 4>;
using OrdersInWarps = PaddedOrders<8, 16, 32>;
using OrdersInBlocks = PaddedOrders<48, 64, 96, 128>;
using OrdersInMemory = PaddedOrders<256, 512>;

template <int... N>
constexpr int next_order(PaddedOrders<N...>, int n) {
  int least = 0;
  for (const int order : {N...})
    if (least < n) least = order;
  return least;
}
constexpr int padded_order(int n) {
  return n <= 4     ? next_order(ExactOrders(), n)
         : n <= 32  ? next_order(OrdersInWarps(), n)
         : n <= 128 ? next_order(OrdersInBlocks(), n)
                    : next_order(OrdersInMemory(), n);
}

// The kernels that find the eigenpairs (run_chunk.cuh). jacobi: Jacobi rotations. rows: QL, with a thread for each row of Z. conquer and
// conquer_on_tensor_cores: divide and conquer in shared memory. in_memory: divide and conquer in device memory (run_in_memory.cuh).
enum class Method { jacobi, rows, conquer, conquer_on_tensor_cores, in_memory };
// Returns the number of leaves of T; 1: T is not divided. For Method::in_memory leaves_in_memory() has the number.
constexpr int leaves_of(Method method) {
  return method == Method::conquer || method == Method::conquer_on_tensor_cores ? 4 : 1;
}
template <class T>
constexpr Method method_of(int n, bool vectors, bool tensor_cores) {
  if (n <= 4) return Method::jacobi;
  if (n <= 32) return Method::rows;
  if (n > 128) return Method::in_memory;
  return tensor_cores && vectors && std::is_same_v<T, double> ? Method::conquer_on_tensor_cores
                                                              : Method::conquer;
}

// Sizes of the chunks of a batch. In this file a lane is a stream with the work arrays of one chunk, not a lane of a warp. The chunks of a batch
// use the lanes in turn. A file can replace the values (hybrid/machine/tuning_file.hpp, section "batched").
struct BatchTuning {
  // A chunk has this number of matrices for each multiprocessor, for orders up to 32, 64, 128, 256 and 512.
  std::int64_t matrices_to_32 = 64, matrices_to_64 = 32, matrices_to_128 = 8, matrices_to_256 = 4,
               matrices_to_512 = 1;
  std::int64_t lanes = 8;  // at most 4 are used for orders above 128
};
const BatchTuning&
batch_tuning();  // the values of this process; throws InvalidArgument for a damaged tuning file
BatchTuning batch_tuning_by(TuningValues values);  // the values above, except the replaced ones

// A plan for batches of up to `most` matrices of order up to n on the current GPU.
template <class T>
class BatchOnDevice {
 public:
  // Takes streams and events from `resources`, which must outlive the object. Allocates no memory of the GPU.
  //   n         1 to largest_order
  //   pencils   true: the problems are generalised, and Chunk::b has the matrices B
  BatchOnDevice(Resources& resources, int n, std::int64_t most, bool vectors, bool pencils = false);
  ~BatchOnDevice();
  BatchOnDevice(BatchOnDevice&&) noexcept;
  BatchOnDevice& operator=(BatchOnDevice&&) noexcept;

  // Returns true if the kernels solve problems of order n on this GPU. Orders above 128 need compute capability 9.0 and standard problems. Each
  // order needs enough shared memory.
  static bool supports(int n, bool vectors, bool pencils = false);

  std::uint64_t workspace_bytes() const;  // device memory of enqueue()
  // Queues the solves of a batch after the work in `stream`. Later work in `stream` starts after the solves. Does not wait, and allocates
  // nothing, so that it can be captured in a CUDA graph.
  //   batch       at most `most` matrices, described as one chunk. enqueue() divides it into smaller chunks
  //   workspace   workspace_bytes() bytes of device memory, 256-byte aligned, in use until the solves are complete
  void enqueue(const Chunk<T>& batch, void* workspace, CUstream_st* stream);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// enqueue_chunk() queues the kernels of one chunk. place_chunk_work() takes the work arrays of a chunk of `count` matrices from the arena.
template <class T>
void enqueue_chunk(CUstream_st* stream, Method method, const Chunk<T>& chunk, const Work<T>& work,
                   bool vectors, int multiprocessors);
template <class T>
Work<T> place_chunk_work(Arena& arena, Method method, int n, bool vectors, std::int64_t count);
template <class T>
std::int64_t shared_bytes(int n, Method method, bool vectors);  // largest need of one kernel of a chunk
// These functions are for a chunk of generalised problems. `pencil` has further work arrays. The further kernels need pencil_shared_bytes(), and the
// kernels of the standard problems shared_bytes().
template <class T>
struct PencilWork;
template <class T>
void enqueue_pencil_chunk(CUstream_st* stream, Method method, const Chunk<T>& chunk, const Work<T>& work,
                          const PencilWork<T>& pencil, int multiprocessors);
template <class T>
int pencil_shared_bytes(int n);

}  // namespace eigen_g::batched
