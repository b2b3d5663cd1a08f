// SolveTeam: the devices that work on a solve's large products at the same time, and a record of the work of each. CUDA builds only.
#pragma once

#include <cstdint>
#include <future>
#include <optional>
#include <vector>

#include "hybrid/team/column_team.hpp"
#include "solver/devices/shares.hpp"

namespace eigen_g {

// Products that can be cut over devices: their cost, and the part of them that helpers do.
template <class T>
struct CutWork {
  ColumnProducts products;
  ColumnWork<T> work;
};

template <class T>
class SolveTeam {
 public:
  // Allocates nothing and starts nothing before a product is cut. `first` must outlive the team.
  SolveTeam(const Queue& first, ShareRule shares, Helpers members)
      : first_(&first), shares_(std::move(shares)), members_(std::move(members)) {}

  SolveTeam(const SolveTeam&) = delete;
  SolveTeam& operator=(const SolveTeam&) = delete;

  const std::vector<int>& helper_gpus() const { return members_.gpus; }

  // Prepares for the largest works that will come, if they will be cut. The slow part runs in a thread of its own during the reduction of
  // the matrix. It makes the team, allocates its staging memory, and lets the helper GPUs load their kernels. Only the shapes of the
  // works' matrices matter. The second and later calls do nothing.
  void prepare(const std::vector<CutWork<T>>& works);

  // The share of each device for the next products, which are added to the record; empty: the first GPU does them alone.
  std::vector<double> take_shares(const ColumnProducts& products);
  // The team. Waits for the work that prepare() started and throws its exceptions. Without prepare() the first call makes the team.
  ColumnTeam<T>& devices();

  // Each device's part of all products recorded since the last call, in the order of the shares. The parts add up to 1; empty if no
  // product was recorded.
  std::vector<double> take_work_shares();
  // Seconds that each device worked on cut products since the last call, in the order of the shares; empty if no product was cut. Blocks
  // until all of them have ended.
  std::vector<double> take_seconds();
  // Memory of the team; 0 before devices().
  std::uint64_t device_bytes() const { return team_ ? team_->device_bytes() : 0; }
  std::uint64_t pinned_bytes() const { return team_ ? team_->pinned_bytes() : 0; }
  // Adds the team's memory to the report, and the part and the seconds of each device that worked since the last call. The report has the
  // first GPU already. Blocks as take_seconds().
  void account(Report& report);

 private:
  const Queue* first_;
  ShareRule shares_;
  Helpers members_;
  std::vector<double> flops_;  // flops of each device since the last take_work_shares()
  std::optional<ColumnTeam<T>> team_;
  bool prepared_ = false;
  std::future<ColumnTeam<T>> coming_;  // last member: it ends before the others are destroyed
};

}  // namespace eigen_g
