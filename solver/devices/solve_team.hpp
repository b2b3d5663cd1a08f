// The devices that work on a solve's large products at the same time, and an account of what each did. CUDA builds only.
#pragma once

#include <cstdint>
#include <future>
#include <optional>
#include <vector>

#include "hybrid/team/column_team.hpp"
#include "solver/devices/shares.hpp"

namespace eigen_g {

// Products that may be cut over devices, and what devices beside the first do of them.
template <class T>
struct CutWork {
  ColumnProducts products;
  ColumnWork<T> work;
};

template <class T>
class SolveTeam {
 public:
  // Takes no memory and starts nothing before a product is cut. `first` must outlive it.
  SolveTeam(const Queue& first, Shares shares, TeamMembers members)
      : first_(&first), shares_(std::move(shares)), members_(std::move(members)) {}

  SolveTeam(const SolveTeam&) = delete;
  SolveTeam& operator=(const SolveTeam&) = delete;

  const std::vector<int>& further_gpus() const { return members_.gpus; }

  // The largest works that will come. As far as they will be cut, begins what takes long in a thread of its own, beside the
  // reduction of a matrix: makes the team, takes its staging memory and has the further GPUs load what they will launch. Only
  // the shapes of the works' matrices count. The second call and later ones do nothing.
  void prepare(const std::vector<CutWork<T>>& works);

  // A share a device for the products that come next, which go into the account; empty: the first GPU does them alone.
  std::vector<double> take_shares(const ColumnProducts& products);
  // Waits for what prepare() has begun, and throws what that threw; else made at the first call.
  ColumnTeam<T>& devices();

  // Of all products in the account since the last call each device's part, in the order of the shares; they add up to 1, or are
  // empty where there were none.
  std::vector<double> take_parts();
  // Seconds at work on cut products, likewise; empty where none was cut. Blocks until all have ended.
  std::vector<double> take_seconds();
  // After devices(), or 0.
  std::uint64_t device_bytes() const { return team_ ? team_->device_bytes() : 0; }
  std::uint64_t pinned_bytes() const { return team_ ? team_->pinned_bytes() : 0; }

 private:
  const Queue* first_;
  Shares shares_;
  TeamMembers members_;
  std::vector<double> flops_;  // of each device
  std::optional<ColumnTeam<T>> team_;
  bool prepared_ = false;
  std::future<ColumnTeam<T>> coming_;  // ends before the members above
};

}  // namespace eigen_g
