// Tests of timing calls in turns.
#include "apps/support/timing.hpp"

#include "hybrid/error.hpp"
#include "tests/support/catch.hpp"
#ifdef EIGEN_G_HAVE_CUDA
#include "hybrid/stream/grid_barrier_seconds.hpp"
#include "hybrid/stream/queue.hpp"
#endif

using namespace eigen_g;
using namespace eigen_g::apps;

TEST_CASE("quantiles") {
  CHECK(quantile({3}, 0.5) == 3);
  CHECK(quantile({4, 1, 2, 3}, 0.5) == 2.5);
  CHECK(quantile({5, 1, 2}, 0) == 1);
  CHECK(quantile({5, 1, 2}, 1) == 5);
  CHECK(quantile({1, 2, 3, 4, 5}, 0.25) == 2);
  CHECK(median({5, 1, 2}) == 2);
  CHECK_THROWS_AS(quantile({}, 0.5), InvalidArgument);
  CHECK_THROWS_AS(quantile({1}, 1.5), InvalidArgument);
}

#ifdef EIGEN_G_HAVE_CUDA

TEST_CASE("a call with a preparation: each round prepares, and a failure ends only its rounds", "[gpu]") {
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

TEST_CASE("back and forth: no call always follows the same other call", "[gpu]") {
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
