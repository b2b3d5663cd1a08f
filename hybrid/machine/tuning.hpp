// The compute capability of the current GPU, the tuning of transfers and of OpenBLAS's threads. Values that a user can replace:
// tuning_file.hpp.
#pragma once

#include <array>
#include <cstdint>

#include "hybrid/machine/tuning_file.hpp"

namespace eigen_g {

// Compute capability of CUDA's current GPU, 90 for 9.0; 0 if there is no GPU.
int current_capability();
// Returns true for compute capabilities with at least half of float's rate in double.
bool is_strong_in_double(int capability);

// Tuning of transfers between pageable host memory and a GPU over PCIe 5. `up` and `down` were measured on a host with 16 cores, and `up_several`
// on a host with 32 cores and two GPUs. The values hold for every GPU.
// Measurements: data/perf/DECISIONS.md, "Transfers" and "Several devices".
struct TransferTuning {
  // The limits of one kind of transfer.
  struct Row {
    std::int64_t max_of_a_chunk;  // elements
    int slots;                    // pinned slots, one chunk each
    std::int64_t max_threads;
  };
  Row up{std::int64_t{1} << 20, 4, 8}, down{std::int64_t{1} << 20, 8, 8};
  // For upload_several(), which runs for several GPUs at the same time.
  Row up_several{std::int64_t{1} << 19, 8, 12};
  // Smallest chunk in elements. A small matrix is cut into small chunks, so that copies overlap.
  std::int64_t min_of_a_chunk = std::int64_t{1} << 17;
  // Number of elements that a thread copies at a time.
  std::int64_t elements_of_a_piece = 4096;
  // One further thread is woken for each multiple of this number of pieces.
  std::int64_t min_pieces_of_a_helper = 8;
};
inline constexpr TransferTuning transfer_tuning{};

// Largest number of OpenBLAS's threads by the order of a call's matrices: more threads than the work can feed make a call slower. The
// first row with order <= max_order holds; orders beyond the last row have no limit. A ThreadLimit replaces the limits of every row with
// more than one thread. A file can replace the rows (tuning_file.hpp, section "threads"). Measurements: data/perf/DECISIONS.md, "Threads".
struct ThreadTuning {
  struct Row {
    std::int64_t max_order = 0;  // 0: an unused row
    int threads = 1;
  };
  std::array<Row, 6> rows{{{299, 1}, {2999, 16}}};

  int of_order(std::int64_t order) const;
};
const ThreadTuning& thread_tuning();  // throws InvalidArgument for a damaged tuning file
ThreadTuning thread_tuning_by(TuningValues values);

}  // namespace eigen_g
