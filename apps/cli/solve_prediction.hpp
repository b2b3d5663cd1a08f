// Predicts the course and the stage times of a solve before it runs, for --predict and for the predicted seconds of the report.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/io/matrix_file.hpp"
#include "solver/api/types.hpp"
#include "solver/calibrate/model.hpp"

namespace eigen_g::apps {

// The large stages of a path on one GPU, in the order of Prediction::times.
inline std::span<const Stage> predicted_stages(Path path) {
  static constexpr Stage one[] = {Stage::tridiagonalize, Stage::divide_and_conquer, Stage::back_transform};
  static constexpr Stage two[] = {Stage::full_to_band, Stage::chase, Stage::divide_and_conquer,
                                  Stage::back_transform_chase, Stage::back_transform_band};
  return path == Path::one_stage ? std::span<const Stage>(one) : std::span<const Stage>(two);
}

struct SolvePrediction {
  std::int64_t n = 0, vectors = 0;
  std::string calibration;           // source of the rates
  std::vector<std::string> devices;  // in the order of the shares: the first GPU, helper GPUs, the CPU
  std::string ratio;                 // as asked for
  // Prediction for the path that the solve takes, with the requested engine.
  Prediction prediction;
  std::span<const Stage> stages() const;  // the path's large stages, in the order of prediction.times
  double seconds_of(Stage stage) const;   // predicted time of a large stage; other stages: 0
  std::optional<Prediction> other = {};   // prediction for the other path
  // With the requested engine, if mixed precision applies to such a solve.
  std::optional<MixedPrediction> mixed = {};
  // The first mode whose bytes are within Devices::memory_limit, or within what is free on the GPU. Nothing: no mode fits, or not known.
  std::optional<MemoryMode> mode = {};
  WorkspaceBytes bytes = {};  // in this mode
  // Bytes of each GPU, if several GPUs divide all stages; 0: not known. Otherwise empty.
  std::vector<std::uint64_t> bytes_of_gpus = {};
};

inline std::span<const Stage> SolvePrediction::stages() const {
  return bytes_of_gpus.empty() ? predicted_stages(prediction.path) : std::span<const Stage>(team_stages);
}

inline double SolvePrediction::seconds_of(Stage stage) const {
  for (std::size_t i = 0; i < stages().size(); ++i)
    if (stages()[i] == stage) return prediction.times[i].seconds;
  return 0;
}

// Prediction for a matrix of order n on the current GPU, by the calibration in `devices`. Returns nothing if the calibration lacks a
// needed rate. Throws InvalidArgument for devices or a ratio that the solve would refuse.
std::optional<SolvePrediction> predict_solve(const Options& options, const Devices& devices, std::int64_t n,
                                             const std::string& calibration);

// Cost of a dense solve in double, an estimate. On the CPU its rates are measured now, in about half a second. On a GPU they are the
// fixed rates of predict_few().
struct DenseCost {
  std::vector<PredictedStage> stages;  // on the CPU
  double seconds = 0;
  std::uint64_t bytes = 0;  // host memory with matrix and vectors
};
DenseCost dense_cost(const Options& options, const Devices& devices, std::int64_t n);
// "about 35 s and 6.4 GiB (an estimate)"; "" if a rough model, without a measurement, expects less than a second and a gibibyte.
std::string large_cost_text(const Options& options, const Devices& devices, std::int64_t n);

// Each table ends with a newline.
std::string to_table(const DenseCost& cost);
std::string to_table(const SolvePrediction& plan);
// If the matrix is a band that the two-stage path may reduce without its first stage: says if it does. Otherwise an empty text.
std::string band_text(const Options& options, const Devices& devices, const io::SymmetricMatrix& matrix);

}  // namespace eigen_g::apps
