#include "hybrid/team/team.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "hybrid/machine/cpu.hpp"
#include "hybrid/team/loops.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/fork.hpp"

using namespace eigen_g;

namespace {

struct StepsResult {
  std::vector<long> values;
  int most = 0;  // threads at the same time
};

// Every step each member adds what its neighbour had after the step before. A missing barrier or a late thread that begins in the wrong
// step changes the values.
StepsResult steps(int threads, int members, int count, int steps_to_regroup) {
  std::vector<long> values[2] = {std::vector<long>(members, 1), std::vector<long>(members)};
  int next = 0;
  std::atomic<int> most{0};
  run_team(threads, [&](TeamThread& me) {
    for (int step = me.late() ? next : 0; step < count; ++step) {
      if (me.index() == 0 && me.count() > most) most = me.count();
      for (int m = me.index(); m < members; m += me.count())
        values[(step + 1) % 2][m] = values[step % 2][m] + values[step % 2][(m + 1) % members] % 1000;
      if ((step + 1) % steps_to_regroup == 0) {
        if (me.index() == 0) next = step + 1;
        if (!me.regroup()) return;
      } else {
        me.barrier();
      }
    }
  });
  return {values[count % 2], most};
}

}  // namespace

TEST_CASE("a team's steps are the same with any number of threads") {
  const std::vector<long> alone = steps(1, 13, 400, 7).values;
  for (const int threads : {2, 3, 5, 8, 9, 13, 20})
    for (int again = 0; again < 3; ++again) CHECK(steps(threads, 13, 400, 7).values == alone);
}

// A thread can lose its core between a barrier and its look at the team's new number of threads. Other threads of this test keep all cores busy, so
// that this happens. With an error there a thread would wait for a barrier that the team has left behind, and the test would not end.
TEST_CASE("teams that change in steps that follow each other come to their end on a busy machine") {
  std::atomic<bool> busy{true};
  std::vector<std::thread> others;
  for (int k = 0; k <= usable_cores(); ++k)
    others.emplace_back([&] {
      while (busy) {
      }
    });
  constexpr int members = 13, count = 2400;
  const auto run = [](int threads, int steps_to_regroup) {
    std::vector<long> values[2] = {std::vector<long>(members, 1), std::vector<long>(members)};
    int next = 0;
    run_team(threads, [&](TeamThread& me) {
      for (int step = me.late() ? next : 0; step < count; step += steps_to_regroup) {
        for (int k = step; k < step + steps_to_regroup; ++k) {
          for (int m = me.index(); m < members; m += me.count())
            values[(k + 1) % 2][m] = values[k % 2][m] + values[k % 2][(m + 1) % members] % 1000;
          if (k + 1 < step + steps_to_regroup && !me.step()) return;
        }
        if (me.index() == 0) next = step + steps_to_regroup;
        if (!me.regroup()) return;
      }
    });
    return values[count % 2];
  };
  const std::vector<long> alone = run(1, 4);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(4);
  int wrong = 0;
  for (int again = 0; std::chrono::steady_clock::now() < end; ++again)
    wrong += run(8 + again % 3 * 4, 2 + again % 2 * 4) != alone;
  busy = false;
  for (std::thread& other : others) other.join();
  CHECK(wrong == 0);
}

TEST_CASE("other threads join a team") {
  int most = 0;
  // Teams stay small for a while after a stall, so on a busy machine this takes longer.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (most < 3 && std::chrono::steady_clock::now() < end) {
    most = steps(3, 5, 20000, 10).most;
    if (most < 3) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  CHECK(most == 3);
}

TEST_CASE("a team with a thread that is late becomes smaller, and grows again when it is not") {
  using Clock = std::chrono::steady_clock;
  // The longer time is that of a thread without a core. The shorter one is that of two threads that take turns on a core.
  const auto lateness = GENERATE(std::chrono::microseconds(1000), std::chrono::microseconds(30));
  CAPTURE(lateness.count());
  bool smaller = false, larger = false;
  for (int attempt = 0; attempt < 20 && !larger; ++attempt) {
    std::atomic<bool> late{true};
    std::atomic<std::int64_t> next{0}, sum{0};
    const auto end = Clock::now() + std::chrono::seconds(2);
    run_team(3, [&](TeamThread& me) {
      for (std::int64_t step = me.late() ? next.load() : 0;; ++step) {
        if (me.index() == 2 && late)
          for (const auto here = Clock::now() + lateness; Clock::now() < here;) {
          }
        for (int m = me.index(); m < 3; m += me.count()) sum += m;
        if (me.index() == 0) {
          if (step % 4 == 3) next = step + 1;
          if (late && me.count() < 3 && step > 1000) {
            smaller = true;
            late = false;
          }
          if (!late && me.count() == 3) larger = true;
        }
        if (step % 4 == 3) {
          if (!me.regroup(me.index() == 0 && (larger || Clock::now() > end))) return;
        } else if (!me.step()) {
          return;
        }
      }
    });
    CHECK(sum == 3 * next);
  }
  CHECK(smaller);
  CHECK(larger);
}

TEST_CASE("a team that begins soon after another one became smaller is small") {
  using Clock = std::chrono::steady_clock;
  int tries = 0;
  for (int attempt = 0; attempt < 30 && tries < 5; ++attempt) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    bool smaller = false;
    const auto end = Clock::now() + std::chrono::milliseconds(100);
    auto decided = end;  // before thread 0 decided to become smaller
    run_team(2, [&](TeamThread& me) {
      for (bool had_both = false;; had_both = had_both || me.count() == 2) {
        if (me.index() == 1) std::this_thread::sleep_for(std::chrono::microseconds(300));
        if (me.index() == 0) {
          smaller = had_both && me.count() == 1;
          if (!smaller) decided = Clock::now();
        }
        if (!me.regroup(me.index() == 0 && (smaller || Clock::now() > end))) return;
      }
    });
    std::atomic<int> most{0};
    run_team(2, [&](TeamThread& me) {
      for (int step = 0; me.index() > 0 || step < 100; ++step) {
        if (me.index() == 0) most = std::max<int>(most, me.count());
        if (!me.regroup(me.index() == 0 && step == 99)) return;
      }
    });
    if (!smaller || Clock::now() - decided > std::chrono::milliseconds(2)) continue;  // the machine was busy
    ++tries;
    CHECK(most == 1);
  }
}

TEST_CASE("a team that thread 0 stops ends in all threads") {
  std::atomic<int> inside{0};
  for (int again = 0; again < 50; ++again)
    run_team(4, [&](TeamThread& me) {
      ++inside;
      for (int step = 0;; ++step)
        if (!me.regroup(me.index() == 0 && step > 20)) break;
      --inside;
    });
  CHECK(inside == 0);
}

TEST_CASE("a team inside a loop or another team is one thread") {
  const std::vector<long> alone = steps(1, 6, 50, 5).values;
  std::atomic<int> wrong{0};
  for_each(8, 2, [&](std::int64_t) {
    const StepsResult inside = steps(4, 6, 50, 5);
    if (inside.values != alone || inside.most != 1) ++wrong;
  });
  run_team(2, [&](TeamThread&) {
    const StepsResult inside = steps(4, 6, 50, 5);
    if (inside.values != alone || inside.most != 1) ++wrong;
  });
  CHECK(wrong == 0);
}

TEST_CASE("several callers have teams at the same time") {
  const std::vector<long> alone = steps(1, 9, 300, 4).values;
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (int t = 0; t < 6; ++t)
    callers.emplace_back([&] {
      for (int again = 0; again < 10; ++again)
        if (steps(4, 9, 300, 4).values != alone) ++wrong;
    });
  for (std::thread& caller : callers) caller.join();
  CHECK(wrong == 0);
}

TEST_CASE("a child of fork has a team of its own") {
  const std::vector<long> alone = steps(1, 9, 300, 4).values;
  CHECK(steps(3, 9, 300, 4).values == alone);
  CHECK(support::child_of_fork([&] { return steps(3, 9, 300, 4).values == alone ? 0 : 1; }) == 0);
}

TEST_CASE("the number of a team's threads follows the order and the limits") {
  const ThreadLimit limit(3);
  CHECK(team_threads(100) == 1);
  CHECK(team_threads(200) == std::min({4, 3, usable_cores()}));
  CHECK(team_threads(100000) == std::min(3, usable_cores()));
  CHECK(max_team_threads(149) == 1);
  CHECK(max_team_threads(299) == 4);
  CHECK(max_team_threads(1499) == 16);
  CHECK(max_team_threads(1500) == 64);
  int inside = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  inside = team_threads(100000);
  CHECK(inside == 1);
}
