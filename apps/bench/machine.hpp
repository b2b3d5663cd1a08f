// Where a measurement was made, for its JSON:
//   date      UTC, "2026-11-21T09:30:00Z"
//   eigen_g   version of the program
//   gpu       name, compute_capability, multiprocessors, memory_total, l2_bytes; null without one
//   cpu       name, cores, memory_total
//   driver    the kernel module's version ("" where it is not told), cuda_driver, cuda_toolkit, cublas,
//   openblas
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace eigen_g::apps::bench {

nlohmann::ordered_json machine_json();

}  // namespace eigen_g::apps::bench
