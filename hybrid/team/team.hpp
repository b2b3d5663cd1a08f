// A team of threads that compute together, with barriers between short steps.
//
// A loop (loops.hpp) cannot share steps of a few microseconds: it costs more to hand them out. The threads of a team all run one body, and
// wait for each other in its barriers. A thread that waits polls as long as it worked before, at least for 10 to 20 microseconds and at most
// for about 0.2 milliseconds, and then sleeps. So a team on a busy machine is slow, but it does not stand still.
//
// The calling thread is thread 0. All other threads are the library's helpers (helpers.hpp). They join when they arrive: a team may begin with
// one thread, and it grows whenever it regroups. If helpers are busy with other work, the team stays small.
//
// Threads that other programs or libraries keep busy make a team slow, because all threads wait for the one that does not run. The threads
// of an OpenBLAS, for example, look for work for some 30 milliseconds after a call. So thread 0 measures how long it waits. If it waits much
// longer than it works, half of the threads leave at the next step, and three of four if one has lost its core. The teams of the process try more
// threads again after some milliseconds, and after a longer time each time that this fails.
//
// So results must not depend on the number of threads, and the body of a thread that joins begins wherever the team is at that time
// (TeamThread::late). A thread may leave and join again.
//
//   run_team(threads, [&](TeamThread& me) {
//     for (step = me.late() ? next_step : 0; step < steps; ++step) {
//       ... this thread's part of the step ...
//       me.barrier();
//       ... the part that reads what others have written ...
//       if (me.index() == 0) next_step = step + 1;
//       if (!me.regroup()) return;
//     }
//   });
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

namespace eigen_g {

class TeamOfThreads;

class TeamThread {
 public:
  int index() const { return index_; }  // 0 ... count - 1
  int count() const { return count_; }  // threads of the team, until the team regroups
  bool late() const { return late_; }   // this thread joined when the team regrouped
  // All threads of the team wait for each other. Afterwards each thread sees all that the threads wrote before.
  void barrier() {
    if (count_ > 1) wait_for_all();
  }
  // A barrier after which the team may have fewer threads. False: this thread has left the team, and its body must return.
  bool step() { return !team_ || change(false, false); }
  // A step after which the team may also have more threads. Thread 0 never leaves, unless it asks for the end with `stop`: then all threads leave.
  bool regroup(bool stop = false) { return team_ ? change(true, stop) : !stop; }

 private:
  friend TeamOfThreads;
  TeamThread(TeamOfThreads* team, int index, int count, std::uint32_t epoch, std::uint32_t changes,
             std::uint64_t now)
      : team_(team),
        index_(index),
        count_(count),
        epoch_(epoch),
        changes_(changes),
        waited_at_(now),
        late_(epoch > 0) {}
  void wait_for_all();
  bool change(bool grow, bool stop);

  TeamOfThreads* team_;  // null: this thread is alone for good
  int index_, count_;
  std::uint32_t epoch_;      // number of barriers so far
  std::uint32_t changes_;    // changes of the number of threads so far
  std::uint64_t waited_at_;  // when this thread waited the last time, by the clock of the team
  bool late_;
};

namespace team {
using Body = void (*)(const void* body, TeamThread& thread);
void run(int threads, Body body, const void* data);
}  // namespace team

// Runs body(TeamThread&) in up to `threads` threads at the same time. The body must not throw.
template <class Body>
void run_team(int threads, const Body& body) {
  team::run(
      threads, [](const void* p, TeamThread& thread) { (*static_cast<const Body*>(p))(thread); }, &body);
}

// Number of threads of the calling thread's team for a matrix of this order: core_threads(), and no more than max_team_threads(order).
int team_threads(std::int64_t order);
// Upper bound of team_threads(order), which depends on the order alone.
int max_team_threads(std::int64_t order);

}  // namespace eigen_g
