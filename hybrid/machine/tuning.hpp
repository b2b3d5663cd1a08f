// The compute capability of the current GPU, and the tuning of transfers. Values that a user can replace: tuning_file.hpp.
#pragma once

#include <cstdint>

namespace eigen_g {

// Compute capability of CUDA's current GPU, 90 for 9.0; 0 if there is no GPU.
int current_capability();

// Tuning of transfers between pageable host memory and a GPU over PCIe 5, on a host with 16 cores. It holds for every GPU.
// Measurements: data/perf/DECISIONS.md, "Transfers".
struct TransferTuning {
  // Largest and smallest chunk in elements. A small matrix is cut into small chunks, so that copies overlap.
  std::int64_t max_of_a_chunk = std::int64_t{1} << 20, min_of_a_chunk = std::int64_t{1} << 17;
  // Number of pinned slots for uploads and for downloads, one chunk each.
  int slots_up = 4, slots_down = 8;
  std::int64_t max_threads = 8;
  // Number of elements that a thread copies at a time.
  std::int64_t elements_of_a_piece = 4096;
  // One further thread is woken for each multiple of this number of pieces.
  std::int64_t min_pieces_of_a_helper = 8;
};
inline constexpr TransferTuning transfer_tuning{};

}  // namespace eigen_g
