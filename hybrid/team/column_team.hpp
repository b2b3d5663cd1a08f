// Devices that work on columns of one matrix at the same time: a GPU that holds the matrix, further GPUs, and the CPU.
// Each has a range of the columns, which goes to it and comes back once; what all need besides is sent in steps, the next one while a device works on this one. CUDA builds only.
//
//            first GPU     GPU 1     CPU
//   Z  =  [  in place   |  copied  |  copied, pinned host memory  ],    for each step s:  Z := f_s(Z, blocks of s)
//
// For a fixed list of devices and fixed shares the result repeats bit for bit: every range is fixed, and every device does
// its steps in order.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "hybrid/matrix_view.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/team/split.hpp"

namespace eigen_g {

template <class T>
using Blocks = std::vector<MatrixView<const T>>;

// A device's part of a piece of work, in its memory: its columns, and scratch_rows x as many of scratch memory.
template <class T>
struct OwnColumns {
  ColumnRange range;
  MatrixView<T> columns, scratch;
};

// One piece of work on all columns.
template <class T>
struct ColumnWork {
  MatrixView<T> columns_dev;  // the matrix that is cut, in the first GPU's memory
  bool reads_columns = true;  // false: every entry is written, none is read
  std::int64_t scratch_rows = 0;
  std::int64_t steps = 1;
  // What a device with this range needs in a step, in the first GPU's memory.
  std::function<Blocks<T>(std::int64_t step, ColumnRange range)> blocks;
  // All steps on the first GPU's own columns, in place, queued on its queue.
  std::function<void(const Queue& queue, const OwnColumns<T>& own)> on_first;
  // A step on a further GPU, queued on its queue; the blocks are copies in its memory.
  std::function<void(const Queue& queue, std::int64_t step, const Blocks<T>& blocks_dev,
                     const OwnColumns<T>& own)>
      on_gpu;
  // A step on the CPU, in host memory. Runs in a thread of the team.
  std::function<void(std::int64_t step, const Blocks<T>& blocks, const OwnColumns<T>& own)> on_cpu;
};

// Work that will come, cut by these shares.
template <class T>
struct ExpectedWork {
  ColumnWork<T> work;  // only the shapes of its matrices count
  std::vector<double> parts;
};

// Devices beside the first.
struct TeamMembers {
  std::vector<int> gpus;  // further GPUs, CUDA's numbers
  bool cpu = false;
  int cpu_threads = 0;  // of OpenBLAS; 0: as many as it takes
};

// Of matrices of T, float or double.
template <class T>
class ColumnTeam {
 public:
  // The first device is that of `first`, which must outlive the team and whose GPU is the current one.
  // Throws InvalidArgument for a GPU named twice or not there, DeviceError.
  ColumnTeam(const Queue& first, const TeamMembers& members);
  ~ColumnTeam();
  ColumnTeam(ColumnTeam&&) noexcept;
  ColumnTeam& operator=(ColumnTeam&&) noexcept;

  // Devices in the order of the shares: the first GPU, the further GPUs, the CPU.
  std::size_t size() const;

  // Takes what takes long before the work comes, while the first GPU does other things: the CPU's staging memory, in a thread
  // of the team (pinning a few GB takes a second), and on further GPUs the memory, and the kernels by a few steps on whatever it
  // holds. Blocks for the further GPUs. What the CPU's side throws, the next run() with a share of the CPU throws, or
  // pinned_bytes(). Throws OutOfMemory, DeviceError.
  void prepare(const std::vector<ExpectedWork<T>>& expected, std::int64_t granularity = 1);

  // `parts`: a share a device, cut by split_columns with `granularity`. The work begins after what the first queue holds,
  // and what that queue gets afterwards begins after the work. Blocks until the CPU has done its share, not for the GPUs.
  // Takes staging and scratch memory as it needs it and keeps it. Throws what the work throws, OutOfMemory, DeviceError; the columns
  // are then undefined.
  void run(const ColumnWork<T>& work, const std::vector<double>& parts, std::int64_t granularity = 1);

  // Seconds that each device was at work since the last call of this, from the first copy to the last. Blocks until all
  // have ended.
  std::vector<double> take_seconds();

  std::uint64_t device_bytes() const;  // staging and scratch, on all GPUs
  std::uint64_t pinned_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace eigen_g
