#include "hybrid/transfer/copy_threads.hpp"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <utility>

namespace eigen_g {

// The state of a job that its threads share. A thread may look at it after the job has ended and then finds no piece to claim.
class CopyThreads::Work {
 public:
  Work(const std::vector<std::int64_t>& pieces, std::function<void(std::int64_t, std::int64_t)> act)
      : act_(std::move(act)), first_(1, 0), left_(pieces.size()) {
    for (std::size_t k = 0; k < pieces.size(); ++k) {
      first_.push_back(first_.back() + pieces[k]);
      left_[k] = pieces[k];
    }
  }
  void open(std::int64_t chunks) {
    limit_.store(first_[static_cast<std::size_t>(chunks)], std::memory_order_release);
  }
  bool all_claimed() const { return next_.load(std::memory_order_relaxed) >= first_.back(); }
  bool done(std::int64_t chunk) const {
    return left_[static_cast<std::size_t>(chunk)].load(std::memory_order_acquire) == 0;
  }

  // Does one piece. False if no piece is both open and unclaimed.
  bool one() {
    std::int64_t p = next_.load(std::memory_order_relaxed);
    do {
      if (p >= limit_.load(std::memory_order_acquire)) return false;
    } while (!next_.compare_exchange_weak(p, p + 1, std::memory_order_relaxed));
    const auto after = std::upper_bound(first_.begin(), first_.end(), p);
    const auto chunk = after - first_.begin() - 1;
    act_(chunk, p - *(after - 1));
    left_[static_cast<std::size_t>(chunk)].fetch_sub(1, std::memory_order_release);
    return true;
  }

  void stop() {
    const std::int64_t claimed = next_.exchange(first_.back(), std::memory_order_relaxed);
    for (std::size_t k = 0; first_[k] < claimed; ++k) {
      const std::int64_t unclaimed = std::max<std::int64_t>(0, first_[k + 1] - claimed);
      while (left_[k].load(std::memory_order_acquire) > unclaimed) std::this_thread::yield();
    }
  }

 private:
  const std::function<void(std::int64_t, std::int64_t)> act_;
  std::vector<std::int64_t> first_;  // first piece of each chunk; the last entry is the number of pieces
  std::vector<std::atomic<std::int64_t>> left_;  // pieces of each chunk that are not yet done
  std::atomic<std::int64_t> next_ = 0;           // next piece to be claimed
  std::atomic<std::int64_t> limit_ = 0;          // first piece that is not open
};

CopyThreads::~CopyThreads() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void CopyThreads::call(std::int64_t thread) {
  {
    const std::lock_guard lock(mutex_);
    ++calls_;
  }
  changed_.notify_one();
  if (thread < static_cast<std::int64_t>(threads_.size())) return;
  try {
    threads_.emplace_back([this] { loop(); });
  } catch (const std::system_error&) {  // no more threads: the existing ones do the work
  }
}

void CopyThreads::loop() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return calls_ > 0 || ending_; });
    if (ending_) return;
    --calls_;
    const std::shared_ptr<Work> work = newest_;
    lock.unlock();
    while (!work->all_claimed())
      if (!work->one()) std::this_thread::yield();
    lock.lock();
  }
}

CopyThreads::Job::Job(CopyThreads& team, const std::vector<std::int64_t>& pieces,
                      std::function<void(std::int64_t, std::int64_t)> act, std::int64_t max_helpers)
    : team_(team), work_(std::make_shared<Work>(pieces, std::move(act))), max_helpers_(max_helpers) {
  const std::lock_guard lock(team_.mutex_);
  team_.newest_ = work_;
  team_.calls_ = 0;
}

CopyThreads::Job::~Job() {
  work_->stop();
}

void CopyThreads::Job::open(std::int64_t chunks) {
  work_->open(chunks);
}

bool CopyThreads::Job::done(std::int64_t chunk) const {
  return work_->done(chunk);
}

void CopyThreads::Job::call() {
  if (called_ < max_helpers_) team_.call(called_++);
}

bool CopyThreads::Job::help() {
  if (!work_->one()) return false;
  call();
  return true;
}

}  // namespace eigen_g
