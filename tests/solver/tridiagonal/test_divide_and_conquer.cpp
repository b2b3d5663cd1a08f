// Tests of the divide and conquer on the CPU as the solver calls it. test_dc_on_threads has the tests of its phases.
#include "solver/tridiagonal/divide_and_conquer.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/scratch.hpp"
#include "tests/support/tridiagonal.hpp"

using namespace eigen_g;
using support::Tridiagonal;

TEST_CASE("the CPU's divide and conquer: every kind of T") {
  for (const std::string& kind : support::tridiagonal_kinds) {
    CAPTURE(kind);
    const Tridiagonal t = support::tridiagonal(kind, 105);
    std::vector<double> d = t.d, e = t.e, z(105 * 105);
    e.push_back(0);
    support::HostScratch scratch(divide_and_conquer_bytes_on_cpu<double>(105, true, 105));
    const DivideAndConquerResult outcome =
        divide_and_conquer_on_cpu(105, d.data(), e.data(), {z.data(), 105, 105, 105}, scratch);
    CHECK(outcome.status == Status::converged);
    support::check_decomposition(t, d, z, 105, support::dstedc_family(kind), support::Machine::cpu);
  }
}
