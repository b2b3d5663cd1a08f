// Times of work on a GPU, taken side by side.
//
// Each piece of work is captured into a CUDA graph of many calls in a row, so that what is timed is the work
// and not its launches; events stand around a graph's replay. The pieces take turns, round after round, so
// that a change of clocks or temperature meets all of them; the median over the rounds counts. What a piece
// reads it must rotate by itself, by the number of the call, if it shall come from memory and not from the
// L2. CUDA builds only.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "hybrid/stream/queue.hpp"

namespace eigen_g::apps::bench {

struct Work {
  std::function<void(std::int64_t call)> enqueue;  // queues call number `call` on the queue that is timed
  std::int64_t rotation = 1;  // calls until the same input comes again: a replay makes a multiple of it
  bool capture = true;        // false: queued on the stream call by call, launches and all
  // Where it is set, it is queued and waited for before each call, outside of what is timed; a round is then one call
  // after one that warms up, with its launches and whatever it does on the host, and neither captured nor repeated.
  std::function<void()> prepare = nullptr;
};

struct TimingRule {
  int rounds = 21;              // wanted
  int least_rounds = 3;         // taken even if `seconds` are over
  double round_seconds = 1e-3;  // a replay takes at least about so long
  double seconds = 1e9;         // no further round begins after so long
  bool warm_up = true;          // false: no call before the first round of work with `prepare`
};

struct Timing {
  double median = 0, low = 0, high = 0;  // seconds a call; low and high: quartiles over the rounds
  int rounds = 0;
  std::int64_t calls = 0;  // a replay
  bool graph = false;      // false: the work cannot be captured, and its launches are part of the time
  std::string failure;     // not empty: the work threw this, and nothing was measured
};

// One Timing a piece of work, in order. A piece that throws an Error is left out from then on.
std::vector<Timing> time_in_turns(const Queue& queue, const std::vector<Work>& work, const TimingRule& rule);

}  // namespace eigen_g::apps::bench
