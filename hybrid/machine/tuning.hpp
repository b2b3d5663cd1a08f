// Tuning as data: what was measured on one kind of GPU stands in an entry, chosen by compute capability.
#pragma once

#include <array>
#include <cstddef>

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

}  // namespace eigen_g
