// Tests of the calibration's text, its refusals, and the choice of a calibration. No GPU is needed.
#include "solver/devices/calibration.hpp"

#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/files.hpp"
#include "tests/support/process.hpp"

using namespace eigen_g;
using nlohmann::json;

namespace {

Calibration example() {
  Calibration c;
  c.date = "2026-11-21";
  c.full = true;
  c.eigen_g = "0.1.0";
  c.cuda_driver = c.cuda_toolkit = "13.0";
  c.cublas = "13.0.0";
  c.openblas = "OpenBLAS 0.3.21";
  DeviceRates cpu, gpu;
  cpu.device.name = "A processor";
  cpu.device.cores = 16;
  cpu.products = {{"native", 2048, 2048, 2048, 6.5e11}};
  cpu.team = {{TeamWork::product, 0, 4096, 1024, 4096, 6e11}, {TeamWork::product, 0, 1024, 256, 1024, 2e11}};
  cpu.symv_bytes_per_second = 1.5e11;
  gpu.device.kind = DeviceKind::gpu;
  gpu.device.name = "A GPU";
  gpu.device.multiprocessors = 132;
  gpu.device.compute_major = 9;
  gpu.products = {{"native", 8192, 8192, 8192, 5.5e13},
                  {"native", 8192, 8192, 64, 1.9e13},
                  {"df", 8192, 8192, 8192, 5e12}};
  gpu.team = {{TeamWork::product, 132, 4096, 4096, 4096, 132 * 4e11},
              {TeamWork::product, 8, 4096, 4096, 4096, 8 * 5e11},
              {TeamWork::reflectors, 8, 8192, 2048, 256, 8 * 4.5e11}};
  gpu.symv_bytes_per_second = 4.2e12;
  gpu.to_device = gpu.from_device = 5.5e10;
  gpu.latency = 1.0 / 3 * 1e-5;
  c.devices = {cpu, gpu};
  return c;
}

void check_refused(const std::string& text, const std::string& reason) {
  CAPTURE(text);
  try {
    parse_calibration(text, "c.json");
    FAIL_CHECK("was accepted");
  } catch (const CalibrationError& e) {
    CHECK_THAT(e.what(), ContainsSubstring("c.json: "));
    CHECK_THAT(e.what(), ContainsSubstring(reason));
  }
}

// The example's text with one change.
std::string changed(const std::function<void(json&)>& change) {
  json root = json::parse(json_text_of(example()));
  change(root);
  return root.dump();
}

}  // namespace

TEST_CASE("a calibration is written and read back, every figure to its bits") {
  const Calibration c = example(), back = parse_calibration(json_text_of(c), "c");
  CHECK(json_text_of(back) == json_text_of(c));
  CHECK(back.full);
  REQUIRE(back.devices.size() == 2);
  CHECK(back.devices[0].device.kind == DeviceKind::cpu);
  CHECK(back.devices[1].device.compute_major == 9);
  CHECK(back.devices[1].latency == c.devices[1].latency);
  CHECK(back.devices[1].products[1].k == 64);
  REQUIRE(back.devices[1].team.size() == 3);
  CHECK(back.devices[1].team[2].work == TeamWork::reflectors);
  CHECK(back.devices[1].team[2].multiprocessors == 8);
  CHECK(back.devices[0].team[1].columns == 256);
  CHECK(foreign(back, c).empty());
}

TEST_CASE("reasons to refuse a calibration") {
  check_refused("", "is not JSON");
  check_refused("{", "is not JSON");
  const std::string whole = json_text_of(example());
  check_refused(whole.substr(0, whole.size() / 2), "is not JSON");
  check_refused("[]", "has no 'format'");
  check_refused("3", "has no 'format'");
  check_refused(R"({"format": "eigen_g-solve"})", "is no calibration");
  check_refused(changed([](json& r) { r["version"] = 1; }), "of version 1; this program reads version 4");
  check_refused(changed([](json& r) { r["version"] = "1"; }), "'version' of the file is not a count");
  check_refused(changed([](json& r) { r["effort"] = "some"; }), "'effort' must be");
  check_refused(changed([](json& r) { r.erase("machine"); }), "has no 'machine'");
  check_refused(changed([](json& r) { r["machine"]["openblas"] = 3; }),
                "'openblas' of 'machine' is not a text");
  check_refused(changed([](json& r) { r["devices"] = json::array(); }), "no device");
  check_refused(changed([](json& r) { r["devices"] = 1; }), "'devices' of the file is not a list");
  check_refused(changed([](json& r) { r["devices"][1]["kind"] = "tpu"; }), "'kind' of device 2");
  check_refused(changed([](json& r) { r["devices"][1]["compute_capability"] = "9"; }), "must be like 9.0");
  check_refused(changed([](json& r) { r["devices"][1]["multiprocessors"] = -1; }),
                "'multiprocessors' of device 2 is not a count");
  check_refused(changed([](json& r) { r["devices"][1]["to_device"] = -1; }),
                "'to_device' of device 2 is not a number >= 0");
  check_refused(changed([](json& r) { r["devices"][1]["to_device"] = nullptr; }), "'to_device' of device 2");
  check_refused(changed([](json& r) { r["devices"][0]["products"][0].erase("k"); }),
                "a product of device 1 has no 'k'");
  check_refused(changed([](json& r) { r["devices"][0]["products"][0]["m"] = 1.5; }),
                "'m' of a product of device 1");
  check_refused(changed([](json& r) { r["devices"][1].erase("team"); }), "device 2 has no 'team'");
  check_refused(changed([](json& r) { r["devices"][1]["team"][0]["work"] = "nothing"; }),
                "'work' of the team's work of device 2 must be");
  check_refused(changed([](json& r) { r["devices"][1]["team"][0]["rows"] = -1; }),
                "'rows' of the team's work of device 2");
}

TEST_CASE("another machine, device, driver or version is foreign") {
  const Calibration here = example();
  const auto reason = [&](const std::function<void(Calibration&)>& change) {
    Calibration other = here;
    change(other);
    return foreign(other, here);
  };
  CHECK(reason([](Calibration&) {}).empty());
  CHECK(reason([](Calibration& c) { c.date = "2020-01-01"; }).empty());
  CHECK(reason([](Calibration& c) { c.devices[1].device.memory_free = 7; }).empty());
  CHECK_THAT(reason([](Calibration& c) { c.cuda_driver = "12.4"; }),
             ContainsSubstring("was measured with cuda_driver '12.4'; this is '13.0'"));
  CHECK_THAT(reason([](Calibration& c) { c.eigen_g = "0.0.9"; }), ContainsSubstring("eigen_g '0.0.9'"));
  CHECK_THAT(reason([](Calibration& c) { c.openblas = ""; }), ContainsSubstring("openblas"));
  CHECK_THAT(reason([](Calibration& c) { c.devices.pop_back(); }),
             ContainsSubstring("a machine with 1 devices"));
  CHECK_THAT(reason([](Calibration& c) { c.devices[1].device.name = "Another GPU"; }),
             ContainsSubstring(
                 "is for another device (Another GPU, 132 multiprocessors, compute capability 9.0); this "
                 "one is A GPU"));
  CHECK_FALSE(reason([](Calibration& c) { c.devices[1].device.multiprocessors = 8; }).empty());
  CHECK_FALSE(reason([](Calibration& c) { c.devices[0].device.cores = 8; }).empty());
  CHECK_FALSE(reason([](Calibration& c) { c.devices[1].device.compute_minor = 3; }).empty());
  CHECK_FALSE(reason([](Calibration& c) { std::swap(c.devices[0], c.devices[1]); }).empty());
}

TEST_CASE("which calibration is taken") {
  const support::TemporaryFolder folder;
  const Calibration here = example();
  Calibration other = here;
  other.devices[1].device.name = "Another GPU";
  ::setenv("XDG_CACHE_HOME", (folder / "cache").c_str(), 1);
  REQUIRE(cached_calibration() == std::filesystem::path(folder / "cache") / "eigen_g" / "calibration.json");
  const std::string cached = cached_calibration().string();

  CHECK_FALSE(choose_calibration("", here).calibration);  // no file: no warning
  CHECK(choose_calibration("", here).refused.empty());
  std::filesystem::create_directories(cache_folder());
  support::write_file(cached, json_text_of(here));
  CHECK(choose_calibration("", here).calibration);
  CHECK(choose_calibration("", here).source == cached);

  support::write_file(cached, json_text_of(other));
  CHECK_FALSE(choose_calibration("", here).calibration);
  CHECK_THAT(choose_calibration("", here).refused,
             ContainsSubstring(cached + ": is for another device") && ContainsSubstring("; it is ignored"));
  support::write_file(cached, "{");
  CHECK_FALSE(choose_calibration("", here).calibration);
  CHECK_THAT(choose_calibration("", here).refused, ContainsSubstring("is not JSON; it is ignored"));

  CHECK_THROWS_AS(choose_calibration(folder / "none.json", here),
                  CalibrationError);  // named by the user: an error
  support::write_file(folder / "named.json", json_text_of(here));
  CHECK(choose_calibration(folder / "named.json", here).source == folder / "named.json");
  support::write_file(folder / "named.json", json_text_of(other));
  CHECK_THROWS_WITH(choose_calibration(folder / "named.json", here),
                    ContainsSubstring("is for another device"));

  ::setenv("XDG_CACHE_HOME", "relative", 1);
  ::setenv("HOME", "/home/somebody", 1);
  CHECK(cache_folder() == "/home/somebody/.cache/eigen_g");
  ::unsetenv("XDG_CACHE_HOME");
  ::unsetenv("HOME");
  CHECK(cached_calibration().empty());
  CHECK_FALSE(choose_calibration("", here).calibration);
}

TEST_CASE("the machine at hand is not foreign to itself") {
  const Calibration here = uncalibrated_machine();
  REQUIRE_FALSE(here.devices.empty());
  CHECK(here.devices[0].device.kind == DeviceKind::cpu);
  CHECK(foreign(parse_calibration(json_text_of([&] {
                                    Calibration c = here;
                                    c.date = "2026-11-21";
                                    return c;
                                  }()),
                                  "here"),
                here)
            .empty());
}

TEST_CASE("the nearest measured product gives the rate of a shape") {
  const DeviceRates gpu = example().devices[1];
  CHECK(product_rate(gpu, "native", 10000, 10000, 5000) == 5.5e13);
  CHECK(product_rate(gpu, "native", 10000, 10000, 128) == 1.9e13);
  CHECK(product_rate(gpu, "native", 100, 100, 100) == 1.9e13);
  CHECK(product_rate(gpu, "df", 1, 1, 1) == 5e12);
  CHECK(product_rate(gpu, "emulated", 8192, 8192, 8192) == 0);
}

TEST_CASE("a device's rate in a team") {
  const DeviceRates cpu = example().devices[0], gpu = example().devices[1];
  CHECK(team_rate(cpu, TeamWork::product, 0, 5000, 800, 5000) == 6e11);
  CHECK(team_rate(cpu, TeamWork::product, 99, 500, 300, 500) == 2e11);
  CHECK(team_rate(cpu, TeamWork::reflectors, 0, 8000, 800, 256) == 6.5e11);  // only products were measured
  const auto merge = [&](int multiprocessors) {
    return team_rate(gpu, TeamWork::product, multiprocessors, 4000, 4000, 4000) / multiprocessors;
  };
  CHECK(merge(132) == Approx(4e11));
  CHECK(merge(8) == Approx(5e11));
  CHECK(merge(70) == Approx(4.5e11));  // halfway
  CHECK(merge(1) == Approx(5e11));
  CHECK(merge(140) == Approx(4e11));
  CHECK(team_rate(gpu, TeamWork::reflectors, 132, 8000, 8000, 256) == Approx(132 * 4.5e11));
  DeviceRates alone = gpu;
  alone.team.clear();
  CHECK(team_rate(alone, TeamWork::product, 66, 10000, 10000, 5000) == Approx(5.5e13 / 2));
  alone.products.clear();
  CHECK(team_rate(alone, TeamWork::product, 66, 10000, 10000, 5000) == 0);
}
