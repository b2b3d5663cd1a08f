// Runs the small kernels of full_to_band() on the CPU, with each thread as a fiber.
#include "tests/support/emulation.hpp"
// The kernels follow the emulation.
#include "solver/reduction/two_stage/full_to_band_kernels.cuh"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "tests/support/catch.hpp"

using namespace eigen_g::full_to_band_kernels;

namespace {

using Index = std::int32_t;
using Values = std::vector<double>;
const double not_a_number = std::numeric_limits<double>::quiet_NaN();

Values random_values(Index count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Values x(static_cast<std::size_t>(count));
  for (double& value : x) value = normal(random);
  return x;
}

}  // namespace

TEST_CASE("correction_kernel: M = [D; 1/2 (Y^T - C^T D)]") {
  for (const Index b : {32, 48, 64, 96, 128})
    for (const Index pairs : {0, 1, 2, 3, 5}) {
      const Index width = 2 * b * pairs, ldc = width + 2 * b + 3, ldm = width + b + 5;
      CAPTURE(b, width);
      emulation::seed(static_cast<unsigned>(b + pairs));
      Values c = random_values(ldc * b, static_cast<unsigned>(width + b));
      const auto of_c = [&](Index i, Index j) -> double& { return c[static_cast<std::size_t>(i + j * ldc)]; };
      for (Index j = 0; j < b; ++j)
        for (Index i = width; i < width + b; ++i) of_c(i, j) = not_a_number;
      Values m(static_cast<std::size_t>(ldm * b), not_a_number);
      const Index squares = b / correction_side;
      emulation::launch(correction_kernel<double>, squares * squares, correction_threads, correction_shared,
                        b, width, c.data(), ldc, m.data(), ldm);
      Index wrong = 0;
      double error = 0;
      for (Index j = 0; j < b; ++j)
        for (Index i = 0; i < ldm; ++i) {
          const double found = m[static_cast<std::size_t>(i + j * ldm)];
          if (i >= width + b) {
            wrong += !std::isnan(found);
          } else if (i < width) {
            wrong += found != of_c(i / b % 2 == 0 ? i + b : i - b, j);
          } else {
            double sum = of_c(width + b + j, i - width);
            for (Index k = 0; k < width; ++k)
              sum -= of_c(k, i - width) * of_c(k / b % 2 == 0 ? k + b : k - b, j);
            error = std::max(error, std::fabs(found - sum / 2));
            wrong += std::isnan(found);
          }
        }
      CHECK(wrong == 0);
      CHECK(error <= 1e-15 * (width + 1));
    }
}

TEST_CASE("swap_pairs_kernel: blocks of columns in pairs") {
  for (const Index b : {32, 48}) {
    const Index rows = 128, cols = 4 * b, ld = rows + 2;
    const Values x = random_values(ld * cols, 1);
    Values y(x.size(), not_a_number);
    Index wrong = 0;
    for (Index col = 0; col < cols; ++col) {
      blockIdx.y = static_cast<unsigned>(col);
      emulation::launch(swap_pairs_kernel<double>, 1, 128, 0, b, std::int64_t{rows - 1}, x.data(), ld,
                        y.data(), ld);
      for (Index i = 0; i < ld; ++i) {
        const double found = y[static_cast<std::size_t>(i + col * ld)];
        const Index from = col / b % 2 == 0 ? col + b : col - b;
        wrong += i < rows - 1 ? found != x[static_cast<std::size_t>(i + from * ld)] : !std::isnan(found);
      }
    }
    blockIdx.y = 0;
    CHECK(wrong == 0);
  }
}

TEST_CASE("diagonal_blocks_kernel: the lower triangles of the blocks") {
  const Index b = 32;
  for (const Index n : {1, 32, 33, 34, 65, 66, 97, 130}) {
    Index last = 0;
    while (n - last - b >= 2) last += b;
    const Index ld = n + 3, ldb = b + 2;
    const Values a = random_values(ld * n, static_cast<unsigned>(n));
    Values band(static_cast<std::size_t>(ldb * n), not_a_number);
    blockDim.x = 64;
    emulation::launch(diagonal_blocks_kernel<double>, n, 64, 0, n, b, last, a.data(), ld, band.data(), ldb);
    blockDim.x = 1;
    Index wrong = 0;
    for (Index col = 0; col < n; ++col)
      for (Index d = 0; d < ldb; ++d) {
        const Index row = col + d, end = col < last ? (col / b + 1) * b : n;
        const double found = band[static_cast<std::size_t>(d + col * ldb)];
        wrong += row < end ? found != a[static_cast<std::size_t>(row + col * ld)] : !std::isnan(found);
      }
    CAPTURE(n, last);
    CHECK(wrong == 0);
  }
}
