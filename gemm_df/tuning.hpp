// What was measured of the matrix products, by compute capability. The values are those of an H200 (9.0); what else was
// measured: data/perf/DECISIONS.md, "Products by cuBLAS" and "Rank-2k update".
#pragma once

#include <cstdint>

namespace eigen_g {

struct ProductTuning {
  // Terms that cuBLAS adds up in one chain, whose rounding errors grow with sqrt(k). Longer products go in slices, one added
  // to the other: eigenvectors of n = 10000 come out a quarter nearer to orthogonal, the back-transformation takes 6 % longer.
  std::int64_t max_terms_of_a_sum = 1280;
  // Results of so few columns are one product whatever the terms: n = 10000 by 64 columns runs at 48 TFLOP/s whole.
  std::int64_t max_columns_of_whole_sums = 128;
  // Products of complex doubles, from so many complex multiplications on, by three real products, not four: 20000 x 20000 x 512 at 62
  // TFLOP/s of four, not 55.
  double min_products_of_three = 1e10;
  // Products of floats by halves (engines/native/halves.hpp): terms that the tensor core adds up in one chain, complex ones as two.
  std::int64_t max_terms_of_halves = 512;
  // The tensor core cuts sums off. Of terms with mixed signs that takes this part of the sum a term, on average, which is given back:
  // orthogonality ratio of n = 10000 .261 instead of .324, in float .196.
  float halves_cut_of_a_term = 1.05e-9F;
  // Fewest rows and columns, and real multiplications, with which they are faster: ms 512 x 512 x 2000 .106 (SGEMM .059), 800 x 800 x
  // 1000 .059 (.063), 1248 x 1250 x 1000 .078 (.097), 2000 x 2000 x 256 .046 (.065), 256 x 4000 x 4000 .283 (.266).
  std::int64_t halves_min_lines = 512;
  double halves_min_products = 1e9;
  // Entries of A for a product with at most 64 columns: 3000 x 3000 .049 (.055), 8000 x 512 .039 (.037), 15000 x 1024 .058 (.079).
  double narrow_halves_min_entries = 8e6;
  // Rank-2k updates: with more columns, cuBLAS.
  std::int64_t rank_2k_max_columns = 128;
  // Rows from which tiles of 64 x 64 replace 32 x 32, and from which one thread block a multiprocessor takes tiles of
  // 128 x 128 in turn (n = 20000, 64 columns: 1.67 and 1.50 ms).
  std::int64_t rank_2k_min_rows_medium = 1500, rank_2k_min_rows_large = 8000;
  // Rows from which the update multiplies C with the next vector on its way, always with the large tiles: it saves a pass
  // over C, 0.9 % of the reduction of n = 20000.
  std::int64_t rank_2k_min_rows_product = 5000;
};

const ProductTuning& product_tuning(int capability);
const ProductTuning& product_tuning();  // of CUDA's current GPU

// Terms of a product's inner dimension in a step of a team of devices, whatever these are: the result, which each step reads
// and writes, costs little beside the product, and the first step, which nothing hides, arrives soon.
inline constexpr std::int64_t merge_step = 512;

}  // namespace eigen_g
