// ProductTuning: limits and sizes of the matrix products. The values were measured on an H200. A file can replace them
// (hybrid/machine/tuning_file.hpp, section "products"). Measurements: data/perf/DECISIONS.md, "Products by cuBLAS",
// "Float products by fp16 pairs", "Rank-2k update".
#pragma once

#include <cstdint>

#include "hybrid/machine/tuning_file.hpp"

namespace eigen_g {

struct ProductTuning {
  // Largest number of terms that cuBLAS adds in one chain, whose rounding errors grow with sqrt(k). Longer sums are computed in
  // slices that are added one after another. Eigenvectors are then closer to orthogonal, and the back-transformation takes
  // somewhat longer.
  std::int64_t max_terms_of_a_sum = 1280;
  // A result with at most this number of columns is one product for any number of terms, because cuBLAS then divides the sums
  // itself.
  std::int64_t max_columns_of_whole_sums = 128;
  // Smallest number of complex multiplications for which a product of complex double consists of three real products instead of
  // four.
  double min_products_of_three = 1e10;
  // Products of float as fp16 pairs (engines/native/halves.hpp): largest number of terms that the tensor core adds in one
  // chain. For complex matrices it counts complex terms; each is two real ones.
  std::int64_t max_terms_of_halves = 512;
  // Relative amount by which the tensor core's truncation shortens a sum of terms of mixed signs, for each term and on average.
  // alpha is enlarged by it.
  float halves_cut_of_a_term = 1.05e-9F;
  // Smallest number of rows and of columns, and smallest number of real multiplications, for which fp16 pairs are faster than
  // SGEMM.
  std::int64_t halves_min_lines = 512;
  double halves_min_products = 1e9;
  // Smallest number of entries of A for which fp16 pairs are faster in a product with at most 64 columns.
  double narrow_halves_min_entries = 8e6;
  // Rank-2k updates with more columns are computed by cuBLAS.
  std::int64_t rank_2k_max_columns = 128;
  // Smallest number of rows for tiles of 64 x 64 instead of 32 x 32, and for tiles of 128 x 128 (rank_2k/syr2k.cu).
  std::int64_t rank_2k_min_rows_medium = 1500, rank_2k_min_rows_large = 8000;
  // Smallest number of rows for an update that also computes the product of C with the next vector, always with the large
  // tiles. It saves a pass over C.
  std::int64_t rank_2k_min_rows_product = 5000;
  // Engines ozaki and ozaki-fast. Products with fewer results or fewer terms are native.
  std::int64_t ozaki_min_entries = 8192, ozaki_min_terms = 32;
  // With so few rows or columns the conversion of the other operand takes longer than a native product on a GPU that is strong in double. There
  // such a product is native, unless its A is held.
  std::int64_t ozaki_native_lines = 64;
  // 1: the project's own kernel of integer products where the GPU can run it, which writes residues of the sums. 0: cuBLAS's, which writes the
  // sums.
  std::int64_t ozaki_own_products = 1;
  // Bytes of residues of sums at once, for products with at most ozaki_few_terms terms and with more.
  std::int64_t ozaki_planes_of_few = std::int64_t{1} << 30, ozaki_planes_of_many = std::int64_t{1} << 30;
  // Number of moduli whose integer products are one call of cuBLAS.
  std::int64_t ozaki_moduli_at_once = 16;
  // 1: the products of a block of C run during the reconstruction of the block before. 0: one after the other.
  std::int64_t ozaki_overlap = 1;
  // Bytes of cuBLAS's sums at once. With few terms the sums should stay in the GPU's second-level cache between the products and the
  // reconstruction; with many terms large products are faster.
  std::int64_t ozaki_few_terms = 1536, ozaki_sums_of_few = std::int64_t{32} << 20,
               ozaki_sums_of_many = std::int64_t{512} << 20;
};

const ProductTuning&
product_tuning();  // the values of this process; throws InvalidArgument for a damaged tuning file
ProductTuning product_tuning_by(TuningValues values);  // the values above, except the replaced ones

// Inner size of one step of a product on a team, for any devices. If it is large, the read and write of the result in each step
// cost little compared with the product. If it is small, the data of the first step, which no computation hides, arrive soon.
inline constexpr std::int64_t merge_step = 512;

}  // namespace eigen_g
