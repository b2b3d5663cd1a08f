#include <algorithm>

#include "gemm_df/engines/double_float/df_operand.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/stream/queue.hpp"

namespace eigen_g::df {

namespace {

constexpr int largest_exponent = 46;  // |hi| < 2^46: a sum of 2^31 products stays below 2^123
constexpr int threads = 256;
constexpr int blocks_a_pass = reach_blocks;  // blocks of terms that a thread block handles
constexpr int padded_lines = panel_lines + 1;

// The source matrix as lines and terms; zero outside.
struct Source {
  const double* data;
  std::int64_t line_step, term_step, lines, terms;
  __device__ double operator()(std::int64_t line, std::int64_t term) const {
    return line < lines && term < terms ? data[line * line_step + term * term_step] : 0;
  }
};

// Calls at(line, term) for all lines of a panel and the 16 terms of a block, with neighbouring threads at neighbouring
// addresses.
template <bool terms_adjacent, class At>
__device__ void for_block(const At& at) {
  for (int i = threadIdx.x; i < panel_lines * block_length; i += threads) {
    if constexpr (terms_adjacent)
      at(i / block_length, i % block_length);
    else
      at(i % panel_lines, i / panel_lines);
  }
}

// largest[line] := upper half of the bits of the largest |entry|. A maximum of integers does not depend on the order.
template <bool terms_adjacent>
__global__ void __launch_bounds__(threads) largest_kernel(Source source, int* largest) {
  __shared__ int most[panel_lines];
  if (threadIdx.x < panel_lines) most[threadIdx.x] = 0;
  __syncthreads();
  const std::int64_t first_line = static_cast<std::int64_t>(blockIdx.x) * panel_lines;
  const std::int64_t first_term = static_cast<std::int64_t>(blockIdx.y) * (blocks_a_pass * block_length);
  constexpr int per_thread = panel_lines * block_length / threads;
  int found[per_thread] = {};
  for (int b = 0; b < blocks_a_pass; ++b) {
    int turn = 0;
    for_block<terms_adjacent>([&](int line, int term) {
      const int bits =
          __double2hiint(source(first_line + line, first_term + b * block_length + term)) & 0x7fffffff;
      found[turn] = max(found[turn], bits);
      ++turn;
    });
  }
  int turn = 0;
  for_block<terms_adjacent>([&](int line, int) { atomicMax(&most[line], found[turn++]); });
  __syncthreads();
  if (threadIdx.x < panel_lines) atomicMax(&largest[first_line + threadIdx.x], most[threadIdx.x]);
}

// Turns the upper half of a line's largest |entry| into the line's exponent. Subnormal lines have the exponent of the smallest
// normal ones.
__global__ void exponent_kernel(std::int64_t count, int* largest_to_exponent) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (i >= count) return;
  const int field = min(max(largest_to_exponent[i] >> 20, 1), 2046);
  largest_to_exponent[i] = field - 1022 - largest_exponent;
}

__device__ double power_of_two(int exponent) {
  return __hiloint2double((exponent + 1023) << 20, 0);
}

template <bool terms_adjacent>
__global__ void __launch_bounds__(threads)
    convert_kernel(Source source, std::int64_t blocks, const int* exponents, Record* records,
                   float* reaches) {
  __shared__ double scaled[block_length][padded_lines];
  __shared__ float leading[block_length][panel_lines];
  __shared__ double factors[2][panel_lines];  // two factors, because one could overflow
  __shared__ int max_squares;                 // bits of a float >= 0, which are ordered like the float itself
  const std::int64_t first_line = static_cast<std::int64_t>(blockIdx.x) * panel_lines;
  if (threadIdx.x < panel_lines) {
    const int down = -exponents[first_line + threadIdx.x];
    factors[0][threadIdx.x] = power_of_two(down / 2);
    factors[1][threadIdx.x] = power_of_two(down - down / 2);
  }
  if (threadIdx.x == 0) max_squares = 0;
  __syncthreads();
  const std::int64_t first_block = static_cast<std::int64_t>(blockIdx.y) * blocks_a_pass;
  const std::int64_t end = min(first_block + blocks_a_pass, blocks);
  float squares = 0;  // sum of squares of line threadIdx.x
  for (std::int64_t block = first_block; block < end; ++block) {
    for_block<terms_adjacent>([&](int line, int term) {
      scaled[term][line] =
          source(first_line + line, block * block_length + term) * factors[0][line] * factors[1][line];
    });
    __syncthreads();
    Record& record = records[blockIdx.x * blocks + block];
    for_block<false>([&](int line, int term) {
      const DoubleFloat x = split(scaled[term][line]);
      leading[term][line] = x.hi;
      record.hi[term][line] = x.hi;
      record.lo[term][line] = x.lo;
    });
    __syncthreads();
    if (threadIdx.x < panel_lines)
      for (int term = 0; term < block_length; ++term) {
        const float h = leading[term][threadIdx.x];
        squares = fmaf(h, h, squares);
      }
  }
  // Lines with a NaN or an infinity do not count, because their results are NaNs with any anchor.
  if (threadIdx.x < panel_lines) atomicMax(&max_squares, squares < INFINITY ? __float_as_int(squares) : 0);
  __syncthreads();
  if (threadIdx.x == 0)
    reaches[blockIdx.x * reaches_of(blocks) + blockIdx.y] = reach_of(__int_as_float(max_squares));
}

}  // namespace

void Operand::convert(const Queue& queue, Lines lines, MatrixView<const double> source_dev) {
  const bool rows = lines == Lines::rows;
  const Source source{source_dev.data, rows ? 1 : source_dev.lda, rows ? source_dev.lda : 1,
                      rows ? source_dev.rows : source_dev.cols, rows ? source_dev.cols : source_dev.rows};
  const auto whole = [](std::int64_t count, std::int64_t unit) { return (count + unit - 1) / unit; };
  const std::int64_t panels = whole(source.lines, panel_lines), blocks = whole(source.terms, block_length);
  if (records_.size() < panels * blocks) {
    records_ = {};
    records_ = DeviceBuffer<Record>(queue, panels * blocks);
  }
  if (reaches_.size() < panels * reaches_of(blocks)) {
    reaches_ = {};
    reaches_ = DeviceBuffer<float>(queue, panels * reaches_of(blocks));
  }
  if (exponents_.size() < panels * panel_lines) {
    exponents_ = {};
    exponents_ = DeviceBuffer<int>(queue, panels * panel_lines);
  }
  view_ = {records_.data(), reaches_.data(), exponents_.data(), source.lines, source.terms, blocks};
  if (panels == 0) return;
  EIGEN_G_CUDA(cudaMemsetAsync(exponents_.data(), 0,
                               sizeof(int) * static_cast<std::size_t>(panels * panel_lines), queue.stream()));
  if (blocks == 0) return;
  const dim3 grid(static_cast<unsigned>(panels), static_cast<unsigned>(whole(blocks, blocks_a_pass)));
  const auto exponent_blocks = static_cast<unsigned>(whole(panels * panel_lines, threads));
  const auto launch = [&](auto largest, auto convert) {
    largest<<<grid, threads, 0, queue.stream()>>>(source, exponents_.data());
    EIGEN_G_LAUNCHED();
    exponent_kernel<<<exponent_blocks, threads, 0, queue.stream()>>>(panels * panel_lines, exponents_.data());
    EIGEN_G_LAUNCHED();
    convert<<<grid, threads, 0, queue.stream()>>>(source, blocks, exponents_.data(), records_.data(),
                                                  reaches_.data());
    EIGEN_G_LAUNCHED();
  };
  if (rows)
    launch(largest_kernel<false>, convert_kernel<false>);
  else
    launch(largest_kernel<true>, convert_kernel<true>);
}

}  // namespace eigen_g::df
