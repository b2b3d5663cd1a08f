// Includes Catch2 2 (Debian 12) or 3 (Ubuntu 24.04) under one set of names, and the macros that skip a test.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
#else
#include <catch2/catch.hpp>
using Catch::Matchers::Contains;
inline auto ContainsSubstring(const std::string& text) {
  return Contains(text);
}
#endif

#include "tests/support/skip.hpp"
