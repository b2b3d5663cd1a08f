// Tests of a measured calibration: every device has plausible rates for this machine.
#include "solver/calibrate/calibrate.hpp"

#include <map>
#include <set>

#include "tests/support/catch.hpp"

using namespace eigen_g;

namespace {

void check_rates(const DeviceRates& r, bool is_cpu) {
  CAPTURE(r.device.name);
  CHECK((r.device.kind == DeviceKind::cpu) == is_cpu);
  std::set<std::string> engines;
  std::map<std::int64_t, int> inner;
  for (const ProductRate& p : r.products) {
    CHECK(p.flops > 1e8);  // bounds for any machine that runs this test
    CHECK(p.flops < 1e15);
    engines.insert(p.engine);
    ++inner[p.k];
  }
  CHECK(engines.count("native") == 1);
  CHECK(r.products.size() >= 2);
  CHECK(inner[256] >= 1);
  CHECK(r.symv_bytes_per_second > 1e8);
  CHECK(r.symv_bytes_per_second < 1e14);
  CHECK((r.to_device > 0) == !is_cpu);
  CHECK((r.from_device > 0) == !is_cpu);
  CHECK((r.latency > 0) == !is_cpu);
  std::set<TeamWork> works;
  for (const TeamRate& rate : r.team) {
    CHECK(rate.flops > 1e8);
    CHECK(rate.flops < 1e15);
    CHECK((rate.multiprocessors == 0) == is_cpu);
    CHECK(rate.multiprocessors <= r.device.multiprocessors);
    works.insert(rate.work);
  }
  CHECK(works.size() == (gpu_count() > 0 ? 2 : 0));  // a team has a GPU
}

}  // namespace

TEST_CASE("a quick calibration: all devices, progress from 0 to 1, for this machine") {
  std::map<std::string, std::vector<double>> told;
  const Calibration c =
      calibrate(Effort::quick, 0, [&](const std::string& device, double f) { told[device].push_back(f); });
  CHECK_FALSE(c.full);
  CHECK(foreign(c, uncalibrated_machine()).empty());
  REQUIRE(c.devices.size() == devices().size());
  CHECK(told.size() == c.devices.size());
  for (const auto& [device, fractions] : told) {
    CAPTURE(device);
    CHECK(fractions.front() == 0);
    CHECK(std::is_sorted(fractions.begin(), fractions.end()));
    CHECK(fractions.back() <= 1);
    CHECK(fractions.back() > 0.4);
  }
  for (std::size_t i = 0; i < c.devices.size(); ++i) {
    check_rates(c.devices[i], i == 0);
    CHECK((c.devices[i].from_first > 0) == (i >= 2));
    CHECK((c.devices[i].to_first > 0) == (i >= 2));
    CHECK((c.devices[i].halo_bytes_per_second > 1e8) == (i >= 2));
    CHECK((c.devices[i].halo_latency > 0) == (i >= 2));
    CHECK(c.devices[i].team_overhead_seconds < 0.1);
    CHECK((c.devices[i].team_overhead_seconds > 0) == (gpu_count() > 0 && i != 1));
  }
  CHECK(parse_calibration(json_text_of(c), "c").devices.size() == c.devices.size());
}

TEST_CASE("a process without a calibration measures once for a number of threads") {
  const Calibration& once = calibration_of_process(1);
  CHECK(foreign(once, uncalibrated_machine()).empty());
  CHECK(&calibration_of_process(1) == &once);
  CHECK(&calibration_of_process(2) != &once);
  CHECK(&calibration_of_process(1) == &once);
}

TEST_CASE("a CPU may pay only in a long solve with a GPU that is not much faster") {
  constexpr std::int64_t large = 100'000;
  if (gpu_count() == 0) {
    CHECK_FALSE(helpers_may_pay(large, 1));
    SKIP_TEST("no GPU");
  }
  CHECK(helpers_may_pay(large, 1));
  CHECK_FALSE(helpers_may_pay(2, 1));
  CHECK_FALSE(helpers_may_pay(large, 1'000'000));  // so fast that no CPU gains a fiftieth
}

TEST_CASE("an exception of the progress callback ends a calibration") {
  CHECK_THROWS_WITH(
      calibrate(Effort::quick, 1, [](const std::string&, double) { throw std::runtime_error("enough"); }),
      "enough");
}
