// Measures the times of several calls on a GPU in turn.
//
// A CUDA graph captures many consecutive calls, so that the time is that of the work and not of the launches. Events before and after
// a replay of the graph measure it. In each round all calls take their turn, so that a change of clock rate or temperature affects
// all of them. The result is the median over the rounds.
// A call whose input must come from memory and not from the L2 has to rotate through several inputs, by its call number.
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
  std::function<void(std::int64_t call)> enqueue;  // queues call number `call` on the timed queue
  // If set: queued before each call and waited for, outside the measured time. A round is then one call, not captured and not
  // repeated; its time includes launches and host work. One warm-up call precedes the first round.
  std::function<void()> prepare = nullptr;
  std::int64_t rotation = 1;    // calls until the same input returns; a replay makes a multiple of it
  bool capture = true;          // false: each call is queued on the stream; the time includes launches
  double bytes = 0, flops = 0;  // each: per call; 0: no rate is reported
  bool fits_l2 = false;         // true: also timed with call number 0 alone
};

struct TimingRule {
  int rounds = 21;              // number of rounds
  int least_rounds = 3;         // minimum, even if `seconds` have passed
  double round_seconds = 1e-3;  // approximate minimum duration of a replay
  double seconds = 1e9;         // no new round begins after this time
  bool warm_up = true;          // false: calls with `prepare` have no warm-up call
  bool back_and_forth = false;  // reverses every other round, so that the predecessor of a call changes
};

struct Timing {
  double median = 0, low = 0, high = 0;  // seconds a call; low, high: quartiles over the rounds
  double least = 0;
  int rounds = 0;
  std::int64_t calls = 0;  // calls in a replay
  bool graph = false;      // false: the call could not be captured, and the time includes launches
  std::string failure;     // error that the call threw; then nothing was measured; else empty
};

// The q-quantile of the values, 0 <= q <= 1, with linear interpolation between neighbours. Throws InvalidArgument for an invalid q and
// for no values.
double quantile(std::vector<double> values, double q);
double median(std::vector<double> values);

// Returns one Timing for each call, in order. A call that throws an Error is not timed any further. CUDA builds only.
std::vector<Timing> time_in_turns(const Queue& queue, const std::vector<Call>& calls, const TimingRule& rule);

}  // namespace eigen_g::apps
