#include "hybrid/team/team.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <climits>
#include <cstddef>
#include <vector>

#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/fork.hpp"
#include "hybrid/team/helpers.hpp"

namespace eigen_g {

namespace {

// A clock of about 2 to 4 ticks a nanosecond.
std::uint64_t ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return 3 * static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}
// Counters of two processors can differ; then the result is 0 instead of a negative number.
std::uint64_t elapsed(std::uint64_t before, std::uint64_t after) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, static_cast<std::int64_t>(after - before)));
}
// How long a thread polls before it sleeps: as long as it worked before, within these limits. It does not call sched_yield() instead: Linux then
// lets the other threads of this core run for a whole time slice.
constexpr std::uint64_t shortest_poll = 40000, longest_poll = 600000;

// When a team becomes smaller. A stall is a step in which thread 0 waited longer than `shortest_stall`, and longer than `stalled` times its work.
// The team halves if the stalls of the last steps took longer than `most_lost`, and longer than thread 0 worked in these steps. Interrupts
// and steps whose work is shared unevenly stay below that.
constexpr std::uint64_t shortest_stall = shortest_poll, stalled = 4, most_lost = 1200000;
// Each step takes one part of this number from the sums over the last steps.
constexpr std::uint64_t recent_steps = 32;
// After a longer wait a thread has lost its core, and a quarter of the threads stay.
constexpr std::uint64_t long_wait = 2000000;
// How long teams then stay small, at first and at most. Afterwards the number of threads doubles.
constexpr std::uint64_t least_pause = 10000000, longest_pause = 1000000000;

// value >= epoch, for numbers of barriers, which may pass 2^32.
bool reached(std::uint32_t value, std::uint32_t epoch) {
  return static_cast<std::int32_t>(value - epoch) >= 0;
}

// A number that threads wait for. One pair of cache lines each, because processors fetch lines in pairs.
class alignas(128) Flag {
 public:
  void set(std::uint32_t value) {
    value_.exchange(
        value);  // an ordered operation: either a thread that goes to sleep sees it, or its entry is seen here
    wake();
  }
  // Sets the number of a barrier, unless the number of a later barrier is there. A change of the number of threads also changes which thread sets a
  // flag. The new thread may set it for the next barrier before the former thread, which is late, sets it for the barrier of the change.
  void raise(std::uint32_t epoch) {
    std::uint32_t value = value_.load(std::memory_order_relaxed);
    while (!reached(value, epoch) && !value_.compare_exchange_weak(value, epoch)) {
    }
    wake();
  }
  // Waits until ready(value), and returns the value. Sleeps after `patience` ticks.
  template <class Ready>
  std::uint32_t wait(std::uint64_t patience, const Ready& ready) {
    std::uint64_t begin = 0;
    for (unsigned polls = 0;; ++polls) {
      const std::uint32_t value = value_.load(std::memory_order_acquire);
      if (ready(value)) return value;
      if (polls < 64) continue;
      if (polls == 64) begin = ticks();
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
      if (polls % 16 == 0 && ticks() - begin > patience) sleep(value);
    }
  }

 private:
  void wake() {
    if (sleepers_.load() > 0) ::syscall(SYS_futex, &value_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
  }
  void sleep(std::uint32_t value) {
    ++sleepers_;
    if (value_.load() == value) ::syscall(SYS_futex, &value_, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
    --sleepers_;
  }
  std::atomic<std::uint32_t> value_{0};
  std::atomic<int> sleepers_{0};
};

// Until when the teams of the process stay small, how long that is after they became smaller, and how many threads they have meanwhile.
std::atomic<std::uint64_t> small_until{0}, pause_length{0};
std::atomic<int> small_team{1};
bool is_small(std::uint64_t now) {
  return static_cast<std::int64_t>(small_until - now) > 0;
}

// Threads of all teams of the process, and the teams. Helpers join a team only while there are cores for them.
std::atomic<int> threads_in_teams{0}, teams{0};

constexpr int most_by_dissemination = 8, rounds = 3;

}  // namespace

class TeamOfThreads final : public SharedWork {
 public:
  static constexpr int most_threads = 1023;

  TeamOfThreads(int threads, team::Body body, const void* data)
      : SharedWork(threads - 1),
        body_(body),
        data_(data),
        most_(threads),
        cores_(usable_cores()),
        least_patience_(threads > cores_ ? shortest_poll / 10 : shortest_poll),
        flags_(static_cast<std::size_t>(rounds * most_by_dissemination + threads)) {}

  static void run_alone(team::Body body, const void* data) {
    TeamThread alone(nullptr, 0, 1, 0, 0, 0);
    body(data, alone);
  }

  void run(std::size_t thread) override {
    if (thread > 0 && teams.load() > 1 && threads_in_teams.load() >= cores_) return;
    ++threads_in_teams;
    if (thread == 0) {
      ++teams;
      const std::uint64_t begin = ticks();
      const int wanted = is_small(begin) ? std::min(small_team.load(), most_) : most_;
      shrunk_ = wanted < most_;
      while (joined_ < wanted && ticks() - begin < shortest_poll) {
      }
      const int count = std::min<int>(joined_, wanted);
      size_.set(static_cast<std::uint32_t>(count));
      last_ = ticks();
      TeamThread me(this, 0, count, 0, 0, last_);
      body_(data_, me);
      --teams;
      size_.set(closed);
    } else {
      join();
    }
    --threads_in_teams;
  }

  // former: when this thread waited the last time. Returns the time at the end of the wait.
  std::uint64_t wait_for_all(int t, int count, std::uint32_t epoch, std::uint64_t former) {
    const auto ready = [epoch](std::uint32_t value) { return reached(value, epoch); };
    const std::uint64_t begin = ticks(),
                        patience = std::clamp(elapsed(former, begin), least_patience_, longest_poll);
    if (count <= most_by_dissemination) {
      for (int round = 0, step = 1; step < count; ++round, step *= 2) {
        flag(round, (t + step) % count).raise(epoch);
        flag(round, t).wait(patience, ready);
      }
    } else if (t == 0) {
      for (int k = 1; k < count; ++k) flag(rounds, k).wait(patience, ready);
      flag(rounds, 0).raise(epoch);
    } else {
      flag(rounds, t).raise(epoch);
      flag(rounds, 0).wait(patience, ready);
    }
    const std::uint64_t end = ticks();
    if (t == 0) waited_ += elapsed(begin, end);
    return end;
  }

  // Called by thread 0 before the barrier of a step: decides the number of threads after it.
  void decide(int count, std::uint32_t epoch, bool grow, bool stop) {
    const std::uint64_t now = ticks(), worked = elapsed(last_ + waited_, now);
    worked_ += worked - worked_ / recent_steps;
    stalls_ -= stalls_ / recent_steps;
    if (waited_ > shortest_stall && waited_ > stalled * worked) stalls_ += waited_;
    const bool core_lost = waited_ > long_wait;
    last_ = now;
    waited_ = 0;
    // A thread that leaves may read its number late, because no later barrier waits for it: until then there is no other change.
    if (stop)
      while (departing_ > 0) ::sched_yield();
    int next = count;
    if (departing_ > 0) {
      return;
    } else if (stop) {
      next = 0;
    } else if (count > 1 && stalls_ > std::max(most_lost, worked_)) {
      next = std::max(1, count / (core_lost ? 4 : 2));
      stalls_ = 0;
      shrunk_ = true;
      const std::uint64_t pause = pause_length;
      pause_length = now - small_until > 4 * pause ? least_pause : std::min(2 * pause, longest_pause);
      small_until = now + pause_length;
      small_team = next;
    } else if (const int here = joined_.load(); grow && count < here && !is_small(now)) {
      next = shrunk_ ? std::min(here, 2 * count) : here;
    }
    if (next < count) departing_ = count - std::max(next, 1);
    if (next != count) change_of(epoch).store(std::uint64_t{epoch} << 32 | static_cast<std::uint64_t>(next));
  }
  // The number of threads after this barrier, which was `count` before.
  int decided(int count, std::uint32_t epoch) {
    const std::uint64_t change = change_of(epoch).load();
    return change >> 32 == epoch ? static_cast<int>(change & 0xffffffff) : count;
  }
  void leave() { --departing_; }
  // Called by thread 0 after the barrier.
  void publish(int count, std::uint32_t epoch, std::uint32_t changes) {
    epoch_ = epoch;
    size_.set(changes * max_threads + static_cast<std::uint32_t>(count));
  }

 private:
  static constexpr std::uint32_t closed = std::uint32_t{1} << 31, max_threads = most_threads + 1;

  // The place of the change of a barrier. A late thread may read this change when thread 0 already decides about the next barrier, so neighbouring
  // barriers have different places. Two places suffice: thread 0 passes the next barrier only after the late thread has reached it.
  std::atomic<std::uint64_t>& change_of(std::uint32_t epoch) { return changes_[epoch % 2]; }

  Flag& flag(int round, int t) {
    return flags_[static_cast<std::size_t>(round) * most_by_dissemination + static_cast<std::size_t>(t)];
  }

  void join() {
    const int index = joined_.fetch_add(1);
    bool first = true;
    for (std::uint32_t changes = 0;; first = false) {
      const std::uint32_t size = size_.wait(first ? longest_poll : 0, [&](std::uint32_t value) {
        return value == closed || ((first || value / max_threads > changes) &&
                                   value % max_threads > static_cast<std::uint32_t>(index));
      });
      if (size == closed) return;
      TeamThread me(this, index, static_cast<int>(size % max_threads), epoch_, size / max_threads, ticks());
      body_(data_, me);
      changes = me.changes_;
    }
  }

  const team::Body body_;
  const void* const data_;
  const int most_, cores_;
  const std::uint64_t least_patience_;
  std::vector<Flag> flags_;
  // Number of threads that may run, and of changes before: changes * max_threads + threads. `closed`: no further thread joins.
  Flag size_;
  std::uint32_t epoch_ = 0;     // the number of barriers before the threads that join; written before size_
  std::atomic<int> joined_{1};  // threads that run or wait until the team grows
  std::atomic<int> departing_{0};  // threads that have to leave and do not know it yet
  // Barrier and number of threads of the last change, for even and odd numbers of barriers.
  std::array<std::atomic<std::uint64_t>, 2> changes_{};
  // Thread 0's: time of its last step and its waits since then; its work and its stalls in the last steps; whether the team has been smaller than
  // it could be.
  std::uint64_t last_ = 0, waited_ = 0, worked_ = 0, stalls_ = 0;
  bool shrunk_ = false;
};

void TeamThread::wait_for_all() {
  waited_at_ = team_->wait_for_all(index_, count_, ++epoch_, waited_at_);
}

bool TeamThread::change(bool grow, bool stop) {
  const std::uint32_t epoch = epoch_ + 1;  // the number of this barrier, also if thread 0 is alone
  if (index_ == 0) team_->decide(count_, epoch, grow, stop);
  if (count_ > 1)
    wait_for_all();
  else
    epoch_ = epoch;
  const int next = team_->decided(count_, epoch);
  if (next != count_) {
    ++changes_;
    count_ = next;
    if (index_ == 0 && !stop) team_->publish(next, epoch, changes_);
    if (index_ > 0 && index_ >= next) team_->leave();
  }
  return index_ < next;
}

void team::run(int threads, Body body, const void* data) {
  if (threads <= 1 || helpers::busy()) return TeamOfThreads::run_alone(body, data);
  TeamOfThreads members(std::min(threads, TeamOfThreads::most_threads), body, data);
  helpers::share(members);
}

namespace at_fork {
void renew_teams() {
  threads_in_teams = 0;
  teams = 0;
}
}  // namespace at_fork

int max_team_threads(std::int64_t order) {
  return order < 150 ? 1 : order < 300 ? 4 : order < 1500 ? 16 : 64;
}

int team_threads(std::int64_t order) {
  return std::min(max_team_threads(order), core_threads());
}

}  // namespace eigen_g
