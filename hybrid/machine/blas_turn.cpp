#include "hybrid/machine/blas_turn.hpp"

#include <cblas.h>
#include <omp.h>
#include <sys/mman.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <new>
#include <string>

#include "hybrid/error.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/machine/fork.hpp"
#include "hybrid/machine/tuning.hpp"

namespace eigen_g {

namespace {

// Per thread: the depth of nested turns, and the number of BLAS threads that ThreadLimit set (0: OpenBLAS's own).
thread_local int depth = 0;
thread_local int blas_limit = 0;

void set_blas_threads(int threads) {
  // The calling thread's number, which an OpenBLAS built with OpenMP changes.
  const int omp = omp_get_max_threads();
  openblas_set_num_threads(threads);
  omp_set_num_threads(omp);
}

// Address space that OpenBLAS maps once for each thread that calls it and for each of its own threads. If the mapping fails,
// OpenBLAS tries again for ever, so a turn checks beforehand that it can succeed.
constexpr std::uint64_t blas_buffer = (std::uint64_t{128} << 20) + (std::uint64_t{1} << 16);
// Address space of the stack of one thread, in addition.
constexpr std::uint64_t blas_stack = std::uint64_t{8} << 20;

void require_mappable(std::uint64_t bytes) {
  void* const p = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED)
    throw OutOfMemory(OutOfMemory::Where::host, "the host (for OpenBLAS)", bytes, host_memory_available());
  ::munmap(p, bytes);
}

class Gate {
 public:
  void enter(std::int64_t order) {
    const int threads_of_order = thread_tuning().of_order(order);
    std::unique_lock lock(mutex_);
    if (running_ == 0) own_ = openblas_get_num_threads();
    const bool one = threads_of_order == 1 || one_in_child();
    const int threads = one ? 1 : blas_limit > 0 ? blas_limit : std::min(by_default(), threads_of_order);
    const Kind kind = threads == 1 ? single : parallel;
    Waiter mine{++last_ticket_, {}};
    waiting_[kind].push_back(&mine);
    mine.go.wait(lock, [&] { return waiting_[kind].front() == &mine && may_begin(kind); });
    waiting_[kind].pop_front();
    if (kind != phase_) {
      phase_ = kind;
      phase_last_ = last_ticket_;
    }
    ++running_;
    threads_ = threads;
    try {
      provide(threads);
    } catch (...) {
      threads_ = own_;
      end();
      throw;
    }
    if (running_ == 1 && threads != own_) set_blas_threads(threads);
    wake_first();
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    end();
  }
  int threads_by_default() {
    const std::lock_guard lock(mutex_);
    if (running_ == 0) own_ = openblas_get_num_threads();
    return by_default();
  }

  // The mutex stays locked, so that no other thread can be inside it when the child is made.
  void hold() {
    std::unique_lock lock(mutex_);
    ++held_;
    ended_.wait(lock, [this] { return running_ == 0; });
    --held_;
    lock.release();
  }
  void release() {
    wake_first();
    mutex_.unlock();
  }
  // In a child that was made while this thread held the gate: no thread waits and no turn runs.
  void renew() {
    new (&mutex_) std::mutex;
    new (&ended_) std::condition_variable;
    for (auto& waiting : waiting_) waiting.clear();
    held_ = 0;
    max_threads_ = 0;  // OpenBLAS starts its threads again
  }

 private:
  enum Kind { single, parallel };
  struct Waiter {
    std::int64_t ticket;
    std::condition_variable go;  // one for each waiter: only the first of its kind can go on
  };

  // True if the first waiter of this kind may begin. A phase admits one kind of turn. It admits all that waited when it began,
  // and later arrivals while the queue of the other kind is empty.
  bool may_begin(Kind kind) const {
    if (held_ > 0) return false;
    const auto& other = waiting_[1 - kind];
    if (kind != phase_) return running_ == 0 && (other.empty() || other.front()->ticket > phase_last_);
    if (!other.empty() && waiting_[kind].front()->ticket > phase_last_) return false;
    return running_ == 0 || (kind == single && running_ < (limited_ ? 1 : cores_));
  }

  // Called before the first turn and before OpenBLAS starts more threads: checks that the address space is large enough for
  // their buffers.
  void provide(int threads) {
    const bool first = max_threads_ == 0;
    const int more = std::max(0, threads - std::max(max_threads_, own_));
    if (first) limited_ = address_space_limited();
    if (first || more > 0)
      require_mappable((first ? blas_buffer : 0) +
                       static_cast<std::uint64_t>(more) * (blas_buffer + blas_stack));
    if (first) {  // the call maps this thread's buffer
      double c = 0;
      cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, 1, 1, 1, &c, 1, 0, &c, 1);
    }
    max_threads_ = std::max({max_threads_, threads, own_});
  }
  void end() {
    if (--running_ == 0 && threads_ != own_) set_blas_threads(own_);
    if (running_ == 0 && held_ > 0) ended_.notify_all();
    wake_first();
  }
  // OpenBLAS's own number, which its variables or the program have set, and no more than the cores and the CPU quota allow.
  int by_default() const { return threads_set_by_user() ? own_ : std::min(own_, cores_); }
  // Threads of GCC's OpenMP do not exist in a child, and an OpenBLAS built with OpenMP would wait for them.
  static bool one_in_child() { return forks() > 0 && openblas_get_parallel() == OPENBLAS_OPENMP; }
  void wake_first() {
    for (const Kind kind : {single, parallel})
      if (!waiting_[kind].empty() && may_begin(kind)) waiting_[kind].front()->go.notify_one();
  }

  std::mutex mutex_;
  std::deque<Waiter*> waiting_[2];  // by kind, in order of arrival
  Kind phase_ = single;
  std::int64_t last_ticket_ = 0;
  std::int64_t phase_last_ = 0;    // last ticket that this phase admits while the other kind waits
  int running_ = 0, threads_ = 0;  // turns that run now, and the threads of each
  int own_ = 0;                    // OpenBLAS's number of threads outside turns
  int max_threads_ = 0;            // largest number of threads that OpenBLAS has had
  int held_ = 0;                   // threads that wait in hold(); no turn begins meanwhile
  std::condition_variable ended_;  // wakes the threads in hold()
  const int cores_ = usable_cores();
  bool limited_ = false;
};

Gate& gate() {
  static constinit MadeOnce<Gate> the_one;
  return the_one.get([] { return Gate(); });
}

}  // namespace

namespace at_fork {
void hold_turns() {
  gate().hold();
}
void release_turns() {
  gate().release();
}
void renew_turns() {
  gate().renew();
}
}  // namespace at_fork

BlasTurn::BlasTurn(std::int64_t order) {
  if (depth == 0) gate().enter(order);
  ++depth;
}
BlasTurn::~BlasTurn() {
  if (--depth == 0) gate().leave();
}

bool threads_limited() {
  return blas_limit > 0;
}

int blas_threads() {
  return blas_limit > 0 ? blas_limit : gate().threads_by_default();
}

void require_threads(int threads) {
  constexpr int most = 1 << 16;
  if (threads < 0 || threads > most)
    throw InvalidArgument("threads",
                          "is " + std::to_string(threads) + ", must be from 0 to " + std::to_string(most));
}

ThreadLimit::ThreadLimit(int threads) {
  require_threads(threads);
  const bool alone = address_space_limited();
  if (threads == 0 && !alone) return;
  blas_before_ = blas_limit;
  omp_before_ = omp_get_max_threads();
  if (threads > 0) blas_limit = std::min(threads, usable_cores());
  omp_set_num_threads(alone ? 1 : blas_limit);
}

ThreadLimit::~ThreadLimit() {
  if (omp_before_ == 0) return;
  blas_limit = blas_before_;
  omp_set_num_threads(omp_before_);
}

}  // namespace eigen_g
