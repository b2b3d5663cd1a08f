#include "solver/calibrate/model.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "gemm_df/tuning.hpp"
#include "hybrid/error.hpp"
#include "solver/back/reflector_blocks.hpp"
#include "solver/tridiagonal/dc_products.hpp"

namespace eigen_g {

namespace {

constexpr double element_bytes = sizeof(double);
// Columns of an update in the one-stage reduction. A rank-2k update reads and writes its half of C.
constexpr double update_columns = 64;
// Order of the matrices to which the chase's tiles are multiplied for an engine.
constexpr double block_rows = 1024;
// Bytes of engine ozaki_fp8 for one of engine ozaki: between (16 + 34) / (16 + 15) of an operand's entry and (16 + 72) / (16 + 30) of a
// result's.
constexpr double traffic_of_floats = 1.75;
// Width of the band.
constexpr double band = 64;

double cube(double n) {
  return n * n * n;
}

// Flops and bytes of the stages; the header has the equations.
double rank_2k_flops(double n) {
  return 2.0 / 3 * cube(n);
}
double merge_flops(double n) {
  return 4.0 / 3 * cube(n);
}
double back_transform_flops(double n, double m) {
  return 2 * n * n * m;
}
double forming_flops(double n, double m) {
  return m > 0 ? 2.4 * n * n * block_rows : 0;
}
double joining_flops(double n, double m) {
  return m > 0 ? 2.5 * n * n * block_rows : 0;
}
// Work that is native with every engine.
double symmetric_product_flops(double n) {
  return 2.0 / 3 * cube(n);
}
double panel_flops(double n) {
  return 2 * n * n * band;
}
double chase_flops(double n) {
  return 6 * n * n * band;
}
double root_flops(double n) {
  return 300 * n * n;
}
double reduction_bytes(double n) {
  return element_bytes * cube(n) / 6;
}
// Each panel's update reads and writes half of the matrix that is left: the sum of n_i^2 / 2 elements over the panels.
double rank_2k_bytes(double n) {
  return 2 * element_bytes * cube(n) / (6 * update_columns);
}

double rank_2k_seconds(double n, double flops, double bandwidth, double efficiency) {
  return (rank_2k_flops(n) / flops + rank_2k_bytes(n) / bandwidth) / efficiency;
}

// The products of a stage, with what is copied for them: bytes to every helper, and bytes of a column to a helper and back.
struct Columns {
  double count, flops;
  double common_bytes, column_bytes;
  double steps;  // steps in which the common bytes are sent
};

class Model {
 public:
  Model(const ModelMachine& machine, double n, double m, Engine engine)
      : machine_(machine), e_(machine.efficiencies), n_(n), m_(m), engine_(engine) {}

  Prediction one_stage() const {
    const double f = machine_.products[Engine::native];
    const double reduction =
        std::max(reduction_bytes(n_) / (machine_.bandwidth * e_.symv), symmetric_product_flops(n_) / f) +
        rank_2k_seconds(n_, f, machine_.bandwidth, e_.rank_2k) + n_ * e_.column_seconds;
    return predicted(Path::one_stage, {{"tridiagonalize", reduction, {}},
                                       merge("divide and conquer"),
                                       back("back-transform", e_.back_transform)});
  }
  Prediction two_stages() const {
    const double f = machine_.products[Engine::native], g = machine_.products[engine_];
    const TwoStageEfficiencies& own = e_.two_stages;
    if (own.to_band > 0) {
      const double flops = back_transform_flops(n_, m_);
      const bool slow = machine_.single > 8 * f;
      const double back_transform_chase =
          engine_ == Engine::native ? flops / (g * own.back_transform_chase)
                                    : (2 * flops + (slow ? joining_flops(n_, m_) : 0)) /
                                              (g * of_engine(&OzakiTraffic::back_transform_chase, 1)) +
                                          (slow ? 0.5 : 1) * forming_flops(n_, m_) / f;
      const double panels = std::max(n_ * own.to_band_column, panel_flops(n_) / f),
                   chase = std::max(n_ * own.chase_column + n_ * n_ * own.chase_pair, chase_flops(n_) / f);
      return predicted(
          Path::two_stage,
          {{"dense to band",
            rank_2k_flops(n_) / (g * of_engine(&OzakiTraffic::to_band, own.to_band)) + panels,
            {}},
           {"band to tridiagonal", chase, {}},
           merge("divide and conquer"),
           {"tridiagonal to band", back_transform_chase, {}},
           back("band to dense", of_engine(&OzakiTraffic::back_transform_band, own.back_transform_band))});
    }
    return predicted(Path::two_stage,
                     {{"dense to band", rank_2k_flops(n_) / (f * e_.back_transform), {}},
                      {"band to tridiagonal", rank_2k_flops(n_) / (f * e_.small_products), {}},
                      merge("divide and conquer"),
                      {"tridiagonal to band", back_transform_flops(n_, m_) / (g * e_.small_products), {}},
                      back("band to dense", e_.back_transform)});
  }

 private:
  Prediction predicted(Path path, std::vector<PredictedStage> times) const {
    Prediction p{path, engine_, std::move(times), 0};
    for (const PredictedStage& stage : p.times) p.seconds += stage.seconds;
    return p;
  }

  // The merges of a level have half the rows of the level above. Over all levels, every helper gets 8 n^2 (1/2 + 1/4 + ...) bytes of
  // factors. A column is copied with its part of U, twice n elements over all levels, and the same number comes back.
  PredictedStage merge(const char* name) const {
    PredictedStage stage = shared(name,
                                  {n_, merge_flops(n_), element_bytes * n_ * n_, 2 * element_bytes * n_,
                                   std::max(1.0, n_ / static_cast<double>(merge_step))},
                                  of_engine(&OzakiTraffic::merge, e_.merge));
    if (engine_ != Engine::native) stage.seconds += root_flops(n_) / machine_.products[Engine::native];
    return stage;
  }
  // The efficiency of the engine in a stage; `usual`: of engines without traffic of their own.
  double of_engine(double OzakiTraffic::*stage, double usual) const {
    const double bytes = by_residues(engine_) ? e_.ozaki.*stage : 0;
    const double all = engine_ == Engine::ozaki_fp8 ? traffic_of_floats * bytes : bytes;
    return bytes > 0 ? 1 / (1 + all * machine_.products[engine_] / machine_.bandwidth) : usual;
  }
  // Every helper gets the reflectors, half of a matrix. Each column is copied once there and once back.
  PredictedStage back(const char* name, double efficiency) const {
    return shared(name,
                  {m_, back_transform_flops(n_, m_), element_bytes * n_ * n_ / 2, element_bytes * n_,
                   std::max(1.0, n_ / 256)},
                  efficiency);
  }

  PredictedStage shared(const char* name, const Columns& c, double efficiency) const {
    if (c.count == 0) return {name, 0, {}};
    const double a_column = c.flops / c.count;
    std::vector<DeviceCost> costs{cost_of(a_column, machine_.products[engine_] * efficiency, 0, 0, 0)};
    for (const ModelHelper& helper : machine_.helpers) {
      const double own = helper.products[engine_];
      const double flops = own > 0 && !helper.is_cpu ? own : helper.products[Engine::native];
      costs.push_back(
          cost_of(a_column, flops * efficiency, c.common_bytes, c.column_bytes, helper.link, c.steps));
    }
    const BalancedShares plan = plan_of(costs, static_cast<std::int64_t>(c.count), machine_.ratio);
    const auto taking_part =
        std::count_if(plan.shares.begin(), plan.shares.end(), [](double part) { return part > 0; });
    return {name, plan.total, taking_part > 1 ? plan.shares : std::vector<double>{}};
  }

  const ModelMachine& machine_;
  const Efficiencies& e_;
  double n_, m_;
  Engine engine_;
};

}  // namespace

Efficiencies ideal_efficiencies() {
  return {};
}

Efficiencies efficiencies_of(const MeasuredMachine& of) {
  Efficiencies e;
  const double n = of.n, product = of.products[Engine::native];
  e.symv = of.pass / of.symv;
  const double updates = rank_2k_flops(n) / of.rank_2k;
  e.rank_2k = rank_2k_seconds(n, product, of.symv, 1) / updates;
  e.merge = merge_flops(n) / product / of.divide_and_conquer;
  e.back_transform = back_transform_flops(n, n) / product / of.back_transform;
  e.column_seconds = (of.tridiagonalize - reduction_bytes(n) / of.pass - updates) / n;

  // Two orders determine two terms: one grows with the columns, the other with the products or with the pairs of columns.
  const MeasuredTwoStages &small = of.two_stages[0], &large = of.two_stages[1];
  const auto fit = [&](double MeasuredTwoStages::*seconds, auto&& work) {
    const double a = small.*seconds / small.n, b = large.*seconds / large.n;
    const double of_work = (b - a) / (work(large.n) / large.n - work(small.n) / small.n);
    return std::pair{of_work, a - of_work * work(small.n) / small.n};
  };
  TwoStageEfficiencies& two = e.two_stages;
  const auto [of_products, of_columns] =
      fit(&MeasuredTwoStages::full_to_band, [&](double order) { return rank_2k_flops(order) / product; });
  two.to_band = 1 / of_products;
  two.to_band_column = of_columns;
  std::tie(two.chase_pair, two.chase_column) =
      fit(&MeasuredTwoStages::chase, [](double order) { return order * order; });
  two.back_transform_band = back_transform_flops(large.n, large.n) / product / large.back_transform_band;
  two.back_transform_chase = back_transform_flops(large.n, large.n) / product / large.back_transform_chase;

  const MeasuredByOzaki& own = of.ozaki;
  const double order = own.n;
  const auto traffic = [&](double flops, double seconds) {
    return std::max(0.0, seconds - flops / of.products[Engine::ozaki]) * own.symv / flops;
  };
  e.ozaki.to_band = traffic(rank_2k_flops(order), own.full_to_band - order * two.to_band_column);
  e.ozaki.merge = traffic(merge_flops(order), own.divide_and_conquer - root_flops(order) / product);
  e.ozaki.back_transform_chase = traffic(2 * back_transform_flops(order, order),
                                         own.back_transform_chase - forming_flops(order, order) / product);
  e.ozaki.back_transform_band = traffic(back_transform_flops(order, order), own.back_transform_band);
  return e;
}

ModelFigures figures_of(const DescribedMachine& described, const MeasuredMachine& measured) {
  const ChipPeaks &own = described.peaks, &other = measured.peaks;
  ModelFigures f;
  f.fp64 = own.fp64 * measured.products[Engine::native] / other.fp64;
  f.fp32 = own.fp32 * measured.single / other.fp32;
  f.df = own.fp32 * measured.products[Engine::df] / other.fp32;
  f.ozaki = own.int8 * measured.products[Engine::ozaki] / other.int8;
  f.ozaki_fp8 = own.fp8 * measured.products[Engine::ozaki_fp8] / other.fp8;
  f.bandwidth = own.bandwidth * measured.symv / other.bandwidth;
  return f;
}

ModelMachine machine_of(const MeasuredMachine& measured, const Efficiencies& efficiencies) {
  ModelMachine machine;
  machine.products = measured.products;
  machine.single = measured.single;
  machine.bandwidth = measured.symv;
  machine.efficiencies = efficiencies;
  machine.helpers.push_back({"CPU", {}, measured.link, true});
  machine.helpers.back().products[Engine::native] = measured.cpu;
  return machine;
}

ModelMachine machine_of(const ModelFigures& described, const Efficiencies& efficiencies) {
  ModelMachine machine;
  machine.products[Engine::native] = described.fp64;
  machine.products[Engine::df] = described.df > 0 ? described.df : described.fp32 * paper_df_of_sgemm;
  machine.products[Engine::emulated] = described.emulated;
  machine.products[Engine::ozaki] = described.ozaki;
  machine.products[Engine::ozaki_fp8] = described.ozaki_fp8;
  machine.bandwidth = described.bandwidth;
  machine.single = described.fp32;
  machine.efficiencies = efficiencies;
  if (described.cpu > 0) {
    machine.helpers.push_back({"CPU", {}, described.link, true});
    machine.helpers.back().products[Engine::native] = described.cpu;
  }
  return machine;
}

ModelMachine machine_of(const Calibration& calibration, const Efficiencies& efficiencies) {
  TeamRates all;
  for (const DeviceRates& device : calibration.devices)
    if (device.device.kind == DeviceKind::gpu) all.devices.push_back(device);
  if (all.devices.empty()) throw InvalidArgument(Argument::calibration, "has no GPU");
  all.multiprocessors = all.devices.front().device.multiprocessors;
  for (const DeviceRates& device : calibration.devices)
    if (device.device.kind == DeviceKind::cpu) all.devices.push_back(device);
  return machine_of(all, efficiencies);
}

ModelMachine machine_of(const TeamRates& team, const Efficiencies& efficiencies) {
  constexpr double large = 8192;
  const auto rates = [&](const DeviceRates& device) {
    PerEngine<double> products;
    for (const Engine engine : engines())
      products[engine] = product_rate(device, name(engine), large, large, large);
    return products;
  };
  const DeviceRates& first = team.devices.front();
  const double part = team.part();
  ModelMachine machine;
  machine.efficiencies = efficiencies;
  machine.products = rates(first);
  for (double& flops : machine.products.values) flops *= part;
  machine.bandwidth = first.symv_bytes_per_second * part;
  // The rate of float is not calibrated. The ratio of float to double-float products is taken from the usual machine.
  const MeasuredMachine& usual = measured_machine(usual_machine);
  machine.single = machine.products[Engine::df] * usual.single / usual.products[Engine::df];
  if (!(machine.products[Engine::native] > 0) || !(machine.bandwidth > 0))
    throw InvalidArgument(Argument::calibration, "has no GPU with a product rate and a bandwidth");
  for (std::size_t i = 1; i < team.devices.size(); ++i) {
    const DeviceRates& device = team.devices[i];
    if (device.device.kind == DeviceKind::gpu)
      machine.helpers.push_back(
          {device.device.name, rates(device), std::min(device.from_first, device.to_first)});
    else
      machine.helpers.push_back({"CPU", rates(device), std::min(first.to_device, first.from_device), true});
  }
  return machine;
}

std::vector<Prediction> predict(const ModelMachine& machine, std::int64_t n, std::int64_t m) {
  if (n < 0) throw InvalidArgument(Argument::n, "is " + std::to_string(n) + ", must not be negative");
  if (m < 0 || m > n) throw InvalidArgument(Argument::m, "is " + std::to_string(m) + ", must be from 0 to n");
  if (!(machine.products[Engine::native] > 0) || !(machine.bandwidth > 0))
    throw InvalidArgument("machine", "needs a rate of native products and a bandwidth");
  std::vector<Prediction> predictions;
  for (const Path path : {Path::one_stage, Path::two_stage})
    for (const Engine engine : engines()) {
      if (!(machine.products[engine] > 0)) continue;
      const Model model(machine, static_cast<double>(n), static_cast<double>(m), engine);
      predictions.push_back(path == Path::one_stage ? model.one_stage() : model.two_stages());
    }
  return predictions;
}

Prediction predict_on_cpu(const DeviceRates& cpu, std::int64_t n, std::int64_t m) {
  const auto order = static_cast<double>(n);
  ModelMachine machine;
  machine.products[Engine::native] = product_rate(cpu, name(Engine::native), order, order, order);
  machine.bandwidth = cpu.symv_bytes_per_second;
  return predict(machine, n, m).front();
}

std::vector<MixedPrediction> predict_mixed(const ModelMachine& machine, std::int64_t n) {
  if (!(machine.single > 0)) return {};
  ModelMachine single = machine;
  single.products = {};
  single.products[Engine::native] = machine.single;
  single.bandwidth = 2 * machine.bandwidth;  // in doubles; floats take half the bytes
  single.helpers.clear();
  single.ratio = {};
  const std::vector<Prediction> in_float = predict(single, n, n);
  std::vector<MixedPrediction> predictions;
  for (const Engine engine : engines()) {
    if (!(machine.products[engine] > 0)) continue;
    constexpr double steps = 3, products_of_step = 49.0 / 16;
    const double work = cube(static_cast<double>(n));
    MixedPrediction p{engine, choose(in_float),
                      steps * products_of_step * (work / machine.products[engine] + work / machine.single),
                      0};
    p.seconds = p.in_float.seconds + p.refinement;
    predictions.push_back(p);
  }
  return predictions;
}

const Prediction& choose(const std::vector<Prediction>& predictions) {
  return *std::min_element(predictions.begin(), predictions.end(),
                           [](const Prediction& a, const Prediction& b) { return a.seconds < b.seconds; });
}

}  // namespace eigen_g
