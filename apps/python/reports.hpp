// Report, BatchReport, Verification and GeneralisedVerification as classes of the extension module. They can be pickled.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <utility>

#include <eigen_g/types.hpp>

namespace eigen_g::python {

inline std::pair<std::uint64_t, std::uint64_t> pair_of(const WorkspaceBytes& bytes) {
  return {bytes.host, bytes.device};
}

void bind_reports(nanobind::module_& m);

}  // namespace eigen_g::python
