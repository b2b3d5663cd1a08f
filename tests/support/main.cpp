#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

#include "tests/support/ratios.hpp"
#include "tests/support/skip.hpp"

int main(int argc, char** argv) {
  const int failures = Catch::Session().run(argc, argv);
  support::report_ratios();
  if (failures != 0) return 1;
  return support::skip_count() > 0 ? 4 : 0;
}
