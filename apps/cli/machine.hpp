// The machine as a report describes it.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace eigen_g::apps {

// Where and when it was measured: date, eigen_g, gpu (null without one), cpu, driver (of the kernel module, "" where it is
// not told), cuda_driver, cuda_toolkit, cublas, openblas.
nlohmann::ordered_json machine_json();

}  // namespace eigen_g::apps
