// What a solve will do and how long its stages should take, before it: --explain, and the predicted seconds in its report.
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

// The large stages of a reduction in one or two, in the order of Prediction::times.
inline std::span<const Stage> predicted_stages(int stages) {
  static constexpr Stage one[] = {Stage::tridiagonalize, Stage::divide_and_conquer, Stage::back_transform};
  static constexpr Stage two[] = {Stage::full_to_band, Stage::chase, Stage::divide_and_conquer,
                                  Stage::chase_back, Stage::band_back};
  return stages == 1 ? std::span<const Stage>(one) : std::span<const Stage>(two);
}

struct SolvePlan {
  std::int64_t n = 0, vectors = 0;
  std::string calibration;                // where the rates come from
  std::vector<std::string> devices;       // in the order of the shares: the GPU, further ones, the CPU
  std::string ratio;                      // as asked for
  Prediction prediction;                  // of the path that the solve takes, by the engine asked for
  std::span<const Stage> stages() const;  // its large ones, in the order of the prediction's times
  double seconds_of(Stage stage) const;   // of these; else 0
  std::optional<Prediction> other = {};   // of the other path
  std::optional<MixedPrediction> mixed =
      {};  // by the engine asked for, where mixed precision is for such a solve
};

inline std::span<const Stage> SolvePlan::stages() const {
  return predicted_stages(prediction.stages);
}

inline double SolvePlan::seconds_of(Stage stage) const {
  for (std::size_t i = 0; i < stages().size(); ++i)
    if (stages()[i] == stage) return prediction.times[i].seconds;
  return 0;
}

// As for the solve of a matrix of order n on the current GPU, by the devices' calibration. Nothing where the calibration does
// not tell enough. Throws InvalidArgument for devices or a ratio that the solve would not take.
std::optional<SolvePlan> plan_solve(const Options& options, const Devices& devices, std::int64_t n,
                                    const std::string& calibration);

// Each with a newline at its end.
std::string to_table(const SolvePlan& plan);
// What two stages do with the matrix where it is a band that they may chase as it is; else empty.
std::string band_text(const Options& options, const io::SymmetricMatrix& matrix);

}  // namespace eigen_g::apps
