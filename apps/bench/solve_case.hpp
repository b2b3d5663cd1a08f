// A case of whole solves of one random problem, by eigen_g and by cuSOLVER, for `bench solve`, `generalised`, `gemm-accuracy` and `devices`.
// solve_case.cpp alone calls the solver for these benchmarks. CUDA builds only.
#pragma once

#include "apps/bench/bench.hpp"
#include "solver/api/types.hpp"

namespace eigen_g {
struct Calibration;
}

namespace eigen_g::apps::bench {

// One way to solve: a call of the case.
struct Solver {
  std::string name;
  enum class By { device_pointers, host_pointers, cusolver } by = By::device_pointers;
  bool vectors = true;
  bool checked = false;       // verify the vectors
  bool repeated = false;      // compare two solves bit for bit (on device pointers)
  bool deterministic = true;  // cuSOLVER's mode
  bool without_b = false;     // true: solves A x = w x although the problem has B
  std::string engine = "native";
  Path path = Path::automatic;
  int gpus = 1, multiprocessors = 0, threads = 0;            // 0: all
  std::vector<double> ratio = {};                            // empty: automatic, by the calibration
  std::shared_ptr<const Calibration> calibration = nullptr;  // null: the library's own choice
};

struct SolveCaseOptions {
  std::int64_t n = 0;
  TimingRule rule;
  std::vector<Solver> solvers;  // cuSOLVER's are left out in a build without it
  bool solve_again = true;      // solve again for the checks; false: check the results of the last round
  std::optional<std::uint64_t> seed =
      {};                    // seed of `eigen_g generate` (double); empty: a random matrix made on the GPU
  char type = 'd';           // s, d, c or z
  bool generalised = false;  // A x = w B x with a random B of condition about 4, on device pointers
  bool energy = false;       // measure the joules of each call, after the times
};

// README.md describes the fields of its JSON.
CaseOptions solve_case(const Session& session, const SolveCaseOptions& plan, Json parameters);

// The calibration that the user names, else the cached one, else one that is measured now; and its source.
std::pair<std::shared_ptr<const Calibration>, std::string> calibrated(const std::string& file, int threads,
                                                                      const Session& session);

}  // namespace eigen_g::apps::bench
