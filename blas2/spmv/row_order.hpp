// What conversions between sparse formats on a GPU are made of: rows in the order of their lengths, running sums. All
// ordered on `queue`; scratch memory from its resources. CUDA builds only. By CUB's radix sort and scan, both of which repeat.
#pragma once

#include <cstdint>

#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"

namespace eigen_g::blas2 {

// Sorts `count` pairs by bits first_bit ... last_bit - 1 of their keys, ascending; equal keys keep their order.
void sort_pairs(const Queue& queue, DeviceBuffer<std::uint64_t>& keys, DeviceBuffer<std::int64_t>& values,
                int first_bit, int last_bit);

// Position -> row: within each window of `sigma` rows the longer ones first, equal ones in their order; rows longer than `cut`
// count as empty. row_begin, order_dev: rows + 1 and rows elements, device.
void order_rows(const Queue& queue, std::int64_t rows, const std::int64_t* row_begin, std::int64_t sigma,
                std::int64_t cut, std::int32_t* order_dev);

// out[0] = 0, out[i + 1] = in[0] + ... + in[i]; in: count, out: count + 1 elements, device; not the same memory. Returns
// out[count]: blocks.
std::int64_t running_sum(const Queue& queue, const std::int64_t* in, std::int64_t count, std::int64_t* out);

}  // namespace eigen_g::blas2
