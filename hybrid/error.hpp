// Exceptions of the library: InvalidArgument for an argument that violates its contract, DeviceError and OutOfMemory for a
// failed device or library. A numerical outcome, such as no convergence, is not an exception but a Status in the result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace eigen_g {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The argument that an InvalidArgument is about: a parameter, or a member of Options or Devices. `other`: a parameter of a
// function outside the solver, named as text.
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

// An argument violates its contract. Thrown before any work. The message is "argument NAME: REASON".
class InvalidArgument : public Error {
 public:
  InvalidArgument(Argument argument, const std::string& reason)
      : InvalidArgument(argument, name(argument), reason) {}
  InvalidArgument(const char* parameter, const std::string& reason)
      : InvalidArgument(Argument::other, parameter, reason) {}
  Argument argument() const { return argument_; }
  // NAME of the message; set for Argument::other too.
  const std::string& parameter() const { return parameter_; }
  const std::string& reason() const { return reason_; }

 private:
  InvalidArgument(Argument argument, const char* called, const std::string& reason)
      : Error(std::string("argument ") + called + ": " + reason),
        argument_(argument),
        parameter_(called),
        reason_(reason) {}
  Argument argument_;
  std::string parameter_, reason_;
};

// The triangle that the call reads holds a NaN or an infinity. row() and col() count from 0; the message counts from 1.
class NonFiniteEntry : public InvalidArgument {
 public:
  NonFiniteEntry(std::int64_t row, std::int64_t col, double value, Argument matrix = Argument::a)
      : InvalidArgument(matrix, "entry (" + std::to_string(row + 1) + ", " + std::to_string(col + 1) +
                                    ") is " +
                                    (value != value ? "NaN"
                                     : value > 0    ? "infinite"
                                                    : "minus infinite")),
        row_(row),
        col_(col) {}
  std::int64_t row() const { return row_; }
  std::int64_t col() const { return col_; }

 private:
  std::int64_t row_, col_;
};

// A call into CUDA, cuBLAS or LAPACK failed, or the caller asked for a GPU and there is none.
class DeviceError : public Error {
 public:
  using Error::Error;
};

// The host or a device has too little memory. needed() and available() are in bytes; available() == 0: unknown.
class OutOfMemory : public Error {
 public:
  enum class Where { host, device };
  OutOfMemory(Where where, const std::string& name, std::uint64_t needed, std::uint64_t available)
      : Error("not enough memory on " + name + ": " + std::to_string(needed) + " bytes needed" +
              (available ? ", " + std::to_string(available) + " available" : "")),
        where_(where),
        needed_(needed),
        available_(available) {}
  bool on_device() const { return where_ == Where::device; }
  std::uint64_t needed() const { return needed_; }
  std::uint64_t available() const { return available_; }

 private:
  Where where_;
  std::uint64_t needed_, available_;
};

}  // namespace eigen_g
