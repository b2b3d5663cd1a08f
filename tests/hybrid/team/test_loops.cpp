#include "hybrid/team/loops.hpp"

#include <time.h>
#include <algorithm>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "tests/support/catch.hpp"

using namespace eigen_g;

TEST_CASE("a loop does each step once, with any number of threads") {
  for (const int threads : {1, 2, 3, 8, 40})
    for (const std::int64_t count : {0, 1, 2, 7, 100, 10007}) {
      std::vector<int> done(static_cast<std::size_t>(count));
      for (int again = 0; again < 20; ++again)
        for_each(count, threads, [&](std::int64_t i) { ++done[static_cast<std::size_t>(i)]; });
      CHECK(std::all_of(done.begin(), done.end(), [](int times) { return times == 20; }));
    }
}

TEST_CASE("the ranges of a loop are consecutive and none is empty") {
  std::mutex mutex;
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges;
  for_ranges(1000, 3, [&](std::int64_t first, std::int64_t last) {
    const std::lock_guard lock(mutex);
    ranges.emplace_back(first, last);
  });
  std::sort(ranges.begin(), ranges.end());
  std::int64_t next = 0;
  for (const auto& [first, last] : ranges) {
    CHECK(first == next);
    CHECK(last > first);
    next = last;
  }
  CHECK(next == 1000);
}

TEST_CASE("other threads take part in a loop") {
  std::atomic<int> inside{0};
  bool met = false;  // two threads at once in a loop
  for (int attempt = 0; attempt < 20 && !met; ++attempt) {
    std::atomic<bool> both{false};
    for_each(2, 2, [&](std::int64_t) {
      const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
      ++inside;
      while (!both && std::chrono::steady_clock::now() < end)
        if (inside == 2) both = true;
      --inside;
    });
    met = both;
  }
  CHECK(met);
}

TEST_CASE("the largest value of a loop; a loop inside a loop") {
  CHECK(largest_of(0, 4, -1.0, [](std::int64_t) { return 5.0; }) == -1);
  CHECK(largest_of(1000, 4, 0, [](std::int64_t i) { return i == 617 ? 9 : 3; }) == 9);
  std::atomic<int> sum{0};
  for_each(10, 4, [&](std::int64_t) { for_each(10, 4, [&](std::int64_t) { ++sum; }); });
  CHECK(sum == 100);
}

TEST_CASE("threads that run loops at the same time do not disturb each other") {
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 12; ++caller)
    callers.emplace_back([&, caller] {
      for (int again = 0; again < 300; ++again) {
        std::vector<std::int64_t> values(200, -1);
        for_each(200, 4, [&](std::int64_t i) { values[static_cast<std::size_t>(i)] = i * caller; });
        for (std::int64_t i = 0; i < 200; ++i)
          if (values[static_cast<std::size_t>(i)] != i * caller) ++wrong;
      }
    });
  for (std::thread& caller : callers) caller.join();
  CHECK(wrong == 0);
}

// OpenMP's threads took about as much time as the whole test lasted.
TEST_CASE("helpers take no time between loops") {
  const auto cpu = [](clockid_t clock) {
    timespec t{};
    clock_gettime(clock, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  };
  const auto of_helpers = [&] { return cpu(CLOCK_PROCESS_CPUTIME_ID) - cpu(CLOCK_THREAD_CPUTIME_ID); };
  for_each(100, 4, [](std::int64_t) {});
  constexpr int loops = 100;
  double least = 1;  // the best of several attempts, because other programs delay the helpers
  for (int attempt = 0; attempt < 5; ++attempt) {
    const double before = of_helpers();
    for (int k = 0; k < loops; ++k) {
      for_each(100, 4, [](std::int64_t) {});
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
    }
    least = std::min(least, (of_helpers() - before) / loops);
  }
  CHECK(least < 1e-3);  // three helpers
}
