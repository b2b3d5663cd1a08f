#include "hybrid/transfer/transfer.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <map>
#include <memory>
#include <numeric>

#include "hybrid/cuda_check.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/machine/fork.hpp"
#include "hybrid/machine/tuning.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/round_up.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/team/loops.hpp"
#include "hybrid/transfer/copy_2d.hpp"
#include "hybrid/transfer/copy_threads.hpp"
#include "hybrid/transfer/stream_copy.hpp"
#include "hybrid/transfer/transfer_thread.hpp"

#ifndef MADV_POPULATE_WRITE  // Linux 5.14, glibc 2.35
#define MADV_POPULATE_WRITE 23
#endif

namespace eigen_g {

namespace {

constexpr const TransferTuning& tuning = transfer_tuning;

// A piece of pinned memory for one chunk. It is free once the copy engine has passed `moved`.
struct Slot {
  explicit Slot(Resources& resources) : moved(resources) {}
  PinnedBuffer<std::byte> memory;
  Event moved;
};
using Slots = std::vector<Slot>;

std::int64_t threads_allowed(const TransferTuning::Row& row) {
  return std::min<std::int64_t>(row.max_threads, loop_threads());
}

bool pageable(const void* host) {
  return memory_of(host).type == MemoryType::unregistered;
}

template <class T>
void plain_copy(const T* from, T* to, std::int64_t count) {
  std::memcpy(to, from, bytes_of<T>(count));
}

// Division of a matrix into the pieces that a thread copies at a time. A piece has at most tuning.elements_of_a_piece elements;
// a long column is several pieces, short columns share one.
struct Pieces {
  std::int64_t rows, cols;  // shape of a piece
  std::int64_t down;        // number of pieces in a column
  std::int64_t count;
  Pieces(std::int64_t of_rows, std::int64_t of_cols)
      : rows(std::min(of_rows, tuning.elements_of_a_piece)),
        cols(std::max<std::int64_t>(1, tuning.elements_of_a_piece / of_rows)),
        down((of_rows + rows - 1) / rows),
        count(down * ((of_cols + cols - 1) / cols)) {}
};

// Copies one piece of to := from. In column j only the rows begin(j) ... end(j) - 1 are copied.
template <class T, class Copy, class Begin, class End>
void copy_piece(MatrixView<const same_t<T>> from, MatrixView<T> to, std::int64_t piece, Copy&& copy,
                Begin&& begin, End&& end) {
  const Pieces pieces(from.rows, from.cols);
  const std::int64_t row = piece % pieces.down * pieces.rows, col = piece / pieces.down * pieces.cols;
  for (std::int64_t j = col; j < std::min(col + pieces.cols, from.cols); ++j) {
    const std::int64_t first = std::max(row, begin(j)), last = std::min(row + pieces.rows, end(j));
    if (first < last) copy(&from(first, j), &to(first, j), last - first);
  }
}

template <class T>
MatrixView<T> chunk_of(MatrixView<T> whole, const Chunk& c) {
  return whole.block(c.first_row, c.first, c.rows, c.cols);
}

// Staged has the chunks of all matrices of one transfer, one matrix after the other. Chunk k passes through slot k mod slots().
template <class T>
class Staged {
 public:
  Staged(const TransferTuning::Row& row, Slots& slots) : row_(row), slots_(slots) {}
  void add(Part part, std::int64_t rows, std::int64_t cols) {
    const std::int64_t elements =
        std::min(rows * cols, std::clamp(rows * cols / 8, tuning.min_of_a_chunk, row_.max_of_a_chunk));
    for (const Chunk& c : cut_into_chunks(part, rows, cols, elements)) {
      chunks_.push_back(c);
      matrices_.push_back(added_);
      pieces_.push_back(Pieces(c.rows, c.cols).count);
    }
    elements_ = std::max(elements_, elements);
    ++added_;
  }
  std::int64_t count() const { return static_cast<std::int64_t>(chunks_.size()); }
  std::int64_t slots() const { return row_.slots; }
  const Chunk& chunk(std::int64_t k) const { return chunks_[static_cast<std::size_t>(k)]; }
  std::size_t matrix(std::int64_t k) const { return matrices_[static_cast<std::size_t>(k)]; }
  bool ends_matrix(std::int64_t k) const { return k + 1 == count() || matrix(k + 1) != matrix(k); }
  Slot& slot(std::int64_t k) const { return slots_[static_cast<std::size_t>(k % slots())]; }
  MatrixView<T> memory(std::int64_t k) const {
    const Chunk& c = chunk(k);
    return {reinterpret_cast<T*>(slot(k).memory.data()), c.rows, c.cols, c.rows};
  }
  // Makes the slot large enough; it must be free. It then fits every chunk, because allocating pinned memory again takes
  // milliseconds, and freeing it waits for the GPU.
  void make_room(std::int64_t k) const {
    const std::size_t needed = bytes_of<T>(std::max(elements_, chunk(k).rows * chunk(k).cols));
    PinnedBuffer<std::byte>& memory = slot(k).memory;
    if (memory.bytes() >= needed) return;
    memory = PinnedBuffer<std::byte>();
    memory = PinnedBuffer<std::byte>(static_cast<std::int64_t>(needed));
  }
  const std::vector<std::int64_t>& pieces() const { return pieces_; }  // number of pieces of each chunk
  std::int64_t helpers() const {
    const std::int64_t all = std::accumulate(pieces_.begin(), pieces_.end(), std::int64_t{0});
    return std::min(threads_allowed(row_) - 1, all / tuning.min_pieces_of_a_helper);
  }

 private:
  const TransferTuning::Row& row_;
  std::int64_t elements_ = 0;  // the largest chunk has this number of elements
  std::size_t added_ = 0;      // number of matrices
  std::vector<Chunk> chunks_;
  std::vector<std::size_t> matrices_;  // the number of each chunk's matrix
  std::vector<std::int64_t> pieces_;
  Slots& slots_;
};

}  // namespace

// The part of Resources that transfers keep: pinned slots, copying threads, and what a TransferThread uses.
struct Staging {
  std::unique_ptr<Resources> of_second_thread;
  // By GPU. upload_several() has its own slots, because its chunks are smaller, and a slot that becomes larger is freed.
  std::map<int, Slots> slots, several;
  CopyThreads team;
  const int made_after = forks();

  // The slots of the current GPU for transfers with the limits of `row`.
  static Slots& slots_of(std::map<int, Slots>& all, const Queue& queue, const TransferTuning::Row& row) {
    Slots& here = all[current_gpu()];
    while (here.size() < static_cast<std::size_t>(row.slots)) here.emplace_back(queue.resources());
    return here;
  }
};

void EndStaging::operator()(Staging* staging) const {
  if (staging->made_after != forks()) return;  // in a child ~CopyThreads would wait for threads of the parent
  try {
    for (std::map<int, Slots>* all : {&staging->slots, &staging->several})
      for (auto& of_gpu : *all)
        for (Slot& slot : of_gpu.second) slot.moved.wait();
  } catch (const DeviceError&) {  // the GPU has failed and moves nothing any more
  }
  delete staging;
}

Staging& Resources::staging() {
  if (!staging_) staging_.reset(new Staging);
  return *staging_;
}

Resources& of_second_thread(Resources& of_caller) {
  std::unique_ptr<Resources>& kept = of_caller.staging().of_second_thread;
  if (!kept) kept = std::make_unique<Resources>();
  return *kept;
}

std::vector<Chunk> cut_into_chunks(Part part, std::int64_t rows, std::int64_t cols, std::int64_t elements) {
  std::vector<Chunk> chunks;
  for (std::int64_t first = 0; rows > 0 && first < cols;) {
    const std::int64_t first_row = part == Part::lower ? std::min(first, rows - 1) : 0;
    std::int64_t count = elements / (rows - first_row);
    if (part == Part::upper) {  // the largest `count` with count (first + count) <= elements
      const double half = 0.5 * static_cast<double>(first);
      count = static_cast<std::int64_t>(std::sqrt(half * half + static_cast<double>(elements)) - half);
    }
    count = std::clamp<std::int64_t>(count, 1, cols - first);
    chunks.push_back(
        {first, count, first_row, part == Part::upper ? std::min(rows, first + count) : rows - first_row});
    first += count;
  }
  return chunks;
}

namespace {

template <class T>
void upload_all(const Queue& queue, const TransferTuning::Row& row, std::map<int, Slots> Staging::*slots,
                Part part, std::span<const Upload<T>> matrices) {
  if (matrices.empty()) return;
  Staging& here = queue.resources().staging();
  Staged<T> staged(row, Staging::slots_of(here.*slots, queue, row));
  for (const Upload<T>& of : matrices) staged.add(part, of.from.rows, of.from.cols);
  const auto from = [&](std::int64_t k) {
    return chunk_of(matrices[staged.matrix(k)].from, staged.chunk(k));
  };
  const auto send = [&](MatrixView<const T> source, std::int64_t k) {
    copy_2d(source, chunk_of(matrices[staged.matrix(k)].to_dev, staged.chunk(k)), cudaMemcpyHostToDevice,
            queue.stream());
  };
  const auto call_then = [&](std::int64_t k) {
    const std::function<void()>& then = matrices[staged.matrix(k)].then;
    if (then && staged.ends_matrix(k)) then();
  };
  if (!pageable(matrices.front().from.data)) {
    for (std::int64_t k = 0; k < staged.count(); ++k) {
      send(from(k), k);
      call_then(k);
    }
    return;
  }
  const auto copy = [&](std::int64_t k, std::int64_t piece) {
    const Chunk& c = staged.chunk(k);
    const std::int64_t diagonal = c.first - c.first_row;  // row of the chunk's first diagonal element
    copy_piece(
        from(k), staged.memory(k), piece, plain_copy<T>,  // the engine finds it in the cache
        [&](std::int64_t j) { return part == Part::lower ? diagonal + j : 0; },
        [&](std::int64_t j) { return part == Part::upper ? std::min(diagonal + j + 1, c.rows) : c.rows; });
  };
  CopyThreads::Job work(here.team, staged.pieces(), copy, staged.helpers());
  std::int64_t open = 0, sent = 0;
  while (sent < staged.count()) {
    if (open < std::min(staged.count(), sent + staged.slots()) && staged.slot(open).moved.passed()) {
      staged.make_room(open);
      work.open(++open);
    }
    if (sent < open && work.done(sent)) {
      send(staged.memory(sent), sent);
      staged.slot(sent).moved.record(queue);
      call_then(sent++);
    } else {
      work.help();
    }
  }
}

}  // namespace

template <class T>
void upload(const Queue& queue, Part part, MatrixView<const same_t<T>> from, MatrixView<T> to_dev) {
  if (from.rows == 0 || from.cols == 0) return;
  const Upload<T> one{from, to_dev};
  upload_all<T>(queue, tuning.up, &Staging::slots, part, {&one, 1});
}
template <class T>
void upload_several(const Queue& queue, std::span<const Upload<T>> matrices, int threads) {
  TransferTuning::Row row = tuning.up_several;
  row.max_threads = std::clamp<std::int64_t>(threads, 1, row.max_threads);
  upload_all(queue, row, &Staging::several, Part::all, matrices);
}

template <class T>
void download(const Queue& queue, MatrixView<const same_t<T>> from_dev, MatrixView<T> to) {
  if (to.rows == 0 || to.cols == 0) return;
  if (!pageable(to.data)) {
    copy_2d(from_dev, to, cudaMemcpyDeviceToHost, queue.stream());
    queue.wait();
    return;
  }
  Staging& here = queue.resources().staging();
  Staged<T> staged(tuning.down, Staging::slots_of(here.slots, queue, tuning.down));
  staged.add(Part::all, to.rows, to.cols);
  const auto fetch = [&](std::int64_t k) {
    if (k >= staged.count()) return;
    staged.slot(k).moved.wait();
    staged.make_room(k);
    copy_2d(chunk_of(from_dev, staged.chunk(k)), staged.memory(k), cudaMemcpyDeviceToHost, queue.stream());
    staged.slot(k).moved.record(queue);
  };
  const auto copy = [&](std::int64_t k, std::int64_t piece) {
    const Chunk& c = staged.chunk(k);
    copy_piece(
        staged.memory(k), chunk_of(to, c), piece, stream_copy<T>,
        [](std::int64_t) { return std::int64_t{0}; }, [&](std::int64_t) { return c.rows; });
  };
  for (std::int64_t k = 0; k < staged.slots(); ++k) fetch(k);
  staged.slot(0).moved.wait();  // the threads sleep until the engine starts, which may take long
  CopyThreads::Job work(here.team, staged.pieces(), copy, staged.helpers());
  std::int64_t open = 0, copied = 0;
  while (copied < staged.count()) {
    if (open < std::min(staged.count(), copied + staged.slots()) && staged.slot(open).moved.passed())
      work.open(++open);
    if (copied < open && work.done(copied))
      fetch(staged.slots() + copied++);
    else
      work.help();
  }
}

template <class T>
void download_triangle(const Queue& queue, Uplo uplo, MatrixView<const same_t<T>> from_dev,
                       MatrixView<T> to) {
  const std::int64_t n = to.rows, width = std::min<std::int64_t>(n, 512);
  const HostArray<T> memory = host_array<T>(n * width);
  for (std::int64_t j0 = 0; j0 < n; j0 += width) {
    const std::int64_t cols = std::min(width, n - j0), first = uplo == Uplo::lower ? j0 : 0,
                       rows = (uplo == Uplo::lower ? n : j0 + cols) - first;
    const MatrixView<T> panel{memory.get(), rows, cols, rows};
    download<T>(queue, from_dev.block(first, j0, rows, cols), panel);
    for (std::int64_t j = j0; j < j0 + cols; ++j) {
      const std::int64_t begin = uplo == Uplo::lower ? j : 0, end = uplo == Uplo::lower ? n : j + 1;
      std::memcpy(&to(begin, j), &panel(begin - first, j - j0),
                  sizeof(T) * static_cast<std::size_t>(end - begin));
    }
  }
}

template <class T>
PageFetch::PageFetch(const Queue& queue, MatrixView<T> host, MatrixView<same_t<T>> next) {
  // A piece is one large page, which two threads would otherwise clear at the same time.
  static constexpr std::uint64_t block = std::uint64_t{2} << 20, least = std::uint64_t{4} << 20;
  struct Range {
    std::uint64_t begin, end;
  };
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  std::vector<Range> ranges;
  std::vector<std::int64_t> blocks;
  for (const MatrixView<T>& x : {host, next}) {
    if (x.rows == 0 || x.cols == 0 || !pageable(x.data)) continue;
    const Range range{round_up(reinterpret_cast<std::uint64_t>(x.data), page),
                      reinterpret_cast<std::uint64_t>(&x(x.rows - 1, x.cols - 1)) / page * page};
    if (range.begin + least > range.end) continue;
    ranges.push_back(range);
    blocks.push_back(static_cast<std::int64_t>((range.end - 1) / block - range.begin / block + 1));
  }
  if (ranges.empty()) return;
  // A few threads are enough: they have the whole time of the reduction.
  const auto matrices = static_cast<std::int64_t>(ranges.size());
  const std::int64_t helpers = std::min({4 * matrices, threads_allowed(tuning.up), 1 + blocks.front() / 16});
  const auto fetch = [ranges](std::int64_t matrix, std::int64_t piece) {
    const Range& range = ranges[static_cast<std::size_t>(matrix)];
    const std::uint64_t first = (range.begin / block + static_cast<std::uint64_t>(piece)) * block,
                        begin = std::max(first, range.begin);
    madvise(reinterpret_cast<void*>(begin), std::min(first + block, range.end) - begin, MADV_POPULATE_WRITE);
  };
  job_ = std::make_unique<CopyThreads::Job>(queue.resources().staging().team, blocks, fetch, helpers);
  job_->open(matrices);
  for (std::int64_t h = 0; h < helpers; ++h) job_->call();
}

EIGEN_G_INSTANTIATE(all_types, upload, upload_several, download, download_triangle);
#define EIGEN_G_PAGE_FETCH(T) template PageFetch::PageFetch(const Queue&, MatrixView<T>, MatrixView<T>);
EIGEN_G_FOR_EACH(all_types, EIGEN_G_PAGE_FETCH)
#undef EIGEN_G_PAGE_FETCH

}  // namespace eigen_g
