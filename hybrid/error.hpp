// Exceptions of the library: InvalidArgument for an argument that violates its contract, DeviceError and OutOfMemory for a
// failed device or library. A numerical outcome, such as no convergence, is not an exception but a Status in the result.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace eigen_g {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class Argument;  // the solver's names of arguments: solver/api/argument.hpp

// An argument violates its contract. Thrown before any work. The message is "argument PARAMETER: REASON".
class InvalidArgument : public Error {
 public:
  InvalidArgument(const std::string& parameter, const std::string& reason)
      : Error("argument " + parameter + ": " + reason), parameter_(parameter), reason_(reason) {}
  const std::string& parameter() const { return parameter_; }
  const std::string& reason() const { return reason_; }

  // solver/api/argument.hpp defines these two. They use the solver's names of arguments.
  inline InvalidArgument(Argument argument, const std::string& reason);
  inline Argument argument() const;

 private:
  std::string parameter_, reason_;
};

// The triangle that the call reads holds a NaN or an infinity. row() and col() count from 0; the message counts from 1.
class NonFiniteEntry : public InvalidArgument {
 public:
  NonFiniteEntry(std::int64_t row, std::int64_t col, double value, const std::string& matrix = "a")
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
