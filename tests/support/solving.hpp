// Solves with guard values around all arrays, and the checks that every solution must pass.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "hybrid/machine/device.hpp"
#include "solver/api/eigen_g.hpp"
#include "solver/verify/verify.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/matrices.hpp"
#include "tests/support/ratios.hpp"
#include "tests/support/tolerances.hpp"

namespace support {

// The two devices of a TEMPLATE_TEST_CASE. Each is a case of its own, so that a missing GPU skips only the GPU cases.
struct OnCpu {
  static constexpr eigen_g::DeviceChoice device = eigen_g::DeviceChoice::cpu;
};
struct OnGpu {
  static constexpr eigen_g::DeviceChoice device = eigen_g::DeviceChoice::gpu;
};

inline bool same_bits(const std::vector<double>& x, const std::vector<double>& y) {
  return x.size() == y.size() &&
         (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0);
}

struct Solved {
  std::vector<double> w;
  std::vector<double> z;  // n x n, leading dimension ldz; empty without vectors
  std::int64_t ldz = 1;
  eigen_g::Report report;
};

// Options and devices in one object.
struct OptionsAndDevices : eigen_g::Options, eigen_g::Devices {};

inline OptionsAndDevices options(eigen_g::DeviceChoice place, bool vectors = true) {
  OptionsAndDevices o;
  o.device = place;
  o.vectors = vectors;
  return o;
}

// Solves. Fails if the solver writes A, before or after w, or between or after the columns of z.
inline Solved solve_guarded(const Stored& s, OptionsAndDevices o, std::int64_t padding = 0) {
  constexpr std::int64_t margin = 8;
  constexpr double guard = -7.25e77;
  const std::int64_t n = s.n, ldz = std::max<std::int64_t>(1, n + padding);
  o.uplo = s.uplo;
  const std::vector<double> a = s.a;
  std::vector<double> w(static_cast<std::size_t>(n + 2 * margin), guard);
  std::vector<double> z(static_cast<std::size_t>(ldz * n + 2 * margin), guard);

  Solved solved;
  solved.report = eigen_g::eigen_g(n, a.data(), s.lda, w.data() + margin,
                                   o.vectors ? z.data() + margin : nullptr, ldz, o, o);

  std::int64_t touched = 0;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(w.size()); ++i)
    if ((i < margin || i >= n + margin) && w[i] != guard) ++touched;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(z.size()); ++i) {
    const std::int64_t k = i - margin;
    const bool inside = o.vectors && k >= 0 && k < ldz * n && k % ldz < n;
    if (!inside && z[i] != guard) ++touched;
  }
  CHECK(touched == 0);
  CHECK(same_bits(a, s.a));
  solved.w.assign(w.begin() + margin, w.end() - margin);
  if (o.vectors) solved.z.assign(z.begin() + margin, z.end() - margin);
  solved.ldz = ldz;
  return solved;
}

// Flops of all stages.
inline eigen_g::EngineFlops flops(const eigen_g::Report& report) {
  eigen_g::EngineFlops sum{};
  for (const eigen_g::StageWork& work : report.stages)
    for (const eigen_g::Engine engine : eigen_g::engines()) sum[engine] += work.flops[engine];
  return sum;
}

// max |w - exact| / (n ulp max|exact|); 0/0 is 0.
inline double eigenvalue_ratio(const std::vector<double>& w, const std::vector<double>& exact) {
  REQUIRE(w.size() == exact.size());
  double error = 0, largest = 0;
  for (std::size_t k = 0; k < w.size(); ++k) {
    largest = std::max(largest, std::fabs(exact[k]));
    const double difference = std::fabs(w[k] - exact[k]);
    if (!(difference <= error)) error = difference;
    if (error != error) break;
  }
  // Subnormal values are only as good as the smallest one.
  const double unit = std::max(static_cast<double>(w.size()) * limits::ulp * largest,
                               std::numeric_limits<double>::denorm_min());
  return error / unit;
}

// Checks that w is ascending, sum w = trace A and sum w^2 = ||A||_F^2. A and w are divided by max |a_ij|, so that no scale
// overflows.
inline void check_values(const Stored& s, const std::vector<double>& w) {
  const std::int64_t n = s.n;
  CHECK(std::adjacent_find(w.begin(), w.end(), [](double x, double y) { return !(x <= y); }) == w.end());
  double largest = 0;
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i)
      if (s.used(i, j)) largest = std::max(largest, std::fabs(s.at(i, j)));
  if (largest < std::numeric_limits<double>::min()) return;  // zero or subnormal: no relative bound holds
  long double squares = 0, trace = 0, sum = 0, sum_squares = 0;
  for (std::int64_t j = 0; j < n; ++j) {
    trace += s.at(j, j) / static_cast<long double>(largest);
    for (std::int64_t i = 0; i < n; ++i)
      if (s.used(i, j)) {
        const long double x = s.at(i, j) / static_cast<long double>(largest);
        squares += (i == j ? 1 : 2) * x * x;
      }
  }
  for (const double value : w) {
    const long double x = value / static_cast<long double>(largest);
    sum += x;
    sum_squares += x * x;
  }
  const long double unit = static_cast<long double>(n) * limits::ulp;
  CHECK(std::fabs(sum - trace) / (unit * std::sqrt(squares)) <= limits::trace);
  CHECK(std::fabs(sum_squares - squares) / (unit * squares) <= limits::squares);
}

// The machine whose limits hold: the GPU if there is one, unless the report says that only the CPU worked.
inline Machine machine_of(eigen_g::DeviceChoice device) {
  return device == eigen_g::DeviceChoice::cpu || !have_gpu() ? Machine::cpu : Machine::gpu;
}
inline Machine machine_of(const eigen_g::Report& report) {
  const bool cpu_alone = report.devices.size() == 1 && report.devices[0].gpu < 0;
  return cpu_alone || !have_gpu() ? Machine::cpu : Machine::gpu;
}

inline void check_verified(const eigen_g::Verification& v, Machine solver,
                           const std::string& family = "random") {
  CHECK(v.finite);
  check_ratios(family, v.n, solver, {v.lapack_residual, v.lapack_orthogonality});
  CHECK(eigen_g::passed(v));
}

// Checks values and eigenpairs against the limits of their family. verify() always runs on the CPU.
inline eigen_g::Verification check_pairs(const Stored& s, const Solved& solved,
                                         const std::string& family = "random") {
  REQUIRE(solved.report.status == eigen_g::Status::converged);
  check_values(s, solved.w);
  const eigen_g::Verification v = eigen_g::verify(s.uplo, s.n, s.a.data(), s.lda, s.n, solved.w.data(),
                                                  solved.z.data(), solved.ldz, eigen_g::DeviceChoice::cpu);
  check_verified(v, machine_of(solved.report), family);
  return v;
}

// Solves with and without vectors and checks both; returns the values.
inline std::vector<double> check_solver(const Stored& s, eigen_g::DeviceChoice device,
                                        std::int64_t padding = 0, const std::string& family = "random") {
  const Solved pairs = solve_guarded(s, options(device), padding);
  const Solved values = solve_guarded(s, options(device, false), padding);
  check_pairs(s, pairs, family);
  check_values(s, values.w);
  CHECK(eigenvalue_ratio(values.w, pairs.w) <= limits::values_only);
  return pairs.w;
}

}  // namespace support

// First statement of a TEMPLATE_TEST_CASE over OnCpu and OnGpu.
#define ON_DEVICE(Type) \
  if constexpr (Type::device == eigen_g::DeviceChoice::gpu) NEEDS_GPU()
