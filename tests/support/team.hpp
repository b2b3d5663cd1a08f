// Checks of what a team of threads computes.
#pragma once

#include <omp.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <stdexcept>
#include <vector>

#include "tests/support/catch.hpp"

namespace support {

// OpenMP's number of threads to the end of the scope.
class Threads {
 public:
  explicit Threads(int count) { omp_set_num_threads(count); }
  ~Threads() { omp_set_num_threads(before_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  const int before_ = omp_get_max_threads();
};

// The result of compute() by one thread. Checks that each of these numbers of threads has the same.
template <class Compute, class Same = std::equal_to<>>
auto same_by_threads(std::initializer_list<int> counts, const Compute& compute, const Same& same = {}) {
  const auto by = [&](int threads) {
    const Threads limited(threads);
    return compute();
  };
  const auto alone = by(1);
  for (const int threads : counts) {
    CAPTURE(threads);
    CHECK(same(by(threads), alone));
  }
  return alone;
}

// Checks that compute(), which has no checks of its own, gives `expected` in each thread of a caller's parallel region.
template <class Compute, class Result>
void check_in_region(const Compute& compute, const Result& expected) {
  int inside = 0;
#pragma omp parallel for num_threads(2)
  for (int k = 0; k < 2; ++k) {
    const bool same = compute() == expected;
#pragma omp atomic
    inside += same;
  }
  CHECK(inside == 2);
}

// Checks that the fractions which run(progress) reports grow and stay below 1, and that an exception of the third report ends it.
template <class Run>
void check_progress(const Run& run) {
  for (const int threads : {1, 3}) {
    const Threads limited(threads);
    std::vector<double> fractions{0};
    run([&](double x) { fractions.push_back(x); });
    CHECK(fractions.size() > 10);
    CHECK(std::is_sorted(fractions.begin(), fractions.end()));
    CHECK(fractions.back() < 1);
    int calls = 0;
    CHECK_THROWS_AS(run([&](double) {
                      if (++calls == 3) throw std::runtime_error("enough");
                    }),
                    std::runtime_error);
    CHECK(calls == 3);
  }
}

}  // namespace support
