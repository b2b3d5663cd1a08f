#include "hybrid/machine/blas_turn.hpp"

#include <cblas.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "hybrid/error.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/tuning.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/skip.hpp"

using namespace eigen_g;

namespace {

const std::int64_t one_thread_order = ThreadTuning().rows[0].max_order;

// Runs work(i) in thread i = 0 ... count - 1.
template <class Work>
void in_threads(int count, const Work& work) {
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t) threads.emplace_back([&work, t] { work(t); });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

TEST_CASE("a turn has the number of threads that its work and its thread's limit give, and gives it back") {
  const int before = openblas_get_num_threads();
  {
    const BlasTurn large;
    CHECK(openblas_get_num_threads() == before);
    const BlasTurn within(1);  // belongs to the first turn
    CHECK(openblas_get_num_threads() == before);
  }
  {
    const BlasTurn small(one_thread_order);
    CHECK(openblas_get_num_threads() == 1);
  }
  CHECK(openblas_get_num_threads() == before);
  {
    const ThreadLimit one(1);
    const BlasTurn turn;
    CHECK(openblas_get_num_threads() == 1);
    CHECK(blas_threads() == 1);
  }
  CHECK(openblas_get_num_threads() == before);
  CHECK(blas_threads() == before);
}

TEST_CASE("turns of several threads never overlap others, turns of one thread do") {
  std::atomic<int> large{0}, small{0}, max_small{0}, clashes{0};
  in_threads(8, [&](int t) {
    for (int i = 0; i < 50; ++i) {
      const bool alone = (t + i) % 4 == 0;
      const ThreadLimit limit(alone ? 0 : 1);
      const BlasTurn turn;
      std::atomic<int>& own = alone && blas_threads() > 1 ? large : small;
      const int together = ++own;
      if (large > 1 || (large == 1 && small > 0)) ++clashes;
      if (&own == &small) max_small = std::max(max_small.load(), together);
      if (&own == &small && openblas_get_num_threads() != 1) ++clashes;
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      --own;
    }
  });
  CHECK(clashes == 0);
  CHECK(max_small <= usable_cores());
  if (usable_cores() > 1) CHECK(max_small > 1);
}

TEST_CASE("turns of one kind that wait together run together") {
  if (blas_threads() == 1) SKIP_TEST("OpenBLAS has one thread");
  std::string order;
  for (int attempt = 0; attempt < 5 && order != "PPss"; ++attempt) {  // a thread may come late
    order.clear();
    std::mutex mutex;
    std::vector<std::thread> threads;
    {
      const BlasTurn small(1);
      for (const char kind : {'P', 's', 'P', 's'}) {
        threads.emplace_back([&, kind] {
          const BlasTurn turn(kind == 's' ? 1 : one_thread_order + 1);
          const std::lock_guard lock(mutex);
          order += kind;
        });
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    }
    for (std::thread& thread : threads) thread.join();
  }
  CHECK(order == "PPss");
}

TEST_CASE("a thread's limit is its own") {
  const int before = blas_threads();
  const ThreadLimit one(1);
  int elsewhere = 0;
  in_threads(1, [&](int) { elsewhere = blas_threads(); });
  CHECK(elsewhere == before);
}

TEST_CASE("an invalid number of threads is refused, one beyond the cores is limited to the cores") {
  for (const int threads : {-1, INT_MIN, 65537, INT_MAX})
    CHECK_THROWS_AS(ThreadLimit(threads), InvalidArgument);
  const ThreadLimit many(65536);
  CHECK(blas_threads() == usable_cores());
}

TEST_CASE("OpenBLAS has the program's number of threads after a turn, and no more in a turn") {
  const int before = openblas_get_num_threads();
  for (const int own : {1, 2, 3}) {
    openblas_set_num_threads(own);
    for (const std::int64_t order : {std::int64_t{10}, std::int64_t{500}, std::int64_t{100000}}) {
      const BlasTurn turn(order);
      CHECK(openblas_get_num_threads() <= own);
    }
    CHECK(openblas_get_num_threads() == own);
    const ThreadLimit two(2);
    { const BlasTurn turn(500); }
    CHECK(openblas_get_num_threads() == own);
  }
  openblas_set_num_threads(before);
}
