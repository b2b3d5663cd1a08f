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
constexpr std::uint64_t ticks_to_yield = 40000, ticks_to_sleep = 600000;

// When a team becomes smaller. A step in which thread 0 waited longer than `long_wait`, and much longer than it worked, counts as one point for each
// long_wait; every other step takes one point away.
constexpr std::uint64_t long_wait = 100000;
constexpr int points_of_a_step = 24, points_to_leave = 12;
// The next numbers of threads are smaller and larger by this factor.
constexpr int factor = 4;
// How long a team then stays small, at first and at most.
constexpr std::uint64_t least_pause = 10000000, longest_pause = 160000000;

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
  std::uint32_t wait(std::uint64_t until_yield, const Ready& ready,
                     std::uint64_t until_sleep = ticks_to_sleep) {
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
      if (waited > until_sleep)
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
  static constexpr int most_threads = 1023;

  TeamOfThreads(int threads, team::Body body, const void* data)
      : SharedWork(threads - 1),
        body_(body),
        data_(data),
        most_(threads),
        cores_(usable_cores()),
        until_yield_(threads > cores_ ? ticks_to_yield / 10 : ticks_to_yield),
        flags_(static_cast<std::size_t>(rounds * most_by_dissemination + threads)) {}

  static void run_alone(team::Body body, const void* data) {
    TeamThread alone(nullptr, 0, 1, 0, 0);
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
      TeamThread me(this, 0, count, 0, 0);
      last_ = ticks();
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
    if (t == 0) waited_ += ticks() - begin;
  }

  // Called by thread 0 before the barrier of a step: decides the number of threads after it.
  void decide(int count, std::uint32_t epoch, bool grow, bool stop) {
    const std::uint64_t now = ticks(), worked = now - last_ - waited_;
    if (waited_ > long_wait && waited_ > 4 * worked)
      points_ += static_cast<int>(std::min<std::uint64_t>(waited_ / long_wait, points_of_a_step));
    else if (points_ > 0)
      --points_;
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
    } else if (points_ >= points_to_leave) {
      next = std::max(1, count / factor);
      points_ = 0;
      pause_ = now - until_ > 4 * pause_ ? least_pause : std::min(2 * pause_, longest_pause);
      until_ = now + pause_;
    } else if (const int here = joined_.load(); grow && count < here) {
      if (until_ == 0)
        next = here;
      else if (static_cast<std::int64_t>(now - until_) >= 0)
        next = std::min(here, factor * count);
    }
    if (next < count) departing_ = count - std::max(next, 1);
    if (next != count) change_.store(std::uint64_t{epoch} << 32 | static_cast<std::uint64_t>(next));
  }
  // The number of threads after this barrier, which was `count` before.
  int decided(int count, std::uint32_t epoch) const {
    const std::uint64_t change = change_.load();
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

  Flag& flag(int round, int t) {
    return flags_[static_cast<std::size_t>(round) * most_by_dissemination + static_cast<std::size_t>(t)];
  }

  void join() {
    const int index = joined_.fetch_add(1);
    bool first = true;
    for (std::uint32_t changes = 0;; first = false) {
      const std::uint32_t size = size_.wait(
          until_yield_,
          [&](std::uint32_t value) {
            return value == closed || ((first || value / max_threads > changes) &&
                                       value % max_threads > static_cast<std::uint32_t>(index));
          },
          first ? ticks_to_sleep : 0);
      if (size == closed) return;
      TeamThread me(this, index, static_cast<int>(size % max_threads), epoch_, size / max_threads);
      body_(data_, me);
      changes = me.changes_;
    }
  }

  const team::Body body_;
  const void* const data_;
  const int most_, cores_;
  const std::uint64_t until_yield_;
  std::vector<Flag> flags_;
  // Number of threads that may run, and of changes before: changes * max_threads + threads. `closed`: no further thread joins.
  Flag size_;
  std::uint32_t epoch_ = 0;     // the number of barriers before the threads that join; written before size_
  std::atomic<int> joined_{1};  // threads that run or wait until the team grows
  std::atomic<int> departing_{0};         // threads that have to leave and do not know it yet
  std::atomic<std::uint64_t> change_{0};  // barrier and number of threads of the last change
  // Thread 0's: time of its last step, its waits since then, points, and until when the team stays small (0: it never had to).
  std::uint64_t last_ = 0, waited_ = 0, until_ = 0, pause_ = least_pause / 2;
  int points_ = 0;
};

void TeamThread::wait_for_all() {
  team_->wait_for_all(index_, count_, ++epoch_);
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

int default_team_threads(std::int64_t order, int cores) {
  return std::min({max_team_threads(order), cores, order < 1500 ? 4 : std::max(4, cores / 2)});
}

int team_threads(std::int64_t order) {
  const int cores = core_threads();
  const bool chosen = threads_set_by_user() || threads_limited();
  return chosen ? std::min(max_team_threads(order), cores) : default_team_threads(order, cores);
}

}  // namespace eigen_g
