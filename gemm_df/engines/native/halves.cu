#include "gemm_df/engines/native/halves.hpp"

#include <cuda_fp16.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>

#include "gemm_df/engines/native/cublas_products.hpp"
#include "gemm_df/tuning.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/tuning.hpp"
#include "hybrid/stream/queue.hpp"

namespace eigen_g {

namespace {

constexpr int threads = 128, held = 4;  // held: entries of a column that a thread has at once

// A slice of an operand as it is stored, and the memory for its three parts ([A1 A2 A1] or [B2; B1; B1]).
struct Operand {
  const float* at;  // complex matrices: as pairs
  std::int64_t rows, cols, ld;
  __half* halves;
  std::int64_t halves_ld, part;  // part: distance from one part to the next
  // terms_are_columns: a column of the stored matrix is a term of the product; otherwise a row is.
  bool terms_are_columns, conjugate;
};
struct Operands {
  Operand of[2];  // A, B
};
struct Scalars {
  std::uint32_t largest[2];  // max |A|, max |B|, as bits of a float
  float alpha, beta;
};

template <class Visit>
__device__ void for_each_tile(std::int64_t rows, std::int64_t cols, const Visit& visit) {
  const std::int64_t down = (rows + threads * held - 1) / (threads * held);
  for (std::int64_t tile = blockIdx.x; tile < down * cols; tile += gridDim.x)
    visit(tile % down * (threads * held) + threadIdx.x, tile / down);
}

// Largest absolute values of both operands. A complex column counts as one of twice the number of reals.
__global__ void __launch_bounds__(threads)
    largest_kernel(const __grid_constant__ Operands operands, int reals, Scalars* scalars) {
  const Operand& x = operands.of[blockIdx.y];
  const std::int64_t rows = reals * x.rows;
  float largest = 0;
  for_each_tile(rows, x.cols, [&](std::int64_t row, std::int64_t col) {
    const float* const from = x.at + reals * col * x.ld;
#pragma unroll
    for (int i = 0; i < held; ++i)
      if (row + i * threads < rows) largest = fmaxf(largest, fabsf(from[row + i * threads]));
  });
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, lanes));
  if (threadIdx.x % 32 == 0) atomicMax(&scalars->largest[blockIdx.y], __float_as_uint(largest));
}

// The exponent e of halves.hpp; at most 127, the largest for which 2^e is a float.
__device__ int exponent_for(std::uint32_t largest) {
  return min(127, 14 + 127 - static_cast<int>(largest >> 23));
}

struct Split {
  __half first, second;
  __device__ explicit Split(float x) : first(__float2half_rn(x)) {
    second = __float2half_rn(x - __half2float(first));
  }
  __device__ __half part(int p, bool left) const {  // the order of the parts: A1 A2 A1, B2 B1 B1
    return (p == 1) == left && p != 2 ? second : first;
  }
};

__device__ void store(__half* to, __half x, __half y) {
  *reinterpret_cast<__half2*>(to) = __halves2half2(x, y);
}

template <bool left>
__device__ void store_parts(const Operand& to, std::int64_t row, std::int64_t col, float scale, float x) {
  const Split split(x * scale);
#pragma unroll
  for (int p = 0; p < 3; ++p) to.halves[row + col * to.halves_ld + p * to.part] = split.part(p, left);
}
template <bool left>
__device__ void store_parts(const Operand& to, std::int64_t row, std::int64_t col, float scale, float2 x) {
  const Split re(x.x * scale), im(x.y * (to.conjugate ? -scale : scale));
  const std::int64_t ld = to.halves_ld;
#pragma unroll
  for (int p = 0; p < 3; ++p) {
    __half* const at = to.halves + p * to.part + 2 * row;
    const __half a = re.part(p, left), b = im.part(p, left);
    if (left) {
      store(at + 2 * col * ld, a, to.terms_are_columns ? b : __hneg(b));
      store(at + (2 * col + 1) * ld, to.terms_are_columns ? __hneg(b) : b, a);
    } else if (to.terms_are_columns) {
      at[2 * col * ld - row] = a;
      at[(2 * col + 1) * ld - row] = b;
    } else {
      store(at + col * ld, a, b);
    }
  }
}

template <class X, bool left>
__device__ void split_operand(const Operand& x, float scale) {
  for_each_tile(x.rows, x.cols, [&](std::int64_t row, std::int64_t col) {
    const X* const from = reinterpret_cast<const X*>(x.at) + col * x.ld;
    X values[held];
#pragma unroll
    for (int i = 0; i < held; ++i)
      if (row + i * threads < x.rows) values[i] = from[row + i * threads];
#pragma unroll
    for (int i = 0; i < held; ++i)
      if (row + i * threads < x.rows) store_parts<left>(x, row + i * threads, col, scale, values[i]);
  });
}

template <class X>
__global__ void __launch_bounds__(threads)
    split_kernel(const __grid_constant__ Operands operands, float alpha, float beta, Scalars* scalars) {
  const int e[2] = {exponent_for(scalars->largest[0]), exponent_for(scalars->largest[1])};
  if (blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0) {
    scalars->alpha = scalbnf(alpha, -e[0] - e[1]);
    scalars->beta = beta;
  }
  const float scale = __int_as_float((e[blockIdx.y] + 127) << 23);
  if (blockIdx.y == 0)
    split_operand<X, true>(operands.of[0], scale);
  else
    split_operand<X, false>(operands.of[1], scale);
}

constexpr std::int64_t to_whole(std::int64_t halves) {  // a multiple of 16 bytes, which cuBLAS needs
  return (halves + 7) / 8 * 8;
}

// Number of real lines of both operands, and the memory for a number of real terms.
struct Sizes {
  std::int64_t left, right;
  template <class T>
  static Sizes of(std::int64_t rows, std::int64_t cols) {
    return {is_complex<T> ? 2 * rows : rows, cols};
  }
  std::uint64_t bytes(std::int64_t terms) const {
    return 512 + sizeof(__half) * static_cast<std::uint64_t>((3 * terms + 8) * (left + right + 16));
  }
  std::int64_t terms_in(std::uint64_t bytes) const {
    if (bytes < 512) return 0;
    const auto halves = static_cast<std::int64_t>((bytes - 512) / sizeof(__half));
    return (halves / (left + right + 16) - 8) / 3;
  }
};

// True for GPUs on which products of halves with sums in float are at least eight times as fast as products of floats.
bool has_fast_halves() {
  constexpr std::array fast{80, 90, 100, 103};
  return std::find(fast.begin(), fast.end(), current_capability()) != fast.end();
}

// During its lifetime cuBLAS reads alpha and beta from device memory.
class ScalarsOnDevice {
 public:
  explicit ScalarsOnDevice(cublasHandle_t blas) : blas_(blas) {
    EIGEN_G_CUBLAS(Cublas<cublasSetPointerMode>::call(blas_, CUBLAS_POINTER_MODE_DEVICE));
  }
  ~ScalarsOnDevice() { Cublas<cublasSetPointerMode>::call(blas_, CUBLAS_POINTER_MODE_HOST); }
  ScalarsOnDevice(const ScalarsOnDevice&) = delete;
  ScalarsOnDevice& operator=(const ScalarsOnDevice&) = delete;

 private:
  cublasHandle_t blas_;
};

template <class T>
constexpr bool is_narrow(std::int64_t cols) {
  return cols <= (is_complex<T> ? 32 : 64);
}

template <class T>
float real_part(T x) {
  return std::real(x);
}

}  // namespace

template <class T>
bool halves_pay(Op op_a, std::int64_t terms, MatrixView<T> c_dev) {
  constexpr int reals = is_complex<T> ? 2 : 1;
  const ProductTuning& tuning = product_tuning();
  const auto rows = static_cast<double>(reals * c_dev.rows), inner = static_cast<double>(terms);
  if (op_a == Op::none && is_narrow<T>(c_dev.cols)) return rows * inner >= tuning.narrow_halves_min_entries;
  return reals * c_dev.rows >= tuning.halves_min_lines && c_dev.cols >= tuning.halves_min_lines &&
         reals * rows * static_cast<double>(c_dev.cols) * inner >= tuning.halves_min_products &&
         reals * c_dev.lda % 4 == 0 && reinterpret_cast<std::uintptr_t>(c_dev.data) % 16 == 0;
}

template <class T>
bool gemm_by_halves(const Queue& queue, Op op_a, Op op_b, same_t<T> alpha, MatrixView<const same_t<T>> a_dev,
                    MatrixView<const same_t<T>> b_dev, same_t<T> beta, MatrixView<T> c_dev,
                    std::span<std::byte> scratch_dev) {
  const ProductTuning& tuning = product_tuning();
  constexpr int reals = is_complex<T> ? 2 : 1;
  const std::int64_t k = op_a == Op::none ? a_dev.cols : a_dev.rows;
  const Sizes sizes = Sizes::of<T>(c_dev.rows, c_dev.cols);
  if (scratch_dev.empty() || std::imag(alpha) != 0 || std::imag(beta) != 0 || !has_fast_halves())
    return false;
  if (op_a == Op::none && is_narrow<T>(c_dev.cols) &&
      narrow_gemm_by_halves(queue, op_b, real_part(alpha), a_dev, b_dev, real_part(beta), c_dev, scratch_dev))
    return true;
  const std::int64_t most =
      std::min(tuning.max_terms_of_halves, sizes.terms_in(scratch_dev.size()) / reals) / 32 * 32;
  if (most < std::min<std::int64_t>(k, 64)) return false;

  auto* const scalars = reinterpret_cast<Scalars*>(scratch_dev.data());
  auto* const halves = reinterpret_cast<__half*>(scratch_dev.data() + 256);
  const auto operand = [&](Op op, bool is_left, MatrixView<const T> x, std::int64_t terms, std::int64_t lines,
                           __half* to) {
    const bool columns = (op == Op::none) == is_left;
    const std::int64_t ld = to_whole(columns ? lines : 3 * terms);
    return Operand{reinterpret_cast<const float*>(x.data),
                   x.rows,
                   x.cols,
                   x.lda,
                   to,
                   ld,
                   columns ? terms * ld : terms,
                   columns,
                   op == Op::conjugate_transpose};
  };
  const ScalarsOnDevice pointer_mode(queue.blas());
  in_slices_of<T>(
      most, op_a, op_b, a_dev, b_dev, beta, c_dev,
      [&](MatrixView<const T> a, MatrixView<const T> b, std::int64_t slice, T onto) {
        const std::int64_t terms = reals * slice;
        const Operand left = operand(op_a, true, a, terms, sizes.left, halves);
        const std::int64_t taken =
            to_whole(left.halves_ld * (left.terms_are_columns ? 3 * terms : sizes.left)) + 8;
        const Operand right = operand(op_b, false, b, terms, sizes.right, halves + to_whole(taken));
        const Operands both{{left, right}};
        const std::int64_t tiles = std::max((a.rows + threads * held - 1) / (threads * held) * a.cols,
                                            (b.rows + threads * held - 1) / (threads * held) * b.cols);
        const dim3 blocks(static_cast<unsigned>(std::min<std::int64_t>(tiles, 8 * queue.multiprocessors())),
                          2);
        EIGEN_G_CUDA(cudaMemsetAsync(scalars, 0, sizeof *scalars, queue.stream()));
        largest_kernel<<<blocks, threads, 0, queue.stream()>>>(both, reals, scalars);
        EIGEN_G_LAUNCHED();
        using X = std::conditional_t<is_complex<T>, float2, float>;
        const float given_back = 1 + tuning.halves_cut_of_a_term * static_cast<float>(terms);
        split_kernel<X><<<blocks, threads, 0, queue.stream()>>>(both, given_back * real_part(alpha),
                                                                real_part(onto), scalars);
        EIGEN_G_LAUNCHED();
        EIGEN_G_CUBLAS(Cublas<cublasGemmEx_64>::call(
            queue.blas(), left.terms_are_columns ? CUBLAS_OP_N : CUBLAS_OP_T,
            right.terms_are_columns ? CUBLAS_OP_T : CUBLAS_OP_N, sizes.left, sizes.right, 3 * terms,
            &scalars->alpha, left.halves, CUDA_R_16F, left.halves_ld, right.halves, CUDA_R_16F,
            right.halves_ld, &scalars->beta, c_dev.data, CUDA_R_32F, reals * c_dev.lda, CUBLAS_COMPUTE_32F,
            CUBLAS_GEMM_DEFAULT));
      });
  return true;
}

template <class T>
std::uint64_t halves_bytes(std::int64_t rows, std::int64_t cols) {
  return Sizes::of<T>(rows, cols).bytes((is_complex<T> ? 2 : 1) * product_tuning().max_terms_of_halves);
}

template bool halves_pay(Op, std::int64_t, MatrixView<float>);
template bool gemm_by_halves(const Queue&, Op, Op, float, MatrixView<const float>, MatrixView<const float>,
                             float, MatrixView<float>, std::span<std::byte>);
template std::uint64_t halves_bytes<float>(std::int64_t, std::int64_t);
template bool halves_pay(Op, std::int64_t, MatrixView<std::complex<float>>);
template bool gemm_by_halves(const Queue&, Op, Op, std::complex<float>, MatrixView<const std::complex<float>>,
                             MatrixView<const std::complex<float>>, std::complex<float>,
                             MatrixView<std::complex<float>>, std::span<std::byte>);
template std::uint64_t halves_bytes<std::complex<float>>(std::int64_t, std::int64_t);

}  // namespace eigen_g
