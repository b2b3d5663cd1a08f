// Tests of the choice of SYMV's configurations, which need no GPU.
#include "blas2/symv/symv.hpp"

#include <set>
#include <string>

#include "tests/support/catch.hpp"

using namespace eigen_g;
using namespace eigen_g::blas2;

TEST_CASE("configurations have names of their own and are found by them") {
  for (const SymvType type : all_symv_types) {
    std::set<std::string> names;
    for (const SymvConfig& config : symv_candidates(type)) {
      CHECK(names.insert(name(config)).second);
      CHECK(find_symv_config(type, name(config)) == config);
    }
    CHECK(names.size() > 10);
  }
  CHECK(name(SymvConfig{8, 1, 1, 8, 2, SymvFinish::second_kernel}) == "r8x1-l1-c8-b2-k");
  CHECK_FALSE(find_symv_config(SymvType::d, "r3x1-l1-c8-b2-k"));
}

TEST_CASE("the default is a candidate at every size") {
  for (const SymvType type : all_symv_types)
    for (const int multiprocessors : {14, 132})
      for (std::int64_t n = 1; n <= 100000; n = n * 3 / 2 + 1)
        for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
          const SymvConfig config = default_symv_config(type, uplo, n, multiprocessors);
          CAPTURE(n, name(config));
          CHECK(find_symv_config(type, name(config)));
        }
}

TEST_CASE("a table is searched by type, triangle and order") {
  const SymvConfig first{8, 1, 1, 8, 1, SymvFinish::last_arrival},
      second{2, 4, 1, 8, 1, SymvFinish::grid_barrier};
  SymvTable table;
  table.rows = {{SymvType::d, Uplo::lower, 0, 100, first}, {SymvType::d, Uplo::lower, 100, 1000, second}};
  CHECK(table.find(SymvType::d, Uplo::lower, 99) == first);
  CHECK(table.find(SymvType::d, Uplo::lower, 100) == second);
  CHECK_FALSE(table.find(SymvType::d, Uplo::lower, 1000));
  CHECK_FALSE(table.find(SymvType::d, Uplo::upper, 99));
  CHECK_FALSE(table.find(SymvType::s, Uplo::lower, 99));
}
