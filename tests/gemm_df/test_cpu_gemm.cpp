// Compares the CPU's product with a sum in long double, for every operation on the operands.
#include "gemm_df/cpu_gemm.hpp"

#include <cmath>
#include <vector>

#include "tests/support/catch.hpp"

using namespace eigen_g;

namespace {

std::vector<double> values(std::int64_t count, unsigned state) {
  std::vector<double> all(static_cast<std::size_t>(count));
  for (double& x : all) {
    state = state * 1664525u + 1013904223u;
    x = static_cast<double>(state) * 0x1p-31 - 1;
  }
  return all;
}

}  // namespace

TEST_CASE("C := alpha op(A) op(B) + beta C on the CPU; a real matrix' conjugate transpose is its transpose") {
  const std::int64_t m = 13, n = 7, k = 21, lead = 24;
  for (const Op op_a : {Op::none, Op::transpose, Op::conjugate_transpose})
    for (const Op op_b : {Op::none, Op::transpose, Op::conjugate_transpose}) {
      CAPTURE(static_cast<char>(op_a), static_cast<char>(op_b));
      const bool na = op_a == Op::none, nb = op_b == Op::none;
      const std::vector<double> a = values(lead * lead, 1), b = values(lead * lead, 2),
                                before = values(lead * n, 3);
      std::vector<double> c = before;
      const auto at = [&](const std::vector<double>& x, std::int64_t i, std::int64_t j) {
        return x[static_cast<std::size_t>(i + j * lead)];
      };
      gemm_on_cpu<double>(op_a, op_b, 2, {a.data(), na ? m : k, na ? k : m, lead},
                          {b.data(), nb ? k : n, nb ? n : k, lead}, -1, {c.data(), m, n, lead});
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < lead; ++i) {
          if (i >= m) {
            REQUIRE(at(c, i, j) == at(before, i, j));
            continue;
          }
          long double sum = -at(before, i, j);
          for (std::int64_t l = 0; l < k; ++l)
            sum += 2 * static_cast<long double>(na ? at(a, i, l) : at(a, l, i)) *
                   (nb ? at(b, l, j) : at(b, j, l));
          REQUIRE(std::fabs(at(c, i, j) - sum) <= 4 * (k + 1) * 0x1p-52L);
        }
    }
}
