// Plans without a GPU: the products' rates for every recipe, and the next choice when a GPU's memory does not suffice.
#include "solver/driver/plan.hpp"

#include <complex>

#include "tests/support/catch.hpp"

using namespace eigen_g;

namespace {

ProductRates rates(double native) {
  ProductRates some;
  some[Engine::native].flops_per_second = native;
  some[Engine::df].flops_per_second = 3e12;
  return some;
}

Plan plan(Engine engine, bool generalised, const ProductRates& known = {}) {
  Plan p{1000, {}, {}, Pointers::device};
  p.options.engine = engine;
  p.devices.engine_rates = known;
  if (generalised) p.generalised = GeneralisedProblem{};
  return p;
}

Plan on_gpu(Path asked, Path path, DeviceChoice place = DeviceChoice::automatic,
            Pointers pointers = Pointers::host) {
  Plan p{1000, {}, {}, pointers};
  p.options.path = asked;
  p.devices.device = place;
  p.on_gpu = true;
  p.path = path;
  return p;
}

}  // namespace

// The generalised solve once passed Devices::engine_rates as they were, without the GPU's own: its Cholesky factor and its standard
// form were then native on a GPU that is slow in double.
TEST_CASE("an automatic engine without rates goes by the GPU's own, of a generalised solve too") {
  const auto estimate = [] { return rates(1e11); };
  for (const bool generalised : {false, true}) {
    CAPTURE(generalised);
    CHECK(rates_of(plan(Engine::automatic, generalised), estimate) == rates(1e11));
    CHECK(choose_engine(Engine::automatic, rates_of(plan(Engine::automatic, generalised), estimate), 4000,
                        4000, 64) == Engine::df);
    CHECK(rates_of(plan(Engine::automatic, generalised, rates(5e13)), estimate) == rates(5e13));
    for (const Engine engine : {Engine::native, Engine::df})
      CHECK(rates_of(plan(engine, generalised), estimate) == ProductRates{});
  }
}

TEST_CASE("too little memory: native precision, one-stage path, CPU, if the caller left the choice open") {
  Plan p = on_gpu(Path::automatic, Path::two_stage);
  p.options.precision = Precision::mixed;
  std::optional<Plan> next = smaller_plan<double>(p);
  REQUIRE(next);
  CHECK(next->options.precision == Precision::native);
  CHECK(next->path == Path::two_stage);
  next = smaller_plan<double>(*next);
  REQUIRE(next);
  CHECK(next->path == Path::one_stage);
  CHECK(next->on_gpu);
  next = smaller_plan<double>(*next);
  REQUIRE(next);
  CHECK_FALSE(next->on_gpu);
  CHECK_FALSE(smaller_plan<double>(*next));

  CHECK_FALSE(smaller_plan<double>(on_gpu(Path::two_stage, Path::two_stage)));
  CHECK_FALSE(smaller_plan<double>(on_gpu(Path::automatic, Path::one_stage, DeviceChoice::gpu)));
  CHECK_FALSE(smaller_plan<double>(
      on_gpu(Path::one_stage, Path::one_stage, DeviceChoice::automatic, Pointers::device)));
  CHECK(smaller_plan<float>(on_gpu(Path::automatic, Path::two_stage, DeviceChoice::gpu))->path ==
        Path::one_stage);
  CHECK_FALSE(smaller_plan<double>(on_gpu(Path::one_stage, Path::one_stage))->on_gpu);
}
