// Counter-based random numbers: value = f(seed, stream, row, column). They are the same for any number of threads and in any order.
// SplitMix64's mixing (Steele, Lea, Flood 2014) turns the counter into 64 bits. The inverse of the normal distribution (Wichura's
// AS 241, relative error about 1e-16) turns a uniform number into a normal one. It uses +, -, *, / and sqrt alone, so the bits do not
// depend on a library's log.
#pragma once

#include <cstdint>

namespace eigen_g::generate {

// Independent streams of one seed.
inline constexpr std::uint64_t entry_stream = 0, rotation_stream = 1, imaginary_stream = 2;

class CounterRandom {
 public:
  CounterRandom(std::uint64_t seed, std::uint64_t stream);
  double uniform(std::int64_t row, std::int64_t col) const;  // in (0, 1), symmetric about 1/2
  double normal(std::int64_t row, std::int64_t col) const;   // mean 0, variance 1

 private:
  std::uint64_t key_;
};

// Symmetric, both triangles: entry (i, j), i >= j, is normal(i, j) or 2 uniform(i, j) - 1.
//   a  n x n, lda >= max(1, n), host memory, out
void fill_normal(const CounterRandom& random, std::int64_t n, double* a, std::int64_t lda);
void fill_uniform(const CounterRandom& random, std::int64_t n, double* a, std::int64_t lda);

// The p-quantile of the normal distribution, 0 < p < 1.
double normal_quantile(double p);

}  // namespace eigen_g::generate
