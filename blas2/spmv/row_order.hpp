// Building blocks of conversions between sparse formats on a GPU: rows sorted by length, running sums. Everything is ordered on
// `queue`, and scratch memory comes from its resources. The radix sort and the scan are CUB's; both give the same result in
// every run. CUDA builds only.
#pragma once

#include <cstdint>

#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"

namespace eigen_g::blas2 {

// Sorts the pairs (keys[i], values[i]) in ascending order of the bits first_bit ... last_bit - 1 of their keys. Equal keys keep
// their order.
void sort_pairs(const Queue& queue, DeviceBuffer<std::uint64_t>& keys, DeviceBuffer<std::int64_t>& values,
                int first_bit, int last_bit);

// order_dev[position] := row. Within each window of `sigma` rows, longer rows come first, and rows of equal length keep their
// order. A row with more than `cut` entries counts as empty.
//   row_offsets  rows + 1 elements, device, in
//   order_dev  rows elements, device, out
void order_rows(const Queue& queue, std::int64_t rows, const std::int64_t* row_offsets, std::int64_t sigma,
                std::int64_t cut, std::int32_t* order_dev);

// out[0] = 0, out[i + 1] = in[0] + ... + in[i]. Returns out[count]; blocks.
//   in   count elements, device, in
//   out  count + 1 elements, device, out; no overlap with in
std::int64_t running_sum(const Queue& queue, const std::int64_t* in, std::int64_t count, std::int64_t* out);

}  // namespace eigen_g::blas2
