#include "hybrid/team/team.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstddef>
#include <vector>

#include "hybrid/machine/cpu.hpp"
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
constexpr std::uint64_t ticks_to_yield = 40000, ticks_to_sleep = 600000;
// A thread that waits this long, and much longer than it worked, waits for a thread that does not run.
constexpr std::uint64_t ticks_of_a_stall = 1000000;
// A team becomes smaller if it has more stalls than allowed within barriers_of_a_count barriers.
constexpr int stalls_allowed = 1, barriers_of_a_count = 128;

// A number that threads wait for. One pair of cache lines each, because processors fetch lines in pairs.
class alignas(128) Flag {
 public:
  void set(std::uint32_t value) {
    value_.exchange(
        value);  // an ordered operation: either a thread that goes to sleep sees it, or its entry is seen here
    if (sleepers_.load() > 0) ::syscall(SYS_futex, &value_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
  }
  // Waits until ready(value), and returns the value.
  template <class Ready>
  std::uint32_t wait(std::uint64_t until_yield, const Ready& ready) {
    std::uint64_t begin = 0;
    for (unsigned polls = 0;; ++polls) {
      const std::uint32_t value = value_.load(std::memory_order_acquire);
      if (ready(value)) return value;
      if (polls < 64) continue;
      if (polls == 64) begin = ticks();
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
      if (polls % 16 != 0) continue;
      const std::uint64_t waited = ticks() - begin;
      if (waited > ticks_to_sleep)
        sleep(value);
      else if (waited > until_yield)
        ::sched_yield();
    }
  }

 private:
  void sleep(std::uint32_t value) {
    ++sleepers_;
    if (value_.load() == value) ::syscall(SYS_futex, &value_, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
    --sleepers_;
  }
  std::atomic<std::uint32_t> value_{0};
  std::atomic<int> sleepers_{0};
};

// Threads of all teams of the process, and the teams. Helpers join a team only while there are cores for them.
std::atomic<int> threads_in_teams{0}, teams{0};

constexpr int most_by_dissemination = 8, rounds = 3;

}  // namespace

class TeamOfThreads final : public SharedWork {
 public:
  TeamOfThreads(int threads, team::Body body, const void* data)
      : SharedWork(threads - 1),
        body_(body),
        data_(data),
        most_(threads),
        cores_(usable_cores()),
        until_yield_(threads > cores_ ? ticks_to_yield / 10 : ticks_to_yield),
        flags_(static_cast<std::size_t>(rounds * most_by_dissemination + threads)) {}

  static void run_alone(team::Body body, const void* data) {
    TeamThread alone(nullptr, 0, 1, 0);
    body(data, alone);
  }

  void run(std::size_t thread) override {
    if (thread > 0 && teams.load() > 1 && threads_in_teams.load() >= cores_) return;
    ++threads_in_teams;
    if (thread == 0) {
      ++teams;
      const std::uint64_t begin = ticks();
      while (joined_ < most_ && ticks() - begin < ticks_to_yield) {
      }
      const int count = joined_;
      size_.set(static_cast<std::uint32_t>(count));
      TeamThread me(this, 0, count, 0);
      body_(data_, me);
      --teams;
      size_.set(closed);
    } else {
      join();
    }
    --threads_in_teams;
  }

  void wait_for_all(int t, int count, std::uint32_t epoch) {
    const auto reached = [epoch](std::uint32_t value) {
      return static_cast<std::int32_t>(value - epoch) >= 0;
    };
    const std::uint64_t begin = t == 0 ? ticks() : 0;
    if (count <= most_by_dissemination) {
      for (int round = 0, step = 1; step < count; ++round, step *= 2) {
        flag(round, (t + step) % count).set(epoch);
        flag(round, t).wait(until_yield_, reached);
      }
    } else if (t == 0) {
      for (int k = 1; k < count; ++k) flag(rounds, k).wait(until_yield_, reached);
      flag(rounds, 0).set(epoch);
    } else {
      flag(rounds, t).set(epoch);
      flag(rounds, 0).wait(until_yield_, reached);
    }
    if (t == 0) count_stalls(begin);
  }

  // Called by thread 0 before the barrier of a regrouping: decides the number of threads after it.
  void decide(int count, std::uint32_t epoch, bool stop) {
    int next = std::min(joined_.load(), most_);
    if (stop) {
      next = 0;
    } else if (shrunk_ || stalls_ > stalls_allowed) {
      next = count;
      if (stalls_ > stalls_allowed) {
        next = std::max(1, count / 2);
        shrunk_ = true;
        stalls_ = 0;
        size_.set(closed);
      }
    }
    next_[epoch % 2].store(next, std::memory_order_relaxed);
  }
  int decided(std::uint32_t epoch) const { return next_[epoch % 2].load(std::memory_order_relaxed); }
  void admit(int count, std::uint32_t epoch) {
    epoch_ = epoch;
    size_.set(static_cast<std::uint32_t>(count));
  }

 private:
  static constexpr std::uint32_t closed = std::uint32_t{1} << 31;

  Flag& flag(int round, int t) { return flags_[static_cast<std::size_t>(round * most_by_dissemination + t)]; }

  void join() {
    const int index = joined_.fetch_add(1);
    const std::uint32_t size = size_.wait(until_yield_, [index](std::uint32_t value) {
      return value == closed || value > static_cast<std::uint32_t>(index);
    });
    if (size == closed) return;
    TeamThread me(this, index, static_cast<int>(size), epoch_);
    body_(data_, me);
  }

  void count_stalls(std::uint64_t begin) {
    const std::uint64_t end = ticks(), waited = end - begin, worked = begin - last_end_;
    last_end_ = end;
    if (++barriers_ % barriers_of_a_count == 0) stalls_ = 0;
    if (waited > ticks_of_a_stall && waited > 4 * worked) ++stalls_;
  }

  const team::Body body_;
  const void* const data_;
  const int most_, cores_;
  const std::uint64_t until_yield_;
  std::vector<Flag> flags_;
  Flag size_;                   // number of threads that may run; `closed`: no further thread joins
  std::uint32_t epoch_ = 0;     // the number of barriers before the threads that join; written before size_
  std::atomic<int> joined_{1};  // threads that run or wait until the team regroups
  std::atomic<int> next_[2] = {};
  // Thread 0's.
  std::uint64_t last_end_ = 0;
  int barriers_ = 0, stalls_ = 0;
  bool shrunk_ = false;
};

void TeamThread::wait_for_all() {
  team_->wait_for_all(index_, count_, ++epoch_);
}

bool TeamThread::regroup(bool stop) {
  if (!team_) return !stop;
  // The number of this barrier, also if thread 0 is alone.
  const std::uint32_t epoch = epoch_ + 1;
  if (index_ == 0) team_->decide(count_, epoch, stop);
  if (count_ > 1)
    wait_for_all();
  else
    epoch_ = epoch;
  const int next = team_->decided(epoch), before = count_;
  count_ = next;
  if (index_ == 0 && next > before) team_->admit(next, epoch);
  return index_ < next;
}

void team::run(int threads, Body body, const void* data) {
  if (threads <= 1 || helpers::busy()) return TeamOfThreads::run_alone(body, data);
  TeamOfThreads members(threads, body, data);
  helpers::share(members);
}

int max_team_threads(std::int64_t order) {
  return order < 150 ? 1 : order < 300 ? 4 : order < 1500 ? 16 : 64;
}

int team_threads(std::int64_t order) {
  return std::min(max_team_threads(order), core_threads());
}

}  // namespace eigen_g
