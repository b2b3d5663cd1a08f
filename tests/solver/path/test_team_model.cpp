// The model of solves by several GPUs, compared with the measured seconds of the machine that it is fitted to.
#include "solver/path/team_model.hpp"

#include <cmath>

#include "hybrid/error.hpp"
#include "tests/support/catch.hpp"

using namespace eigen_g;

namespace {

double sum_of(const MeasuredTeam& row) {
  double sum = 0;
  for (const double seconds : row.seconds) sum += seconds;
  return sum;
}

const MeasuredMachine& h200() {
  return measured_machine("nvidia_h200");
}

Prediction predicted(std::int64_t n, std::int64_t vectors, int gpus, EntryType type = {}) {
  return predict_team(h200(), {n, vectors, gpus, type});
}

}  // namespace

TEST_CASE("the measured solves on 1, 2 and 4 GPUs") {
  REQUIRE(h200().team.size() == 9);
  for (const MeasuredTeam& row : h200().team) {
    const auto n = static_cast<std::int64_t>(row.n);
    const Prediction p = predicted(n, n, row.gpus);
    CAPTURE(n, row.gpus, p.seconds, sum_of(row));
    CHECK(p.seconds == Approx(sum_of(row)).epsilon(0.08));
    REQUIRE(p.times.size() == team_stages.size());
    double sum = 0;
    for (std::size_t k = 0; k < p.times.size(); ++k) {
      CAPTURE(p.times[k].name);
      if (row.seconds[k] > 0.1 * sum_of(row))
        CHECK(p.times[k].seconds == Approx(row.seconds[k]).epsilon(0.28));
      sum += p.times[k].seconds;
    }
    CHECK(p.seconds == Approx(sum));
  }
}

// Values only and other types were measured too (data/perf/README.md, Several devices), and are not a part of the fit.
TEST_CASE("values only, complex and float matrices") {
  struct Measured {
    std::int64_t n, vectors;
    int gpus;
    EntryType type;
    double seconds, within;
  };
  for (const Measured& m :
       {Measured{10000, 0, 1, {}, 0.1118, 0.08}, Measured{20000, 0, 2, {}, 0.3775, 0.08},
        Measured{20000, 0, 4, {}, 0.3437, 0.08}, Measured{10000, 10000, 1, {true, false}, 0.6983, 0.15},
        Measured{10000, 10000, 2, {true, false}, 0.4934, 0.2},
        Measured{10000, 10000, 4, {true, false}, 0.3840, 0.25},
        Measured{10000, 10000, 1, {false, true}, 0.1876, 0.15},
        Measured{10000, 10000, 4, {false, true}, 0.1492, 0.25}}) {
    const Prediction p = predicted(m.n, m.vectors, m.gpus, m.type);
    CAPTURE(m.n, m.vectors, m.gpus, m.type.is_complex, m.type.is_single, p.seconds);
    CHECK(p.seconds == Approx(m.seconds).epsilon(m.within));
  }
}

TEST_CASE("more GPUs never take longer, except for messages; fewer vectors and faster GPUs never") {
  for (const std::int64_t n : {10000, 50000, 100000}) {
    for (int gpus = 1; gpus < 8; ++gpus)
      CHECK(predicted(n, n, gpus + 1).seconds < predicted(n, n, gpus).seconds);
    CHECK(predicted(n, n / 2, 4).seconds < predicted(n, n, 4).seconds);
    CHECK(predicted(n, 0, 4).seconds < predicted(n, 1, 4).seconds);
    CHECK(predict_team(h200(), {n, n, 4}, 2 * h200().products[Engine::native]).seconds <
          predicted(n, n, 4).seconds);
  }
  CHECK(predicted(0, 0, 2).seconds == 0);
}

TEST_CASE("the number of GPUs that pays grows with the order") {
  int before = 1;
  for (const std::int64_t n : {500, 5000, 10000, 20000, 50000, 100000}) {
    const int fastest = fastest_team({}, n, n, 8);
    CAPTURE(n, fastest);
    CHECK(fastest >= before);
    CHECK(fastest_team({}, n, n, 2) == std::min(fastest, 2));
    CHECK(fastest_team({}, n, n, 1) == 1);
    before = fastest;
  }
  CHECK(fastest_team({}, 500, 500, 8) == 1);
  CHECK(fastest_team({}, 50000, 50000, 8) == 8);
  CHECK(fastest_team({}, 20000, 20000, 2) == 2);
  CHECK(fastest_team({}, 10000, 0, 8) <= fastest_team({}, 10000, 10000, 8));
}

TEST_CASE("the leading terms of the memory") {
  const double n2 = 8.0 * 20000 * 20000;
  CHECK(leading_team_bytes({20000, 20000, 4}, 0) == Approx((0.5 + 3.0 / 4) * n2));
  CHECK(leading_team_bytes({20000, 20000, 4}, 3) == Approx(3.0 / 4 * n2));
  CHECK(leading_team_bytes({20000, 0, 4}, 0) == Approx(n2 / 4));
  CHECK(leading_team_bytes({20000, 20000, 2, {true, true}}, 1) == Approx(3.0 / 2 * n2));
}

TEST_CASE("wrong problems and a machine without such a measurement") {
  CHECK_THROWS_AS(predicted(-1, 0, 1), InvalidArgument);
  CHECK_THROWS_AS(predicted(5, 6, 1), InvalidArgument);
  CHECK_THROWS_AS(predicted(5, 5, 0), InvalidArgument);
  MeasuredMachine other = h200();
  other.team.clear();
  CHECK_THROWS_AS(predict_team(other, {5, 5, 1}), InvalidArgument);
}
