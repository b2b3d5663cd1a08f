// Describes this machine as JSON for a report.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace eigen_g::apps {

// Fields: date, eigen_g, gpu (null: no GPU), cpu, driver (version of the kernel module; "" if it cannot be read), cuda_driver,
// cuda_toolkit, cublas, openblas.
nlohmann::ordered_json machine_json();

}  // namespace eigen_g::apps
