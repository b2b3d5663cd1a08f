#include "hybrid/transfer/copy_threads.hpp"

#include <atomic>
#include <numeric>
#include <set>

#include "tests/support/catch.hpp"

using eigen_g::CopyThreads;

namespace {

const std::vector<std::int64_t> pieces = {3, 1, 40, 7, 100, 1, 1, 25};

std::size_t index(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

TEST_CASE("every piece is copied once by any number of threads, and visible when its chunk is done") {
  CopyThreads team;
  for (const int helpers : {0, 1, 3, 7, 2, 0, 7})
    for (int round = 0; round < 30; ++round) {
      std::vector<std::vector<int>> times;  // not atomic: done() makes them visible
      for (const std::int64_t count : pieces) times.emplace_back(index(count), 0);
      CopyThreads::Job job(
          team, pieces, [&](std::int64_t chunk, std::int64_t piece) { ++times[index(chunk)][index(piece)]; },
          helpers);
      const auto chunks = static_cast<std::int64_t>(pieces.size());
      std::int64_t open = 0, wrong = 0;
      for (std::int64_t k = 0; k < chunks;) {
        if (open < std::min(chunks, k + 3)) job.open(++open);
        if (!job.done(k)) {
          job.help();
          continue;
        }
        for (const int n : times[index(k)]) wrong += n != 1;
        ++k;
      }
      CAPTURE(helpers, round);
      CHECK(wrong == 0);
      CHECK_FALSE(job.help());
    }
}

TEST_CASE("closed chunks are not begun, and pieces are begun in order") {
  CopyThreads team;
  std::vector<std::pair<std::int64_t, std::int64_t>> begun, expected;
  CopyThreads::Job job(
      team, pieces, [&](std::int64_t chunk, std::int64_t piece) { begun.emplace_back(chunk, piece); }, 0);
  CHECK_FALSE(job.help());
  for (std::int64_t k = 0; k < static_cast<std::int64_t>(pieces.size()); ++k) {
    CHECK_FALSE(job.done(k));
    job.open(k + 1);
    for (std::int64_t p = 0; p < pieces[index(k)]; ++p) {
      CHECK(job.help());
      expected.emplace_back(k, p);
    }
    CHECK_FALSE(job.help());
    CHECK(job.done(k));
  }
  CHECK(begun == expected);
}

TEST_CASE("a thread that does not go on holds up its own chunk and no other") {
  CopyThreads team;
  const std::thread::id here = std::this_thread::get_id();
  std::atomic<bool> go_on = false;
  std::atomic<std::int64_t> held = -1;
  CopyThreads::Job job(
      team, pieces,
      [&](std::int64_t chunk, std::int64_t) {
        if (std::this_thread::get_id() == here) return;
        held = chunk;
        while (!go_on) std::this_thread::yield();
      },
      1);
  const auto chunks = static_cast<std::int64_t>(pieces.size());
  job.open(chunks - 1);
  job.call();
  while (held < 0) std::this_thread::yield();
  while (job.help()) {
  }
  for (std::int64_t k = 0; k < chunks - 1; ++k) CHECK(job.done(k) == (k != held));
  go_on = true;
  job.open(chunks);
  while (!job.done(held) || !job.done(chunks - 1)) job.help();
}

TEST_CASE("the end of a job drops pieces that are not begun and waits for the others") {
  CopyThreads team;
  const std::int64_t all = std::accumulate(pieces.begin(), pieces.end(), std::int64_t{0});
  const std::thread::id here = std::this_thread::get_id();
  for (int round = 0; round < 100; ++round) {
    std::atomic<std::int64_t> begun = 0, ended = 0;
    {
      CopyThreads::Job job(
          team, pieces,
          [&](std::int64_t, std::int64_t) {
            ++begun;
            if (std::this_thread::get_id() != here) std::this_thread::sleep_for(std::chrono::milliseconds(2));
            ++ended;
          },
          3);
      job.open(4);
      for (int i = 0; i < 6; ++i) job.help();
    }
    const std::int64_t after = ended;
    CHECK(begun == after);
    CHECK(after >= 6);
    CHECK(after < all);
  }
  {
    CopyThreads::Job never_opened(
        team, pieces, [](std::int64_t, std::int64_t) {}, 3);
  }
  {
    CopyThreads::Job empty(
        team, {}, [](std::int64_t, std::int64_t) {}, 3);
  }
}

TEST_CASE("no more threads are called than allowed") {
  CopyThreads team;
  for (const int helpers : {0, 2, 5}) {
    std::mutex mutex;
    std::set<std::thread::id> seen;
    CopyThreads::Job job(
        team, {1000},
        [&](std::int64_t, std::int64_t) {
          const std::lock_guard lock(mutex);
          seen.insert(std::this_thread::get_id());
        },
        helpers);
    job.open(1);
    for (int i = 0; i < 20; ++i) job.call();
    while (!job.done(0)) job.help();
    CHECK(seen.size() <= static_cast<std::size_t>(helpers) + 1);
  }
}
