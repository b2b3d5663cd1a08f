#include "solver/reduction/two_stage/dealt_columns.hpp"

#include <vector>

#include "tests/support/catch.hpp"

using eigen_g::DealtColumns;

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
