// The devices that work on a solve's large products at the same time, and an account of what each did. CUDA builds only.
#pragma once

#include <cstdint>
#include <future>
#include <optional>
#include <vector>

#include "hybrid/team/column_team.hpp"
#include "solver/devices/shares.hpp"

namespace eigen_g {

class SolveTeam {
 public:
  // Takes no memory and starts nothing before a product is cut. `first` must outlive it.
  SolveTeam(const Queue& first, Shares shares, ColumnTeam::Members members)
      : first_(&first), shares_(std::move(shares)), members_(std::move(members)) {}

  SolveTeam(const SolveTeam&) = delete;
  SolveTeam& operator=(const SolveTeam&) = delete;

  // Begins what takes long, in a thread of its own beside the reduction of a matrix: where the last merge, or the
  // back-transformation in blocks of `width` reflectors (0: it will not be cut), will be cut, makes the team, takes its staging
  // memory and has the further GPUs load what they will launch.
  //   v_dev, q_dev, z_dev   n x n, n x n, n x m: where the reflectors, Q and Z will stand; neither read nor written
  void prepare(MatrixView<const double> v_dev, MatrixView<double> q_dev, MatrixView<double> z_dev,
               std::int64_t width);

  // A share a device for the products that come next, which go into the account; empty: the first GPU does them alone.
  std::vector<double> take_shares(const ColumnProducts& products);
  // Waits for what prepare() has begun, and throws what that threw; else made at the first call.
  ColumnTeam& devices();

  // Of all products in the account each device's part, in the order of the shares; they add up to 1, or are empty where there
  // were none.
  std::vector<double> parts() const;
  // Seconds at work on cut products, likewise; empty where none was cut. Blocks until all have ended; counts from the last call.
  std::vector<double> take_seconds();
  // After devices(), or 0.
  std::uint64_t device_bytes() const { return team_ ? team_->device_bytes() : 0; }
  std::uint64_t pinned_bytes() const { return team_ ? team_->pinned_bytes() : 0; }

 private:
  const Queue* first_;
  Shares shares_;
  ColumnTeam::Members members_;
  std::vector<double> flops_;  // of each device
  std::optional<ColumnTeam> team_;
  std::future<ColumnTeam> coming_;  // ends before the members above
};

}  // namespace eigen_g
