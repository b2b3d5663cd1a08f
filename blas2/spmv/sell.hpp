// sell_multiply(): the product with a matrix in sliced ELLPACK (SELL-32-sigma) with long rows stored apart, on a GPU. CUDA
// builds only.
//
//   Y := alpha A X + gamma X + beta Y
//
// Rows are sorted by length within windows of sigma rows and cut into slices of 32. A slice stores the first entry of each of
// its rows, then the second of each, up to the length of its longest row. A warp therefore reads 32 rows at neighbouring
// addresses. Rows with more than `cut` entries are long rows. They are stored behind the slices, in pieces of piece_entries
// entries. A warp adds a piece, and another kernel adds the sums of a row's pieces in their order.
//
//   slice s, lane l, entry j:            index slice_begin[s] + 32 j + l of col and value; col = -1: padding
//   row at position p = 32 s + l:        order[p], -1 for a long row; without `order`: p
//
// The `hot` columns with the most entries can be gathered. Before each product their rows of X are copied into an array of
// their own, which stays in the L1 caches. Then col = c < hot is row c of this array, and other values are row c - hot of X.
//
// Every row is one sum in an order that the matrix and the configuration determine, so results have the same bits in every run.
// Cost of a product: (4 + sizeof T) stored() + (2 sizeof T + 4) rows bytes.
// Source: paper 3's outlook; Kreutzer, Hager, Wellein, Fehske, Bishop 2014 (SELL-C-sigma).
#pragma once

#include "blas2/spmv/sparse_matrix.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/scalar.hpp"

namespace eigen_g::blas2 {

inline constexpr int sell_slice = 32;

struct SellConfig {
  std::int64_t sigma = 1;                    // 1: rows stay in their order
  std::int64_t cut = std::int64_t{1} << 31;  // rows with more entries are long rows
  std::int64_t piece_entries = 512;
  std::int32_t hot = 0;  // number of gathered columns
};

template <class T>
struct SellView {
  std::int64_t rows = 0, cols = 0;
  std::int64_t slices = 0;
  const std::int64_t* slice_begin = nullptr;  // slices + 1
  const std::int32_t* order = nullptr;        // rows, or null
  const std::int32_t* col = nullptr;
  const T* value = nullptr;
  std::int64_t long_rows = 0, pieces = 0;
  const std::int32_t* long_row = nullptr;     // long_rows, ascending
  const std::int64_t* first_piece = nullptr;  // long_rows + 1
  const std::int64_t* piece_begin = nullptr;  // pieces + 1, into col and value
  std::int32_t hot = 0;
  const std::int32_t* hot_col = nullptr;  // hot
};

template <class T>
class Sell {
 public:
  Sell() = default;
  // Converts a CSR matrix in device memory, on the GPU. Blocks. Throws OutOfMemory, DeviceError.
  Sell(const Queue& queue, const CrsView<T>& a_dev, const SellConfig& config);

  SellView<T> view() const;
  std::int64_t stored() const { return stored_; }  // entries, padding included
  std::uint64_t bytes() const;
  // Buffers that a product writes, large enough for k = 4: the sums of the pieces, and the gathered rows of X. Products
  // therefore must not overlap in time.
  T* partial() const { return partial_.data(); }
  T* hot_x() const { return hot_x_.data(); }

 private:
  std::int64_t rows_ = 0, cols_ = 0, stored_ = 0, long_rows_ = 0, pieces_ = 0;
  std::int32_t hot_ = 0;
  DeviceBuffer<std::int64_t> slice_begin_, first_piece_, piece_begin_;
  DeviceBuffer<std::int32_t> order_, col_, long_row_, hot_col_;
  DeviceBuffer<T> value_, partial_, hot_x_;
};

// Contract of crs_multiply() with a queue. x_dev is cols x k, y_dev is rows x k, row-major, k = 1 or 4.
template <class T>
void sell_multiply(const Queue& queue, int k, same_t<T> alpha, const Sell<T>& a, const same_t<T>* x_dev,
                   same_t<T> beta, T* y_dev, same_t<T> gamma = 0);

}  // namespace eigen_g::blas2
