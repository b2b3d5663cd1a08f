// A case of whole solves of one random matrix, ours beside cuSOLVER's: what `bench solve`, `gemm-accuracy` and `hybrid` time.
// Every use of the library's public face in apps/bench is in solve_case.cpp. CUDA builds only.
#pragma once

#include "apps/bench/bench.hpp"
#include "solver/api/types.hpp"

namespace eigen_g {
struct Calibration;
}

namespace eigen_g::apps::bench {

// One way to solve, a call of the case.
struct Solver {
  std::string name;
  enum class By { device_pointers, host_pointers, cusolver } by = By::device_pointers;
  bool vectors = true;
  bool checked = false;       // its vectors are verified
  bool repeated = false;      // and two solves compared bit for bit (on device pointers)
  bool deterministic = true;  // of cuSOLVER
  std::string engine = "native";
  Path path = Path::automatic;
  int gpus = 1, multiprocessors = 0, threads = 0;            // 0: all
  std::vector<double> ratio = {};                            // empty: by the calibration
  std::shared_ptr<const Calibration> calibration = nullptr;  // null: the library's own choice
};

struct SolvePlan {
  std::int64_t n = 0;
  TimingRule rule;
  std::vector<Solver> solvers;
  bool solve_again = true;                 // for the checks; false: they take what the last round left
  std::optional<std::uint64_t> seed = {};  // of `eigen_g generate` (double); else a matrix made on the GPU
  char type = 'd';                         // s, d, c or z
};

// README.md names the fields of its JSON.
CasePlan solve_case(const Session& session, const SolvePlan& plan, Json parameters);

// The calibration that the user names, else the cached one, else one measured now; where it came from.
std::pair<std::shared_ptr<const Calibration>, std::string> calibrated(const std::string& file, int threads,
                                                                      const Session& session);

}  // namespace eigen_g::apps::bench
