// LAPACK's letters as options, and its info, for the entries from C. An internal header.
#pragma once

#include <complex>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

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

// The upper case of a letter that must be one of `letters`. Throws InvalidArgument for others.
inline char one_of(std::string_view letters, char letter, Argument argument) {
  const char upper = c_info::upper(letter);
  if (letters.find(upper) != std::string_view::npos) return upper;
  std::string must;
  for (const char one : letters)
    must += (must.empty() ? "" : one == letters.back() ? " or " : ", ") + std::string{'\'', one, '\''};
  throw InvalidArgument(argument, "must be " + must);
}

// `letters`: the letter of values only, and the letter with vectors.
inline bool vectors_of(char job, std::string_view letters = "NV") {
  return one_of(letters, job, Argument::job) == letters[1];
}

inline Subset subset_of(char range, double vl, double vu, std::int64_t il, std::int64_t iu) {
  const char letter = one_of("AVI", range, Argument::range);
  return letter == 'V' ? Subset::by_value(vl, vu) : letter == 'I' ? Subset::by_index(il, iu) : Subset();
}

inline Options options_of(char jobz, char uplo, const Subset& subset = {}) {
  Options options;
  options.vectors = vectors_of(jobz);
  options.uplo = c_info::uplo_of(uplo);
  options.subset = subset;
  return options;
}

inline DeviceChoice device_of(char device) {
  const char letter = one_of("ACG", device, Argument::device);
  return letter == 'C' ? DeviceChoice::cpu : letter == 'G' ? DeviceChoice::gpu : DeviceChoice::automatic;
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

inline std::string text_of(const char* text) {
  return text ? text : "";
}

template <class Value>
Value named(std::optional<Value> value, Argument argument, const char* must) {
  if (!value) throw InvalidArgument(argument, must);
  return *value;
}

inline Options options_of(const eigen_g_options& o) {
  Options options = options_of(o.jobz, o.uplo, subset_of(o.range, o.vl, o.vu, o.il, o.iu));
  options.engine = named(engine_of(text_of(o.engine)), Argument::engine,
                         "is not one of native, df, emulated, ozaki, ozaki-fast, ozaki-fp8, auto");
  options.path = named(path_of(text_of(o.path)), Argument::path, "is not one of auto, one_stage, two_stage");
  options.precision = named(precision_of(text_of(o.precision)), Argument::options,
                            "name a precision that is not one of native, mixed");
  return options;
}

inline Devices devices_of(const eigen_g_options& o) {
  Devices devices;
  devices.device = device_of(o.device);
  devices.gpus = o.gpus;
  devices.threads = o.threads;
  devices.multiprocessors = o.multiprocessors;
  devices.memory_limit = o.memory_limit;
  devices.ratio = parse_ratio(text_of(o.ratio));
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
