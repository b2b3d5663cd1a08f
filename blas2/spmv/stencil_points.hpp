// The neighbours and weights of a point of stencil.hpp, for the CPU and for a GPU.
#pragma once

#include <string>

#include "hybrid/error.hpp"
#include "hybrid/host_device.hpp"

namespace eigen_g::blas2 {

template <int points>
struct Stencil {
  static_assert(points == 7 || points == 19);
  static constexpr int neighbours = points - 1, centre = points == 7 ? 6 : 24;
};

struct Neighbour {
  int x, y, z, weight;
};
// Neighbour m: the six along an axis first, then the twelve along the diagonal of a face.
template <int points>
EIGEN_G_HOST_DEVICE constexpr Neighbour neighbour(Stencil<points>, int m) {
  if (m < 6) {
    const int axis = m / 2, side = 2 * (m % 2) - 1;
    return {axis == 0 ? side : 0, axis == 1 ? side : 0, axis == 2 ? side : 0, points == 7 ? 1 : 2};
  }
  const int face = (m - 6) / 4, s = 2 * (m % 2) - 1, t = 2 * (m / 2 % 2) - 1;  // face: xy, yz, zx
  return {face == 0   ? s
          : face == 2 ? t
                      : 0,
          face == 0   ? t
          : face == 1 ? s
                      : 0,
          face == 1   ? t
          : face == 2 ? s
                      : 0,
          1};
}

// Calls with(Stencil<points>()). Throws InvalidArgument (points) unless it is 7 or 19.
template <class With>
void with_stencil(int points, With with) {
  if (points == 7) return with(Stencil<7>());
  if (points == 19) return with(Stencil<19>());
  throw InvalidArgument("points", std::to_string(points) + "; must be 7 or 19");
}

}  // namespace eigen_g::blas2
