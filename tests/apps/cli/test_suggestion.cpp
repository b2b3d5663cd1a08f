#include "apps/cli/suggestion.hpp"

#include "tests/support/catch.hpp"

using eigen_g::apps::nearest;

TEST_CASE("a misspelt word finds its neighbour, an unknown one does not") {
  const std::vector<std::string> commands{"solve", "verify", "generate", "info", "tune", "predict", "bench"};
  CHECK(nearest("slove", commands) == "solve");   // two letters swapped
  CHECK(nearest("solv", commands) == "solve");    // one left out
  CHECK(nearest("solvee", commands) == "solve");  // one too many
  CHECK(nearest("genarete", commands) == "generate");
  CHECK(nearest("tun", commands) == "tune");
  CHECK(nearest("eigenvalues", commands) == "");
  CHECK(nearest("x", commands) == "");
  CHECK(nearest("", commands) == "");
  CHECK(nearest("solve", {}) == "");
  CHECK(nearest(std::string(100000, 's'), commands) == "");
}
