#include "solver/driver/plan.hpp"

#include <algorithm>
#include <complex>
#include <string>
#include <vector>

#include "hybrid/instantiate.hpp"
#include "hybrid/machine/device.hpp"
#include "hybrid/memory/memory.hpp"
#include "solver/devices/tuning.hpp"
#include "solver/driver/arguments.hpp"
#include "solver/driver/backend.hpp"
#include "solver/path/choice.hpp"
#include "solver/path/team_model.hpp"
#include "solver/prepare/subset.hpp"

namespace eigen_g {

namespace {

bool may_leave_core(const Plan& plan) {
  return plan.devices.gpus == 1 && !plan.generalised && plan.n >= solver_tuning().min_order_out_of_core;
}
bool can_park(const Plan& plan) {
  return plan.options.vectors && may_leave_core(plan);
}
// Returns the mode that smaller_plan() replaces by MemoryMode::block_columns.
MemoryMode mode_before_blocks(const Plan& plan) {
  return plan.options.vectors ? MemoryMode::slabs : MemoryMode::in_core;
}
bool can_take_blocks(const Plan& plan) {
  return plan.on_host_pointers() && plan.path == Path::two_stage && plan.mode == mode_before_blocks(plan) &&
         may_leave_core(plan);
}

}  // namespace

template <class T>
Plan plan_on(Plan asked, bool on_gpu) {
  asked.on_gpu = on_gpu;
  asked.path = asked.in_pieces() ? Path::two_stage
               : on_gpu          ? path_on_gpu<T>(asked.options, asked.devices.engine_rates, asked.n)
                                 : path_on_cpu<T>(asked.options.path, asked.n);
  asked.team =
      asked.in_pieces() || (on_gpu && !asked.generalised && !asked.within &&
                            takes_team(entry_type<T>(), asked.options, asked.devices, asked.path, asked.n));
  return asked;
}

void check_plan(const Plan& plan) {
  require_size(plan.n, Argument::n);
  require_uplo(plan.options.uplo);
  require(static_cast<std::size_t>(plan.options.engine) <= engine_count, Argument::engine,
          "must be native, df, emulated, ozaki, ozaki_fast, ozaki_fp8 or automatic");
  check_subset(plan.n, plan.options.subset);
  check_devices(plan.devices);
  require(plan.on_host_pointers() || plan.devices.device != DeviceChoice::cpu, Argument::device,
          "is cpu; must be automatic or gpu with device pointers");
  const int itype = plan.generalised ? plan.generalised->itype : 1;
  require(itype >= 1 && itype <= 3, "itype", itype, "must be 1, 2 or 3");
}

namespace {

// Returns the number of GPUs for Devices::gpus = 0. It is the smallest number of GPUs whose predicted seconds are at most 1.05 times the smallest
// predicted seconds (fastest_team()). It is larger if the matrices need the memory of more GPUs, and 1 if the stages of the solve cannot be
// divided. The GPUs are taken in CUDA's order. The first GPU of another model and all GPUs after it are left out.
template <class T>
int gpus_that_pay(const Plan& asked) {
  int most = gpu_count();
  if (most < 2 || asked.devices.device == DeviceChoice::cpu) return 1;
  if (asked.on_host_pointers() && !use_gpu(asked.devices.device, asked.n)) return 1;
  const std::string& model = gpu_facts(current_gpu()).name;
  const std::vector<int> helpers = helper_gpus(most);
  most = 1 + static_cast<int>(std::find_if(helpers.begin(), helpers.end(),
                                           [&](int gpu) { return gpu_facts(gpu).name != model; }) -
                              helpers.begin());
  const auto plan_of = [&](int gpus) {
    Plan plan = asked;
    plan.devices.gpus = gpus;
    return plan_on<T>(plan, true);
  };
  most = std::min(most, max_team_gpus);
  if (most < 2 || !plan_of(2).team) return 1;
  const std::uint64_t room =
      asked.devices.memory_limit > 0 ? asked.devices.memory_limit : device_memory_available();
  const int fastest = fastest_team(entry_type<T>(), asked.n, asked.max_count(), most);
  for (int gpus = fastest; gpus <= most; ++gpus)
    if (bytes_on_gpu<T>(plan_of(gpus), MatrixLayout::contiguous).device <= room) return gpus;
  return fastest;
}

void check_pieces(const Plan& plan) {
  const Options& options = plan.options;
  require(options.path != Path::one_stage, Argument::path,
          "is one_stage; must be automatic or two_stage for pieces");
  require(options.engine == Engine::native, Argument::engine, "must be native for pieces");
  require(options.precision == Precision::native, "precision", "is mixed; must be native for pieces");
  require(plan.devices.ratio.automatic(), Argument::ratio, "must be automatic for pieces");
  require(plan.devices.multiprocessors == 0, Argument::multiprocessors, plan.devices.multiprocessors,
          "must be 0 for pieces");
  require(plan.devices.gpus <= max_team_gpus, Argument::gpus, plan.devices.gpus,
          "must be at most " + std::to_string(max_team_gpus));
}

}  // namespace

template <class T>
Plan make_plan(const Plan& given) {
  check_plan(given);
  Plan asked = given;
  if (asked.devices.gpus == 0) asked.devices.gpus = gpus_that_pay<T>(asked);
  if (asked.in_pieces()) check_pieces(asked);
  const Devices& devices = asked.devices;
  const int gpus = devices.gpus;
  require_gpus(gpus);
  require(!is_complex<T> || devices.ratio.automatic(), Argument::ratio,
          to_text(devices.ratio) + " must be automatic for a complex matrix");
  const bool two_stage = asked.options.path == Path::two_stage;
  const bool on_gpu = !asked.on_host_pointers() || use_gpu(devices.device, asked.n) ||
                      (two_stage && devices.device == DeviceChoice::automatic && gpu_count() > 0);
  Plan plan = plan_on<T>(asked, on_gpu);
  require(!is_complex<T> || gpus == 1 || plan.team, Argument::gpus,
          "is " + std::to_string(gpus) +
              "; must be 1 for a complex matrix, except for a standard problem with path two_stage, engine "
              "native and at most " +
              std::to_string(max_team_gpus) + " GPUs");
  require(!wants_mixed<T>(plan) || (gpus == 1 && devices.ratio.automatic() && devices.multiprocessors == 0),
          "precision", "is mixed; requires gpus = 1, an automatic ratio and multiprocessors = 0");
  return plan;
}

Plan plan_within(const Plan& plan) {
  Plan within = plan;
  within.generalised.reset();
  within.within = true;
  within.team = false;
  within.fallbacks.clear();
  within.mode = MemoryMode::in_core;
  within.devices.memory_limit = 0;  // the plan around it heeds the limit
  within.options.uplo = Uplo::lower;
  within.pointers = Pointers::device;
  return within;
}

template <class T>
std::optional<Plan> smaller_plan(const Plan& plan) {
  Plan smaller = plan;
  if (!plan.on_gpu || plan.in_pieces()) return std::nullopt;
  if (wants_mixed<T>(plan)) {
    smaller.options.precision = Precision::native;
    smaller.fallbacks.push_back(Fallback::mixed_to_native);
  } else if (plan.mode == MemoryMode::in_core && can_park(plan)) {
    smaller.mode = MemoryMode::parked;
    smaller.fallbacks.push_back(Fallback::in_core_to_parked);
  } else if (plan.mode == MemoryMode::parked && plan.on_host_pointers()) {
    smaller.mode = MemoryMode::slabs;
    smaller.fallbacks.push_back(Fallback::parked_to_slabs);
  } else if (can_take_blocks(plan)) {
    smaller.mode = MemoryMode::block_columns;
    smaller.fallbacks.push_back(Fallback::to_block_columns);
  } else if (plan.options.path == Path::automatic && plan.path == Path::two_stage) {
    smaller.options.path = smaller.path = Path::one_stage;
    smaller.team = false;
    if (plan.mode == MemoryMode::block_columns) smaller.mode = mode_before_blocks(plan);
    smaller.fallbacks.push_back(Fallback::two_stage_to_one_stage);
  } else if (plan.on_host_pointers() && plan.devices.device == DeviceChoice::automatic) {
    if (std::find(plan.fallbacks.begin(), plan.fallbacks.end(), Fallback::two_stage_to_one_stage) !=
        plan.fallbacks.end())
      smaller.options.path = Path::automatic;
    smaller = plan_on<T>(smaller, false);
    smaller.mode = MemoryMode::in_core;
    smaller.fallbacks.push_back(Fallback::gpu_to_cpu);
  } else {
    return std::nullopt;
  }
  return smaller;
}

template <class T>
Plan plan_in_mode(Plan plan, MemoryMode mode) {
  const auto give_up = [mode] {
    throw InvalidArgument(
        "mode",
        std::string("is ") + name(mode) + "; the solve must be of a standard problem of order " +
            std::to_string(solver_tuning().min_order_out_of_core) +
            " or more in native precision on one GPU, slabs and block_columns need "
            "host pointers, parked and slabs need vectors, and block_columns need the two-stage path");
  };
  while (plan.mode != mode) {
    const std::optional<Plan> smaller = smaller_plan<T>(plan);
    if (!smaller || !smaller->on_gpu || smaller->path != plan.path) give_up();
    plan = *smaller;
  }
  return plan;
}

namespace {

template <class T>
void check_all_columns(const Pieces<T>& pieces, std::int64_t n, std::int64_t columns, Argument of,
                       Argument leading) {
  std::int64_t sum = 0;
  for (const Shard<T>& piece : pieces.list) {
    require(piece.columns >= 0, of, "has a piece of " + std::to_string(piece.columns) + " columns");
    sum += std::min(piece.columns, largest_order);
    require_pointer(piece.data, piece.columns > 0, of);
    require_leading_dimension(piece.lda, n, leading);
    require(reinterpret_cast<std::uintptr_t>(piece.data) % sizeof(T) == 0, of,
            "must be aligned to the size of its elements");
  }
  require(sum == columns, of,
          "has pieces of " + std::to_string(sum) + " columns together, must be " + std::to_string(columns));
}

}  // namespace

template <class T>
void check_problem(const Plan& plan, const CallerMatrices<T>& p) {
  const std::int64_t n = plan.n;
  if (plan.in_pieces()) {
    check_all_columns(p.a_pieces, n, n, Argument::a, Argument::lda);
    if (plan.options.vectors) check_all_columns(p.z_pieces, n, plan.max_count(), Argument::z, Argument::ldz);
    require_pointer(p.w, n > 0, Argument::w);
    return;
  }
  const T* const z = p.z.data;
  require_pointer(p.a.data, n > 0, Argument::a);
  require_leading_dimension(p.a.lda, n, Argument::lda);
  require_pointer(p.w, n > 0, Argument::w);
  if (plan.options.vectors) {
    require(z || n == 0, Argument::z, "is null; must be an array, unless only values are requested");
    require_leading_dimension(p.z.lda, n, Argument::ldz);
    require(plan.on_host_pointers() || z != p.a.data || p.z.lda == p.a.lda, Argument::ldz, p.z.lda,
            "must be lda = " + std::to_string(p.a.lda) + ", because z is the same array as a");
  }
  if (plan.generalised) {
    require_pointer(p.b.data, n > 0, Argument::b);
    require_leading_dimension(p.b.lda, n, Argument::ldb);
    require(n == 0 || p.b.data != z, Argument::b,
            "is the same array as z; z must be the array of a or an array of its own");
  }
  const std::initializer_list<NamedPointer> matrices{
      {Argument::a, p.a.data}, {Argument::z, z}, {Argument::b, p.b.data}};
  for (const auto& [argument, matrix] : matrices)
    require(plan.on_host_pointers() || reinterpret_cast<std::uintptr_t>(matrix) % sizeof(T) == 0, argument,
            "must be aligned to the size of its elements");
  require_in_memory(plan.pointers, {{Argument::w, p.w}});
  require_in_memory(plan.pointers, matrices);
}

EIGEN_G_INSTANTIATE(all_types, plan_on, make_plan, smaller_plan, plan_in_mode, check_problem);

}  // namespace eigen_g
