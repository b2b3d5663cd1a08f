// A model of a solve's time. It predicts the seconds of each stage from a few rates of a machine, for every engine of the matrix products
// and for both paths. Pure arithmetic; needs no GPU.
//
// The equations are the paper's 1 to 5 (Eigen-G, IPSJ SIG), in seconds, for order n and m vectors. f: flop/s of the products; b: bytes/s of
// the symmetric product.
//
//   one-stage   tridiagonalize        2/3 n^3 / f + 4/3 n^3 / b     rank-2k updates, and the stored half of A read once per column
//   path        divide and conquer    4/3 n^3 / f
//               back-transform        2 n^2 m / f
//   two-stage   dense to band         2/3 n^3 / f
//   path        band to tridiagonal   2/3 n^3 / (0.3 f)             small products reach 30 % of f (paper, section 4.2)
//               divide and conquer    4/3 n^3 / f
//               tridiagonal to band   2 n^2 m / (0.3 f)
//               band to dense         2 n^2 m / f
//
// 4/3 n^3 bytes are the sum of n_j^2 / 2 doubles over the columns j. (The paper writes 16/3 n^3 bytes, four times this number.)
//
// The paper's two-stage path chases by small products. This project's chase passes messages between thread blocks. Its time depends on
// the number of columns and of pairs of columns, not on the rate of the products. The equations for this project's two-stage path have
// coefficients from a measured machine (TwoStageEfficiencies):
//
//   dense to band         2/3 n^3 / (e f) + c n      e: efficiency; c: seconds per column
//   band to tridiagonal   c n + p n^2                p: seconds per pair of columns; another c
//   tridiagonal to band   2 n^2 m / (e f)            by native products
//                         4 n^2 m / g + 2.4 n^2 r / f by an engine with g flop/s: tiles are first multiplied to matrices of r rows in
//                                                    native products (solver/back/chase_blocks.hpp). r = 1024 is assumed.
//                                                    If float is more than eight times as fast as double, half of the
//                                                    second term is replaced by 2.5 n^2 r / g
//
// Engine ozaki converts its operands and writes residues, which takes bytes: a stage of w flops takes w / g + w y / b. y (OzakiTraffic) comes from a
// measured solve with all products by it. Engine ozaki_fp8 takes 1.75 times these bytes.
//
// On a GPU that is slow in double the native work decides. It is counted in flops, at the rate of native products: 2 n^2 b for the panels
// and 6 n^2 b for the chase with b = 64, 2/3 n^3 for the one-stage path's symmetric products. If this takes longer than the
// equations above say, it replaces them. 300 n^2 for the roots of the divide and conquer are added for an engine other than native.
//
// An engine other than native computes the products of the divide and conquer and of the back-transformations, as in the paper. It also
// computes the products of this project's reduction from dense to band. The rest is native.
// Helpers (the CPU, helper GPUs) take columns of the divide and conquer's products and of the back-transformation, so that all devices
// finish together (hybrid/team/split.hpp).
//
// Mixed precision (solver/refine/refine.hpp). h: flop/s of float's products; g: flop/s of the engine. The solve in float takes the
// faster of both paths at h and half the bytes, on the first GPU alone. The refinement takes three steps; small orders need two:
//
//   refinement  3 * 49/16 (n^3 / g + n^3 / h)
//
// The model assumes that nothing deflates. Copies of A and Z from and to the caller are not counted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gemm_df/engines/engine.hpp"
#include "hybrid/team/split.hpp"
#include "solver/api/types.hpp"
#include "solver/calibrate/machines.hpp"
#include "solver/devices/calibration.hpp"
#include "solver/devices/shares.hpp"

namespace eigen_g {

// Efficiencies of this project's two-stage path. to_band = 0: the paper's equations are used.
struct TwoStageEfficiencies {
  // To_band: part of the products' rate; to_band_column: seconds per column.
  double to_band = 0, to_band_column = 0;
  double chase_column = 0, chase_pair = 0;  // seconds per column, per pair of columns
  double back_transform_chase = 1;          // part of the rate of native products
  double back_transform_band = 1;           // part of the products' rate
};

// Bytes of each flop in the stages of a solve by engine ozaki, in addition to the bytes of large square products. 0: not known, and the efficiencies
// of other engines are used.
struct OzakiTraffic {
  double to_band = 0, merge = 0, back_transform_chase = 0, back_transform_band = 0;
};

// The part of each rate that a stage reaches: time = (work / rate) / efficiency.
struct Efficiencies {
  double symv = 1;            // the reduction's pass over A; of the symmetric product's bytes/s
  double rank_2k = 1;         // the reduction's updates; of the product rate and of the bytes/s of C together
  double merge = 1;           // divide and conquer
  double back_transform = 1;  // one-stage path, and band to dense
  double small_products = 0.3;
  double column_seconds = 0;  // one-stage reduction: seconds per column for barriers and dependent sums
  TwoStageEfficiencies two_stages;
  OzakiTraffic ozaki;
};

// The equations as they are (ideal), and the efficiencies of a solve on a measured machine.
Efficiencies ideal_efficiencies();
Efficiencies efficiencies_of(const MeasuredMachine& measured);

struct ModelHelper {
  std::string name;
  PerEngine<double> products;  // flop/s; 0 for an engine: native products are used
  double link = 0;             // bytes/s each way from and to the first GPU; 0: transfers are not counted
  bool is_cpu = false;         // has native products only
};

struct ModelMachine {
  // Flop/s of large products on the first GPU; 0: the GPU does not have this engine.
  PerEngine<double> products;
  double bandwidth = 0;  // bytes/s of the stored half in y := A x
  double single = 0;     // flop/s of large products in float; 0: not known
  std::vector<ModelHelper> helpers;
  Efficiencies efficiencies;
  Ratio ratio;  // shares of the columns, the first GPU first; automatic: all devices finish together
};

// Properties of a machine that are usually known. fp64, fp32: flop/s of DGEMM and SGEMM. bandwidth: bytes/s. cpu: flop/s of the CPU's
// DGEMM; 0: the CPU does not help. df: flop/s of the double-float product; 0: paper_df_of_sgemm fp32 (the paper's GTX 1080).
// emulated, ozaki, ozaki_fp8: flop/s of these engines' products; 0: none. link: bytes/s between CPU and GPU; 0: copies are not counted.
inline constexpr double paper_df_of_sgemm = 510.8 / 7700;
struct ModelFigures {
  double fp64 = 0, fp32 = 0, bandwidth = 0, cpu = 0;
  double df = 0, emulated = 0, link = 0, ozaki = 0, ozaki_fp8 = 0;
};
ModelMachine machine_of(const ModelFigures& figures, const Efficiencies& efficiencies);

// Rates of a GPU of published peaks: each peak times the part of it that `measured` reaches. Engine emulated is left out.
ModelFigures figures_of(const DescribedMachine& described, const MeasuredMachine& measured);

// The GPU of a measured machine, with its CPU as helper.
ModelMachine machine_of(const MeasuredMachine& measured, const Efficiencies& efficiencies);

// The first GPU of a calibration, with the other GPUs and the CPU as helpers. It uses the rates measured nearest to large products.
// Throws InvalidArgument(Argument::calibration) if it has no GPU with a product rate and a bandwidth.
ModelMachine machine_of(const Calibration& calibration, const Efficiencies& efficiencies);

// The devices of a solve; of the first GPU only the multiprocessors in use count. Throws as above.
ModelMachine machine_of(const TeamRates& team, const Efficiencies& efficiencies);

struct PredictedStage {
  std::string name;
  double seconds = 0;
  std::vector<double> shares;  // columns of each device, the first GPU first; empty: only that GPU works
};

struct Prediction {
  Path path = Path::one_stage;
  Engine engine = Engine::native;
  std::vector<PredictedStage> times;
  double seconds = 0;
};

// Predictions for both paths and every engine that the GPU has: first the one-stage path, each with the engines in order.
// Throws InvalidArgument for n < 0, m < 0, m > n, or a machine without native products or bandwidth.
std::vector<Prediction> predict(const ModelMachine& machine, std::int64_t n, std::int64_t m);

// The prediction for the CPU alone with these rates, by the equations of the one-stage path as they are. It is an estimate: LAPACK's stages
// do not all reach the rates of large products. Throws InvalidArgument as predict() does.
Prediction predict_on_cpu(const DeviceRates& cpu, std::int64_t n, std::int64_t m);

struct MixedPrediction {
  Engine engine = Engine::native;  // engine of the refinement
  Prediction in_float;             // the solve in float, by the faster path
  double refinement = 0, seconds = 0;
};

// Predictions of all pairs in mixed precision for every engine that the GPU has, in order. Empty if the rate of float is not known. Throws
// as predict().
std::vector<MixedPrediction> predict_mixed(const ModelMachine& machine, std::int64_t n);

// The fastest prediction; the first of equals.
const Prediction& choose(const std::vector<Prediction>& predictions);

}  // namespace eigen_g
