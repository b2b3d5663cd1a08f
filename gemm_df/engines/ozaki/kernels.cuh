// The kernels of products by residues (residues.hpp). Each takes the number of its block from blockIdx.x alone.
//
//   stat_kernel      part of a line -> its sum of squares
//   base_kernel      sums of squares of a line -> its base
//   line_kernel      all of a line of adjacent terms -> its base and its residues, in one pass
//   residue_kernel   entries -> residues, terms adjacent, zeros in the padding
//   result_kernel    sums of products -> C
//   result_of_planes_kernel   planes -> C
//   repair_kernel    results of lines with an infinity or a NaN, as sums in double
#pragma once

#include <cstdint>
#include <type_traits>

#include "gemm_df/engines/ozaki/planes.hpp"
#include "hybrid/stream/dynamic_shared.cuh"

namespace eigen_g::ozaki {

inline constexpr int threads = 256;
inline constexpr int lines_of_warp = 32;
inline constexpr std::int64_t tile_terms = 128;
inline constexpr std::int64_t tile_stride =
    tile_terms + 2;  // in shared memory; even, so that pairs are aligned
inline constexpr int residue_shared_bytes = static_cast<int>(tile_lines * tile_stride * 8);
inline constexpr int stat_shared_bytes = 8 * 32 * 8;
inline constexpr std::int64_t columns_of_result = 4;  // columns of C for one block of result_kernel

// Lines of one block of stat_kernel.
template <bool terms_adjacent>
inline constexpr std::int64_t stat_lines = terms_adjacent ? threads / 32 : lines_of_warp;

// parts[line + part * lines] := the squares of the terms part * terms_of_stat ... of a line. With adjacent terms a warp has one line,
// otherwise each lane has one and the warps divide the terms. *any := 0, for base_kernel(). Blocks: whole(lines, stat_lines) for each part.
template <bool terms_adjacent>
__global__ void __launch_bounds__(threads) stat_kernel(Source source, Squares* parts, int* any) {
  constexpr int at_once = 8;
  if (blockIdx.x == 0 && threadIdx.x == 0) *any = 0;
  const auto panels = whole(source.lines, stat_lines<terms_adjacent>);
  const std::int64_t panel = blockIdx.x % panels, part = blockIdx.x / panels;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const std::int64_t line = panel * stat_lines<terms_adjacent> + (terms_adjacent ? warp : lane);
  const std::int64_t end =
      source.terms < (part + 1) * terms_of_stat ? source.terms : (part + 1) * terms_of_stat;
  constexpr std::int64_t step = terms_adjacent ? 32 : 1;
  const std::int64_t begin = part * terms_of_stat + (terms_adjacent ? lane : warp * (terms_of_stat / 8));
  const std::int64_t own_end =
      terms_adjacent || begin + terms_of_stat / 8 > end ? end : begin + terms_of_stat / 8;
  Squares sum;
  if (line < source.lines)
    for (std::int64_t term = begin; term < own_end; term += at_once * step) {
      std::uint64_t bits[at_once];
      Squares few;
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        bits[i] = term + i * step < own_end ? bits_of(source(line, term + i * step)) : 0;
        few.field = few.field > field_of(bits[i]) ? few.field : field_of(bits[i]);
      }
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        const float x = relative_size(bits[i], few.field);
        few.squares += x * x;
      }
      sum = sum_of(sum, few);
    }
  if constexpr (terms_adjacent) {
    for (int apart = 16; apart > 0; apart /= 2) {
      Squares other;
      other.field = __shfl_xor_sync(0xffffffffU, sum.field, apart);
      other.squares = __shfl_xor_sync(0xffffffffU, sum.squares, apart);
      sum = sum_of(sum, other);
    }
    if (lane == 0 && line < source.lines) parts[line + part * source.lines] = sum;
  } else {
    auto* const of_warps = reinterpret_cast<Squares*>(DynamicShared<double>::memory());
    of_warps[threadIdx.x] = sum;
    __syncthreads();
    if (warp != 0 || line >= source.lines) return;
    for (int w = 1; w < threads / 32; ++w) sum = sum_of(sum, of_warps[w * 32 + lane]);
    parts[line + part * source.lines] = sum;
  }
}

// The parts of all sources of an operand; a line consists of the lines of up to three sources.
struct Parts {
  const Squares* first = nullptr;
  std::int64_t lines = 0, parts = 0;
};

// bases[line] := the base of a line; 0 <= line < padded. *any := 1 if some line is not finite.
template <int = 0>  // a kernel in a header must be a template
__global__ void __launch_bounds__(threads)
    base_kernel(Parts of, std::int64_t padded, double limit, int* bases, int* any) {
  const std::int64_t line = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (line >= padded) return;
  double squares = 0;
  int field = 1;
  if (line < of.lines) {
    for (std::int64_t part = 0; part < of.parts; ++part) {
      const int other = of.first[line + part * of.lines].field;
      field = field > other ? field : other;
    }
    for (std::int64_t part = 0; part < of.parts; ++part) {
      const Squares s = of.first[line + part * of.lines];
      squares += static_cast<double>(s.squares * quarter_power(field - s.field));
    }
  }
  bases[line] = base_of(squares, field, limit);
  if (bases[line] == not_finite) *any = 1;
}

// Residues of `source` at the terms first ... first + padded - 1 of each line; zero from source.lines and source.terms on. Blocks: tiles of
// tile_lines lines, whole(padded_lines, tile_lines), for each whole(padded, tile_terms) tiles of terms.
template <int count, bool terms_adjacent>
__global__ void __launch_bounds__(threads)
    residue_kernel(Source source, const int* bases, std::int64_t padded_lines, std::int64_t first,
                   std::int64_t padded, Residues out) {
  struct alignas(16) Pair {
    std::uint64_t x, y;
  };
  auto* const digits = reinterpret_cast<std::uint64_t*>(DynamicShared<double2>::memory());
  const auto panels = whole(padded_lines, tile_lines);
  const std::int64_t first_line = blockIdx.x % panels * tile_lines,
                     first_term = blockIdx.x / panels * tile_terms;
  const int thread = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int i = thread; i < tile_lines * tile_terms; i += threads) {
    const int line = terms_adjacent ? i / static_cast<int>(tile_terms) : i % static_cast<int>(tile_lines);
    const int term = terms_adjacent ? i % static_cast<int>(tile_terms) : i / static_cast<int>(tile_lines);
    std::uint64_t x = 0;
    if (first_line + line < source.lines && first_term + term < source.terms) {
      const int base = bases[first_line + line];
      if (base != not_finite)
        x = digits_of(integer_of(bits_of(source(first_line + line, first_term + term)), base));
    }
    digits[line * tile_stride + term] = x;
  }
  __syncthreads();
  constexpr int quads = static_cast<int>(tile_terms / 4);
#pragma unroll
  for (int quad = thread; quad < tile_lines * quads; quad += threads) {
    const int line = quad / quads, term = quad % quads * 4;
    if (first_line + line >= padded_lines || first_term + term >= padded) continue;
    const auto* const from = reinterpret_cast<const Pair*>(digits + line * tile_stride + term);
    const Pair low = from[0], high = from[1];
    put_residues<count>(out.data + (first_line + line) * out.stride + first + first_term + term, out.step,
                        low.x, low.y, high.x, high.y);
  }
}

// The largest number of terms for line_kernel(): two blocks have room on a multiprocessor.
inline constexpr std::int64_t max_terms_of_pass = 12288;
constexpr int line_shared_bytes(std::int64_t padded) {
  return static_cast<int>(padded * 8) + threads / 32 * static_cast<int>(sizeof(Squares));
}

// *any := 0, for line_kernel(). One block.
template <int = 0>
__global__ void __launch_bounds__(threads) clear_kernel(int* any) {
  if (threadIdx.x == 0) *any = 0;
}

// Bases and residues of the lines of `source`, whose terms are adjacent; zero from source.lines and source.terms on. *any := 1 if a line is not
// finite. Blocks: one for each of the padded lines.
template <int count>
__global__ void __launch_bounds__(threads)
    line_kernel(Source source, double limit, int* bases, int* any, std::int64_t padded, Residues out) {
  constexpr int at_once = 4;
  struct alignas(16) Pair {
    std::uint64_t x, y;
  };
  auto* const entries = reinterpret_cast<std::uint64_t*>(DynamicShared<double2>::memory());
  auto* const of_warps = reinterpret_cast<Squares*>(entries + padded);
  const std::int64_t line = blockIdx.x, terms = line < source.lines ? source.terms : 0;
  const int thread = static_cast<int>(threadIdx.x);
  Squares sum;
  for (std::int64_t term = thread; term < padded; term += at_once * threads) {
    std::uint64_t bits[at_once];
    Squares few;
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      bits[i] = term + i * threads < terms ? bits_of(source(line, term + i * threads)) : 0;
      few.field = few.field > field_of(bits[i]) ? few.field : field_of(bits[i]);
    }
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      const float x = relative_size(bits[i], few.field);
      few.squares += x * x;
      if (term + i * threads < padded) entries[term + i * threads] = bits[i];
    }
    sum = sum_of(sum, few);
  }
  for (int apart = 16; apart > 0; apart /= 2) {
    Squares other;
    other.field = __shfl_xor_sync(0xffffffffU, sum.field, apart);
    other.squares = __shfl_xor_sync(0xffffffffU, sum.squares, apart);
    sum = sum_of(sum, other);
  }
  if (thread % 32 == 0) of_warps[thread / 32] = sum;
  __syncthreads();
  sum = of_warps[0];
  for (int w = 1; w < threads / 32; ++w) sum = sum_of(sum, of_warps[w]);
  const int base = base_of(static_cast<double>(sum.squares), sum.field, limit);
  if (thread == 0) {
    bases[line] = base;
    if (base == not_finite) *any = 1;
  }
  for (std::int64_t term = 4 * thread; term < padded; term += 4 * threads) {
    const auto* const from = reinterpret_cast<const Pair*>(entries + term);
    const Pair low = from[0], high = from[1];
    const auto digits = [&](std::uint64_t bits) {
      return base == not_finite ? 0 : digits_of(integer_of(bits, base));
    };
    put_residues<count>(out.data + line * out.stride + term, out.step, digits(low.x), digits(low.y),
                        digits(high.x), digits(high.y));
  }
}

// Sums of products. The sum modulo number i of C(row, column) is at i * step + row + column * stride.
struct Sums {
  const std::int32_t* data = nullptr;
  std::int64_t step = 0, stride = 0;
};

// C and its scaling. Only entries with row - column >= diagonal are computed.
struct Result {
  double* data = nullptr;
  std::int64_t row_step = 1, lda = 1, rows = 0, columns = 0;
  double alpha = 1, beta = 0;
  std::int64_t diagonal = INT64_MIN;
  bool pairs = false;  // entries of two rows are adjacent and aligned, if the first row is even

  EIGEN_G_HOST_DEVICE void put(std::int64_t row, std::int64_t column, double product) const {
    double& c = data[row * row_step + column * lda];
    c = beta == 0 ? alpha * product : fma(beta, c, alpha * product);
  }
  // Rows `row` and row + 1, if pairs.
  __device__ void put_two(std::int64_t row, std::int64_t column, double first, double second) const {
    auto* const at = reinterpret_cast<double2*>(&data[row + column * lda]);
    double2 c{alpha * first, alpha * second};
    if (beta != 0) {
      const double2 old = *at;
      c = {fma(beta, old.x, c.x), fma(beta, old.y, c.y)};
    }
    *at = c;
  }
};

// Blocks: whole(rows, threads) for each whole(columns, columns_of_result).
template <int count>
__global__ void __launch_bounds__(threads)
    result_kernel(Sums sums, const int* bases_a, const int* bases_b, Result c) {
  const auto panels = whole(c.rows, threads);
  const std::int64_t row = blockIdx.x % panels * threads + threadIdx.x;
  const std::int64_t first = blockIdx.x / panels * columns_of_result;
  if (row >= c.rows) return;
  const int base_a = bases_a[row];
#pragma unroll
  for (std::int64_t j = 0; j < columns_of_result; ++j) {
    const std::int64_t column = first + j;
    if (column >= c.columns || row - column < c.diagonal) continue;
    const int base_b = bases_b[column];
    if (base_a == not_finite || base_b == not_finite) continue;
    const std::int32_t* const from = sums.data + row + column * sums.stride;
    std::int32_t own[count];
#pragma unroll
    for (int i = 0; i < count; ++i) own[i] = from[i * sums.step];
    Fraction f;
    for_each_modulus<count>([&](auto i) {
      using M = Modulus<count, decltype(i)::value>;
      f.add<M>(residue_of_sum<M>(own[decltype(i)::value]));
    });
    c.put(row, column, unscaled(f.value<count>(), base_a, base_b));
  }
}

// C from planes. A thread has four residues of each plane: the entries of rows r, r + 1, r + 8, r + 9 of a column (place_in_plane). Blocks: whole(words,
// threads), with words_of(rows) words for each column.
EIGEN_G_HOST_DEVICE constexpr std::int64_t words_of(std::int64_t rows) {
  return whole(rows, row_group) * (row_group / 4);
}
template <int count>
__global__ void __launch_bounds__(threads)
    result_of_planes_kernel(Planes planes, const int* bases_a, const int* bases_b, Result c) {
  const auto words = static_cast<std::uint32_t>(words_of(c.rows));
  const std::uint32_t at = blockIdx.x * threads + threadIdx.x, in_column = at % words;
  const std::int64_t column = at / words;
  const std::int64_t first =
      in_column / 16 * std::int64_t{row_group} + in_column % 16 / 4 * 2 + in_column % 4 * 16;
  if (column >= c.columns || first >= c.rows || first + 9 - column < c.diagonal) return;
  using Four = std::conditional_t<has_floats(count), std::uint64_t, std::uint32_t>;
  constexpr int bits = 8 * bytes_of_residue(count), mask = (1 << bits) - 1;
  const auto* const from = reinterpret_cast<const Four*>(
      planes.data + (column * planes.stride + 4 * std::int64_t{in_column}) * bytes_of_residue(count));
  Four own[count];
#pragma unroll
  for (int i = 0; i < count; ++i) own[i] = from[i * planes.step / 4];
  const int base_b = bases_b[column];
  if (base_b == not_finite) return;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const std::int64_t row = first + 8 * half;
    Fraction x, y;
    for_each_modulus<count>([&](auto i) {
      using M = Modulus<count, decltype(i)::value>;
      x.add<M>(static_cast<std::uint32_t>(own[decltype(i)::value] >> 2 * bits * half) & mask);
      y.add<M>(static_cast<std::uint32_t>(own[decltype(i)::value] >> (2 * half + 1) * bits) & mask);
    });
    const auto put = [&](std::int64_t r, const Fraction& f) {
      if (r >= c.rows || r - column < c.diagonal) return;
      const int base_a = bases_a[r];
      if (base_a != not_finite) c.put(r, column, unscaled(f.value<count>(), base_a, base_b));
    };
    if (c.pairs && row + 1 < c.rows && row - column >= c.diagonal && bases_a[row] != not_finite &&
        bases_a[row + 1] != not_finite) {
      c.put_two(row, column, unscaled(x.value<count>(), bases_a[row], base_b),
                unscaled(y.value<count>(), bases_a[row + 1], base_b));
    } else {
      put(row, x);
      put(row + 1, y);
    }
  }
}

// The lines of one side of a product: up to two sources one after the other, their bases, and the flag of base_kernel().
struct Lines {
  Source first, second;
  const int* bases = nullptr;
  const int* any = nullptr;
};

// C(row, column) as sums in double, if one of its lines is not finite. Returns at once if there is no such line.
template <int = 0>
__global__ void __launch_bounds__(threads) repair_kernel(Lines a, Lines b, Result c, std::int64_t blocks) {
  if (*a.any == 0 && *b.any == 0) return;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x; i < c.rows * c.columns;
       i += blocks * threads) {
    const std::int64_t row = i % c.rows, column = i / c.rows;
    if (row - column < c.diagonal) continue;
    if (a.bases[row] != not_finite && b.bases[column] != not_finite) continue;
    double sum = 0;
    for (std::int64_t l = 0; l < a.first.terms; ++l) sum = fma(a.first(row, l), b.first(column, l), sum);
    for (std::int64_t l = 0; l < a.second.terms; ++l) sum = fma(a.second(row, l), b.second(column, l), sum);
    c.put(row, column, sum);
  }
}

}  // namespace eigen_g::ozaki
