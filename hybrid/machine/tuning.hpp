// Tuning as data: what was measured on one kind of GPU stands in an entry, chosen by compute capability.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace eigen_g {

template <class Tuning>
struct TunedFor {
  int capability;  // 90: compute capability 9.0
  Tuning tuning;
};

// Of CUDA's current GPU; 0 where there is none.
int current_capability();

// The entry of this capability; of one that is not in the list, the first.
template <class Tuning, std::size_t count>
constexpr const Tuning& tuning_for(int capability, const std::array<TunedFor<Tuning>, count>& entries) {
  for (const TunedFor<Tuning>& entry : entries)
    if (entry.capability == capability) return entry.tuning;
  return entries.front().tuning;
}

// Transfers between pageable host memory and a GPU over PCIe 5 (55 GB/s), 16 cores: whatever GPU it is. What else was
// measured: data/perf/DECISIONS.md, "Transfers".
struct TransferTuning {
  // Elements of a chunk: 8 MiB, and less for a small matrix, or nothing would overlap.
  std::int64_t max_of_a_chunk = std::int64_t{1} << 20, min_of_a_chunk = std::int64_t{1} << 17;
  // Chunks of pinned memory: 53 GB/s up, 54 down.
  int slots_up = 4, slots_down = 8;
  std::int64_t max_threads = 8;
  // What a thread copies at a time.
  std::int64_t elements_of_a_piece = 4096;
  // A thread is not called for less.
  std::int64_t min_pieces_of_a_helper = 8;
};
inline constexpr TransferTuning transfer_tuning{};

}  // namespace eigen_g
