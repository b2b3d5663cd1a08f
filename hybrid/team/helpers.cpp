#include "hybrid/team/helpers.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "hybrid/machine/fork.hpp"

namespace eigen_g {

namespace {

// Where a caller shows its work. A helper that has counted itself in `inside` may use the work that it then finds. The caller takes
// the work away and waits until `inside` is zero, so no helper keeps work that has ended.
struct alignas(64) Place {
  std::atomic<bool> taken{false};
  std::atomic<SharedWork*> work{nullptr};
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

thread_local bool in_work = false;

// Asks Linux (6.12 or later) for time slices of 0.1 milliseconds. A helper works for short times, and others wait for it. With shorter slices than
// other threads it runs as soon as it wakes up, for the same share of the core. An older kernel ignores the request.
void ask_for_short_slices() {
#if defined(SYS_sched_getattr) && defined(SYS_sched_setattr)
  struct {
    std::uint32_t size, policy;
    std::uint64_t flags;
    std::int32_t nice;
    std::uint32_t priority;
    std::uint64_t runtime, deadline, period;
  } attributes{};
  static_assert(sizeof attributes == 48, "sched_attr of sched_setattr(2)");
  if (::syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0) return;
  constexpr std::uint32_t other = 0, batch = 3;  // their numbers in Linux; other policies have no such slices
  if (attributes.policy != other && attributes.policy != batch) return;
  attributes.size = sizeof attributes;
  attributes.runtime = 100000;
  ::syscall(SYS_sched_setattr, 0, &attributes, 0);
#endif
}

class Helpers {
 public:
  Helpers() = default;
  Helpers(const Helpers&) = delete;
  Helpers& operator=(const Helpers&) = delete;
  ~Helpers() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    call(threads_->list.size());
    // At the end of the process another thread may be within shared work for good, for example in a callback that waits for Python's lock.
    // Its helpers then wait for it.
    bool working = false;
    for (const Place& place : places_) working = working || place.taken;
    for (std::thread& helper : threads_->list) {
      if (working)
        helper.detach();
      else
        helper.join();
    }
  }

  void share(SharedWork& work) {
    const std::size_t most = static_cast<std::size_t>(work.places.load());
    Place* const place = taken_place();
    if (place && enough(most)) {
      place->work = &work;
      call(most);
    }
    in_work = true;
    work.run(0);
    in_work = false;
    if (!place) return;
    place->work = nullptr;
    const auto empty = [place] { return place->inside == 0; };
    while (!polled(empty))
      if (const int inside = place->inside; inside != 0) place->inside.wait(inside);
    place->taken = false;
  }

  void renew() {
    new (&mutex_) std::mutex;
    threads_ = new Threads{{}, threads_};
    started_ = 0;
    for (Place& place : places_) {
      place.taken = false;
      place.work = nullptr;
      place.inside = 0;
    }
  }

 private:
  // Never destroyed: in a child the threads of its parent can be neither joined nor detached.
  struct Threads {
    std::vector<std::thread> list;
    const Threads* of_parent = nullptr;
  };

  Place* taken_place() {
    for (Place& place : places_)
      if (bool free = false; !place.taken && place.taken.compare_exchange_strong(free, true)) return &place;
    return nullptr;  // very many callers at the same time: this one works alone
  }

  // Starts helpers up to this number. False if there are none.
  bool enough(std::size_t count) {
    if (started_.load(std::memory_order_acquire) >= count) return true;
    const std::lock_guard lock(mutex_);
    if (ending_) return false;
    std::vector<std::thread>& threads = threads_->list;
    try {
      while (threads.size() < count)
        threads.emplace_back([this, index = threads.size()] { help(index + 1); });
    } catch (const std::system_error&) {  // no more threads: the existing ones do the work
    }
    started_.store(threads.size(), std::memory_order_release);
    return !threads.empty();
  }

  // Helpers that poll come by themselves. Up to `count` sleeping helpers are woken.
  void call(std::size_t count) {
    ++calls_;
    if (count >= started_.load(std::memory_order_relaxed)) return calls_.notify_all();
    for (std::size_t k = 0; k < count; ++k) calls_.notify_one();
  }

  void help(std::size_t index) {
    in_work = true;
    ask_for_short_slices();
    while (!ending_) {
      const int seen = calls_;
      bool worked = false;
      for (Place& place : places_) {
        if (!place.work) continue;
        ++place.inside;
        if (SharedWork* const work = place.work; work && work->places.fetch_sub(1) > 0) {
          work->run(index);
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
  Threads* threads_ = new Threads;
};

// Its destructor ends the helpers before dlclose() takes their code away.
Helpers the_helpers;

}  // namespace

void helpers::share(SharedWork& work) {
  the_helpers.share(work);
}
bool helpers::busy() {
  return in_work;
}

namespace at_fork {
void renew_helpers() {
  the_helpers.renew();
}
}  // namespace at_fork

}  // namespace eigen_g
