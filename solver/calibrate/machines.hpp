// Machines that were measured, and GPUs of which only published peak rates are known: data/machines/*.json. They are compiled in, so that no file has
// to be found at run time.
//
// "format": "eigen_g-machine", "version": 1. Rates in flop/s and bytes/s. A file with "products" is of a measured machine:
//
//   name, title, date, source   the file's name, a description, when and how it was measured
//   products                    large matrix products, by engine
//   single                      large matrix products in float
//   rank_2k                     cuBLAS's rank-2k update with 64 columns
//   symv                        symmetric product: bytes of the stored half per second
//   pass                        the pass over A inside the one-stage reduction, in the same unit
//   cpu                         the CPU's matrix product
//   link                        copies between CPU and GPU, each way
//   solve                       n, and the seconds of a solve's stages with all vectors, one-stage path
//   two_stages                  n and the seconds of the stages at two orders, two-stage path, the smaller order first
//   back_transform_chase_product          seconds of one small product of the back-transformation by the chase, by an engine other than native
//   peaks                       published peak rates of the GPU, as below
//   team                        solves with all vectors and host pointers on one and several GPUs of a host, the largest order last: n, gpus, and the
//                               seconds of the stages. Missing: not measured
//   two_stages_ozaki            n and the seconds of the stages of the two-stage path by engine ozaki, and symv of the machine that ran them
//
// A file without "products" describes a GPU by name, title, date, source and in "peaks" the published peak rates of dense products:
//
//   fp64, fp32                  of double and of float, on the fastest unit that computes them as IEEE 754 demands
//   int8, fp8                   of the tensor cores; missing: not published
//   bandwidth                   of the memory
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gemm_df/engines/engine.hpp"
#include "solver/api/types.hpp"

namespace eigen_g {

struct MeasuredTwoStages {
  double n = 0, full_to_band = 0, chase = 0, back_transform_chase = 0, back_transform_band = 0;
};

// The stages of a solve by several GPUs that take time, in their order.
inline constexpr std::array team_stages{Stage::load,
                                        Stage::full_to_band,
                                        Stage::chase,
                                        Stage::divide_and_conquer,
                                        Stage::back_transform_chase,
                                        Stage::back_transform_band,
                                        Stage::store};
struct MeasuredTeam {
  double n = 0;
  int gpus = 1;
  std::array<double, team_stages.size()> seconds{};
};

struct ChipPeaks {
  double fp64 = 0, fp32 = 0, int8 = 0, fp8 = 0, bandwidth = 0;
};

struct MeasuredByOzaki {
  double n = 0, symv = 0, full_to_band = 0, divide_and_conquer = 0, back_transform_chase = 0,
         back_transform_band = 0;
};

struct DescribedMachine {
  std::string name, title, date;
  std::vector<std::string> source;
  ChipPeaks peaks;
};

struct MeasuredMachine {
  std::string name, title, date;
  std::vector<std::string> source;
  ChipPeaks peaks;
  PerEngine<double> products;
  double single = 0, rank_2k = 0, symv = 0, pass = 0, cpu = 0, link = 0;
  double n = 0, tridiagonalize = 0, divide_and_conquer = 0, back_transform = 0;
  double back_transform_chase_product = 0;
  std::array<MeasuredTwoStages, 2> two_stages;
  MeasuredByOzaki ozaki;
  std::vector<MeasuredTeam> team;
};

// Throws InvalidArgument("machine") if the text is not such a file or if a value is missing.
MeasuredMachine parse_machine(std::string_view text);
DescribedMachine parse_described_machine(std::string_view text);  // throws as above
bool is_described(std::string_view text);  // true if the file has no "products"; throws as above

const std::vector<MeasuredMachine>& measured_machines();         // all machines, by name
const MeasuredMachine& measured_machine(std::string_view name);  // throws InvalidArgument("machine")

const std::vector<DescribedMachine>& described_machines();         // all machines, by name
const DescribedMachine& described_machine(std::string_view name);  // throws InvalidArgument("machine")

// The machine whose efficiencies are used for machines without measured efficiencies.
inline constexpr const char* usual_machine = "nvidia_h200";

struct ShippedMachine {
  const char* file;
  std::string_view text;
};
std::span<const ShippedMachine> shipped_machines();  // generated (solver/CMakeLists.txt)

}  // namespace eigen_g
