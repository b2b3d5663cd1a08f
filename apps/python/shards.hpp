// Solves of matrices in pieces on several GPUs, for Python.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <tuple>
#include <vector>

#include "apps/python/context.hpp"

namespace eigen_g::python {

// Address, leading dimension, columns and stream of a piece (Shard in shards.hpp).
using ShardAt = std::tuple<std::uintptr_t, std::int64_t, std::int64_t, std::uintptr_t>;

PythonReport solve_shards(const CallOptions& plan, std::int64_t n, const std::vector<ShardAt>& a,
                          std::uintptr_t w, const std::vector<ShardAt>& z, nanobind::object progress);

}  // namespace eigen_g::python
