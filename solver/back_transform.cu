#include <algorithm>

#include "gemm_df/gemm.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/queue.hpp"
#include "solver/back_transform.hpp"

namespace eigen_g {

namespace {

constexpr std::int64_t most_columns = 256;  // reflectors in one block
constexpr int threads = 256;
static_assert(threads >= most_columns, "a thread owns a row of T");

// Wide blocks make fast products, narrow ones a short chain of columns for T, which counts where n is small.
std::int64_t block_columns(std::int64_t n) {
  return n <= 1024 ? 64 : n <= 3000 ? 128 : most_columns;
}

// T of a block, H_1 ... H_k = I - V T V^T, column by column (dlarft):
//
//   T(i, i) = tau_i,    T(0:i, i) = -tau_i T(0:i, 0:i) S(0:i, i),    S = V^T V,    zero below the diagonal.
//
// One thread block a T; each stands where its S was, in column-major with leading dimension `width`: column i of S is not
// read again once column i of T is written.
__global__ void __launch_bounds__(threads)
    triangular_factor_kernel(std::int64_t reflectors, std::int64_t width, const double* tau, double* s_to_t) {
  __shared__ double column[most_columns];
  const std::int64_t first = blockIdx.x * width;
  const int k = static_cast<int>(min(width, reflectors - first));
  double* t = s_to_t + blockIdx.x * width * width;
  const int row = threadIdx.x;
  for (int i = 0; i < k; ++i) {
    if (row < i) column[row] = t[row + i * width];
    __syncthreads();
    const double tau_i = tau[first + i];
    double sum = 0;
    for (int l = row; l < i; ++l) sum += t[row + l * width] * column[l];
    if (row < k) t[row + i * width] = row < i ? -tau_i * sum : row == i ? tau_i : 0;
    __syncthreads();
  }
}

std::int64_t block_count(std::int64_t n) {
  return n > 1 ? (n - 2) / block_columns(n) + 1 : 0;
}

}  // namespace

std::int64_t back_transform_workspace(std::int64_t n, std::int64_t m) {
  const std::int64_t width = block_columns(n);
  return block_count(n) * width * width + 2 * width * m;
}

void back_transform(const Products& products, MatrixView<const double> a_dev, const double* tau_dev,
                    MatrixView<double> z_dev, double* workspace_dev) {
  const Queue& queue = products.queue();
  const std::int64_t n = a_dev.rows, m = z_dev.cols, reflectors = n - 1;
  const std::int64_t blocks = block_count(n);
  if (blocks == 0 || m == 0) return;
  const std::int64_t width = block_columns(n);
  double* const all_t = workspace_dev;
  double* const vz_and_tvz = all_t + blocks * width * width;

  // Block b: reflectors b k ... ; V has its rows from first + 1 on, zero above its unit diagonal.
  const auto first_of = [&](std::int64_t b) { return b * width; };
  const auto width_of = [&](std::int64_t b) { return std::min(width, reflectors - first_of(b)); };
  const auto v_of = [&](std::int64_t b) {
    return a_dev.block(first_of(b) + 1, first_of(b), n - first_of(b) - 1, width_of(b));
  };
  const auto t_of = [&](std::int64_t b) {
    return MatrixView<double>{all_t + b * width * width, width_of(b), width_of(b), width};
  };

  for (std::int64_t b = 0; b < blocks; ++b)  // S = V^T V
    gemm(products, Op::transpose, Op::none, 1, v_of(b), v_of(b), 0, t_of(b));
  triangular_factor_kernel<<<static_cast<unsigned>(blocks), threads, 0, queue.stream()>>>(reflectors, width,
                                                                                          tau_dev, all_t);
  EIGEN_G_LAUNCHED();

  for (std::int64_t b = blocks - 1; b >= 0; --b) {  // Z := Z - V (T (V^T Z))
    const MatrixView<double> z = z_dev.block(first_of(b) + 1, 0, n - first_of(b) - 1, m);
    const MatrixView<double> vz{vz_and_tvz, width_of(b), m, width};
    const MatrixView<double> tvz{vz_and_tvz + width * m, width_of(b), m, width};
    gemm(products, Op::transpose, Op::none, 1, v_of(b), z, 0, vz);
    gemm(products, Op::none, Op::none, 1, t_of(b), vz, 0, tvz);
    gemm(products, Op::none, Op::none, -1, v_of(b), tvz, 1, z);
  }
}

}  // namespace eigen_g
