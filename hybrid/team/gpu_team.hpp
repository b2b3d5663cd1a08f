// GpuTeam: several GPUs of one host that work on one problem at the same time, each with a host thread of its own. TeamEvents: the order of work
// on different GPUs. CUDA builds only.
//
// A member is a GPU with its thread. If the work of one member throws, the team is aborted: the other members throw at their next call of
// check(), meet() or TeamEvents, and run() throws the first exception. No wait of the host lasts longer than the work of the other members.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "hybrid/memory/resources.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/team/worker.hpp"

namespace eigen_g {

class GpuTeam {
 public:
  // gpus   CUDA's indices; the first one must be the current GPU of the threads that call run(). Starts the threads of the other members
  explicit GpuTeam(std::vector<int> gpus);
  GpuTeam(const GpuTeam&) = delete;
  GpuTeam& operator=(const GpuTeam&) = delete;

  int size() const { return static_cast<int>(gpus_.size()); }
  int gpu(int member) const { return gpus_[static_cast<std::size_t>(member)]; }
  // Lets each GPU access the memory of all others (reach_peer()). Returns true if the machine allows this for all pairs. Throws DeviceError.
  bool all_reach() const;

  // Runs work(member) for all members at the same time, each in its thread with its GPU current; member 0 in the calling thread. Returns when
  // all members have returned. Throws the first exception.
  void run(const std::function<void(int member)>& work);

  // For the work within run().
  // Throws if another member has thrown.
  void check() const;
  // Returns when all members have called meet() the same number of times. Throws as check(), and std::logic_error if a member has returned.
  void meet();
  // Returns when ready() is true. Throws as check(), and std::logic_error if member `of` has returned and ready() is false.
  template <class Ready>
  void wait_until(int of, const Ready& ready) const {
    for (std::int64_t turn = 0; !ready(); ++turn) {
      check();
      if (has_returned(of) && !ready()) throw_missing();
      pause(turn);
    }
  }

 private:
  struct Aborted {};
  bool has_returned(int member) const { return returned_[static_cast<std::size_t>(member)].load(); }
  [[noreturn]] static void throw_missing();
  static void pause(std::int64_t turn);
  void work_of(int member, const std::function<void(int)>& work);

  std::vector<int> gpus_;
  std::atomic<bool> aborted_{false};
  std::vector<std::atomic<bool>> returned_;
  std::atomic<std::int64_t> arrived_{0};  // calls of meet() of all members since run() began
  std::mutex mutex_;                      // guards first_
  std::exception_ptr first_;
  // The workers belong to members 1, 2, ... They are declared last, because their threads use the variables above.
  std::vector<std::unique_ptr<Worker>> workers_;
};

// Moments in the members' queues, for the order of work on different GPUs. Each member publishes moments with ascending numbers, and any
// member can let its queue wait for a published moment. A member must not be `ring` moments ahead of a member that will wait for them: between
// moments k and k + ring of a member, every other member must have let its queue wait for all moments up to k that it waits for.
class TeamEvents {
 public:
  static constexpr std::int64_t ring = 4;

  // Creates the events, from the resources of each member.
  TeamEvents(GpuTeam& team, const std::vector<Resources*>& resources);

  // Forgets all moments. Not within GpuTeam::run().
  void begin();
  // Moment `number` of `member` is the end of the work that is in `queue` now. Called by the member's thread.
  void publish(int member, const Queue& queue, std::int64_t number);
  // Later work of `queue` starts after moment `number` of member `of`. The host waits until that moment is published. Throws as
  // GpuTeam::wait_until(), and DeviceError.
  void hold(const Queue& queue, int of, std::int64_t number) const;

 private:
  struct OfMember {
    std::vector<Event> events;
    std::atomic<std::int64_t> next{0};  // one more than the last published number
  };
  GpuTeam& team_;
  std::vector<std::unique_ptr<OfMember>> members_;
};

}  // namespace eigen_g
