// ColumnTeam: devices that work on the columns of one matrix Z at the same time. The first GPU holds Z; helper GPUs and the CPU
// get copies of their columns. CUDA builds only.
//
//            first GPU     GPU 1     CPU
//   Z  =  [  in place   |  copied  |  copied, pinned host memory  ],    for each step s:  Z := f_s(Z, blocks of s)
//
// Each device has one range of the columns, which is copied to it and back once. The blocks are operands that all devices need.
// They are sent step by step, and the blocks of the next step arrive while a device works on the current one.
//
// Every run with the same devices and shares gives the same bits: ranges are fixed, and each device runs its steps in order.
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

// The data of one device, in its own memory: its columns, and scratch memory of scratch_rows rows and the same number of
// columns.
template <class T>
struct OwnColumns {
  ColumnRange range;
  MatrixView<T> columns, scratch;
};

// One piece of work: all steps on all columns.
template <class T>
struct ColumnWork {
  MatrixView<T> columns_dev;  // Z, in the first GPU's memory
  bool reads_columns = true;  // false: the steps write every entry of Z and read none
  std::int64_t scratch_rows = 0;
  std::int64_t steps = 1;
  // The blocks that a device with this range needs in this step, in the first GPU's memory.
  std::function<Blocks<T>(std::int64_t step, ColumnRange range)> blocks;
  // First GPU: queues all steps on `queue`. Its columns are in place.
  std::function<void(const Queue& queue, const OwnColumns<T>& own)> on_first;
  // Helper GPU: queues one step on `queue`, which is its own. The blocks are copies in its memory.
  std::function<void(const Queue& queue, std::int64_t step, const Blocks<T>& blocks_dev,
                     const OwnColumns<T>& own)>
      on_gpu;
  // CPU: runs one step. The blocks are copies in host memory. Called by a thread of the team.
  std::function<void(std::int64_t step, const Blocks<T>& blocks, const OwnColumns<T>& own)> on_cpu;
};

// Future work and the shares by which it will be divided.
template <class T>
struct ExpectedWork {
  ColumnWork<T> work;  // only the shapes of its matrices are used
  std::vector<double> shares;
};

// The devices of a team in addition to the first GPU.
struct Helpers {
  std::vector<int> gpus;  // CUDA's indices of the helper GPUs
  bool cpu = false;
  int cpu_threads = 0;  // threads of the CPU; 0: unchanged
};

// T: float or double.
template <class T>
class ColumnTeam {
 public:
  // The first GPU is that of `first` and must be the current one. `first` must outlive the team. Throws DeviceError, and
  // InvalidArgument if a GPU is named twice or does not exist.
  ColumnTeam(const Queue& first, const Helpers& members);
  ~ColumnTeam();
  ColumnTeam(ColumnTeam&&) noexcept;
  ColumnTeam& operator=(ColumnTeam&&) noexcept;

  // Number of devices. Their order is that of the shares: the first GPU, the helper GPUs, the CPU.
  std::size_t size() const;

  // Prepares for the expected work while the first GPU is busy with something else. CPU: pins its staging memory in a thread of
  // the team (a few GB take a second). Helper GPUs: allocate their memory and run a few steps on arbitrary data, which loads
  // the kernels.
  // Blocks until the helper GPUs are done. An exception of the CPU's thread is thrown by the next run() with a CPU share, or by
  // pinned_bytes().
  // Throws OutOfMemory, DeviceError.
  void prepare(const std::vector<ExpectedWork<T>>& expected, std::int64_t granularity = 1);

  // Runs the work. `shares` has one share for each device; split_columns() cuts the columns with `granularity`. The work starts
  // after everything in the first queue, and later work of that queue starts after it.
  // Blocks until the CPU has done its share, but not for the GPUs. Allocates staging and scratch memory when needed and keeps
  // it.
  // Throws OutOfMemory, DeviceError and what the work throws; the columns are then undefined.
  void run(const ColumnWork<T>& work, const std::vector<double>& shares, std::int64_t granularity = 1);

  // Seconds that each device worked since the last call of take_seconds(). For each run() it is the time from the device's first
  // copy to its last. Blocks until all devices are done.
  std::vector<double> take_seconds();

  std::uint64_t device_bytes() const;  // staging and scratch memory of all GPUs
  std::uint64_t pinned_bytes() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace eigen_g
