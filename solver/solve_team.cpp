#include "solver/solve_team.hpp"

#include <algorithm>
#include <numeric>

namespace eigen_g {

void SolveTeam::prepare(std::int64_t n, std::int64_t m, std::int64_t width) {
  const std::int64_t half = n - n / 2;
  const std::vector<double> merge = shares_.of(merge_products(n / 2, n / 2, half, half, n)),
                            back = shares_.of(width > 0 ? back_transform_products(n, width, m)
                                                        : ColumnProducts{});
  if (merge.empty() && back.empty()) return;
  ColumnTeam& team = devices();
  const auto of_cpu = [](const std::vector<double>& shares, std::int64_t columns) {
    return shares.empty() ? 0 : split_columns(columns, shares, column_granularity).back().count;
  };
  CpuShare share{n, std::max(of_cpu(merge, n), of_cpu(back, m)), 0, 2 * width};
  if (share.columns == 0) return;
  share.step_doubles = std::max(merge_step * (half + share.columns), width * (n + width));
  team.prepare(share);
}

std::vector<double> SolveTeam::take_shares(const ColumnProducts& products) {
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

ColumnTeam& SolveTeam::devices() {
  if (!team_) team_.emplace(*first_, members_);
  return *team_;
}

std::vector<double> SolveTeam::parts() const {
  std::vector<double> parts = flops_;
  const double all = std::accumulate(parts.begin(), parts.end(), 0.0);
  if (all <= 0) return {};
  for (double& part : parts) part /= all;
  return parts;
}

std::vector<double> SolveTeam::take_seconds() {
  return team_ ? team_->take_seconds() : std::vector<double>{};
}

}  // namespace eigen_g
