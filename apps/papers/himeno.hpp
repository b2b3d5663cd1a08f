// The Himeno benchmark (paper 4): point Jacobi sweeps for a pressure Poisson equation in generalised coordinates, 19 points, float.
//
//   s = sum of the 18 neighbours of p(i, j, k), weighted by the coefficients a, b, c, + wrk1
//   ss = (a3 s - p) bnd,   p' = p + 0.8 ss
//   gosa = sum of ss^2 over the interior, in the last sweep
//
// Grid: mi x mj x mk points, k fastest. Interior: 1 <= i <= mi - 3, 1 <= j <= mj - 3, 1 <= k <= mk - 3, in all (mi - 3)(mj - 3)(mk - 3) points. All other
// points keep their values.
// Start: p = i^2 / (mi - 2)^2, a0 = a1 = a2 = c = bnd = 1, a3 = 1/6, b = wrk1 = 0.
// All of these are arrays in memory: a point costs 13 words read, one word written and 34 flops. The sweeps alternate between two arrays
// for p.
// gosa is summed in double, in an order that the grid fixes: the same bits for any number of threads or GPUs.
//
// Errors of the paper: the last extent of L is 513, the derivative in z is printed with dy^2, and gosa is summed in the last sweep only.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "hybrid/machine/cpu.hpp"
#include "hybrid/round_up.hpp"

namespace eigen_g::papers {

struct HimenoGrid {
  std::int64_t mi = 0, mj = 0, mk = 0;
  std::int64_t points() const { return (mi - 3) * (mj - 3) * (mk - 3); }  // interior
};
inline constexpr double himeno_flops = 34, himeno_bytes = 14 * 4.0;  // flops and bytes of a point in a sweep
inline constexpr int himeno_first_sweeps = 3,
                     himeno_sweeps = 503;  // numbers of sweeps after which gosa is checked

HimenoGrid himeno_grid(std::string_view size);  // "S", "M", "L", "XL"; throws InvalidArgument

// The layout of an array of a slab: planes of mj x row elements; (i, j, k) stands at (i mj + j) row + k + lead. Rows are padded so that
// k = 1 begins a line of 128 bytes.
struct HimenoLayout {
  std::int64_t mj = 0, row = 0;
  static constexpr std::int64_t lead = 31;
  explicit HimenoLayout(const HimenoGrid& grid) : mj(grid.mj), row(round_up(grid.mk, 32)) {}
  std::int64_t plane() const { return mj * row; }
  std::int64_t elements(std::int64_t planes) const { return planes * plane() + lead + 1; }
};

// The sweeps on the CPU.
class HimenoOnHost {
 public:
  explicit HimenoOnHost(const HimenoGrid& grid, int threads = 0);  // threads = 0: all; throws OutOfMemory
  // Computes `count` further sweeps and returns gosa of the last one.
  double sweep(int count);
  // Does what sweep() does, but sums gosa in float in the order of the points, as the paper's program does: other digits.
  double sweep_summing_in_float(int count);

 private:
  template <class AddRow>
  void sweep_once(AddRow add_row);
  float* array(int which) const {
    return arrays_[static_cast<std::size_t>(which)].get() + HimenoLayout::lead;
  }
  HimenoGrid grid_;
  HimenoLayout layout_;
  int threads_;
  std::vector<HostArray<float>> arrays_;
};

}  // namespace eigen_g::papers
