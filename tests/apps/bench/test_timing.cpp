// Calls that take turns.
#include "tests/support/catch.hpp"
#ifdef EIGEN_G_HAVE_CUDA
#include "apps/bench/timing.hpp"
#include "hybrid/stream/grid_barrier_seconds.hpp"
#include "hybrid/stream/queue.hpp"

using namespace eigen_g;
using namespace eigen_g::apps::bench;

TEST_CASE("a call with a preparation: each round prepares, and a failure ends its rounds alone", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  int prepared = 0, called = 0, failing = 0;
  TimingRule rule;
  rule.rounds = 4;
  const auto timings = time_in_turns(queue,
                                     {{"works", [&](std::int64_t) { ++called; }, [&] { ++prepared; }},
                                      {"fails",
                                       [&](std::int64_t) {
                                         if (++failing == 3) throw DeviceError("third time");
                                       },
                                       [] {}}},
                                     rule);
  CHECK(prepared == 5);  // one warms up
  CHECK(called == 5);
  CHECK(timings[0].rounds == 4);
  CHECK(timings[0].failure.empty());
  CHECK(timings[0].least <= timings[0].median);
  CHECK(timings[1].failure == "third time");
  CHECK(failing == 3);
}

TEST_CASE("back and forth: no call has always the same one before it", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  std::string order;
  TimingRule rule;
  rule.rounds = 2;
  rule.back_and_forth = true;
  time_in_turns(
      queue,
      {{"a", [&](std::int64_t) { order += 'a'; }, [] {}}, {"b", [&](std::int64_t) { order += 'b'; }, [] {}}},
      rule);
  CHECK(order == "abbaab");
}

TEST_CASE("a barrier over the grid costs between 0.1 and 100 microseconds", "[gpu]") {
  NEEDS_GPU();
  const Queue queue;
  const double seconds = grid_barrier_seconds(queue, queue.multiprocessors(), 128);
  CHECK(seconds > 1e-7);
  CHECK(seconds < 1e-4);
}
#endif
