// Times of calls on a GPU, taken side by side.
//
// A call is captured into a CUDA graph of many calls in a row, so that what is timed is the work and not its launches;
// events stand around a graph's replay. The calls take turns, round after round, so that a change of clocks or temperature
// meets all of them; the median over the rounds counts. What a call reads it must rotate by itself, by its number, if it
// shall come from memory and not from the L2.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace eigen_g {
class Queue;
}

namespace eigen_g::apps {

struct Call {
  std::string name;
  std::function<void(std::int64_t call)> enqueue;  // queues call number `call` on the queue that is timed
  // Where it is set, it is queued and waited for before each call, outside of what is timed; a round is then one call
  // after one that warms up, with its launches and whatever it does on the host, and neither captured nor repeated.
  std::function<void()> prepare = nullptr;
  std::int64_t rotation = 1;    // calls until the same input comes again: a replay makes a multiple of it
  bool capture = true;          // false: queued on the stream call by call, launches and all
  double bytes = 0, flops = 0;  // of a call; 0: its rates are not told
  bool fits_l2 = false;         // it is timed once more, always call number 0
};

struct TimingRule {
  int rounds = 21;              // wanted
  int least_rounds = 3;         // taken even if `seconds` are over
  double round_seconds = 1e-3;  // a replay takes at least about so long
  double seconds = 1e9;         // no further round begins after so long
  bool warm_up = true;          // false: no call before the first round of calls with `prepare`
  bool back_and_forth =
      false;  // every other round in reverse, so that none has always the same one before it
};

struct Timing {
  double median = 0, low = 0, high = 0;  // seconds a call; low and high: quartiles over the rounds
  double least = 0;
  int rounds = 0;
  std::int64_t calls = 0;  // a replay
  bool graph = false;      // false: the call cannot be captured, and its launches are part of the time
  std::string failure;     // not empty: the call threw this, and nothing was measured
};

// The value below which the share q of the values lies, 0 <= q <= 1, linear between neighbours in order. Throws
// InvalidArgument, for no values too.
double quantile(std::vector<double> values, double q);
double median(std::vector<double> values);

// One Timing a call, in order. A call that throws an Error is left out from then on. CUDA builds only.
std::vector<Timing> time_in_turns(const Queue& queue, const std::vector<Call>& calls, const TimingRule& rule);

}  // namespace eigen_g::apps
