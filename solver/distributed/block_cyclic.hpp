// ScaLAPACK's two-dimensional block-cyclic distribution: which entries of a matrix a process holds, and where.
//
//   global index g = (l / block * parts + part) * block + l % block   of local index l
//
// Source: ScaLAPACK Users' Guide, section 4.3; numroc.f.
#pragma once

#include <algorithm>
#include <cstdint>

namespace eigen_g::distributed {

// One dimension of n entries dealt out in blocks to `parts` processes, the first block to part 0; this one is `part`.
struct Deal {
  std::int64_t n = 0, block = 1;
  int parts = 1, part = 0;

  std::int64_t global(std::int64_t local) const {
    return (local / block * parts + part) * block + local % block;
  }
  // How many of the global indices below g are held here: the local index of the first one from g on.
  std::int64_t below(std::int64_t g) const {
    const std::int64_t round = block * parts, rest = g % round - part * block;
    return g / round * block + std::clamp<std::int64_t>(rest, 0, block);
  }
  std::int64_t count() const { return below(n); }
};

// This process' part of a matrix: local entry (i, j) is data[i + j * ld].
struct BlockCyclic {
  Deal rows, cols;
  std::int64_t ld() const { return std::max<std::int64_t>(1, rows.count()); }
  std::int64_t entries() const { return ld() * cols.count(); }
};

}  // namespace eigen_g::distributed
