#include "hybrid/team/gpu_team.hpp"

#include <stdexcept>
#include <thread>
#include <utility>

#include "hybrid/transfer/peer.hpp"

namespace eigen_g {

GpuTeam::GpuTeam(std::vector<int> gpus) : gpus_(std::move(gpus)), returned_(gpus_.size()) {
  for (std::size_t member = 1; member < gpus_.size(); ++member)
    workers_.push_back(std::make_unique<Worker>());
}

bool GpuTeam::all_reach() const {
  bool all = true;
  for (const int from : gpus_)
    for (const int to : gpus_)
      if (from != to && !reach_peer(from, to)) all = false;
  return all;
}

void GpuTeam::run(const std::function<void(int)>& work) {
  aborted_ = false;
  first_ = nullptr;
  arrived_ = 0;
  for (std::atomic<bool>& returned : returned_) returned = false;
  for (std::size_t k = 0; k < workers_.size(); ++k)
    workers_[k]->start([this, &work, member = static_cast<int>(k) + 1] { work_of(member, work); });
  work_of(0, work);
  for (const std::unique_ptr<Worker>& worker : workers_) worker->wait();
  if (first_) std::rethrow_exception(std::exchange(first_, nullptr));
}

// Throws nothing.
void GpuTeam::work_of(int member, const std::function<void(int)>& work) {
  const auto note = [this] {
    const std::lock_guard lock(mutex_);
    if (!first_) first_ = std::current_exception();
  };
  try {
    const CurrentGpu on(gpu(member));
    cudaGetLastError();  // clears an error of earlier work of this thread
    work(member);
  } catch (const Aborted&) {  // the exception of another member is the cause
  } catch (...) {
    note();
    aborted_ = true;
  }
  returned_[static_cast<std::size_t>(member)] = true;
}

void GpuTeam::check() const {
  if (aborted_) throw Aborted();
}

void GpuTeam::meet() {
  const std::int64_t members = size(), before = arrived_.fetch_add(1), end = (before / members + 1) * members;
  for (std::int64_t turn = 0; arrived_ < end; ++turn) {
    check();
    for (int member = 0; member < size(); ++member)
      if (has_returned(member) && arrived_ < end) throw_missing();
    pause(turn);
  }
}

void GpuTeam::throw_missing() {
  throw std::logic_error("a member of a team of GPUs returned before the others had its results");
}

// Polls at first, because most waits are short.
void GpuTeam::pause(std::int64_t turn) {
  if (turn > 2000) {
    std::this_thread::yield();
    return;
  }
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

TeamEvents::TeamEvents(GpuTeam& team, const std::vector<Resources*>& resources) : team_(team) {
  for (int member = 0; member < team.size(); ++member) {
    const CurrentGpu on(team.gpu(member));
    members_.push_back(std::make_unique<OfMember>());
    for (std::int64_t k = 0; k < ring; ++k)
      members_.back()->events.emplace_back(*resources[static_cast<std::size_t>(member)]);
  }
}

void TeamEvents::begin() {
  for (const std::unique_ptr<OfMember>& member : members_) member->next = 0;
}

void TeamEvents::publish(int member, const Queue& queue, std::int64_t number) {
  OfMember& own = *members_[static_cast<std::size_t>(member)];
  own.events[static_cast<std::size_t>(number % ring)].record(queue);
  own.next.store(number + 1, std::memory_order_release);
}

void TeamEvents::hold(const Queue& queue, int of, std::int64_t number) const {
  const OfMember& other = *members_[static_cast<std::size_t>(of)];
  team_.wait_until(of, [&] { return other.next.load(std::memory_order_acquire) > number; });
  other.events[static_cast<std::size_t>(number % ring)].hold(queue);
}

}  // namespace eigen_g
