// Runs the divide and conquer by its host executor.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "solver/tridiagonal/dc_crew.hpp"
#include "solver/tridiagonal/dc_host.hpp"
#include "solver/tridiagonal/dc_secular.hpp"
#include "tests/support/matrices.hpp"

namespace support {

namespace dc = eigen_g::dc;

struct OnCpuResult {
  std::vector<double> w, z;  // z: n rows and a column for each value of w, or empty
  eigen_g::DivideAndConquerResult outcome;
};

// Columns beyond the number of pairs that the outcome gives stay NaN.
inline OnCpuResult dc_on_cpu(const std::vector<double>& d, const std::vector<double>& e, bool vectors = true,
                             const eigen_g::Selection& wanted = {}, dc::Index panel_columns = 100) {
  const auto n = static_cast<std::int64_t>(d.size());
  OnCpuResult r{d, std::vector<double>(static_cast<std::size_t>(vectors ? n * n : 0), nan), {}};
  r.outcome = dc::divide_and_conquer_on_host(
      n, r.w.data(), e.data(), {vectors ? r.z.data() : nullptr, n, n, std::max<std::int64_t>(1, n)}, wanted,
      panel_columns);
  if (r.outcome.status == eigen_g::Status::converged) {
    r.w.resize(static_cast<std::size_t>(r.outcome.found.count));
    if (vectors) r.z.resize(static_cast<std::size_t>(n * r.outcome.found.count));
  }
  return r;
}

// Also counts the steps of every root.
class CountingSteps : public dc::OnHost<double> {
 public:
  using dc::OnHost<double>::OnHost;
  void solve_secular(const dc::Batch<double>& batch) {
    for (dc::Index m = 0; m < batch.count; ++m) {
      const dc::Shape<double>& shape = batch.shapes[m];
      const dc::Arrays<double> x = batch.arrays.at(batch.merges[m].first);
      for (dc::Index j = 0; j < shape.k; ++j)
        max_steps_ = std::max(
            max_steps_,
            dc::secular_root(dc::OneThread{}, dc::Secular<double>{x.pole, x.weight, shape.k, shape.rho}, j)
                .steps);
    }
    dc::OnHost<double>::solve_secular(batch);
  }
  int max_steps() const { return max_steps_; }

 private:
  int max_steps_ = 0;
};

inline int max_secular_steps(std::vector<double> d, std::vector<double> e) {
  const auto n = static_cast<std::int64_t>(d.size());
  std::vector<double> w(d.size()), z(d.size() * d.size());
  const dc::Division division = dc::divide(d, e);
  const dc::Rows rows{0, static_cast<dc::Index>(n)};
  CountingSteps on(division, d, e, w.data(), rows, {z.data(), n, n, n}, 100);
  dc::solve_levels(on, division.tree, static_cast<dc::Index>(n), rows, {});
  return on.max_steps();
}

}  // namespace support
