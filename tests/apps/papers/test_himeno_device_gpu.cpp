// apps/papers/himeno_device: gosa by one slab and by several that share a GPU.
#include "apps/papers/himeno_device.hpp"

#include "hybrid/error.hpp"
#include "hybrid/machine/device.hpp"
#include "tests/support/catch.hpp"

using namespace eigen_g;
using namespace eigen_g::papers;

TEST_CASE("gosa of the small grid on a GPU", "[gpu][large]") {
  NEEDS_GPU();
  HimenoOnDevices device(himeno_grid("S"), {0});
  CHECK(device.sweep(himeno_first_sweeps) == Approx(3.295448e-3).epsilon(5e-4));
  CHECK(device.sweep(himeno_sweeps - himeno_first_sweeps) == Approx(9.672885e-4).epsilon(5e-4));
}

TEST_CASE("slabs with halos give one slab's bits, and nearly the CPU's gosa", "[gpu]") {
  NEEDS_GPU();
  for (const HimenoGrid& grid : {HimenoGrid{13, 22, 70}, HimenoGrid{34, 9, 132}, HimenoGrid{20, 64, 35}}) {
    HimenoOnHost host(grid);
    HimenoOnDevices one(grid, {0});
    const double gosa = one.sweep(9);
    CHECK(gosa == Approx(host.sweep(9)).epsilon(1e-4));
    for (int slabs = 2; slabs <= 5; ++slabs) {
      HimenoOnDevices several(grid, std::vector<int>(static_cast<std::size_t>(slabs), 0));
      several.sweep(4);
      CHECK(several.sweep(5) == gosa);
    }
    if (gpu_count() > 1) CHECK(HimenoOnDevices(grid, {0, 1}).sweep(9) == gosa);
  }
}

TEST_CASE("fewer than two planes a GPU are refused", "[gpu]") {
  NEEDS_GPU();
  CHECK_THROWS_AS(HimenoOnDevices(HimenoGrid{6, 9, 9}, {0, 0}), InvalidArgument);
}
