// The Himeno benchmark (paper 4): point Jacobi of a pressure Poisson equation in generalised coordinates, 19 points, float.
//
//   s = sum of the 18 neighbours of p(i, j, k) with the coefficients a, b, c, + wrk1;   ss = (a3 s - p) bnd;   p' = p + 0.8 ss
//   gosa = sum of ss^2 over the interior, of the last sweep
//
// Grid mi x mj x mk, k fastest; interior 1 <= i <= mi - 3 and so on, (mi - 3)(mj - 3)(mk - 3) points; what is not interior stays.
// Start: p = i^2 / (mi - 2)^2, a0 = a1 = a2 = c = bnd = 1, a3 = 1/6, b = wrk1 = 0. All of these are arrays in memory: 13 words
// read, one written, 34 flops a point. Sweeps go to and fro between two arrays for p.
// Errors of the paper: L has 513 in its last extent, the derivative in z is printed with dy^2, gosa is summed in the last sweep
// only.
// gosa is summed in double in an order that the grid fixes: the same bits always, by any number of threads or GPUs.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "hybrid/machine/cpu.hpp"

namespace eigen_g::blas2 {

struct HimenoGrid {
  std::int64_t mi = 0, mj = 0, mk = 0;
  std::int64_t points() const { return (mi - 3) * (mj - 3) * (mk - 3); }  // interior
};
inline constexpr double himeno_flops = 34, himeno_bytes = 14 * 4.0;  // a point and sweep
inline constexpr int himeno_first_sweeps = 3, himeno_sweeps = 503;   // whose gosa is checked

HimenoGrid himeno_grid(std::string_view size);  // "S", "M", "L", "XL"; throws InvalidArgument

// The arrays of a slab: planes of mj x row elements, element (i, j, k) at (i mj + j) row + k + lead. Rows are padded so that
// k = 1 begins a line of 128 bytes.
struct HimenoLayout {
  std::int64_t mj = 0, row = 0;
  static constexpr std::int64_t lead = 31;
  explicit HimenoLayout(const HimenoGrid& grid) : mj(grid.mj), row((grid.mk + 31) / 32 * 32) {}
  std::int64_t plane() const { return mj * row; }
  std::int64_t elements(std::int64_t planes) const { return planes * plane() + lead + 1; }
};

// On the CPU. Throws OutOfMemory.
class HimenoOnHost {
 public:
  explicit HimenoOnHost(const HimenoGrid& grid, int threads = 0);
  // So many further sweeps; gosa of the last one.
  double sweep(int count);
  // The same with gosa as one float sum in the order of the points, as the paper's program: other digits.
  double sweep_summing_in_float(int count);

 private:
  template <class AddPlane>
  void sweep_once(AddPlane add_plane);
  float* array(int which) const {
    return arrays_[static_cast<std::size_t>(which)].get() + HimenoLayout::lead;
  }
  HimenoGrid grid_;
  HimenoLayout layout_;
  int threads_;
  std::vector<HostArray<float>> arrays_;
};

}  // namespace eigen_g::blas2
