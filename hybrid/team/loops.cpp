#include "hybrid/team/loops.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "hybrid/machine/fork.hpp"

namespace eigen_g {

namespace {

// A share of a loop: the pieces that one thread claims first. A cache line each.
struct alignas(64) Share {
  std::atomic<std::int64_t> next{0};
  std::int64_t end = 0;
};

struct Loop {
  const loops::Call call;
  const void* const body;
  std::vector<Share> shares;
  std::atomic<int> places;  // number of helpers that may still join the loop

  Loop(std::int64_t pieces, int threads, loops::Call the_call, const void* the_body)
      : call(the_call), body(the_body), shares(static_cast<std::size_t>(threads)), places(threads - 1) {
    for (int t = 0; t < threads; ++t) {
      Share& share = shares[static_cast<std::size_t>(t)];
      share.next.store(pieces * t / threads, std::memory_order_relaxed);
      share.end = pieces * (t + 1) / threads;
    }
  }
  void work(std::size_t thread) {
    for (std::size_t k = 0; k < shares.size(); ++k) {
      Share& share = shares[(thread + k) % shares.size()];
      while (share.next.load(std::memory_order_relaxed) < share.end) {
        const std::int64_t piece = share.next.fetch_add(1, std::memory_order_relaxed);
        if (piece < share.end) call(body, piece);
      }
    }
  }
};

// Where a caller shows its loop. A helper that has counted itself in `inside` may use the loop that it then finds. The caller takes
// the loop away and waits until `inside` is zero, so no helper keeps a loop that has ended.
struct alignas(64) Place {
  std::atomic<bool> taken{false};
  std::atomic<Loop*> loop{nullptr};
  std::atomic<int> inside{0};
};

// Polls for a time in which a sleeping thread would not be running again, and no longer.
template <class Ready>
bool polled(const Ready& ready) {
  using Clock = std::chrono::steady_clock;
  constexpr auto longest = std::chrono::microseconds(30);
  const auto start = Clock::now();
  do {
    for (int turn = 0; turn < 16; ++turn) {
      if (ready()) return true;
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
  } while (Clock::now() - start < longest);
  return ready();
}

thread_local bool in_loop = false;

class Team {
 public:
  Team() = default;
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  ~Team() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    call_helpers(helpers_->threads.size());
    for (std::thread& helper : helpers_->threads) helper.join();
  }

  void run(Loop& loop) {
    Place* const place = taken_place();
    if (place && enough_helpers(loop.shares.size() - 1)) {
      place->loop = &loop;
      call_helpers(loop.shares.size() - 1);
    }
    in_loop = true;
    loop.work(0);
    in_loop = false;
    if (!place) return;
    place->loop = nullptr;
    const auto empty = [place] { return place->inside == 0; };
    while (!polled(empty))
      if (const int inside = place->inside; inside != 0) place->inside.wait(inside);
    place->taken = false;
  }

  void renew() {
    new (&mutex_) std::mutex;
    helpers_ = new Helpers{{}, helpers_};
    started_ = 0;
    for (Place& place : places_) {
      place.taken = false;
      place.loop = nullptr;
      place.inside = 0;
    }
  }

 private:
  // Never destroyed: in a child the threads of its parent can be neither joined nor detached.
  struct Helpers {
    std::vector<std::thread> threads;
    const Helpers* of_parent = nullptr;
  };

  Place* taken_place() {
    for (Place& place : places_)
      if (bool free = false; !place.taken && place.taken.compare_exchange_strong(free, true)) return &place;
    return nullptr;  // very many callers at the same time: this one works alone
  }

  // Starts helpers up to this number. False if there are none.
  bool enough_helpers(std::size_t count) {
    if (started_.load(std::memory_order_acquire) >= count) return true;
    const std::lock_guard lock(mutex_);
    if (ending_) return false;
    std::vector<std::thread>& threads = helpers_->threads;
    try {
      while (threads.size() < count)
        threads.emplace_back([this, index = threads.size()] { help(index + 1); });
    } catch (const std::system_error&) {  // no more threads: the existing ones do the work
    }
    started_.store(threads.size(), std::memory_order_release);
    return !threads.empty();
  }

  // Helpers that poll come by themselves. Up to `count` sleeping helpers are woken.
  void call_helpers(std::size_t count) {
    ++calls_;
    if (count >= started_.load(std::memory_order_relaxed)) return calls_.notify_all();
    for (std::size_t k = 0; k < count; ++k) calls_.notify_one();
  }

  void help(std::size_t index) {
    in_loop = true;
    while (!ending_) {
      const int seen = calls_;
      bool worked = false;
      for (Place& place : places_) {
        if (!place.loop) continue;
        ++place.inside;
        if (Loop* const loop = place.loop; loop && loop->places.fetch_sub(1) > 0) {
          loop->work(index);
          worked = true;
        }
        if (--place.inside == 0) place.inside.notify_all();
      }
      const auto called = [&] { return calls_ != seen; };
      if (!worked || !polled(called)) calls_.wait(seen);
    }
  }

  std::array<Place, 64> places_;
  std::atomic<int> calls_{0};  // helpers sleep until it changes
  std::atomic<bool> ending_{false};
  std::atomic<std::size_t> started_{0};
  std::mutex mutex_;  // guards the member below
  Helpers* helpers_ = new Helpers;
};

// Its destructor ends the helpers before dlclose() takes their code away.
Team loop_team;

}  // namespace

void loops::run(std::int64_t pieces, int threads, Call call, const void* body) {
  if (threads <= 1 || in_loop) {
    for (std::int64_t piece = 0; piece < pieces; ++piece) call(body, piece);
    return;
  }
  Loop loop(pieces, static_cast<int>(std::min<std::int64_t>(threads, pieces)), call, body);
  loop_team.run(loop);
}

namespace at_fork {
void renew_loops() {
  loop_team.renew();
}
}  // namespace at_fork

}  // namespace eigen_g
