#include "solver/devices/solve_team.hpp"

#include <algorithm>
#include <numeric>

#include "gemm_df/tuning.hpp"
#include "hybrid/machine/device.hpp"
#include "solver/back/team_reflectors.hpp"
#include "solver/back/triangular_factor.hpp"
#include "solver/tridiagonal/dc_large_product.hpp"

namespace eigen_g {

void SolveTeam::prepare(MatrixView<const double> v_dev, MatrixView<double> q_dev, MatrixView<double> z_dev,
                        std::int64_t width) {
  const std::int64_t n = v_dev.rows, m = z_dev.cols, half = n - n / 2;
  const std::vector<double> merge = shares_.of(merge_products(n / 2, n / 2, half, half, n)),
                            back = shares_.of(width > 0 ? back_transform_products(n, width, m)
                                                        : ColumnProducts{});
  if (merge.empty() && back.empty()) return;
  const auto make = [=, this, gpu = current_gpu()] {
    const CurrentGpu current(gpu);
    ColumnTeam team(*first_, members_);
    const auto of_cpu = [](const std::vector<double>& shares, std::int64_t columns) {
      return shares.empty() ? 0 : split_columns(columns, shares, column_granularity).back().count;
    };
    CpuShare share{n, std::max(of_cpu(merge, n), of_cpu(back, m)), 0, 2 * width};
    constexpr std::int64_t padding = 16;  // of a copied column, at most
    share.step_doubles = std::max(merge_step * (half + padding) + (merge_step + padding) * share.columns,
                                  width * (n + width + 2 * padding));
    team.prepare(share);
    if (!back.empty()) {
      const ReflectorBlocks blocks{n, width};
      std::vector<ReflectorBlock> list;
      for (std::int64_t b = blocks.count() - 1; b >= 0; --b) {
        const std::int64_t first = blocks.first(b), k = blocks.columns(b);
        list.push_back({first, v_dev.block(first, first, blocks.rows(b), k), v_dev.block(0, 0, k, k)});
      }
      team.rehearse(cut_reflectors(list, z_dev), back, column_granularity);
    }
    if (!merge.empty()) {
      using dc::Index;
      const auto order = static_cast<Index>(n), upper = static_cast<Index>(n / 2);
      const dc::Shape nothing_deflates{order, upper, 0, order - upper, 0};
      team.rehearse(dc::cut_merge({0, order, upper}, nothing_deflates, {0, order}, q_dev, q_dev), merge,
                    column_granularity);
    }
    return team;
  };
  coming_ = std::async(std::launch::async, make);
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
  if (coming_.valid())
    team_ = coming_.get();
  else if (!team_)
    team_.emplace(*first_, members_);
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
