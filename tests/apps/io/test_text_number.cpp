#include "apps/io/text_number.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "tests/support/catch.hpp"

using namespace eigen_g::io;

namespace {

struct Parsed {
  Parse outcome = Parse::missing;
  double value = 0;
  std::size_t length = 0;
};

Parsed real(const std::string& text) {
  Parsed r;
  const char* p = text.data();
  r.outcome = parse_real(p, text.data() + text.size(), r.value);
  r.length = static_cast<std::size_t>(p - text.data());
  return r;
}

}  // namespace

TEST_CASE("reals in every accepted notation") {
  const std::pair<const char*, double> accepted[] = {
      {"1.5", 1.5},
      {"+1.5", 1.5},
      {"-1.5", -1.5},
      {".5", 0.5},
      {"5.", 5},
      {"7", 7},
      {"1e3", 1000},
      {"1E+3", 1000},
      {"1.5D3", 1500},
      {"1.5d-3", 1.5e-3},
      {"+1.5D+03", 1500},
      {"0.1", 0.1},
      {"2.2250738585072014e-308", 0x1p-1022},
      {"4.9406564584124654e-324", 0x1p-1074},
      {"1.7976931348623157e308", std::numeric_limits<double>::max()},
      {"1e-400", 0},
      {"-1D-400", 0},
      {"1e-9999", 0},
      {"0e9999", 0}};
  for (const auto& [text, value] : accepted) {
    CAPTURE(text);
    const Parsed r = real(text);
    CHECK(r.outcome == Parse::done);
    CHECK(r.value == value);
    CHECK(r.length == std::string(text).size());
  }
}

TEST_CASE("numbers of any length") {
  for (const std::size_t digits : {100, 127, 128, 129, 1000, 100000}) {
    CAPTURE(digits);
    const std::string ones(digits, '1'), zeros(digits, '0');
    for (const std::string& text : {"0." + ones, "+0." + ones, "0." + ones + "D0",
                                    "+" + zeros + ".1111111111111111111", "-0." + ones + "d+0"}) {
      const Parsed r = real(text);
      CHECK(r.outcome == Parse::done);
      CHECK(std::abs(r.value) == 1.0 / 9);
      CHECK(r.length == text.size());
    }
    CHECK(real("+1" + std::string(400 + digits, '0')).outcome == Parse::out_of_range);
    CHECK(real("+" + ones + "x").outcome == Parse::malformed);
  }
}

TEST_CASE("inf and nan are numbers") {
  for (const char* text : {"inf", "Inf", "INF", "+inf", "infinity"}) {
    CAPTURE(text);
    CHECK(real(text).outcome == Parse::done);
    CHECK(real(text).value == std::numeric_limits<double>::infinity());
  }
  CHECK(real("-Infinity").value == -std::numeric_limits<double>::infinity());
  for (const char* text : {"nan", "NaN", "-nan", "+NAN"}) {
    CAPTURE(text);
    CHECK(real(text).outcome == Parse::done);
    CHECK(std::isnan(real(text).value));
  }
}

TEST_CASE("words that are no real") {
  for (const char* text :
       {"x", "1.5x", "1e", "1d", "D5", "+-1", "-+1", "+", "-", ".", "0x10", "1,5", "1.5e3.2", "--1"}) {
    CAPTURE(text);
    CHECK(real(text).outcome == Parse::malformed);
  }
  for (const char* text : {"1e400", "-1D400", "1e9999"}) {
    CAPTURE(text);
    CHECK(real(text).outcome == Parse::out_of_range);
  }
  CHECK(real("").outcome == Parse::missing);
  CHECK(real("\n1").outcome == Parse::missing);
}

TEST_CASE("a number ends at a blank or at the line's end") {
  CHECK(real("1.5 2").length == 3);
  CHECK(real("1.5\t").length == 3);
  CHECK(real("1.5\r\n").length == 3);
  CHECK(real("1.5D0\n7").length == 5);
  CHECK(real("1.5\n7").value == 1.5);
}

TEST_CASE("integers") {
  const auto integer = [](const std::string& text, std::int64_t& value) {
    const char* p = text.data();
    return parse_integer(p, text.data() + text.size(), value);
  };
  std::int64_t value = 0;
  CHECK(integer("12", value) == Parse::done);
  CHECK(value == 12);
  CHECK(integer("+7 ", value) == Parse::done);
  CHECK(value == 7);
  CHECK(integer("-3\n", value) == Parse::done);
  CHECK(value == -3);
  CHECK(integer("999999999999999999", value) == Parse::done);
  CHECK(value == 999999999999999999);
  CHECK(integer("18446744073709551617", value) == Parse::out_of_range);
  for (const char* text : {"1.0", "x", "-", "1x", "1e3"}) {
    CAPTURE(text);
    CHECK(integer(text, value) == Parse::malformed);
  }
  CHECK(integer("\n", value) == Parse::missing);
}

TEST_CASE("words in messages are short and printable") {
  const std::string text = "\x01\x02" + std::string(100, 'a') + " b";
  const std::string token = token_for_message(text.data(), text.data() + text.size());
  CHECK(token.substr(0, 4) == "??aa");
  CHECK(token.size() < 40);
}
