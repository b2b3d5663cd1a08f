// Argument: names the arguments of the solver's calls. InvalidArgument::argument() is the one that the error is about.
#pragma once

#include <cstddef>
#include <string>

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

inline InvalidArgument::InvalidArgument(Argument argument, const std::string& reason)
    : InvalidArgument(std::string(name(argument)), reason) {}

// The argument with the name parameter(); `other` for a name that no argument has.
inline Argument InvalidArgument::argument() const {
  int i = 0;
  while (i < static_cast<int>(Argument::other) && parameter_ != name(static_cast<Argument>(i))) ++i;
  return static_cast<Argument>(i);
}

}  // namespace eigen_g
