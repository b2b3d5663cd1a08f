#include "solver/reduction/two_stage/dealt_columns.hpp"

#include <vector>

#include "tests/support/catch.hpp"

using eigen_g::DealtColumns;

TEST_CASE("dealt columns: every column has one place in one part, and strips are whole") {
  for (const std::int64_t n : {0, 1, 5, 63, 64, 65, 128, 200, 385})
    for (const std::int64_t width : {32, 64})
      for (const std::int64_t parts : {1, 2, 3, 4}) {
        CAPTURE(n, width, parts);
        const DealtColumns deal{n, width, parts};
        std::int64_t sum = 0;
        for (int part = 0; part < parts; ++part) {
          sum += deal.columns(part);
          CHECK(deal.columns(part) <= deal.stored_columns());
          for (std::int64_t l = 0; l < deal.columns(part); ++l) {
            const std::int64_t j = deal.global(part, l);
            REQUIRE(j < n);
            REQUIRE(deal.part_of(j) == part);
            REQUIRE(deal.local(j) == l);
          }
          std::int64_t of_strips = 0;
          for (std::int64_t s = 0; s < deal.strips(); ++s) {
            of_strips += deal.count(s, part);
            for (std::int64_t k = 0; k < deal.count(s, part); ++k) {
              REQUIRE(deal.local(deal.first(s, part) + k) == s * width + k);
              REQUIRE((deal.first(s, part) + k) / deal.strip() == s);
              REQUIRE(deal.first(s, part) >= deal.first_row(s));
            }
          }
          CHECK(of_strips == deal.columns(part));
        }
        CHECK(sum == n);
      }
}
