// A program that calls MKL's names with 64-bit integers. test_lapack_names.cpp starts it with `eigen_g run`.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

using Dsyevd = void(const char*, const char*, const std::int64_t*, double*, const std::int64_t*, double*,
                    double*, const std::int64_t*, std::int64_t*, const std::int64_t*, std::int64_t*);
extern "C" Dsyevd dsyevd, dsyevd_, DSYEVD;

int main() {
  for (Dsyevd* const function : {&dsyevd, &dsyevd_, &DSYEVD})
    for (const std::int64_t n : {1, 60}) {  // n = 1 goes on
      const std::int64_t lwork = 1 + 6 * n + 2 * n * n, liwork = 3 + 5 * n;
      std::vector<double> a(static_cast<std::size_t>(n * n)), w(static_cast<std::size_t>(n)),
          work(static_cast<std::size_t>(lwork));
      std::vector<std::int64_t> iwork(static_cast<std::size_t>(liwork));
      for (std::int64_t j = 0; j < n; ++j)
        a[static_cast<std::size_t>(j * (n + 1))] = static_cast<double>(n - j);
      std::int64_t info = -1;  // all of its 64 bits must be written
      function("V", "L", &n, a.data(), &n, w.data(), work.data(), &lwork, iwork.data(), &liwork, &info);
      if (info != (n == 1 ? 77 : 0) || (n > 1 && std::fabs(w.back() - static_cast<double>(n)) > 1e-12)) {
        std::printf("FAILED: info %lld, w %g\n", static_cast<long long>(info), w.back());
        return 1;
      }
    }
  return 0;
}
