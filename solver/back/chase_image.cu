// A thread block a tile. S = V^H V above the diagonal, and T (zlarft) by a thread a row:
//
//   T(r, i) = -tau_i sum_{r <= l < i} T(r, l) S(l, i),    T(i, i) = tau_i, scaled so that H_i is unitary: 2 Re tau = |tau|^2 v^H v.
#include "solver/back/chase_image.hpp"

#include "hybrid/cuda_check.hpp"
#include "hybrid/device_complex.cuh"
#include "hybrid/error.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/stream/shared_memory.hpp"
#include "solver/back/chase_factor.hpp"

namespace eigen_g {

namespace {

using Complex = DeviceComplex<double>;
constexpr int threads = 128, band = 32, width = 32, image_width = 2 * width, ld = width + 1;

std::size_t shared_bytes(const ChaseTiles& tiles) {
  return sizeof(Complex) * static_cast<std::size_t>(tiles.tile_size() + ld * width + width);
}

template <class T>
__global__ void __launch_bounds__(threads)
    image_kernel(ChaseTiles tiles, ChaseTiles images, const T* all_v, const T* all_tau, double* all_factors,
                 double* all_images) {
  extern __shared__ double2 memory[];
  Complex* const v = reinterpret_cast<Complex*>(memory);
  const int size = static_cast<int>(tiles.tile_size());
  Complex* const s = v + size;  // S(l, i) at [l + i ld], l < i; T(r, l) at [l + r ld], l >= r
  Complex* const tau = s + ld * width;
  const std::int64_t tile = blockIdx.x;
  for (int k = threadIdx.x; k < size; k += threads) {
    const T x = all_v[tile * size + k];
    v[k] = {x.re, x.im};
  }
  for (int k = threadIdx.x; k < width; k += threads) {
    const T x = all_tau[tile * width + k];
    tau[k] = {x.re, x.im};
  }
  __syncthreads();
  // v_j(i), i a row of the tile; stored from row 8 floor(j / 8) on.
  const auto v_at = [&](int i, int j) { return v[tiles.column(j) + i - j / 8 * 8]; };

  for (int k = threadIdx.x; k < width * width; k += threads) {
    const int i = k % width, j = k / width;
    if (i > j) continue;
    Complex sum[2] = {};  // from the small terms to the large ones, where v_j begins
    for (int row = i + band; row > j; row -= 2)
#pragma unroll
      for (int c = 0; c < 2; ++c)
        if (row - c > j) sum[c] = fma(conj_of(v_at(row - c, i)), v_at(row - c, j), sum[c]);
    const Complex total = sum[0] + sum[1];
    if (i < j) s[i + j * ld] = total;
    if (i == j && total.re > 0 && real_product(tau[j], tau[j]) > 0)
      tau[j] = 2 * tau[j].re / (real_product(tau[j], tau[j]) * total.re) * tau[j];
  }
  __syncthreads();

  const int r = threadIdx.x;
  if (r < width) {
    s[r + r * ld] = tau[r];
    for (int i = 1; i < width; ++i) {
      Complex sum[2] = {};
      for (int l = (i - 1) / 2 * 2; l >= 0; l -= 2)
#pragma unroll
        for (int c = 1; c >= 0; --c)
          if (l + c < i && l + c >= r) sum[c] = fma(s[l + c + r * ld], s[l + c + i * ld], sum[c]);
      __syncwarp();
      if (r < i) s[i + r * ld] = -(tau[i] * (sum[0] + sum[1]));
      __syncwarp();
    }
  }
  __syncthreads();

  // A column of the image has rows 8 floor(c / 8) ... + 2 band + 7; behind two of them is room.
  constexpr int rows = 2 * band + 8, pair = 2 * rows + 4;
  double* const image = all_images + tile * images.tile_size();
  for (int k = threadIdx.x; k < static_cast<int>(images.tile_size()); k += threads) {
    const int within = k % pair, j = k / pair, odd = within / rows;  // column 2 j + odd
    const int row = j / 4 * 8 + within % rows, i = row / 2;
    double x = 0;
    if (odd < 2 && i > j && i <= j + band) {
      const Complex z = v_at(i, j);
      x = odd == 0 ? (row % 2 == 0 ? z.re : z.im) : (row % 2 == 0 ? -z.im : z.re);
    }
    image[k] = x;
  }
  double* const factor = all_factors + tile * chase_factor_size(image_width);
  for (int k = threadIdx.x; k < image_width * image_width; k += threads) {
    const int i = k / image_width, l = k % image_width, row = i / 2, col = l / 2;
    if (i / 8 > l / 8) continue;
    double x = 0;
    if (row <= col) {
      const Complex t = s[col + row * ld];
      x = i % 2 == l % 2 ? t.re : i % 2 == 0 ? -t.im : t.im;
    }
    factor[chase_factor_place(image_width, i, l)] = -x;
  }
}

}  // namespace

template <class T>
void chase_image_factors(const Queue& queue, const ChaseTiles& tiles,
                         const ChaseReflectors<const T>& reflectors, std::int64_t first_group,
                         std::int64_t last_group, double* factors_dev, double* v_dev) {
  if (first_group > last_group) return;
  if (tiles.b != band) throw InvalidArgument(Argument::other, "a complex chase has bandwidth 32");
  const std::int64_t before = tiles.tiles_from(last_group + 1),
                     count = tiles.tiles_from(first_group) - before;
  const auto kernel = image_kernel<device_t<T>>;
  allow_shared_memory(kernel, shared_bytes(tiles));
  kernel<<<static_cast<unsigned>(count), threads, shared_bytes(tiles), queue.stream()>>>(
      tiles, chase_image(tiles), on_device(reflectors.v + before * tiles.tile_size()),
      on_device(reflectors.tau + before * tiles.width), factors_dev, v_dev);
  EIGEN_G_LAUNCHED();
}

template void chase_image_factors<std::complex<double>>(const Queue&, const ChaseTiles&,
                                                        const ChaseReflectors<const std::complex<double>>&,
                                                        std::int64_t, std::int64_t, double*, double*);
template void chase_image_factors<std::complex<float>>(const Queue&, const ChaseTiles&,
                                                       const ChaseReflectors<const std::complex<float>>&,
                                                       std::int64_t, std::int64_t, double*, double*);

}  // namespace eigen_g
