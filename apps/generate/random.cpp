#include "apps/generate/random.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace eigen_g::generate {
namespace {

constexpr std::uint64_t golden = 0x9E3779B97F4A7C15u;

std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

template <std::size_t count>
double polynomial(const std::array<double, count>& c, double x) {
  double sum = c[count - 1];
  for (std::size_t k = count - 1; k-- > 0;) sum = sum * x + c[k];
  return sum;
}

// log x = e log 2 + 2 atanh s,  x = m 2^e,  s = (m - 1) / (m + 1),  |s| < 0.172. The omitted terms of the series are below 1e-17.
double logarithm(double x) {
  int e = 0;
  double m = std::frexp(x, &e);
  if (m < 0.70710678118654752440) {
    m *= 2;
    --e;
  }
  const double s = (m - 1) / (m + 1), s2 = s * s;
  double sum = 0;
  for (int k = 21; k >= 1; k -= 2) sum = sum * s2 + 1.0 / k;
  return e * 0.69314718055994530942 + 2 * s * sum;
}

// Coefficients of AS 241 (Applied Statistics 37, 1988, PPND16), lowest power first.
constexpr std::array centre_top{3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
                                1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
                                3.3430575583588128105e4, 2.5090809287301226727e3};
constexpr std::array centre_bottom{1.0,
                                   4.2313330701600911252e1,
                                   6.8718700749205790830e2,
                                   5.3941960214247511077e3,
                                   2.1213794301586595867e4,
                                   3.9307895800092710610e4,
                                   2.8729085735721942674e4,
                                   5.2264952788528545610e3};
constexpr std::array tail_top{1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                              3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                              2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr std::array tail_bottom{1.0,
                                 2.05319162663775882187e0,
                                 1.67638483018380384940e0,
                                 6.89767334985100004550e-1,
                                 1.48103976427480074590e-1,
                                 1.51986665636164571966e-2,
                                 5.47593808499534494600e-4,
                                 1.05075007164441684324e-9};
constexpr std::array far_top{6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                             2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                             2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr std::array far_bottom{1.0,
                                5.99832206555887937690e-1,
                                1.36929880922735805310e-1,
                                1.48753612908506148525e-2,
                                7.86869131145613259100e-4,
                                1.84631831751005468180e-5,
                                1.42151175831644588870e-7,
                                2.04426310338993978564e-15};

// Works by tiles, so that the mirrored writes stay in the cache.
template <class Entry>
void fill_symmetric(std::int64_t n, double* a, std::int64_t lda, const Entry& entry) {
  constexpr std::int64_t tile = 64;
  const std::int64_t tiles = (n + tile - 1) / tile;
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t tj = 0; tj < tiles; ++tj)
    for (std::int64_t ti = tj; ti < tiles; ++ti)
      for (std::int64_t j = tj * tile; j < std::min(n, (tj + 1) * tile); ++j)
        for (std::int64_t i = std::max(j, ti * tile); i < std::min(n, (ti + 1) * tile); ++i)
          a[i + j * lda] = a[j + i * lda] = entry(i, j);
}

}  // namespace

CounterRandom::CounterRandom(std::uint64_t seed, std::uint64_t stream)
    : key_(mix(mix(seed + golden) + (stream + 1) * golden)) {}

double CounterRandom::uniform(std::int64_t row, std::int64_t col) const {
  const std::uint64_t counter = (static_cast<std::uint64_t>(row) << 32) + static_cast<std::uint64_t>(col);
  const std::uint64_t bits = mix(key_ + (counter + 1) * golden);
  return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52;
}

double CounterRandom::normal(std::int64_t row, std::int64_t col) const {
  return normal_quantile(uniform(row, col));
}

double normal_quantile(double p) {
  const double q = p - 0.5;
  if (std::fabs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(centre_top, r) / polynomial(centre_bottom, r);
  }
  const double r = std::sqrt(-logarithm(q < 0 ? p : 1 - p));
  const double x = r <= 5 ? polynomial(tail_top, r - 1.6) / polynomial(tail_bottom, r - 1.6)
                          : polynomial(far_top, r - 5) / polynomial(far_bottom, r - 5);
  return q < 0 ? -x : x;
}

void fill_normal(const CounterRandom& random, std::int64_t n, double* a, std::int64_t lda) {
  fill_symmetric(n, a, lda, [&](std::int64_t i, std::int64_t j) { return random.normal(i, j); });
}

void fill_uniform(const CounterRandom& random, std::int64_t n, double* a, std::int64_t lda) {
  fill_symmetric(n, a, lda, [&](std::int64_t i, std::int64_t j) { return 2 * random.uniform(i, j) - 1; });
}

}  // namespace eigen_g::generate
