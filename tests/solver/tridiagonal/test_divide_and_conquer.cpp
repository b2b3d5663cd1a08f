// Tests of the divide and conquer on the CPU as the solver calls it. test_dc_on_threads has the tests of its phases.
#include "solver/tridiagonal/divide_and_conquer.hpp"

#include <cmath>
#include <utility>

#include "tests/support/catch.hpp"
#include "tests/support/scratch.hpp"
#include "tests/support/tridiagonal.hpp"

using namespace eigen_g;
using support::Tridiagonal;

TEST_CASE(
    "the CPU's divide and conquer: every kind of T, with the same values without vectors and for a subset") {
  for (const std::string& kind : support::tridiagonal_kinds)
    for (const std::int64_t n : {1, 2, 3, 5, 8, 9, 12, 14, 15, 16, 24, 40, 105}) {
      if (kind == "subnormal" && n < 40) continue;  // the rounding of a value exceeds n ulp
      CAPTURE(kind, n);
      const Tridiagonal t = support::tridiagonal(kind, n);
      const auto solve = [&](bool vectors, const Subset& subset, std::vector<double>& w,
                             std::vector<double>& z) {
        std::vector<double> e = t.e;
        const std::int64_t ldz = n + 3, most = subset.max_count(n);
        w = t.d;
        z.resize(static_cast<std::size_t>(ldz * n));
        support::HostScratch scratch(divide_and_conquer_bytes_on_cpu<double>(n, vectors ? n : 0, most));
        const DivideAndConquerResult outcome = divide_and_conquer_on_cpu<double>(
            n, w.data(), e.data(), {vectors ? z.data() : nullptr, n, most, ldz}, scratch, {subset, 0});
        REQUIRE(outcome.status == Status::converged);
        w.resize(static_cast<std::size_t>(outcome.found.count));
      };
      std::vector<double> w, z, values, none, some, part;
      solve(true, {}, w, z);
      support::check_decomposition(t, w, z, n + 3, support::dstedc_family(kind), support::Machine::cpu);
      solve(false, {}, values, none);
      CHECK(values == w);
      const std::int64_t first = n / 2, last = n - 1 - n / 4;
      for (const bool vectors : {true, false}) {
        solve(vectors, Subset::by_index(first + 1, last + 1), some, part);
        CHECK(some == std::vector<double>(w.begin() + first, w.begin() + last + 1));
      }
    }
}

TEST_CASE(
    "the CPU's divide and conquer: a range of rows has the bits of the whole, for all and for few pairs") {
  for (const char* kind : {"reduced random", "glued 1e-8", "two values"})
    for (const std::int64_t n : {1, 14, 15, 130, 400})
      for (const std::int64_t most : {n, n / 9 + 1, n / 3}) {
        CAPTURE(kind, n, most);
        const Tridiagonal t = support::tridiagonal(kind, n);
        const Subset subset = Subset::by_index(1, most);
        const auto solve = [&](std::int64_t first, std::int64_t rows, std::int64_t ldz) {
          std::vector<double> w = t.d, e = t.e, z(static_cast<std::size_t>(ldz * most), std::nan(""));
          support::HostScratch scratch(divide_and_conquer_bytes_on_cpu<double>(n, rows, most));
          const DivideAndConquerResult outcome = divide_and_conquer_on_cpu<double>(
              n, w.data(), e.data(), {z.data(), rows, most, ldz}, scratch, {subset, 0, first});
          REQUIRE(outcome.status == Status::converged);
          w.resize(static_cast<std::size_t>(outcome.found.count));
          return std::pair(w, z);
        };
        const auto [values, whole] = solve(0, n, n);
        for (const std::int64_t first : {std::int64_t{0}, n / 3, n - 1}) {
          const std::int64_t rows = (n - first + 1) / 2, ldz = rows + 2;
          const auto [w, z] = solve(first, rows, ldz);
          CHECK(w == values);
          for (std::int64_t j = 0; j < most; ++j)
            for (std::int64_t i = 0; i < ldz; ++i) {
              const double entry = z[static_cast<std::size_t>(i + j * ldz)];
              REQUIRE((i < rows ? entry == whole[static_cast<std::size_t>(first + i + j * n)]
                                : std::isnan(entry)));
            }
        }
      }
}
