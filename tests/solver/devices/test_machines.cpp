// Tests of the files of measured machines: the shipped files, and refusals.
#include "solver/calibrate/machines.hpp"

#include <nlohmann/json.hpp>

#include "hybrid/error.hpp"
#include "tests/support/catch.hpp"

using namespace eigen_g;
using nlohmann::json;

TEST_CASE("the shipped machines: named as their files, with a source and a date") {
  REQUIRE(measured_machines().size() == shipped_machines().size());
  for (std::size_t i = 0; i < shipped_machines().size(); ++i) {
    const MeasuredMachine& m = measured_machines()[i];
    CHECK(m.name + ".json" == shipped_machines()[i].file);
    CHECK_FALSE(m.title.empty());
    CHECK_FALSE(m.source.empty());
    CHECK(m.date.size() == 10);
    CHECK(&measured_machine(m.name) == &m);
  }
  const MeasuredMachine& h200 = measured_machine(usual_machine);
  CHECK(h200.products[Engine::native] == 55.9e12);
  CHECK(h200.rank_2k == 17.2e12);
  CHECK(h200.symv == 4352e9);
  CHECK(h200.pass == 3700e9);
  CHECK(h200.n == 10000);
  CHECK_THROWS_AS(measured_machine("unknown"), InvalidArgument);
}

TEST_CASE("a file that is damaged is refused") {
  const json good = json::parse(shipped_machines().front().text);
  CHECK(parse_machine(good.dump()).name == measured_machines().front().name);
  const auto refuse = [&](const char* pointer, const json& value) {
    json bad = good;
    bad[json::json_pointer(pointer)] = value;
    CAPTURE(bad.dump());
    CHECK_THROWS_AS(parse_machine(bad.dump()), InvalidArgument);
  };
  refuse("/format", "eigen_g-calibration");
  refuse("/version", 2);
  refuse("/name", 5);
  refuse("/symv", 0);
  refuse("/pass", "fast");
  refuse("/solve/n", -1);
  refuse("/two_stages/0/n", 30000);
  refuse("/two_stages/1/chase", 0);
  refuse("/products/auto", 1e12);
  refuse("/products/quick", 1e12);
  for (const char* key : {"products", "rank_2k", "cpu", "link", "solve", "two_stages",
                          "back_transform_chase_product", "date"}) {
    json bad = good;
    bad.erase(key);
    CHECK_THROWS_AS(parse_machine(bad.dump()), InvalidArgument);
  }
  CHECK_THROWS_AS(parse_machine("{"), InvalidArgument);
  CHECK_THROWS_AS(parse_machine(""), InvalidArgument);
}
