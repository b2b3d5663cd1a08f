// The routines that libeigen_g_lapack offers: the arguments of each, and what it counts of each exported name.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <string_view>

namespace eigen_g::lapack_names {

// The meaning of an argument. The names are LAPACK's, except for ormtr's rows and cols, which LAPACK calls m and n.
enum class Role : std::uint8_t {
  // clang-format off
  itype, jobz, range, uplo, n, a, lda, b, ldb, ap, bp, kd, ka, kb, ab, ldab, bb, ldbb, q, ldq, vl, vu, il, iu, abstol, m, w, z, ldz,
  work, lwork, rwork, lrwork, iwork, liwork, ifail, isuppz, info, d, e, tau, compz, side, trans, rows, cols, c, ldc,
  // clang-format on
  count
};
inline constexpr std::string_view role_names =
    "itype jobz range uplo n a lda b ldb ap bp kd ka kb ab ldab bb ldbb q ldq vl vu il iu abstol m w z ldz "
    "work lwork rwork lrwork iwork liwork ifail isuppz info d e tau compz side trans rows cols c ldc ";

// The least length of a workspace: constant + linear n + square n^2 + logarithmic n ceil(log2 n), for n >= 2.
struct Length {
  int constant = 0, linear = 0, square = 0, logarithmic = 0;
  constexpr std::int64_t of(std::int64_t n) const {
    const auto log = static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(n - 1)));
    return constant + (linear + square * n + logarithmic * log) * n;
  }
};
struct Lengths {
  Length work = {}, rwork = {}, iwork = {};
};

struct Family {
  static constexpr std::uint8_t absent = 0xff;
  std::array<std::uint8_t, static_cast<std::size_t>(Role::count)> at{};  // position of each argument, from 0
  int count = 0;                                                         // number of arguments
  Lengths values, vectors,
      multiplied;          // the least workspaces without vectors, with vectors, and with compz 'V'
  bool two_stage = false;  // the least work is what LAPACK's query answers

  consteval Family(std::string_view arguments, Lengths without, Lengths with, bool two = false,
                   Lengths multiply = {})
      : values(without), vectors(with), multiplied(multiply), two_stage(two) {
    at.fill(absent);
    while (!arguments.empty()) {
      const auto end = arguments.find(' ');
      at[role_of(arguments.substr(0, end))] = static_cast<std::uint8_t>(count++);
      arguments = end == std::string_view::npos ? "" : arguments.substr(end + 1);
    }
  }
  consteval Family(std::string_view arguments, Lengths both = {}) : Family(arguments, both, both) {}

  constexpr bool has(Role role) const { return at[static_cast<std::size_t>(role)] != absent; }

 private:
  static consteval std::size_t role_of(std::string_view name) {
    std::string_view rest = role_names;
    for (std::size_t role = 0;; ++role) {
      const auto end = rest.find(' ');  // an unknown name ends the compilation here
      if (rest.substr(0, end) == name) return role;
      rest = rest.substr(end + 1);
    }
  }
};

// Why a call went on to LAPACK.
enum class Reason : std::uint8_t {
  taken,  // it did not
  small,
  query,
  arguments,
  inside,
  no_gpu,
  not_offered,
  refused,
  memory,
  count
};

// One exported name.
struct Routine {
  const char* name;  // for example scipy_dsyevd_64_
  const Family* family;
  char type;  // s, d, c, z
  std::atomic<bool>
      long_integer;  // 64-bit integers. A name for 32-bit integers has them too in a library that is built so
  bool bare;         // a name without an underscore
  std::atomic<bool> foreign{false};         // the function behind is not LAPACK's routine
  std::atomic<int (*)()> threads{nullptr};  // the number of threads of the LAPACK behind
  std::atomic<void*> behind{nullptr};       // set last
  std::atomic<bool> listed{false};
  Routine* next = nullptr;  // in the list of the report
  std::array<std::atomic<std::int64_t>, static_cast<std::size_t>(Reason::count)> calls{};
  std::atomic<std::int64_t> smallest{INT64_MAX}, largest{0},
      on_gpu{0};  // counted over the calls that were taken
  std::atomic<std::int64_t> nanoseconds{0}, nanoseconds_on_gpu{0};
};

}  // namespace eigen_g::lapack_names
