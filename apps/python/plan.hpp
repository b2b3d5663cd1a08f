// What a call from Python wants, in the library's terms.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <eigen_g/types.hpp>

namespace eigen_g::python {

struct Plan {
  std::string dtype;
  Options options;
  Devices devices;
  int itype = 0;  // of a generalised problem; 0: a standard one
};

//   numbers  first and last pair, from 1     values  above, upto     sms  Devices::multiprocessors
// Throws InvalidArgument.
Plan make_plan(const std::string& dtype, bool lower, bool vectors,
               std::optional<std::pair<std::int64_t, std::int64_t>> numbers,
               std::optional<std::pair<double, double>> values, const std::string& path,
               const std::string& engine, const std::string& place, int gpus, int threads,
               const std::optional<std::string>& ratio, const std::string& precision, int sms, int itype);

// Options of a solve of order n that obeys Ctrl-C and tells `callback` (None: nobody). Who is told waits for each stage's end, so
// signals are looked for only where a solve takes long enough for somebody to interrupt it.
Options told(const Options& options, std::int64_t n, nanobind::object callback);

}  // namespace eigen_g::python
