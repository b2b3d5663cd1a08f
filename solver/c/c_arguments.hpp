// LAPACK's letters as options, and its info, for the entries from C. An internal header.
#pragma once

#include <complex>
#include <cstdint>
#include <cstring>
#include <optional>

#include "hybrid/c_complex.h"
#include "hybrid/c_info.hpp"
#include "solver/api/eigen_g.h"
#include "solver/api/types.hpp"

namespace eigen_g {

// For c_info::of() with positions of type Argument.
inline bool is_of(const InvalidArgument& error, Argument argument) {
  return error.argument() == argument;
}
inline bool is_of_options(Argument argument) {
  return argument == Argument::options;
}

}  // namespace eigen_g

namespace eigen_g::c_arguments {

inline bool vectors_of(char jobz) {
  if (c_info::upper(jobz) != 'N' && c_info::upper(jobz) != 'V')
    throw InvalidArgument(Argument::job, "must be 'N' or 'V'");
  return c_info::upper(jobz) == 'V';
}

inline Subset subset_of(char range, double vl, double vu, std::int64_t il, std::int64_t iu) {
  switch (c_info::upper(range)) {
    case 'A':
      return {};
    case 'V':
      return Subset::by_value(vl, vu);
    case 'I':
      return Subset::by_index(il, iu);
    default:
      throw InvalidArgument(Argument::range, "must be 'A', 'V' or 'I'");
  }
}

inline Options options_of(char jobz, char uplo, const Subset& subset = {}) {
  Options options;
  options.vectors = vectors_of(jobz);
  options.uplo = c_info::uplo_of(uplo);
  options.subset = subset;
  return options;
}

inline DeviceChoice device_of(char device) {
  switch (c_info::upper(device)) {
    case 'A':
      return DeviceChoice::automatic;
    case 'C':
      return DeviceChoice::cpu;
    case 'G':
      return DeviceChoice::gpu;
    default:
      throw InvalidArgument(Argument::device, "must be 'A', 'C' or 'G'");
  }
}

// The caller's options as far as its version of the struct has them; null: the default ones.
inline eigen_g_options whole_options(const eigen_g_options* given) {
  eigen_g_options options;
  eigen_g_default_options(&options);
  if (!given) return options;
  if (given->size < sizeof options.size || given->size > sizeof options)
    throw InvalidArgument(Argument::options,
                          "were not set by eigen_g_default_options() of this version or an older one");
  std::memcpy(&options, given, given->size);
  return options;
}

inline Options options_of(const eigen_g_options& o) {
  Options options = options_of(o.jobz, o.uplo, subset_of(o.range, o.vl, o.vu, o.il, o.iu));
  const std::optional<Engine> engine = engine_of(o.engine ? o.engine : "");
  if (!engine) throw InvalidArgument(Argument::engine, "is not one of native, df, emulated, auto");
  options.engine = *engine;
  const std::optional<Path> path = path_of(o.path ? o.path : "");
  if (!path) throw InvalidArgument(Argument::path, "is not one of auto, one_stage, two_stage");
  options.path = *path;
  const std::optional<Precision> precision = precision_of(o.precision ? o.precision : "");
  if (!precision)
    throw InvalidArgument(Argument::options, "name a precision that is not one of native, mixed");
  options.precision = *precision;
  return options;
}

inline Devices devices_of(const eigen_g_options& o) {
  Devices devices;
  devices.device = device_of(o.device);
  devices.gpus = o.gpus;
  devices.threads = o.threads;
  devices.multiprocessors = o.multiprocessors;
  devices.ratio = parse_ratio(o.ratio ? o.ratio : "");
  return devices;
}

// LAPACK's info of a solve.
inline std::int64_t info_of(const Report& report) {
  return report.status == Status::converged ? 0 : report.info;
}

// C's complex numbers are std::complex's.
template <class R>
R* of_c(R* x) {
  return x;
}
inline std::complex<double>* of_c(eigen_g_double_complex* x) {
  return reinterpret_cast<std::complex<double>*>(x);
}
inline std::complex<float>* of_c(eigen_g_complex* x) {
  return reinterpret_cast<std::complex<float>*>(x);
}

}  // namespace eigen_g::c_arguments
