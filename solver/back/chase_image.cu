// V and T of complex tiles, written as their real image or in planes. Each thread block has one tile. It computes S = V^H V above the
// diagonal, then each thread computes a row of T (zlarft):
//
//   T(r, i) = -tau_i sum_{r <= l < i} T(r, l) S(l, i),    T(i, i) = tau_i, scaled so that H_i is unitary: 2 Re tau = |tau|^2 v^H v.
#include "solver/back/chase_image.hpp"

#include <algorithm>

#include "hybrid/cuda_check.hpp"
#include "hybrid/device_complex.cuh"
#include "hybrid/error.hpp"
#include "hybrid/instantiate.hpp"
#include "hybrid/stream/queue.hpp"
#include "hybrid/stream/shared_memory.hpp"
#include "solver/back/chase_factor.hpp"
#include "solver/back/chase_planes.hpp"
#include "solver/back/chase_tile.cuh"

namespace eigen_g {

namespace {

using Complex = DeviceComplex<double>;
constexpr int threads = 128, band = 32, width = 32, image_width = 2 * width, ld = width + 1;

// Writes -T and V of the real image. t_at(r, l) is T(r, l) for l >= r; v_at(i, l) is V(i, l).
struct Image {
  ChaseTiles tiles;
  double *factors, *v;

  template <class At, class Within>
  __device__ void write(std::int64_t tile, const At& v_at, const Within& t_at) const {
    // Column c of the image has rows 8 floor(c / 8) ... + 2 band + 7. After every second column there is padding.
    constexpr int rows = 2 * band + 8, pair = 2 * rows + 4;
    double* const image = v + tile * tiles.tile_size();
    for (int k = threadIdx.x; k < static_cast<int>(tiles.tile_size()); k += threads) {
      const int within = k % pair, j = k / pair, odd = within / rows;  // column 2 j + odd
      const int row = j / 4 * 8 + within % rows;
      double x = 0;
      if (odd < 2) {
        const Complex z = v_at(row / 2, j);
        x = odd == 0 ? (row % 2 == 0 ? z.re : z.im) : (row % 2 == 0 ? -z.im : z.re);
      }
      image[k] = x;
    }
    double* const factor = factors + tile * chase_factor_size(image_width);
    for (int k = threadIdx.x; k < image_width * image_width; k += threads) {
      const int i = k / image_width, l = k % image_width, row = i / 2, col = l / 2;
      if (i / 8 > l / 8) continue;
      double x = 0;
      if (row <= col) {
        const Complex t = t_at(row, col);
        x = i % 2 == l % 2 ? t.re : i % 2 == 0 ? -t.im : t.im;
      }
      factor[chase_factor_place(image_width, i, l)] = -x;
    }
  }
};

// Writes Y = -T V^H and V in planes. The arguments are the same as in Image::write.
struct Planes {
  double *y, *v;

  static __device__ void write_pair(double* square, int lane, Complex first, Complex second, bool apart) {
    auto* const to = reinterpret_cast<double2*>(square) + lane;
    const double of_first = apart ? 0 : first.re, of_second = apart ? 0 : second.re;
    to[0] = {first.re, second.re};
    to[chase_planes::lanes] = {first.im - of_first, second.im - of_second};
    to[2 * chase_planes::lanes] = {-(of_first + first.im), -(of_second + second.im)};
  }
  template <class At, class Within>
  __device__ void write(std::int64_t tile, const At& v_at, const Within& t_at) const {
    using namespace chase_planes;
    constexpr int square_size = planes * 2 * lanes;
    const int lane = threadIdx.x % lanes, g = lane / 4, t = lane % 4;
    for (int q = threadIdx.x / lanes; q < x_squares * squares; q += threads / lanes) {
      const int j = q % x_squares, k = q / x_squares;
      if (k < j) continue;
      const int r = 8 * j + g, i = 8 * k + 2 * t;  // Y(r, i), Y(r, i + 1)
      Complex first{0, 0}, second{0, 0};
      for (int l = min(width - 1, 8 * k + 7); l >= max(r, 8 * k - band); --l) {  // T from its far columns on
        const Complex factor = t_at(r, l);
        first = fma(conj_of(v_at(i, l)), factor, first);
        second = fma(conj_of(v_at(i + 1, l)), factor, second);
      }
      write_pair(y + tile * y_size + y_square(j, k) * square_size, lane, -first, -second, j == k);
    }
    for (int q = threadIdx.x / lanes; q < v_squares; q += threads / lanes) {
      const int j = q / (band_squares + 1), k = j + q % (band_squares + 1);
      write_pair(v + tile * v_size + v_square(k, j) * square_size, lane, v_at(8 * k + g, 8 * j + 2 * t),
                 v_at(8 * k + g, 8 * j + 2 * t + 1), false);
    }
  }
};

std::size_t shared_bytes(const ChaseTiles& tiles) {
  return sizeof(Complex) * static_cast<std::size_t>(tiles.tile_size() + ld * width + width);
}

template <class T, class Out>
__global__ void __launch_bounds__(threads)
    factor_kernel(ChaseTiles tiles, ChaseReflectors<const T> reflectors, std::int64_t first_group,
                  std::int64_t before, Out out) {
  extern __shared__ double2 memory[];
  Complex* const v = reinterpret_cast<Complex*>(memory);
  Complex* const s = v + tiles.tile_size();  // S(l, i) at [l + i ld], l < i; T(r, l) at [l + r ld], l >= r
  Complex* const tau = s + ld * width;
  const std::int64_t group = first_group + blockIdx.y, step = blockIdx.x;
  if (step >= tiles.steps(group)) return;
  load_chase_tile(tiles, reflectors, group, step, v, tau);
  // v_j(i), i: row of the tile. Column j is stored from row 8 floor(j / 8) on.
  const auto v_at = [&](int i, int j) { return v[tiles.column(j) + i - j / 8 * 8]; };

  for (int k = threadIdx.x; k < width * width; k += threads) {
    const int i = k % width, j = k / width;
    if (i > j) continue;
    Complex sum[2] = {};  // from the small terms to the large ones, which are where v_j begins
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

  const auto any_v = [&](int i, int j) { return i > j && i <= j + band ? v_at(i, j) : Complex{0, 0}; };
  out.write(tiles.tile(group, step) - before, any_v, [s](int row, int col) { return s[col + row * ld]; });
}

template <class T, class Out>
void write_factors(const Queue& queue, const ChaseTiles& tiles, const ChaseReflectors<const T>& reflectors,
                   std::int64_t first_group, std::int64_t last_group, const Out& out) {
  if (first_group > last_group) return;
  if (tiles.b != band) throw InvalidArgument("kd", "the bandwidth of a complex chase must be 32");
  const auto kernel = factor_kernel<device_t<T>, Out>;
  allow_shared_memory(kernel, shared_bytes(tiles));
  kernel<<<chase_grid(tiles, first_group, last_group), threads, shared_bytes(tiles), queue.stream()>>>(
      tiles, {on_device(reflectors.v), on_device(reflectors.tau), reflectors.stride}, first_group,
      tiles.tiles_from(last_group + 1), out);
  EIGEN_G_LAUNCHED();
}

// Rearranges eight complex numbers with eight lanes. split: each lane writes two real parts or two imaginary parts. Not split: each lane
// writes one complex number.
template <bool split>
__global__ void __launch_bounds__(threads)
    parts_kernel(double2* z, std::int64_t rows, std::int64_t cols, std::int64_t ldz) {
  const int l = threadIdx.x % 8, first = threadIdx.x % 32 - l;
  const auto of_lane = [first](double x, int lane) { return __shfl_sync(0xffu << first, x, first + lane); };
  for (std::int64_t col = blockIdx.y; col < cols; col += gridDim.y)
    for (std::int64_t row = blockIdx.x * std::int64_t{threads} + threadIdx.x; row < rows;
         row += gridDim.x * std::int64_t{threads}) {
      double2* const at = z + col * ldz + row;
      const double2 x = __ldcs(at);
      const int from = split ? l % 4 * 2 : l / 2, next = split ? from + 1 : from + 4;
      // split: low and high are the complex numbers of two rows. Not split: low has two real parts, high the imaginary parts to them.
      const double2 low{of_lane(x.x, from), of_lane(x.y, from)}, high{of_lane(x.x, next), of_lane(x.y, next)};
      const bool of_x = split ? l < 4 : l % 2 == 0;
      __stcs(at, of_x ? double2{low.x, high.x} : double2{low.y, high.y});
    }
}

template <bool split>
void rearrange_parts(const Queue& queue, MatrixView<std::complex<double>> z) {
  const std::int64_t rows = z.rows / 8 * 8;
  if (rows == 0 || z.cols == 0) return;
  const dim3 grid(static_cast<unsigned>((rows + threads - 1) / threads),
                  static_cast<unsigned>(std::min<std::int64_t>(z.cols, 65535)));
  parts_kernel<split>
      <<<grid, threads, 0, queue.stream()>>>(reinterpret_cast<double2*>(z.data), rows, z.cols, z.lda);
  EIGEN_G_LAUNCHED();
}

}  // namespace

template <class T>
void chase_image_factors(const Queue& queue, const ChaseTiles& tiles,
                         const ChaseReflectors<const T>& reflectors, std::int64_t first_group,
                         std::int64_t last_group, double* factors_dev, double* v_dev) {
  write_factors(queue, tiles, reflectors, first_group, last_group,
                Image{chase_image(tiles), factors_dev, v_dev});
}

void chase_to_planes(const Queue& queue, const ChaseTiles& tiles,
                     const ChaseReflectors<const std::complex<double>>& reflectors, std::int64_t first_group,
                     std::int64_t last_group, double* y_dev, double* v_dev) {
  write_factors(queue, tiles, reflectors, first_group, last_group, Planes{y_dev, v_dev});
}

void chase_split_parts(const Queue& queue, MatrixView<std::complex<double>> z_dev) {
  rearrange_parts<true>(queue, z_dev);
}

void chase_join_parts(const Queue& queue, MatrixView<std::complex<double>> z_dev) {
  rearrange_parts<false>(queue, z_dev);
}

EIGEN_G_INSTANTIATE(complex_types, chase_image_factors);

}  // namespace eigen_g
