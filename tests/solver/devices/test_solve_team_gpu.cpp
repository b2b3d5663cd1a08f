// Tests of whole solves whose products are cut over devices.
#include <memory>

#include "gemm_df/engines/products.hpp"
#include "hybrid/cuda_check.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/memory/memory.hpp"
#include "hybrid/stream/queue.hpp"
#include "solver/devices/calibration.hpp"
#include "tests/support/solving.hpp"

using namespace eigen_g;
using support::random_matrix;
using support::Stored;

namespace {

support::OptionsAndDevices cut(const char* ratio, int gpus = 1) {
  support::OptionsAndDevices o = support::options(DeviceChoice::gpu);
  o.ratio = parse_ratio(ratio);
  o.gpus = gpus;
  return o;
}

void check_repeats(const Stored& s, const support::OptionsAndDevices& o, const support::Solved& once) {
  const support::Solved again = support::solve_guarded(s, o);
  CHECK(support::same_bits(once.w, again.w));
  CHECK(support::same_bits(once.z, again.z));
}

// A calibration of this machine's devices with one rate of products for each, and links of this bandwidth.
Calibration calibration_of(double cpu_flops, double gpu_flops, double link) {
  Calibration c;
  for (const Device& device : devices()) {
    DeviceRates rates;
    rates.device = device;
    rates.products = {{"native", 4096, 4096, 4096, device.kind == DeviceKind::cpu ? cpu_flops : gpu_flops}};
    rates.to_device = rates.from_device = rates.to_first = rates.from_first = link;
    c.devices.push_back(rates);
  }
  return c;
}

}  // namespace

TEST_CASE("a solve over a small GPU and the CPU: pairs, bits, and the work of each", "[gpu]") {
  NEEDS_GPU();
  const Stored s = random_matrix(1500, Uplo::upper);
  support::OptionsAndDevices o = cut("3:1");
  o.multiprocessors = 8;
  const support::Solved solved = support::solve_guarded(s, o);
  support::check_pairs(s, solved);
  check_repeats(s, o, solved);
  const Report& r = solved.report;
  REQUIRE(r.devices.size() == 2);
  CHECK(r.devices[0].multiprocessors == 8);
  CHECK(r.devices[1].name == cpu_name());
  CHECK(r.devices[1].gpu == -1);
  CHECK(r.devices[0].share == Approx(0.75));
  CHECK(r.devices[1].share == Approx(0.25));
  for (const DeviceWork& work : r.devices) {
    CAPTURE(work.name);
    CHECK(work.seconds > 0);
    CHECK(work.seconds <=
          1.05 * (r.seconds_of(Stage::divide_and_conquer) + r.seconds_of(Stage::back_transform)));
  }
  const WorkspaceBytes alone = workspace_bytes(1500, Options{}, true);
  CHECK(r.bytes.host > alone.host + 1500 * 300 * sizeof(double));
}

TEST_CASE("a solve over a GPU and the CPU: any cut, all pairs and some, any engine on the GPU", "[gpu]") {
  NEEDS_GPU();
  const Stored s = random_matrix(1203);
  const support::Solved alone = support::solve_guarded(s, support::options(DeviceChoice::gpu));
  for (const char* ratio : {"1:0", "1:1", "0:1"}) {
    CAPTURE(ratio);
    const support::OptionsAndDevices o = cut(ratio);
    const support::Solved solved = support::solve_guarded(s, o, 3);
    support::check_pairs(s, solved);
    CHECK(support::eigenvalue_ratio(solved.w, alone.w) <= support::limits::values_only);
    CHECK(solved.report.devices.size() == (o.ratio.shares[1] > 0 ? 2 : 1));
    if (o.ratio.shares[1] == 0)
      CHECK(
          support::same_bits(solved.z, support::solve_guarded(s, support::options(DeviceChoice::gpu), 3).z));
  }
  support::OptionsAndDevices o = cut("1:1");
  o.subset = Subset::by_index(100, 899);
  const Solution<double> some = solve(s.n, s.a.data(), s.lda, o, o);
  REQUIRE(some.report.m == 800);
  support::check_verified(verify(s.uplo, s.n, s.a.data(), s.lda, 800, some.values.data(), some.vectors.data(),
                                 s.n, DeviceChoice::cpu),
                          support::Machine::gpu);
  if (!engine_built(Engine::emulated)) return;
  o = cut("1:1");
  o.engine = Engine::emulated;
  const support::Solved emulated = support::solve_guarded(s, o);
  support::check_pairs(s, emulated, "random, emulated");
  CHECK(support::flops(emulated.report)[Engine::emulated] > 0);
  CHECK(support::flops(emulated.report)[Engine::df] == 0);
}

TEST_CASE("a solve over a GPU and the CPU from device pointers, on a partition", "[gpu]") {
  NEEDS_GPU();
  const Stored s = random_matrix(1100);
  const Queue queue;
  const DeviceBuffer<double> a(s.n * s.n), w(s.n), z(s.n * s.n);
  for (const auto* poisoned : {&w, &z})
    EIGEN_G_CUDA(cudaMemsetAsync(poisoned->data(), 0xff, poisoned->bytes(), queue.stream()));
  EIGEN_G_CUDA(cudaMemcpyAsync(a.data(), s.a.data(), a.bytes(), cudaMemcpyHostToDevice, queue.stream()));
  support::OptionsAndDevices o = cut("1:1");
  o.multiprocessors = 8;
  support::Solved solved;
  solved.report = eigen_g::eigen_g(s.n, eigen_g::device(a.data()), s.n, eigen_g::device(w.data()),
                                   eigen_g::device(z.data()), s.n, queue.stream(), o, o);
  solved.ldz = s.n;
  solved.w.resize(static_cast<std::size_t>(s.n));
  solved.z.resize(s.a.size());
  EIGEN_G_CUDA(cudaMemcpy(solved.w.data(), w.data(), w.bytes(), cudaMemcpyDeviceToHost));
  EIGEN_G_CUDA(cudaMemcpy(solved.z.data(), z.data(), z.bytes(), cudaMemcpyDeviceToHost));
  support::check_pairs(s, solved);
  CHECK(solved.report.devices.size() == 2);
}

TEST_CASE("a solve over a GPU and the CPU of a size with wide blocks of reflectors", "[gpu][large]") {
  NEEDS_GPU();
  const Stored s = random_matrix(4250);
  const support::OptionsAndDevices o = cut("3:1");
  const Solution<double> once = solve(s.n, s.a.data(), s.lda, o, o),
                         again = solve(s.n, s.a.data(), s.lda, o, o);
  CHECK(support::same_bits(once.values, again.values));
  CHECK(support::same_bits(once.vectors, again.vectors));
  support::check_verified(verify(s.uplo, s.n, s.a.data(), s.lda, s.n, once.values.data(), once.vectors.data(),
                                 s.n, DeviceChoice::gpu),
                          support::Machine::gpu);
  CHECK(once.report.devices.size() == 2);
}

TEST_CASE("an automatic ratio follows the calibration", "[gpu]") {
  NEEDS_GPU();
  const Stored s = random_matrix(1500);
  Calibration c = calibration_of(1e12, 3e12, 1e12);
  support::OptionsAndDevices o = support::options(DeviceChoice::gpu);
  o.calibration = std::make_shared<const Calibration>(c);
  const support::Solved shared = support::solve_guarded(s, o);
  support::check_pairs(s, shared);
  check_repeats(s, o, shared);
  REQUIRE(shared.report.devices.size() == 2);
  CHECK(shared.report.devices[1].share > 0.1);
  CHECK(shared.report.devices[1].share <= 0.26);

  for (DeviceRates& rates : c.devices)
    if (rates.device.kind == DeviceKind::cpu) rates.products[0].flops = 1e9;
  o.calibration = std::make_shared<const Calibration>(c);
  const support::Solved alone = support::solve_guarded(s, o);
  CHECK(alone.report.devices.size() == 1);
  CHECK(support::same_bits(alone.z, support::solve_guarded(s, support::options(DeviceChoice::gpu)).z));
}

TEST_CASE("a solve over several GPUs", "[gpu]") {
  NEEDS_GPU();
  if (gpu_count() < 2) SKIP_TEST("fewer than two GPUs");
  const Stored s = random_matrix(1800);
  const Calibration c = calibration_of(1e9, 1e12, 1e13);
  for (const char* ratio : {"1:1:0", "2:1:1", "0:1:0", "auto"}) {
    CAPTURE(ratio);
    support::OptionsAndDevices o = cut(ratio, 2);
    o.calibration = std::make_shared<const Calibration>(c);
    const support::Solved solved = support::solve_guarded(s, o);
    support::check_pairs(s, solved);
    check_repeats(s, o, solved);
    REQUIRE(solved.report.devices.size() >= 2);
    CHECK(solved.report.devices[1].name == gpu_facts(1).name);
    CHECK(solved.report.devices[1].seconds > 0);
  }
}
