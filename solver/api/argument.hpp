// Argument: names the arguments of the solver's calls. InvalidArgument::argument() is the one that the error is about.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <eigen_g/error.hpp>

namespace eigen_g {

// A parameter of a call, or a member of Options or Devices. `other`: a parameter that has no code; InvalidArgument::parameter() has
// its name.
enum class Argument {
  n,
  m,
  a,
  lda,
  b,
  ldb,
  w,
  z,
  ldz,
  d,
  e,
  tau,
  uplo,
  job,
  range,
  subset_first,
  subset_last,
  subset_above,
  subset_upto,
  engine,
  library,
  path,
  device,
  gpus,
  multiprocessors,
  threads,
  ratio,
  calibration,
  stream,
  workspace,
  options,
  alpha,
  x,
  incx,
  beta,
  y,
  incy,
  config,
  other
};

constexpr const char* name(Argument argument) {
  constexpr const char* names[] = {"n",
                                   "m",
                                   "a",
                                   "lda",
                                   "b",
                                   "ldb",
                                   "w",
                                   "z",
                                   "ldz",
                                   "d",
                                   "e",
                                   "tau",
                                   "uplo",
                                   "job",
                                   "range",
                                   "subset.first",
                                   "subset.last",
                                   "subset.above",
                                   "subset.upto",
                                   "engine",
                                   "library",
                                   "path",
                                   "device",
                                   "gpus",
                                   "multiprocessors",
                                   "threads",
                                   "ratio",
                                   "calibration",
                                   "stream",
                                   "workspace",
                                   "options",
                                   "alpha",
                                   "x",
                                   "incx",
                                   "beta",
                                   "y",
                                   "incy",
                                   "config",
                                   "other"};
  static_assert(sizeof names / sizeof *names == static_cast<std::size_t>(Argument::other) + 1);
  return names[static_cast<std::size_t>(argument)];
}

// The argument with this name; `other` for every other name.
constexpr Argument argument_of(std::string_view parameter) {
  std::size_t i = 0;
  while (i < static_cast<std::size_t>(Argument::other) && parameter != name(static_cast<Argument>(i))) ++i;
  return static_cast<Argument>(i);
}

inline InvalidArgument::InvalidArgument(Argument argument, const std::string& reason)
    : InvalidArgument(std::string(name(argument)), reason) {}

inline Argument InvalidArgument::argument() const {
  return argument_of(parameter_);
}

}  // namespace eigen_g
