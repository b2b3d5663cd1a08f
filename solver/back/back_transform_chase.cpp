#include "solver/back/back_transform_chase.hpp"

#include <algorithm>

#include "hybrid/instantiate.hpp"
#include "hybrid/machine/tuning.hpp"
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
std::uint64_t back_transform_chase_bytes_on_cpu(std::int64_t n, std::int64_t b, std::int64_t m) {
  return bytes_taken([&](Arena& arena) { ChaseBackWorkspace<T>(arena, ChaseTiles(n, b), m); });
}

// V of a tile is written out as a dense matrix that begins one row below the tile's first row. Column j of V begins at its row j.
template <class T>
void back_transform_chase_on_cpu(const ChaseTiles& tiles, const ChaseReflectors<const T>& reflectors,
                                 MatrixView<T> z, Arena scratch) {
  const ChaseBackWorkspace<T> at(scratch, tiles, z.cols);
  const std::int64_t width = tiles.width;
  for (std::int64_t group = tiles.groups() - 1; group >= 0; --group) {
    const std::int64_t first_tile = tiles.tile(group, 0);
    for (std::int64_t step = 0; step < tiles.steps(group); ++step) {
      const std::int64_t tile = first_tile + step, first = tiles.first_row(group, step) + 1;
      const std::int64_t rows = std::min(at.rows, tiles.n - first), count = std::min(width, rows - 1);
      std::fill_n(at.v, at.rows * width, T{});
      for (std::int64_t j = 0; j < count; ++j)
        std::copy_n(reflectors.sweep(tiles, group * width + j) + step * tiles.b, std::min(tiles.b, rows - j),
                    at.v + j * (at.rows + 1));
      const auto size = [](std::int64_t n) { return lapack_size(n, "n"); };
      check_lapack(
          lapack::apply_reflectors(size(rows), size(z.cols), size(count), at.v, size(at.rows),
                                   reflectors.tau + tile * width, at.t, &z(first, 0), size(z.lda), at.work),
          "larfb");
    }
  }
}

ChaseBack back_transform_chase_on_gpu(Engine engine) {
  const bool native =
      engine == Engine::native || (engine == Engine::automatic && is_strong_in_double(current_capability()));
  return native ? ChaseBack::automatic : ChaseBack::engine;
}

EIGEN_G_INSTANTIATE(double_type, back_transform_chase_on_cpu, back_transform_chase_bytes_on_cpu);

}  // namespace eigen_g
