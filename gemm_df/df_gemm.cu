// The double-float product.
//
//   C (64 R x 64) = sum over blocks of A's records (64 R x 16) and B's records (64 x 16)       a thread block
//
// 128 R threads with 8 x 4 entries of C each. Records pass through shared memory, two of them in turn: while one is
// multiplied, cp.async brings the next. A thread's rows are 4 r ... 4 r + 3 and 32 + 4 r ... 32 + 4 r + 3, so that the eight
// row groups of a warp read 128 adjacent bytes and its four column groups 64: no bank is asked twice.
#include <cuda_pipeline.h>

#include "gemm_df/df_gemm.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/queue.hpp"

namespace eigen_g::df {

namespace {

constexpr int threads = 128;  // a panel of A
constexpr int thread_rows = 8, thread_columns = 4;
constexpr int resident_blocks = 3;  // a multiprocessor
constexpr int row_groups = panel_lines / thread_rows;
static_assert(threads * thread_rows * thread_columns == panel_lines * panel_lines,
              "the threads cover the tile");

enum class Part { all, lower, upper };

struct Result {
  double* c;
  std::int64_t ldc;
  double alpha, beta;
  Part part;
};

// x 2^exponent; the common case without an operation in double.
__device__ double scaled(double x, int exponent) {
  const int high = __double2hiint(x), field = (high >> 20) & 0x7ff;
  if (x == 0) return x;
  if (field > 0 && field < 0x7ff && field + exponent > 0 && field + exponent < 0x7ff)
    return __hiloint2double(high + (exponent << 20), __double2loint(x));
  return scalbn(x, exponent);
}

struct Factors {
  float v[8];
  template <int count>
  __device__ void load(const float* line, int group) {
#pragma unroll
    for (int half = 0; half < count; half += 4) {
      const float4 four = *reinterpret_cast<const float4*>(line + half * row_groups + 4 * group);
      v[half] = four.x;
      v[half + 1] = four.y;
      v[half + 2] = four.z;
      v[half + 3] = four.w;
    }
  }
};

// A record on its way to shared memory, 16 bytes a thread and turn.
template <int all_threads>
__device__ void fetch(Record& to, const Record& from) {
  constexpr unsigned chunks = sizeof(Record) / sizeof(float4);
  auto* target = reinterpret_cast<float4*>(&to) + threadIdx.x;
  const auto* source = reinterpret_cast<const float4*>(&from) + threadIdx.x;
#pragma unroll
  for (unsigned i = 0; i < chunks / all_threads; ++i)
    __pipeline_memcpy_async(target + i * all_threads, source + i * all_threads, sizeof(float4));
  constexpr unsigned done = chunks / all_threads * all_threads;
  if (threadIdx.x < chunks - done) __pipeline_memcpy_async(target + done, source + done, sizeof(float4));
}

template <int panels>
struct Stage {
  Record a[panels], b;
};

template <class Sum, int panels, int resident, int unrolled>
__global__ void __launch_bounds__(threads* panels, resident)
    multiply_kernel(OperandView a, OperandView b, unsigned row_tiles, Result result) {
  extern __shared__ __align__(16) unsigned char shared[];
  auto* stages = reinterpret_cast<Stage<panels>*>(shared);
  const std::int64_t row_tile = blockIdx.x % row_tiles, column_tile = blockIdx.x / row_tiles;
  const std::int64_t first_row = row_tile * (panels * panel_lines), first_column = column_tile * panel_lines;
  if (result.part == Part::lower && first_row + panels * panel_lines <= first_column) return;
  if (result.part == Part::upper && first_row >= first_column + panel_lines) return;

  const int panel = threadIdx.x / threads, thread = threadIdx.x % threads;
  const int row_group = thread % row_groups, column_group = thread / row_groups;
  const std::int64_t a_panels = (a.lines + panel_lines - 1) / panel_lines;
  const auto fetch_stage = [&](std::int64_t block) {
    Stage<panels>& stage = stages[block % 2];
#pragma unroll
    for (int p = 0; p < panels; ++p) {
      const std::int64_t from = min(row_tile * panels + p, a_panels - 1);
      fetch<threads * panels>(stage.a[p], a.records[from * a.blocks + block]);
    }
    fetch<threads * panels>(stage.b, b.records[column_tile * b.blocks + block]);
    __pipeline_commit();
  };

  Sum sums[thread_columns][thread_rows];
  if (a.blocks > 0) fetch_stage(0);
  for (std::int64_t block = 0; block < a.blocks; ++block) {
    __pipeline_wait_prior(0);
    __syncthreads();
    if (block + 1 < a.blocks) fetch_stage(block + 1);
    const Record& ra = stages[block % 2].a[panel];
    const Record& rb = stages[block % 2].b;
    {
      Factors reach_a, reach_b;
      reach_a.load<thread_rows>(ra.reach, row_group);
      reach_b.load<thread_columns>(rb.reach, column_group);
#pragma unroll
      for (int j = 0; j < thread_columns; ++j)
#pragma unroll
        for (int i = 0; i < thread_rows; ++i) sums[j][i].begin_block(exact::mul(reach_a.v[i], reach_b.v[j]));
    }
#pragma unroll 1
    for (int half = 0; half < block_length; half += settle_length) {
#pragma unroll unrolled
      for (int term = half; term < half + settle_length; ++term) {
        Factors a_hi, a_lo, b_hi, b_lo;
        a_hi.load<thread_rows>(ra.hi[term], row_group);
        a_lo.load<thread_rows>(ra.lo[term], row_group);
        b_hi.load<thread_columns>(rb.hi[term], column_group);
        b_lo.load<thread_columns>(rb.lo[term], column_group);
#pragma unroll
        for (int j = 0; j < thread_columns; ++j)
#pragma unroll
          for (int i = 0; i < thread_rows; ++i)
            sums[j][i].add({a_hi.v[i], a_lo.v[i]}, {b_hi.v[j], b_lo.v[j]});
      }
#pragma unroll
      for (int j = 0; j < thread_columns; ++j)
#pragma unroll
        for (int i = 0; i < thread_rows; ++i) sums[j][i].settle();
    }
#pragma unroll
    for (int j = 0; j < thread_columns; ++j)
#pragma unroll
      for (int i = 0; i < thread_rows; ++i) sums[j][i].end_block();
  }

#pragma unroll
  for (int j = 0; j < thread_columns; ++j) {
    const std::int64_t column = first_column + thread_columns * column_group + j;
    if (column >= b.lines) continue;
    const int column_exponent = b.exponents[column];
#pragma unroll
    for (int i = 0; i < thread_rows; ++i) {
      const std::int64_t row =
          first_row + panel * panel_lines + (i / 4) * (panel_lines / 2) + 4 * row_group + i % 4;
      if (row >= a.lines) continue;
      if (result.part == Part::lower && row < column) continue;
      if (result.part == Part::upper && row > column) continue;
      const double sum = static_cast<double>(sums[j][i].hi) + static_cast<double>(sums[j][i].lo);
      double& c = result.c[row + column * result.ldc];
      const double product = result.alpha * scaled(sum, a.exponents[row] + column_exponent);
      c = result.beta == 0 ? product : fma(result.beta, c, product);
    }
  }
}

template <class Sum, int panels, int resident, int unrolled>
void launch(const Queue& queue, const OperandView& a, const OperandView& b, const Result& result) {
  const auto tiles = [](std::int64_t count, std::int64_t tile) {
    return static_cast<unsigned>((count + tile - 1) / tile);
  };
  const unsigned row_tiles = tiles(a.lines, panels * panel_lines), column_tiles = tiles(b.lines, panel_lines);
  constexpr std::size_t bytes = 2 * sizeof(Stage<panels>);
  const auto kernel = multiply_kernel<Sum, panels, resident, unrolled>;
  if constexpr (bytes > 48 * 1024)
    EIGEN_G_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  kernel<<<row_tiles * column_tiles, threads * panels, bytes, queue.stream()>>>(a, b, row_tiles, result);
  EIGEN_G_LAUNCHED();
}

void launch(const Queue& queue, const OperandView& a, const OperandView& b, const Result& result) {
  if (a.lines == 0 || b.lines == 0) return;
  if (a.terms < anchored_terms)
    launch<TwoSumOfProducts, 1, resident_blocks, 8>(queue, a, b, result);
  else
    launch<AnchoredSumOfProducts, 1, resident_blocks, 8>(queue, a, b, result);
}

}  // namespace

void multiply(const Queue& queue, double alpha, const OperandView& a, const OperandView& b, double beta,
              MatrixView<double> c_dev) {
  launch(queue, a, b, {c_dev.data, c_dev.lda, alpha, beta, Part::all});
}

void multiply_symmetric(const Queue& queue, Uplo uplo, double alpha, const OperandView& a,
                        const OperandView& b, double beta, MatrixView<double> c_dev) {
  const Part part = uplo == Uplo::lower ? Part::lower : Part::upper;
  launch(queue, a, b, {c_dev.data, c_dev.lda, alpha, beta, part});
  launch(queue, b, a, {c_dev.data, c_dev.lda, alpha, 1, part});
}

std::int64_t filling_entries(const Queue& queue) {
  return std::int64_t{queue.multiprocessors()} * resident_blocks * panel_lines * panel_lines;
}

}  // namespace eigen_g::df
