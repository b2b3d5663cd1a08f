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

TEST_CASE("too little memory: every step, if the caller left the choices open") {
  using enum Fallback;
  Plan p = on_gpu(Path::automatic, Path::two_stage);
  p.options.precision = Precision::mixed;
  CHECK(p.fallbacks.empty());
  std::vector<Fallback> steps;
  for (const Fallback step : {mixed_to_native, in_core_to_parked, parked_to_slabs, to_block_columns,
                              two_stage_to_one_stage, gpu_to_cpu}) {
    steps.push_back(step);
    const std::optional<Plan> next = smaller_plan<double>(p);
    REQUIRE(next);
    p = *next;
    CAPTURE(name(step));
    CHECK(p.fallbacks == steps);
    CHECK(p.options.precision == Precision::native);
    CHECK(p.mode == (step == mixed_to_native     ? MemoryMode::in_core
                     : step == in_core_to_parked ? MemoryMode::parked
                     : step == to_block_columns  ? MemoryMode::block_columns
                     : step == gpu_to_cpu        ? MemoryMode::in_core
                                                 : MemoryMode::slabs));
    CHECK(p.path == (steps.size() < 5 ? Path::two_stage : Path::one_stage));
    CHECK(p.on_gpu == (step != gpu_to_cpu));
  }
  CHECK(plan_within(p).fallbacks.empty());
  CHECK_FALSE(smaller_plan<double>(p));
}

TEST_CASE("out of core: only whole standard solves with vectors, and slabs for host pointers") {
  Plan p = on_gpu(Path::one_stage, Path::one_stage, DeviceChoice::gpu);
  CHECK(plan_in_mode<double>(p, MemoryMode::in_core).fallbacks.empty());
  CHECK(plan_in_mode<double>(p, MemoryMode::parked).mode == MemoryMode::parked);
  CHECK(plan_in_mode<float>(p, MemoryMode::slabs).mode == MemoryMode::slabs);
  CHECK(plan_within(plan_in_mode<double>(p, MemoryMode::slabs)).mode == MemoryMode::in_core);
  const auto refused = [](Plan plan, MemoryMode mode) {
    try {
      (void)plan_in_mode<double>(std::move(plan), mode);
      return false;
    } catch (const InvalidArgument& error) {
      return error.parameter() == "mode";
    }
  };
  Plan other = p;
  other.options.vectors = false;
  CHECK(refused(other, MemoryMode::parked));
  other = p;
  other.devices.gpus = 2;
  CHECK(refused(other, MemoryMode::parked));
  other = p;
  other.generalised = GeneralisedProblem{};
  CHECK(refused(other, MemoryMode::parked));
  other = p;
  other.n = 100;
  CHECK(refused(other, MemoryMode::parked));
  other = p;
  other.pointers = Pointers::device;
  CHECK_FALSE(refused(other, MemoryMode::parked));
  CHECK(refused(other, MemoryMode::slabs));
}

TEST_CASE("block columns: on the two-stage path with host pointers, with vectors and without") {
  using enum Fallback;
  const Plan p = on_gpu(Path::two_stage, Path::two_stage, DeviceChoice::gpu);
  const Plan blocks = plan_in_mode<double>(p, MemoryMode::block_columns);
  CHECK(blocks.fallbacks == std::vector<Fallback>{in_core_to_parked, parked_to_slabs, to_block_columns});
  CHECK_FALSE(smaller_plan<double>(blocks));
  Plan values = p;
  values.options.vectors = false;
  const Plan of_values = plan_in_mode<std::complex<float>>(values, MemoryMode::block_columns);
  CHECK(of_values.fallbacks == std::vector<Fallback>{to_block_columns});
  CHECK_FALSE(smaller_plan<double>(of_values));
  CHECK(plan_within(of_values).mode == MemoryMode::in_core);

  values.options.path = Path::automatic;
  const std::optional<Plan> by_one_stage =
      smaller_plan<double>(plan_in_mode<double>(values, MemoryMode::block_columns));
  REQUIRE(by_one_stage);
  CHECK(by_one_stage->mode == MemoryMode::in_core);
  CHECK(by_one_stage->path == Path::one_stage);

  const auto refused = [](Plan plan, const auto& change) {
    change(plan);
    try {
      (void)plan_in_mode<double>(std::move(plan), MemoryMode::block_columns);
      return false;
    } catch (const InvalidArgument& error) {
      return error.parameter() == "mode";
    }
  };
  for (const bool vectors : {true, false}) {
    Plan asked = p;
    asked.options.vectors = vectors;
    CAPTURE(vectors);
    CHECK_FALSE(refused(asked, [](Plan&) {}));
    CHECK(refused(asked, [](Plan& x) { x.pointers = Pointers::device; }));
    CHECK(refused(asked, [](Plan& x) { x.path = x.options.path = Path::one_stage; }));
    CHECK(refused(asked, [](Plan& x) { x.devices.gpus = 2; }));
    CHECK(refused(asked, [](Plan& x) { x.generalised = GeneralisedProblem{}; }));
    CHECK(refused(asked, [](Plan& x) { x.n = 100; }));
  }
}

TEST_CASE("short of memory: the next step by what the caller left open") {
  using enum Fallback;
  constexpr Path free = Path::automatic, one = Path::one_stage, two = Path::two_stage;
  constexpr DeviceChoice any = DeviceChoice::automatic, gpu = DeviceChoice::gpu;
  constexpr Pointers host = Pointers::host, device = Pointers::device;
  struct Row {
    Path asked, path;
    DeviceChoice choice;
    Pointers pointers;
    Precision precision;
    std::optional<Fallback> next;  // for a matrix of double
  };
  for (const Row& row : {
           Row{free, two, any, host, Precision::mixed, mixed_to_native},
           Row{two, two, gpu, device, Precision::mixed, mixed_to_native},
           Row{one, one, gpu, device, Precision::mixed, mixed_to_native},
           Row{free, two, any, host, Precision::native, two_stage_to_one_stage},
           Row{free, two, gpu, device, Precision::native, two_stage_to_one_stage},
           Row{two, two, any, host, Precision::native, gpu_to_cpu},  // in block columns
           Row{two, two, gpu, device, Precision::native, {}},
           Row{free, one, any, host, Precision::native, gpu_to_cpu},
           Row{one, one, any, host, Precision::native, gpu_to_cpu},
           Row{free, one, gpu, host, Precision::native, {}},
           Row{free, one, any, device, Precision::native, {}},
           Row{one, one, any, device, Precision::native, {}},
       }) {
    CAPTURE(name(row.asked), name(row.path), static_cast<int>(row.choice), static_cast<int>(row.pointers),
            name(row.precision));
    Plan p = on_gpu(row.asked, row.path, row.choice, row.pointers);
    p.options.precision = row.precision;
    // The modes that keep data in host memory come before these steps.
    if (row.precision == Precision::native)
      p.mode = row.pointers == Pointers::device ? MemoryMode::parked
               : row.path == Path::two_stage    ? MemoryMode::block_columns
                                                : MemoryMode::slabs;
    const std::optional<Plan> next = smaller_plan<double>(p);
    REQUIRE(next.has_value() == row.next.has_value());
    if (next) CHECK(next->fallbacks == std::vector<Fallback>{*row.next});
    p.options.precision = Precision::native;  // the other types have no mixed precision
    const std::optional<Plan> native = smaller_plan<double>(p), single = smaller_plan<float>(p);
    REQUIRE(native.has_value() == single.has_value());
    if (native) CHECK(native->fallbacks == single->fallbacks);
    p.on_gpu = false;
    CHECK_FALSE(smaller_plan<double>(p));
  }
}

TEST_CASE("a matrix in pieces: the two-stage path on the GPUs of the pieces, and no fallback") {
  Plan p{300, {}, {}, Pointers::device};
  p.gpus_of_pieces = {2, 0, 1};
  p.devices.gpus = 3;
  const Plan planned = plan_on<double>(p, true);
  CHECK(planned.team);
  CHECK(planned.path == Path::two_stage);
  CHECK_FALSE(smaller_plan<double>(planned));
  CHECK_FALSE(plan_on<double>(Plan{300, {}, {}}, false).team);
}

TEST_CASE("gpus = 0 becomes one GPU where no other is") {
  Plan p{300, {}, {}};
  p.devices.device = DeviceChoice::cpu;
  p.devices.gpus = 0;
  CHECK(make_plan<double>(p).devices.gpus == 1);
  p.devices.gpus = -1;
  CHECK_THROWS_AS(make_plan<double>(p), InvalidArgument);
  p.devices.gpus = 0;
  p.devices.ratio = parse_ratio("1:1");
  CHECK_THROWS_AS(make_plan<double>(p), InvalidArgument);
}
