// CopyThreads: several threads that work on host memory without waiting for each other.
//
// A job is a sequence of chunks, and a chunk is a number of pieces. The caller opens the chunks one after another. Open pieces
// are claimed in order, one at a time, by the caller and by other threads. These threads sleep between jobs and are woken one
// by one. A thread that the system does not run claims nothing, so it delays no other thread. At a barrier, as OpenMP has it,
// all others would wait for such a thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace eigen_g {

class CopyThreads {
  class Work;

 public:
  CopyThreads() = default;
  ~CopyThreads();  // its jobs must have ended
  CopyThreads(const CopyThreads&) = delete;
  CopyThreads& operator=(const CopyThreads&) = delete;

  // The thread that created a Job makes all calls. Threads that are woken work on the newest job of the team.
  class Job {
   public:
    // Chunk k has pieces[k] > 0 pieces. At first no chunk is open. act(chunk, piece) does one piece and must not throw. At most
    // `max_helpers` threads are woken.
    Job(CopyThreads& team, const std::vector<std::int64_t>& pieces,
        std::function<void(std::int64_t chunk, std::int64_t piece)> act, std::int64_t max_helpers);
    ~Job();  // drops the unclaimed pieces and waits for the claimed ones
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;

    void open(std::int64_t chunks);       // opens the chunks 0 ... chunks - 1
    bool done(std::int64_t chunk) const;  // all pieces of the chunk are done and visible to this thread
    void call();                          // wakes one more thread, up to max_helpers
    bool help();                          // does a piece and calls call(); false if no piece is open

   private:
    CopyThreads& team_;
    const std::shared_ptr<Work> work_;
    const std::int64_t max_helpers_;
    std::int64_t called_ = 0;
  };

 private:
  void call(std::int64_t thread);
  void loop();

  std::vector<std::thread> threads_;  // created when first needed
  std::mutex mutex_;                  // guards the members below
  std::condition_variable changed_;
  std::shared_ptr<Work> newest_;
  int calls_ = 0;
  bool ending_ = false;
};

}  // namespace eigen_g
