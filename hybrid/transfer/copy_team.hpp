// Work on host memory by several threads, none of which is waited for.
//
// A job is a row of chunks, a chunk a number of pieces. Pieces are claimed in order, one at a time, by whoever has time:
// the caller, who opens the chunks in turn, and threads that sleep between jobs and are called one after the other. A
// thread that the system does not let run claims nothing and holds nobody up. At a barrier (OpenMP's) all others would
// wait for it: 3 to 7 ms a chunk, measured where as many threads as cores copied and something else ran too.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace eigen_g {

class CopyTeam {
  class Work;

 public:
  CopyTeam() = default;
  ~CopyTeam();  // after all of its jobs
  CopyTeam(const CopyTeam&) = delete;
  CopyTeam& operator=(const CopyTeam&) = delete;

  // All calls by the thread that made it. Threads that are called come to the newest job of the team.
  class Job {
   public:
    // pieces[k] > 0: those of chunk k. No chunk is open yet. act(chunk, piece) does one of them and does not throw.
    Job(CopyTeam& team, const std::vector<std::int64_t>& pieces,
        std::function<void(std::int64_t chunk, std::int64_t piece)> act, std::int64_t max_helpers);
    ~Job();  // leaves out what is not claimed, waits for what is
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;

    void open(std::int64_t chunks);       // the chunks before this one may be worked on
    bool done(std::int64_t chunk) const;  // all of its pieces are, and this thread sees it
    void call();                          // one more thread, unless all are that may be
    bool help();  // does a piece and calls a thread; false where there is no piece now

   private:
    CopyTeam& team_;
    const std::shared_ptr<Work> work_;
    const std::int64_t max_helpers_;
    std::int64_t called_ = 0;
  };

 private:
  void call(std::int64_t thread);
  void loop();

  std::vector<std::thread> threads_;  // made when they are called first
  std::mutex mutex_;                  // guards what follows
  std::condition_variable changed_;
  std::shared_ptr<Work> newest_;
  int calls_ = 0;
  bool ending_ = false;
};

}  // namespace eigen_g
