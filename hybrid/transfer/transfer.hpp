// Copies of matrices between host and device memory at the full rate of the link.
//
//   pageable host memory  ->  pinned slot  ->  link  ->  device memory         (and the other way round)
//
// The copy engine reaches the full rate only for pinned memory. So a matrix is cut into chunks of columns. While the engine
// moves one chunk, threads copy the next one between the caller's memory and another pinned slot. There are up to 8 threads, in upload_several()
// up to 12. There are fewer if loop_threads() is lower. Memory that is pinned already is copied directly. The result does not depend on timing.
// T: float, double or complex. CUDA builds only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "hybrid/matrix_view.hpp"
#include "hybrid/scalar.hpp"
#include "hybrid/transfer/copy_threads.hpp"
#include "hybrid/uplo.hpp"

namespace eigen_g {

class Queue;

// The part of a square matrix that is needed. With a triangle, most of the other triangle is not copied.
enum class Part { all, lower, upper };
constexpr Part part_of(Uplo uplo) {
  return uplo == Uplo::lower ? Part::lower : Part::upper;
}

// to_dev(i, j) := from(i, j) in `part`; the other entries of to_dev may be overwritten with anything.
//   from    rows x cols, lda, host memory of any kind, in; only `part` is read
//   to_dev  the same shape, lda, device, out
// Ordered on `queue`. If `from` is pageable, it may be changed after the call returns; if it is pinned, after the queue has
// reached the end of the copy.
// Throws OutOfMemory, DeviceError.
// Cost: bytes of `part` over the rate of the link, and 4 pinned slots of up to 2^20 elements, which the queue's resources keep.
// Rates: data/perf/DECISIONS.md, "Transfers".
template <class T>
void upload(const Queue& queue, Part part, MatrixView<const same_t<T>> from, MatrixView<T> to_dev);
// A matrix of upload_several().
//   from    rows x cols, lda, host memory of any kind, in; at least one entry
//   to_dev  the same shape, lda, device, out
//   then    is called in the calling thread when the copy of this matrix is queued, before the copy of the next matrix is queued. then() may queue
//           work. then() must not start a transfer of this file with the same resources
template <class T>
struct Upload {
  MatrixView<const T> from;
  MatrixView<T> to_dev;
  std::function<void()> then = {};
};
// Copies each matrix to its to_dev, in order. The threads do not wait between two matrices. Order, lifetime of `from` and exceptions are as for
// upload(). An exception of then() passes through.
//   matrices  either all matrices are in pageable memory, or none is. Several matrices may have the same to_dev
//   threads   largest number of threads that copy, with the calling thread; more than 12 count as 12
// Cost: all bytes over the rate of the link, and 8 pinned slots of up to 2^19 elements, which the queue's resources keep.
template <class T>
void upload_several(const Queue& queue, std::span<const Upload<T>> matrices, int threads);

// to := from_dev, the whole matrix. Blocks until done. Cost as above, with 8 slots.
template <class T>
void download(const Queue& queue, MatrixView<const same_t<T>> from_dev, MatrixView<T> to);
// to(i, j) := from_dev(i, j) in the triangle `uplo` of an n x n matrix. The other triangle of `to` is not written. Blocks until done.
// Allocates host memory for 512 columns.
template <class T>
void download_triangle(const Queue& queue, Uplo uplo, MatrixView<const same_t<T>> from_dev, MatrixView<T> to);

// Columns first ... first + cols - 1 and rows first_row ... first_row + rows - 1 of a matrix. They hold all of `part` in
// these columns.
struct Chunk {
  std::int64_t first, cols, first_row, rows;
};
// Cuts a matrix into chunks of at most `elements` elements, but of at least one column. Pure.
std::vector<Chunk> cut_into_chunks(Part part, std::int64_t rows, std::int64_t cols, std::int64_t elements);

// Touches the pages of host memory that will be written, on threads of the queue's resources, while the caller does other work.
// The first write to a page costs more time than the link needs to fill it. The contents do not change. Nothing happens if the
// system has no MADV_POPULATE_WRITE or if the memory is small or pinned.
class PageFetch {
 public:
  // The pages of `host`, then the pages of `next`. The destructor stops the rest.
  template <class T>
  PageFetch(const Queue& queue, MatrixView<T> host, MatrixView<same_t<T>> next = {});

 private:
  std::unique_ptr<CopyThreads::Job> job_;
};

}  // namespace eigen_g
