#include "solver/back/chase_back.hpp"

#include <algorithm>

#include "solver/prepare/lapack.hpp"

namespace eigen_g {

namespace {

template <class T>
struct ChaseBackWorkspace {
  std::int64_t rows;
  T *v, *t, *work;

  ChaseBackWorkspace(Arena& arena, const ChaseTiles& tiles, std::int64_t m)
      : rows(tiles.b + tiles.width - 1),
        v(arena.take<T>(rows * tiles.width)),
        t(arena.take<T>(tiles.width * tiles.width)),
        work(arena.take<T>(tiles.width * m)) {}
};

}  // namespace

template <class T>
std::uint64_t chase_back_bytes_on_cpu(std::int64_t n, std::int64_t b, std::int64_t m) {
  return bytes_taken([&](Arena& arena) { ChaseBackWorkspace<T>(arena, ChaseTiles(n, b), m); });
}

// Column j of a tile begins a row below the tile's first, and so does the dense V here.
template <class T>
void chase_back(const ChaseTiles& tiles, const ChaseReflectors<const T>& reflectors, MatrixView<T> z,
                Arena scratch) {
  const ChaseBackWorkspace<T> at(scratch, tiles, z.cols);
  const std::int64_t width = tiles.width;
  for (std::int64_t group = tiles.groups() - 1; group >= 0; --group) {
    const std::int64_t first_tile = tiles.tile(group, 0);
    for (std::int64_t step = 0; step < tiles.steps(group); ++step) {
      const std::int64_t tile = first_tile + step, first = tiles.first_row(group, step) + 1;
      const std::int64_t rows = std::min(at.rows, tiles.n - first), count = std::min(width, rows - 1);
      std::fill_n(at.v, at.rows * width, T{});
      for (std::int64_t j = 0; j < count; ++j)
        std::copy_n(reflectors.run(tiles, group * width + j) + step * tiles.b, std::min(tiles.b, rows - j),
                    at.v + j * (at.rows + 1));
      const auto size = [](std::int64_t n) { return lapack_size(n, "n"); };
      check_lapack(
          lapack::apply_reflectors(size(rows), size(z.cols), size(count), at.v, size(at.rows),
                                   reflectors.tau + tile * width, at.t, &z(first, 0), size(z.lda), at.work),
          "larfb");
    }
  }
}

template std::uint64_t chase_back_bytes_on_cpu<double>(std::int64_t, std::int64_t, std::int64_t);
template void chase_back(const ChaseTiles&, const ChaseReflectors<const double>&, MatrixView<double>, Arena);

}  // namespace eigen_g
