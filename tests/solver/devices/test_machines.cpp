// Tests of the files of measured machines: the shipped files, and refusals.
#include "solver/calibrate/machines.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "hybrid/error.hpp"
#include "tests/support/catch.hpp"

using namespace eigen_g;
using nlohmann::json;

namespace {

template <class Machine>
void check_names(const std::vector<Machine>& machines) {
  for (const Machine& m : machines) {
    CAPTURE(m.name);
    CHECK(std::any_of(shipped_machines().begin(), shipped_machines().end(),
                      [&](const ShippedMachine& file) { return m.name + ".json" == file.file; }));
    CHECK_FALSE(m.title.empty());
    CHECK_FALSE(m.source.empty());
    CHECK(m.date.size() == 10);
    CHECK(m.peaks.fp64 > 0);
    CHECK(m.peaks.fp32 >= m.peaks.fp64);
    CHECK(m.peaks.bandwidth > 5e11);
  }
}

// The text of the usual machine's file.
std::string usual_text() {
  for (const ShippedMachine& file : shipped_machines())
    if (file.file == std::string(usual_machine) + ".json") return std::string(file.text);
  throw std::out_of_range(usual_machine);
}

}  // namespace

TEST_CASE("the shipped machines: named as their files, with a source and a date") {
  CHECK(measured_machines().size() + described_machines().size() == shipped_machines().size());
  check_names(measured_machines());
  check_names(described_machines());
  for (const MeasuredMachine& m : measured_machines()) CHECK(&measured_machine(m.name) == &m);
  for (const DescribedMachine& m : described_machines()) CHECK(&described_machine(m.name) == &m);
  CHECK(described_machine("nvidia_b300").peaks.fp64 == 1.3e12);
  CHECK(described_machine("nvidia_rubin").peaks.int8 == 0);  // not published
  CHECK_THROWS_AS(described_machine(usual_machine), InvalidArgument);
  CHECK_THROWS_AS(measured_machine("nvidia_b300"), InvalidArgument);
  const MeasuredMachine& h200 = measured_machine(usual_machine);
  CHECK(h200.products[Engine::native] == 55.9e12);
  CHECK(h200.rank_2k == 17.2e12);
  CHECK(h200.symv == 4352e9);
  CHECK(h200.pass == 3700e9);
  CHECK(h200.n == 10000);
  CHECK_THROWS_AS(measured_machine("unknown"), InvalidArgument);
}

TEST_CASE("a file that is damaged is refused") {
  const json good = json::parse(usual_text());
  CHECK(parse_machine(good.dump()).name == usual_machine);
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
  refuse("/peaks/fp64", 0);
  refuse("/peaks/int8", -1);
  refuse("/two_stages_ozaki/n", 0);
  for (const char* key : {"products", "rank_2k", "cpu", "link", "solve", "two_stages",
                          "back_transform_chase_product", "date", "peaks", "two_stages_ozaki"}) {
    json bad = good;
    bad.erase(key);
    CHECK_THROWS_AS(parse_machine(bad.dump()), InvalidArgument);
  }
  json described = good;
  described.erase("products");
  CHECK(is_described(described.dump()));
  CHECK_FALSE(is_described(good.dump()));
  CHECK(parse_described_machine(described.dump()).peaks.bandwidth == 4.8e12);
  described["peaks"].erase("bandwidth");
  CHECK_THROWS_AS(parse_described_machine(described.dump()), InvalidArgument);
  CHECK_THROWS_AS(is_described("{}"), InvalidArgument);
  CHECK_THROWS_AS(parse_machine("{"), InvalidArgument);
  CHECK_THROWS_AS(parse_machine(""), InvalidArgument);
}
