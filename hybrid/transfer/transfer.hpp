// Matrices between host and device memory at the rate of the link.
//
//   pageable host memory  ->  pinned slot  ->  link  ->  device memory         (and the other way round)
//
// The copy engine reads and writes only pinned memory at full rate. So a matrix is cut into chunks of columns; while
// the engine moves one chunk, a team of up to 8 threads, fewer where OpenMP may use fewer, copies the next between the
// caller's memory and another slot. Memory that is pinned already is not copied twice. What arrives does not depend on
// timing. T is float or double. CUDA builds only.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"
#include "hybrid/transfer/copy_team.hpp"

namespace eigen_g {

class Queue;

// What of a square matrix is wanted. A triangle travels without most of the other one.
enum class Part { all, lower, upper };

// to_dev(i, j) := from(i, j) in `part`; elsewhere to_dev may be overwritten with anything.
//   from    rows x cols, lda, host memory of any kind, in; only `part` is read
//   to_dev  the same shape, lda, device, out
// Ordered on `queue`. Pageable memory may be changed when the call returns, pinned memory when the queue has got there.
// Throws OutOfMemory, DeviceError. Cost: on PCIe 5 with 8 threads bytes of `part` / 49 GB/s, down / 54 GB/s (n = 10000);
// 32 MiB of pinned memory, 64 MiB down, which the queue's resources keep.
template <class T>
void upload(const Queue& queue, Part part, MatrixView<const same_t<T>> from, MatrixView<T> to_dev);

// to := from_dev, all of it. Blocks until done.
template <class T>
void download(const Queue& queue, MatrixView<const same_t<T>> from_dev, MatrixView<T> to);

// Columns first ... first + cols - 1 and rows first_row ... first_row + rows - 1 of a matrix, which hold `part` of these
// columns.
struct Chunk {
  std::int64_t first, cols, first_row, rows;
};
// Cuts a matrix into chunks of at most `elements` elements, but at least a column. Pure.
std::vector<Chunk> cut_into_chunks(Part part, std::int64_t rows, std::int64_t cols, std::int64_t elements);

// Brings in the pages of host memory that will be written, on threads of the team, while the caller does other work: a
// page that was never touched costs its writer more time than the link needs to fill it. Contents stay as they are.
// Where the system cannot do that, or the memory is small or pinned, nothing happens.
class PageFetch {
 public:
  template <class T>
  PageFetch(const Queue& queue, MatrixView<T> host);  // its end stops what is not done yet

 private:
  std::unique_ptr<CopyTeam::Job> job_;
};

}  // namespace eigen_g
