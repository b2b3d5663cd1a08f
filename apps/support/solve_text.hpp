// Formats parts of a solve's report as text for people: devices, ratio, engines, refinement, fallbacks.
#pragma once

#include <string>
#include <vector>

#include "solver/api/types.hpp"

namespace eigen_g::apps {

//   device_text       "a GPU (8 of 132 multiprocessors)"
//   devices_text      all devices, separated by commas
//   ratio_text        the ratio that was asked for; if it was automatic, the resulting shares in percent, "83:17"; "1": one device
//   engines_text      the engines of the products, the one with the most flops first: "native", "df+native". If the stages differ:
//                     "tridiagonalize native, divide_and_conquer df"
//   refinement_text   the result of mixed precision
//   memory_text       the memory mode: "slabs, 4 of rows and 3 of columns, with data in host memory"
//   fallbacks_text    the steps to a smaller solve: "two stage to one stage, gpu to cpu: too little GPU memory"
std::string device_text(const DeviceWork& device);
std::string devices_text(const std::vector<DeviceWork>& devices);
std::string devices_text(const Report& solve);
std::string ratio_text(const Report& solve, const Ratio& wanted);
std::string engines_text(const Report& solve);
std::string refinement_text(const Refinement& refinement);
std::string fallbacks_text(const Report& solve);
std::string memory_text(const Report& solve);
std::vector<std::string> fallback_names(const Report& solve);  // as in JSON

}  // namespace eigen_g::apps
