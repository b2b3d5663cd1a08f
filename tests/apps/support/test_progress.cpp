#include "apps/support/progress.hpp"
#include "tests/support/catch.hpp"

using eigen_g::apps::clock_text;
using eigen_g::apps::progress_line;
using eigen_g::apps::ProgressState;
using eigen_g::apps::ProgressStyle;

namespace {

// Number of columns on the terminal; UTF-8 continuation bytes and colour sequences take none.
int columns_of(const std::string& text) {
  int columns = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      i = text.find('m', i);
      continue;
    }
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) ++columns;
  }
  return columns;
}

}  // namespace

TEST_CASE("clock_text counts minutes and hours") {
  CHECK(clock_text(0) == "0:00");
  CHECK(clock_text(7.9) == "0:07");
  CHECK(clock_text(59.99) == "0:59");
  CHECK(clock_text(60) == "1:00");
  CHECK(clock_text(754) == "12:34");
  CHECK(clock_text(3723) == "1:02:03");
  CHECK(clock_text(-1) == "0:00");
}

TEST_CASE("progress_line shows stage, bar, percent and time left") {
  const ProgressState state{"tridiagonalize", 0.5, 10, 11.2};
  const std::string line = progress_line(state, {80, false, false});
  CHECK_THAT(line, ContainsSubstring("tridiagonalize"));
  CHECK_THAT(line, ContainsSubstring("50 %"));
  CHECK_THAT(line, ContainsSubstring("0:12 left"));
  const auto cells = [&](char c) { return std::count(line.begin(), line.end(), c); };
  CHECK(cells('#') > 0);
  CHECK(std::abs(cells('#') - cells('-')) <= 1);
}

TEST_CASE("progress_line never reaches the last column and never wraps") {
  for (const int columns : {0, 1, 2, 10, 30, 47, 48, 49, 60, 79, 80, 200, 1000})
    for (const double fraction : {0.0, 0.001, 0.37, 1.0, 1.5})
      for (const bool colour : {false, true})
        for (const bool unicode : {false, true})
          for (double seconds : {0.0, 0.15, 3.3, 1e6}) {
            CAPTURE(columns, fraction, colour, unicode, seconds);
            const std::string line =
                progress_line({"divide and conquer", fraction, seconds, fraction > 0 ? 3 : -1.0},
                              {columns, colour, unicode});
            CHECK(columns_of(line) <= std::max(0, columns - 1));
            CHECK(line.find('\n') == std::string::npos);
          }
}

TEST_CASE("progress_line of a full and of an unknown stage") {
  const std::string full = progress_line({"verify", 1.0, 4, 0}, {80, false, false});
  CHECK(std::count(full.begin(), full.end(), '-') == 0);
  CHECK_THAT(full, ContainsSubstring("100 %"));

  const std::string unknown = progress_line({"verify", 0, 63, -1}, {80, false, false});
  CHECK(unknown.find('%') == std::string::npos);
  CHECK_THAT(unknown, ContainsSubstring("1:03"));
  CHECK(unknown != progress_line({"verify", 0, 63.5, -1}, {80, false, false}));  // the block moves
}

TEST_CASE("progress_line has colour only if it is allowed") {
  const ProgressState state{"scale", 0.3, 1, 2};
  CHECK(progress_line(state, {80, false, true}).find('\x1b') == std::string::npos);
  const std::string coloured = progress_line(state, {80, true, true});
  CHECK(coloured.find("\x1b[36m") != std::string::npos);
  CHECK(coloured.rfind("\x1b[0m") > coloured.rfind("\x1b[2m"));  // no terminal attribute remains set
}
