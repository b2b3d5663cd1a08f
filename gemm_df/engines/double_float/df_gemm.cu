// The double-float product. A thread block computes
//
//   C (64 x 64) = sum over blocks of terms of A's records (64 x 16) and B's records (64 x 16)
//
// with 128 threads, each of which has 8 x 4 entries of C. Records pass through shared memory in two slots: while one pair is
// multiplied, cp.async loads the next. The rows of a thread are 4 r ... 4 r + 3 and 32 + 4 r ... 32 + 4 r + 3. So the eight row
// groups of a warp read 128 neighbouring bytes and its four column groups 64, without bank conflicts.
//
// Sums of sum_blocks blocks are added to C in double. A rank-2k update has the blocks of A B^T, followed by the blocks of B
// A^T.
//
// A result with few tiles is also divided along the terms. Each part writes its sums to a workspace, and a second kernel adds
// the parts in order.
//
// Rejected variants: data/perf/DECISIONS.md, "Double-float product", and gemm_df/README.md.
#include <cuda_pipeline.h>

#include <algorithm>

#include "gemm_df/engines/double_float/df_gemm.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/stream/queue.hpp"

namespace eigen_g::df {

namespace {

constexpr int threads = 128, resident_blocks = 2;
constexpr int thread_rows = 8, thread_columns = 4;
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

// Division of the terms. Part p has the blocks p length ... (p + 1) length - 1, and its result is written to c + p distance.
struct Cut {
  int parts;
  std::int64_t length, distance;
};

// x 2^exponent. The usual case needs no operation in double; the others are in a function of their own.
__device__ __noinline__ double scaled_with_care(double x, int exponent) {
  return scalbn(x, exponent);
}
__device__ double scaled(double x, int exponent) {
  const int high = __double2hiint(x), field = (high >> 20) & 0x7ff;
  if (field > 0 && field < 0x7ff && field + exponent > 0 && field + exponent < 0x7ff)
    return __hiloint2double(high + (exponent << 20), __double2loint(x));
  return scaled_with_care(x, exponent);
}

__device__ double updated(const Result& result, double sum, double c) {
  const double product = result.alpha * sum;
  return result.beta == 0 ? product : fma(result.beta, c, product);
}

// A thread's entries of one row of a record.
template <int count>
struct Operands {
  float v[count];
  __device__ Operands(const float* line, int group) {
#pragma unroll
    for (int i = 0; i < count; i += 4) {
      const float4 four = *reinterpret_cast<const float4*>(line + i * row_groups + 4 * group);
      v[i] = four.x;
      v[i + 1] = four.y;
      v[i + 2] = four.z;
      v[i + 3] = four.w;
    }
  }
};

// The exponents of a thread's lines.
template <int count>
struct Exponents {
  int v[count];
  __device__ Exponents(const int* panel, int group) {
#pragma unroll
    for (int i = 0; i < count; ++i) v[i] = panel[i / 4 * 4 * row_groups + 4 * group + i % 4];
  }
};

// Starts the copy of a record to shared memory, 16 bytes for each thread at a time.
__device__ void fetch(Record& to, const Record& from) {
  constexpr unsigned chunks = sizeof(Record) / sizeof(float4);
  static_assert(chunks % threads == 0);
  auto* target = reinterpret_cast<float4*>(&to) + threadIdx.x;
  const auto* source = reinterpret_cast<const float4*>(&from) + threadIdx.x;
#pragma unroll
  for (unsigned i = 0; i < chunks; i += threads)
    __pipeline_memcpy_async(target + i, source + i, sizeof(float4));
}

struct Slot {
  Record a, b;
};

template <class Sum>
__global__ void __launch_bounds__(threads, resident_blocks)
    multiply_kernel(OperandView a, OperandView b, unsigned row_tiles, Cut cut, Result result) {
  __shared__ __align__(16) Slot slots[2];
  const std::int64_t row_tile = blockIdx.x % row_tiles, column_tile = blockIdx.x / row_tiles;
  if (result.part == Part::lower && row_tile < column_tile) return;
  if (result.part == Part::upper && row_tile > column_tile) return;
  const int row_group = threadIdx.x % row_groups, column_group = threadIdx.x / row_groups;
  const std::int64_t all_blocks = result.part == Part::all ? a.blocks : 2 * a.blocks;
  const std::int64_t first_block = blockIdx.y * cut.length, end = min(first_block + cut.length, all_blocks);
  const auto fetch_block = [&](std::int64_t block) {
    const bool swapped = block >= a.blocks;  // a block of b a^T
    const std::int64_t record = swapped ? block - a.blocks : block;
    fetch(slots[block % 2].a, (swapped ? b.records : a.records)[row_tile * a.blocks + record]);
    fetch(slots[block % 2].b, (swapped ? a.records : b.records)[column_tile * a.blocks + record]);
    __pipeline_commit();
  };

  if (first_block < end) fetch_block(first_block);
  for (std::int64_t sum_first = first_block;;) {
    const bool swapped = sum_first >= a.blocks && sum_first < end;
    const std::int64_t sum_end = min(sum_first + sum_blocks, swapped ? end : min(a.blocks, end));

    float reach = 0;
    const float* const x_reaches = (swapped ? b.reaches : a.reaches) + row_tile * reaches_of(a.blocks);
    const float* const y_reaches = (swapped ? a.reaches : b.reaches) + column_tile * reaches_of(a.blocks);
    const std::int64_t before = swapped ? a.blocks : 0;
#pragma unroll 1
    for (std::int64_t r = (sum_first - before) / reach_blocks; r < reaches_of(sum_end - before); ++r)
      reach += x_reaches[r] * y_reaches[r];
    const typename Sum::Anchors anchors = Sum::anchors(reach);

    Sum sums[thread_columns][thread_rows];
    const auto for_sums = [&](const auto& act) {
#pragma unroll
      for (int j = 0; j < thread_columns; ++j)
#pragma unroll
        for (int i = 0; i < thread_rows; ++i) act(sums[j][i], i, j);
    };
    for_sums([&](Sum& sum, int, int) { sum.begin(anchors); });
    for (std::int64_t block = sum_first; block < sum_end; ++block) {
      __pipeline_wait_prior(0);
      __syncthreads();
      if (block + 1 < end) fetch_block(block + 1);
      const Slot& slot = slots[block % 2];
      // A longer loop body does not stay in the instruction cache.
#pragma unroll 1
      for (int run = 0; run < block_length; run += Sum::run_length) {
#pragma unroll
        for (int term = run; term < run + Sum::run_length; ++term) {
          const Operands<thread_rows> x_hi(slot.a.hi[term], row_group), x_lo(slot.a.lo[term], row_group);
          const Operands<thread_columns> y_hi(slot.b.hi[term], column_group),
              y_lo(slot.b.lo[term], column_group);
          for_sums([&](Sum& sum, int i, int j) {
            sum.add(anchors, {x_hi.v[i], x_lo.v[i]}, {y_hi.v[j], y_lo.v[j]}, term == run);
          });
        }
        for_sums([](Sum& sum, int, int) { sum.end_run(); });
      }
      for_sums([](Sum& sum, int, int) { sum.end_block(); });
    }

    const bool first = sum_first == first_block, reads = !first || result.beta != 0;
    const Exponents<thread_rows> x((swapped ? b.exponents : a.exponents) + row_tile * panel_lines, row_group);
    const Exponents<thread_columns> y((swapped ? a.exponents : b.exponents) + column_tile * panel_lines,
                                      column_group);
#pragma unroll
    for (int j = 0; j < thread_columns; ++j) {
      const std::int64_t column = column_tile * panel_lines + thread_columns * column_group + j;
      const auto row_of = [&](int i) {
        return row_tile * panel_lines + i / 4 * (panel_lines / 2) + 4 * row_group + i % 4;
      };
      const auto kept = [&](std::int64_t row) {
        return row < a.lines && column < b.lines && (result.part != Part::lower || row >= column) &&
               (result.part != Part::upper || row <= column);
      };
      double* const c = result.c + column * result.ldc + blockIdx.y * cut.distance;
      double before[thread_rows];  // all loads are in flight before the first store
#pragma unroll
      for (int i = 0; i < thread_rows; ++i) before[i] = reads && kept(row_of(i)) ? c[row_of(i)] : 0;
#pragma unroll
      for (int i = 0; i < thread_rows; ++i) {
        const DoubleFloat total = sums[j][i].sum(anchors);
        const double sum =
            scaled(static_cast<double>(total.hi) + static_cast<double>(total.lo), x.v[i] + y.v[j]);
        if (kept(row_of(i)))
          c[row_of(i)] = first ? updated(result, sum, before[i]) : fma(result.alpha, sum, before[i]);
      }
    }
    sum_first = sum_end;
    if (sum_first >= end) break;
  }
}

// C := the parts' sums, added from the first to the last. One thread computes an entry.
__global__ void __launch_bounds__(threads)
    add_parts_kernel(std::int64_t rows, std::int64_t columns, const double* partials, int parts,
                     Result result) {
  const std::int64_t entries = rows * columns,
                     entry = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (entry >= entries) return;
  double sum = 0;
  for (int part = 0; part < parts; ++part) sum += partials[entry + part * entries];
  double& c = result.c[entry % rows + entry / rows * result.ldc];
  c = updated(result, sum, c);
}

std::int64_t tiles_of(std::int64_t lines) {
  return (lines + panel_lines - 1) / panel_lines;
}

void launch(const Queue& queue, const OperandView& a, const OperandView& b, const Cut& cut,
            const Result& result) {
  if (a.lines == 0 || b.lines == 0) return;
  const auto row_tiles = static_cast<unsigned>(tiles_of(a.lines));
  const dim3 grid(row_tiles * static_cast<unsigned>(tiles_of(b.lines)), static_cast<unsigned>(cut.parts));
  const std::int64_t terms = result.part == Part::all ? a.terms : 2 * a.terms;
  const auto kernel =
      terms < anchored_terms ? multiply_kernel<TwoSumOfProducts> : multiply_kernel<AnchoredSumOfProducts>;
  kernel<<<grid, threads, 0, queue.stream()>>>(a, b, row_tiles, cut, result);
  EIGEN_G_LAUNCHED();
}

}  // namespace

std::int64_t filling_entries(const Queue& queue) {
  return std::int64_t{queue.multiprocessors()} * resident_blocks * panel_lines * panel_lines;
}

void multiply(const Queue& queue, double alpha, const OperandView& a, const OperandView& b, double beta,
              MatrixView<double> c_dev, DeviceBuffer<double>& partials) {
  const Result result{c_dev.data, c_dev.lda, alpha, beta, Part::all};
  const std::int64_t tiles = tiles_of(a.lines) * tiles_of(b.lines);
  const std::int64_t wanted = tiles == 0 ? 1 : filling_entries(queue) / (tiles * panel_lines * panel_lines);
  const std::int64_t most = std::clamp<std::int64_t>(a.terms / part_terms, 1, 65535);
  const std::int64_t parts = std::clamp<std::int64_t>(wanted, 1, most);
  const std::int64_t length = (a.blocks + parts - 1) / parts;
  if (parts == 1) {
    launch(queue, a, b, {1, a.blocks, 0}, result);
    return;
  }
  const auto cuts = static_cast<int>((a.blocks + length - 1) / length);
  const std::int64_t entries = a.lines * b.lines;
  if (partials.size() < entries * cuts) {
    partials = {};
    partials = DeviceBuffer<double>(queue, entries * cuts);
  }
  launch(queue, a, b, {cuts, length, entries}, {partials.data(), a.lines, 1, 0, Part::all});
  const auto blocks = static_cast<unsigned>((entries + threads - 1) / threads);
  add_parts_kernel<<<blocks, threads, 0, queue.stream()>>>(a.lines, b.lines, partials.data(), cuts, result);
  EIGEN_G_LAUNCHED();
}

void multiply_symmetric(const Queue& queue, Uplo uplo, double alpha, const OperandView& a,
                        const OperandView& b, double beta, MatrixView<double> c_dev) {
  const Part part = uplo == Uplo::lower ? Part::lower : Part::upper;
  launch(queue, a, b, {1, 2 * a.blocks, 0}, {c_dev.data, c_dev.lda, alpha, beta, part});
}

}  // namespace eigen_g::df
