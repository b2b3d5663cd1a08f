// Tests of the texts of public types.
#include "solver/api/types.hpp"

#include <vector>

#include "tests/support/catch.hpp"

using namespace eigen_g;

TEST_CASE("ratios are read and written") {
  CHECK(parse_ratio("27:14").shares == std::vector<double>{27, 14});
  CHECK(parse_ratio("4:4:1").shares == std::vector<double>{4, 4, 1});
  CHECK(parse_ratio("1").shares == std::vector<double>{1});
  CHECK(parse_ratio(" 0.5 : 0 ").shares == std::vector<double>{0.5, 0});
  CHECK(parse_ratio("1e3:1").shares == std::vector<double>{1000, 1});
  CHECK(parse_ratio("auto").automatic());
  for (const char* text : {"27:14", "4:4:1", "1", "0.1:1", "0:1", "auto"})
    CHECK(to_text(parse_ratio(text)) == text);
  const Ratio third{{1.0 / 3, 1}};
  CHECK(parse_ratio(to_text(third)).shares == third.shares);
}

TEST_CASE("what is no ratio is refused by name") {
  for (const char* text :
       {"", ":", "27:", ":14", "27;14", "27:14x", "-1:2", "nan:1", "inf:1", "1:1e999", "Auto", "+1:2"}) {
    CAPTURE(text);
    try {
      parse_ratio(text);
      FAIL_CHECK("was accepted");
    } catch (const InvalidArgument& error) {
      CHECK(error.argument() == eigen_g::Argument::ratio);
      CHECK_THAT(error.what(), ContainsSubstring("'" + std::string(text) + "' is not a ratio"));
    }
  }
  CHECK_THROWS_WITH(parse_ratio("0:0"), ContainsSubstring("gives no device a share"));
}
