#include <algorithm>
#include <cmath>

#include "apps/bench/symv_tuning.hpp"

namespace eigen_g::apps::bench {

namespace {

constexpr double first_size = 64;
constexpr int an_octave = 4;

std::int64_t multiple_of_8(double n) {
  return std::max<std::int64_t>(8, std::llround(n / 8) * 8);
}

}  // namespace

std::vector<std::int64_t> first_sieve_sizes(std::int64_t n_max) {
  std::vector<std::int64_t> sizes;
  for (const double part : {128.0, 32.0, 8.0, 2.0}) {
    const std::int64_t n = multiple_of_8(static_cast<double>(n_max) / part * 0.95);
    if (sizes.empty() || n > sizes.back()) sizes.push_back(n);
  }
  return sizes;
}

SecondSieveSizes second_sieve_sizes(std::int64_t n_max) {
  const auto steps = static_cast<int>(
      std::floor(an_octave * std::log2(std::max(1.0, static_cast<double>(n_max) / first_size))));
  SecondSieveSizes sizes{{n_max}, 0};
  auto add = [&](int step) {  // half a step off the powers of two where n_max is one
    const std::int64_t n =
        multiple_of_8(static_cast<double>(n_max) * std::exp2(-(step - 0.5) / static_cast<double>(an_octave)));
    if (std::find(sizes.n.begin(), sizes.n.end(), n) == sizes.n.end()) sizes.n.push_back(n);
  };
  for (const int offset : {0, 2, 1, 3}) {  // each pass halves the gaps
    for (int step = an_octave; step <= steps + an_octave; step += an_octave)
      if (step - offset <= steps) add(step - offset);
    if (sizes.least == 0) sizes.least = sizes.n.size();
  }
  return sizes;
}

}  // namespace eigen_g::apps::bench
