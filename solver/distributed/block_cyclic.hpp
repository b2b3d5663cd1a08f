// Deal, BlockCyclic: ScaLAPACK's two-dimensional block-cyclic distribution. They say which entries of a matrix a process has, and where.
//
//   global index g = (l / block * parts + part) * block + l % block   of local index l
//
// Source: ScaLAPACK Users' Guide, section 4.3; numroc.f.
#pragma once

#include <algorithm>
#include <cstdint>

namespace eigen_g::distributed {

// One dimension of n entries, distributed in blocks to `parts` processes. The first block belongs to process 0; this process is `part`.
struct Deal {
  std::int64_t n = 0, block = 1;
  int parts = 1, part = 0;

  std::int64_t global(std::int64_t local) const {
    return (local / block * parts + part) * block + local % block;
  }
  // Number of global indices below g that this process has. It is also the local index of the first one that is at least g.
  std::int64_t below(std::int64_t g) const {
    const std::int64_t round = block * parts, rest = g % round - part * block;
    return g / round * block + std::clamp<std::int64_t>(rest, 0, block);
  }
  std::int64_t count() const { return below(n); }
};

// The local part of a matrix on this process: local entry (i, j) is data[i + j * ld].
struct BlockCyclic {
  Deal rows, cols;
  std::int64_t ld() const { return std::max<std::int64_t>(1, rows.count()); }
  std::int64_t entries() const { return ld() * cols.count(); }
};

}  // namespace eigen_g::distributed
