#include "solver/reduction/two_stage/dealt_columns.hpp"

#include <vector>

#include "tests/support/catch.hpp"

using eigen_g::block_columns;
using eigen_g::DealtColumns;
using eigen_g::DealtPart;

TEST_CASE("dealt columns: every column has one place in one part, and strips are whole") {
  for (const std::int64_t n : {0, 1, 5, 63, 64, 65, 128, 200, 385})
    for (const std::int64_t width : {32, 64})
      for (const std::int64_t parts : {1, 2, 3, 4})
        for (const std::int64_t pieces : {1, 3}) {
          CAPTURE(n, width, parts, pieces);
          const DealtColumns deal{n, width, parts, pieces * width * parts};
          std::int64_t sum = 0, before = 0;
          for (int part = 0; part < parts; ++part) {
            sum += deal.columns(part);
            before += deal.before(n / 2, part);
            CHECK(deal.columns(part) <= deal.most_columns());
            for (std::int64_t l = 0; l < deal.columns(part); ++l) {
              const std::int64_t j = deal.global(part, l);
              REQUIRE(j < n);
              REQUIRE(deal.part_of(j) == part);
              REQUIRE(deal.local(j) == l);
              REQUIRE(deal.before(j, part) == l);
              REQUIRE(deal.before(j + 1, part) == l + 1);
              REQUIRE(j / deal.height == l / deal.share());
            }
            for (std::int64_t s = 0; s < deal.strips(); ++s)
              REQUIRE(deal.before(deal.first_row(s), part) == s * deal.share());
          }
          CHECK(sum == n);
          CHECK(before == n / 2);
        }
}

TEST_CASE("dealt columns: a packed part stores every row from the strip's first one on, and each once") {
  for (const std::int64_t n : {1, 5, 64, 65, 200, 385})
    for (const std::int64_t parts : {1, 2, 3})
      for (const std::int64_t pieces : {1, 3}) {
        const DealtColumns deal{n, 32, parts, pieces * 32 * parts, true};
        const std::int64_t ld = (n + 63) / 64 * 64;
        CAPTURE(n, parts, pieces);
        for (int p = 0; p < parts; ++p) {
          std::vector<int> used(static_cast<std::size_t>(deal.most_values(ld)), 0);
          const DealtPart<int> part{deal, p, used.data(), ld};
          for (std::int64_t l = 0; l < part.columns(); ++l) {
            const std::int64_t strip = l / deal.share(), row = deal.first_row(strip);
            for (std::int64_t i = row; i < n; ++i) {
              int* const at = part.column(l) + i;
              REQUIRE(at >= used.data());
              REQUIRE(at < used.data() + used.size());
              REQUIRE(&part.block(row, l, n - row, 1)(i - row, 0) == at);
              ++*at;
            }
            if (l > 0 && (l - 1) / deal.share() == strip)
              REQUIRE(part.column(l) - part.column(l - 1) == part.ld_of(strip));
          }
          for (const int times : used) REQUIRE(times <= 1);
        }
      }
}

TEST_CASE("dealt columns: a part that is not packed is one matrix") {
  std::vector<int> memory(7 * 320);
  const DealtColumns deal{300, 32, 2, 128};
  const DealtPart<int> part{deal, 1, memory.data(), 320};
  CHECK(deal.most_values(320) == deal.most_columns() * 320);
  for (std::int64_t l = 0; l < part.columns(); ++l) CHECK(part.column(l) == memory.data() + l * 320);
  CHECK(part.block(10, 3, 40, 90).lda == 320);
}

TEST_CASE("dealt columns: block columns of one GPU take about 0.55 n^2 values") {
  for (const std::int64_t n : {1, 63, 257, 1000, 2559, 2560, 3000, 20000, 40961, 90000, 130000}) {
    const DealtColumns deal = block_columns(n, 256, 4096);
    const std::int64_t ld = (n + 63) / 64 * 64, values = deal.most_values(ld);
    CAPTURE(n, deal.height, values);
    CHECK(deal.parts == 1);
    CHECK(deal.packed);
    CHECK(deal.height % 64 == 0);
    CHECK(deal.columns(0) == n);
    CHECK(values >= n * (n + 1) / 2);
    CHECK(values <= n * n / 2 + (deal.height / 2 + 64) * n);
    if (n >= 2560)
      CHECK(static_cast<double>(values) <= (n >= 20000 ? 0.552 : 0.56) * static_cast<double>(n * n));
  }
  // 0.52 n^2 doubles of n = 130000.
  CHECK(8 * block_columns(130000, 256, 4096).most_values(130048) < 70000000000);
}

TEST_CASE("dealt columns: runs have every column of a range once, in order") {
  const DealtColumns deal{1000, 32, 3, 192};
  for (const std::int64_t first : {0, 31, 32, 200, 999})
    for (const std::int64_t count : {0, 1, 31, 64, 700}) {
      if (first + count > deal.n) continue;
      std::int64_t next = 0;
      eigen_g::for_runs(deal, first, count, [&](std::int64_t local, std::int64_t columns, std::int64_t at) {
        REQUIRE(at == next);
        REQUIRE(columns > 0);
        for (std::int64_t k = 0; k < columns; ++k) {
          REQUIRE(deal.part_of(first + at + k) == deal.part_of(first + at));
          REQUIRE(deal.local(first + at + k) == local + k);
        }
        REQUIRE(local / deal.share() == (local + columns - 1) / deal.share());
        next += columns;
      });
      CHECK(next == count);
    }
}
