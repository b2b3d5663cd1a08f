// How long each stage of a solve takes on a machine of which a few rates are known, by each engine of the matrix products,
// for the reduction in one stage and in two. Pure arithmetic; needs no GPU.
//
// The equations are the paper's 1 to 5 (Eigen-G, IPSJ SIG), in seconds, with n = N, m vectors, f = flop/s of the products,
// b = bytes/s of the symmetric product:
//
//   one stage   tridiagonalize        2/3 n^3 / f + 4/3 n^3 / b        rank-2k updates, and the stored half of A read once a
//               divide and conquer    4/3 n^3 / f                      column: sum of n_j^2 / 2 doubles. (The paper writes
//               back-transform        2 n^2 m / f                      16/3 n^3 bytes, four times that.)
//   two stages  dense to band         2/3 n^3 / f
//               band to tridiagonal   2/3 n^3 / (0.3 f)                small products reach 30 % (paper, section 4.2)
//               divide and conquer    4/3 n^3 / f
//               tridiagonal to band   2 n^2 m / (0.3 f)
//               band to dense         2 n^2 m / f
//
// The paper's two stages chase by small products. This project's (TwoStageEfficiencies, from a measured machine) pass messages
// between thread blocks, which takes time by columns and pairs of columns, whatever the rate of the products:
//
//   two stages  dense to band         2/3 n^3 / (e f) + c n
//               band to tridiagonal   c n + p n^2
//               tridiagonal to band   2 n^2 m / (e f); by another engine, whose products are whole tiles of 64 rows, three each,
//                                     one by one: 4 n^2 m / g, and 3 n^2 / 8192 s at least
//
// An engine other than native computes the products of the divide and conquer and of the back-transformations, as in the
// paper, and of this project's way from dense to band; the rest stays native. Helpers (the CPU, further GPUs) take columns of
// the divide and conquer's products and of the back-transformation, so that all finish together (hybrid/split.hpp).
//
// Mixed precision (solver/refine/refine.hpp), with h = flop/s of float's products and g = those of the engine: the faster of the
// two reductions at h and half the bytes, on the first GPU alone, and three steps of refinement, of which small orders
// need two
//
//   refinement  3 * 49/16 (n^3 / g + n^3 / h)
//
// Nothing deflates; transfers of A and Z from and to the caller are not counted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gemm_df/engines/engine.hpp"
#include "hybrid/team/split.hpp"
#include "solver/calibrate/machines.hpp"
#include "solver/devices/calibration.hpp"
#include "solver/devices/shares.hpp"

namespace eigen_g {

// Of this project's two stages; to_band = 0: the paper's equations.
struct TwoStageEfficiencies {
  double to_band = 0, to_band_column = 0;   // of the products' rate; seconds a column
  double chase_column = 0, chase_pair = 0;  // seconds
  double chase_back = 1;                    // of native products
  double engine_product = 0;                // seconds of a small product by another engine
  double band_back = 1;
};

// What is left of the rates in the stages: time = (work / rate) / efficiency.
struct Efficiencies {
  double symv = 1;            // the reduction's pass over A, of the symmetric product's bandwidth
  double rank_2k = 1;         // the reduction's updates, of product rate and bandwidth of C together
  double merge = 1;           // divide and conquer
  double back_transform = 1;  // of one stage, and band to dense
  double small_products = 0.3;
  double column_seconds = 0;  // of the one-stage reduction: barriers and dependent sums a column
  TwoStageEfficiencies two_stages;
};

// The equations as they stand; and what a solve reached on a measured machine, of the rates measured there.
Efficiencies ideal_efficiencies();
Efficiencies efficiencies_of(const MeasuredMachine& measured);

struct ModelHelper {
  std::string name;
  PerEngine<double> products;  // without the engine in question: native
  double link = 0;             // bytes/s each way from and to the first GPU; 0: transfers are not counted
  bool is_cpu = false;         // has native products only
};

struct ModelMachine {
  PerEngine<double> products;  // flop/s of large products on the first GPU; 0: it has no such engine
  double bandwidth = 0;        // bytes/s of the stored half in y := A x
  double single = 0;           // flop/s of large products in float; 0: not known
  std::vector<ModelHelper> helpers;
  Efficiencies efficiencies;
  Ratio ratio;  // of the columns, the first GPU's share first; automatic: all finish together
};

// From the figures that people have: FLOP/s of DGEMM and SGEMM, bytes/s, FLOP/s of the CPU's DGEMM (0: no help). df: the
// double-float product's, by default the paper's share of SGEMM, 510.8 / 7700 (GTX 1080); emulated: 0 where there is none.
inline constexpr double paper_df_of_sgemm = 510.8 / 7700;
struct ModelFigures {
  double fp64 = 0, fp32 = 0, bandwidth = 0, cpu = 0;
  double df = 0, emulated = 0, link = 0;
};
ModelMachine machine_of(const ModelFigures& figures, const Efficiencies& efficiencies);

// A measured machine: its GPU, with its CPU as helper.
ModelMachine machine_of(const MeasuredMachine& measured, const Efficiencies& efficiencies);

// The first GPU of a calibration, the further ones and the CPU; rates are those nearest to large products.
// Throws InvalidArgument(Argument::calibration) where it has no GPU with a product rate and a bandwidth.
ModelMachine machine_of(const Calibration& calibration, const Efficiencies& efficiencies);

// Of a solve's devices: only the multiprocessors in use count. Throws likewise.
ModelMachine machine_of(const TeamRates& team, const Efficiencies& efficiencies);

struct PredictedStage {
  std::string name;
  double seconds = 0;
  std::vector<double> parts;  // columns of each device, the first GPU first; empty: only that GPU works
};

struct Prediction {
  int stages = 1;  // of the reduction: 1 or 2
  Engine engine = Engine::native;
  std::vector<PredictedStage> times;
  double seconds = 0;
};

// One stage and two, for every engine that the GPU has: one-stage predictions first, engines in order.
// Throws InvalidArgument for n or m < 0, m > n, or a machine without native products or bandwidth.
std::vector<Prediction> predict(const ModelMachine& machine, std::int64_t n, std::int64_t m);

struct MixedPrediction {
  Engine engine = Engine::native;  // of the refinement
  Prediction in_float;             // the faster reduction
  double refinement = 0, seconds = 0;
};

// All pairs in mixed precision, for every engine that the GPU has, in order; none where float's rate is not known. Throws likewise.
std::vector<MixedPrediction> predict_mixed(const ModelMachine& machine, std::int64_t n);

// The fastest, of equals the first.
const Prediction& choose(const std::vector<Prediction>& predictions);

}  // namespace eigen_g
