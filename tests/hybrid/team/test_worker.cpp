#include "hybrid/team/worker.hpp"

#include <atomic>
#include <chrono>
#include <stdexcept>

#include "tests/support/catch.hpp"

using eigen_g::Worker;

TEST_CASE("work is done in another thread, one piece after the other") {
  Worker worker;
  worker.wait();  // nothing to wait for
  std::vector<int> done;
  std::thread::id thread;
  for (int i = 0; i < 100; ++i) {
    worker.start([&, i] {
      thread = std::this_thread::get_id();
      done.push_back(i);
    });
    worker.wait();
    REQUIRE(done.size() == static_cast<std::size_t>(i) + 1);
  }
  CHECK(done.back() == 99);
  CHECK(thread != std::this_thread::get_id());
}

TEST_CASE("an exception of the work reaches the waiting thread once, and the worker continues") {
  Worker worker;
  worker.start([] { throw std::runtime_error("a fault"); });
  CHECK_THROWS_WITH(worker.wait(), "a fault");
  CHECK_NOTHROW(worker.wait());
  bool done = false;
  worker.start([&] { done = true; });
  worker.wait();
  CHECK(done);
}

TEST_CASE("a worker ends after the work that it has") {
  std::atomic<bool> done = false;
  {
    Worker worker;
    worker.start([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      done = true;
    });
  }
  CHECK(done);
}
