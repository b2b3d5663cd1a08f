#include "solver/reduction/two_stage/chase_tiles.hpp"

#include <complex>
#include <vector>

#include "solver/back/chase_image.hpp"
#include "tests/support/catch.hpp"

using eigen_g::ChaseTiles;

// Every reflector of length two or more has a position of its own, in the order of application.
TEST_CASE("chase tiles: places of all reflectors") {
  for (const std::int64_t b : eigen_g::chase_bandwidths)
    for (const std::int64_t n : {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, b, b + 1,
                                 2 * b + 3, 5 * b + 2}) {
      const ChaseTiles tiles(n, b);
      CAPTURE(n, b);
      std::vector<int> taken(static_cast<std::size_t>(tiles.tiles_from(0) * tiles.tile_size())),
          run_taken(static_cast<std::size_t>(tiles.count()));
      std::int64_t reflectors = 0, counted = 0;
      for (std::int64_t group = tiles.groups() - 1; group >= 0; --group) {
        counted += tiles.steps(group);
        REQUIRE(tiles.tiles_from(group) == counted);
      }
      for (std::int64_t s = 0; s < n - 2; ++s)
        for (std::int64_t row = s + 1, step = 0; row < n - 1; row += b, ++step) {
          const std::int64_t group = s / tiles.width, j = s % tiles.width, tile = tiles.tile(group, step);
          REQUIRE(step < tiles.steps(group));
          REQUIRE(tiles.first_row(group, step) + j + 1 == row);
          REQUIRE(tile * tiles.width + j < tiles.tau_count());
          const std::int64_t column = tile * tiles.tile_size() + tiles.column(j);
          REQUIRE(column % 2 == 0);
          for (std::int64_t i = 0; i < b + 8; ++i) ++taken[static_cast<std::size_t>(column + i)];
          const std::int64_t rows = eigen_g::chase_rows<double>(tiles, s, step), run = tiles.sweep_offset(s);
          REQUIRE(rows == std::min(b, n - row));
          REQUIRE(run % 2 == 0);
          for (std::int64_t i = 0; i < rows; ++i)
            ++run_taken.at(static_cast<std::size_t>(run + step * b + i));
          REQUIRE(eigen_g::chase_rows<std::complex<double>>({n + 1, b}, s, step) == rows);
          ++reflectors;
        }
      for (const int count : taken) REQUIRE(count <= 1);
      for (const int count : run_taken) REQUIRE(count <= 1);
      CHECK(tiles.count() <= n * n / 2 + n);
      CHECK(reflectors <= tiles.tau_count());
      if (tiles.groups() > 1) CHECK(tiles.tile(0, 0) == tiles.tile(1, tiles.steps(1) - 1) + 1);
      CHECK(tiles.tiles_from(tiles.groups()) == 0);
    }
}

// The reflectors of a complex chase, including the reflectors of one row, and its real image have the same groups, steps and
// rows.
TEST_CASE("chase tiles: the image of a complex chase") {
  for (std::int64_t n = 1; n <= 200; ++n) {
    CAPTURE(n);
    const ChaseTiles tiles = eigen_g::chase_tiles<std::complex<double>>(n, 32),
                     image = eigen_g::chase_image(tiles);
    CHECK(image.n == 2 * n);
    CHECK(tiles.sweeps() == n - 1);
    REQUIRE(image.groups() == tiles.groups());
    CHECK(image.tiles_from(0) == tiles.tiles_from(0));
    for (std::int64_t group = 0; group < tiles.groups(); ++group) {
      REQUIRE(image.steps(group) == tiles.steps(group));
      CHECK(image.first_row(group, 1) == 2 * tiles.first_row(group, 1));
      CHECK(tiles.first_row(group, tiles.steps(group) - 1) + 1 < n);  // it has a reflector
      CHECK(tiles.first_row(group, tiles.steps(group)) + 1 > n - 1);  // the next step would have no reflector
    }
  }
}
