// Machines that were measured: data/machines/*.json, compiled in, so that nothing has to be found at run time.
//
// "format": "eigen_g-machine", "version": 1. Rates in flop/s and bytes/s:
//
//   name, title, date, source   the file's name, what it is, when and how it was measured
//   products                    large matrix products by engine
//   single                      large matrix products in float
//   rank_2k                     cuBLAS's rank-2k update with 64 columns
//   symv, pass                  of the stored half: the symmetric product, and the pass over A inside the reduction
//   cpu, link                   the CPU's matrix product; between CPU and GPU, each way
//   solve                       n, and the seconds of a solve's stages with all vectors, in one stage
//   two_stages                  the same in two stages at two orders, the smaller first
//   chase_back_product          seconds of one of the small products on the way back from the chase, by an engine that is not native
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gemm_df/engines/engine.hpp"

namespace eigen_g {

struct MeasuredTwoStages {
  double n = 0, full_to_band = 0, chase = 0, chase_back = 0, band_back = 0;
};

struct MeasuredMachine {
  std::string name, title, date;
  std::vector<std::string> source;
  PerEngine<double> products;
  double single = 0, rank_2k = 0, symv = 0, pass = 0, cpu = 0, link = 0;
  double n = 0, tridiagonalize = 0, divide_and_conquer = 0, back_transform = 0;
  double chase_back_product = 0;
  std::array<MeasuredTwoStages, 2> two_stages;
};

// Throws InvalidArgument("machine") for text that is not such a file, or that lacks a figure.
MeasuredMachine parse_machine(std::string_view text);

const std::vector<MeasuredMachine>& measured_machines();         // by name
const MeasuredMachine& measured_machine(std::string_view name);  // throws InvalidArgument("machine")

// Whose efficiencies are expected of a machine of which none are known.
inline constexpr const char* usual_machine = "nvidia_h200";

struct ShippedMachine {
  const char* file;
  std::string_view text;
};
std::span<const ShippedMachine> shipped_machines();  // generated (solver/CMakeLists.txt)

}  // namespace eigen_g
