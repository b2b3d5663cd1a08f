// Tests of lists on the command line, the text table, and the tuner's sizes.
#include <algorithm>

#include "apps/cli/symv_tuning.hpp"
#include "apps/support/exit_codes.hpp"
#include "apps/support/lists.hpp"
#include "apps/support/text_table.hpp"
#include "tests/support/catch.hpp"

using namespace eigen_g;
using namespace eigen_g::apps;
using blas2::SymvType;

TEST_CASE("lists of sizes, types and triangles") {
  using Sizes = std::vector<std::int64_t>;
  CHECK(parse_sizes("5", "--sizes") == Sizes{5});
  CHECK(parse_sizes("2000,1000,100:300:100,200", "--sizes") == Sizes{2000, 1000, 100, 200, 300});
  CHECK(parse_sizes("1:10:4", "--sizes") == Sizes{1, 5, 9});
  for (const char* bad :
       {"", "a", "0", "-5", "1,", "1:2", "5:1:1", "1:5:0", "1:10000000:1", "99999999999999999999", "1 "})
    CHECK_THROWS_AS(parse_sizes(bad, "--sizes"), UsageError);
  CHECK_THROWS_WITH(parse_sizes("x", "--sizes"), ContainsSubstring("--sizes: 'x'"));

  CHECK(parse_types("wds") == std::vector<SymvType>{SymvType::w, SymvType::d, SymvType::s});
  CHECK(parse_types("dd").size() == 1);
  CHECK_THROWS_AS(parse_types(""), UsageError);
  CHECK_THROWS_AS(parse_types("dx"), UsageError);
  CHECK(parse_triangles("both").size() == 2);
  CHECK(parse_triangles("U") == std::vector<Uplo>{Uplo::upper});
  CHECK_THROWS_AS(parse_triangles("X"), UsageError);
}

TEST_CASE("the tuner's sizes") {
  for (const std::int64_t n_max : {64, 100, 1000, 20000, 32768}) {
    CAPTURE(n_max);
    const auto few = first_sieve_sizes(n_max);
    REQUIRE_FALSE(few.empty());
    CHECK(std::is_sorted(few.begin(), few.end()));
    CHECK(few.back() <= n_max);

    const auto many = second_sieve_sizes(n_max);
    REQUIRE(many.least >= 1);
    REQUIRE(many.least <= many.n.size());
    auto sorted = many.n;
    std::sort(sorted.begin(), sorted.end());
    CHECK(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end());
    CHECK(sorted.back() == n_max);
    CHECK(sorted.front() >= 48);
    CHECK(sorted.front() <= 96);
    for (std::size_t i = 1; i < sorted.size(); ++i)  // no gap of more than about a third
      CHECK(static_cast<double>(sorted[i]) <= 1.34 * static_cast<double>(sorted[i - 1]) + 8);
    std::vector<std::int64_t> least(many.n.begin(), many.n.begin() + static_cast<std::ptrdiff_t>(many.least));
    std::sort(least.begin(), least.end());
    for (std::size_t i = 1; i < least.size(); ++i)
      CHECK(static_cast<double>(least[i]) <= 2.4 * static_cast<double>(least[i - 1]) + 8);
  }
  CHECK(second_sieve_sizes(32768).n.size() > 30);
}

TEST_CASE("a text table") {
  TextTable table({"n", "GB/s"});
  table.add({"20000", "7"});
  CHECK(table.text() == "    n  GB/s\n20000     7\n");
}
