// Symmetric tridiagonal matrices by name, and the checks of their eigenpairs with T's three diagonals.
#pragma once

#include <cblas.h>
#include <lapacke.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/ratios.hpp"
#include "tests/support/tolerances.hpp"

namespace support {

struct Tridiagonal {
  std::vector<double> d, e;  // n and n - 1 entries
  std::int64_t n() const { return static_cast<std::int64_t>(d.size()); }
};

inline Tridiagonal random_tridiagonal(std::int64_t n, std::uint64_t seed = 1, double scale = 1) {
  std::mt19937_64 random(seed);
  const auto uniform = [&] {
    return scale * (static_cast<double>(static_cast<std::int64_t>(random())) * 0x1p-63);
  };
  Tridiagonal t;
  for (std::int64_t i = 0; i < n; ++i) t.d.push_back(uniform());
  for (std::int64_t i = 0; i + 1 < n; ++i) t.e.push_back(uniform());
  return t;
}

// The tridiagonal form of a random dense matrix (Dumitriu and Edelman 2002), divided by sqrt n.
inline Tridiagonal reduced_random(std::int64_t n, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Tridiagonal t;
  const double unit = 1 / std::sqrt(static_cast<double>(n));
  for (std::int64_t i = 0; i < n; ++i) t.d.push_back(std::sqrt(2.0) * unit * normal(random));
  for (std::int64_t i = 1; i < n; ++i)
    t.e.push_back(unit *
                  std::sqrt(std::chi_squared_distribution<double>(static_cast<double>(n - i))(random)));
  return t;
}

inline const std::vector<std::string> tridiagonal_kinds = {"zero",           "identity",
                                                           "diagonal",       "ones",
                                                           "1-2-1",          "wilkinson",
                                                           "clement",        "legendre",
                                                           "laguerre",       "hermite",
                                                           "glued 1e-14",    "glued 1e-8",
                                                           "glued 1e-3",     "glued 1",
                                                           "glued 1e4",      "glued 1e14",
                                                           "godunov",        "some zeros",
                                                           "mostly zeros",   "a zero early",
                                                           "graded down",    "graded up",
                                                           "near overflow",  "subnormal",
                                                           "tiny couplings", "negligible couplings",
                                                           "two values",     "constant",
                                                           "clustered",      "geometric",
                                                           "reduced random"};

inline Tridiagonal tridiagonal(const std::string& kind, std::int64_t n) {
  Tridiagonal t = random_tridiagonal(n, 5);
  const auto fill = [&](auto diagonal, auto off_diagonal) {  // i from 1
    for (std::int64_t i = 1; i <= n; ++i)
      t.d[static_cast<std::size_t>(i - 1)] = diagonal(static_cast<double>(i));
    for (std::int64_t i = 1; i < n; ++i)
      t.e[static_cast<std::size_t>(i - 1)] = off_diagonal(static_cast<double>(i));
  };
  const auto constant = [](double x) { return [x](double) { return x; }; };
  const auto size = static_cast<double>(n);
  if (kind == "zero") fill(constant(0), constant(0));
  if (kind == "identity") fill(constant(1), constant(0));
  if (kind == "diagonal") std::fill(t.e.begin(), t.e.end(), 0.0);
  if (kind == "ones") fill(constant(1), constant(1));
  if (kind == "1-2-1") fill(constant(2), constant(-1));
  if (kind == "wilkinson") fill([&](double i) { return std::fabs((size + 1) / 2 - i); }, constant(1));
  if (kind == "clement") fill(constant(0), [&](double i) { return std::sqrt(i * (size - i)); });
  if (kind == "legendre")
    fill(constant(0), [](double i) { return (i + 1) / std::sqrt((2 * i + 1) * (2 * i + 3)); });
  if (kind == "laguerre") fill([](double i) { return 2 * i + 1; }, [](double i) { return i + 1; });
  if (kind == "hermite") fill(constant(0), [](double i) { return std::sqrt(i); });
  if (kind.rfind("glued ", 0) == 0) {
    const double glue = std::stod(kind.substr(6));
    fill([](double i) { return std::fabs(10 - std::fmod(i - 1, 21)); },
         [&](double i) { return std::fmod(i, 21) == 0 ? glue : 1; });
  }
  if (kind == "godunov") fill(constant(0x1p-30), [](double i) { return std::fmod(i, 2) == 0 ? 1e-8 : 1.0; });
  if (kind == "some zeros")
    for (std::size_t i = 0; i < t.e.size(); i += 7) t.e[i] = 0;
  if (kind == "mostly zeros")
    for (std::size_t i = 0; i < t.e.size(); ++i)
      if (i % 5 != 2) t.e[i] = 0;
  if (kind == "a zero early" && n > 5) t.e[3] = 0;
  if (kind == "graded down" || kind == "graded up") {
    const double sign = kind == "graded up" ? 1 : -1;
    const auto power = [=](double i) { return std::pow(10, sign * 300 * i / size); };
    fill(power, power);
  }
  if (kind == "near overflow") t = random_tridiagonal(n, 5, 5e307);
  if (kind == "subnormal") t = random_tridiagonal(n, 5, 1e-310);
  if (kind == "tiny couplings" || kind == "negligible couplings")
    for (std::size_t i = 0; i < t.d.size(); ++i) {
      t.d[i] = 1;
      if (i < t.e.size()) t.e[i] *= kind == "tiny couplings" ? 1e-13 : 1e-16;
    }
  if (kind == "two values") fill([](double i) { return std::fmod(i, 2) == 0 ? 1.0 : -1.0; }, constant(1e-10));
  if (kind == "constant") fill(constant(1), constant(1e-8));
  if (kind == "clustered")
    for (std::size_t i = 0; i < t.d.size(); ++i) {
      t.d[i] = i % 3 == 0 ? 1 : 1e-7 * t.d[i];
      if (i < t.e.size() && i % 5 == 0) t.e[i] *= 1e-9;
    }
  if (kind == "geometric") {
    const auto power = [=](double i) { return std::pow(10, -16 * i / size); };
    fill(power, [&](double i) { return power(i) / 3; });
  }
  if (kind == "reduced random") t = reduced_random(n);
  return t;
}

struct TridiagonalRatios {
  double residual = 0, orthogonality = 0;
  bool ascending = true;
};

//   ||T Z - Z W||_1          ||Z^T Z - I||_1
//   ---------------          ---------------      T and W by max|T|, so that nothing overflows; 0/0 is 0
//    n ulp ||T||_1                n ulp
inline TridiagonalRatios ratios(const Tridiagonal& t, const std::vector<double>& w,
                                const std::vector<double>& z, std::int64_t ldz) {
  const std::int64_t n = t.n();
  TridiagonalRatios r;
  double largest = 0;
  for (const double x : t.d) largest = std::max(largest, std::fabs(x));
  for (const double x : t.e) largest = std::max(largest, std::fabs(x));
  if (largest == 0) largest = 1;
  const auto scaled = [&](const std::vector<double>& x, std::int64_t i) {
    return i < 0 || i >= static_cast<std::int64_t>(x.size()) ? 0 : x[static_cast<std::size_t>(i)] / largest;
  };
  const auto at = [&](std::int64_t i, std::int64_t j) {
    return i < 0 || i >= n ? 0 : z[static_cast<std::size_t>(i + j * ldz)];
  };
  const auto raise = [](double& most, double x) {
    if (!(x <= most)) most = x;  // NaN stays
  };
  double norm = 0;
  for (std::int64_t i = 0; i < n; ++i)
    norm =
        std::max(norm, std::fabs(scaled(t.d, i)) + std::fabs(scaled(t.e, i)) + std::fabs(scaled(t.e, i - 1)));
  std::vector<double> gram(static_cast<std::size_t>(n * n));
  const auto order = static_cast<int>(n), lead = static_cast<int>(ldz);
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, order, order, order, 1, z.data(), lead, z.data(), lead,
              0, gram.data(), order);
  for (std::int64_t j = 0; j < n; ++j) {
    double residual = 0, orthogonality = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      residual += std::fabs((scaled(t.d, i) - scaled(w, j)) * at(i, j) + scaled(t.e, i - 1) * at(i - 1, j) +
                            scaled(t.e, i) * at(i + 1, j));
      orthogonality += std::fabs(gram[static_cast<std::size_t>(i + j * n)] - (i == j));
    }
    raise(r.residual, residual);
    raise(r.orthogonality, orthogonality);
    if (j > 0 && !(scaled(w, j - 1) <= scaled(w, j))) r.ascending = false;
  }
  const double unit = static_cast<double>(n) * limits::ulp;
  r.residual /= unit * std::max(norm, 1e-300);
  r.orthogonality /= unit;
  return r;
}

inline void check_decomposition(const Tridiagonal& t, const std::vector<double>& w,
                                const std::vector<double>& z, std::int64_t ldz, const std::string& family,
                                Machine machine) {
  const TridiagonalRatios r = ratios(t, w, z, ldz);
  CHECK(r.ascending);
  check_ratios(family, t.n(), machine, {r.residual, r.orthogonality});
}

// max |x - y| / (units ulp max|T|)
inline double value_ulps(const Tridiagonal& t, const std::vector<double>& x, const std::vector<double>& y,
                         std::int64_t units = 1) {
  REQUIRE(x.size() == y.size());
  double largest = 0, distance = 0;
  for (const double v : t.d) largest = std::max(largest, std::fabs(v));
  for (const double v : t.e) largest = std::max(largest, std::fabs(v));
  if (largest == 0) largest = 1;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double difference = std::fabs(x[k] / largest - y[k] / largest);
    if (!(difference <= distance)) distance = difference;
  }
  // Subnormal values are only as good as the smallest one.
  return distance / std::max(static_cast<double>(units) * limits::ulp,
                             std::numeric_limits<double>::denorm_min() / largest);
}

// max |x - y| / (n ulp max|T|)
inline double value_distance(const Tridiagonal& t, const std::vector<double>& x,
                             const std::vector<double>& y) {
  return value_ulps(t, x, y, t.n());
}

inline std::vector<double> dstedc_values(const Tridiagonal& t) {
  std::vector<double> d = t.d, e = t.e;
  e.push_back(0);
  std::vector<double> z(static_cast<std::size_t>(t.n() * t.n()));
  const auto n = static_cast<lapack_int>(t.n());
  REQUIRE(LAPACKE_dstedc(LAPACK_COL_MAJOR, 'I', n, d.data(), e.data(), z.data(), n) == 0);
  return d;
}

// The family of a kind of T that stedc solves. All kinds are one family, except subnormal values, which are rounded coarsely.
inline std::string dstedc_family(const std::string& kind) {
  return kind == "subnormal" ? "T by stedc: subnormal" : "T by stedc";
}

// stetester's files: n, then "i d_i e_i".
inline Tridiagonal read_tridiagonal(const std::string& path) {
  std::ifstream file(path);
  std::size_t n = 0, i = 0;
  file >> n;
  Tridiagonal t{std::vector<double>(n), std::vector<double>(n)};
  for (std::size_t row = 0; row < n; ++row) file >> i >> t.d[row] >> t.e[row];
  t.e.resize(n - 1);
  return t;
}

inline std::vector<std::string> published_tridiagonals() {
  std::vector<std::string> paths;
  if (std::filesystem::is_directory(matrices_folder()))
    for (const auto& entry : std::filesystem::directory_iterator(matrices_folder()))
      if (entry.path().extension() == ".dat") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

// |Z^T Z - I|_F / (n ulp).
inline double orthogonality(std::int64_t n, const std::vector<double>& z) {
  const auto order = static_cast<int>(n);
  std::vector<double> product(z.size());
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, order, order, order, 1, z.data(), order, z.data(),
              order, 0, product.data(), order);
  double squares = 0;
  for (std::int64_t j = 0; j < n; ++j) product[static_cast<std::size_t>(j + j * n)] -= 1;
  for (const double x : product) squares += x * x;
  return std::sqrt(squares) / (static_cast<double>(n) * limits::ulp);
}

}  // namespace support
