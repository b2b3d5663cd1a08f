#include "solver/devices/solve_team.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "gemm_df/tuning.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/machine/cpu.hpp"
#include "hybrid/machine/device.hpp"

namespace eigen_g {

template <class T>
void SolveTeam<T>::prepare(const std::vector<CutWork<T>>& works) {
  if (std::exchange(prepared_, true)) return;
  std::vector<ExpectedWork<T>> expected;
  for (const CutWork<T>& cut : works)
    if (std::vector<double> shares = shares_.of(cut.products); !shares.empty())
      expected.push_back({cut.work, std::move(shares)});
  if (expected.empty()) return;
  coming_ = std::async(std::launch::async, [this, expected = std::move(expected), gpu = current_gpu()] {
    const CurrentGpu current(gpu);
    ColumnTeam<T> team(*first_, members_);
    team.prepare(expected, column_granularity);
    return team;
  });
}

template <class T>
std::vector<double> SolveTeam<T>::take_shares(const ColumnProducts& products) {
  std::vector<double> shares = shares_.of(products);
  flops_.resize(std::max({flops_.size(), shares.size(), std::size_t{1}}));
  const double flops = products.column_flops * static_cast<double>(products.columns);
  if (shares.empty()) {
    flops_.front() += flops;
  } else {
    const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (std::size_t i = 0; i < shares.size(); ++i) flops_[i] += flops * shares[i] / all;
  }
  return shares;
}

template <class T>
ColumnTeam<T>& SolveTeam<T>::devices() {
  if (coming_.valid())
    team_ = coming_.get();
  else if (!team_)
    team_.emplace(*first_, members_);
  return *team_;
}

template <class T>
std::vector<double> SolveTeam<T>::take_work_shares() {
  std::vector<double> shares = std::exchange(flops_, {});
  const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
  if (all <= 0) return {};
  for (double& part : shares) part /= all;
  return shares;
}

template <class T>
std::vector<double> SolveTeam<T>::take_seconds() {
  return team_ ? team_->take_seconds() : std::vector<double>{};
}

template <class T>
void SolveTeam<T>::account(Report& report) {
  report.bytes.device += device_bytes();
  report.bytes.host += pinned_bytes();
  const std::vector<double> shares = take_work_shares(), seconds = take_seconds();
  if (!shares.empty()) report.devices.front().share = shares.front();
  if (!seconds.empty()) report.devices.front().seconds = seconds.front();
  for (std::size_t i = 1; i < shares.size(); ++i) {
    if (shares[i] <= 0) continue;
    if (i <= members_.gpus.size()) {
      const Device& gpu = gpu_facts(members_.gpus[i - 1]);
      report.devices.push_back({gpu.name, gpu.index, gpu.multiprocessors, shares[i], seconds[i]});
    } else {
      report.devices.push_back({cpu_name(), -1, 0, shares[i], seconds[i]});
    }
  }
}

EIGEN_G_INSTANTIATE_CLASS(real_types, SolveTeam);

}  // namespace eigen_g
