// Matrices and checked solves in float.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "solver/api/eigen_g.hpp"
#include "solver/verify/verify.hpp"
#include "tests/support/matrices.hpp"
#include "tests/support/solving.hpp"

namespace support {

struct FloatMatrix {
  eigen_g::Uplo uplo = eigen_g::Uplo::lower;
  std::int64_t n = 0, lda = 1;
  std::vector<float> a;  // the other triangle and the padding: NaN
};

// scale times s, rounded to float.
inline FloatMatrix in_float(const Stored& s, double scale = 1) {
  FloatMatrix m{s.uplo, s.n, s.lda, {}};
  for (const double x : s.a) m.a.push_back(static_cast<float>(scale * x));
  return m;
}

struct FloatPairs {
  std::vector<float> w, z;
  std::int64_t ldz = 1;
  eigen_g::Report report;
};

// Fails if the solver writes A, behind w, or between z's columns.
inline FloatPairs solve_in_float(const FloatMatrix& m, OptionsAndDevices o, std::int64_t padding = 0) {
  constexpr float guard = -7.25e27f;
  FloatPairs p;
  p.ldz = std::max<std::int64_t>(1, m.n + padding);
  o.uplo = m.uplo;
  const std::vector<float> a = m.a;
  p.w.assign(static_cast<std::size_t>(m.n + 8), guard);
  p.z.assign(static_cast<std::size_t>(o.vectors ? p.ldz * m.n : 0), guard);
  p.report =
      eigen_g::eigen_g(m.n, a.data(), m.lda, p.w.data(), o.vectors ? p.z.data() : nullptr, p.ldz, o, o);
  CHECK(std::all_of(p.w.end() - 8, p.w.end(), [](float x) { return x == guard; }));
  std::int64_t touched = 0;
  for (std::size_t i = 0; i < p.z.size(); ++i)
    touched += static_cast<std::int64_t>(i) % p.ldz >= m.n && p.z[i] != guard;
  CHECK(touched == 0);
  CHECK(std::equal(a.begin(), a.end(), m.a.begin(),
                   [](float x, float y) { return x == y || (x != x && y != y); }));
  p.w.resize(static_cast<std::size_t>(m.n));
  return p;
}

// max |w - w'| / (n ulp max |w|); 0/0 is 0.
inline double float_distance(const std::vector<float>& w, const std::vector<float>& other) {
  REQUIRE(w.size() == other.size());
  double largest = 0, distance = 0;
  for (std::size_t k = 0; k < w.size(); ++k) {
    largest = std::max(largest, std::fabs(static_cast<double>(w[k])));
    const double difference = std::fabs(static_cast<double>(w[k]) - static_cast<double>(other[k]));
    if (!(difference <= distance)) distance = difference;
  }
  const double unit = static_cast<double>(w.size()) * std::numeric_limits<float>::epsilon() * largest;
  return distance / std::max<double>(unit, std::numeric_limits<float>::denorm_min());
}

// Solves with and without vectors, and checks the pairs by verify().
inline eigen_g::Verification check_in_float(const FloatMatrix& m, eigen_g::DeviceChoice place, double limit,
                                            std::int64_t padding = 0) {
  const FloatPairs pairs = solve_in_float(m, options(place), padding);
  const FloatPairs values = solve_in_float(m, options(place, false), padding);
  REQUIRE(pairs.report.status == eigen_g::Status::converged);
  REQUIRE(values.report.status == eigen_g::Status::converged);
  const eigen_g::Verification v =
      eigen_g::verify(m.uplo, m.n, m.a.data(), m.lda, m.n, pairs.w.data(), pairs.z.data(), pairs.ldz,
                      m.n > 1000 ? eigen_g::DeviceChoice::automatic : eigen_g::DeviceChoice::cpu);
  CHECK(v.finite);
  CHECK(v.ascending);
  CHECK(v.lapack_residual <= limit);
  CHECK(v.lapack_orthogonality <= limit);
  CHECK(float_distance(values.w, pairs.w) <= limits::values_only);
  return v;
}

}  // namespace support
